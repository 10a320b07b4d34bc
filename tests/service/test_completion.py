"""What a shell completes: commands, studies, queries, policies and figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service.conftest import Belated

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(belated: Belated, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """What Bash is offered in the place of the last of these words."""

    def offers(*words: str) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setenv("_BELATED_COMPLETE", "complete_bash")
            patch.setenv("COMP_WORDS", " ".join(["belated", *words]))
            patch.setenv("COMP_CWORD", str(len(words)))
            return belated().out.split()

    return offers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_every_shell(belated: Belated, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_BELATED_COMPLETE", f"source_{shell}")
    out = belated().out
    assert "_BELATED_COMPLETE" in out
    assert f"complete_{shell}" in out


def test_commands_are_offered(complete: Complete) -> None:
    assert complete("re") == ["revise", "retract", "recommend", "report", "reopen", "rename", "replay", "reproduce"]


def test_studies_and_their_pending_queries_are_offered(complete: Complete, lab: str) -> None:
    assert complete("tell", "l") == ["lab"]
    assert complete("tell", lab, "") == ["1", "3"]
    assert complete("status", "") == ["lab"]


def test_studies_in_the_archive_are_offered_to_who_brings_them_back_alone(
    complete: Complete, belated: Belated, lab: str
) -> None:
    belated("archive", lab)
    assert complete("unarchive", "") == ["lab"]
    assert complete("ask", "") == []


def test_policies_goals_and_figures_are_offered(complete: Complete) -> None:
    assert complete("create", "new", "--policy", "gp-ucb") == [
        "gp-ucb",
        "gp-ucb-blind",
        "gp-ucb-pe",
        "gp-ucb-ranked",
        "gp-ucb-sdf",
    ]
    assert complete("create", "new", "--goal", "") == ["maximize", "minimize"]
    assert "progress" in complete("plot", "lab", "")


@pytest.mark.parametrize("words", [("status", ""), ("tell", "lab", "")], ids=str)
def test_a_storage_that_is_not_there_offers_nothing_and_is_not_made(
    complete: Complete, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert complete(*words) == []
    assert complete(*words, "--storage", "nonsense") == []
    assert list(tmp_path.iterdir()) == []
