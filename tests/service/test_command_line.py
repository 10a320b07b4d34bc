"""The command line, from outside: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import belated as bl
from tests import forks
from tests.service.commands import commands
from tests.service.conftest import Belated

MISSING = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
sys.argv = ["belated", *{words!r}]
from belated.cli.main import run
run()
"""


LISTING = """
from belated.cli.main import run
try:
    run()
finally:
    heavy = ("sqlalchemy", "alembic", "plotly", "pandas", "kaleido")
    print([name for name in heavy if name in sys.modules], file=sys.stderr)
"""


def call(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    strict = "import warnings\nwarnings.simplefilter('error')\n"
    return forks.ran(strict + forks.BELATED, cwd or Path.cwd(), *arguments)


def test_the_version_is_printed() -> None:
    command = [sys.executable, "-W", "error", "-m", "belated.cli.main", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, encoding="utf-8")
    assert (done.returncode, done.stdout.strip()) == (0, f"belated {bl.__version__}")


def test_help_names_every_command_and_imports_nothing_that_it_does_not_need() -> None:
    code = f"import sys; sys.argv = ['belated', '--help']\n{LISTING}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, encoding="utf-8")
    assert done.stderr.strip() == "[]"
    assert all(f" {name} " in done.stdout for name, *_ in commands())


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example_and_speaks_json(belated: Belated, words: tuple[str, ...]) -> None:
    out = belated(*words, "--help").out
    assert f"Usage: belated {' '.join(words)} " in out
    assert f"Example: belated {' '.join(words)}" in out
    assert "--json" in out
    assert belated(*words, "-h").out == out
    assert "bool" not in out  # a flag takes no value


@pytest.mark.parametrize("words", [(), ("db",), ("token",)], ids=str)
def test_the_help_of_groups_shows_no_type_for_flags_either(belated: Belated, words: tuple[str, ...]) -> None:
    assert "bool" not in belated(*words, "--help").out


def test_policies_and_problems_are_listed_as_text_and_as_json(belated: Belated) -> None:
    names = [entry["name"] for entry in belated("policies", "--json").json]
    assert names == list(bl.policies.names())
    problems = belated("problems", "--json").json
    assert [entry["name"] for entry in problems] == list(bl.simulate.problems.names())
    assert all(entry["description"] for entry in problems)
    text = belated("policies").out
    assert all(name in text for name in names)
    assert "[desautels2014" in text


def test_a_policy_is_shown_with_its_parameters(belated: Belated) -> None:
    shown = belated("policies", "bpe").out.splitlines()
    assert shown[:2] == ["bpe", bl.policies.describe("bpe")]
    facts = dict(line.split(maxsplit=1) for line in shown[4:])
    assert {name: text.strip() for name, text in facts.items()} == {
        "horizon": "must be given",
        "width": "2.449489742783178",
        "belief": "GP()",
        "discretise": "None, at most 10,000",
    }
    parameters = belated("policies", "egp-ts", "--json").json["parameters"]
    assert [entry["name"] for entry in parameters] == list(bl.policies.signature("egp-ts").parameters)
    assert {"name": "features", "default": "50"} in parameters
    assert belated("policies", "egp-ts", "--json").json["most"] == {"features": 10_000, "initial": 10_000}
    assert "50, at most 10,000" in belated("policies", "egp-ts").out
    assert len(belated("policies", "random").out.splitlines()) == 2
    refused = belated("policies", "gp-bucbb", ok=False)
    assert refused.code == 20
    assert refused.err.startswith("belated: no policy is named 'gp-bucbb'; did you mean 'gp-bucb' or ")


def test_the_demo_prints_its_table_and_the_path_of_its_report(tmp_path: Path) -> None:
    done = call("demo", "--rounds", "14", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    for label in ("Belated, every day", "Waiting for each", "Random, every day"):
        assert label in done.stdout
        assert label in done.stderr
    path = tmp_path / "demo" / "report.html"
    assert str(path) in done.stdout
    page = path.read_text(encoding="utf-8")
    assert "The best yield, day by day" in page
    assert page.count("plotly.js v") == 1
    assert page.count('class="chart"') == 4


def test_the_demo_as_json_is_json_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "here.html"
    done = call("demo", "--rounds", "30", "--seed", "3", "--output", str(target), "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["rounds"], data["seed"], data["report"]) == (0, 30, 3, str(target))
    ours, waiting, random = data["results"]
    assert ours["asked"] == random["asked"] == 30
    assert waiting["asked"] + waiting["balked"] == 30
    assert waiting["asked"] <= 6
    assert list(ours["simple_regret"]) == ["7", "15", "30"]
    assert ours["answered"] == random["answered"]
    assert target.exists()


def test_a_demo_of_one_day_has_no_answers_and_says_so(tmp_path: Path) -> None:
    done = call("demo", "--rounds", "1", "--output", str(tmp_path / "r.html"), "--json")
    assert [result["best"] for result in json.loads(done.stdout)["results"]] == [None, None, None]
    assert "none" in call("demo", "--rounds", "1", "--output", str(tmp_path / "r.html")).stdout


@pytest.mark.parametrize("arguments", [("demo", "--rounds", "0"), ("demo", "--seed", "x"), ("demoo",)], ids=str)
def test_wrong_usage_is_refused_on_stderr(arguments: tuple[str, ...]) -> None:
    done = call(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_an_error_is_one_line_on_stderr_with_its_own_exit_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = call("demo", "--rounds", "2", "--output", str(tmp_path / "file" / "r.html"), "--json")
    assert done.returncode == bl.errors.ParameterError.exit_code
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(f"belated: {tmp_path / 'file' / 'r.html'}: ")


@pytest.mark.parametrize(
    "package, extra, words",
    [
        ("typer", "cli", "demo"),
        ("rich", "cli", "demo"),
        ("yaml", "cli", "create lab --space {}"),
        ("plotly", "report", "demo"),
    ],
)
def test_a_missing_package_is_named_with_the_way_to_get_it(
    package: str, extra: str, words: str, tmp_path: Path
) -> None:
    done = forks.ran(MISSING.format(package=package, words=words.split()), tmp_path, modules=forks.BARE)
    assert done.returncode == bl.errors.MissingPackageError.exit_code
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert package in line
    assert f"Belated's extra '{extra}' brings it" in line


def test_importing_belated_brings_in_no_figures_no_simulations_and_no_command_line() -> None:
    dear = ("plotly", "typer", "rich", "pandas", "belated.report", "belated.simulate")
    code = f"import belated, sys; print([name for name in {dear} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_figures_and_simulations_are_there_when_they_are_named() -> None:
    code = (
        "import belated as bl; print('simulate' in dir(bl), bl.simulate.__name__); from belated import *; report.save"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.split(), done.stderr) == (["True", "belated.simulate"], "")
    with pytest.raises(AttributeError, match=r"^module 'belated' has no attribute 'simulations'$"):
        _ = bl.simulations  # type: ignore[attr-defined]


def test_a_command_on_a_study_does_not_wait_for_the_modules_of_the_others(tmp_path: Path) -> None:
    dear = ("belated.report", "belated.simulate", "belated.cli.league", "belated.cli.create")
    loaded = f"print([name for name in {dear} if name in sys.modules], file=sys.stderr)"
    words = ["belated", "status", "--storage", f"sqlite:///{tmp_path}/none.db"]
    code = f"import sys\nsys.argv = {words}\nfrom belated.cli.main import run\ntry:\n    run()\nfinally:\n    {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == bl.errors.StorageError.exit_code
    assert done.stderr.splitlines()[-1] == "[]"
