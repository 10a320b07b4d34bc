"""Calls under way at joblib's workers, where the next call is not known until the last outcome is.

joblib takes its calls from an iterator, several at a time, as soon as a worker is free. A search must first tell what
came back, and only then ask what to try: here a call is handed over when it is given, and never earlier.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Self

import joblib

from belated.errors import UnsupportedError

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class _Feed:
    """An iterator that says to be at its end while it is empty, and goes on when something is put into it."""

    def __init__(self) -> None:
        self._calls: deque[Call] = deque()

    def put(self, call: Call) -> None:
        self._calls.append(call)

    def __iter__(self) -> Iterator[Call]:
        return self

    def __next__(self) -> Call:
        if not self._calls:
            raise StopIteration
        return self._calls.popleft()


class _Patient(joblib.Parallel):  # type: ignore[misc]
    """joblib's engine, which does not look for the next call by itself."""

    def dispatch_next(self) -> None:
        """Called by joblib when a call is done: wait, its outcome has not been told."""

    def go_on(self) -> None:
        """Hand over what is in the feed; if there is nothing, nothing more will come."""
        super().dispatch_next()


class Calls:
    """Calls of functions at the workers of the joblib backend that is active."""

    def __init__(self, n_jobs: int | None) -> None:
        self.workers = int(joblib.effective_n_jobs(n_jobs))
        self._feed = _Feed()
        # The outcomes are awaited one by one, so neither looking ahead nor batches of calls make sense.
        try:
            self._engine = _Patient(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch=1, batch_size=1)
        except ValueError as error:
            raise UnsupportedError(
                f"BelatedSearchCV.fit(): joblib refuses ({error}); a search needs outcomes one by one, as they come; "
                f"choose the backend 'loky', 'threading' or 'dask'."
            ) from None
        self._outcomes: Iterator[Any] | None = None

    def start(self, function: Callable[..., Any], *arguments: Any) -> None:
        """One more call under way; with one worker, it is made when its outcome is waited for."""
        self._feed.put((function, arguments, {}))
        if self._outcomes is None:
            self._outcomes = self._engine(self._feed)
        elif self.workers > 1:
            self._engine.go_on()

    def first(self) -> Any:
        """The outcome of the call that ends first."""
        assert self._outcomes is not None, "a call is under way"
        return next(self._outcomes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Free the workers; what is still under way after an error is given up."""
        outcomes, self._outcomes = self._outcomes, None
        if outcomes is None:
            return
        if kind is None:
            if self.workers > 1:
                self._engine.go_on()
            deque(outcomes, maxlen=0)
            return
        with warnings.catch_warnings():
            # joblib warns that calls were given up, and the error says why.
            warnings.simplefilter("ignore")
            outcomes.close()  # type: ignore[attr-defined]
