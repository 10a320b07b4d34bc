"""Words of other libraries: none of them works here, and the error says the word of this library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from belated.errors import ParameterError, UnknownNameError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# What scikit-optimize, Optuna, Hyperopt, Ax and Vizier call the parameters of a call, and what is to be given here.
WORDS = {
    "acquisition": "policy='gp-bucb'",
    "acquisition_function": "policy='gp-bucb'",
    "batch_size": "count=8",
    "catch": "tolerate=3",
    "direction": "goal='maximize' or goal='minimize'",
    "directions": "goal='maximize' or goal='minimize'; a study has one goal",
    "distributions": "space=bl.Space(…)",
    "func": "objective=…",
    "load_if_exists": "or_open=True",
    "max_evals": "queries=100",
    "max_trials": "queries=100",
    "minimize": "goal='minimize'",
    "maximize": "goal='maximize'",
    "n_calls": "queries=100",
    "n_iter": "queries=100",
    "n_jobs": "workers=4",
    "n_trials": "queries=100",
    "parallelism": "workers=4",
    "random_state": "seed=0",
    "sampler": "policy='auto'",
    "search_space": "space=bl.Space(…)",
    "show_progress_bar": "progress=True",
    "storage": "url='sqlite:///lab.db'",
    "study_name": "name='lab'",
}
# What they call what a study does or has.
NAMES = {
    "add_trial": "add(point, value)",
    "attach_trial": "add(point, value)",
    "best_params": "best().point",
    "best_point": "best().point",
    "best_trial": "best()",
    "best_value": "best().value",
    "complete_trial": "tell(query, value)",
    "direction": "goal",
    "fit": "run(objective, queries=100)",
    "get_best_parameters": "best().point",
    "get_next_trial": "ask()",
    "get_next_trials": "ask(count)",
    "get_trials": "queries()",
    "maximize": "run(objective, queries=100), with goal='maximize' at its creation",
    "minimize": "run(objective, queries=100), with goal='minimize' at its creation",
    "observe": "tell(query, value)",
    "optimize": "run(objective, queries=100)",
    "register": "add(point, value)",
    "sampler": "policy",
    "stop": "close()",
    "suggest": "ask()",
    "trials": "queries()",
    "trials_dataframe": "to_dataframe()",
}
# What they have in place of a study.
MAKERS = {
    "Categorical": "Choice",
    "Client": "Study",
    "Integer": "Int",
    "Optimizer": "Study",
    "Real": "Float",
    "create_study": "Study.create, or Study.in_memory",
    "load_study": "Study.open",
    "minimize": "Study.in_memory(space, goal='minimize') and its run(objective, queries=100)",
    "maximize": "Study.in_memory(space, goal='maximize') and its run(objective, queries=100)",
}


class ForeignNameError(UnknownNameError, AttributeError):
    """A name that other libraries have; an AttributeError too, as Python asks for one."""


def in_our_words(call: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same call, which knows the words of other libraries for its parameters when it is given one."""

    @wraps(call)
    def worded(*args: Parameters.args, **given: Parameters.kwargs) -> Result:
        _refuse_words(call.__qualname__, given)
        return call(*args, **given)

    return worded


def unknown_attribute(owner: str, name: str, known: Mapping[str, str]) -> AttributeError:
    """The error for a name that does not exist, with ours where other libraries have it."""
    if name in known:
        return ForeignNameError(f"{owner}: there is no {name!r}; what others call so is {known[name]} here.")
    return AttributeError(f"{owner} has no attribute {name!r}")


def _refuse_words(call: str, given: Mapping[str, Any]) -> None:
    for name in given:
        if name in WORDS:
            raise ParameterError(f"{call}({name}={given[name]!r}): there is no {name!r} here; give {WORDS[name]}.")
