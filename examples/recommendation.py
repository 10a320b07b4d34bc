"""Which film to suggest to whom, when viewers report only much later, and not in order.

The context, who is asking, is known before the decision; the answer, how much of the film was watched, comes when the
viewer has finished, while others have long been asking. What is learned from one viewer helps with those alike.

    python examples/recommendation.py
"""

from typing import Any

import numpy as np

import belated as bl

FILMS = [
    {"title": "The Long Chase", "action": 0.9, "warmth": 0.1, "minutes": 128},
    {"title": "Two Suitcases", "action": 0.2, "warmth": 0.9, "minutes": 97},
    {"title": "Night Shift", "action": 0.6, "warmth": 0.4, "minutes": 104},
    {"title": "The Beekeeper's Year", "action": 0.0, "warmth": 0.7, "minutes": 88},
    {"title": "Ground Control", "action": 0.8, "warmth": 0.5, "minutes": 141},
    {"title": "A Quiet Street", "action": 0.1, "warmth": 0.3, "minutes": 119},
]
VIEWERS, AT_ONCE = 120, 8


def main() -> None:
    """Suggest films to 120 viewers, eight of whom are watching at any time; then say what suits whom."""
    study = bl.Study.in_memory(
        bl.Candidates(FILMS),
        context=bl.Context(age=bl.Float(10, 80), evening=bl.Choice("weekday", "weekend"), seen="before"),
        policy="gp-bucb",
        goal="maximize",
        seed=3,
    )
    people = np.random.default_rng(11)
    watching: list[tuple[bl.Query, float]] = []
    shares: list[float] = []

    for _ in range(VIEWERS):
        viewer = {"age": people.uniform(10, 80), "evening": str(people.choice(["weekday", "weekend"]))}
        query = study.ask(context=viewer)
        assert query, "this policy never declines"
        watched = share_watched(query.point, viewer, people)
        shares.append(watched)
        watching.append((query, watched))
        if len(watching) == AT_ONCE:  # somebody finishes, not always the one who began first
            study.tell(*watching.pop(int(people.integers(AT_ONCE))))

    print(f"Watched of a film, on average: {np.mean(shares[:20]):.0%} by the first 20 viewers,")
    print(f"                               {np.mean(shares[-20:]):.0%} by the last 20.")
    print(f"{len(study.pending())} viewers are still watching; nobody waited for them.\n")

    print("age  evening  suggestion            watched: expected  in truth   best, in truth")
    for age in (15, 40, 70):
        for evening in ("weekday", "weekend"):
            viewer = {"age": age, "evening": evening}
            advice = study.recommend(context=viewer)
            truth, most = (share_watched(film, viewer) for film in (advice.point, best_for(viewer)))
            expected = f"{advice.mean:.0%} ± {advice.deviation:.0%}"
            print(f"{age}   {evening}  {advice.point['title']:20}  {expected:>17}  {truth:8.0%}  {most:15.0%}")


def share_watched(film: dict[str, Any], viewer: dict[str, Any], noise: np.random.Generator | None = None) -> float:
    """How much of a film a viewer watches: the young want action, the old warmth, and nobody long films in the week."""
    youth = (80 - viewer["age"]) / 70
    taste = youth * film["action"] + (1 - youth) * film["warmth"]
    tiring = 0.004 * (film["minutes"] - 90) * (viewer["evening"] == "weekday")
    share = 0.15 + 0.8 * taste - tiring + (0.0 if noise is None else noise.normal(0, 0.08))
    return float(np.clip(share, 0.0, 1.0))


def best_for(viewer: dict[str, Any]) -> dict[str, Any]:
    """The film that this viewer would watch most of."""
    return max(FILMS, key=lambda film: share_watched(film, viewer))


if __name__ == "__main__":
    main()
