"""Who waits for a model that takes its time: nobody but those who ask in the same study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

from belated.log import Asked
from belated.study import Study, differences
from tests.durability.crowd import SPACE, begin, joined, started
from tests.durability.gates import Gate, ask_through, deciding_takes_until, seconds_of
from tests.meanwhile import Meanwhile

# A tell takes milliseconds. The ask beside it is held until the tell has returned, so one that waited would hang; the
# time is measured as well, in the middle of several calls, as a busy machine can hold up any one of them.
WELL_UNDER_A_SECOND = 0.5


def begun(address: str) -> Study:
    """Queries 1 to 4 under way."""
    study = begin(address)
    study.ask(4)
    return study


def assert_answers_pass(study: Study, address: str) -> None:
    """Everything but asking goes on at once, through the same study and through another one."""
    other = Study.open(address, study.name)
    calls: tuple[Callable[[], object], ...] = (
        lambda: study.tell(1, 0.5),
        lambda: other.tell_many({2: 0.25}),
        lambda: study.revise(1, 0.75),
        lambda: other.abandon(3),
        lambda: study.add({"heat": 20.0}, 1.0),
        lambda: other.pending(),
        lambda: study.record(),
        lambda: other.best(),
    )
    assert median(seconds_of(call) for call in calls) < WELL_UNDER_A_SECOND


def assert_asked_without_seeing_them(study: Study) -> None:
    """The ask stands after what came meanwhile, says that it did not see it, and replays."""
    event = study.events[-1]
    assert isinstance(event.body, Asked)
    assert (event.number, event.body.query, event.body.after) == (11, 6, 5)
    assert list(differences(study.events)) == []
    assert list(differences(study.events, forgetful=True)) == []
    study.ask()
    assert list(differences(study.events)) == []


def test_telling_does_not_wait_while_a_thread_decides(address: str, tmp_path: Path) -> None:
    study = begun(address)
    gate = Gate(tmp_path / "gate")
    with deciding_takes_until(gate):
        asking = Meanwhile(study.ask)
        gate.await_arrival()
        assert_answers_pass(study, address)
        assert asking.waits(0.0)
        gate.open()
        assert asking.result().id == 6
    assert_asked_without_seeing_them(study)


def test_telling_does_not_wait_while_another_process_decides(shared: str, tmp_path: Path) -> None:
    study = begun(shared)
    gate, complaints = Gate(tmp_path / "gate"), tmp_path / "stderr"
    asking = started(ask_through, gate, shared, study.name, complaints=complaints)
    gate.await_arrival()
    assert_answers_pass(study, shared)
    assert asking.is_alive()
    gate.open()
    joined([asking], [complaints])
    assert_asked_without_seeing_them(study)


def test_a_change_made_while_a_decision_is_computed_is_decided_upon_again(address: str, tmp_path: Path) -> None:
    study = begun(address)
    gate = Gate(tmp_path / "gate")
    with deciding_takes_until(gate):
        asking = Meanwhile(study.ask)
        gate.await_arrival()
        Study.open(address, study.name).change(seed=77)
        gate.open()
        assert asking.result().id == 5
    assert isinstance(study.events[-1].body, Asked)
    assert study.events[-1].body.after is None
    assert list(differences(study.events)) == []


def test_asks_of_two_studies_do_not_wait_for_each_other(shared: str, tmp_path: Path) -> None:
    gates = [Gate(tmp_path / name) for name in ("yield", "colour")]
    complaints = [tmp_path / f"{name}.stderr" for name in ("yield", "colour")]
    studies = [Study.create(shared, name, SPACE, seed=1) for name in ("yield", "colour")]
    asking = [
        started(ask_through, gate, shared, study.name, complaints=path)
        for gate, study, path in zip(gates, studies, complaints, strict=True)
    ]
    for gate in gates:
        gate.await_arrival()  # both decide at this moment
    gates[1].open()
    joined(asking[1:], complaints[1:])
    gates[0].open()
    joined(asking[:1], complaints[:1])
    assert [len(study.pending()) for study in studies] == [1, 1]


def test_whoever_asks_dies_and_the_next_one_asks_at_once(shared: str, tmp_path: Path) -> None:
    study = begun(shared)
    gate = Gate(tmp_path / "gate")
    asking = started(ask_through, gate, shared, study.name, complaints=tmp_path / "stderr")
    gate.await_arrival()
    waiting = Meanwhile(study.ask)
    assert waiting.waits()
    asking.kill()
    asking.join()
    assert waiting.result().id == 5
