"""The API reference: an entry for each public name, written from its signature, its docstring and its source.

A page says where entries go: `<!-- entries belated.pending -->` stands for all that a room's door lists, and
`<!-- entries belated: Float Int -->` for some of it. An object has one entry, at the first place that names it;
other doors that list it refer to that.
"""

from __future__ import annotations

import dataclasses
import html
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeGuard

from belated.errors import BelatedError
from docs.hooks.raised import raised_by

PLACE = re.compile(r"^<!-- entries (belated[.\w]*)(?:: ([\w ]+?))? -->$", re.MULTILINE)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
CITATION = re.compile(r"\[([a-z]+\d{4})([,\]][^\[\]]*\]?)")
WIDEST = 96  # characters of a signature in one line: what a page shows on a desk without scrolling


@dataclass(frozen=True, eq=False)
class Entry:
    """A public name: where it is shown, what it is called there, and what it is."""

    page: str
    door: str
    name: str
    what: Any

    @property
    def title(self) -> str:
        """The name as users write it: `bl.Float`, `bl.pending.Ignore`, `belated.league.play`."""
        return f"{called(self.door)}.{self.name}"

    @property
    def anchor(self) -> str:
        return f"{self.door}.{self.name}"


def called(door: str) -> str:
    """A room as users write it: `bl.pending` where `import belated as bl` brings it, its full name elsewhere."""
    room, _, rest = door.removeprefix("belated").removeprefix(".").partition(".")
    reached = not room or room in import_module("belated").__all__
    return ".".join(filter(None, ("bl", room, rest))) if reached else door


def listed(door: str) -> list[str]:
    """What a door lists, without the rooms behind it, which have doors of their own."""
    module = import_module(door)
    return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]


@cache
def entries(folder: Path) -> tuple[Entry, ...]:
    """All entries of the reference, in the order of their pages."""
    found: list[Entry] = []
    taken: set[int] = set()
    places = [
        (path, place) for path in sorted(folder.glob("*.md")) for place in PLACE.finditer(path.read_text("utf-8"))
    ]
    # Whoever names some names comes before a whole room.
    for path, place in sorted(places, key=lambda at: at[1][2] is None):
        door, names = place[1], (place[2] or "").split()
        for name in names or listed(door):
            what = getattr(import_module(door), name)
            if names or id(what) not in taken:
                taken.add(id(what))
                found.append(Entry(path.name, door, name, what))
    return tuple(found)


def with_entries(markdown: str, page: Path) -> str:
    """The text of a page with its entries in their places."""
    known = entries(page.parent)

    def shown(place: re.Match[str]) -> str:
        door, names = place[1], (place[2] or "").split()
        here = [entry for entry in known if entry.page == page.name and entry.door == door]
        mine = [entry for entry in here if entry.name in (names or listed(door))]
        if not names:
            named = {
                name for other in PLACE.finditer(markdown) if other[1] == door and other[2] for name in other[2].split()
            }
            mine = [entry for entry in mine if entry.name not in named]
        others = [] if names else elsewhere(door, mine, known)
        return "\n\n".join([*(written(entry, known) for entry in mine), *others])

    return PLACE.sub(shown, markdown)


def elsewhere(door: str, mine: list[Entry], known: tuple[Entry, ...]) -> Iterator[str]:
    """A sentence on what a room lists too, and what has its entry at another place."""
    here = {entry.name for entry in mine}
    module = import_module(door)
    by_object = {id(entry.what): entry for entry in known}
    others = [f"[`{name}`]({link(by_object[id(getattr(module, name))])})" for name in listed(door) if name not in here]
    if others:
        yield f"Also in `{called(door)}`: {', '.join(others)}."


def link(entry: Entry) -> str:
    """Where an entry is, from another page of the reference."""
    return f"{entry.page}#{entry.anchor}"


def overview(folder: Path) -> str:
    """All names with the first sentence of each, a list for each page."""
    known = entries(folder)
    lines: list[str] = []
    for path in sorted({entry.page for entry in known}):
        title = (folder / path).read_text("utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"\n## {title}\n\n| name | what it is |\n|---|---|")
        for entry in known:
            if entry.page == path:
                first = sentence(said(entry.what)) or "a value"
                lines.append(f"| [`{entry.title}`]({link(entry)}) | {first} |")
    return "\n".join(lines)


def written(entry: Entry, known: tuple[Entry, ...]) -> str:
    """The entry of a class, a function or a value."""
    parts = [f"### `{entry.title}` {{ #{entry.anchor} data-toc-label='{entry.name}' }}"]
    if not (inspect.isclass(entry.what) or inspect.isfunction(entry.what)):
        return "\n\n".join([*parts, f"A value: `{shown_value(entry.what)}`"])
    if _is_error(entry.what):
        return "\n\n".join([*parts, *error(entry.what)])
    abstract = bool(getattr(entry.what, "_is_protocol", False))
    call = None if abstract else signature(entry.what)
    parts += described(entry.title, entry.what, call, known)
    policy = entry.name.replace("_", "-")
    if entry.door == "belated.policies" and policy in import_module(entry.door).names():
        parts.append(f"What each parameter means, and when to use it: [`{policy}`](../policies/{policy}.md).")
    if abstract:
        parts.insert(1, "*A protocol: whatever has these methods will do.*")
    if inspect.isclass(entry.what):
        parts += members(entry, known)
    return "\n\n".join(parts)


def error(kind: type[BaseException]) -> list[str]:
    """What an error says, with its status over HTTP and its exit code at the command line."""
    bases = " → ".join(f"`{base.__name__}`" for base in kind.__mro__[1:] if base is not object)
    codes = f", status {kind.status}, exit code {kind.exit_code}" if issubclass(kind, BelatedError) else ""
    return [prose(said(kind)), f"Derived from {bases}{codes}."]


def described(
    title: str, what: Any, call: inspect.Signature | None, known: tuple[Entry, ...], owner: type | None = None
) -> list[str]:
    """Signature, docstring, parameters, what is returned and what is raised."""
    parts = [] if call is None else [f"```python no-run\n{laid_out(title, call)}\n```"]
    parts.append(prose(said(what)))
    given = [] if call is None else [one for name, one in call.parameters.items() if name not in ("self", "cls")]
    if given:
        rows = "\n".join(
            f"| `{stars(one)}{one.name}` | {typed(one.annotation, known)} | {default(one)} |" for one in given
        )
        parts.append(f"| parameter | type | default |\n|---|---|---|\n{rows}")
    ends = []
    if call is not None and not inspect.isclass(what) and call.return_annotation not in ("None", call.empty):
        ends.append(f"**Returns** {typed(call.return_annotation, known)}")
    errors = raised_by(what, owner)
    if errors:
        places = {entry.name: link(entry) for entry in known if _is_error(entry.what)}
        ends.append(f"**Raises** {', '.join(f'[`{name}`]({places[name]})' for name in errors)}")
    return [*parts, *([" · ".join(ends)] if ends else [])]


def members(entry: Entry, known: tuple[Entry, ...]) -> Iterator[str]:
    """The public methods and properties of a class: those of studies in full, others in a table."""
    kind = entry.what
    found = public_members(kind)
    if entry.name == "Study":
        for name, member in found.items():
            yield f"#### `{entry.name}.{name}` {{ #{entry.anchor}.{name} data-toc-label='{name}' }}"
            if isinstance(member, property) and (getter := member.fget):
                returned = inspect.signature(getter).return_annotation
                yield f"*A property:* {typed(returned, known)}"
                yield prose(inspect.getdoc(getattr(kind, name)) or "")
            else:
                bound = getattr(kind, name)
                start = entry.title if isinstance(member, (classmethod, staticmethod)) else "study"
                yield from described(f"{start}.{name}", bound, inspect.signature(bound), known, kind)
        return
    rows = [member_row(kind, name, member) for name, member in found.items()]
    if rows:
        yield "| member | what it is |\n|---|---|\n" + "\n".join(rows)


def member_row(kind: type, name: str, member: Any) -> str:
    """The row of a method or a property."""
    call = name if isinstance(member, property) else f"{name}({arguments(getattr(kind, name))})"
    return f"| `{call}` | {sentence(inspect.getdoc(getattr(kind, name)) or '')} |"


def public_members(kind: type) -> dict[str, Any]:
    """Methods and properties that a class has from itself or a class of ours: what makes one first, properties last."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("belated"):
            found |= {name: one for name, one in vars(base).items() if not name.startswith("_") and _is_member(one)}
    return dict(sorted(found.items(), key=lambda item: _order(item[1])))


def _is_member(what: Any) -> bool:
    return inspect.isfunction(what) or isinstance(what, (property, classmethod, staticmethod))


def _order(member: Any) -> int:
    return 0 if isinstance(member, (classmethod, staticmethod)) else 2 if isinstance(member, property) else 1


def said(what: Any) -> str:
    """The docstring of a class or function of ours; empty for a value, whose docstring is that of its type."""
    return (inspect.getdoc(what) or "") if inspect.isroutine(what) or inspect.isclass(what) else ""


def sentence(text: str) -> str:
    """The first line of a docstring as Markdown in a table."""
    return marked(text.partition("\n")[0])


def prose(text: str) -> str:
    """A docstring as Markdown: what is indented is a formula and stays as it is, `>>>` begins an example."""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        lines: list[tuple[bool, str]] = [(line.startswith((" ", ">>>")), line) for line in block.split("\n")]
        while lines:
            kept = lines[0][0]
            size = next((place for place, line in enumerate(lines) if line[0] != kept), len(lines))
            chunk = "\n".join(line for _, line in lines[:size])
            parts.append(f"```text\n{inspect.cleandoc(chunk)}\n```" if kept else marked(chunk))
            lines = lines[size:]
    return "\n\n".join(parts)


def marked(text: str) -> str:
    """Plain text with `code` in it as Markdown that shows it so, citations linked to the references."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(piece if piece.startswith("`") and len(piece) > 1 else escaped(piece) for piece in pieces)


def escaped(text: str) -> str:
    """Plain text as Markdown that shows it letter by letter, its citations linked."""
    kept: list[str] = []
    end = 0
    for found in CITATION.finditer(text):
        kept += [_plain(text[end : found.start()]), f"[\\[{found[1]}{_plain(found[2])}](../references.md#{found[1]})"]
        end = found.end()
    return "".join([*kept, _plain(text[end:])])


def _plain(text: str) -> str:
    return re.sub(r"([\\*_\[\]|#])", r"\\\1", html.escape(text, quote=False))


def signature(what: Any) -> inspect.Signature | None:
    """The signature of a function, or of a class that is made by calling it."""
    try:
        return inspect.signature(what)
    except ValueError:
        return None


def laid_out(title: str, call: inspect.Signature) -> str:
    """A call as code: in one line where it fits, else a parameter a line."""
    given = list(_separated(call))
    end = "" if call.return_annotation in (call.empty, "None", None) else f" -> {call.return_annotation}"
    line = f"{title}({', '.join(given)}){end}"
    return line if len(line) <= WIDEST else f"{title}(\n" + "".join(f"    {one},\n" for one in given) + f"){end}"


def _separated(call: inspect.Signature) -> Iterator[str]:
    starred = False
    for name, one in call.parameters.items():
        if one.kind is one.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        if name not in ("self", "cls"):
            kind = "" if one.annotation is one.empty else f": {one.annotation}"
            value = "" if one.default is one.empty else f" = {shown_value(one.default)}"
            yield f"{stars(one)}{name}{kind}{value}"


def arguments(what: Callable[..., Any]) -> str:
    """The names of what a method takes."""
    return ", ".join(stars(one) + name for name, one in inspect.signature(what).parameters.items() if name != "self")


def stars(one: inspect.Parameter) -> str:
    """What stands before a parameter that takes any number of arguments."""
    return "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""


def default(one: inspect.Parameter) -> str:
    """The cell with the default of a parameter."""
    if one.default is one.empty:
        return "" if stars(one) else "required"
    return f"`{shown_value(one.default)}`"


def shown_value(value: Any) -> str:
    """A value as one would write it: a dataclass by what is not its default, a function by its name."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(field.name, field.default, getattr(value, field.name)) for field in dataclasses.fields(value)]
        given = (f"{name}={shown_value(one)}" for name, usual, one in fields if one is not usual and one != usual)
        return f"{type(value).__name__}({', '.join(given)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(map(repr, value))}}}"
    if repr(value) == "<factory>":
        return "made anew"
    text = getattr(value, "__name__", "") if inspect.isroutine(value) else repr(value)
    return re.sub(r"\b(?:typing|collections\.abc|numpy|belated(?:\.\w+)*)\.(?=\w)", "", text)


def typed(annotation: Any, known: tuple[Entry, ...]) -> str:
    """A type with links to the entries that it names."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    if annotation is inspect.Parameter.empty:
        return ""
    places = by_name(known)
    named = [places[word] for word in dict.fromkeys(WORD.findall(text)) if word in places]
    seen = " ".join(f"[{entry.name}]({link(entry)})" for entry in named if entry.name != text)
    if len(named) == 1 and named[0].name == text:
        return f"[`{text}`]({link(named[0])})"
    return f"`{text}`" + (f" ({seen})" if seen else "")


@cache
def by_name(known: tuple[Entry, ...]) -> dict[str, Entry]:
    """Classes by their name, as annotations say it; what `belated` itself lists goes first."""
    kinds = [entry for entry in known if inspect.isclass(entry.what) and not _is_error(entry.what)]
    return {entry.name: entry for entry in sorted(kinds, key=lambda entry: entry.door != "belated", reverse=True)}


def _is_error(what: Any) -> TypeGuard[type[BaseException]]:
    return inspect.isclass(what) and issubclass(what, BaseException)
