"""How much and how often: bodies, batches, pages and rates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from belated.errors import ParameterError
from belated.service import Limits
from belated.space.written import space_of
from belated.study import Study
from tests.serving import client, serving, token_for

SPACE = {"x": {"float": [-1, 1]}}


def test_a_body_past_the_limit_is_refused_however_it_is_sent(sqlite: str) -> None:
    Study.create(sqlite, "lab", space_of("space", SPACE), policy="random", seed=1).ask(2)
    path = "/v1/studies/lab/queries/1/answer"
    with serving(sqlite, limits=Limits(body=1000)) as address, client(address) as anybody:
        large = b'{"value": 0.5' + b" " * 3000 + b"}"
        headers = {"Content-Type": "application/json"}

        def parts() -> Iterator[bytes]:
            yield large[:600]
            yield large[600:1200]
            yield large[1200:]

        declared = anybody.put(path, content=large, headers=headers)
        streamed = anybody.put(path, content=parts(), headers=headers)
        for response in (declared, streamed):
            assert response.status_code == 413
            assert response.json()["error"] == {
                "kind": "size",
                "message": "service: the body has more than 1000 bytes; send several requests.",
            }
            assert response.headers["x-request-id"] == response.json()["request"]
        within = b'{"value": 0.5' + b" " * 986 + b"}"
        assert len(within) == 1000
        assert anybody.put(path, content=within, headers=headers).json() == {"taken": 1}


def test_a_request_carries_no_more_rows_than_the_service_takes(sqlite: str) -> None:
    study = Study.create(sqlite, "lab", space_of("space", SPACE), policy="random", seed=1)
    study.ask(4)
    datum = {"point": {"x": 0.5}, "value": 0.5}
    with serving(sqlite, limits=Limits(answers=3, queries=2, page=2)) as address, client(address) as anybody:
        rows = [{"query": query, "value": 0.5} for query in (1, 2, 3, 4)]
        refused = [
            anybody.post("/v1/studies/lab/answers", json={"answers": rows}),
            anybody.post("/v1/studies/lab/data", json={"data": [datum] * 4}),
            anybody.post("/v1/studies/lab/expectations", json={"points": [datum["point"]] * 4}),
            anybody.post("/v1/studies/lab/asks", json={"count": 3}),
        ]
        assert [response.status_code for response in refused] == [413] * 4
        assert [response.json()["error"]["message"] for response in refused] == [
            "service: got 4 rows, and a request may carry 3; send several requests.",
            "service: got 4 rows, and a request may carry 3; send several requests.",
            "service: got 4 rows, and a request may carry 3; send several requests.",
            "ask(count=3): a request may ask for 2 queries; ask several times.",
        ]
        assert len(study.events) == 5, "what was refused has left something"
        assert anybody.post("/v1/studies/lab/answers", json={"answers": rows[:3]}).json() == {"taken": 3}
        page = anybody.get("/v1/studies/lab/queries", params={"limit": 10**30}).json()
        assert [query["id"] for query in page["queries"]] == [1, 2]
        assert page["next"] == 2


def test_a_caller_who_calls_too_often_is_told_how_long_to_wait(sqlite: str) -> None:
    eager, patient = token_for(sqlite, "eager", "read"), token_for(sqlite, "patient", "read")
    # So slow that nothing fills up while the test runs.
    with serving(sqlite, open=False, limits=Limits(rate=0.001, burst=3)) as address:
        with client(address, eager) as caller:
            assert [caller.get("/v1/policies").status_code for _ in range(4)] == [200, 200, 200, 429]
            refused = caller.get("/v1/studies")
        assert refused.json()["error"]["kind"] == "rate"
        message = refused.json()["error"]["message"]
        assert message.startswith("service: more than 0.001 requests a second, or 3 at once; wait ")
        assert message.endswith(" s, or send many answers in one request.")
        assert 900 < int(refused.headers["retry-after"]) <= 1000
        # Others have buckets of their own, those without a token by where they come from.
        with client(address, patient) as caller:
            assert caller.get("/v1/policies").status_code == 200
        with client(address, "belated_1_wrong") as stranger:
            assert [stranger.get("/v1/policies").status_code for _ in range(4)] == [401, 401, 401, 429]
        with client(address) as nobody:
            assert nobody.get("/v1/policies").status_code == 429
            assert nobody.get("/health/live").status_code == 200


@pytest.mark.parametrize("given", [{"body": 0}, {"answers": -1}, {"burst": 1.5}, {"rate": 0.0}, {"page": True}])
def test_a_limit_is_a_positive_number(given: dict[str, float]) -> None:
    name, value = next(iter(given.items()))
    with pytest.raises(ParameterError) as caught:
        Limits(**given)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"Limits({name}={value!r}): {name} must be ")
