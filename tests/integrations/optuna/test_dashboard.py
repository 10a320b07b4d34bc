"""Optuna's dashboard shows a study that our sampler runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx2 as httpx
import optuna
import pytest
from optuna.trial import TrialState

from belated.integrations.optuna import BelatedSampler


class Quiet(WSGIRequestHandler):
    """A handler that prints no line for each request."""

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def study(sqlite: str) -> optuna.Study:
    """A study with a trial of every state that a sampler sees."""
    study = optuna.create_study(storage=sqlite, study_name="tuning", sampler=BelatedSampler(seed=1))

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -5, 5)
        solvent = trial.suggest_categorical("solvent", ["water", None])
        if trial.number == 2:
            raise optuna.TrialPruned
        return x**2 + (solvent is None)

    study.optimize(objective, n_trials=6)
    study.tell(study.ask(), state=TrialState.FAIL)
    study.ask().suggest_float("x", -5, 5)
    return study


@pytest.fixture
def site(study: optuna.Study) -> Iterator[str]:
    """The address of a dashboard of that study's storage."""
    # Not sooner: every process that collects the tests would take a second to import it.
    dashboard = pytest.importorskip("optuna_dashboard")
    server = make_server("127.0.0.1", 0, dashboard.wsgi(study._storage), handler_class=Quiet)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    serving.join()
    server.server_close()


def test_the_dashboard_shows_the_study_with_all_its_trials(site: str, study: optuna.Study) -> None:
    page = httpx.get(f"{site}/dashboard/")
    assert (page.status_code, "Optuna Dashboard" in page.text) == (200, True)
    (summary,) = httpx.get(f"{site}/api/studies").json()["study_summaries"]
    assert summary["study_name"] == "tuning"
    detail = httpx.get(f"{site}/api/studies/{summary['study_id']}").json()
    states = [trial["state"] for trial in detail["trials"]]
    assert states == ["Complete", "Complete", "Pruned", "Complete", "Complete", "Complete", "Fail", "Running"]
    values = [trial["values"] for trial in detail["trials"] if trial["state"] == "Complete"]
    assert values == [[trial.value] for trial in study.trials if trial.state is TrialState.COMPLETE]
