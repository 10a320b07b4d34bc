"""Text from a path or an open file, and text to one: a path is written whole or not at all."""

from __future__ import annotations

import codecs
import os
import secrets
import shutil
from pathlib import Path
from typing import IO, TypeAlias

from belated.errors import BelatedError, ParameterError, StorageError

Readable: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]
Writable: TypeAlias = str | os.PathLike[str] | IO[str]
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def called(function: str, file: object) -> str:
    """The beginning of errors of a call about this file; a ParameterError if it is neither a path nor an open file."""
    if isinstance(file, str | os.PathLike):
        return f"{function}({os.fspath(file)!r})"
    if not hasattr(file, "read") and not hasattr(file, "write"):
        raise ParameterError(f"{function}({file!r}): neither a path nor an open file; give one of them.")
    return f"{function}()"


def read_text(call: str, file: Readable, kind: type[BelatedError]) -> str:
    """The whole text without a byte order mark; an error of that kind if it cannot be read as text."""
    return text_in(call, read_data(call, file, kind), kind)


def read_data(call: str, file: Readable, kind: type[BelatedError]) -> str | bytes:
    """All that a file holds; an error of that kind if it cannot be read."""
    try:
        return Path(file).read_bytes() if isinstance(file, str | os.PathLike) else file.read()
    except UnicodeDecodeError:
        raise kind(f"{call}: the text is not UTF-8; save it as UTF-8.") from None
    except (OSError, ValueError) as trouble:
        raise kind(
            f"{call}: cannot be read ({_reason(trouble)}); name a file that exists and that you may read."
        ) from None


def text_in(call: str, data: str | bytes, kind: type[BelatedError], way: str = "save the file as UTF-8") -> str:
    """The text of a file without a byte order mark; spreadsheets save "Unicode text" as UTF-16, with such a mark."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-16" if data[:2] in UTF_16 else "utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = data[: trouble.start].count(b"\n") + 1
        raise kind(f"{call}: line {line} is not UTF-8; {way}.") from None


def write_text(call: str, file: Writable, text: str) -> None:
    """Write all of the text, or leave the path as it was and raise a StorageError."""
    if not isinstance(file, str | os.PathLike):
        file.write(text)
        return
    write_data(call, file, encoded(text))


def encoded(text: str) -> bytes:
    """A text as files hold it."""
    return text.encode("utf-8", "backslashreplace")  # UTF-8 has no half of a surrogate pair


def write_data(call: str, file: str | os.PathLike[str], data: bytes) -> None:
    """Write all of the data, or leave the path as it was and raise a StorageError."""
    try:
        write_whole(Path(file), data)
    except (OSError, ValueError) as trouble:
        raise StorageError(
            f"{call}: cannot be written ({_reason(trouble)}); name a file in a folder that you may write to, on a disk "
            f"with space."
        ) from None


def _reason(trouble: Exception) -> str:
    """What the system says went wrong, without the path."""
    return (isinstance(trouble, OSError) and trouble.strerror) or str(trouble)


def write_whole(path: Path, data: bytes) -> None:
    """Write all of the file, or leave the former one as it was."""
    if path.exists() and not path.is_file():  # a pipe or a device is written to, never replaced
        path.write_bytes(data)
        return
    place = Path(os.path.realpath(path))  # a link stays a link
    draft = place.with_name(f".belated-{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, draft)
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
