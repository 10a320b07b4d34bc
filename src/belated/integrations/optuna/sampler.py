"""BelatedSampler: the policies of Belated for studies of Optuna.

Optuna asks in two ways. What all completed trials have in common is sampled together: that is what a policy decides.
Parameters that are suggested in some branches only, and all of them before a first trial has shown what there is to
search, are sampled one by one, by another sampler.

A decision is a function of the trials in Optuna's storage, the number of the trial and the seed. What is kept between
two of them only makes the next one fast.
"""

from __future__ import annotations

import logging
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import intersection_search_space
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from belated.beliefs import Memory
from belated.checks import require_count
from belated.errors import ParameterError, UnsupportedError
from belated.evidence import Evidence
from belated.integrations.optuna.refusals import refuse_constraints, refuse_many_objectives
from belated.integrations.optuna.shared import TrialDecision, share
from belated.integrations.optuna.spaces import Translation, column_of
from belated.integrations.optuna.trials import Counting, TrialsReading, counted, seconds, with_asked
from belated.log import Balk, Record, Values
from belated.pacing import Always
from belated.policies import Recipe, build
from belated.rules import Need, Played, point_of
from belated.space import Float, Space
from belated.study import DEFAULT_POLICY
from belated.study.arguments import as_seed
from belated.study.forks import running_model

CALL = "BelatedSampler()"
# A trial that is older, in seconds, and still has no point has lost its process, or does not ask us.
LATELY = 60.0
# Guessing what another process decides costs a decision.
MOST_GUESSED = 8
_log = logging.getLogger(__name__)


@final
class BelatedSampler(BaseSampler):
    """A sampler that lets a policy of Belated decide, with running trials as pending queries.

    `search_space`, if given, is what is sampled together from the first trial on. The first `n_startup_trials` trials
    to complete are sampled by `independent_sampler`, at random by default; it may be 0, since policies begin with a
    design of their own. A pruned trial counts with its last report, unless `consider_pruned_trials` is False, and a
    failed one says that its point does not work, unless `consider_failed_trials` is False. In a
    finite space every point is tried before one is tried again, unless noise makes another trial worth it.
    """

    def __init__(
        self,
        policy: str | Recipe = DEFAULT_POLICY,
        *,
        seed: int | None = None,
        search_space: Mapping[str, BaseDistribution] | None = None,
        n_startup_trials: int = 0,
        independent_sampler: BaseSampler | None = None,
        consider_pruned_trials: bool = True,
        consider_failed_trials: bool = True,
    ) -> None:
        require_count("BelatedSampler", "n_startup_trials", n_startup_trials, least=0)
        self._recipe = _for_boxes(policy)
        self._seed = as_seed(CALL, seed)
        self._search_space = None if search_space is None else _as_search_space(search_space)
        self._n_startup_trials = n_startup_trials
        self._independent_sampler = independent_sampler
        self._counting = Counting(consider_pruned_trials, consider_failed_trials)
        if independent_sampler is not None and not isinstance(independent_sampler, BaseSampler):
            raise ParameterError(
                f"{CALL}: got {independent_sampler!r} as the independent sampler; give one of optuna.samplers, or "
                f"leave it out to sample at random."
            )
        self._begin()

    def _begin(self) -> None:
        self._deciding = threading.Lock()
        self._memory = Memory()
        self._reading: TrialsReading | None = None
        self._waiting: set[int] = set()  # trials whose threads wait to decide here: they will see what is decided now
        self._alone: set[str] = set()  # parameters that were said to be sampled independently
        self._repeating = False  # whether it was said that points are tried again

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        for name in ("_deciding", "_memory", "_reading", "_waiting", "_alone", "_repeating"):
            del kept[name]
        return kept

    def __setstate__(self, kept: Mapping[str, Any]) -> None:
        self.__dict__.update(kept)
        self._begin()

    # Together.

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The parameters that the policy decides: the given ones, or those that all completed trials have."""
        refuse_many_objectives(CALL, study)
        found: Mapping[str, BaseDistribution] | None = self._search_space
        if found is None:
            found = intersection_search_space(study.get_trials(deepcopy=False))
        return {name: distribution for name, distribution in found.items() if column_of(distribution) is not None}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """What the policy asks, or nothing where there is nothing to decide together yet."""
        refuse_many_objectives(CALL, study)
        translation = Translation.of(search_space)
        if not translation.columns:
            return {}
        self._waiting.add(trial.number)
        # The decision is shared before another thread makes the next one, so that it is seen there.
        with self._deciding, running_model():
            self._waiting.discard(trial.number)
            reading = self._read(study, trial, translation)
            if reading is None:
                return {}
            point, arm = self._decided(trial, reading)
            params = translation.outward(point)
            share(study, trial, TrialDecision(translation.numbers(params), arm))
        return params

    def _read(self, study: Study, trial: FrozenTrial, translation: Translation) -> TrialsReading | None:
        """What the other trials say now; None while the first ones are not complete."""
        others = [other for other in study.get_trials(deepcopy=False) if other.number != trial.number]
        if _completed(others) < self._n_startup_trials:
            return None
        sign = 1.0 if study.direction is StudyDirection.MAXIMIZE else -1.0
        reading = self._reading
        if reading is None or not reading.fits(translation, sign):
            reading = TrialsReading.empty(translation, sign, self._seed)
        self._reading = reading.of(CALL, others, self._counting)
        return self._reading

    def _decided(self, trial: FrozenTrial, reading: TrialsReading) -> tuple[Values, int | None]:
        """What the policy asks, and its arm if it plays with arms.

        Other processes may be deciding for earlier trials at this moment. Where they have not shared yet what they
        decide, it is what would be decided here: the same trials lead to the same decision.
        """
        last = [event.at for event in reading.events[-1:]]
        now = max(last if trial.datetime_start is None else [seconds(trial.datetime_start), *last], default=0.0)
        record = reading.record
        for number in self._guessed(trial, reading, now):
            record = counted(record, number, now)
            record = with_asked(record, *self._choice(record, number, now), now)
        return self._choice(counted(record, trial.number, now), trial.number, now)

    def _guessed(self, trial: FrozenTrial, reading: TrialsReading, now: float) -> list[int]:
        """The earlier trials for which other processes are likely to decide at this moment."""
        lately = (number for number, started in reading.undecided.items() if now - started <= LATELY)
        return sorted({number for number in lately if number < trial.number} - self._waiting)[-MOST_GUESSED:]

    def _choice(self, record: Record, number: int, now: float) -> tuple[Values, int | None]:
        """What the policy asks for the trial with that number."""
        # Where trials that started later have overtaken this one, one of them has drawn from the number that is next.
        seed = _derived(self._seed, number) if record.counts.asked > number else self._seed
        evidence = Evidence.of(record)
        # Optuna has a free worker and cannot wait, so that nothing paces.
        policy = replace(self._recipe.compose(evidence, now), pacing=Always())
        outcome = policy.decide(evidence, now, seed, self._memory).outcome
        if isinstance(outcome, Balk):
            # The trial has begun and needs a point, though nothing new is left.
            if not self._repeating:
                self._repeating = True
                _log.warning(
                    "BelatedSampler: %s. Points are tried again; study.stop() in a callback ends the study.",
                    outcome.reason,
                )
            outcome = replace(policy, repeats=None).decide(evidence, now, seed, self._memory).outcome
            assert not isinstance(outcome, Balk), "a policy without pacing that may repeat itself does not balk"
        point = Values(record.domain.decode(point_of(outcome)))
        return point, outcome.arm if isinstance(outcome, Played) else None

    # One by one.

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A value for a parameter that the policy does not decide."""
        refuse_many_objectives(CALL, study)
        if param_name not in self._alone and self._decides_without(study, trial, param_name):
            self._alone.add(param_name)
            _log.warning(
                "BelatedSampler: the parameter %r is sampled independently, and the policy does not learn from it: it "
                "is not in the search space that was given, or not in all completed trials with the same range.",
                param_name,
            )
        sampler = self._independent_sampler
        if sampler is None:
            name = zlib.crc32(param_name.encode())
            sampler = RandomSampler(seed=_derived(self._seed, trial.number, name))
        return sampler.sample_independent(study, trial, param_name, param_distribution)

    def _decides_without(self, study: Study, trial: FrozenTrial, name: str) -> bool:
        """Whether the policy decides by now, and not this parameter."""
        known = _completed(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)))
        begun = known >= max(1, self._n_startup_trials)
        return begun and name not in self.infer_relative_search_space(study, trial)

    # Around a trial.

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Let the independent sampler prepare, if one was given."""
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Refuse constraints, which would not be heeded, as soon as a trial has one; its value is kept."""
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)
        refuse_constraints(CALL, trial)

    def reseed_rng(self) -> None:
        """Reseed the independent sampler, if one was given.

        All else is drawn from the seed and the number of the trial, which no two threads or processes share.
        """
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()


def _for_boxes(policy: str | Recipe) -> Recipe:
    """A policy that decides without a table, and without contexts seen after the decision."""
    chosen = build(policy) if isinstance(policy, str) else policy
    if not isinstance(chosen, Recipe):
        raise ParameterError(f"{CALL}: got {policy!r} as the policy; give a name or one of bl.policies.")
    beginning = chosen.beginning(space := Space(x=Float(0.0, 1.0)))
    if Need.TABLE in beginning.needs:
        raise UnsupportedError(
            f"{CALL}: got {chosen.name!r} as the policy, which looks at every candidate; a search space of Optuna has "
            f"no table of them; give a policy for boxes, as 'gp-bucb'."
        )
    chosen.check_study(CALL, space, None, beginning)
    return chosen


def _as_search_space(given: object) -> dict[str, BaseDistribution]:
    """The search space that was given."""
    if not isinstance(given, Mapping) or not all(isinstance(kind, BaseDistribution) for kind in given.values()):
        raise ParameterError(
            f"{CALL}: got {given!r} as the search space; it maps names to distributions; give "
            f"{{'x': FloatDistribution(0, 1)}} or the like, or leave it out to have it learned."
        )
    return dict(given)


def _completed(trials: Sequence[FrozenTrial]) -> int:
    return sum(trial.state is TrialState.COMPLETE for trial in trials)


def _derived(*numbers: int) -> int:
    """A seed from others, the same everywhere."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
