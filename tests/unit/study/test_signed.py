"""Who did what: the log says it of everything that is written through a signed study."""

from __future__ import annotations

import io
import re

import pytest

from belated.errors import LogError, ParameterError
from belated.log import Event, Query
from belated.space import Float, Space
from belated.study import Study
from belated.study.files import read_lines, write_lines

SPACE = Space(x=Float(0, 1))


def test_the_log_says_who_wrote_each_event(address: str) -> None:
    study = Study.create(address, "yield", SPACE, policy="random", seed=1, by="Ada")
    query = study.signed("Bob").ask()
    assert isinstance(query, Query)
    study.signed("Cy").tell(query, 0.5)
    study.signed("Ada").revise(query, 0.6)
    study.add({"x": 0.1}, 0.2)
    study.signed("Ada").close("done")
    assert [event.by for event in study.events] == ["Ada", "Bob", "Cy", "Ada", None, "Ada"]
    assert Study.open(address, "yield").events == study.events


def test_a_signed_study_is_the_same_study(address: str) -> None:
    study = Study.create(address, "yield", SPACE, policy="random", seed=1)
    signed = study.signed("Ada")
    signed.add({"x": 0.1}, 0.2)
    assert study.best() == signed.best()
    assert study.events == signed.events
    assert study.signed("Bob").signed("Cy").ask()
    assert [event.by for event in study.events] == [None, "Ada", "Cy"]


def test_signatures_survive_an_export(address: str) -> None:
    study = Study.create(address, "yield", SPACE, policy="random", seed=1, by="Žofie")
    file = io.StringIO()
    write_lines(file, study.events)
    file.seek(0)
    assert Study.restore(address, "again", read_lines(file)).events == study.events
    unsigned = [Event(event.number, event.at, event.body, 7) for event in study.events]  # type: ignore[arg-type]
    with pytest.raises(LogError, match=re.escape("event 1 is by 7; give a whole log")):
        Study(unsigned)


@pytest.mark.parametrize("name", ["", "x" * 201, "two\nlines", 7])
def test_a_signature_is_a_short_text(name: str, memory: str) -> None:
    message = "a signature is a printable text of 1 to 200 characters; shorten it, or leave it out."
    with pytest.raises(ParameterError, match=re.escape(f"signed(by={name!r}): {message}")):
        Study.in_memory(SPACE).signed(name)
    with pytest.raises(ParameterError, match=re.escape(f"create(by={name!r}): {message}")):
        Study.create(memory, "yield", SPACE, by=name)
