"""Archive, rename, copy and delete over HTTP: who may, what becomes of tokens and of those who follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from belated.client import RemoteStudy
from belated.errors import AccessError, ConflictError, ForbiddenError, UnknownStudyError
from belated.log import Query
from belated.service import SCOPES
from belated.space import Float, Space
from belated.storage import tokens_of
from belated.study import Study
from tests.meanwhile import Meanwhile
from tests.serving import client, serving, token_for

SPACE = Space(x=Float(-1.0, 1.0))


def begun(storage: str, name: str = "lab") -> Study:
    study = Study.create(storage, name, SPACE, policy="random", seed=1)
    study.ask(2)
    study.tell(1, 0.5)
    return study


def said(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["message"]


NOBODY = "service: no study is named 'lab'; GET /v1/studies lists those that the token opens."


def test_an_archived_study_is_out_of_the_list_and_reached_by_its_name(sqlite: str) -> None:
    begun(sqlite)
    begun(sqlite, "other")
    with serving(sqlite) as address, client(address) as caller:
        archived = caller.put("/v1/studies/lab/archive", json={"reason": "over"}).json()
        assert (archived["name"], archived["archived"], archived["closed"]) == ("lab", "over", None)
        listed = {kept: caller.get("/v1/studies", params={"archived": kept}).json() for kept in (True, False)}
        assert [study["name"] for study in listed[True]["studies"]] == ["lab"]
        assert [study["name"] for study in listed[False]["studies"]] == ["other"]
        assert caller.get("/v1/studies/lab").json()["archived"] == "over"
        assert said(caller.post("/v1/studies/lab/asks", json={})) == (
            409,
            "ask(): the study is in the archive (over); unarchive() it to go on asking.",
        )
        assert caller.put("/v1/studies/lab/queries/2/answer", json={"value": 0.25}).json() == {"taken": 1}
        assert caller.delete("/v1/studies/lab/archive", params={"reason": "again"}).json()["archived"] is None
        assert caller.post("/v1/studies/lab/asks", json={}).status_code == 200
        log = caller.get("/v1/studies/lab/log").json()["events"]
        assert [event["reason"] for event in log if event["event"] in ("archived", "unarchived")] == ["over", "again"]


def test_a_renamed_study_has_its_new_name_alone(shared: str) -> None:
    study = begun(shared)
    with serving(shared) as address, client(address) as caller:
        assert caller.get("/v1/studies/lab").status_code == 200
        assert caller.put("/v1/studies/lab/name", json={"name": "Ångström 水"}).json()["name"] == "Ångström 水"
        assert said(caller.get("/v1/studies/lab")) == (404, NOBODY)
        assert said(caller.put("/v1/studies/lab/queries/2/answer", json={"value": 0.5})) == (404, NOBODY)
        assert said(caller.put("/v1/studies/lab/name", json={"name": "b"})) == (404, NOBODY)
        caller.put("/v1/studies/Ångström 水/queries/2/answer", json={"value": 0.5}).raise_for_status()
        # Renamed by another process: what is open here under the old name is not taken for a new one of that name.
        Study.rename(shared, "Ångström 水", "elsewhere")
        begun(shared, "Ångström 水")
        assert caller.get("/v1/studies/Ångström 水").json()["counts"]["answered"] == 1
        assert caller.get("/v1/studies/elsewhere").json()["counts"]["answered"] == 2
    assert study.name == "elsewhere"


def test_a_name_that_is_none_or_taken_is_refused_without_saying_where(sqlite: str) -> None:
    begun(sqlite)
    begun(sqlite, "other").archive()
    with serving(sqlite) as address, client(address) as caller:
        for path, send in (("name", caller.put), ("copies", caller.post)):
            assert said(send(f"/v1/studies/lab/{path}", json={"name": "other"})) == (
                409,
                "service: a study named 'other' is there already; choose another name.",
            )
            refused = send(f"/v1/studies/lab/{path}", json={"name": "a/b"})
            assert refused.status_code == 422
            assert "as the study's name" in refused.json()["error"]["message"]
            assert send(f"/v1/studies/lab/{path}", json={}).status_code == 422
            assert said(send(f"/v1/studies/nobody/{path}", json={"name": "new"}))[0] == 404
    assert Study.names(sqlite) == ["lab"]


def test_a_copy_is_another_study(sqlite: str) -> None:
    study = begun(sqlite)
    with serving(sqlite) as address, client(address) as caller:
        made = caller.post("/v1/studies/lab/copies", json={"name": "copy"})
        assert made.status_code == 201
        assert made.json()["name"] == "copy"
        caller.put("/v1/studies/copy/queries/2/answer", json={"value": 0.25}).raise_for_status()
    assert [query.id for query in study.pending()] == [2]
    assert Study.open(sqlite, "copy").events[: len(study.events)] == study.events


def test_only_admins_delete_and_a_deleted_study_is_gone(shared: str) -> None:
    begun(shared)
    tokens = {scope: token_for(shared, scope, scope) for scope in SCOPES}
    tokens["other"] = token_for(shared, "other", *SCOPES, study="other")
    with serving(shared, open=False) as address:
        for name in ("read", "ask", "tell", "other"):
            with client(address, tokens[name]) as caller:
                assert caller.delete("/v1/studies/lab").status_code == 403
        with client(address) as nobody:
            assert nobody.delete("/v1/studies/lab").status_code == 401
        with client(address, tokens["admin"]) as admin:
            assert admin.delete("/v1/studies/lab").json() == {"deleted": "lab"}
            for response in (
                admin.delete("/v1/studies/lab"),
                admin.get("/v1/studies/lab"),
                admin.post("/v1/studies/lab/asks", json={}),
                admin.put("/v1/studies/lab/queries/1/answer", json={"value": 0.5}),
                admin.get("/v1/studies/lab/events"),
            ):
                assert said(response) == (404, NOBODY)
            assert admin.get("/v1/studies").json()["studies"] == []
    assert Study.names(shared) == []


# Tokens for one study.


def test_a_token_for_one_study_follows_its_name_and_ends_with_it(sqlite: str) -> None:
    begun(sqlite)
    own = token_for(sqlite, "own", *SCOPES, study="lab")
    reserved = token_for(sqlite, "reserved", "read", study="later")
    admin = token_for(sqlite, "admin", "admin")
    with (
        serving(sqlite, open=False) as address,
        client(address, own) as owner,
        client(address, admin) as chief,
        client(address, reserved) as waiting,
    ):
        assert owner.get("/v1/studies/lab").status_code == 200
        chief.put("/v1/studies/lab/name", json={"name": "lab-2"}).raise_for_status()
        assert [study["name"] for study in owner.get("/v1/studies").json()["studies"]] == ["lab-2"]
        assert owner.post("/v1/studies/lab-2/asks", json={}).status_code == 200
        assert owner.get("/v1/studies/lab").status_code == 403
        assert waiting.get("/v1/studies/lab-2").status_code == 403
        chief.delete("/v1/studies/lab-2").raise_for_status()
        assert said(owner.get("/v1/studies/lab-2"))[0] == 401
        # Another study of the same name is not theirs.
        begun(sqlite, "lab-2")
        assert said(owner.get("/v1/studies/lab-2"))[0] == 401
    assert {token.name: (token.study, token.revoked_at is None) for token in tokens_of(sqlite).all()} == {
        "own": ("lab-2", False),
        "reserved": ("later", True),
        "admin": (None, True),
    }


def test_a_token_for_one_study_neither_renames_nor_copies_it(sqlite: str) -> None:
    begun(sqlite)
    own = token_for(sqlite, "own", *SCOPES, study="lab")
    with serving(sqlite, open=False) as address, client(address, own) as owner:
        for path, send in (("name", owner.put), ("copies", owner.post)):
            assert said(send(f"/v1/studies/lab/{path}", json={"name": "new"})) == (
                403,
                "token('own'): it opens the study 'lab' alone; make one for this.",
            )
        assert owner.put("/v1/studies/lab/archive", json={}).status_code == 200
        assert owner.delete("/v1/studies/lab").status_code == 200
        assert owner.get("/v1/studies").status_code == 401


# Those who follow.


def fields_of(lines: Iterator[str]) -> list[tuple[str, Any]]:
    """The events of a stream up to its end."""
    found, name = [], ""
    for line in lines:
        key, _, value = line.partition(": ")
        if key == "event":
            name = value
        elif key == "data":
            found.append((name, json.loads(value)))
    return found


@pytest.mark.parametrize("way", ["delete", "rename", "delete here", "delete and create"])
def test_who_follows_a_study_is_told_that_it_is_gone(shared: str, way: str) -> None:
    study = begun(shared)
    with (
        serving(shared) as address,
        client(address) as reader,
        client(address) as other,
        reader.stream("GET", "/v1/studies/lab/events", params={"after": 0}) as stream,
    ):
        lines = stream.iter_lines()
        while "asked" not in next(lines):
            pass
        following = Meanwhile(lambda: fields_of(lines))
        if way == "rename":
            Study.rename(shared, "lab", "new")
            study.ask()
        elif way == "delete here":
            other.delete("/v1/studies/lab").raise_for_status()
        else:
            Study.delete(shared, "lab")
            if way == "delete and create":
                begun(shared)
        assert following.result()[-1] == ("gone", {"study": "lab"})
        with other.stream("GET", "/v1/studies/lab/events") as again:
            assert again.status_code == (200 if way == "delete and create" else 404)


# By the client.


def test_a_program_does_all_of_it_from_afar(sqlite: str) -> None:
    begun(sqlite)
    with serving(sqlite) as address:
        study = RemoteStudy.open(address, "lab")
        study.archive("over")
        assert study.archived == study.settings.archived == "over"
        assert RemoteStudy.names(address) == []
        assert RemoteStudy.names(address, archived=True) == ["lab"]
        with pytest.raises(ConflictError, match="in the archive"):
            study.ask()
        copy = RemoteStudy.copy(address, "lab", "copy")
        assert copy.archived == "over"
        copy.unarchive()
        assert copy.archived is None
        assert isinstance(copy.ask(), Query)
        RemoteStudy.rename(address, "copy", "new")
        for call in (lambda: copy.tell(2, 0.5), lambda: copy.ask(), lambda: copy.best(), lambda: copy.events):
            with pytest.raises(UnknownStudyError, match="no study is named 'copy'"):
                call()
        RemoteStudy.open(address, "new").tell(2, 0.5)
        with pytest.raises(ConflictError, match="choose another name"):
            RemoteStudy.rename(address, "new", "lab")
        RemoteStudy.delete(address, "new")
        with pytest.raises(UnknownStudyError):
            RemoteStudy.delete(address, "new")
        assert RemoteStudy.names(address) == []
    assert Study.names(sqlite, archived=True) == ["lab"]


def test_a_token_that_may_only_tell_is_refused_from_afar(sqlite: str) -> None:
    begun(sqlite)
    token = token_for(sqlite, "robot", "tell", "ask", "read")
    with serving(sqlite, open=False) as address:
        for call in (
            lambda: RemoteStudy.delete(address, "lab", token=token),
            lambda: RemoteStudy.rename(address, "lab", "new", token=token),
            lambda: RemoteStudy.copy(address, "lab", "new", token=token),
            lambda: RemoteStudy.open(address, "lab", token=token).archive(),
            lambda: RemoteStudy.open(address, "lab", token=token).unarchive(),
        ):
            with pytest.raises(ForbiddenError, match="needs the scope 'admin'"):
                call()
        with pytest.raises(AccessError):
            RemoteStudy.delete(address, "lab")
    assert Study.names(sqlite) == ["lab"]
