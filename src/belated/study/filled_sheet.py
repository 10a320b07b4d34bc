"""A sheet of answers as a whole: what would come of each row, before anything is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from belated.errors import BelatedError, ConflictError, TableError, Way
from belated.show import counted
from belated.study.files import AnswerRow, Readable, answers_in
from belated.study.files.sheet import MOST_SHOWN, WHOLE
from belated.study.telling import Telling

if TYPE_CHECKING:
    from belated.study.study import Study


@dataclass(frozen=True)
class FilledRow:
    """A row of the sheet: where it is, what it tells, and what is wrong with it or whether it says something new.

    A row without its answer tells nothing, and nothing is wrong with it. `written` are the cells of the query and of
    its answer.
    """

    where: str
    written: tuple[str, str]
    told: AnswerRow | None = None
    problem: BelatedError | None = None
    new: bool = False


def filled_rows(call: str, file: Readable, study: Study) -> list[FilledRow]:
    """Every row of a sheet with what would come of it now; a TableError where the file as a whole is no such sheet."""
    answers = answers_in(call, file, study)
    read = list(answers.each())
    told = [row for _, row, _ in read if row is not None]
    verdicts = iter(study.preview([Telling(row.query, row.value, row.context) for row in told]))
    said: dict[int, AnswerRow] = {}
    rows: list[FilledRow] = []
    for line, row, wrong in read:
        cells = answers.sheet.cells(line)
        written = cells.get(answers.query, ""), cells.get("value", "")
        if row is None:
            problem: BelatedError | None = TableError(_without_place(line.where, wrong)) if wrong else None
            rows.append(FilledRow(line.where, written, problem=problem))
            continue
        verdict = next(verdicts)
        if said.setdefault(row.query, row) != row:
            other = ConflictError(f"query {row.query} stands in another row too, with other values; keep one of them")
            rows.append(FilledRow(line.where, written, row, other))
        elif isinstance(verdict, BelatedError):
            rows.append(FilledRow(line.where, written, row, verdict))
        else:
            rows.append(FilledRow(line.where, written, row, new=bool(verdict)))
    return rows


def refuse_faulty(call: str, rows: Sequence[FilledRow]) -> None:
    """Raise one error for all rows with which something is wrong; its kind is theirs, if they share one."""
    faulty = [(row.where, row.problem) for row in rows if row.problem is not None]
    if not faulty:
        return
    kinds = {type(problem) for _, problem in faulty}
    kind = kinds.pop() if len(kinds) == 1 else TableError
    parts: list[str | Way] = [f"{call}: {counted(len(faulty), 'problem')}; {WHOLE}"]
    for where, problem in faulty[:MOST_SHOWN]:
        parts += [f"\n  {where}: ", *problem.parts()]
    raise kind(*parts, f"\n  and {len(faulty) - MOST_SHOWN} more" if len(faulty) > MOST_SHOWN else "")


def _without_place(where: str, wrong: list[str]) -> str:
    return "; ".join(problem.removeprefix(where).lstrip(",: ") for problem in wrong)
