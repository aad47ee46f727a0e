"""Functions that exist twice, in C and in Python, with equal results; this module chooses, once for all of them.

See docs/native.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from timbra._native.availability import NativeState, compiled_libxml2, decide, load_modules, mode_of_environment

MODULES = (
    "cadena",
    "element_search",
    "json_elements",
    "long_trees",
    "node_reader",
    "padded_values",
    "plain_documents",
    "qr",
    "stamp_reader",
    "texts",
    "tree_shape",
    "valid_forms",
    "xml_buffer",
)
STATE: NativeState = decide(mode_of_environment(), compiled_libxml2, partial(load_modules, MODULES))
"""What runs in this process."""

qr_png: Callable[[bytes, int], bytes] | None
"""Drawing of a QR code, by content and version; None: `timbra.cfdi.qr` draws from the tables of the snapshot."""
restore_integers: Callable[[bytes, object], bool] | None
"""Text of the integers in parsed JSON, and search for repeated keys; None: `json` calls a hook for each object."""

if STATE.active:
    from timbra._native.cadena import CadenaProgram
    from timbra._native.element_search import ElementSearch
    from timbra._native.json_elements import ElementPlan, restore_integers
    from timbra._native.long_trees import has_elements, is_surely_valid
    from timbra._native.node_reader import NodeReader
    from timbra._native.padded_values import has_padded_values
    from timbra._native.plain_documents import PlainDocument, PlainReader
    from timbra._native.qr import qr_png
    from timbra._native.stamp_reader import is_plainly_stamped
    from timbra._native.tree_shape import tree_shape
    from timbra._native.valid_forms import ValidForms
else:
    from timbra._native.cadena_python import CadenaProgram
    from timbra._native.element_search_python import ElementSearch  # type: ignore[assignment]
    from timbra._native.long_trees_python import has_elements, is_surely_valid
    from timbra._native.node_reader_python import NodeReader  # type: ignore[assignment]
    from timbra._native.padded_values_python import has_padded_values
    from timbra._native.plain_documents_python import PlainDocument, PlainReader  # type: ignore[assignment]
    from timbra._native.stamp_reader_python import is_plainly_stamped
    from timbra._native.tree_shape_python import tree_shape
    from timbra._native.valid_forms_python import ValidForms  # type: ignore[assignment]

    ElementPlan = None  # type: ignore[assignment,misc]
    qr_png = restore_integers = None

__all__ = [
    "STATE",
    "CadenaProgram",
    "ElementPlan",
    "ElementSearch",
    "NativeState",
    "NodeReader",
    "PlainDocument",
    "PlainReader",
    "ValidForms",
    "has_elements",
    "has_padded_values",
    "is_plainly_stamped",
    "is_surely_valid",
    "qr_png",
    "restore_integers",
    "tree_shape",
]
