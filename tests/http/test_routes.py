"""What each route does to a study."""

from __future__ import annotations

import httpx2 as httpx

from belated import policies
from belated.study import Study
from tests.http.calls import POINT, SPACE, ask, begin, message, tell

BEFORE = {"hour": {"float": [0, 24]}, "seen": "before"}
AFTER = {"rain": {"float": [0, 30]}, "seen": "after"}


def test_a_study_is_created_as_it_was_written(caller: httpx.Client, storage: str) -> None:
    given = {"name": "made", "space": SPACE, "context": AFTER, "goal": "minimize", "policy": "sbo-kde", "seed": 2**100}
    made = caller.post("/v1/studies", json=given)
    assert made.status_code == 201
    study = Study.open(storage, "made")
    assert made.json() == {
        "name": "made",
        "goal": "minimize",
        "outcomes": [{"name": "value", "kind": "minimize"}],
        "policy": {"name": "sbo-kde", "parameters": {}},
        "seek": "best",
        "seed": 2**100,
        "space": study.space.to_json(),
        "context": {"kind": "context", "space": study.context.space.to_json(), "seen": "after"},  # type: ignore[union-attr]
        "closed": None,
        "archived": None,
    }
    # What to_json() wrote is read too.
    again = {**given, "name": "again", "space": made.json()["space"], "context": made.json()["context"]}
    assert caller.post("/v1/studies", json=again).json() == {**made.json(), "name": "again"}
    assert message(caller.post("/v1/studies", json=given), 409) == (
        "create('made'): a study of that name is there already; open it, or choose another name."
    )
    assert caller.post("/v1/studies", json={**given, "or_open": True}).json() == made.json()
    other = {**given, "or_open": True, "goal": "maximize"}
    assert message(caller.post("/v1/studies", json=other), 409).startswith(
        "Study.create('made'): the study 'made' is there already, with another goal"
    )


def test_a_policy_is_given_by_name_or_with_parameters(caller: httpx.Client) -> None:
    policy = {"name": "gp-bucb", "parameters": {"window": {"part": "Window", "seconds": 600.0, "queries": None}}}
    path = begin(caller, "window", policy=policy)
    assert caller.get(path).json()["policy"]["parameters"]["window"]["seconds"] == 600.0
    assert message(caller.post("/v1/studies", json={"name": "n", "space": SPACE, "policy": "gp-bucp"}), 404) == (
        "build(): no policy is named 'gp-bucp'; did you mean 'gp-bucb' or 'gp-ucb' or 'gp-ucb-pe'?"
    )
    wrong = {"name": "gp-bucb", "parameters": {"wind": 3}}
    assert message(caller.post("/v1/studies", json={"name": "n", "space": SPACE, "policy": wrong}), 422).startswith(
        "gp_bucb(): got an unexpected keyword argument 'wind'"
    )
    listed = caller.get("/v1/policies").json()["policies"]
    assert [entry["name"] for entry in listed] == list(policies.names())
    assert all(entry["description"] for entry in listed)


def test_an_ask_gives_queries_with_numbers_and_points(caller: httpx.Client) -> None:
    path = begin(caller, "asked")
    first, second, third = ask(caller, path) + ask(caller, path, count=2)
    assert [query["id"] for query in (first, second, third)] == [1, 2, 3]
    assert set(first["point"]) == {"x", "kind"}
    assert (first["state"], first["answer"], first["worker"], first["key"]) == ("pending", None, None, None)
    assert caller.get(f"{path}/queries/2").json() == second
    assert caller.get(f"{path}/pending").json() == {"queries": [first, second, third], "next": None}


def test_an_ask_with_the_same_key_or_worker_gives_the_same_queries(caller: httpx.Client) -> None:
    path = begin(caller, "keys")
    first = ask(caller, path, key="night 1", count=2)
    assert ask(caller, path, key="night 1", count=2) == first
    by_header = caller.post(f"{path}/asks", json={"count": 2}, headers={"Idempotency-Key": "night 1"})
    assert by_header.json()["queries"] == first
    other = caller.post(f"{path}/asks", json={}, headers={"Idempotency-Key": "night 2"}).json()["queries"]
    assert [query["key"] for query in other] == ["night 2"]
    two = caller.post(f"{path}/asks", json={"key": "a"}, headers={"Idempotency-Key": "b"})
    assert message(two, 422) == "ask(key='a'): the header has the key 'b'; an ask has one key; leave out either."
    abroad = ask(caller, path, key="Größe 日本 3")
    by_header = caller.post(f"{path}/asks", json={}, headers={b"Idempotency-Key": "Größe 日本 3".encode()})
    assert by_header.json()["queries"] == abroad
    mine = ask(caller, path, worker="robot 2")
    assert ask(caller, path, worker="robot 2") == mine
    tell(caller, path, mine[0]["id"], value=1.0)
    assert ask(caller, path, worker="robot 2")[0]["id"] > mine[0]["id"]


def test_a_balk_is_an_answer_with_its_reason_and_a_hint(caller: httpx.Client) -> None:
    path = begin(caller, "pacing", policy={"name": "sm-ucb", "parameters": {"batch": 2, "paths": 2}})
    assert len(ask(caller, path, count=5)) == 2
    balked = caller.post(f"{path}/asks", json={})
    assert balked.status_code == 200
    assert balked.json() == {
        "queries": [],
        "balk": {"reason": "a batch of 2 is complete and 2 of its answers are still to come", "retry_after": 30.0},
        "notices": [],
    }
    assert balked.headers["retry-after"] == "30"
    tell(caller, path, 1, value=0.5)
    # By now it is known how long answers take: about as long as this test has.
    again = caller.post(f"{path}/asks", json={})
    assert again.json()["balk"]["reason"] == "a batch of 2 is complete and 1 of its answers are still to come"
    assert 1.0 <= again.json()["balk"]["retry_after"] < 3600.0
    tell(caller, path, 2, value=0.5)
    assert len(ask(caller, path)) == 1
    numbers = caller.get("/metrics").text
    assert 'belated_balks_total{study="pacing"} 2.0' in numbers
    assert 'belated_asks_total{study="pacing"} 3.0' in numbers


def test_answers_come_in_any_order_and_the_same_twice_changes_nothing(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, "told")
    ask(caller, path, count=4)
    tell(caller, path, 3, value=0.25)
    tell(caller, path, 3, value=0.25)
    tell(caller, path, 1, value=1)
    many = {"answers": [{"query": 2, "value": 0.5}, {"query": 4, "value": -2.5}]}
    assert caller.post(f"{path}/answers", json=many).json() == {"taken": 2}
    assert caller.post(f"{path}/answers", json=many).json() == {"taken": 2}
    assert len(Study.open(storage, "told").events) == 1 + 4 + 4
    answered = caller.get(f"{path}/queries/3").json()
    assert answered["state"] == "answered"
    assert (answered["answer"]["value"], answered["answer"]["delay"], answered["answer"]["earlier"]) == (0.25, 1, [])
    assert message(caller.put(f"{path}/queries/1/answer", json={"value": 2.0}), 409) == (
        "tell(query=1): already answered with 1.0, and now given 2.0; use revise() to replace the answer."
    )
    assert message(caller.put(f"{path}/queries/1/answer", json={}), 422).startswith("tell(query=1): got None")
    assert caller.get(f"{path}/best").json() == {
        "query": 1,
        "value": 1.0,
        "point": caller.get(f"{path}/queries/1").json()["point"],
    }


def test_of_many_answers_all_are_taken_or_none(caller: httpx.Client) -> None:
    path = begin(caller, "batch")
    ask(caller, path, count=2)
    wrong = {"answers": [{"query": 1, "value": 0.5}, {"query": 7, "value": 0.5}]}
    assert message(caller.post(f"{path}/answers", json=wrong), 404) == (
        "tell_many(query=7): the study has queries 1 to 2; use an id that ask() returned."
    )
    twice = {"answers": [{"query": 1, "value": 0.5}, {"query": 1, "value": 0.7}]}
    assert message(caller.post(f"{path}/answers", json=twice), 409).startswith("tell_many(query=1): given 0.5 and 0.7")
    assert [query["state"] for query in caller.get(f"{path}/queries").json()["queries"]] == ["pending", "pending"]


def test_a_revision_keeps_the_first_value(caller: httpx.Client) -> None:
    path = begin(caller, "revised")
    ask(caller, path)
    assert message(caller.post(f"{path}/queries/1/revisions", json={"value": 0.5}), 409) == (
        "revise(query=1): the query is pending and has no answer to replace; use tell() for a first answer."
    )
    tell(caller, path, 1, value=0.5)
    for value in (0.75, 0.75, 0.625):
        assert caller.post(f"{path}/queries/1/revisions", json={"value": value}).json() == {"taken": 1}
    answer = caller.get(f"{path}/queries/1").json()["answer"]
    assert (answer["value"], answer["earlier"]) == (0.625, [0.5, 0.75])


def test_an_abandoned_query_is_waited_for_no_more(caller: httpx.Client) -> None:
    path = begin(caller, "abandoned")
    ask(caller, path, count=2)
    for _ in range(2):
        lost = caller.put(f"{path}/queries/1/abandonment", json={"reason": "sample\tlost\n✗"})
        assert lost.json() == {"taken": 1}
    shown = caller.get(f"{path}/queries/1").json()
    assert (shown["state"], shown["reason"]) == ("abandoned", "sample\tlost\n✗")
    assert [query["id"] for query in caller.get(f"{path}/pending").json()["queries"]] == [2]
    assert caller.get(path).json()["counts"] == {
        "asked": 2,
        "answered": 0,
        "pending": 1,
        "overdue": 0,
        "abandoned": 1,
        "added": 0,
        "failed": 0,
        "retracted": 0,
    }


def test_data_that_was_never_asked_gets_numbers_like_queries(caller: httpx.Client) -> None:
    path = begin(caller, "data")
    rows = [{"point": POINT, "value": 0.5}, {"point": {"x": -1, "kind": "b"}, "value": 2}]
    added = caller.post(f"{path}/data", json={"data": rows})
    assert added.status_code == 201
    assert [(row["id"], row["number"], row["point"], row["answer"]["value"]) for row in added.json()["queries"]] == [
        (1, 0, POINT, 0.5),
        (2, 0, {"x": -1.0, "kind": "b"}, 2.0),
    ]
    wrong = [{"point": POINT, "value": 0.5}, {"point": {"x": 0}, "value": 0.5}]
    assert message(caller.post(f"{path}/data", json={"data": wrong}), 422) == (
        "add_many(): missing parameter 'kind'; a point has all of x, kind; add it."
    )
    assert caller.get(path).json()["counts"]["added"] == 2
    assert ask(caller, path)[0]["id"] == 3


def test_a_context_seen_before_comes_with_the_ask(caller: httpx.Client) -> None:
    path = begin(caller, "before", context=BEFORE, policy="gp-ucb")
    assert message(caller.post(f"{path}/asks", json={}), 422).startswith("ask(): got no context")
    query = ask(caller, path, context={"hour": 13.5})[0]
    assert query["context"] == {"hour": 13.5}
    tell(caller, path, 1, value=0.5)
    assert message(caller.put(f"{path}/queries/1/answer", json={"context": {"hour": 1}}), 422).startswith(
        "tell(): got a context, but the study's context is seen before the decision"
    )
    advice = caller.get(f"{path}/recommendation", params={"context": '{"hour": 13.5}'})
    assert advice.status_code == 200
    assert set(advice.json()) == {"point", "mean", "deviation", "jitter", "others", "chance"}
    assert message(caller.get(f"{path}/recommendation"), 422).startswith("recommend(): got no context")
    points = {"points": [POINT, {"x": 0, "kind": "b"}], "context": {"hour": 2}}
    expected = caller.post(f"{path}/expectations", json=points).json()
    assert [len(expected[name]) for name in ("mean", "deviation")] == [2, 2]


def test_a_context_seen_after_comes_with_the_answer_or_without(caller: httpx.Client) -> None:
    path = begin(caller, "after", context=AFTER, policy="sbo-kde")
    ask(caller, path, count=2)
    tell(caller, path, 1, value=0.5, context={"rain": 3.0})
    tell(caller, path, 2, value=0.25)
    assert caller.get(path).json()["without_context"] == [2]
    tell(caller, path, 2, context={"rain": 4})
    assert caller.get(path).json()["without_context"] == []
    assert caller.get(f"{path}/queries/2").json()["context"] == {"rain": 4.0}
    assert message(caller.put(f"{path}/queries/2/answer", json={"context": {"rain": 5.0}}), 409).startswith(
        "tell(query=2): its context was seen as {'rain': 4.0}"
    )


def test_a_study_is_changed_from_here_on(caller: httpx.Client) -> None:
    path = begin(caller, "changed")
    assert message(caller.patch(path, json={}), 422) == (
        "change(): got nothing to change; give a policy, a window, a seed, a silence or what to seek."
    )
    changed = caller.patch(path, json={"policy": "gp-bucb", "window": 20, "seed": 9}).json()
    assert changed["seed"] == 9
    assert changed["policy"]["name"] == "gp-bucb"
    assert changed["policy"]["parameters"]["window"] == 20
    learns = caller.patch(path, json={"window": "auto"}).json()
    assert learns["policy"] == {"name": "gp-bucb", "parameters": {"window": "auto"}}
    assert caller.patch(path, json={"window": "soon"}).status_code == 422
    assert message(caller.patch(path, json={"policy": "sbo-kde"}), 422).startswith("change(): got no context")
    assert caller.get(path).json()["policy"] == learns["policy"]
    log = caller.get(f"{path}/log").json()["events"]
    assert [event["event"] for event in log] == ["created", "policy-changed", "seed-changed", "policy-changed"]


def test_what_silence_means_is_said_of_a_study_and_taken_back(caller: httpx.Client) -> None:
    path = begin(caller, "silent")
    assert caller.get(path).json()["outcomes"] == [{"name": "value", "kind": "maximize"}]
    changed = caller.patch(path, json={"silence": 0}).json()
    assert changed["outcomes"] == [{"name": "value", "kind": "maximize", "silence": 0.0}]
    assert caller.get(path).json()["outcomes"] == changed["outcomes"]
    for wrong in ("0", "silent", True, [0]):
        assert caller.patch(path, json={"silence": wrong}).status_code == 422
    back = caller.patch(path, json={"silence": "nothing", "seed": 3}).json()
    assert (back["outcomes"], back["seed"]) == ([{"name": "value", "kind": "maximize"}], 3)
    log = caller.get(f"{path}/log").json()["events"]
    said = [(event["event"], event.get("silence")) for event in log[1:3]]
    assert said == [("silence-changed", 0.0), ("silence-changed", None)]


def test_what_counts_is_said_of_a_study_and_changed(caller: httpx.Client) -> None:
    path = begin(caller, "seeking", seek="total")
    assert caller.get(path).json()["seek"] == "total"
    assert caller.patch(path, json={"seek": "best"}).json()["seek"] == "best"
    for wrong in ("most", 1, ["best"]):
        assert caller.patch(path, json={"seek": wrong}).status_code == 422
    assert caller.get(f"{path}/log").json()["events"][1]["seek"] == "best"


def test_a_closed_study_asks_no_more_and_takes_answers(caller: httpx.Client) -> None:
    path = begin(caller, "closed")
    ask(caller, path, count=2)
    for _ in range(2):
        assert caller.put(f"{path}/closure", json={"reason": "paper is out"}).json()["closed"] == "paper is out"
    assert message(caller.post(f"{path}/asks", json={}), 409) == (
        "ask(): the study is closed (paper is out); reopen() it to go on asking."
    )
    tell(caller, path, 1, value=0.5)
    for _ in range(2):
        assert caller.delete(f"{path}/closure", params={"reason": "a reviewer"}).json()["closed"] is None
    assert len(ask(caller, path)) == 1
    log = caller.get(f"{path}/log").json()["events"]
    assert [event["reason"] for event in log if event["event"] in ("closed", "reopened")] == [
        "paper is out",
        "a reviewer",
    ]
