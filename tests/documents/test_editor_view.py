"""Names of the example documents in the editor."""

from __future__ import annotations

from timbra.documents.editor_view import examples


def test_examples_have_spanish_names_and_no_identifiers() -> None:
    names = dict(examples())
    assert names["retencion-dividendos"] == "Retención: Dividendos"
    assert names["obrasarte"] == "Obras de arte y antigüedades"
    assert [name for name, text in names.items() if name == text] == []
    assert [text for text in names.values() if "_" in text or text[0].islower()] == []
    assert len(set(names.values())) == len(names)
