"""What all commands have in common: flags take no value, errors name commands, and values may be negative."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand, TyperGroup

from belated.errors import BelatedError

NEGATIVE = re.compile(r"-(\d+\.?\d*|\.\d+|inf|infinity|nan)(e[-+]?\d+)?", re.IGNORECASE)


class Command(TyperCommand):
    """A command whose errors show the way out as a command, with the study and the storage that were given."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its arguments and options, as the help has them."""
        return _plain(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """What the command does."""
        try:
            return super().invoke(ctx)
        except BelatedError as error:
            from belated.cli import ways_out  # what goes well does without

            error.args = (error.worded(lambda way: ways_out.worded(way, ctx.params)),)
            raise


class Group(TyperGroup):
    """Commands of one kind."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options, as the help has them."""
        return _plain(super().get_params(ctx))


class WithNumbers(Command):
    """A command whose arguments may be negative numbers: -0.5 is a value, not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The parameters of the command, read from its arguments."""
        # An argument that begins with a space is never taken for an option, and float() ignores the space.
        return super().parse_args(ctx, [f" {arg}" if NEGATIVE.fullmatch(arg) else arg for arg in args])


def _plain(params: list[Any]) -> list[Any]:
    """The same parameters, without the type that Typer shows beside a flag."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
    return params
