"""What a study says of what it sees, does and why."""

from __future__ import annotations

import pytest

import belated as bl
from belated.policies import names
from belated.simulate import run
from tests.builders import Clock

SPACE = bl.Space(heat=bl.Float(20.0, 120.0), steps=bl.Int(1, 8), solvent=bl.Choice("DMF", "THF"))
NEEDED = {"bpe": {"horizon": 9}, "bpe-delay": {"horizon": 9}}
AFTER = bl.Context(demand=bl.Float(0.0, 1.0), seen="after")


def test_a_study_that_is_new_says_what_it_will_do() -> None:
    explained = bl.Study.in_memory(SPACE, seed=1).explain()
    assert explained.policy == "auto"
    assert explained.saw == {
        "space": "3 parameters: 1 number, 1 whole number, 1 choice",
        "what counts": "the best point in the end",
        "contexts": "none",
        "answers": "0 of 0 queries, 0 still waited for",
        "delays": "nothing was asked yet",
    }
    assert explained.chose["rule"] == (
        "the first 5 queries and all others until 3 answers have come spread evenly, then the highest upper bound, "
        "1.8 deviations above the mean, once an answer has come, and until the next one the most uncertain point where "
        "the best may be"
    )
    assert explained.chose["pacing"] == "asks whenever it is asked to"
    assert explained.chose["answers"] == "as they are"
    assert len(explained.why) == 5


def test_it_says_when_answers_are_read_by_their_ranks() -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), goal="minimize", seed=1)
    study.add_many([({"x": x}, 10.0 ** (8.0 * x)) for x in (0.02, 0.11, 0.24, 0.35, 0.43, 0.58, 0.66, 0.79, 0.9, 0.98)])
    expected = "the better half of the answers as they are, the worse half by their ranks"
    assert study.explain().chose["answers"] == expected


def test_what_it_sees_is_what_there_is() -> None:
    clock = Clock()
    study = bl.Study.in_memory(SPACE, seed=1, clock=clock)
    study.add({"heat": 50.0, "steps": 2, "solvent": "DMF"}, 0.2)
    for _ in range(4):
        query = study.ask()
        assert isinstance(query, bl.Query)
        clock.now += 10.0
        study.tell(query.id, query.point["heat"] / 120.0)
    study.ask()
    explained = study.explain()
    assert explained.saw["answers"] == "4 of 5 queries, 1 still waited for, and 1 added"
    assert explained.saw["delays"] == (
        "half within 0 queries or 10 s; nine in ten within 10 s; never: no sign of it, at most 60%"
    )
    assert explained.saw["noise"].startswith("a deviation of about ")


def test_answers_too_small_to_tell_apart_are_said_to_be() -> None:
    study = bl.Study.in_memory(SPACE, seed=1)
    for query in study.ask(4):
        study.tell(query, query.point["heat"] * 1e-160)
    assert study.explain().saw["noise"] == (
        "not known: answers that differ by less than 1e-140 count as equal; give a smaller unit"
    )


def test_a_window_is_said_in_words() -> None:
    study = bl.Study.in_memory(SPACE, policy=bl.policies.gp_bucb(window=bl.Window(queries=1, seconds=5400)), seed=1)
    assert study.explain().chose["pending queries"] == (
        "count as answered with what is expected of them, and are counted on for up to 1 further query or 1 h 30 min"
    )


def test_queries_past_the_window_are_not_said_to_be_waited_for() -> None:
    study = bl.Study.in_memory(SPACE, seed=1, policy=bl.policies.gp_bucb(window=1))
    study.ask(4)
    assert study.explain().saw["answers"] == "0 of 4 queries, 2 still waited for and 2 no longer"


@pytest.mark.parametrize("policy, until", [("auto", " and all others until 2 answers have come"), ("gp-bucb", "")])
def test_a_design_that_added_answers_make_superfluous_is_not_announced(policy: str, until: str) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy=policy, seed=1)
    study.add_many([({"x": place / 2}, 0.1 * place) for place in range(2)])
    assert study.explain().chose["rule"].startswith(f"the first 3 queries{until} spread evenly, then ")
    study.add({"x": 1.0}, 0.2)
    assert study.explain().chose["rule"].startswith("the highest upper bound")


def test_a_design_is_announced_until_enough_answers_have_come() -> None:
    study = bl.Study.in_memory(SPACE, policy=bl.policies.auto(initial=2), seed=1)
    queries = study.ask(4)
    said = "the first 2 queries and all others until 1 answer has come spread evenly, then the highest upper bound"
    assert study.explain().chose["rule"].startswith(said)
    study.tell(list(queries)[3], 0.5)
    assert study.explain().chose["rule"].startswith("the highest upper bound")


@pytest.mark.parametrize(
    ("silence", "said"),
    [
        (0.0, "say nothing, and keep their places"),
        (0.25, "count as bad with a share of 0.25"),
        (1.0, "count as bad"),
    ],
)
def test_a_meaning_of_silence_that_was_given_is_not_said_to_be_learned(silence: float, said: str) -> None:
    explained = bl.Study.in_memory(SPACE, seed=1, policy=bl.policies.auto(silence=silence)).explain()
    assert explained.chose["pending queries"].endswith(f"; those that are lost {said}")
    assert explained.why[3].endswith("; what silence means was given.")


def test_a_learned_window_and_what_silence_means_are_said() -> None:
    study = run("gp-se", "auto", "lost(0.3, poisson(3))", rounds=50, seed=3).study
    said = study.explain().chose["pending queries"]
    waits = f"for up to {study.policy.window.queries} further queries"
    assert said.startswith(f"count as what is expected of them, and are counted on {waits}; ")
    assert said.endswith("nothing says that those that are lost are worse than those that came")


def test_silence_that_is_known_to_be_bad_is_said() -> None:
    policy = bl.policies.auto(silence=1.0)
    study = run("gp-se", policy, "lost(0.3, poisson(3))", rounds=20, seed=3).study
    assert study.explain().chose["pending queries"].endswith("those that are lost count as bad")


@pytest.mark.parametrize("name", names())
def test_every_policy_explains_itself_in_words(name: str) -> None:
    policy = bl.policies.build(name, **NEEDED.get(name, {}))
    table = bl.Candidates([{"x": place / 10} for place in range(11)])
    across = policy.beginning(table, AFTER).aim is not None
    study = bl.Study.in_memory(table, policy=policy, seed=1, context=AFTER if across else None)
    study.add({"x": 0.5}, 0.3, context={"demand": 0.5} if across else None)
    study.add({"x": 0.7}, 0.4, context={"demand": 0.2} if across else None)
    study.ask()
    explained = study.explain()
    # A part without words of its own says the first sentence of its docstring.
    assert all(said[0].islower() for said in explained.chose.values())
    for said in (*explained.saw.values(), *explained.chose.values()):
        assert said
        assert "object at" not in said
        assert "[" not in said
    assert str(explained).startswith(f"{explained.policy} decides.\n\nWhat it sees:\n  space: a table of 11 candidates")
    assert explained.to_json()["chose"] == explained.chose


def test_it_shows_itself_in_a_notebook() -> None:
    shown = bl.Study.in_memory(SPACE, seed=1).explain()._repr_html_()
    assert "auto decides" in shown
    assert "3 parameters: 1 number, 1 whole number, 1 choice" in shown


def test_it_says_what_failures_teach() -> None:
    study = bl.Study.in_memory(SPACE, policy="gp-ucb", seed=1, notices=False)
    for query in study.ask(6):
        study.tell(query, query.point["heat"])
    assert "failures" not in study.explain().saw
    study.fail(study.ask(), "crashed")
    said = study.explain().saw["failures"]
    assert said.startswith("1 query has failed; by those and the answers, about ")
    assert said.endswith("% of the space works, and a point counts for less the likelier it is to fail")


def test_a_context_known_before_belongs_to_what_fails() -> None:
    study = bl.Study.in_memory(SPACE, context=bl.Context(hour=bl.Float(0, 24), seen="before"), seed=1, notices=False)
    study.fail(study.ask(context={"hour": 3.0}))
    assert "failures" in study.explain().saw
