"""How many papers to order each morning, when the demand is only known in the evening.

A paper costs 2.50 and sells at 4.00; what is left over is lost. What was sold is counted two days later. Nobody knows
the law of demands: the study learns it, and orders what is best on average under it.

    pip install .    # from a clone of Belated
    python examples/newsvendor.py
"""

import numpy as np
from scipy.stats import norm

import belated as bl

COST, PRICE = 2.50, 4.00
DAYS, COUNTED_AFTER = 40, 2
DEMAND = norm(50, 12)  # nature's secret


def main() -> None:
    """Run a kiosk for forty days, then say what to order from now on."""
    study = bl.Study.in_memory(
        bl.Space(order=bl.Float(0, 100)),
        context=bl.Context(demand=bl.Float(0, 100), seen="after", outside="clip"),
        policy="sbo-kde",
        goal="maximize",
        seed=1,
    )
    weather = np.random.default_rng(4)
    uncounted = []

    for day in range(1, DAYS + 1):
        query = study.ask()  # in the morning, without a context: nobody knows the demand yet
        assert query, "this policy never declines"
        order, demand = query.point["order"], float(DEMAND.rvs(random_state=weather))
        uncounted.append((query, profit(order, demand), {"demand": demand}))
        if len(uncounted) > COUNTED_AFTER:
            earlier, earned, seen = uncounted.pop(0)
            study.tell(earlier, earned, context=seen)
        if day % 10 == 0:
            print(f"Day {day}: ordered {order:.1f}, {demand:.1f} were wanted, profit {profit(order, demand):.2f}")
    study.tell_many(uncounted)

    best, advice = study.best(), study.recommend()
    print(f"\nThe best day ordered {best.point['order']:.1f} and earned {best.value:.2f}, but that was luck.")
    print(f"From now on, order {advice.point['order']:.1f} and expect {advice.mean:.2f} a day,")
    study.change(policy="drbo-kde")  # the worst law near the one learned, in place of the one learned
    print(f"or {study.recommend().point['order']:.1f}, to be careful.")

    ideal = float(DEMAND.ppf((PRICE - COST) / PRICE))
    print(f"\nWho knows the law of demands orders {ideal:.1f} and earns {on_average(ideal):.2f} a day;")
    print(f"the advice above earns {on_average(advice.point['order']):.2f}.")


def profit(order: float, demand: float) -> float:
    """What a day earns: a paper is sold if it is there and somebody wants it."""
    return PRICE * min(order, max(demand, 0.0)) - COST * order


def on_average(order: float) -> float:
    """What an order earns on average, under the law that the study does not know."""
    return float(DEMAND.expect(lambda demand: profit(order, demand)))


if __name__ == "__main__":
    main()
