"""Delayed feedback in kernel bandits [vakili2023, section 7].

Functions f1 and f2 on a 50 × 50 grid over [−5, 5]², T = 1000, SE kernel with ℓ = 1 known to the learner (0.1 of the
unit cube), ridge 0.02², the width √6 for all, Poisson delays, 10 trials.
"""

from __future__ import annotations

import itertools

from belated.beliefs import GP
from belated.experiments import Arm
from belated.experiments.papers.paper import Claim, Figure, Paper, PaperPanel, Story
from belated.log import Window
from belated.policies import bpe, bpe_delay, gp_bucb, gp_ucb_sdf
from belated.policies.vakili2023 import EXPERIMENTAL_WIDTH
from belated.simulate.laws import poisson

HORIZON = 1000
MEANS = (0, 25, 50)
BELIEF = GP(kernel="se", lengthscale=0.1, variance=1.0, noise=0.02**2, mean="zero")
PROBLEMS = {"rkhs-f1": "f1", "rkhs-f2": "f2"}
OURS, THEIRS, VARIANT, PLAIN = "BPE-Delay", "GP-UCB-SDF", "GP-UCB-SDF, as in the authors' code", "BPE"
SURE = "BPE-Delay, width of theorem 6.1"
# f2 is of the learner's own kernel, and its squared norm has the chi-squared law with 25 degrees of freedom, one for
# each value that it is drawn with: one function in a thousand has a larger norm than this.
NORM = 7.25


def bpe_arm(problem: str, label: str, mean: int) -> Arm:
    """BPE with rounds made longer for delays of that mean."""
    policy = bpe_delay(HORIZON, float(mean), xi=9.0, b=1.0, delta=0.01, belief=BELIEF)
    return Arm(label, problem, policy, poisson(mean), HORIZON)


def window(mean: int) -> Window:
    """Twice the mean delay, in time, which goes by rounds: an answer counts iff d ≤ m."""
    return Window(seconds=max(1, 2 * mean))


def sdf_arm(problem: str, label: str, mean: int) -> Arm:
    """GP-UCB-SDF as its own paper defines it, with a window of twice the mean delay."""
    policy = gp_ucb_sdf(window=window(mean), bound=1.0, base=EXPERIMENTAL_WIDTH, belief=BELIEF)
    return Arm(label, problem, policy, poisson(mean), HORIZON)


def variant_arm(problem: str, label: str, mean: int) -> Arm:
    """GP-UCB-SDF as this paper's code has it: no sum of deviations; silence and the prior mean are the least of f."""
    policy = gp_ucb_sdf(window=window(mean), floor=0.0, bound=0.0, base=EXPERIMENTAL_WIDTH, belief=BELIEF)
    return Arm(label, problem, policy, poisson(mean), HORIZON, parameters={"from_zero": True})


def against_censoring() -> Figure:
    """Figure 2: BPE-Delay and GP-UCB-SDF under Poisson(50)."""

    def panel(problem: str, title: str) -> PaperPanel:
        arms = (bpe_arm(problem, OURS, 50), sdf_arm(problem, THEIRS, 50), variant_arm(problem, VARIANT, 50))
        claims = (Claim(OURS, VARIANT, "cumulative"), Claim(OURS, THEIRS, "cumulative"))
        return PaperPanel(f"-{title}", title, arms, ("cumulative",), claims)

    return Figure(
        "2",
        "Poisson delays of mean 50",
        "BPE-Delay has a far smaller cumulative regret than GP-UCB-SDF on both functions.",
        tuple(panel(*item) for item in PROBLEMS.items()),
        "The authors' GP-UCB-SDF has no sum of deviations, and adds a number to every answer by which the lowest value "
        "of f1 becomes 0: silence and the prior mean are then the lowest value of f. It is what the paper compares "
        "with; the one of its own paper is drawn beside it. Each function's own lowest value is taken, for f2 too.",
    )


def over_delays(key: str, name: str, says: str, note: str = "") -> Figure:
    """Figures 3 and 4: one algorithm under delays of mean 0, 25 and 50."""
    build = bpe_arm if name == OURS else sdf_arm

    def panel(problem: str, title: str) -> PaperPanel:
        arms = [build(problem, f"{name}, λ = {mean}", mean) for mean in MEANS]
        if name == THEIRS:
            arms += [variant_arm(problem, f"{VARIANT}, λ = {mean}", mean) for mean in MEANS]
        claims = tuple(
            Claim(f"{label}, λ = {short}", f"{label}, λ = {long}", "cumulative")
            for label in ((name, VARIANT) if name == THEIRS else (name,))
            for short, long in itertools.pairwise(MEANS)
        )
        return PaperPanel(f"-{title}", title, tuple(arms), ("cumulative",), claims)

    panels = tuple(panel(*item) for item in PROBLEMS.items())
    return Figure(key, f"{name} under delays of mean 0, 25 and 50", says, panels, note)


def against_undelayed() -> Figure:
    """Figure 5: BPE-Delay against BPE, whose rounds leave no time for answers."""

    def panel(problem: str, title: str) -> PaperPanel:
        undelayed = Arm(PLAIN, problem, bpe(HORIZON, belief=BELIEF), poisson(50), HORIZON)
        claims = (Claim(OURS, PLAIN, "cumulative"),)
        return PaperPanel(f"-{title}", title, (bpe_arm(problem, OURS, 50), undelayed), ("cumulative",), claims)

    return Figure(
        "5",
        "BPE-Delay and BPE",
        "BPE-Delay has the smaller regret of the two under delays.",
        tuple(panel(*item) for item in PROBLEMS.items()),
        "BPE loses its first round of 32 queries, in which no answer arrives, and no more: of its second, of 179, 130 "
        "do. On f1, of 2500 candidates 2500, 20.5, 2 and 1 are left after its rounds, and 360, 3.5, 1 and 1 after "
        "those of BPE-Delay (medians of 10 trials). So BPE-Delay drops more, and pays for it with longer rounds: its "
        "first two cost 515 and the rest 12, where the first two of BPE cost 402 and the rest 84. On f2 it is 476 and "
        "16 against 405 and 93. The best candidate was never dropped.",
    )


def with_guarantee() -> Figure:
    """A figure of ours: BPE-Delay with the width of theorem 6.1 and with the authors' own, and GP-BUCB beside them."""
    sure = bpe_delay.guaranteed(HORIZON, 50.0, xi=9.0, b=1.0, norm=NORM, belief=BELIEF, delta=0.01)
    problem, title = "rkhs-f2", "f2"
    hallucinated = gp_bucb(width=EXPERIMENTAL_WIDTH, belief=BELIEF)
    arms = (
        bpe_arm(problem, OURS, 50),
        Arm(SURE, problem, sure, poisson(50), HORIZON),
        Arm("GP-BUCB", problem, hallucinated, poisson(50), HORIZON),
    )
    return Figure(
        "own-1",
        "BPE-Delay with the width of its theorem, and GP-BUCB",
        "it runs the width √6 alone, and compares with GP-UCB-SDF alone; this figure is ours.",
        (PaperPanel(f"-{title}", title, arms, ("cumulative",)),),
        "What `bl.policies.bpe_delay.guaranteed` builds: the paper's kernel, noise, u_T and δ, and the width of its "
        "theorem 6.1 with 4 rounds and a norm of at most 7.25, which is 12.8. The kernel is that of f2; of f1 the "
        "theorem says nothing. GP-BUCB has the same belief and the width √6.",
    )


PAPER = Paper(
    key="vakili2023",
    title="Delayed feedback in kernel bandits",
    trials=10,
    figures=(
        against_censoring(),
        over_delays("3", OURS, "The regret of BPE-Delay grows linearly with the mean delay."),
        over_delays(
            "4",
            THEIRS,
            "The regret of GP-UCB-SDF jumps with the delay.",
            "As in figure 2, both the authors' GP-UCB-SDF and that of its own paper are drawn. Without delays, 4 of 10 "
            "runs of the authors' stay on a summit that is not the highest, on either function.",
        ),
        against_undelayed(),
        with_guarantee(),
    ),
    story=Story(
        says=(
            "BPE-Delay, which explores in rounds and drops what cannot be best, has a far smaller cumulative regret "
            "than GP-UCB-SDF when delays are long. Its own grows linearly with the mean delay, and it does better than "
            "BPE, whose rounds leave no time for answers."
        ),
        found=(
            "Against GP-UCB-SDF, the authors' and that of its own paper, it does on both functions, and its regret "
            "grows by 72 to 82 for each 25 queries of delay. It does no better than BPE, whose second round is long "
            "enough (figure 5)."
        ),
        advice=(
            "Use `bpe-delay` where a guarantee counts: with the width of its theorem it has nearly twice the regret. "
            "Where small regret counts, use `gp-bucb`, which has about a quarter of that of BPE-Delay here. Without "
            "delays GP-UCB-SDF has less than BPE-Delay too."
        ),
        lead="2-cumulative",
        departures=(
            "Every trial draws functions of its own, f1 and f2 from the same 25 values; the paper has one f1 and one "
            "f2 for all.",
            "Bands are of 95 % confidence for the mean; the paper's bars are half a deviation.",
            "Before a query is asked, the simulator tells all answers that are due in its round, so that those due in "
            "round t_r + 1 count for the round of queries that ends with t_r. So it is in the authors' code.",
            "u_T is that of the paper, with T: rounds of 108, 255, 500 and 137 queries under delays of mean 50. The "
            "authors' code takes the time so far in place of T: rounds of 98, 250 and 497 queries, and the rest.",
            "The paper names no window for GP-UCB-SDF; it is twice the mean delay here.",
        ),
    ),
)
