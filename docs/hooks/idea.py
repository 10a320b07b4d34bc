"""The figure of the idea, by `python -m docs.hooks.idea`: what is asked and found, pending queries counted or not.

Branin with answers that take eight rounds, so that eight queries are under way: an upper bound that ignores them, and
the same that counts them as answered with the current mean. The maps are of the first seed; the curves of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from belated import simulate

SEEDS = range(20)
ROUNDS = 48
DELAY = 8
INITIAL = 5
POLICIES = {"gp-ucb": ("ignoring what is pending", "#c2410c"), "gp-bucb": ("counting what is pending", "#0f766e")}
OPTIMA = ((-np.pi, 12.275), (np.pi, 2.275), (9.42478, 2.475))
X, Y = (-5.0, 10.0), (0.0, 15.0)
SIDE, GAP, LEFT, TOP = 230, 44, 56, 34
LEAST = 0.01  # regrets below it are drawn at it: a share of 3·10⁻⁵ of what Branin spans


def runs(policy: str) -> list[simulate.Run]:
    """The runs of a policy, one for each seed; the same seed gives every policy the same beginning."""
    delay = simulate.constant(DELAY)
    return [simulate.run("branin", policy, delay, ROUNDS, seed, initial=INITIAL) for seed in SEEDS]


def written(x: float, y: float, text: str, more: str = "") -> str:
    """A text of the figure."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{text}</text>'


def frame(left: float, title: str, colour: str) -> Iterator[str]:
    """The box of a panel with its title."""
    yield f'<rect x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="white" stroke="#94a3b8"/>'
    yield written(left, TOP - 12, title, f'fill="{colour}" font-weight="bold"')


def map_of(run: simulate.Run, left: float, title: str, colour: str) -> Iterator[str]:
    """Where a run asked, with the three optima as crosses."""
    yield from frame(left, title, colour)

    def place(x: float, y: float) -> tuple[float, float]:
        return left + SIDE * (x - X[0]) / (X[1] - X[0]), TOP + SIDE * (Y[1] - y) / (Y[1] - Y[0])

    for x, y in OPTIMA:
        h, v = place(x, y)
        yield f'<path d="M{h - 6:.1f} {v:.1f}h12M{h:.1f} {v - 6:.1f}v12" stroke="#0f172a" stroke-width="1.5"/>'
    for point in run.points[-ROUNDS:]:
        h, v = place(*map(float, point.values()))
        yield f'<circle cx="{h:.1f}" cy="{v:.1f}" r="5" fill="{colour}" fill-opacity="0.35"/>'


def curves(found: dict[str, np.ndarray], left: float) -> Iterator[str]:
    """The regret of the best answer by rounds: a thin line for each seed, a thick one for their median."""
    yield from frame(left, "best answer so far: regret", "#0f172a")
    low, high = np.log10(LEAST), np.log10(max(one.max() for one in found.values()))

    def line(values: np.ndarray, style: str) -> str:
        shares = (np.log10(np.maximum(values, LEAST)) - low) / (high - low)
        places = [(left + SIDE * at / (len(values) - 1), TOP + SIDE * (1 - share)) for at, share in enumerate(shares)]
        steps = "".join(f"H{after[0]:.1f}V{after[1]:.1f}" for _, after in pairwise(places))
        return f'<path d="M{places[0][0]:.1f} {places[0][1]:.1f}{steps}" fill="none" {style}/>'

    for policy, regrets in found.items():
        colour = POLICIES[policy][1]
        yield from (line(one, f'stroke="{colour}" stroke-opacity="0.2"') for one in regrets)
    for policy, regrets in found.items():
        yield line(np.median(regrets, axis=0), f'stroke="{POLICIES[policy][1]}" stroke-width="3"')
    for power in range(int(np.ceil(low)), int(np.floor(high)) + 1):
        height = TOP + SIDE * (1 - (power - low) / (high - low))
        yield written(left - 6, height + 4, f"{10.0**power:g}", 'text-anchor="end"')
    yield written(left, TOP + SIDE + 16, "0")
    yield written(left + SIDE, TOP + SIDE + 16, f"{ROUNDS} queries", 'text-anchor="end"')


def figure() -> str:
    """The figure as SVG."""
    played = {policy: runs(policy) for policy in POLICIES}
    parts: list[str] = []
    for column, (policy, (title, colour)) in enumerate(POLICIES.items()):
        parts += map_of(played[policy][0], 10 + column * (SIDE + GAP - 20), title, colour)
    found = {policy: np.array([run.simple_regret for run in done]) for policy, done in played.items()}
    parts += curves(found, 10 + 2 * (SIDE + GAP - 20) + LEFT - 10)
    width, height = 10 + 2 * (SIDE + GAP - 20) + LEFT + SIDE + 10, TOP + SIDE + 26
    box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
    head = f'<svg {box} font-family="sans-serif" font-size="13">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>\n"])


if __name__ == "__main__":
    target = Path(__file__).resolve().parents[1] / "images" / "idea.svg"
    target.write_text(figure(), encoding="utf-8")
