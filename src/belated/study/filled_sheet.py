"""A sheet of answers as a whole: what would come of each row, before anything is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from belated.errors import BelatedError, ConflictError, TableError, Way
from belated.log import VALUE
from belated.show import counted, written
from belated.study.files import AnswerRow, Readable, answers_in
from belated.study.files.sheet import MOST_SHOWN, WHOLE
from belated.study.statements import Correction, Ending, Statement, Telling

if TYPE_CHECKING:
    from belated.study.any_study import AnyStudy

# One changed parameter, or a few steps and options, may well be those of another query.
LEAST_CHANGED = 2
# Whether a sheet only adds to what is known, or replaces what is known otherwise too.
Manner = Literal["tell", "revise"]
_MISPLACED = (
    "stands beside the parameters of query {}; sort whole rows, not single columns; if it was done so, tell it alone"
)
ENDED = {"fail": "failed", "abandon": "lost", "retract": "taken back"}


@dataclass(frozen=True)
class FilledRow:
    """A row of the sheet: where it is, what it tells, what that says to the study, and what is wrong with it if it is.

    A row without its answer tells nothing, and nothing is wrong with it. `written` are the cells of the query and of
    its answers. A row is `new` if the log does not have all that it tells.
    """

    where: str
    written: tuple[str, str]
    told: AnswerRow | None = None
    statements: tuple[Statement, ...] = ()
    problem: BelatedError | None = None
    new: bool = False

    def effect(self) -> str:
        """What comes of it, where nothing is wrong."""
        if self.told is None:
            return "no answer yet: passed over"
        if not self.new:
            return "known already: nothing changes"
        said = [_ended(each) for each in self.statements if isinstance(each, Ending)]
        if self.answers or self.replaces or not said:
            said = ["will replace the answer" if self.replaces else "will be taken", *said]
        return "; ".join([*said, *([f"tried at {_changes(self.told)}"] if self.told.point else [])])

    @property
    def answers(self) -> bool:
        """Whether it brings an answer that was not there."""
        return self.new and any(isinstance(each, Telling) and each.value is not None for each in self.statements)

    @property
    def replaces(self) -> bool:
        """Whether it replaces an answer."""
        return any(isinstance(each, Correction) and each.value is not None for each in self.statements)


class AskedPoints:
    """What was asked by the queries of a sheet, to find rows whose parameters are those of another query.

    That happens where a column was sorted without the others.
    """

    def __init__(self, rows: Sequence[AnswerRow]) -> None:
        self._queries: dict[tuple[object, ...], list[int]] = {}
        self._asked = {row.query: row.standing.point for row in rows if row.standing is not None}
        for query, point in self._asked.items():
            self._queries.setdefault(_coarse(point), []).append(query)

    def of(self, row: AnswerRow) -> int | None:
        """The other query whose parameters stand in a row; None if it has its own, or some that nobody asked."""
        asked = self._asked.get(row.query)
        if row.point is None or asked is None:
            return None
        changed = [name for name, value in row.point.items() if _coarse({name: value}) != _coarse({name: asked[name]})]
        if len(changed) < LEAST_CHANGED or not any(isinstance(asked[name], float) for name in changed):
            return None
        return next(iter(self._queries.get(_coarse(row.point), ())), None)


def _coarse(point: Mapping[str, Any]) -> tuple[object, ...]:
    """A point to the three digits that every sheet shows."""
    return tuple(f"{value:.3g}" if isinstance(value, int | float) else value for value in point.values())


def filled_rows(call: str, file: Readable, study: AnyStudy, manner: Manner = "tell") -> list[FilledRow]:
    """Every row of a sheet with what would come of it now; a TableError where the file as a whole is no such sheet."""
    answers = answers_in(call, file, study)
    read = list(answers.each())
    elsewhere = AskedPoints([told for _, told, _ in read if told is not None])
    said: dict[int, AnswerRow] = {}
    rows: list[FilledRow] = []
    for line, told, wrong in read:
        cells = answers.sheet.cells(line)
        written_cells = cells.get(answers.query, ""), _shown(cells, answers.held)
        problem: BelatedError | None = TableError(_without_place(line.where, wrong)) if wrong else None
        if told is not None and (other := elsewhere.of(told)) is not None:
            problem = ConflictError(f"query {told.query} {_MISPLACED.format(other)}")
        if told is not None and said.setdefault(told.query, told) != told:
            problem = ConflictError(
                f"query {told.query} stands in another row too, with other values; keep one of them"
            )
        repeated = told is not None and said[told.query] is not told
        statements = () if told is None or problem is not None or repeated else _statements(told, manner)
        rows.append(FilledRow(line.where, written_cells, told, statements, problem))
    return _weighed(rows, study)


def _weighed(rows: Sequence[FilledRow], study: AnyStudy) -> list[FilledRow]:
    """The same rows, with what the study says to them."""
    found = iter(study.preview([statement for row in rows for statement in row.statements]))
    weighed: list[FilledRow] = []
    for row in rows:
        outlooks = [next(found) for _ in row.statements]
        refusals = [outlook for outlook in outlooks if isinstance(outlook, BelatedError)]
        problem = row.problem or (refusals[0] if refusals else None)
        new = problem is None and any(outlooks)
        weighed.append(FilledRow(row.where, row.written, row.told, row.statements, problem, new))
    return weighed


def _statements(told: AnswerRow, manner: Manner) -> tuple[Statement, ...]:
    """What a row says to a study: nothing of answers that the log has already."""
    ending = [Ending(told.query, told.ending, told.reason)] if told.ending is not None else []
    if ending and not told.fresh and told.context is None and told.point is None:
        return tuple(ending)
    known = told.standing.answers if told.standing is not None else {}
    corrected = {name for name in told.fresh if name in known} if manner == "revise" else set()
    moved = told.point if manner == "revise" and not ending else None
    first = _telling(told, told.fresh - corrected, None if moved else told.point)
    replaced = [Correction(told.query, *_part(told, corrected), moved)] if corrected or moved else []
    return (*replaced, *([first] if first is not None else []), *ending)


def _telling(told: AnswerRow, names: frozenset[str], point: Mapping[str, Any] | None) -> Telling | None:
    value, sd = _part(told, names)
    if value is None and told.context is None and point is None:
        # A query that nobody asked is refused even so.
        return None if told.standing is not None else Telling(told.query, told.value, None, None, told.sd)
    return Telling(told.query, value, told.context, None, sd, point)


def _part(told: AnswerRow, names: frozenset[str] | set[str]) -> tuple[Any, Any]:
    """What a row tells of some outcomes."""
    if not names:
        return None, None
    if names == {VALUE} and not isinstance(told.value, Mapping):
        return told.value, told.sd
    errors = {name: sd for name, sd in (told.sd or {}).items() if name in names}
    return {name: value for name, value in told.value.items() if name in names}, errors or None


def _changes(told: AnswerRow) -> str:
    asked = told.standing.point if told.standing is not None else {}
    changed = {name: value for name, value in (told.point or {}).items() if value != asked.get(name)}
    return ", ".join(
        f"{name} {written(value)} instead of {written(asked.get(name))}" for name, value in changed.items()
    )


def take_rows(call: str, rows: Sequence[FilledRow], study: AnyStudy) -> list[FilledRow]:
    """Take all that these rows say, or, if something is wrong with one, nothing; returns those that say something."""
    _refuse_faulty(call, rows)
    study.take([statement for row in rows for statement in row.statements])
    return [row for row in rows if row.told is not None]


def _refuse_faulty(call: str, rows: Sequence[FilledRow]) -> None:
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


def _shown(cells: Mapping[str, str], held: Sequence[str]) -> str:
    """What a row tells, as it is written there; where several columns could, each with its name."""
    filled = {column: cells[column].strip() for column in held if cells.get(column, "").strip()}
    return ", ".join(text if len(held) == 1 else f"{column} {text}" for column, text in filled.items())


def _ended(said: Ending) -> str:
    outlook = f"{'will be' if said.way == 'retract' else 'counts as'} {ENDED[said.way]}"
    return f"{outlook}: {said.reason}" if said.reason else outlook


def _without_place(where: str, wrong: list[str]) -> str:
    return "; ".join(problem.removeprefix(where).lstrip(",: ") for problem in wrong)
