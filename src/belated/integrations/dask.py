"""An executor whose calls are tasks of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeVar, final

from belated.errors import MissingPackageError, ParameterError

try:
    from distributed import Client, get_client
except ModuleNotFoundError:
    raise MissingPackageError(
        "belated.integrations.dask: needs the package distributed, which is not installed; Belated's extra 'dask' "
        "brings it."
    ) from None

T = TypeVar("T")


@final
class DaskExecutor(Executor):
    """Calls functions on the cluster of a Dask client: the one given, or the one that was made last.

    Options are `workers`, `allow_other_workers`, `resources` and `retries` of `Client.submit`. What a lost worker had
    in hand, Dask gives to another.
    """

    def __init__(self, client: Client | None = None, **options: Any) -> None:
        chosen: Any = _found() if client is None else client
        try:
            # Not pure: the same call twice is two calls, since its outcome may be noisy.
            self._executor = chosen.get_executor(pure=False, **options)
        except (AttributeError, TypeError) as error:
            raise ParameterError(
                f"DaskExecutor(): got a client or options that Dask refuses ({error}); give a distributed.Client, and "
                f"of options workers, allow_other_workers, resources or retries."
            ) from None
        self._client = chosen

    @property
    def max_workers(self) -> int:
        """How many calls the cluster can make at once now: the threads of all its workers."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, function: Callable[..., T], /, *arguments: Any, **keywords: Any) -> Future[T]:
        """Call a function at a worker."""
        if self._client.status in ("closing", "closed"):
            raise RuntimeError("cannot schedule new futures after the Dask client was closed")
        # Bound to its arguments, a call is nothing that Dask looks into: no keyword is taken for one of Dask's own.
        future: Future[T] = self._executor.submit(partial(function, *arguments, **keywords))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; those under way are waited for, or given up. The cluster goes on."""
        self._executor.shutdown(wait=wait and not cancel_futures)


def _found() -> Client:
    try:
        return get_client()
    except ValueError:
        raise ParameterError(
            "DaskExecutor(): found no client, and the calls are to go through one; make one, as "
            "distributed.Client('tcp://scheduler:8786'), and give it."
        ) from None
