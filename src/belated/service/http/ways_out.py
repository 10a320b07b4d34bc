"""Ways out of errors for people at the dashboard: in the words on its buttons."""

from __future__ import annotations

from belated.errors import Way

WAYS: dict[str, str] = {
    "abandon": "a query that has none is abandoned by its row of the table, under “No answer will come”",
    "all-queries": "the table of the study has them all",
    "ask": "the table of the study lists them",
    "change": "a policy with an ensemble, as egp-ts, has them",
    "context": "fill in {}",
    "fail": "a query that cannot be done is marked by its row of the table, under “It failed”",
    "no-answer": "a query that has none has failed or is abandoned, by its row of the table; or fill in the context",
    "objective": "make one of them one to maximize or minimize",
    "one-objective": "make the others signals, or take the policy random, which takes any",
    "own-goal": "each outcome says its own goal and what silence means",
    "retract": "“Take back”, in its row of the table, does that first",
    "retract-answer": "“Take back”, in its row of the table, is for one that says nothing",
    "revise-point": "“Revise” in its row of the table corrects it",
    "context-after": "tell it with the answer",
    "context-before": "it is given when asking; leave it out here",
    "reopen": "“Reopen the study”, under “More”, lets it go on asking",
    "revise": "“Revise” in its row of the table replaces the answer",
    "seen-after": "say that the context is seen after the decision, or take another policy, as gp-bucb",
    "page": "save the page instead",
    "studies": "the list of studies has those that your token opens",
    "table": "take another policy, as gp-aucb",
    "tell": "tell or add one first",
    "tell-context": "tell the context of one that is answered",
    "unarchive": "“Bring it back”, under “More”, lets it go on asking",
}


def worded(way: Way) -> str:
    """The way out in words of the dashboard."""
    return WAYS[way.name].format(", ".join(map(str, way.of)))
