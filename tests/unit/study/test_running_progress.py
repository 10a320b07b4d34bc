"""The progress of a run: what it shows, to whom, and with what."""

from __future__ import annotations

import functools
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from belated.study.running.progress import Bar, DrawnProgress
from tests.running.studies import begun, squared


def test_the_bar_shows_what_was_answered_the_best_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    study = begun(goal="minimize")
    study.add({"heat": 1.0}, 4.5)
    outcomes: Iterator[float | None] = iter([7.0, None, 3.0, 9.0])
    study.run(lambda point: next(outcomes), 4, workers=1, progress=True)
    shown = capsys.readouterr().err.split("\r")[-1]
    assert "4/4" in shown
    assert "best 3, failed 1" in shown
    assert "in flight" not in shown


def test_the_best_is_the_largest_where_large_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = iter([7.0, 9.5, 3.0])
    begun().run(lambda point: next(outcomes), 3, workers=1, progress=True)
    assert "best 9.5" in capsys.readouterr().err.split("\r")[-1]


@pytest.mark.parametrize("wanted", [None, False])
def test_no_bar_is_shown_where_nobody_sees_it_or_wants_it(
    wanted: bool | None, capsys: pytest.CaptureFixture[str]
) -> None:
    begun().run(squared, 3, progress=wanted)
    assert capsys.readouterr() == ("", "")


# Each of a dozen queries takes a quarter of a second, and tqdm cannot be imported.
PROGRAM = """
import sys, time
sys.modules["tqdm.auto"] = None
import belated as bl
study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=1)
study.run(lambda point: time.sleep(0.25) or point["x"], queries=12, workers=1, progress=GIVEN)
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_on_a_terminal_without_tqdm_a_line_is_written_over_at_most_once_a_second() -> None:
    import pty

    ours, theirs = pty.openpty()
    began = time.monotonic()
    program = [sys.executable, "-c", PROGRAM.replace("GIVEN", "None")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b"".join(iter(functools.partial(read, ours), b"")).decode()
    assert process.returncode == 0
    lines = [line.strip() for line in shown.split("\r") if line.strip()]
    assert lines[0].startswith("0 of 12 queries in 0.") or lines[0].startswith("1 of 12 queries in 0.")
    assert re.fullmatch(r"12 of 12 queries in \d+\.\d s: best 0\.\d+", lines[-1])
    assert 3 <= len(lines) <= 3 + (time.monotonic() - began)


def read(terminal: int) -> bytes:
    """What is there to read; nothing once nobody writes any more."""
    try:
        return os.read(terminal, 1000)
    except OSError:
        return b""


def test_without_tqdm_the_line_is_shown_to_whoever_asks_for_progress() -> None:
    program = [sys.executable, "-c", PROGRAM.replace("GIVEN", "True").replace("0.25", "0.01")]
    done = subprocess.run(program, capture_output=True, timeout=60)
    assert done.stderr.split(b"\r")[-1].startswith(b"12 of 12 queries in ")
    assert done.stderr.endswith(b"\n")


def test_the_bar_is_not_drawn_at_every_answer_and_at_the_end_in_any_case() -> None:
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    shown = io.StringIO()
    bar = DrawnProgress(Bar(functools.partial(tqdm, file=shown), total=None), goal="maximize", best=None)
    for settled in range(1000):
        bar.show(settled, 2, 0, "")
    assert bar.due is not None, "it wants to show what came since"
    bar.show(1000, 0, 0, "stopping")
    bar.close()
    drawn = shown.getvalue().split("\r")
    assert drawn[-1].startswith("1000query [")
    assert drawn[-1].rstrip().endswith("stopping]")
    assert len(drawn) < 500
