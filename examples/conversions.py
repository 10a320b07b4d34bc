"""Which price to show, when sales come late or never, and another system reports them over HTTP.

The shop asks the service for a price for each group of twenty visitors. A sale is reported by a webhook, up to some
dozens of groups later. A group that buys nothing reports nothing: silence is bad news. The policy counts it as the
worst value, zero, until a report comes, and waits for twenty groups.

    pip install '.[cli,service,client]'    # from a clone of Belated
    python examples/conversions.py
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import belated as bl

GROUPS, VISITORS, WINDOW = 80, 20, 20


def main() -> None:
    """Find the price that earns most a visitor, though most groups at high prices never report."""
    with tempfile.TemporaryDirectory() as folder, service(f"sqlite:///{folder}/shop.db") as address:
        policy = bl.policies.gp_ucb_sdf(window=WINDOW, floor=0.0)
        study = bl.RemoteStudy.create(address, "price", bl.Space(price=bl.Float(2, 60)), policy=policy, seed=2)
        print(f"The service is at {address}, with a dashboard for people.")
        webhooks: list[tuple[int, int, float]] = []
        customers = np.random.default_rng(5)

        for now in range(GROUPS):
            query = study.ask()
            assert query, "this policy never declines"
            buyers = customers.binomial(VISITORS, chance_of_sale(query.point["price"]))
            if buyers:
                due = now + int(customers.geometric(0.15))
                webhooks.append((due, query.id, query.point["price"] * buyers / VISITORS))
            for due, group, earned in [report for report in webhooks if report[0] <= now]:
                study.tell(group, earned)  # any system can: PUT /v1/studies/price/queries/{group}/answer
                webhooks.remove((due, group, earned))

        counts = study.record().counts
        asked = [query.point["price"] for query in study.queries()]
        silent = [query for query in study.pending() if query.state is bl.State.OVERDUE]
        print(f"{GROUPS} groups: {counts.answered} reported a sale, {len(silent)} are overdue, silent for good;")
        print(f"{GROUPS - counts.answered - len(silent)} may still report.")
        print(
            f"Prices asked, typically: {np.median(asked[:20]):.2f} at first, {np.median(asked[-20:]):.2f} in the end."
        )

        best, advice = study.best(), study.recommend()
        print(f"\nWho looks at the best report alone would take {best.point['price']:.2f}.")
        print(f"With silent groups as zero: {advice.point['price']:.2f}, {advice.mean:.2f} a visitor expected.")
        prices = np.linspace(2, 60, 1000)
        earned_by = prices * chance_of_sale(prices)
        print(f"In truth {prices[earned_by.argmax()]:.2f} is best and earns {earned_by.max():.2f} a visitor;")
        advised, reported = (price * chance_of_sale(price) for price in (advice.point["price"], best.point["price"]))
        print(f"the advice earns {advised:.2f}, and the best report's price {reported:.2f}.")


@contextmanager
def service(storage: str) -> Iterator[str]:
    """The address of a service on a free port of this machine, while it runs."""
    command = [sys.executable, "-m", "belated.cli.main", "serve", "--storage", storage, "--port", "0", "--json"]
    with subprocess.Popen([*command, "--log-level", "error"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        started = "".join(process.stdout.readline() for _ in range(4))
        if not started:
            sys.exit("The service did not start; what it says above is why.")
        try:
            yield json.loads(started)["address"]
        finally:
            process.terminate()


def chance_of_sale(price: float | np.ndarray) -> float | np.ndarray:
    """How many visitors buy at a price: nature's secret."""
    return 0.4 * np.exp(-price / 12)


if __name__ == "__main__":
    main()
