"""Every tool against every scope, and a token for one study."""

from __future__ import annotations

from typing import Any

import pytest

from belated.service.agents.tools import TOOLS
from tests.agents.clients import inside, refusal, result, run
from tests.agents.conftest import SPACE

NEEDED = {
    **dict.fromkeys(("list_studies", "list_policies", "status", "pending", "queries", "best", "recommend"), "read"),
    **dict.fromkeys(("expect", "delays", "explain", "plot"), "read"),
    **dict.fromkeys(("tell", "fail", "abandon", "revise", "retract", "add"), "tell"),
    "ask": "ask",
    "create_study": "admin",
}


@pytest.mark.parametrize("scope", ["read", "ask", "tell", "admin"])
def test_a_scope_opens_its_tools_and_no_other(storage: str, scope: str) -> None:
    async def calls() -> None:
        async with inside(storage, [scope]) as agent:
            assert set(NEEDED) == set(TOOLS)
            listed = {tool.name for tool in (await agent.list_tools()).tools}
            assert listed == {name for name, needed in NEEDED.items() if scope in (needed, "admin")}
            for name in set(TOOLS) - listed:
                # Who may not call is refused before what they give is looked at.
                assert await refusal(agent, name, nonsense=1) == (
                    "forbidden",
                    f"agent: this needs the scope {NEEDED[name]!r}, and the token has {scope}; make one that has it.",
                )

    run(calls)


def test_a_token_for_one_study_opens_that_one_alone(storage: str) -> None:
    async def calls() -> None:
        async with inside(storage, ["admin"], study="mine") as agent:
            await result(agent, "create_study", name="mine", space=SPACE, policy="random", seed=1)
            assert len((await result(agent, "ask", study="mine"))["queries"]) == 1
            assert [each["name"] for each in (await result(agent, "list_studies"))["studies"]] == ["mine"]
            others: list[tuple[str, dict[str, Any]]] = [
                ("create_study", {"name": "yours", "space": SPACE}),
                ("status", {"study": "lab"}),
                ("status", {"study": "missing"}),
                ("ask", {"study": "lab"}),
                ("tell", {"study": "lab", "answers": [{"query": 1, "value": 1}]}),
                ("plot", {"study": "lab"}),
            ]
            for tool, given in others:
                assert await refusal(agent, tool, **given) == (
                    "forbidden",
                    "agent: it opens the study 'mine' alone; make one for this.",
                )

    run(calls)
