"""Sheets at the command line: all that one says is taken, or nothing; or what would come of each row is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from belated.cli import ways_out
from belated.cli.output import columns, print_json, say
from belated.errors import TableError
from belated.show import counted
from belated.study import ENDED, FilledRow, Manner, Study, filled_rows, take_rows


def is_sheet(text: str) -> bool:
    """Whether an argument names a sheet rather than a query."""
    return text.lower().endswith((".csv", ".xlsx"))


def take_sheet(study: Study, file: Path, manner: Manner, dry_run: bool, storage: str, as_json: bool) -> None:
    """Take all that a file says, or nothing; or say what would come of each row."""
    call = f"{manner}({str(file)!r})"
    rows = filled_rows(call, file, study, manner)
    if dry_run:
        _preview(rows, {"study": study.name, "storage": storage}, as_json)
        return
    told = take_rows(call, rows, study)
    if not told:
        raise TableError(f"{call}: none of {len(rows)} rows has an answer; fill in those that are known.")
    if as_json:
        print_json({"answers": [row.told.to_json() for row in told if row.told is not None]})
    else:
        say(_summary(study, told))


def _summary(study: Study, rows: Sequence[FilledRow]) -> str:
    """How much was said by a file."""
    said: dict[int, FilledRow] = {}
    for row in rows:
        if row.told is not None:
            said.setdefault(row.told.query, row)  # the same row twice says the same
    parts = _answered(study, list(said.values()))
    for way, ended in ENDED.items():
        count = sum(row.new and row.told is not None and row.told.ending == way for row in said.values())
        parts += [f"{count:,} {ended}"] if count else []
    moved = sum(row.new and row.told is not None and row.told.point is not None for row in said.values())
    parts += [f"{moved:,} tried at another point than asked"] if moved else []
    before = sum(not row.new for row in said.values())
    return ", ".join([*parts, *([f"{counted(before, 'was', 'were')} before"] if before else [])])


def _answered(study: Study, rows: Sequence[FilledRow]) -> list[str]:
    """How many answers were told, and how many were replaced."""
    if study.context is not None and study.context.seen == "after":
        told = [row.told for row in rows if row.told is not None]
        answers = sum(entry.value is not None for entry in told)
        contexts = sum(entry.context is not None for entry in told)
        return [f"{counted(answers, 'answer')} and {counted(contexts, 'context')} are taken"]
    how = "told of" if study.outcomes.named else "answered"
    answered, revised = sum(row.answers for row in rows), sum(row.replaces for row in rows)
    return [
        f"{counted(answered, 'query is', 'queries are')} {how}",
        *([f"{counted(revised, 'is', 'are')} revised"] if revised else []),
    ]


def _preview(rows: Sequence[FilledRow], given: Mapping[str, str], as_json: bool) -> None:
    """Show what would come of each row, for a command with these arguments."""
    found = [(row.where, row.written, _outlook(row, given)) for row in rows]
    if as_json:
        keys = ("row", "query", "value", "outlook")
        print_json({"rows": [dict(zip(keys, (where, *written, text), strict=True)) for where, written, text in found]})
    else:
        columns(["row", "query", "answer", ""], [(where, *written, text) for where, written, text in found])
        say("Nothing is taken yet; without --dry-run it is")


def _outlook(row: FilledRow, given: Mapping[str, str]) -> str:
    if row.problem is not None:
        return f"refused: {row.problem.worded(lambda way: ways_out.worded(way, given))}"
    return row.effect()
