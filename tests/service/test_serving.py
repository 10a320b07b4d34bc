"""`belated serve` and `belated token`, from outside."""

from __future__ import annotations

import logging
import os
import shlex
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path

import httpx2 as httpx
import pytest

import belated as bl
from belated.errors import StorageError
from belated.service import Address, ServiceSettings, create_app, listen, serve_many
from belated.service.host.server import configured
from tests import forks
from tests.service.conftest import SPACE, Belated
from tests.service.services import served, wait_until
from tests.service.test_command_line import MISSING

NO_TOKENS = (
    "anybody could come in, as there are no tokens; make one with `belated token create`, or listen on 127.0.0.1 "
    "without a proxy.\n"
)
linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at processes as Linux shows them")


# Where it listens.


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "nowhere.invalid"])
def test_without_tokens_no_address_but_loopback_is_served(belated: Belated, host: str) -> None:
    done = belated("serve", "--host", host, ok=False)
    assert (done.code, done.out, done.err) == (14, "", f"belated: host={host!r}: {NO_TOKENS}")


def test_without_tokens_no_proxy_is_believed(belated: Belated) -> None:
    done = belated("serve", "--proxy", "127.0.0.1", ok=False)
    assert (done.code, done.err) == (14, f"belated: proxy='127.0.0.1': {NO_TOKENS}")
    done = belated("serve", "--proxy", "front", ok=False)
    assert (done.code, done.err) == (
        14,
        "belated: proxy='front': that is no address of a proxy; give one as 127.0.0.1 or 10.0.0.0/8.\n",
    )


def test_a_port_in_use_is_said_to_be(belated: Belated) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = belated("serve", "--port", port, ok=False)
    assert (done.code, done.out) == (14, "")
    assert done.err == (
        f"belated: host='127.0.0.1', port={port}: cannot listen there (Address already in use); end what does, "
        "or give another --port.\n"
    )


def test_a_name_that_is_no_address_is_said_to_be_none(belated: Belated) -> None:
    belated("token", "create", "Ada", "--scope", "admin")
    done = belated("serve", "--host", "nowhere.invalid", ok=False)
    assert done.code == 14
    assert done.err.startswith("belated: host='nowhere.invalid', port=8000: no address has that name (")
    assert done.err.endswith("); give another --host.\n")


@pytest.mark.parametrize("storage, code", [("memory://lab", 14), ("postgresql+psycopg://nobody@127.0.0.1:1/lab", 50)])
def test_a_storage_that_cannot_be_served_is_refused_before_anybody_calls(
    belated: Belated, storage: str, code: int
) -> None:
    done = belated("serve", "--storage", storage, ok=False)
    assert (done.code, done.out) == (code, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_says_where_it_is_serves_and_ends_when_told(tmp_path: Path, number: int) -> None:
    with served(tmp_path) as running:
        assert running.get("/health/ready").json() == {"status": "ready"}
        study = bl.RemoteStudy.create(running.address, "lab", bl.Space(x=bl.Float(0, 1)), policy="random")
        study.tell_many({query.id: 0.5 for query in study.ask(2)})
        assert running.end(number) == 0
        assert not running.listens()
    assert bl.Study.open(f"sqlite:///{tmp_path}/belated.db", "lab").best().value == 0.5
    lines = running.announced()
    assert next(line["path"] for line in lines if line["what"] == "request") == "/health/ready"
    assert all({"at", "level", "what"} <= line.keys() for line in lines)


def test_a_service_that_is_told_twice_waits_for_nothing_that_is_under_way(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        bl.RemoteStudy.create(running.address, "lab", bl.Space(x=bl.Float(0, 1)), policy="random")
        held = bl.Study.open(f"sqlite:///{tmp_path}/belated.db", "lab")
        asking = HTTPConnection(running.address.removeprefix("http://"), timeout=60.0)
        # As if another process decided, and took its time.
        with closing(asking), held._log.asking():
            asking.request("POST", "/v1/studies/lab/asks", body="{}", headers={"Content-Type": "application/json"})
            # It was sent before this one, so that it is under way once this one is answered.
            assert running.get("/v1/studies").status_code == 200
            running.process.send_signal(signal.SIGINT)
            wait_until(lambda: "Shutting down" in [line["what"] for line in running.announced()], "the end begins")
            assert running.end(signal.SIGINT) == 1
            with suppress(ConnectionError):
                assert asking.getresponse().status >= 500
    assert len(held.events) == 1
    last = "ended while something was under way, which was not acknowledged"
    assert running.announced()[-1]["what"] == last


def test_people_are_told_where_the_dashboard_is_and_whether_they_need_a_token(tmp_path: Path) -> None:
    port = _free_port()
    for makes, said in (([], "No token is needed: only this machine can come in"), (["admin"], "Sign in with a token")):
        for scope in makes:
            assert forks.belated(tmp_path, "token", "create", "Ada", "--scope", scope).returncode == 0
        errors = tmp_path / "stderr.txt"
        with errors.open("w") as file:
            words = ["serve", "--port", port, "--log-level", "error"]
            process = forks.fork(forks.BELATED, tmp_path, file.fileno(), words=words)
        lines = [process.stdout.readline(), process.stdout.readline()]
        process.send_signal(signal.SIGTERM)
        assert lines == [f"The dashboard is at http://127.0.0.1:{port}\n", f"{said}\n"]
        assert (process.stdout.read(), errors.read_text()) == ("", "")
        process.end()


# Several processes.


@linux
def test_several_processes_serve_one_address_and_end_together(tmp_path: Path) -> None:
    with served(tmp_path, "--workers", 2) as running:
        assert running.get("/health/ready").status_code == 200
        wait_until(lambda: len(running.children()) == 2, "two processes")
        for _ in range(20):
            assert running.get("/health/live").status_code == 200
        counted = 'belated_requests_total{method="GET",route="/health/live",status="200"} 20.0'
        wait_until(lambda: counted in running.get("/metrics").text, "what both processes have done")
        children = running.children()
        os.kill(children[0], signal.SIGKILL)
        wait_until(lambda: len(set(running.children()) - {children[0]}) == 2, "another process in its place")
        assert running.get("/v1/studies").status_code == 200
        # Whichever process is asked, it tells what all have done, and the one that died.
        assert all(counted in running.get("/metrics").text for _ in range(4))
        left = running.children()
        assert running.end() == 0
        assert not running.listens()
        assert not any(Path(f"/proc/{child}").exists() for child in left)
    died = [line for line in running.announced() if line["what"] == "a process has died"]
    assert [line["exit_code"] for line in died] == [-9]


@linux
def test_when_the_first_process_is_killed_the_others_end(tmp_path: Path) -> None:
    with served(tmp_path, "--workers", 2) as running:
        assert running.get("/health/ready").status_code == 200
        children = running.children()
        assert running.end(signal.SIGKILL) == -9
        wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "nobody left")
        assert not running.listens()


@pytest.fixture
def _logging_as_before() -> Iterator[None]:
    """A service lets its process write its lines, and this one goes on."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    logging.captureWarnings(False)


@pytest.mark.usefixtures("_logging_as_before")
def test_processes_that_cannot_begin_are_not_begun_for_ever() -> None:
    address = Address(port=0)
    with listen(address) as listening, pytest.raises(StorageError) as raised:
        serve_many(ServiceSettings("memory://lab", open=True), address, listening, 2, "error")
    assert str(raised.value) == "serve(): a process failed before it served anybody; the lines above say why."


def test_only_proxies_that_are_named_are_believed_about_callers(sqlite: str) -> None:
    app = create_app(ServiceSettings(sqlite, open=True))
    assert not configured(app, "127.0.0.1", 8000).proxy_headers
    behind = configured(app, "127.0.0.1", 8000, ["10.0.0.0/8"])
    assert (behind.proxy_headers, behind.forwarded_allow_ips) == (True, ["10.0.0.0/8"])


# Tokens.


def test_a_token_is_shown_once_and_kept_as_a_digest(belated: Belated, tmp_path: Path) -> None:
    assert belated("token", "list").out.startswith("No tokens yet.")
    out = belated("token", "create", "robot", "--scope", "ask", "--scope", "tell", "--study", "lab").out
    token, *rest = out.splitlines()
    assert token.startswith("belated_")
    assert [line.split() for line in rest[:4]] == [
        ["name", "robot"],
        ["allows", "ask,", "tell"],
        ["study", "lab"],
        ["until", "revoked"],
    ]
    secret = token.split("_", 2)[2]
    assert secret not in belated("token", "list").out + belated("token", "list", "--json").out
    assert not any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_tokens_are_made_listed_and_revoked_as_json(belated: Belated) -> None:
    made = belated("token", "create", "Ada", "--scope", "admin", "--days", 90, "--json").json
    assert made["expires_at"] == made["created_at"] + 90 * 86400
    assert made.pop("token").startswith("belated_")
    assert belated("token", "list", "--json").json == [made]
    assert (made["scopes"], made["study"], made["state"]) == (["admin"], None, "valid")
    revoked = belated("token", "revoke", "Ada", "--json").json
    assert revoked == {**made, "revoked_at": revoked["revoked_at"], "state": "revoked"}
    assert belated("token", "revoke", "Ada").out == "The token Ada opens nothing any more\n"
    assert belated("token", "list", "--json").json == [revoked]


def test_a_list_of_tokens_says_what_each_is(belated: Belated) -> None:
    belated("token", "create", "Ada", "--scope", "admin")
    belated("token", "create", "robot", "--scope", "tell", "--scope", "ask", "--study", "lab", "--days", "1e-9")
    belated("token", "create", "Bob", "--scope", "read", "--days", "1e12")
    belated("token", "revoke", "Ada")
    head, *rows = belated("token", "list").out.splitlines()
    assert head.split() == ["name", "allows", "study", "made", "until", "state"]
    assert [(row.split()[0], row.split()[-1]) for row in rows] == [
        ("Ada", "revoked"),
        ("robot", "expired"),
        ("Bob", "valid"),
    ]


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (("create", "Ada", "--scope", "write"), 20, "Ada: no scope is named 'write'; choose one of "
         "admin, ask, read, tell."),
        (("create", "", "--scope", "read"), 14, "a name is a printable text of 1 to 100 characters; "
         "shorten it."),
        (("create", "Ada", "--scope", "read", "--days", "0"), 14, "days=0.0: days must be a finite number at "
         "most 1e+12 and more than 0."),
        (("create", "Ada", "--scope", "read", "--days", "1e305"), 14, "days=1e+305: days must be a finite "
         "number at most 1e+12 and more than 0."),
        (("revoke", "Ada"), 20, "Ada: no token has that name; `belated token list` shows them."),
    ],
)  # fmt: skip
def test_tokens_are_refused_in_words(belated: Belated, arguments: tuple[str, ...], code: int, message: str) -> None:
    done = belated("token", *arguments, ok=False)
    assert (done.code, done.out, done.err) == (code, "", f"belated: {message}\n")


def test_a_name_is_given_once(belated: Belated) -> None:
    belated("token", "create", "Ada", "--scope", "read")
    belated("token", "revoke", "Ada")
    assert belated("token", "create", "Ada", "--scope", "read", ok=False).code == 30


def test_a_token_opens_a_running_service_until_it_is_revoked(belated: Belated, tmp_path: Path) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "random")
    with served(tmp_path) as running:
        assert running.get("/v1/studies").status_code == 200
        token = belated("token", "create", "Ada", "--scope", "read", "--json").json["token"]
        # The door looks at the database every other second.
        wait_until(lambda: running.get("/v1/studies").status_code == 401, "closed for those without a token")
        assert running.get("/v1/studies", token).json()["studies"][0]["name"] == "lab"
        belated("token", "revoke", "Ada")
        wait_until(lambda: running.get("/v1/studies", token).status_code == 401, "closed for a revoked one")


@pytest.mark.parametrize(
    "words, package",
    [
        (["serve"], "fastapi"),
        (["serve"], "prometheus_client"),
        (["token", "create", "Ada", "--scope", "read"], "uvicorn"),
    ],
)
def test_without_its_packages_the_error_names_the_extra(words: list[str], package: str, tmp_path: Path) -> None:
    done = forks.ran(MISSING.format(package=package, words=words), tmp_path, modules=forks.BARE)
    assert (done.returncode, done.stdout) == (40, "")
    assert done.stderr == (
        f"belated: {words[0]}: the service needs the package {package}, which is not installed; Belated's extra "
        "'service' brings it.\n"
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


# The demonstration.


def test_the_demo_ends_with_a_command_that_serves_its_study(belated: Belated, tmp_path: Path) -> None:
    out = belated("demo", "--rounds", 6).out
    said, command = out.splitlines()[-2:]
    assert said == (
        "The study of the first way, laboratory-6-days-seed-0, is kept. To see it in a browser, to ask and to tell:"
    )
    assert command == "  belated serve --storage sqlite:///demo/demo.db"
    with served(tmp_path, *shlex.split(command)[2:]) as running:
        study = bl.RemoteStudy.open(running.address, "laboratory-6-days-seed-0")
        assert [query.id for query in study.pending()] == [1, 2, 3, 4, 5, 6]
        study.tell(1, 55.5)
    again = belated("demo", "--rounds", 6, "--json").json
    assert (again["storage"], again["study"]) == ("sqlite:///demo/demo.db", study.name)
    kept = bl.Study.open(again["storage"], again["study"])
    assert kept.best().value == 55.5


def test_the_demo_is_kept_with_its_days_on_the_calendar_and_comes_out_the_same(belated: Belated) -> None:
    belated("demo", "--rounds", 30)
    storage, name = "sqlite:///demo/demo.db", "laboratory-30-days-seed-0"
    events = bl.Study.open(storage, name).events
    assert {(event.at - events[0].at) % 86400.0 for event in events} == {0.0}
    assert events[-1].at - events[0].at == 30 * 86400.0
    assert abs(events[-1].at - time.time()) < 600.0
    assert belated("replay", name, "--storage", storage).out == "30 queries come out the same\n"


def test_clients_let_go_of_idle_connections_before_the_service_does(sqlite: str) -> None:
    kept = configured(create_app(ServiceSettings(sqlite, open=True)), "127.0.0.1", 8000).timeout_keep_alive
    # Caddy's are the longest: two minutes.
    assert kept > max(httpx.Limits().keepalive_expiry or 0.0, 120.0)


def test_a_connection_sends_at_once_what_it_has() -> None:
    with listen(Address("127.0.0.1", 0)) as listening:
        # asyncio turns Nagle's algorithm off for sockets that are named as TCP, and for no others.
        assert listening.proto == socket.IPPROTO_TCP
