"""Generator of docs/openapi.json, docs/endpoints.md, docs/errors.md and the Postman collection: `make docs`."""

from __future__ import annotations

import json
from pathlib import Path

from timbra.app.openapi.document import build_document
from timbra.app.operation_table import OPERATIONS
from tools.api_examples.collection import collection, to_text
from tools.api_examples.scenario import SCENARIO
from tools.reference_pages import endpoints_page, errors_page

COLLECTION = "collections/timbra.postman_collection.json"
DOCS = Path(__file__).resolve().parents[1] / "docs"


def pages() -> dict[str, str]:
    """Return the content of each generated file by its name."""
    document = build_document(OPERATIONS)
    return {
        "openapi.json": json.dumps(document, ensure_ascii=False, indent=2) + "\n",
        COLLECTION: to_text(collection(document, SCENARIO)),
        "endpoints.md": endpoints_page(OPERATIONS),
        "errors.md": errors_page(),
    }


if __name__ == "__main__":
    for name, content in pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(content, encoding="utf-8")
