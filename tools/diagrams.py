"""Generator of the SVG diagrams in docs/diagrams, each in Spanish and English.

A diagram is a grid of boxes with arrows. Its own light background keeps it readable on a dark page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "diagrams"
LANGUAGES = ("es", "en")
BOX_WIDTH, BOX_HEIGHT = 190, 64
"""Pixels."""
GAP_X, GAP_Y, MARGIN = 70, 46, 24


@dataclass(frozen=True)
class Box:
    """A box.

    Attributes:
        column, row: Its place in the grid, from 0.
        text: Title and second line, by language.
        columns: Number of columns that it covers.
    """

    column: int
    row: int
    text: Mapping[str, tuple[str, str]]
    columns: int = 1

    @property
    def left(self) -> int:
        """Return the left edge in pixels."""
        return MARGIN + self.column * (BOX_WIDTH + GAP_X)

    @property
    def top(self) -> int:
        """Return the upper edge in pixels."""
        return MARGIN + self.row * (BOX_HEIGHT + GAP_Y)

    @property
    def width(self) -> int:
        """Return the width in pixels."""
        return BOX_WIDTH + (self.columns - 1) * (BOX_WIDTH + GAP_X)


@dataclass(frozen=True)
class Diagram:
    """Boxes by name, arrows as pairs of names, and the description that a screen reader speaks."""

    description: Mapping[str, str]
    boxes: Mapping[str, Box]
    arrows: Sequence[tuple[str, str]]


def both(spanish: tuple[str, str], english: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """Return a text by language."""
    return {"es": spanish, "en": english}


DIAGRAMS: Mapping[str, Diagram] = {
    "architecture": Diagram(
        {
            "es": "Los clientes llaman a los procesos de timbra serve, que usan la base de datos y la autoridad.",
            "en": "Clients call the processes of timbra serve, which use the database and the authority.",
        },
        {
            "program": Box(0, 0, both(("Su programa", "SDK o HTTP"), ("Your program", "SDK or HTTP"))),
            "browser": Box(1, 0, both(("Navegador", "portal, validador"), ("Browser", "portal, validator"))),
            "shell": Box(2, 0, both(("Terminal", "timbra ..."), ("Terminal", "timbra ..."))),
            "interfaces": Box(
                0,
                1,
                both(
                    ("API, portal y línea de comandos", "leen la petición, escriben la respuesta"),
                    ("API, portal and command line", "read the request, write the response"),
                ),
                columns=3,
            ),
            "service": Box(
                0,
                2,
                both(
                    ("Casos de uso", "timbrar, validar, cancelar, administrar"),
                    ("Use cases", "stamp, validate, cancel, administer"),
                ),
                columns=3,
            ),
            "rules": Box(0, 3, both(("Reglas y catálogos", "datos del SAT"), ("Rules, catalogs", "data of the SAT"))),
            "store": Box(1, 3, both(("Base de datos", "SQLite o PostgreSQL"), ("Database", "SQLite or PostgreSQL"))),
            "seals": Box(2, 3, both(("Sellos", "CSD, PKCS#11"), ("Seals", "CSD, PKCS#11"))),
            "delivery": Box(1, 4, both(("Entregas", "proceso aparte"), ("Deliveries", "separate process"))),
            "authority": Box(2, 4, both(("Autoridad", "simulada, o el SAT"), ("Authority", "simulated, or the SAT"))),
        },
        (
            ("program", "interfaces"),
            ("browser", "interfaces"),
            ("shell", "interfaces"),
            ("interfaces", "service"),
            ("service", "rules"),
            ("service", "store"),
            ("service", "seals"),
            ("store", "delivery"),
            ("delivery", "authority"),
        ),
    ),
    "stamp-life": Diagram(
        {
            "es": "Un timbre: petición, cuenta, revisión, timbre en memoria, commit, respuesta, entrega.",
            "en": "A stamp: request, account, checks, stamp in memory, commit, response, delivery.",
        },
        {
            "request": Box(0, 0, both(("1. Petición", "XML o JSON"), ("1. Request", "XML or JSON"))),
            "account": Box(1, 0, both(("2. Cuenta", "token, límites"), ("2. Account", "token, limits"))),
            "checks": Box(2, 0, both(("3. Revisión", "esquema, sello, reglas"), ("3. Checks", "schema, seal, rules"))),
            "stamp": Box(2, 1, both(("4. Timbre", "en memoria"), ("4. Stamp", "in memory"))),
            "commit": Box(1, 1, both(("5. Commit", "una transacción, en disco"), ("5. Commit", "one transaction"))),
            "response": Box(0, 1, both(("6. Respuesta", "200, o 307 si existía"), ("6. Response", "200, or 307"))),
            "outbox": Box(1, 2, both(("7. Bandeja de salida", "reintentos"), ("7. Outbox", "retries"))),
            "authority": Box(2, 2, both(("8. Autoridad", "acuse"), ("8. Authority", "acuse"))),
        },
        (
            ("request", "account"),
            ("account", "checks"),
            ("checks", "stamp"),
            ("stamp", "commit"),
            ("commit", "response"),
            ("commit", "outbox"),
            ("outbox", "authority"),
        ),
    ),
}


def draw(diagram: Diagram, language: str) -> str:
    """Return the SVG document of a diagram in a language."""
    boxes = diagram.boxes.values()
    width = max(box.left + box.width for box in boxes) + MARGIN
    height = max(box.top for box in boxes) + BOX_HEIGHT + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif" text-anchor="middle">',
        f"<title>{escape(diagram.description[language])}</title>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#475569"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="10" fill="#f8fafc"/>',
    ]
    lines += [_arrow(diagram.boxes[start], diagram.boxes[end]) for start, end in diagram.arrows]
    for box in boxes:
        title, second = box.text[language]
        middle = box.left + box.width // 2
        lines += [
            f'<rect x="{box.left}" y="{box.top}" width="{box.width}" height="{BOX_HEIGHT}" rx="8" fill="#ffffff" '
            'stroke="#2563eb" stroke-width="1.5"/>',
            f'<text x="{middle}" y="{box.top + 27}" font-size="15" font-weight="600" fill="#0f172a">'
            f"{escape(title)}</text>",
            f'<text x="{middle}" y="{box.top + 48}" font-size="13" fill="#334155">{escape(second)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def _arrow(start: Box, end: Box) -> str:
    """Return the line of an arrow: horizontal within a row, else vertical over the narrower box."""
    if start.row == end.row:
        y = start.top + BOX_HEIGHT // 2
        right = start.column < end.column
        x1, x2 = (start.left + start.width, end.left) if right else (start.left, end.left + end.width)
        place = f'x1="{x1}" y1="{y}" x2="{x2}" y2="{y}"'
    else:
        narrow = min(start, end, key=lambda box: box.columns)
        x = narrow.left + narrow.width // 2
        place = f'x1="{x}" y1="{start.top + BOX_HEIGHT}" x2="{x}" y2="{end.top}"'
    return f'<line {place} stroke="#475569" stroke-width="1.5" marker-end="url(#end)"/>'


def drawings() -> dict[str, str]:
    """Return the contents of every file in docs/diagrams, by its name."""
    return {
        f"{name}.{language}.svg": draw(diagram, language)
        for name, diagram in DIAGRAMS.items()
        for language in LANGUAGES
    }


def main() -> None:
    """Write the diagrams."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in drawings().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
