"""Tuning a scikit-learn model on several workers at once, in a study that can be stopped and taken up again.

Each worker gets its next query as soon as it is free, chosen in the knowledge of what the others are still trying.
Press Ctrl-C whenever you like, and start again: what was learned is in tuning.db.

    pip install '.[storage,problems]'    # from a clone of Belated
    python examples/tuning.py
"""

from statistics import median
from typing import Any

from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVR

import belated as bl

QUERIES, WORKERS = 40, 4
SPACE = bl.Space(
    C=bl.Float(1e-2, 1e4, log=True),
    gamma=bl.Float(1e-3, 1e2, log=True),
    epsilon=bl.Float(1e-1, 1e2, log=True),
)


def explained(point: dict[str, Any]) -> float:
    """The share of the variance that a model with these parameters explains, of patients that it has not seen."""
    features, progression = load_diabetes(return_X_y=True)
    return float(cross_val_score(SVR(**point), features, progression, cv=5, scoring="r2").mean())


def main() -> None:
    """Let four workers try forty models, then compare the best one with scikit-learn's defaults."""
    study = bl.Study.create(
        "sqlite:///tuning.db", "support vectors", SPACE, policy="gp-bucb", goal="maximize", seed=0, or_open=True
    )
    left = QUERIES - study.record().n_answers
    if left > 0:
        # Threads by default; executor="processes", a Dask client's executor or any other works as well.
        ran = study.run(explained, queries=left, workers=WORKERS, worker="tuning")
        print(f"{ran.answered} models tried in {ran.seconds:.1f} s, {WORKERS} at a time.")

    delays = [query.answer.delay for query in study.queries() if query.answer]
    print(f"While a model was tried, {median(delays):g} more queries were asked, typically; {max(delays)} at most.\n")

    best = study.best()
    print(f"The best model explains {best.value:.1%} of the variance (query {best.query}):")
    print("  " + ", ".join(f"{name} = {value:.3g}" for name, value in best.point.items()))
    print(f"With the defaults of scikit-learn it is {explained({}):.1%}.")


if __name__ == "__main__":
    main()
