"""The errors that end a run, and the warnings on its way."""

from __future__ import annotations

from typing import Any

from belated.errors import BelatedWarning, ConflictError, ObjectiveError
from belated.log import Query
from belated.study.running.evaluation import Failure, described
from belated.study.running.lost_workers import NoWorker
from belated.study.running.terms import Ran, Terms


def none_succeeded(query: Query, failure: Failure, failed: int) -> ObjectiveError:
    """The error after a run in which nothing but failures came."""
    error = ObjectiveError(
        f"run(): query {query.id} failed ({failure.reason}), as all {failed} did that were evaluated; mend the "
        f"objective and retract() what failed by its fault, or give tolerate=math.inf to go on whatever fails."
    )
    error.__cause__ = failure.cause()
    return error


def too_many_failed(query: Query, failure: Failure, failed: int, tolerated: float) -> ObjectiveError:
    """The error after more failed queries than the user tolerates."""
    error = ObjectiveError(
        f"run(): query {query.id} failed ({failure.reason}); {failed} failed and {tolerated:g} are tolerated; mend the "
        f"objective, or give retries=… or tolerate=…."
    )
    error.__cause__ = failure.cause()
    return error


def executor_gone(terms: Terms, trouble: BaseException) -> ObjectiveError:
    """The error after the executor has ended."""
    if isinstance(trouble, NoWorker):
        error = ObjectiveError(
            f"run(executor={terms.executor!r}): its processes end before they are ready ({trouble}); the queries are "
            f"left pending; see what the processes wrote to the standard error, and begin a program that uses them "
            f"under if __name__ == '__main__':."
        )
    else:
        error = ObjectiveError(
            f"run(executor={terms.executor!r}): the executor takes no more work ({described(trouble)}); the queries "
            f"are left pending; run again with an executor that is not shut down, or with executor='processes', which "
            f"replaces what breaks."
        )
    error.__cause__ = trouble
    return error


def all_stuck(terms: Terms) -> ObjectiveError:
    """The error when every worker is in an evaluation that does not end."""
    return ObjectiveError(
        f"run(timeout={terms.timeout:g}): {terms.workers} of {terms.workers} workers are stuck in evaluations that "
        f"took longer and cannot be ended from outside; give a longer timeout, or executor='processes', whose "
        f"processes can be killed."
    )


def interrupted(terms: Terms, ran: Ran) -> KeyboardInterrupt:
    """The error after the user has stopped the run."""
    left = ran.asked - ran.answered - ran.failed
    return KeyboardInterrupt(
        f"run(): interrupted, with {ran.answered} of {ran.asked} queries answered, {ran.failed} failed and {left} "
        f"left; run again with worker={terms.worker!r} to take up what is pending."
    )


def not_wanted(value: object, refused: ConflictError) -> BelatedWarning:
    """The warning about an answer that the log refuses."""
    return BelatedWarning(f"run(): {value!r} came back, and the study refused it: {refused}")


def not_told(values: dict[int, Any]) -> str:
    """The warning about answers that could not be written."""
    return f"run(): {values!r} came back and could not be told; tell_many() it when the storage is there again."
