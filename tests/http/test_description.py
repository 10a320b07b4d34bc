"""The description of the service: complete, valid, and true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings

import belated
from belated.service import Limits, ServiceSettings, create_app
from belated.space.written import space_of
from belated.study import Study
from tests.serving import client, serving, token_for

SPACE = {"temperature": {"float": [20, 120]}, "solvent": ["DMF", "THF"]}
METHODS = ("get", "put", "post", "patch", "delete")
PUBLIC = ("/health/live", "/health/ready")
THERE = {"study": "lab", "query": 1, "kind": "progress"}
# What other requests could not go on with is done to another study.
DOOMED = ("DELETE /v1/studies/{study}", "PUT /v1/studies/{study}/name", "PUT /v1/studies/{study}/archive")


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return create_app(ServiceSettings(f"sqlite:///{tmp_path_factory.mktemp('described') / 'lab.db'}")).openapi()


def operations(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in described["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method.upper()} {path}", item[method]


def test_the_description_is_served(tmp_path: Path, described: dict[str, Any]) -> None:
    with serving(f"sqlite:///{tmp_path / 'lab.db'}") as address, client(address) as anybody:
        assert anybody.get("/v1/openapi.json").json() == described
    assert described["openapi"].startswith("3.1")
    assert described["info"]["version"] == belated.__version__


def test_every_route_says_what_it_does_and_how_it_fails(described: dict[str, Any]) -> None:
    names, count = set(), 0
    for name, operation in operations(described):
        count += 1
        names.add(operation["operationId"])
        assert operation["tags"], name
        assert operation["description"].endswith("."), name
        summary = operation["summary"]
        assert 5 < len(summary) < 60, name
        assert summary[0].isupper(), name
        assert not summary.endswith("."), name
        # FastAPI would make one of the function's name.
        assert not summary.istitle() or " " not in summary, name
        responses = operation["responses"]
        assert any(status.startswith("2") for status in responses), name
        wanted = {"503"} if name.split()[1] in PUBLIC else {"401", "403", "429", "503"}
        wanted |= {"404", "422"} if "{study}" in name else set()
        wanted |= {"408", "413", "422"} if "requestBody" in operation else set()
        assert wanted <= set(responses), name
        for status, response in responses.items():
            if status[0] in "45":
                schema = response["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/RefusalView"}, (name, status)
        assert ("security" in operation) == (name.split()[1] not in PUBLIC), name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["name"] in ("study", "kind", "state"), (name, parameter)
    assert len(names) == count > 20


def test_every_schema_is_one_and_every_example_fits(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    for schema in schemas.values():
        jsonschema_rs.meta.validate(schema)
    bodies = 0
    for name, operation in operations(described):
        if "requestBody" not in operation:
            continue
        bodies += 1
        wanted = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        examples = schemas[wanted]["examples"]
        assert examples, name
        whole = {**schemas[wanted], "components": {"schemas": schemas}}
        for example in examples:
            jsonschema_rs.validate(whole, example)
    assert bodies == 19


def test_the_examples_of_the_description_work(sqlite: str, described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]

    def example(name: str, place: int = 0) -> Any:
        return schemas[name]["examples"][place]

    with serving(sqlite) as address, client(address) as anybody:
        for place in (0, 1):
            assert anybody.post("/v1/studies", json=example("StudyGiven", place)).status_code == 201
        path = f"/v1/studies/{example('StudyGiven')['name']}"
        calls = [
            ("POST", f"{path}/data", example("DataGiven")),
            *(("POST", f"{path}/asks", example("AskGiven", place)) for place in range(3)),
            ("PUT", f"{path}/queries/2/answer", example("AnswerGiven")),
            ("POST", f"{path}/answers", {"answers": [{"query": 2, "value": 0.83}]}),
            ("POST", f"{path}/queries/2/revisions", example("RevisionGiven")),
            ("PUT", f"{path}/queries/3/abandonment", example("ReasonGiven")),
            ("POST", f"{path}/abandonments", {"queries": [3]}),
            ("PUT", f"{path}/queries/3/retraction", example("RetractionGiven", 0)),
            ("PUT", f"{path}/queries/3/failure", example("ReasonGiven")),
            ("POST", f"{path}/failures", {"queries": [3]}),
            ("POST", f"{path}/retractions", {"queries": [3]}),
            ("POST", f"{path}/statements", {"statements": [example("CorrectedGiven") | {"query": 2}]}),
            ("POST", f"{path}/expectations", example("PointsGiven")),
            ("PATCH", path, example("ChangeGiven", 0)),
            ("PUT", f"{path}/closure", example("ReasonGiven")),
            ("PUT", f"{path}/archive", example("ReasonGiven")),
            ("POST", f"{path}/copies", example("NameGiven")),
        ]
        for method, there, body in calls:
            response = anybody.request(method, there, json=body)
            assert response.is_success, (method, there, response.text)


# What a request may be is the same whatever keeps the studies: with another storage each operation has one example.
@pytest.mark.longest
@pytest.mark.parametrize(
    "kind, open, examples",
    [
        ("sqlite", True, 2),
        ("postgres", False, 1),
        pytest.param("sqlite", True, 6, marks=pytest.mark.slow),
        pytest.param("postgres", False, 6, marks=pytest.mark.slow),
    ],
)
def test_whatever_the_description_allows_and_forbids_is_answered_as_it_says(
    kind: str, open: bool, examples: int, request: pytest.FixtureRequest
) -> None:
    # To import it takes a second, which only the process that runs this test needs to wait for.
    import schemathesis
    from schemathesis import GenerationMode

    shared: str = request.getfixturevalue(kind)
    token = None if open else token_for(shared, "Ada", "admin")
    study = Study.create(shared, "lab", space_of("space", SPACE), policy="random", seed=1)
    study.ask(3)
    study.tell(1, 0.5)
    Study.copy(shared, "lab", "doomed")
    count = 0
    with serving(shared, open, Limits(rate=1e6, burst=10**6, queries=3)) as address:
        # A stream has no end to wait for.
        schema = schemathesis.openapi.from_url(f"{address}/v1/openapi.json").exclude(path_regex="/events$")
        for found in schema.get_all_operations():
            operation: Any = found.ok()  # type: ignore[union-attr]
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                for there in (THERE, {}):
                    known = {name: value for name, value in there.items() if f"{{{name}}}" in operation.path}
                    if known and f"{operation.method.upper()} {operation.path}" in DOOMED:
                        known["study"] = "doomed"
                    if bool(known) != bool(there) or not _varies(operation, mode):
                        continue
                    strategy = operation.as_strategy(generation_mode=mode, path_parameters=known or None)
                    count += _tried(strategy, token, examples)
        with client(address, token) as anybody:
            assert anybody.get("/v1/studies").json()["unreadable"] == []
            assert anybody.get("/v1/studies/lab/log").status_code == 200
    assert count > 34 * examples


def _varies(operation: Any, mode: Any) -> bool:
    """Whether there is anything to get wrong."""
    return mode.is_positive or any(True for _ in operation.iter_parameters()) or bool(operation.body)


def _tried(strategy: Any, token: str | None, examples: int) -> int:
    """How many requests were made and answered as the description says."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    sound = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
    ]
    count = 0

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def check(case: Any) -> None:
        nonlocal count
        # Tokens that are made up are for the tests of scopes.
        headers = {name: value for name, value in (case.headers or {}).items() if name.lower() != "authorization"}
        case.headers = headers if token is None else {**headers, "Authorization": f"Bearer {token}"}
        case.call_and_validate(checks=sound, timeout=60.0)
        count += 1

    check()
    return count
