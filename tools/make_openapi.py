"""Generator of openapi.json, the Postman collection, and the pages of endpoints and errors in docs/: `make docs`."""

from __future__ import annotations

import json
from pathlib import Path

from timbra.app.openapi.document import build_document
from timbra.app.operation_table import OPERATIONS
from tools.api_examples.collection import collection, to_text
from tools.api_examples.scenario import SCENARIO
from tools.page_language import PageLanguage, reference_name
from tools.reference_pages import endpoints_page, errors_page

COLLECTION = "collections/timbra.postman_collection.json"
DOCS = Path(__file__).resolve().parents[1] / "docs"


def pages() -> dict[str, str]:
    """Return the content of each generated file by its name."""
    document = build_document(OPERATIONS)
    return {
        "openapi.json": json.dumps(document, ensure_ascii=False, indent=2) + "\n",
        COLLECTION: to_text(collection(document, SCENARIO)),
        **{reference_name("endpoints.md", language): endpoints_page(OPERATIONS, language) for language in PageLanguage},
        **{reference_name("errors.md", language): errors_page(language) for language in PageLanguage},
    }


if __name__ == "__main__":
    for name, content in pages().items():
        (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / name).write_text(content, encoding="utf-8")
