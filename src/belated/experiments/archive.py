"""The runs that are kept: files of JSON lines in a folder, to which every run that ends adds one.

Lines are only ever added, each by one write, so that experiments may run side by side and any of them may be cut off: a
line that cannot be read is left out, and its run is run again. A line that says "anew" takes back the lines above it
that agree with it in all else.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from belated.errors import StorageError
from belated.study.files import write_whole

JsonLine = dict[str, Any]
RunKey = tuple[str, int]  # a short name of the arm, and the seed


class KeptRun(Protocol):
    """What is kept of a run that has ended, and how it is written."""

    @property
    def key(self) -> RunKey:
        """What it is found by."""

    @classmethod
    def read(cls, line: JsonLine) -> Self | None:
        """What a line says; None where it is not whole."""

    def line(self) -> JsonLine:
        """What is written."""


Kept = TypeVar("Kept", bound=KeptRun)


class Shelf(NamedTuple, Generic[Kept]):
    """What a file has: runs by their keys, the later one where two have the same, and how many lines are damaged."""

    runs: dict[RunKey, Kept]
    damaged: int


@dataclass(frozen=True)
class Archive(Generic[Kept]):
    """A folder of runs that are all kept in one way."""

    folder: Path
    kind: type[Kept]

    def prepare(self) -> None:
        """Make the folder, before anything is run for it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None

    def read(self, file: str) -> Shelf[Kept]:
        """The runs of a file that count."""
        found: list[tuple[JsonLine, Kept]] = []
        damaged = 0
        for text in self._lines(file):
            line = _parsed(text)
            if line.get("anew") is True:
                found = [(earlier, run) for earlier, run in found if not _agrees(line, earlier)]
            elif (run := self.kind.read(line)) is not None:
                found.append((line, run))
            else:
                damaged += 1
        return Shelf({run.key: run for _, run in found}, damaged)

    def add(self, file: str, run: Kept) -> None:
        """Add a run."""
        self._add(file, run.line())

    def forget(self, file: str, **parts: Any) -> None:
        """Take back the runs whose lines have these parts, so that they are run anew."""
        if any(_agrees(parts, run.line()) for run in self.read(file).runs.values()):
            self._add(file, {**parts, "anew": True})

    def mend(self, file: str) -> None:
        """Remove the lines that are damaged; they would be read again and again."""
        sound = [text for text in self._lines(file) if self._is_sound(_parsed(text))]
        try:
            write_whole(self._path(file), b"".join(text + b"\n" for text in sound))
        except OSError as error:
            raise self._unwritable(error) from None

    def _is_sound(self, line: JsonLine) -> bool:
        return line.get("anew") is True or self.kind.read(line) is not None

    def _lines(self, file: str) -> list[bytes]:
        path = self._path(file)
        data = path.read_bytes() if path.exists() else b""
        return data.removesuffix(b"\n").split(b"\n") if data else []

    def _add(self, file: str, line: JsonLine) -> None:
        path = self._path(file)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with path.open("ab", buffering=0) as written:
                # A line that was cut short must not spoil the next.
                begun = written.tell() > 0 and not _ends_with_line(path)
                data = f"{chr(10) if begun else ''}{dumped(line)}\n".encode()
                if written.write(data) != len(data):
                    raise OSError("the line was cut short")
        except OSError as error:
            raise self._unwritable(error) from None

    def _path(self, file: str) -> Path:
        return self.folder / f"{file}.jsonl"

    def _unwritable(self, error: OSError) -> StorageError:
        return StorageError(
            f"runs({str(self.folder)!r}): cannot be written to ({error.strerror or error}); name a folder that you may "
            f"write to, on a disk with space; what is there is kept."
        )


def dumped(line: JsonLine) -> str:
    """A line as text, the same for the same parts in the same order."""
    return json.dumps(line, separators=(",", ":"), allow_nan=False)


def _parsed(text: bytes) -> JsonLine:
    """What a line says; nothing where it cannot be read."""
    try:
        line = json.loads(text)
    except ValueError:
        return {}
    return line if isinstance(line, dict) else {}


def _agrees(parts: JsonLine, line: JsonLine) -> bool:
    return all(line.get(name) == part for name, part in parts.items() if name != "anew")


def _ends_with_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
