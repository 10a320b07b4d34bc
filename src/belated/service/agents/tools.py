"""The tools, each with what it needs, what it says of itself, and what it does: the same as the route of that name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel

from belated import policies
from belated.report import png
from belated.service.acts import asked, check_batch, check_count, new_study, opened_studies, page_of, standing, taken
from belated.service.agents import calls, shapes
from belated.service.http.requests import StudyGiven
from belated.service.people import Caller
from belated.service.service import Service
from belated.study import Correction, Telling, endings
from belated.study.figures import describe, kinds
from belated.study.insight import study_json

Call = TypeVar("Call", bound=BaseModel)
Act = Callable[[Service, Caller, Any], Coroutine[Any, Any, dict[str, Any] | bytes]]
# What a call does: it looks, it adds something each time, or, made again, it changes nothing more.
Effect = Literal["none", "each-time", "once"]


@dataclass(frozen=True)
class Tool:
    """A tool: its name, what it is given, the scope that it needs, what it says of itself, and what it does."""

    name: str
    call: type[BaseModel]
    scope: str
    effect: Effect
    about: str
    more: Callable[[], str]
    act: Act


TOOLS: dict[str, Tool] = {}


def _nothing_more() -> str:
    return ""


def tool(
    scope: str, call: type[Call], effect: Effect = "none", more: Callable[[], str] = _nothing_more
) -> Callable[[Act], Act]:
    """Register a function as the tool of its name; its docstring, and what there is more, is what an agent reads."""

    def register(act: Act) -> Act:
        name = act.__name__
        TOOLS[name] = Tool(name, call, scope, effect, inspect.getdoc(act) or "", more, act)
        return act

    return register


@tool("read", calls.ListCall)
async def list_studies(service: Service, caller: Caller, given: calls.ListCall) -> dict[str, Any]:
    """List the studies: the name, the goal, the counts of queries, and the best value of each.

    Begin here if you do not know the name of the study.
    """
    found = await service.slowly(lambda: opened_studies(service, caller, given.archived), caller)
    return {
        "studies": [shapes.at_a_glance(each) for each in found["studies"]],
        "unreadable": found["unreadable"],
    }


@tool("read", calls.EmptyCall)
async def list_policies(service: Service, caller: Caller, given: calls.EmptyCall) -> dict[str, Any]:
    """List the policies that create_study can give a study. The default, auto, is right if nobody told you."""
    return {"policies": {name: policies.describe(name) for name in policies.names()}}


@tool("admin", StudyGiven, "each-time")
async def create_study(service: Service, caller: Caller, given: StudyGiven) -> dict[str, Any]:
    """Begin a study: a name, the space of what can be varied, and what is measured.

    space: by name {float: [low, high]}, with log: true where factors matter more than differences, or
    {int: [low, high]}, or a list of options, as {"temperature": {"float": [20, 120]}, "solvent": ["DMF", "THF"]}. Take
    bounds within which everything can be tried; put the unit into the name of a parameter if it is not plain.
    goal: maximize, which is the default, or minimize. Several outcomes instead: outcomes.
    silence: only if no answer within the usual time means a value, as 0 where nothing was sold.
    Leave policy and seed out unless you were told what to give.
    """
    return await service.slowly(lambda: study_json(new_study(service, caller, given)), caller)


@tool("read", calls.StudyCall)
async def status(service: Service, caller: Caller, given: calls.StudyCall) -> dict[str, Any]:
    """What a study is made of (space, units as its names declare them, outcomes, goal, policy) and how it stands.

    Counts of queries by state, usual delays in seconds, the numbers of overdue and failed queries, the best answer, and
    the latest notices of the study. Call it before the first ask of a study that you did not create.
    """
    found = await service.slowly(lambda: standing(service.study(given.study, caller)), caller)
    return shapes.as_standing(found)


@tool("ask", calls.AskCall, "each-time")
async def ask(service: Service, caller: Caller, given: calls.AskCall) -> dict[str, Any]:
    """Ask what to try next: queries, each with its number and the point to try, or why it is better to wait.

    A query is a question. Have its point tried, then tell what came of it by its number, whenever that is; until then
    it is pending, and later asks take it into account. Ask for all that can be tried at once with count. It may take
    seconds. With a key of your own, the same call made again returns the same queries, so that nothing is asked twice;
    without one, each call asks for more. balk says why nothing is asked now: try again after answers, or after
    retry_after seconds.
    """
    check_count(given.count, service.settings.limits.queries)
    found = await service.deciding(lambda: asked(service, caller, given.study, given, given.key), caller, given.study)
    return {**found, "queries": [shapes.as_asked(query) for query in found["queries"]]}


@tool("tell", calls.TellCall, "once")
async def tell(service: Service, caller: Caller, given: calls.TellCall) -> dict[str, Any]:
    """Tell answers that have come, each by the number of its query: all of them are taken, or, if one is refused, none.

    value: the number that was measured, in the unit of the study and with its own sign; a list of repeats; or either by
    the names of outcomes, of which others may follow later. sd: its standard error, if that is known. point: what was
    really tried, if it was not the point that was asked. context: what was seen after the decision, if the study has
    such a context. Late answers are welcome, those of overdue queries too. Never tell a value that was not measured.
    Told again, the same changes nothing; another value is refused, and revise takes it.
    """
    check_batch(len(given.answers), service.settings.limits.answers)
    rows = [Telling(each.query, each.value, each.context, None, each.sd, each.point) for each in given.answers]
    await service.writing(lambda: service.study(given.study, caller).tell_many(rows))
    service.metrics.tells.labels(given.study).inc(len(rows))
    return {"taken": len(rows)}


@tool("tell", calls.EndCall, "once")
async def fail(service: Service, caller: Caller, given: calls.EndCall) -> dict[str, Any]:
    """Say that queries cannot be done because of their points: it crashed, precipitated, was infeasible there.

    That teaches the study to keep away from such points. Not for what is late, nor for a bad value (tell it), nor for
    what went wrong by accident (abandon it). Give the reason; the log keeps it.
    """
    return await taken(service, caller, given.study, endings(given.queries, "fail", given.reason))


@tool("tell", calls.EndCall, "once")
async def abandon(service: Service, caller: Caller, given: calls.EndCall) -> dict[str, Any]:
    """Say that no answer of queries will ever come, for a reason that has nothing to do with their points.

    A sample was lost, the power was cut. It teaches nothing of the points. Not for what is only late: that stays
    pending; not for what the point itself made impossible: that is fail. Give the reason; the log keeps it.
    """
    return await taken(service, caller, given.study, endings(given.queries, "abandon", given.reason))


@tool("tell", calls.ReviseCall, "once")
async def revise(service: Service, caller: Caller, given: calls.ReviseCall) -> dict[str, Any]:
    """Replace what was told of an answered query: its value, or the point that was really tried.

    For a correction alone, never to make an answer look better. The log keeps the first value.
    """
    correction = Correction(given.query, given.value, given.sd, given.point)
    return await taken(service, caller, given.study, [correction])


@tool("tell", calls.RetractCall, "once")
async def retract(service: Service, caller: Caller, given: calls.RetractCall) -> dict[str, Any]:
    """Take back what came of queries: answers, a failure, or that they were abandoned; or one outcome alone.

    For what is not true: a contaminated sample, a query told of by mistake. The log keeps what was taken back.
    """
    return await taken(service, caller, given.study, endings(given.queries, "retract", given.reason, given.outcome))


@tool("tell", calls.AddCall, "each-time")
async def add(service: Service, caller: Caller, given: calls.AddCall) -> dict[str, Any]:
    """Add measurements that were never asked for: from before the study, or from elsewhere. All are taken, or none.

    An answer to a query goes to tell instead. Made again, the same call adds the data again.
    """
    check_batch(len(given.data), service.settings.limits.answers)
    rows = [(each.point, each.value, each.context, each.sd) for each in given.data]
    added = await service.slowly(lambda: service.study(given.study, caller).add_many(rows), caller)
    return {"added": [query.id for query in added]}


@tool("read", calls.StudyCall)
async def pending(service: Service, caller: Caller, given: calls.StudyCall) -> dict[str, Any]:
    """List the queries that wait for an answer, with their points and how long they have waited.

    overdue ones have waited longer than is usual: nobody counts on them, and their answers are still welcome.
    """

    def work() -> dict[str, Any]:
        study = service.study(given.study, caller)
        found, now = study.pending(), study.now()
        listed = [shapes.as_known(query, now) for query in found[: shapes.MOST_LISTED]]
        return {"waiting": len(found), "queries": listed}

    return await service.quickly(work)


@tool("read", calls.PageCall)
async def queries(service: Service, caller: Caller, given: calls.PageCall) -> dict[str, Any]:
    """List queries and added data with what came of them, a page at a time; of a state, if one is given.

    next is what to give as after for the next page; it is missing on the last.
    """
    most = min(given.limit, service.settings.limits.page)

    def work() -> dict[str, Any]:
        study = service.study(given.study, caller)
        found, following = page_of(study, given.after, most, given.state)
        return {"queries": [shapes.as_known(query, study.now()) for query in found], "next": following}

    return await service.slowly(work, caller)


@tool("read", calls.StudyCall)
async def best(service: Service, caller: Caller, given: calls.StudyCall) -> dict[str, Any]:
    """The best answer so far: its query, value and point. It may owe its place to noise; recommend does not."""
    return await service.slowly(lambda: service.study(given.study, caller).best().to_json(), caller)


@tool("read", calls.ContextCall)
async def recommend(service: Service, caller: Caller, given: calls.ContextCall) -> dict[str, Any]:
    """The point to use now, from all answers: the mean and deviation that are expected there.

    chance is how likely it is that no point tried so far is better. For use, not for learning: what to try next is ask.
    """
    work = lambda: service.study(given.study, caller).recommend(context=given.context)  # noqa: E731
    return (await service.deciding(work, caller, given.study)).to_json()


@tool("read", calls.ExpectCall)
async def expect(service: Service, caller: Caller, given: calls.ExpectCall) -> dict[str, Any]:
    """What the study expects at points: mean and deviation of each, without noise. A prediction is no answer."""
    check_batch(len(given.points), service.settings.limits.answers)

    def work() -> dict[str, Any]:
        study = service.study(given.study, caller)
        mean, deviation = study.expect(given.points, outcome=given.outcome, context=given.context)
        return {"mean": mean.tolist(), "deviation": deviation.tolist()}

    return await service.deciding(work, caller, given.study)


@tool("read", calls.OutcomeCall)
async def delays(service: Service, caller: Caller, given: calls.OutcomeCall) -> dict[str, Any]:
    """How long answers take, in seconds and in queries asked meanwhile, which part never comes, and what waits longest.

    never is an estimate with the interval from low to high; still is the chance that a waiting query will be answered.
    """
    return shapes.as_delays(
        await service.slowly(lambda: service.study(given.study, caller).delays(given.outcome), caller)
    )


@tool("read", calls.StudyCall)
async def explain(service: Service, caller: Caller, given: calls.StudyCall) -> dict[str, Any]:
    """What decides what is asked next, in words: what the study sees, what it does about that, and why."""
    work = lambda: service.study(given.study, caller).explain().to_json()  # noqa: E731
    return await service.deciding(work, caller, given.study)


def _kinds() -> str:
    """Every kind of figure, with what it shows."""
    return "".join(f"\n- {kind}: {describe(kind)}" for kind in kinds())


@tool("read", calls.PlotCall, more=_kinds)
async def plot(service: Service, caller: Caller, given: calls.PlotCall) -> bytes:
    """Draw a figure of a study, as an image. The kinds:"""

    def work() -> bytes:
        return png(service.study(given.study, caller).plot(given.kind, **given.options))

    return await service.drawing(work, caller, given.study, given.kind)
