"""Ways out of errors for agents: as the tools that they have, and as what only a person can do."""

from __future__ import annotations

from belated.errors import Way

# {query} stands for the query that the error is about, {names} for the names of a context.
WAYS: dict[str, str] = {
    "abandon": "call abandon for {query} if no answer will come",
    "all-queries": "call queries for all of them",
    "ask": "call pending for those that wait for an answer, or ask for new ones",
    "change": "a person can give the study one that has, as `belated change STUDY --policy egp-ts` does",
    "context": "give context with {names}",
    "context-after": "give it to tell, with the answer",
    "context-before": "give it to ask; leave it out here",
    "fail": "call fail for {query} if it cannot be done there",
    "no-answer": "leave it out if none has come yet, call fail or abandon if none will, or give the context",
    "objective": "make one of them of the kind maximize or minimize",
    "one-objective": "make the others of the kind signal, or give the policy random, which takes any",
    "own-goal": "each outcome says its own goal and silence; leave goal and silence out",
    "page": "call explain, delays and status, which say the same in words",
    "reopen": "a person can let it go on asking, as `belated reopen STUDY` does; answers are still welcome",
    "retract": "call retract for {query} first, if that was wrong",
    "retract-answer": "call retract for {query} if it says nothing",
    "revise": "call revise for {query} to replace the answer",
    "revise-point": "call revise for {query} to correct the point",
    "seen-after": "give the context with seen: after, or another policy, as gp-bucb",
    "studies": "call list_studies for those that there are",
    "table": "give the space as {{candidates: [point, …]}}, or take another policy",
    "tell": "call tell for a first one",
    "tell-context": "call tell with the context of one that is answered",
    "unarchive": "a person can bring it back, as `belated unarchive STUDY` does; answers are still welcome",
}
# The ways that are about one query have its number first.
OF_A_QUERY = ("abandon", "fail", "retract", "retract-answer", "revise", "revise-point")


def worded(way: Way) -> str:
    """The way out in words of the tools."""
    query = f"query {way.of[0]}" if way.name in OF_A_QUERY and way.of else "the query"
    return WAYS[way.name].format(query=query, names=", ".join(map(str, way.of)))
