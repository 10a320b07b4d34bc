"""Whether there is room for an exact belief: n answers take n² numbers, and a machine may not have them.

What is asked must not depend on the machine. So a belief that does not fit is refused, and never made another.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from belated.errors import CapacityError

# So many answers take 4 GB, 7 GB while they are factorised, and ten minutes or more of two cores for the first ask,
# with the cube of their number.
MOST_EXACT = 20_000
# Less memory than this is there wherever NumPy is, and is not looked for.
CERTAIN = 1 << 28
BYTES = 8
# A container's limit, what is used of it, and what of that are pages of files, in both versions of control groups.
GROUPS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
WAY_OUT = (
    "go on with random features, whose cost does not grow with the answers: change(policy='auto'), or another policy "
    "with belief=bl.Features()"
)


def require_memory(what: str, numbers: int, way_out: str) -> None:
    """Refuse a computation that keeps this many numbers if the machine has no memory for them."""
    wanted = BYTES * numbers
    free = free_memory() if wanted > CERTAIN else None
    if free is not None and wanted > free:
        raise CapacityError(
            f"{what} takes {_gigabytes(wanted)} GB of memory while it is made, and this process may have "
            f"{_gigabytes(free)} GB more; give it more, or {way_out}."
        )


def require_room(points: int, numbers: int) -> None:
    """Refuse an exact belief of this many points if there is no memory for the numbers that it keeps."""
    if points > MOST_EXACT:
        raise CapacityError(
            f"an exact belief of {points:,} points takes {_gigabytes(BYTES * points**2)} GB of memory and the cube of "
            f"their number in time; it may have {MOST_EXACT:,}; {WAY_OUT}."
        )
    require_memory(f"an exact belief of {points:,} points", numbers, WAY_OUT)


def free_memory() -> int | None:
    """How many bytes this process may still take; None where the system does not say."""
    found = (_of_machine(), _of_process(), *(_of_group(*group) for group in GROUPS))
    known = [number for number in found if number is not None]
    return max(0, min(known)) if known else None


def _of_machine() -> int | None:
    """What Linux has left without swapping."""
    with suppress(OSError, ValueError, KeyError):
        return 1024 * _fields(Path("/proc/meminfo"))["MemAvailable:"]
    return None


def _of_process() -> int | None:
    """What the limit of the address space, `ulimit -v`, leaves."""
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            return limit - pages * resource.getpagesize()
    return None


def _of_group(folder: Path, limit: str, used: str, files: str) -> int | None:
    """What a container leaves; pages of files make room when it is needed."""
    with suppress(OSError, ValueError, KeyError):
        most, taken = (int((folder / name).read_text(encoding="ascii")) for name in (limit, used))
        return most - taken + _fields(folder / "memory.stat")[files]
    return None


def _fields(file: Path) -> dict[str, int]:
    """The numbers of a file that has a name and a number in each line."""
    lines = (line.split() for line in file.read_text(encoding="ascii").splitlines())
    return {name: int(number) for name, number, *_ in lines}


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f}"
