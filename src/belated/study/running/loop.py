"""Keeping an objective busy: ask while workers are free, tell what comes back, in whatever order it comes.

All asking and telling happens in the thread that called, and evaluations happen elsewhere. What comes back is settled
before the next ask, so that the ask knows of it. A query is pending from its ask until it is settled, in the log and
not only here: so whatever ends a run, the study is as it should be.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, final

from belated.errors import ConflictError
from belated.log import Balk, Query
from belated.study.running.after_balk import Balking
from belated.study.running.engines import Engine, engine_for
from belated.study.running.evaluation import Evaluated, Failure, ObjectiveCall, clean
from belated.study.running.failures import Failures
from belated.study.running.flights import Earlier, Flight, Flights
from belated.study.running.interruption import LEAVE, Interruption
from belated.study.running.lost_workers import Came, LostWorker, Preempted, came_of
from belated.study.running.patient_study import UNFIT, Desk, Runnable
from belated.study.running.progress import DrawnProgress, NoProgress, RunProgress, drawing_for
from belated.study.running.run_errors import (
    all_stuck,
    executor_gone,
    interrupted,
    not_told,
    not_wanted,
)
from belated.study.running.terms import Ran, Terms, check_contexts

logger = logging.getLogger("belated.run")
# Seconds that workers get to end evaluations that were given up, before they count as stuck for good.
GRACE_LEAST, GRACE_MOST = 1.0, 10.0
# On Windows a wait does not hear of Ctrl-C, so that it is cut into pieces.
LONGEST_WAIT = 0.5 if os.name == "nt" else 3600.0


def run(study: Runnable, terms: Terms) -> Ran:
    """Evaluate queries of a study until there are enough, or no more to ask."""
    declared = study.context
    check_contexts(declared, terms.contexts)
    earlier = Earlier(terms, study.pending() if terms.named else ())
    engine, call = engine_for(terms)
    running = RunUnderWay(study, terms, engine, call, earlier)
    try:
        if (drawing := drawing_for(terms.progress, terms.queries)) is not None:
            running.bar = DrawnProgress(drawing, study.goal, running.desk.best())
        return running.conduct()
    finally:
        running.bar.close()
        engine.close()


@final
class RunUnderWay:
    """A run under way: what is in flight, what became of the rest, and why no more is asked."""

    def __init__(
        self,
        study: Runnable,
        terms: Terms,
        engine: Engine,
        call: Callable[..., Any],
        earlier: Earlier,
    ) -> None:
        self.desk = Desk(study, lambda: self._interruption.count >= LEAVE)
        self.bar: RunProgress = NoProgress()
        self._terms, self._engine, self._call, self._earlier = terms, engine, call, earlier
        self._paired = study.context is not None and study.context.seen == "after"
        self._outcomes = study.outcomes
        self._failures = Failures(terms)
        self._flights = Flights(terms.workers)
        self._balking = Balking(self.desk)
        # Evaluations that began and that ended, as (flight, future, ended); None after an interruption.
        self._news: SimpleQueue[tuple[Flight, Future[Any], bool] | None] = SimpleQueue()
        self._interruption = Interruption(lambda: self._news.put(None))
        self._context: Mapping[str, Any] | None = None  # drawn, and not asked with yet
        self._untold: dict[int, Evaluated] = {}
        self._asked = self._answered = 0
        self._reason: str | None = None  # why no more is asked
        self._error: BaseException | None = None
        self._stuck_since: float | None = None
        self._warned = False
        self._torn = False  # a step was left in the middle

    def conduct(self) -> Ran:
        """Run to the end."""
        begun = time.monotonic()
        with self._interruption:
            try:
                while not self._over():
                    try:
                        self._step()
                    except KeyboardInterrupt:
                        self._interruption.count += 1
                        self._torn = True
            except BaseException as error:
                self._error = error
            self._tell_the_rest()
            self._give_up_the_rest()
            self._show()
        return self._result(time.monotonic() - begun)

    # The steps.

    def _over(self) -> bool:
        if self._interruption.count >= LEAVE:
            return True
        return not self._flights.flying and not self._asking()

    def _asking(self) -> bool:
        """Whether more is to be asked, now or later."""
        if self._reason is None and self._terms.queries is not None and self._asked >= self._terms.queries:
            self._reason = f"{self._asked} of {self._asked} queries were evaluated"
        return self._reason is None and not self._interruption.count

    def _step(self) -> None:
        """Settle what has come; then hand over a query, or ask one, or wait."""
        if self._torn:
            self._torn = False
            self._catch_up()
        self._receive(0.0)
        self._settle_what_is_due()
        self._show()
        flights = self._flights
        if flights.ready and flights.under_way + len(flights.stuck) < flights.workers:
            self._hand_over(flights.ready.popleft())
        elif (slot := self._slot()) is not None and self._balking.over(time.monotonic()):
            self._ask(slot)
        elif not self._over():
            self._receive(self._seconds_until_due())

    def _receive(self, seconds: float) -> None:
        """Take in all the news, after waiting for the first of them so long."""
        timeout = seconds
        while True:
            try:
                news = self._news.get(timeout=timeout) if timeout > 0.0 else self._news.get_nowait()
            except Empty:
                return
            timeout = 0.0
            if news is not None:
                self._heard(*news)

    def _heard(self, flight: Flight, future: Future[Any], ended: bool) -> None:
        if flight.future is not future:
            # It was given up before: a worker is free again.
            self._flights.stuck.discard(future)
        elif ended:
            self._flights.landed(flight)
            self._settle(flight, came_of(future))
        else:
            assert self._terms.timeout is not None
            self._flights.remind(time.monotonic() + self._terms.timeout, flight, future)

    def _catch_up(self) -> None:
        """Settle what has come but was not settled to the end."""
        for flight in list(self._flights.flying.values()):
            future, outcome = flight.future, self._untold.get(flight.query.id)
            if outcome is not None:
                self._tell(flight, outcome)
            elif future is not None and future.done():
                self._heard(flight, future, True)
            elif future is None and flight not in self._flights.ready:
                self._flights.end(flight)

    def _seconds_until_due(self) -> float:
        instants = [self._flights.next_alarm(), self._stuck_until(), self.bar.due]
        if self._slot() is not None:
            instants.append(self._balking.next_look)
        due = [instant for instant in instants if instant is not None]
        return min(max(0.0, min(due) - time.monotonic()), LONGEST_WAIT) if due else LONGEST_WAIT

    def _settle_what_is_due(self) -> None:
        now = time.monotonic()
        for alarm in self._flights.due(now):
            if alarm.future is None:
                self._flights.ready.append(alarm.flight)
            elif not alarm.future.done():
                self._time_out(alarm.flight, alarm.future)
        stuck_until = self._stuck_until()
        if stuck_until is not None and now >= stuck_until:
            self._leave_pending(list(self._flights.flying.values()))
            self._stop("all workers are stuck", all_stuck(self._terms))
        if self._interruption.count:
            # A query that was just asked is evaluated; one that has failed is not tried again.
            self._leave_pending([flight for flight in self._flights.flying.values() if flight.failures + flight.losses])
            self._warn()

    # Asking.

    def _slot(self) -> int | None:
        """The slot for which a query is wanted, if there is one."""
        return self._earlier.slot(self._flights) if self._asking() else None

    def _ask(self, slot: int) -> None:
        """Begin a flight from a slot: with a query that was left behind, or with a new one."""
        try:
            found = self._earlier.take(slot) or self._asked_for(slot)
        except ConflictError as error:
            silent = self.desk.silent()
            if silent is None:
                self._stop("an ask was refused", error)
            else:
                self._reason = silent
        except Exception as error:
            self._stop("an ask failed", error)
        else:
            if found is None:
                self._reason = "no context is left"
            elif isinstance(found, Balk):
                self._reason = self._balking.balked(found, own=len(self._flights.flying), now=time.monotonic())
            else:
                self._asked += 1
                self._balking.forget()
                self._flights.begin(found, slot)

    def _asked_for(self, slot: int) -> Query | Balk | None:
        """What an ask leads to; None if there is no context left to ask in."""
        contexts = self._terms.contexts
        if contexts is not None and self._context is None:
            self._context = next(contexts, None)
            if self._context is None:
                return None
        found = self.desk.ask(self._terms.slot_name(slot), self._context)
        if found:
            self._context = None
        return found

    def _hand_over(self, flight: Flight) -> None:
        """Have a query evaluated."""
        query, news, timed = flight.query, self._news, self._terms.timeout is not None
        before = None if self._terms.contexts is None or query.context is None else dict(query.context)
        task = ObjectiveCall(query.id, dict(query.point), before, self._paired, self._outcomes, os.getpid())

        def began(future: Future[Any]) -> None:
            if timed:
                news.put((flight, future, False))

        try:
            future = self._engine.submit(began, self._call, self._terms.objective, task)
        except Exception as error:
            self._break(flight, error)
        else:
            self._flights.took_off(flight, future)
            future.add_done_callback(lambda ended: news.put((flight, ended, True)))

    # Settling.

    def _settle(self, flight: Flight, came: Came) -> None:
        """Tell what came of an evaluation, try it again, or give the query up."""
        if isinstance(came, Evaluated):
            self._untold[flight.query.id] = came
            self._tell(flight, came)
        elif isinstance(came, Failure):
            self._fail(flight, came)
        elif not isinstance(came, LostWorker):
            self._break(flight, came)
        elif flight.losses == 0:
            # Once may be chance; a query whose worker is lost again is taken to be the reason.
            flight.losses = 1
            self._flights.ready.append(flight)
        else:
            words = clean(f"its worker was lost twice, the second time because {came}")
            self._fail(flight, Failure(words, came, teaches=not isinstance(came, Preempted)))

    def _tell(self, flight: Flight, outcome: Evaluated) -> None:
        query = flight.query.id
        try:
            refused = self.desk.tell(query, outcome)
        except UNFIT as error:
            del self._untold[query]
            # The objective has worked; what it returned does not fit the study.
            self._fail(flight, Failure(clean(str(error)), error, teaches=False))
            return
        del self._untold[query]
        self._end(flight)
        self._failures.succeeded()
        if refused is None:
            self._answered += 1
            self.bar.told(outcome.objective)
        else:
            warnings.warn(not_wanted(outcome.value, refused), stacklevel=2)

    def _fail(self, flight: Flight, failure: Failure) -> None:
        """Try it again, or give the query up."""
        flight.failures += 1
        pause = self._terms.retries.pause(flight.failures, failure.cause())
        if pause == 0.0:
            self._flights.ready.append(flight)
        elif pause is not None:
            self._flights.remind(time.monotonic() + pause, flight)
        else:
            teaches = failure.teaches and self._terms.on_failure == "fail"
            self.desk.give_up(flight.query.id, failure.reason, teaches=teaches)
            self._end(flight)
            trouble = self._failures.failed(flight.query, failure)
            if trouble is not None:
                self._stop("too many queries failed", trouble)

    def _time_out(self, flight: Flight, future: Future[Any]) -> None:
        """Give an evaluation up; its worker may stay busy with it."""
        self._flights.landed(flight)
        self._flights.stuck.add(future)
        self._engine.stop(future)
        words = f"it took longer than {self._terms.timeout:g} s"
        self._fail(flight, Failure(words, TimeoutError(words)))

    def _end(self, flight: Flight) -> None:
        self._flights.end(flight)
        self._balking.forget()

    # Stopping.

    def _stop(self, reason: str, error: BaseException) -> None:
        """Ask no more, and raise this once everything in flight has come."""
        self._reason = self._reason or reason
        self._error = self._error or error

    def _break(self, flight: Flight, trouble: BaseException) -> None:
        """The executor cannot be used any more: the query is left pending."""
        self._flights.end(flight)
        self._stop("the executor is gone", executor_gone(self._terms, trouble))

    def _stuck_until(self) -> float | None:
        """When stuck workers count as lost; None unless all of them are stuck and there is work left."""
        flights = self._flights
        if len(flights.stuck) < flights.workers or not (flights.ready or self._asking()):
            self._stuck_since = None
            return None
        if self._stuck_since is None:
            self._stuck_since = time.monotonic()
        return self._stuck_since + min(max(self._terms.timeout or 0.0, GRACE_LEAST), GRACE_MOST)

    def _leave_pending(self, flights: list[Flight]) -> None:
        """Leave those of them that are not being evaluated to a later run."""
        for flight in flights:
            if flight.future is None and flight.query.id not in self._untold:
                self._flights.end(flight)

    def _warn(self) -> None:
        if self._flights.flying and not self._warned:
            self._warned = True
            logger.warning(
                "run(): interrupted; waiting for what is in flight (%d); interrupt again to leave it pending.",
                len(self._flights.flying),
            )

    def _tell_the_rest(self) -> None:
        """Tell what has come back and was not told, whatever it was that ended the run."""
        for flight in self._flights.flying.values():
            came = came_of(flight.future) if flight.future is not None and flight.future.done() else None
            if isinstance(came, Evaluated):
                self._untold[flight.query.id] = came
        for query, outcome in list(self._untold.items()):
            try:
                self._answered += self.desk.tell(query, outcome) is None
                del self._untold[query]
            except BaseException as error:
                self._error = self._error or error
        if self._untold:
            assert self._error is not None
            self._error.add_note(not_told({query: outcome.value for query, outcome in self._untold.items()}))

    def _give_up_the_rest(self) -> None:
        """Leave or abandon what is still in flight: the run no longer waits for it."""
        for flight in self._flights.flying.values():
            if flight.future is not None and not flight.future.done():
                self._engine.stop(flight.future)

    def _result(self, seconds: float) -> Ran:
        """What came of it, returned or raised."""
        failed, error = self._failures.count, self._error or self._failures.at_end()
        ran = Ran(self._asked, self._answered, failed, seconds, self._reason or "it was stopped")
        if self._interruption.count and not self._untold:
            raise interrupted(self._terms, ran)
        if error is not None:
            raise error
        return ran

    def _show(self) -> None:
        note = ""
        if self._interruption.count or self._error is not None:
            note = "stopping"
        elif self._balking.next_look is not None:
            note = "waiting for answers"
        failed = self._failures.count
        self.bar.show(self._answered + failed, len(self._flights.flying), failed, note)
