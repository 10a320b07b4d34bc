"""The tools, called by the SDK's own client: what a study does through them, and what each says of itself."""

from __future__ import annotations

import asyncio
import base64
import builtins
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ImageContent

from belated.service.agents.tools import TOOLS
from belated.service.agents.ways_out import WAYS
from belated.service.agents.words import INSTRUCTIONS
from belated.study import Study
from tests.agents.clients import inside, refusal, result, run, said
from tests.agents.conftest import SPACE

PNG = b"\x89PNG\r\n\x1a\n"
# What a person does at the command line, and no tool.
COMMANDS = ("change", "reopen", "unarchive")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_study_is_begun_asked_told_and_read(storage: str, mode: str) -> None:
    async def life() -> None:
        async with inside(storage, mode=mode) as agent:
            made = await result(
                agent, "create_study", name="new", space=SPACE, goal="minimize", policy="random", seed=3
            )
            assert (made["name"], made["goal"], made["policy"]) == ("new", "minimize", {"name": "random"})
            asked = await result(agent, "ask", study="new", count=3, key="plate 1")
            assert [query["query"] for query in asked["queries"]] == [1, 2, 3]
            assert await result(agent, "ask", study="new", count=3, key="plate 1") == asked
            told = [{"query": 2, "value": 0.5, "sd": 0.1}, {"query": 1, "value": 0.75}]
            assert await result(agent, "tell", study="new", answers=told) == {"taken": 2}
            assert await result(agent, "fail", study="new", queries=[3], reason="boiled") == {"taken": 1}
            assert await result(
                agent, "add", study="new", data=[{"point": asked["queries"][0]["point"], "value": 2}]
            ) == {"added": [4]}
            study = Study.open(storage, "new")
            assert await result(agent, "best", study="new") == study.best().to_json()
            assert (await result(agent, "best", study="new"))["value"] == 0.5
            found = await result(agent, "recommend", study="new")
            assert found["point"] == dict(study.recommend().point)
            expected = await result(agent, "expect", study="new", points=[found["point"]])
            assert expected["mean"] == study.expect([found["point"]])[0].tolist()
            assert (await result(agent, "explain", study="new"))["policy"] == "random"
            assert (await result(agent, "delays", study="new"))["answered"] == 2
            assert (await result(agent, "pending", study="new")) == {"waiting": 0, "queries": []}
            standing = await result(agent, "status", study="new")
            assert standing["failed"] == [3]
            assert standing["counts"] == study.record().counts.to_json()
            listed = (await result(agent, "list_studies"))["studies"]
            assert [(each["name"], each.get("best")) for each in listed] == [("lab", None), ("new", 0.5)]
            assert "auto" in (await result(agent, "list_policies"))["policies"]

    run(life)


def test_what_has_come_of_each_query_is_read_a_page_at_a_time(storage: str) -> None:
    async def reads() -> None:
        async with inside(storage) as agent:
            await result(agent, "ask", study="lab", count=3)
            await result(agent, "tell", study="lab", answers=[{"query": 1, "value": [1, 3]}])
            await result(agent, "abandon", study="lab", queries=[2], reason="lost")
            first = await result(agent, "queries", study="lab", limit=2)
            assert first["next"] == 2
            assert [query["state"] for query in first["queries"]] == ["answered", "abandoned"]
            assert first["queries"][0]["answers"] == {"value": 2.0}
            assert first["queries"][1]["reason"] == "lost"
            last = await result(agent, "queries", study="lab", after=2)
            assert "next" not in last
            (waiting,) = last["queries"]
            assert (waiting["query"], waiting["state"]) == (3, "pending")
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", waiting["asked_at"])
            assert waiting["waiting_seconds"] >= 0

    run(reads)


def test_told_twice_is_nothing_and_another_value_is_refused_with_the_tool_that_takes_it(storage: str) -> None:
    async def tells() -> None:
        async with inside(storage) as agent:
            await result(agent, "ask", study="lab", count=2)
            for _ in range(2):
                assert await result(agent, "tell", study="lab", answers=[{"query": 1, "value": 0.4}]) == {"taken": 1}
            n_events = len(Study.open(storage, "lab").events)
            assert await refusal(agent, "tell", study="lab", answers=[{"query": 1, "value": 0.5}]) == (
                "conflict",
                "query 1: already answered with 0.4, and now given 0.5; call revise for query 1 to replace the answer.",
            )
            assert len(Study.open(storage, "lab").events) == n_events
            await result(agent, "revise", study="lab", query=1, value=0.5)
            assert (await result(agent, "best", study="lab"))["value"] == 0.5
            await result(agent, "retract", study="lab", queries=[1], reason="contaminated")
            assert await refusal(agent, "best", study="lab") == (
                "no-answer",
                "no query has an answer yet; call tell for a first one.",
            )
            assert await refusal(agent, "retract", study="lab", queries=[2]) == (
                "conflict",
                "query 2: nothing has come of the query yet; call abandon for query 2 if no answer will come.",
            )

    run(tells)


def test_of_answers_told_together_all_are_taken_or_none(storage: str) -> None:
    async def tells() -> None:
        async with inside(storage) as agent:
            await result(agent, "ask", study="lab")
            answers = [{"query": 1, "value": 0.4}, {"query": 9, "value": 0.5}]
            assert await refusal(agent, "tell", study="lab", answers=answers) == (
                "unknown-query",
                "query 9: the study has queries 1 to 1; call pending for those that wait for an answer, or ask for new "
                "ones.",
            )
            assert (await result(agent, "pending", study="lab"))["waiting"] == 1

    run(tells)


NOT_TAKEN = "got arguments that it does not take ({}); it takes {}, as its schema has them; call it again with these."
OF_ASK, OF_TELL = "study, count, context, key, worker", "study, answers"


@pytest.mark.parametrize(
    "tool, given, kind, message",
    [
        (
            "ask",
            {"study": "lab", "count": "3"},
            "parameter",
            NOT_TAKEN.format("count: Input should be a valid integer", OF_ASK),
        ),
        (
            "ask",
            {"study": "lab", "count": 0},
            "parameter",
            NOT_TAKEN.format("count: Input should be greater than or equal to 1", OF_ASK),
        ),
        (
            "ask",
            {"study": "lab", "n": 3},
            "parameter",
            NOT_TAKEN.format("n: Extra inputs are not permitted", OF_ASK),
        ),
        ("ask", {}, "parameter", NOT_TAKEN.format("study: Field required", OF_ASK)),
        (
            "ask",
            {"study": "lab", "count": 10**6},
            "size",
            "count=1000000: a request may ask for 100 queries; ask several times.",
        ),
        (
            "ask",
            {"study": "lab", "context": {"hour": 3}},
            "context",
            "got a context, but the study declares none; leave it out.",
        ),
        (
            "tell",
            {"study": "lab", "answers": [{"query": 1, "value": "0.4"}]},
            "parameter",
            NOT_TAKEN.format(
                "answers.0.value: Input should be a number, a list of them, or either by outcome", OF_TELL
            ),
        ),
        (
            "tell",
            {"study": "lab", "answers": []},
            "parameter",
            NOT_TAKEN.format("answers: List should have at least 1 item after validation, not 0", OF_TELL),
        ),
        (
            "tell",
            {"study": "lab", "answers": [{"query": 1}]},
            "answer",
            "query 1: got None as the answer; an answer is a number; leave it out if none has come yet, call fail or "
            "abandon if none will, or give the context.",
        ),
        (
            "revise",
            {"study": "lab", "query": 1, "value": 0.4},
            "conflict",
            "query 1: the query is pending and has no answer to replace; call tell for a first one.",
        ),
        (
            "status",
            {"study": "labor"},
            "unknown-study",
            "service: no study is named 'labor'; call list_studies for those that there are.",
        ),
        (
            "create_study",
            {"name": "lab", "space": SPACE},
            "conflict",
            "lab: a study of that name is there already; open it, or choose another name.",
        ),
        (
            "plot",
            {"study": "lab", "kind": "progres"},
            "unknown-name",
            "no kind of figure is named 'progres'; did you mean 'progress' or 'pairs'?",
        ),
        ("guess", {"study": "lab"}, "unknown-name", "guess: no tool is named 'guess'; did you mean 'queries'?"),
    ],
)
def test_odd_arguments_are_refused_with_the_way_out(
    storage: str, tool: str, given: dict[str, Any], kind: str, message: str
) -> None:
    async def calls() -> None:
        async with inside(storage) as agent:
            await result(agent, "ask", study="lab")
            assert await refusal(agent, tool, **given) == (kind, message)

    run(calls)


def test_a_closed_study_says_that_a_person_can_reopen_it(storage: str) -> None:
    Study.open(storage, "lab").close("done")

    async def asks() -> None:
        async with inside(storage) as agent:
            kind, message = await refusal(agent, "ask", study="lab")
            assert kind == "conflict"
            assert message.endswith(
                "a person can let it go on asking, as `belated reopen STUDY` does; answers are still welcome."
            )

    run(asks)


def test_while_an_ask_waits_for_its_turn_other_calls_are_answered(storage: str) -> None:
    async def calls() -> None:
        async with inside(storage) as agent:
            with Study.open(storage, "lab")._log.asking():
                asking = asyncio.create_task(result(agent, "ask", study="lab"))
                await asyncio.sleep(0.05)
                assert (await result(agent, "status", study="lab"))["counts"]["asked"] == 0
                assert not asking.done()
            assert len((await asking)["queries"]) == 1

    run(calls)


@pytest.mark.longest
def test_a_figure_is_an_image(storage: str) -> None:
    async def draws() -> None:
        async with inside(storage) as agent:
            await result(agent, "ask", study="lab", count=2)
            await result(agent, "tell", study="lab", answers=[{"query": 1, "value": 0.4}])
            found = await agent.call_tool("plot", {"study": "lab", "kind": "progress"})
            assert not found.is_error, said(found)
            (image,) = found.content
            assert isinstance(image, ImageContent)
            assert image.mime_type == "image/png"
            assert base64.b64decode(image.data).startswith(PNG)

    run(draws)


def test_without_kaleido_the_error_says_what_else_an_agent_can_read(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without_kaleido(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "kaleido":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "kaleido", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_kaleido)

    async def draws() -> None:
        async with inside(storage) as agent:
            assert await refusal(agent, "plot", study="lab") == (
                "missing-package",
                "images need the package kaleido, which is not installed; Belated's extra 'images' brings it, or call "
                "explain, delays and status, which say the same in words.",
            )

    run(draws)


def test_every_tool_says_what_it_is_for_and_whether_it_writes(storage: str) -> None:
    async def lists() -> None:
        async with inside(storage) as agent:
            shown = {tool.name: tool for tool in (await agent.list_tools()).tools}
            assert set(shown) == set(TOOLS)
            for name, tool in shown.items():
                assert len((tool.description or "").split()) > 10
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is (TOOLS[name].scope == "read")
                assert tool.annotations.destructive_hint is False
                assert tool.input_schema["additionalProperties"] is False
            assert agent.instructions == INSTRUCTIONS

    run(lists)


def test_the_page_lists_every_tool_with_its_scope() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "commands" / "mcp.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.MULTILINE)
    assert listed == [(tool.name, tool.scope) for tool in TOOLS.values()]


def test_the_instructions_and_the_ways_out_name_tools_that_there_are() -> None:
    for name in ("ask", "tell", "pending", "fail", "abandon", "revise", "retract", "recommend", "best", "status"):
        assert name in TOOLS
        assert re.search(rf"\b{name}\b", INSTRUCTIONS)
    called = {name for words in WAYS.values() for name in re.findall(r"\bcall (\w+)", words)}
    assert called <= set(TOOLS)
    commands = {name for words in WAYS.values() for name in re.findall(r"`belated (\w+)", words)}
    assert commands == set(COMMANDS)
