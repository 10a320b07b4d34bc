"""What is released: what the wheel and the source distribution contain, and that they work in a bare environment."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
import yaml
from hatchling import build

import belated

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PATIENCE = 300.0  # seconds for a download of NumPy and SciPy


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return folder / build.build_wheel(str(folder))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return folder / build.build_sdist(str(folder))


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def text_in(wheel: Path, end: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(end)]
        return archive.read(name).decode()


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    package = {path.relative_to(ROOT / "src").as_posix() for path in files}
    metadata = {f"belated-{belated.__version__}.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD")}
    metadata |= {f"belated-{belated.__version__}.dist-info/{name}" for name in ("entry_points.txt", "licenses/LICENSE")}
    assert names_in(wheel) == package | metadata


def test_what_is_no_python_is_there_because_it_is_needed(wheel: Path) -> None:
    others = {name for name in names_in(wheel) if not name.endswith(".py") and ".dist-info/" not in name}
    pages = {name for name in others if name.startswith("belated/service/dashboard/")}
    assert {name.split("/")[3] for name in pages} == {"static", "templates"}
    assert others - pages == {
        "belated/py.typed",
        "belated/simulate/problems/tuned.json.gz",
        "belated/storage/migrations/script.py.mako",
    }


def test_the_wheel_is_small_enough_to_download_without_a_thought(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000  # bytes; that of SciPy has forty million


def test_the_metadata_is_what_an_index_shows(wheel: Path) -> None:
    metadata = HeaderParser().parsestr(text_in(wheel, "/METADATA"))
    assert (metadata["Name"], metadata["Version"]) == ("belated", belated.__version__)
    assert metadata["Requires-Python"] == ">=3.11"
    always = [needed for needed in metadata.get_all("Requires-Dist", []) if "extra ==" not in needed]
    assert sorted(re.split(r"[<>=]", needed)[0] for needed in always) == ["numpy", "scipy"]
    assert str(metadata.get_payload()).startswith("# Belated")
    assert text_in(wheel, "/entry_points.txt").split() == ["[console_scripts]", "belated", "=", "belated.cli.main:run"]


@pytest.mark.slow
def test_the_source_has_what_its_tests_and_pages_need_and_no_file_that_is_not_kept(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if kept.returncode == 0:
        new = subprocess.run(
            ["git", "ls-files", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert names - set(kept.stdout.splitlines()) - set(new.stdout.splitlines()) == {"PKG-INFO"}
    for needed in ("tests/conftest.py", "benchmarks/__init__.py", "docs/hooks/site.py", "mkdocs.yml", "CITATION.cff"):
        assert needed in names


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == belated.__version__
    assert citation["license"] == PROJECT["license"]
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in PROJECT["authors"]]


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.stem)
def test_a_file_for_the_forge_is_read_as_it_is_meant(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    read = yaml.safe_load(text)
    if path.parent.name == "workflows":
        assert read["jobs"]["publish"]["needs"] == "build"
        for tried in re.findall(r"\btests/[\w/]+\.py", text):
            assert (ROOT / tried).is_file()
    elif path.stem != "config":
        assert {part["type"] for part in read["body"]} <= {"textarea", "input", "dropdown", "markdown", "checkboxes"}
        assert len({part["id"] for part in read["body"]}) == len(read["body"])


def test_all_is_every_extra_that_users_have() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]

    def brought(extra: str) -> set[str]:
        inner = (name for needed in extras[extra] for name in re.findall(r"^belated\[(.*)\]$", needed))
        return {extra}.union(*(brought(one) for names in inner for one in names.split(",")))

    assert everything.startswith("belated[")
    assert brought("all") == set(extras) - {"bench", "dev"}


USE = """
import belated as bl
study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1), solvent=bl.Choice("DMF", "THF")), seed=7)
first, second = study.ask(2)
study.tell(second, 0.5)
study.tell(first, 0.7)
third = study.ask()
assert study.best().value == 0.7 and third.id == 3
print(bl.__version__)
"""


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_released_works_in_a_bare_environment(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    package: Path = request.getfixturevalue(kind)
    run(sys.executable, "-m", "venv", "bare", cwd=tmp_path)
    python = tmp_path / "bare" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", package, cwd=tmp_path)
    assert run(python, "-I", "-c", USE, cwd=tmp_path).split() == [belated.__version__]
    listed = run(python, "-m", "pip", "list", "--format=freeze", cwd=tmp_path).lower()
    assert {line.partition("==")[0] for line in listed.split()} <= {"belated", "numpy", "pip", "scipy", "setuptools"}
    command = tmp_path / "bare" / "bin" / "belated"
    refused = subprocess.run([command, "policies"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "'cli'" in refused.stdout + refused.stderr
    # What the refusal says, for what is installed from a file.
    run(python, "-m", "pip", "install", "--quiet", f"belated[cli] @ {package.as_uri()}", cwd=tmp_path)
    run(command, "create", "lab", "--space", "{x: {float: [0, 1]}, solvent: [DMF, THF]}", cwd=tmp_path)
    run(command, "ask", "lab", cwd=tmp_path)
    run(command, "tell", "lab", "1", "0.83", cwd=tmp_path)
    assert "0.83" in run(command, "best", "lab", cwd=tmp_path)
