"""The image, the composition and the page on deployment hold, as far as a machine without an engine can tell."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from belated.cli.app import command_line
from belated.service import ServiceSettings, create_app
from belated.service.host.server import PATIENCE
from tests import forks

if TYPE_CHECKING:
    from tests.servers import Server

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "concepts" / "deployment.md").read_text(encoding="utf-8")
INSTRUCTION = re.compile(r"^([A-Z]+) (.*)$")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, in order, without comments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = [INSTRUCTION.fullmatch(line) for line in lines]
    assert all(found), lines
    return [(match.group(1), match.group(2)) for match in found if match]


def values_of(name: str) -> list[str]:
    return [value for given, value in instructions() if given == name]


def last_stage() -> list[tuple[str, str]]:
    found = instructions()
    return found[max(place for place, (name, _) in enumerate(found) if name == "FROM") :]


def composition() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return found


def check_command(arguments: list[str]) -> dict[str, Any]:
    """What the command line makes of its arguments; nothing is run, and a wrong one is an error."""
    command: Any = command_line
    words = list(arguments)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    # A command remembers for good which options ask for help when it is first made: they are those of the whole.
    found: dict[str, Any] = command.make_context("belated", words, **command_line.context_settings).params
    return found


def routes(tmp_path: Path) -> set[str]:
    description = create_app(ServiceSettings(f"sqlite:///{tmp_path}/lab.db", open=True)).openapi()
    return set(description["paths"])


# The image.


def test_the_image_installs_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (installed,) = re.findall(r"'\.\[([a-z,]+)\]'", " ".join(values_of("RUN")))
    extras = set(installed.split(","))
    assert extras <= set(project["optional-dependencies"])
    assert {"cli", "postgres", "service"} <= extras
    assert "dev" not in extras


def test_the_image_copies_all_that_the_package_is_built_from_and_ignores_the_rest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = {word for value in values_of("COPY") if "--from" not in value for word in value.split()[:-1]}
    assert copied == {"pyproject.toml", project["readme"], *project["license-files"], "src"}
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == copied


def test_the_image_runs_the_service_as_a_user_who_is_not_root() -> None:
    stage = last_stage()
    names = [name for name, _ in stage]
    (user,) = (value for name, value in stage if name == "USER")
    assert user not in ("root", "0")
    assert names.index("USER") < names.index("CMD")
    (entry,) = values_of("ENTRYPOINT")
    (command,) = (value for name, value in stage if name == "CMD")
    assert json.loads(entry) == ["belated"]
    parameters = check_command(json.loads(command))
    assert (parameters["host"], parameters["port"]) == ("0.0.0.0", int(values_of("EXPOSE")[0]))


def test_the_health_check_of_the_image_asks_a_route_that_there_is(tmp_path: Path) -> None:
    (check,) = values_of("HEALTHCHECK")
    command = json.loads(check.partition(" CMD ")[2])
    compile(command[2], "HEALTHCHECK", "exec")
    port, path = re.findall(r"http://127\.0\.0\.1:(\d+)(/[a-z/]+)'", command[2])[0]
    assert port == values_of("EXPOSE")[0]
    assert path in routes(tmp_path)


def test_nothing_secret_is_in_the_image() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").lower()
    assert not re.search(r"password|secret|token=|belated_[0-9a-f]{12}", text)


# The composition.


def test_the_composition_starts_the_service_when_its_database_is_healthy() -> None:
    services = composition()["services"]
    belated, database = services["belated"], services["database"]
    assert belated["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert database["healthcheck"]["test"][0] == "CMD-SHELL"
    assert {belated["restart"], database["restart"]} == {"unless-stopped"}
    parameters = check_command(belated["command"])
    assert (parameters["host"], parameters["workers"]) == ("0.0.0.0", 2)
    assert int(belated["stop_grace_period"].removesuffix("s")) > PATIENCE
    (published,) = belated["ports"]
    assert published == f"127.0.0.1:8000:{parameters['port']}"


def test_the_composition_keeps_its_password_in_a_secret() -> None:
    found = composition()
    assert list(found["secrets"]) == ["postgres_password"]
    for service in found["services"].values():
        assert service["secrets"] == ["postgres_password"]
    database, belated = (found["services"][name] for name in ("database", "belated"))
    assert database["environment"]["POSTGRES_PASSWORD_FILE"] == "/run/secrets/postgres_password"
    user, name = database["environment"]["POSTGRES_USER"], database["environment"]["POSTGRES_DB"]
    assert belated["environment"]["BELATED_STORAGE"] == f"postgresql+psycopg://{user}@database/{name}"
    assert belated["entrypoint"][:2] == ["sh", "-c"]
    assert belated["entrypoint"][2] == 'PGPASSWORD="$$(cat /run/secrets/postgres_password)" exec belated "$$@"'
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert found["secrets"]["postgres_password"]["file"] == "./secrets/postgres_password"
    assert "/secrets/" in ignored


def test_the_composition_hands_the_password_to_the_driver(own_server: Server, tmp_path: Path) -> None:
    """Its entry is run as it stands, with a database and a secret of this test's own."""
    own_server.admit("belated", "kept s3cret")
    database = own_server.create()
    own_server.run(f"ALTER DATABASE {database} OWNER TO belated")
    (tmp_path / "postgres_password").write_text("kept s3cret\n")
    entry = composition()["services"]["belated"]["entrypoint"]
    shell = [word.replace("$$", "$").replace("/run/secrets", str(tmp_path)) for word in entry]
    surroundings = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "BELATED_STORAGE": own_server.address(database, user="belated"),
    }
    created = ["token", "create", "Ada", "--scope", "admin"]
    done = subprocess.run([*shell, *created], env=surroundings, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    refused = forks.belated(tmp_path, "token", "list", environment=surroundings)
    assert refused.returncode == 50
    assert "kept s3cret" not in done.stdout + refused.stderr


def test_the_data_of_the_composition_are_in_a_volume() -> None:
    found = composition()
    (mounted,) = found["services"]["database"]["volumes"]
    assert mounted.partition(":")[0] in found["volumes"]
    assert found["services"]["belated"]["read_only"] is True


# The page.


def commands_of_page() -> list[list[str]]:
    """What the page lets one type, from `belated` on, whatever it is run by."""
    found: list[list[str]] = []
    for language, text in BLOCK.findall(PAGE):
        if language in ("sh", "ini"):
            joined = text.replace("\\\n", " ")
            for line in joined.splitlines():
                command = line.partition("ExecStart=")[2] or line
                words = shlex.split(command, comments=True)
                places = [place for place, word in enumerate(words) if word in ("belated", "/opt/belated/bin/belated")]
                found += [words[place + 1 :] for place in places[:1]]
    return found


def test_the_page_has_commands() -> None:
    first_words = {words[0] for words in commands_of_page()}
    assert {"serve", "token", "export", "import", "db", "replay"} <= first_words


@pytest.mark.parametrize("words", commands_of_page(), ids=" ".join)
def test_the_command_line_understands_every_command_of_the_page(words: list[str]) -> None:
    assert check_command(words)


def test_the_page_scrapes_a_route_that_there_is(tmp_path: Path) -> None:
    (text,) = (text for language, text in BLOCK.findall(PAGE) if language == "yaml")
    (job,) = yaml.safe_load(text)["scrape_configs"]
    assert job["metrics_path"] in routes(tmp_path)
    assert job["authorization"]["type"] == "Bearer"


def test_the_proxies_of_the_page_pass_on_what_the_service_looks_at() -> None:
    (nginx,) = (text for language, text in BLOCK.findall(PAGE) if language == "nginx")
    for line in (
        "proxy_set_header Host $http_host;",
        "proxy_set_header X-Forwarded-For $remote_addr;",
        "proxy_set_header X-Forwarded-Proto $scheme;",
        "proxy_buffering off;",
    ):
        assert line in nginx
    (caddy,) = (text for language, text in BLOCK.findall(PAGE) if language == "caddy")
    assert caddy == "lab.example {\n    reverse_proxy 127.0.0.1:8000\n}\n"
