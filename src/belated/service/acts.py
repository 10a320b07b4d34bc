"""What a route and a tool of agents do alike; each of these runs in a thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from belated import policies
from belated.errors import BelatedError, ConflictError, ParameterError, SizeError, StorageError, UnknownStudyError
from belated.log import Balk, Outcomes, Query
from belated.policies import Recipe
from belated.service.http.refusals import kind_of
from belated.service.http.requests import AskGiven, PolicyGiven, StudyGiven
from belated.service.people import Caller
from belated.service.retry_after import retry_after
from belated.service.service import Service
from belated.space.written import context_of, space_of
from belated.study import Statement, Study
from belated.study.insight import summary


def opened_studies(service: Service, caller: Caller, archived: bool) -> dict[str, Any]:
    """How each study stands that the caller's token opens, in the order of their creation, and which cannot be read."""
    studies, unreadable = [], []
    names = [name for name in service.studies.names(archived) if caller.study in (None, name)]
    opened = service.studies.opener(len(names))
    for name in names:
        try:
            studies.append(standing(opened(name)))
        except StorageError:
            raise
        except UnknownStudyError:
            continue  # it was deleted a moment ago
        except BelatedError as error:
            # One that needs a package which is not here must not hide the others.
            unreadable.append({"name": name, "kind": kind_of(type(error)), "message": str(error)})
    return {"studies": studies, "unreadable": unreadable}


def new_study(service: Service, caller: Caller, given: StudyGiven) -> Study:
    """A study of the caller's; with `or_open`, one that is there already."""
    space = space_of("space", given.space)
    context = None if given.context is None else context_of("context", given.context)
    policy = policy_of(given.policy)
    try:
        return Study.create(
            service.settings.storage,
            given.name,
            space,
            goal=given.goal,
            outcomes=None if given.outcomes is None else Outcomes.from_json(given.outcomes),
            silence=given.silence,
            seek=given.seek,
            policy=policy,
            seed=given.seed,
            context=context,
            or_open=given.or_open,
            by=caller.name,
        )
    except ConflictError:
        if given.or_open:
            raise
        # The storage would say where it is.
        raise ConflictError(
            f"create({given.name!r}): a study of that name is there already; open it, or choose another name."
        ) from None


def asked(service: Service, caller: Caller, study: str, given: AskGiven, key: str | None) -> dict[str, Any]:
    """The queries that an ask leads to, or why there are none and when to come back; and what the study noticed."""
    opened = service.study(study, caller)
    began = time.perf_counter()
    reply = opened.ask_quietly(given.count, context=given.context, key=key, worker=given.worker)
    service.metrics.ask_seconds.labels(study).observe(time.perf_counter() - began)
    if isinstance(reply.outcome, Balk):
        service.metrics.balks.labels(study).inc()
        balk = {"reason": reply.outcome.reason, "retry_after": retry_after(opened)}
        return {"queries": [], "balk": balk, "notices": reply.notices}
    service.metrics.asks.labels(study).inc(len(reply.outcome))
    return {"queries": [query.to_json() for query in reply.outcome], "balk": None, "notices": reply.notices}


async def taken(service: Service, caller: Caller, study: str, statements: Sequence[Statement]) -> dict[str, int]:
    """How many were taken, once all of them are."""
    check_batch(len(statements), service.settings.limits.answers)
    await service.writing(lambda: service.study(study, caller).take(statements))
    return {"taken": len(statements)}


def page_of(study: Study, after: int, most: int, state: str | None) -> tuple[list[Query], int | None]:
    """The queries that follow one, of a state if one is given, and after which the next page begins."""
    known = study.queries()
    found: list[Query] = []
    for place in range(after, len(known)):
        if len(found) == most:
            return found, found[-1].id
        if state in (None, known[place].state.value):
            found.append(known[place])
    return found, None


def policy_of(given: str | PolicyGiven) -> Recipe:
    """The policy of a name, or of a name and parameters; parts check what people write, not what fuzzers do."""
    name, parameters = (given, {}) if isinstance(given, str) else (given.name, given.parameters)
    try:
        return policies.build(name, **parameters)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ParameterError(
            f"policy({name!r}): its parameters cannot be read ({error}); see the documentation of the policy."
        ) from error


def standing(study: Study) -> dict[str, Any]:
    """How a study stands; the way to its best answer is for figures."""
    found = summary(study).to_json()
    del found["progress"]
    return found


def check_count(count: int, most: int) -> None:
    """Refuse to ask for more than a request may."""
    if count > most:
        raise SizeError(f"ask(count={count}): a request may ask for {most} queries; ask several times.")


def check_batch(count: int, most: int) -> None:
    """Refuse more than a request may carry."""
    if count > most:
        raise SizeError(f"service: got {count} rows, and a request may carry {most}; send several requests.")
