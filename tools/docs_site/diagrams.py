"""State diagrams in Mermaid as tables: a browser would draw them only with a script of another host."""

from __future__ import annotations

import re

START = "[*]"

_DIAGRAM = re.compile(r"^```mermaid\n(?P<source>.*?)^```$", re.MULTILINE | re.DOTALL)
_STATE = re.compile(r'state "(?P<title>[^"]+)" as (?P<name>\w+)')
_TRANSITION = re.compile(r"(?P<before>\S+) --> (?P<after>\S+?)(?:: ?(?P<event>.+))?")


class DiagramError(Exception):
    """A page has a diagram that cannot be a table."""


def with_tables(text: str, page: str) -> str:
    """Replace the state diagrams of a page by tables of their transitions.

    Args:
        text: The page as Markdown.
        page: Its name, for the error.

    Raises:
        DiagramError: The page has a Mermaid diagram of another kind, or with other lines.
    """
    replaced = _DIAGRAM.sub(lambda diagram: _table(diagram["source"], page), text)
    if re.search(r"^ *```+ *mermaid", replaced, re.MULTILINE):
        raise DiagramError(f"{page}: a Mermaid diagram must begin at the start of a line")
    return replaced


def _table(source: str, page: str) -> str:
    kind, *lines = (line.strip() for line in source.splitlines() if line.strip())
    if kind != "stateDiagram-v2":
        raise DiagramError(f"{page}: {kind}: only state diagrams become tables; draw others as SVG files")
    titles: dict[str, str] = {START: ""}
    rows = ["| state | event | next state |", "|---|---|---|"]
    for line in lines:
        if state := _STATE.fullmatch(line):
            titles[state["name"]] = state["title"]
        elif transition := _TRANSITION.fullmatch(line):
            before, after = (titles.get(transition[name], transition[name]) for name in ("before", "after"))
            rows.append(f"| {before} | {transition['event'] or ''} | {after} |")
        else:
            raise DiagramError(f"{page}: not understood in a state diagram: {line}")
    return "\n".join(rows)
