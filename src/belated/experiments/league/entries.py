"""How entrants enter a run: a registered policy as a study, anything else as the optimizer that its class makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Protocol

from belated import policies
from belated.errors import MissingPackageError, ParameterError, UnsupportedError
from belated.experiments.league.cases import Case
from belated.experiments.league.players import LeaguePlayer, OptimizerPlayer
from belated.policies import Recipe
from belated.simulate.clock import SimulatedClock
from belated.simulate.loop import study_of
from belated.simulate.players import StudyPlayer
from belated.simulate.problems import Problem
from belated.simulate.randomness import study_seed


class Entry(Protocol):
    """How an entrant enters."""

    def check(self, call: str, case: Case, posed: Problem) -> None:
        """Refuse a case that it cannot play."""

    def require(self, call: str) -> None:
        """Refuse where its packages are not installed."""

    def player(self, call: str, case: Case, posed: Problem, seed: int) -> LeaguePlayer:
        """What plays a case with a seed, which is given nothing of the problem but its space, goal and context."""


@dataclass(frozen=True)
class PolicyEntry:
    """A registered policy with its defaults, told what it must be told; it recommends as its study does."""

    name: str

    def check(self, call: str, case: Case, posed: Problem) -> None:
        """Refuse a space or a context that does not suit the policy."""
        self._recipe(case).check(call, posed.space, posed.context)

    def require(self, call: str) -> None:
        """It is there."""

    def player(self, call: str, case: Case, posed: Problem, seed: int) -> LeaguePlayer:
        """A study on the clock of the simulation."""
        clock = SimulatedClock()
        return StudyPlayer(study_of(posed, self._recipe(case), seed, clock), clock)

    def _recipe(self, case: Case) -> Recipe:
        """Parameters without a default: the length of the study, and what a paper assumes to be known of delays."""
        told: dict[str, dict[str, Any]] = {
            "bpe": {"horizon": case.rounds},
            "bpe-delay": {"horizon": case.rounds, "mean_delay": case.mean_delay},
        }
        return policies.build(self.name, **told.get(self.name, {}))


@dataclass(frozen=True)
class OptimizerEntry:
    """An optimizer by the place of its class, which is imported only where it plays."""

    name: str
    where: str  # "a.module:Class" or "a/file.py:Class"
    contexts: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    arguments: tuple[Any, ...] = ()  # given first to its class

    def check(self, call: str, case: Case, posed: Problem) -> None:
        """Refuse a context that it does not say it takes."""
        check_contexts(call, self.name, self.contexts, posed)

    def require(self, call: str) -> None:
        """Refuse where one of its packages is not installed."""
        for package in self.packages:
            if find_spec(package) is None:
                raise MissingPackageError(
                    f"{call}: needs the package {package}, which is not installed here; its page says where it plays."
                )

    def player(self, call: str, case: Case, posed: Problem, seed: int) -> LeaguePlayer:
        """The optimizer that its class makes."""
        made = partial(found_class(call, self.where), *self.arguments)
        return optimizer_player(self.name, made, self.contexts, case, posed, seed)


@dataclass(frozen=True)
class GuestEntry:
    """Somebody's optimizer of which only runs are here: it cannot be played, and what is kept counts."""

    name: str
    played: frozenset[str]  # the digests of the cases of which it has a run

    def check(self, call: str, case: Case, posed: Problem) -> None:
        """Refuse contexts where it has not played with them; all other cases it must play."""
        if posed.context is not None and case.digest not in self.played:
            raise UnsupportedError(
                f"{call}: got a context seen {posed.context.seen} the decision, and the results of {self.name!r} have "
                f"no run of this case; add one."
            )

    def require(self, call: str) -> None:
        """It is nowhere."""
        raise MissingPackageError(f"{call}: only its results are here; its class plays with --entrant.")

    def player(self, call: str, case: Case, posed: Problem, seed: int) -> LeaguePlayer:
        """It is nowhere."""
        raise MissingPackageError(f"{call}: only its results are here; its class plays with --entrant.")


def found_class(call: str, where: str) -> Callable[..., Any]:
    """The class at "a.module:Class" or "a/file.py:Class"."""
    place, _, name = where.rpartition(":")
    if not place or not name.isidentifier():
        raise ParameterError(f"{call}: got {where!r}; name a file and a class in it, as mine.py:Mine.")
    module = _of_file(call, Path(place)) if place.endswith(".py") else import_module(place)
    found = getattr(module, name, None)
    if not callable(getattr(found, "ask", None)) or not callable(getattr(found, "tell", None)):
        raise ParameterError(
            f"{call}: {place} has no class {name!r} with the methods ask() and tell(); name one that has, as "
            f"mine.py:Mine."
        )
    made: Callable[..., Any] = getattr(module, name)
    return made


def entered(call: str, name: str, made: Callable[..., Any], case: Case, posed: Problem, seed: int) -> LeaguePlayer:
    """What plays a case by a class that is at hand."""
    contexts = declared_contexts(made)
    check_contexts(call, name, contexts, posed)
    return optimizer_player(name, made, contexts, case, posed, seed)


def optimizer_player(
    name: str, made: Callable[..., Any], contexts: tuple[str, ...], case: Case, posed: Problem, seed: int
) -> LeaguePlayer:
    """An optimizer as a class makes it, which is given nothing of the problem but its space, goal and context."""
    given: dict[str, Any] = {"context": posed.context} if contexts else {}
    made_now = made(posed.space, posed.goal, seed=study_seed(seed), queries=case.rounds, **given)
    return OptimizerPlayer(name, made_now, posed.space)


def check_contexts(call: str, name: str, contexts: tuple[str, ...], posed: Problem) -> None:
    """Refuse a case with a context for an optimizer that does not say that it takes it."""
    if posed.context is not None and posed.context.seen not in contexts:
        raise UnsupportedError(
            f"{call}: got a context seen {posed.context.seen} the decision, and {name!r} takes none; its class may "
            f"declare contexts = {posed.context.seen!r}."
        )


def declared_contexts(found: object) -> tuple[str, ...]:
    """The kinds of contexts that a class says it takes."""
    declared = getattr(found, "contexts", ())
    return (declared,) if isinstance(declared, str) else tuple(declared)


def _of_file(call: str, path: Path) -> Any:
    """A file as a module; it is run, as any module is."""
    spec = spec_from_file_location(path.stem, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise ParameterError(f"{call}: there is no file {str(path)!r}; name a file of Python and a class in it.")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
