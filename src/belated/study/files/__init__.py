"""Logs and tables in files: writing them, and reading them."""

from belated.study.files.answer_sheet import AnswerRow, answers_in
from belated.study.files.batch import batch_data, check_batch_file, write_batch
from belated.study.files.lines import read_lines, write_lines
from belated.study.files.record_table import table_data, to_dataframe, write_csv, write_excel
from belated.study.files.tables import DataRow, read_csv
from belated.study.files.text import Readable, Writable, called, read_text, write_text, write_whole

__all__ = [
    "AnswerRow",
    "DataRow",
    "Readable",
    "Writable",
    "answers_in",
    "batch_data",
    "called",
    "check_batch_file",
    "read_csv",
    "read_lines",
    "read_text",
    "table_data",
    "to_dataframe",
    "write_batch",
    "write_csv",
    "write_excel",
    "write_lines",
    "write_text",
    "write_whole",
]
