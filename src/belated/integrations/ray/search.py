"""A searcher for Ray Tune: each trial is a query of a study, and what it reports in the end is the answer."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ray.tune.search import Searcher

from belated.checks import as_number
from belated.errors import ConflictError, ParameterError
from belated.integrations.ray.spaces import CALL, RaySpace, ray_space
from belated.log import Balk, Goal
from belated.policies import Recipe
from belated.space import Candidates, Space
from belated.study import DEFAULT_POLICY, Study

GOALS: dict[str, Goal] = {"max": "maximize", "min": "minimize"}


class BelatedSearch(Searcher):  # type: ignore[misc]
    """Trials chosen by a policy of Belated, which knows what is still running.

    `space` is a bl.Space, a bl.Candidates table or a search space of Tune; without it, the `param_space` of the tuner
    is searched. With `storage`, the study of that `name` is kept there, and other programs may read it or work on it.
    """

    def __init__(
        self,
        space: Space | Candidates | Mapping[str, Any] | None = None,
        metric: str | None = None,
        mode: str | None = None,
        *,
        policy: str | Recipe = DEFAULT_POLICY,
        seed: int | None = None,
        storage: str | None = None,
        name: str = "tune",
    ) -> None:
        if mode is not None and mode not in GOALS:
            raise ParameterError(f"{CALL}(mode={mode!r}): a study has one goal; give 'max' or 'min'.")
        if metric is not None and not isinstance(metric, str):
            raise ParameterError(f"{CALL}(metric={metric!r}): a study has one goal; give the name of one metric.")
        super().__init__(metric=metric, mode=mode)
        self._metric: str | None = metric
        self._mode: str | None = mode
        self._policy, self._seed, self._storage, self._name = policy, seed, storage, name
        self._queries: dict[str, int] = {}  # under way, by trial
        self._study: Study | None = None
        self._translated = _space_of(space)
        self._begin()

    @property
    def study(self) -> Study:
        """The study, once space, metric and mode are known."""
        if self._study is None:
            missing = [word for word, known in self._known().items() if not known]
            raise ParameterError(
                f"{CALL}: got no {' and no '.join(missing)}; a search needs all of space, metric and mode; give them "
                f"here, or to the tuner as param_space and in tune.TuneConfig."
            )
        return self._study

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any) -> bool:
        """Take over what the tuner says; False if the space was known before."""
        if self._metric is None:
            self._metric = metric
        if self._mode is None:
            self._mode = mode
        known = self._translated is not None
        if not known:
            self._translated = ray_space(config)
        self._begin()
        return not known and self._translated is not None

    def suggest(self, trial_id: str) -> Any:  # a configuration, None or FINISHED
        """The configuration of a new trial; None while the policy balks, FINISHED if it asks no more."""
        study = self.study
        assert self._translated is not None
        if study.closed is not None or study.archived is not None:
            return self.FINISHED
        query = study.ask(key=trial_id)
        if isinstance(query, Balk):
            return None if study.pending() else self.FINISHED
        self._queries[trial_id] = query.id
        return self._translated.configuration(query.point)

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Tell the last value that a trial reported; if it failed or the value is not finite, its query fails.

        A trial that ended without a report was stopped, which says nothing of its point: its query is abandoned.
        """
        query = self._queries.pop(trial_id, None)
        if query is None:
            return  # a trial of another search, or one that has ended before
        reported = (result or {}).get(self.metric)
        value = as_number(reported)
        try:
            if error:
                self.study.fail(query, f"trial {trial_id} failed")
            elif reported is None:
                self.study.abandon(query, f"trial {trial_id} reported no {self.metric}")
            elif value is None:
                self.study.fail(query, f"trial {trial_id} reported {self.metric}={reported!r}")
            else:
                self.study.tell(query, value)
        except ConflictError:
            pass  # another process has said what came of it in the meantime

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        """Add what was evaluated elsewhere; what failed there is left out."""
        study = self.study
        assert self._translated is not None
        if not error:
            study.add(self._translated.point(parameters), value)

    # Tune saves its searchers, and copies them.

    def save(self, checkpoint_path: str) -> None:
        """Write all that is needed to go on."""
        Path(checkpoint_path).write_bytes(pickle.dumps(self.__getstate__()))

    def restore(self, checkpoint_path: str) -> None:
        """Go on from what was written."""
        self.__setstate__(pickle.loads(Path(checkpoint_path).read_bytes()))

    def __getstate__(self) -> dict[str, Any]:
        """A study holds locks and models; its log is all that need be kept of it, if no storage keeps it."""
        kept = None if self._study is None or self._storage is not None else self._study.events
        return {**self.__dict__, "_study": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        events, self._study = state["_study"], None
        if events is not None:
            self._study = Study(events)
        else:
            self._begin()

    def _known(self) -> dict[str, bool]:
        return {"space": self._translated is not None, "metric": bool(self._metric), "mode": bool(self._mode)}

    def _begin(self) -> None:
        """Make the study, or open it, as soon as enough is known."""
        if self._study is not None or not all(self._known().values()):
            return
        assert self._translated is not None
        space, goal = self._translated.space, GOALS[str(self._mode)]
        if self._storage is None:
            self._study = Study.in_memory(space, policy=self._policy, goal=goal, seed=self._seed)
        else:
            self._study = Study.create(
                self._storage, self._name, space, policy=self._policy, goal=goal, seed=self._seed, or_open=True
            )


def _space_of(space: object) -> RaySpace | None:
    if space is None:
        return None
    if isinstance(space, Space | Candidates):
        return RaySpace(space)
    found = ray_space(space) if isinstance(space, Mapping) else None
    if found is None:
        raise ParameterError(
            f"{CALL}(space={space!r}): nothing in it is to be searched; give a bl.Space, or a dict with ranges and "
            f"choices of ray.tune."
        )
    return found
