"""Every public name works in a process that has imported Belated and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import belated as bl
from belated.study import figures
from tests import forks
from tests.serving import serving

BEGIN = "import warnings\nwarnings.simplefilter('error')\nimport belated as bl\n"
STUDY = "study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1)), policy='gp-bucb', seed=3)\n"
ANSWERED = STUDY + "for query in study.ask(4): study.tell(query, query.point['x'])\n"
# The name as the pages use it, the first thing in its program; each ends in something that must be true.
CALLS = {
    "Answer": ANSWERED + "assert isinstance(study.queries()[0].answer, bl.Answer)",
    "AtLeast": "assert bl.AtLeast(2.0).allows(2.5)",
    "AtMost": "assert not bl.AtMost(2.0).allows(2.5)",
    "Balk": "balk = bl.Balk('wait'); assert not balk and balk.reason == 'wait'",
    "BelatedError": STUDY + "try: study.tell(7, 1.0)\nexcept bl.BelatedError as error: assert error.exit_code == 21",
    "Best": ANSWERED + "assert isinstance(study.best(), bl.Best)",
    "Candidates": "assert len(bl.Candidates([{'x': 1}, {'x': 2}])) == 2",
    "Choice": "assert bl.Choice('DMF', 'THF').levels == 2",
    "Context": "assert bl.Context(hour=bl.Float(0, 24), seen='before').seen == 'before'",
    "Ensemble": "assert bl.policies.gp_ei(belief=bl.Ensemble([bl.GP(), bl.Features()])).name == 'gp-ei'",
    "Evidence": ANSWERED + "assert isinstance(study.evidence(), bl.Evidence)",
    "Features": "assert bl.policies.gp_ts(belief=bl.Features()).name == 'gp-ts'",
    "Float": "assert bl.Float(20, 120).levels is None",
    "FullyBayesian": "assert bl.policies.fb_gp_ts().name == 'fb-gp-ts' and bl.FullyBayesian()",
    "GP": "assert bl.policies.gp_bucb(belief=bl.GP()).name == 'gp-bucb'",
    "Lost": STUDY
    + "try: raise bl.Lost('the vial broke')\nexcept bl.Lost as lost: assert str(lost) == 'the vial broke'",
    "Record": ANSWERED + "assert isinstance(study.record(), bl.Record)",
    "Int": "assert bl.Int(1, 8).levels == 8",
    "Maximize": "assert bl.Maximize(silence=0.0).silence == 0.0",
    "Measurement": "assert bl.Measurement(0.42, sd=0.02).sd == 0.02",
    "Minimize": "assert bl.Minimize().silence is None",
    "Notice": STUDY + "assert study.notices() == [] and bl.Notice",
    "Query": STUDY + "assert isinstance(study.ask(), bl.Query)",
    "Ran": STUDY + "assert isinstance(study.run(lambda point: point['x'], queries=2, progress=False), bl.Ran)",
    "Recommendation": ANSWERED + "assert isinstance(study.recommend(), bl.Recommendation)",
    # Nobody answers there, and a client asks for ten seconds.
    "RemoteStudy": "from belated.client import connection\nconnection.FIRST_PAUSE = 0.01\n"
    "try: bl.RemoteStudy.open('http://127.0.0.1:9', 'lab')\nexcept bl.BelatedError: pass",
    "Retries": STUDY + "study.run(lambda point: point['x'], queries=1, retries=bl.Retries(2), progress=False)",
    "Signal": "assert not bl.Signal().required",
    "Space": "assert list(bl.Space(x=bl.Float(0, 1))) == ['x']",
    "State": STUDY + "assert study.ask().state is bl.State.PENDING",
    "Study": ANSWERED + "assert study.best().value <= 1",
    "Window": "assert bl.policies.gp_bucb(window=bl.Window(seconds=60)).name == 'gp-bucb'",
}
ROOM = (
    "room = bl.{room}\nfor name in getattr(room, '__all__', dir(room)): assert getattr(room, name) is not None, name\n"
)
ROOMS = {
    "beliefs": "assert 'matern52' in room.FORMS",
    "contexts": "assert room.Observed() is not None",
    "evidence": "assert room.Evidence is bl.Evidence",
    "errors": "assert issubclass(room.PointError, bl.BelatedError)",
    "pacing": "assert room.Always() is not None",
    "pending": "assert room.Hallucinate() is not None",
    "policies": "assert 'auto' in room.names() and room.build('auto').name == 'auto'",
    "report": ANSWERED + "assert room.progress(study).data",
    "rules": "assert room.Constant(2.0) is not None",
    "simulate": "assert room.run('branin', 'random', room.constant(2), rounds=3).study.plot('waits').data",
    "storage": "assert room.connect(room.DEFAULT_URL) is not None",
}


def ran(program: str, folder: Path, *, succeeds: bool = True) -> str:
    """What a process of its own prints while it runs the program."""
    done = forks.ran(BEGIN + program, folder, modules=forks.BARE)
    assert (done.returncode == 0) is succeeds, done.stderr
    return done.stdout + done.stderr


def test_every_public_name_has_its_call_here() -> None:
    assert sorted([*CALLS, *ROOMS, "__version__"]) == sorted(dir(bl))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_name_works_as_the_pages_use_it(name: str, tmp_path: Path) -> None:
    ran(f"bl.{name}\n{CALLS[name]}", tmp_path)


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_every_name_of_a_room_is_there(room: str, tmp_path: Path) -> None:
    ran(ROOM.format(room=room) + ROOMS[room], tmp_path)


def test_the_kinds_of_figures_are_known_before_anything_was_drawn(tmp_path: Path) -> None:
    program = "import json\nfrom belated.study import figures\nprint(json.dumps(figures.kinds()))"
    assert json.loads(ran(program, tmp_path)) == figures.kinds()


@pytest.mark.parametrize("kind", figures.kinds())
def test_a_study_draws_every_kind(kind: str, tmp_path: Path) -> None:
    policy = "'egp-ts'" if kind == "weights" else "'gp-bucb'"  # weights are those of an ensemble
    study = ANSWERED.replace("'gp-bucb'", policy)
    assert int(ran(study + f"print(len(study.plot({kind!r}).data))", tmp_path)) > 0


def test_a_study_behind_a_service_draws_too(sqlite: str, tmp_path: Path) -> None:
    study = bl.Study.create(sqlite, "lab", bl.Space(x=bl.Float(0, 1)), policy="random", seed=3)
    study.tell(study.ask(), 1.0)  # type: ignore[arg-type]
    with serving(sqlite) as address:
        program = f"study = bl.RemoteStudy.open({address!r}, 'lab')\nprint(len(study.plot('progress').data))"
        assert int(ran(program, tmp_path)) > 0


@pytest.mark.parametrize("study", [ANSWERED, "study = bl.simulate.run('branin', 'random', rounds=3).study\n"])
def test_without_plotly_a_plot_says_which_extra_to_install(study: str, tmp_path: Path) -> None:
    without = "import sys\nsys.modules['plotly'] = None\n"
    said = ran(without + study + "study.plot('progress')", tmp_path, succeeds=False)
    assert said.endswith(
        "MissingPackageError: report: figures need the package plotly, which is not installed; "
        "Belated's extra 'report' brings it.\n"
    )
