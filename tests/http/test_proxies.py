"""The proxies of the page on deployment, run as it has them, where they are installed."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pytest

from belated.service import Limits
from belated.service.http.routes import live
from belated.space import Float, Space
from belated.study import Study
from tests.serving import client, serving, token_for

PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "deployment.md"
EVENTS = "/v1/studies/lab/events"
PATIENCE = 60.0
AROUND = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; events {{}}
http {{ access_log off;
{temporary}
{server} }}
"""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def example(language: str) -> str:
    """What the page says to write into the settings of a proxy."""
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def nginx(folder: Path, port: int, service: str) -> list[str]:
    """The command that runs nginx as on the page, without TLS, on a port of its own."""
    server = re.sub(r" +ssl_.*\n", "", example("nginx")).replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    temporary = " ".join(f"{name}_temp_path {folder}/{name};" for name in TEMPORARY)
    settings = AROUND.format(folder=folder, temporary=temporary, server=_before(server, service))
    (folder / "nginx.conf").write_text(settings)
    return ["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"]


def caddy(folder: Path, port: int, service: str) -> list[str]:
    """The command that runs Caddy as on the page, by http."""
    site = example("caddy").replace("lab.example", f"http://lab.example:{port}")
    (folder / "Caddyfile").write_text("{\n    admin off\n}\n" + _before(site, service))
    return ["caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


def _before(settings: str, service: str) -> str:
    assert "127.0.0.1:8000" in settings
    return settings.replace("127.0.0.1:8000", service.removeprefix("http://"))


PROXIES = {"nginx": nginx, "caddy": caddy}


@contextmanager
def running(name: str, folder: Path, service: str) -> Iterator[str]:
    """The address of a proxy before the service, while it runs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = PROXIES[name](folder, port, service)
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=folder)
    try:
        latest = time.monotonic() + PATIENCE
        while not _answers(port):
            assert process.poll() is None, (folder / "said").read_text()
            assert time.monotonic() < latest, "the proxy did not start"
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _answers(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("name", PROXIES)
def test_behind_a_proxy_one_signs_in_and_sees_events_at_once_and_who_left_makes_room(
    name: str, sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    monkeypatch.setattr(live, "MOST", 1)
    token = token_for(sqlite, "Ada", "admin")
    study = Study.create(sqlite, "lab", Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    limits = Limits(rate=1e6, burst=10**6)
    with (
        serving(sqlite, open=False, limits=limits) as service,
        running(name, tmp_path, service) as address,
        client(address, token) as caller,
    ):
        caller.headers["host"] = own = f"lab.example{address[len('http://127.0.0.1') :]}"
        signed = caller.post("/login", data={"token": token}, headers={"Origin": f"http://{own}"})
        assert (signed.status_code, signed.headers["location"]) == (303, "/")
        for _ in range(3):
            _follow(caller, study)
        large = caller.post("/v1/studies/lab/answers", content=b" " * 5_000_000)
        assert (large.status_code, large.json()["error"]["kind"]) == (413, "size")


def _follow(caller: httpx.Client, study: Study) -> None:
    """Follow the events until one has come, as soon as there is room for one who does."""
    latest = time.monotonic() + PATIENCE
    while True:
        with caller.stream("GET", EVENTS) as stream:
            if stream.status_code == 200:
                lines = stream.iter_lines()
                assert next(lines) == "retry: 1000"
                study.ask()
                assert next(line for line in lines if line.startswith("event")) == "event: asked"
                return
        assert time.monotonic() < latest, "who left is still counted"
        time.sleep(0.1)
