"""Generator of docs/openapi.json, docs/endpoints.md and docs/errors.md from the table of operations: `make docs`."""

from __future__ import annotations

import json
from pathlib import Path

from timbra.api.openapi.document import build_document
from timbra.api.operation_table import OPERATIONS
from tools.reference_pages import endpoints_page, errors_page

DOCS = Path(__file__).resolve().parents[1] / "docs"


def pages() -> dict[str, str]:
    """Return the content of each generated file by its name."""
    return {
        "openapi.json": json.dumps(build_document(OPERATIONS), ensure_ascii=False, indent=2) + "\n",
        "endpoints.md": endpoints_page(OPERATIONS),
        "errors.md": errors_page(),
    }


if __name__ == "__main__":
    for name, content in pages().items():
        (DOCS / name).write_text(content, encoding="utf-8")
