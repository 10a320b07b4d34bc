"""`belated mcp` as it is typed: a process that an agent starts, and a service."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from belated.study import Study
from tests import forks
from tests.agents.clients import over_http, refusal, result, run
from tests.service.services import served
from tests.service.test_command_line import MISSING
from tests.serving import token_for


@pytest.mark.longest
def test_an_agent_starts_the_command_and_speaks_to_it_by_its_pipes(storage: str) -> None:
    command = ["-m", "belated", "mcp", "--storage", storage, "--name", "robot"]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def talks() -> None:
        async with Client(started) as agent:
            asked = await result(agent, "ask", study="lab", count=2)
            assert [query["query"] for query in asked["queries"]] == [1, 2]
            await result(agent, "tell", study="lab", answers=[{"query": 2, "value": 0.25}])
            assert (await refusal(agent, "status", study="labor"))[0] == "unknown-study"

    # Tokens are for those who come over the network.
    token_for(storage, "Ada", "read")
    run(talks)
    study = Study.open(storage, "lab")
    assert study.best().value == 0.25
    assert [event.by for event in study.events[1:]] == ["robot"] * 3


@pytest.mark.parametrize("command", ["mcp --http", "serve --mcp"])
def test_agents_are_served_over_http_beside_the_routes(storage: str, tmp_path: Path, command: str) -> None:
    token = token_for(storage, "Ada", "read")
    with served(tmp_path, "--storage", storage, command=command) as running:

        async def reads() -> None:
            async with over_http(running.address, token) as agent:
                assert (await result(agent, "status", study="lab"))["name"] == "lab"

        run(reads)
        assert running.get("/v1/studies", token).status_code == 200
        assert running.end() == 0


@pytest.mark.parametrize("words", [["mcp"], ["serve", "--mcp"]])
def test_without_the_package_the_error_names_the_extra(words: list[str], tmp_path: Path) -> None:
    done = forks.ran(MISSING.format(package="mcp", words=words), tmp_path, modules=forks.BARE)
    assert (done.returncode, done.stdout) == (40, "")
    assert done.stderr == (
        f"belated: {words[0]}: the door for agents needs the package mcp, which is not installed; Belated's extra "
        "'mcp' brings it.\n"
    )


@pytest.mark.parametrize(
    "words, said",
    [
        (["--port", "80"], "--host and --port go with --http."),
        (["--host", "127.0.0.1"], "--host and --port go with --http."),
        (["--http", "--name", "robot"], "--name goes without --http"),
    ],
)
def test_options_that_would_mean_nothing_are_refused(words: list[str], said: str, tmp_path: Path) -> None:
    done = forks.belated(tmp_path, "mcp", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_others_cannot_come_in_without_a_token(tmp_path: Path) -> None:
    done = forks.belated(tmp_path, "mcp", "--http", "--host", "0.0.0.0")
    assert done.returncode == 14
    assert "anybody could come in, as there are no tokens" in done.stderr
