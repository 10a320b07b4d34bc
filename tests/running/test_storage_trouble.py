"""A storage that goes away under a run: what comes back meanwhile is told afterwards, or said to the user."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from belated.errors import BelatedError, RateError, StorageError
from belated.study import Study, differences
from belated.study.running import patient_study
from tests.meanwhile import PATIENCE, Meanwhile, until
from tests.running.programs import created
from tests.running.studies import LINE, begun, squared, states

if TYPE_CHECKING:
    from tests.servers import Server


def test_a_server_that_is_restarted_under_a_run_loses_nothing(own_server: Server) -> None:
    study = created(own_server.address(own_server.create()))
    evaluated: list[float] = []

    def counted(point: dict[str, Any]) -> float:
        evaluated.append(point["heat"])
        return squared(point)

    over = threading.Event()

    def until_over(point: dict[str, Any]) -> float:
        if over.is_set():
            study.close("enough")
        return counted(point)

    running = Meanwhile(lambda: study.run(until_over, math.inf, workers=2))
    for mode in ("fast", "immediate"):
        before = len(evaluated)
        until(lambda before=before: len(evaluated) > before + 2, "the run goes on")  # type: ignore[misc]
        own_server.restart(mode)
    over.set()
    ran = running.result()
    assert ran.reason == "the study is closed (enough)"
    assert ran.asked == ran.answered == len(study.record())
    assert study.pending() == []
    assert len(evaluated) == len(set(evaluated)) == ran.asked
    assert list(differences(study.events)) == []


def test_what_cannot_be_told_is_said_and_its_query_stays_pending(
    sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_study, "STORAGE_PATIENCE", 0.05)
    study, aside = created(sqlite), tmp_path / "aside.db"

    def put_aside() -> None:
        (tmp_path / "lab.db").rename(aside)

    both = threading.Barrier(2, put_aside)

    def loses_its_study(point: dict[str, Any]) -> float:
        both.wait(PATIENCE)
        return squared(point)

    with pytest.raises(StorageError, match="there is no such file") as trouble:
        study.run(loses_its_study, 5, workers=2, worker="bench")
    aside.rename(tmp_path / "lab.db")
    assert states(study) == ["pending", "pending"]
    values = {query.id: squared(dict(query.point)) for query in study.pending()}
    (note,) = trouble.value.__notes__
    said, _, way_out = note.removeprefix("run(): ").partition(" came back and could not be told; ")
    assert eval(said) == values
    assert way_out == "tell_many() it when the storage is there again."
    study.tell_many(eval(said))
    assert states(study) == ["answered", "answered"]


def test_a_storage_that_was_never_there_is_not_waited_for(sqlite: str, tmp_path: Path) -> None:
    study = Study.create(sqlite, "oven", LINE, policy="random", seed=1)
    (tmp_path / "lab.db").unlink()
    with pytest.raises(StorageError, match="there is no such file"):
        study.run(squared, 1)


def test_what_is_in_flight_comes_home_when_an_ask_fails_for_good(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_study, "STORAGE_PATIENCE", 1.0)
    study, asks = created(sqlite), []

    class Fading:
        """The study, which can be told, and from the second ask on not be asked."""

        def __getattr__(self, name: str) -> Any:
            return getattr(study, name)

        def ask(self, **given: Any) -> Any:
            asks.append(given["worker"])
            if len(asks) == 1:
                return study.ask(**given)
            raise StorageError("the disk is full")

    def waits(point: dict[str, Any]) -> float:
        until(lambda: len(asks) >= 3, "the ask is made again")
        return squared(point)

    with pytest.raises(StorageError, match="the disk is full"):
        Study.run(Fading(), waits, 5, workers=2)  # type: ignore[arg-type]
    assert states(study) == ["answered"]
    assert len(set(asks[1:])) == 1, "asked again under the same name"


@pytest.mark.parametrize("trouble", [StorageError("the disk is full"), RateError("too often")], ids=["full", "often"])
@pytest.mark.parametrize("call", ["ask", "tell", "fail", "abandon"])
def test_a_call_that_meets_trouble_is_made_again(call: str, trouble: BelatedError) -> None:
    study, calls, returned = begun(), [], iter([1.0, None, 2.0])

    class Troubled:
        """The study, whose second call of that kind fails once."""

        def __getattr__(self, name: str) -> Any:
            found = getattr(study, name)
            return self._troubled(found) if name == call else found

        def _troubled(self, found: Callable[..., Any]) -> Callable[..., Any]:
            def called(*given: Any, **options: Any) -> Any:
                calls.append(given)
                if len(calls) == (1 if call in ("fail", "abandon") else 2):
                    raise trouble
                return found(*given, **options)

            return called

    on_failure: Literal["fail", "abandon"] = "abandon" if call == "abandon" else "fail"
    ran = Study.run(
        Troubled(),  # type: ignore[arg-type]
        lambda point: next(returned),
        3,
        workers=1,
        on_failure=on_failure,
    )
    assert (ran.asked, ran.answered, ran.failed) == (3, 2, 1)
    assert states(study) == ["answered", "abandoned" if call == "abandon" else "failed", "answered"]
    assert len(calls) == {"ask": 4, "tell": 3, "fail": 2, "abandon": 2}[call]
