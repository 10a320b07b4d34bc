"""Where logs are kept: in memory, in a SQLite file, on a PostgreSQL server."""

from belated.storage.addresses import DEFAULT_URL, connect, revision, tokens_of, upgrade
from belated.storage.memory import MemoryLog, MemoryStorage
from belated.storage.names import check_name
from belated.storage.protocol import Log, Reader, Storage, Unanswered, Writer

__all__ = [
    "DEFAULT_URL",
    "Log",
    "MemoryLog",
    "MemoryStorage",
    "Reader",
    "Storage",
    "Unanswered",
    "Writer",
    "check_name",
    "connect",
    "revision",
    "tokens_of",
    "upgrade",
]
