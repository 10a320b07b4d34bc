"""Bayesian optimization under stochastic delayed feedback [verma2022, section 6].

SE kernel, hyperparameters by maximum likelihood after every 10 answers, β_t = 1 and B_y = 1 for all, a window of twice
the mean delay, and simple regret over the answers that have arrived.
"""

from __future__ import annotations

from functools import partial

from belated.beliefs import GP
from belated.experiments import Arm
from belated.experiments.papers.paper import Claim, Figure, Paper, PaperPanel, RegretMeasure, Story
from belated.log import Window
from belated.policies import Recipe, asy_ts, gp_bts, gp_bucb, gp_ts_sdf, gp_ucb, gp_ucb_sdf
from belated.simulate.laws import DelayLaw, constant, poisson

BELIEF = GP(kernel="se", fit="ml", refit=10)
FLOOR = 0.0  # accuracies, and functions rescaled to [0, 1]
SYNTHETIC, ROUNDS, INITIAL = "gp-unit", 100, 5
SIDES = ("upper bounds", "Thompson sampling")
CENSORED, HALLUCINATED, IGNORED = ("GP-UCB-SDF", "GP-TS-SDF"), ("GP-BUCB", "GP-BTS"), ("GP-UCB", "asy-TS")
VARIANT = "GP-TS-SDF, not inflated"  # as the authors' code has it
DELAYS: tuple[tuple[str, DelayLaw, int], ...] = (("Poisson(10)", poisson(10), 20), ("every delay 10", constant(10), 10))


def policies(side: int, longest: int) -> dict[str, Recipe]:
    """The three ways with delays, by upper bounds (side 0) or by Thompson sampling (side 1).

    An answer counts iff d ≤ m: in time, which goes by rounds; between a query and its answer only d − 1 are asked.
    """
    window = Window(seconds=longest)
    if side == 0:
        return {
            CENSORED[0]: gp_ucb_sdf(window=window, floor=FLOOR, bound=1.0, base=1.0, belief=BELIEF, initial=0),
            HALLUCINATED[0]: gp_bucb(width=1.0, belief=BELIEF, initial=0),
            IGNORED[0]: gp_ucb(width=1.0, belief=BELIEF, initial=0),
        }
    sampling = partial(gp_ts_sdf, window=window, floor=FLOOR, bound=1.0, base=1.0, belief=BELIEF, initial=0)
    return {
        CENSORED[1]: sampling(),
        VARIANT: sampling(inflate=False),
        HALLUCINATED[1]: gp_bts(belief=BELIEF, initial=0),
        IGNORED[1]: asy_ts(belief=BELIEF, initial=0),
    }


def claims(side: int, measure: RegretMeasure) -> tuple[Claim, ...]:
    """Censoring below hallucination below ignoring."""
    censored = (CENSORED[side], VARIANT) if side else (CENSORED[side],)
    return (
        *(Claim(label, other, measure) for label in censored for other in (HALLUCINATED[side], IGNORED[side])),
        Claim(HALLUCINATED[side], IGNORED[side], measure),
    )


def compared(key: str, problem: str, title: str, side: int, delay: DelayLaw, window: int) -> PaperPanel:
    """The three ways on one problem under one law of delays."""
    arms = tuple(
        Arm(label, problem, policy, delay, ROUNDS, INITIAL) for label, policy in policies(side, window).items()
    )
    return PaperPanel(key, title, arms, ("simple",), claims(side, "simple"))


def censored(label: str, mean: int, window: int) -> Arm:
    """GP-UCB-SDF on the synthetic functions."""
    return Arm(label, SYNTHETIC, policies(0, window)[CENSORED[0]], poisson(mean), ROUNDS, INITIAL)


def synthetic() -> Figure:
    """Figure 1: functions drawn from a prior."""
    means, windows = (5, 10, 20), (5, 10, 20, 40)
    by_mean = PaperPanel(
        "a",
        "mean delays",
        tuple(censored(f"μ = {mean}", mean, 2 * mean) for mean in means),
        ("simple",),
        (Claim("μ = 5", "μ = 10", "simple"), Claim("μ = 10", "μ = 20", "simple")),
    )
    by_window = PaperPanel(
        "b",
        "windows, at a mean delay of 10",
        tuple(censored(f"m = {window}", 10, window) for window in windows),
        ("simple",),
        (Claim("m = 20", "m = 5", "simple"),),
    )
    against = [
        compared(key, SYNTHETIC, title, 0, delay, window)
        for key, (title, delay, window) in zip("cd", DELAYS, strict=True)
    ]
    return Figure(
        "1",
        "Functions from a Gaussian process",
        "Longer delays and too small a window cost regret; GP-UCB-SDF ends below GP-BUCB and GP-UCB.",
        (by_mean, by_window, *against),
        "Ten trials are too few to tell GP-UCB-SDF from GP-BUCB, which is stronger here than in the paper: the "
        "authors' takes older hallucinations for answers and fits hyperparameters to them. With `--trials 100` the "
        "paper's order comes out in both panels, GP-UCB-SDF below GP-BUCB by 0.11 ± 0.01 after the last round.",
    )


def synthetic_sampling() -> Figure:
    """Figure 5: the same by Thompson sampling."""
    panels = tuple(
        compared(key, SYNTHETIC, title, 1, delay, window)
        for key, (title, delay, window) in zip("ab", DELAYS, strict=True)
    )
    return Figure(
        "5",
        "The same by Thompson sampling",
        "GP-TS-SDF ends below GP-BTS and asy-TS.",
        panels,
        "The order does not come out. Draws differ, so that pending queries are kept apart with no treatment at all; "
        "counting silence as the floor then costs something until answers come: with `--trials 100` and Poisson "
        "delays, GP-TS-SDF is above GP-BTS by 0.020 ± 0.006 on average over the rounds, and level after the last. The "
        "inflation of the paper and the draws of the authors' code, which have none, make no difference.",
    )


def tuning(problem: str, title: str) -> tuple[PaperPanel, ...]:
    """Four panels: both sides under both laws of delays."""
    return tuple(
        compared(f"-{problem}-{side}{place}", problem, f"{title}, {name}, {SIDES[side]}", side, delay, window)
        for side in (0, 1)
        for place, (name, delay, window) in enumerate(DELAYS)
    )


def machine_learning() -> Figure:
    """Figure 2: an SVM on the diabetes data, and a small convolutional network."""
    return Figure(
        "2",
        "Hyperparameters of an SVM and of a CNN",
        "GP-UCB-SDF and GP-TS-SDF end below their baselines in all panels.",
        (*tuning("svm-diabetes", "SVM"), *tuning("cnn-digits", "CNN on digits")),
        "MNIST is replaced by scikit-learn's digits. On the SVM GP-UCB-SDF comes out below both others, and GP-TS-SDF "
        "does under constant delays. On the CNN a bad learning rate costs most of the accuracy, and what ten trials "
        "differ by is mostly how soon each finds a good one.",
    )


def logistic() -> Figure:
    """Figure 3: logistic regression on the breast cancer data."""
    return Figure(
        "3",
        "Hyperparameters of logistic regression",
        "GP-UCB-SDF and GP-TS-SDF end below their baselines in all panels.",
        tuning("logistic-cancer", "Logistic regression"),
        "All policies end within 0.013 of the best accuracy known, about two of 171 test cases, so little is left to "
        "tell them apart by: over all rounds they differ by about one test case at most, some the other way round.",
    )


def contextual() -> Figure:
    """Figure 4: contexts that change during the study."""
    problems = (("svm-tasks", "50 tasks", 1500, 2), ("svm-diabetes-growing", "growing data", 600, 5))
    panels = []
    for problem, title, rounds, trials in problems:
        for side, name in enumerate(SIDES):
            arms = tuple(
                Arm(label, problem, policy, poisson(3), rounds, INITIAL) for label, policy in policies(side, 6).items()
            )
            panel = PaperPanel(
                f"-{problem}-{side}",
                f"{title}, {name}",
                arms,
                ("cumulative",),
                claims(side, "cumulative"),
                trials=trials,
            )
            panels.append(panel)
    return Figure(
        "4",
        "Contexts: many tasks, and data that grow",
        "GP-UCB-SDF and GP-TS-SDF have smaller cumulative regrets than their baselines.",
        tuple(panels),
        "Two trials of the tasks and five of the growing data, for the time that 1500 and 600 rounds with refits take. "
        "The order is the other way round. Silence counts as an accuracy of 0, far below any answer, so that what is "
        "pending keeps the next queries away from the best point known; a cumulative regret charges for that, which "
        "the simple regret of the other figures does not. On the growing data, in three to five trials each, "
        "GP-UCB-SDF comes to 63, with answers after the window accepted to 59, with the floor learned from the answers "
        "to 55; GP-BUCB to 47, with its prior mean at the floor too to 49.",
    )


PAPER = Paper(
    key="verma2022",
    title="Bayesian optimization under stochastic delayed feedback",
    trials=10,
    figures=(synthetic(), machine_learning(), logistic(), contextual(), synthetic_sampling()),
    story=Story(
        says=(
            "Counting silence as the lowest value until an answer comes (GP-UCB-SDF, GP-TS-SDF) ends with less "
            "regret than hallucinating pending queries or ignoring them."
        ),
        found="With upper bounds it comes out; with Thompson sampling and with contexts it does not.",
        advice=(
            "Censoring pays with upper bounds where a floor is known and answers are not far above it; else "
            "hallucination is as good or better."
        ),
        lead="1-simple",
        departures=(
            (
                "Baselines have a fitted prior mean and a lengthscale for each parameter; the paper's have mean "
                "zero and one lengthscale."
            ),
            "Hyperparameters are fitted after every 10 answers; in the paper, after every 10 iterations.",
            "Initial points are answered before the first round; in the authors' code they are delayed too.",
            "MNIST is replaced by scikit-learn's digits.",
            "Figure 4 has two and five trials, for the time that they take.",
        ),
    ),
)
