"""`belated export` and `import`: a study as a file and back, and past results from a spreadsheet."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from belated.cli.options import AsJson, Storage, StudyName
from belated.cli.output import print_json, say
from belated.show import counted
from belated.storage import DEFAULT_URL
from belated.study import Study
from belated.study.files import read_lines, write_csv, write_excel, write_lines


class FileFormat(StrEnum):
    """The format of a file: JSON lines for the whole log; CSV, or a workbook of Excel, for a table of the queries."""

    JSONL = "jsonl"
    CSV = "csv"
    EXCEL = "xlsx"


FormOption = Annotated[
    FileFormat | None,
    typer.Option("--format", help="The whole log (jsonl) or a table (csv, xlsx); by the name of the file."),
]
TargetFile = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="Where to; to stdout if not given.", show_default=False)
]
SourceFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="JSON lines, or a table: CSV or Excel.", show_default=False)
]
NewName = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="A new study for JSON lines, one that is there for a table.", show_default=False
    ),
]
ValueColumn = Annotated[str | None, typer.Option(metavar="NAME", help="The column of a table that holds the results.")]


def export(
    study: StudyName,
    file: TargetFile = None,
    form: FormOption = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Write a study to a file: the whole log, or a table.

    belated import reads the log back exactly (JSON lines); the table is for spreadsheets (CSV, or Excel as .xlsx).

    Example: belated export lab lab.csv
    """
    opened = Study.open(storage, study)
    events = opened.events
    if file is None and as_json:
        if form not in (None, FileFormat.JSONL):
            raise typer.BadParameter(f"--json and --format {form} exclude each other where no FILE is named.")
        print_json([event.to_json() for event in events])
        return
    chosen = form or _form(file)
    if chosen is FileFormat.EXCEL:
        if file is None:
            raise typer.BadParameter("a workbook is no text; name a FILE for it.")
        write_excel(file, opened.record())
    elif chosen is FileFormat.CSV:
        write_csv(file or sys.stdout, opened.record())
    else:
        write_lines(file or sys.stdout, events)
    if file is None:
        return
    if as_json:
        print_json({"study": opened.name, "file": str(file), "format": chosen.value, "events": len(events)})
    else:
        say(f"{opened.name} is written to {file}")


def import_study(
    file: SourceFile,
    study: NewName,
    form: FormOption = None,
    value_column: ValueColumn = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Read a study from a file, or add the results in a table, .csv or .xlsx.

    A file is taken whole or, if a line is refused, not at all.

    Example: belated import last-year.csv lab --value-column yield
    """
    if (form or _form(file)) is not FileFormat.JSONL:
        written = _add_rows(file, Study.open(storage, study), value_column)
        said = f"{counted(written, 'result is', 'results are')} added to {study}"
    else:
        events = read_lines(file)
        Study.restore(storage, study, events)
        written = len(events)
        said = f"{study} is there, with {counted(written, 'event')}"
    if as_json:
        print_json({"study": study, "events": written})
    else:
        say(said)


def _form(file: Path | None) -> FileFormat:
    tables = {f".{form.value}": form for form in (FileFormat.CSV, FileFormat.EXCEL)}
    return tables.get(file.suffix.lower() if file is not None else "", FileFormat.JSONL)


def _add_rows(file: Path, study: Study, value_column: str | None) -> int:
    from belated.study.files import read_csv

    rows = read_csv(file, study.space, study.context, study.outcomes, value_column)
    study.add_many(rows)
    return len(rows)
