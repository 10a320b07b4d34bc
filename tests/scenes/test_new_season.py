"""The new season: a study is put away, a copy goes on, the trial run is thrown away, and an answer comes late."""

from __future__ import annotations

from tests.service.conftest import Belated

SPACE = "{depth: {float: [1, 12]}, variety: [early, late]}"


def test_a_farm_begins_its_second_season(belated: Belated) -> None:
    belated("create", "trial run", "--space", SPACE)
    belated("create", "field", "--space", SPACE, "--seed", 4)
    belated("ask", "field", "--count", 6)
    for query in range(1, 6):
        belated("tell", "field", query, 2.0 + 0.1 * query)
    # The study of last year keeps its whole log under a name of its own.
    belated("rename", "field", "field 2025")
    belated("copy", "field 2025", "field 2026")
    belated("archive", "field 2025", "--reason", "harvested")
    belated("delete", "trial run", "--yes")
    assert [study["name"] for study in belated("status", "--json").json] == ["field 2026"]
    # What was learned goes on; what was out on the field is not asked twice.
    assert belated("best", "field 2026", "--json").json["value"] == 2.5
    belated("ask", "field 2026", "--count", 2)
    # The last plot of last year is weighed in spring.
    belated("tell", "field 2025", 6, 3.5)
    refused = belated("ask", "field 2025", ok=False)
    assert "belated unarchive 'field 2025' lets it go on asking" in refused.err
    (kept,) = belated("status", "--archived", "--json").json
    assert (kept["name"], kept["best"]["value"], kept["archived"]) == ("field 2025", 3.5, "harvested")
    assert belated("replay", "field 2025").code == belated("replay", "field 2026").code == 0
