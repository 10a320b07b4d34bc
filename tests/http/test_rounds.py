"""A study from its creation to its best answer, over HTTP."""

from __future__ import annotations

from belated.study import Study
from tests.serving import client, serving, token_for

SPACE = {"temperature": {"float": [20, 120]}, "solvent": ["DMF", "THF"]}


def test_a_study_lives_over_http(shared: str) -> None:
    ada = token_for(shared, "Ada", "admin")
    bob = token_for(shared, "Bob", "ask", "tell", study="coupling")
    with serving(shared, open=False) as address, client(address, ada) as admin, client(address, bob) as robot:
        created = admin.post("/v1/studies", json={"name": "coupling", "space": SPACE, "seed": 3})
        assert created.status_code == 201
        for value in (0.2, 0.7, 0.4):
            asked = robot.post("/v1/studies/coupling/asks", json={}).json()
            query = asked["queries"][0]["id"]
            taken = robot.put(f"/v1/studies/coupling/queries/{query}/answer", json={"value": value})
            assert taken.json() == {"taken": 1}
        assert admin.get("/v1/studies/coupling/best").json()["value"] == 0.7
        assert robot.get("/v1/studies/coupling/best").status_code == 403
        standing = admin.get("/v1/studies/coupling").json()
        assert standing["counts"]["answered"] == 3
    study = Study.open(shared, "coupling")
    assert study.best().query == 2
    assert [event.by for event in study.events] == ["Ada"] + ["Bob"] * 6


def test_a_token_opens_as_soon_as_it_is_made(sqlite: str) -> None:
    ada = token_for(sqlite, "Ada", "admin")
    with serving(sqlite, open=False) as address, client(address, ada) as admin:
        assert admin.get("/v1/studies").status_code == 200
        with client(address, token_for(sqlite, "Bob", "read")) as reader:
            assert reader.get("/v1/studies").status_code == 200
        with client(address, f"{ada}x") as stranger:
            assert stranger.get("/v1/studies").status_code == 401
