"""`belated token`: who may do what in the service."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from belated.cli.commands import Command, Group
from belated.cli.extra import service_room
from belated.cli.options import AsJson, Storage, studies_of
from belated.cli.output import columns, facts, print_json, say
from belated.storage import DEFAULT_URL, tokens_of

if TYPE_CHECKING:
    from belated.storage.tokens import Token

SCOPES = {
    "read": "look at studies",
    "ask": "ask what to try next",
    "tell": "tell answers, revise, abandon, add",
    "admin": "all of it; and create, change and close studies",
}

token = typer.Typer(cls=Group, help="Say who may do what in the service.", no_args_is_help=True)

TokenName = Annotated[
    str, typer.Argument(metavar="NAME", help="Who has it; the log says so of what they do.", show_default=False)
]
Scopes = Annotated[
    list[str],
    typer.Option(
        "--scope",
        metavar="|".join(SCOPES),
        help="What it allows; repeat it for each.",
        show_default=False,
        autocompletion=lambda: list(SCOPES.items()),
    ),
]
OnlyStudy = Annotated[
    str | None,
    typer.Option("--study", metavar="STUDY", help="For this study alone.", autocompletion=studies_of),
]
Days = Annotated[float | None, typer.Option(metavar="N", help="For this many days; for good if not given.")]


@token.command(cls=Command)
def create(
    name: TokenName,
    scopes: Scopes,
    study: OnlyStudy = None,
    days: Days = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Make a token, and print it this once.

    Who has it may do what its scopes say: read, ask, tell, or admin, which is all of it. What is kept is a digest: a
    token that is lost cannot be shown again.

    Example: belated token create robot --scope ask --scope tell --study lab --days 90
    """
    text, made = service_room("token").new_token(name, scopes, time.time(), study, days)
    tokens_of(storage).add(made)
    if as_json:
        print_json({"token": text, **_shape(made)})
        return
    say(text)
    facts(
        [
            ("name", made.name),
            ("allows", ", ".join(made.scopes)),
            ("study", "all of them" if made.study is None else made.study),
            ("until", "revoked" if made.expires_at is None else _day(made.expires_at)),
        ]
    )
    say("It is not shown again. Give it as BELATED_TOKEN, or as the header Authorization: Bearer …")


@token.command("list", cls=Command)
def list_tokens(storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """List the tokens there are and were, without their secrets.

    Example: belated token list
    """
    found = tokens_of(storage).all()
    if as_json:
        print_json([_shape(made) for made in found])
    elif found:
        columns(
            ("name", "allows", "study", "made", "until", "state"),
            [
                (
                    made.name,
                    ", ".join(made.scopes),
                    made.study or "all",
                    _day(made.created_at),
                    "" if made.expires_at is None else _day(made.expires_at),
                    _state(made),
                )
                for made in found
            ],
        )
    else:
        say("No tokens yet. Make one with belated token create; belated token create --help shows how.")


@token.command(cls=Command)
def revoke(name: TokenName, storage: Storage = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Let a token open nothing any more.

    Running services know of it within two seconds. The name stays taken: the log keeps it.

    Example: belated token revoke robot
    """
    kept = tokens_of(storage)
    kept.revoke(name, time.time())
    if as_json:
        print_json(next(_shape(made) for made in kept.all() if made.name == name))
    else:
        say(f"The token {name} opens nothing any more")


def _shape(made: Token) -> dict[str, Any]:
    return {
        "name": made.name,
        "scopes": list(made.scopes),
        "study": made.study,
        "created_at": made.created_at,
        "expires_at": made.expires_at,
        "revoked_at": made.revoked_at,
        "state": _state(made),
    }


def _state(made: Token) -> str:
    if made.revoked_at is not None:
        return "revoked"
    return "valid" if made.valid(time.time()) else "expired"


def _day(at: float) -> str:
    """The date of an instant; a time beyond the calendar is 'for good'."""
    try:
        return datetime.fromtimestamp(at, UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return "for good"
