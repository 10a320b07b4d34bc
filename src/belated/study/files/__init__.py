"""Logs and tables in files: writing them, and reading them."""

from belated.study.files.lines import read_lines, write_lines
from belated.study.files.record_table import to_dataframe, write_csv
from belated.study.files.tables import AnswerRow, DataRow, read_answers, read_csv
from belated.study.files.text import Readable, Writable, called, read_text, write_text, write_whole

__all__ = [
    "AnswerRow",
    "DataRow",
    "Readable",
    "Writable",
    "called",
    "read_answers",
    "read_csv",
    "read_lines",
    "read_text",
    "to_dataframe",
    "write_csv",
    "write_lines",
    "write_text",
    "write_whole",
]
