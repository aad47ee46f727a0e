"""Functions that exist twice, in C and in Python, with equal results; this module chooses, once for all of them.

See docs/native.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from timbra._native.availability import NativeState, compiled_libxml2, decide, load_modules, mode_of_environment

MODULES = ("cadena", "long_trees", "node_reader", "qr", "texts", "tree_shape")
STATE: NativeState = decide(mode_of_environment(), compiled_libxml2, partial(load_modules, MODULES))
"""What runs in this process."""

qr_png: Callable[[bytes, int], bytes] | None
"""Drawing of a QR code, by content and version; None: `timbra.cfdi.qr` draws from the tables of the snapshot."""

if STATE.active:
    from timbra._native.cadena import CadenaProgram
    from timbra._native.long_trees import has_elements, is_surely_valid
    from timbra._native.node_reader import NodeReader
    from timbra._native.qr import qr_png
    from timbra._native.tree_shape import tree_shape
else:
    from timbra._native.cadena_python import CadenaProgram
    from timbra._native.long_trees_python import has_elements, is_surely_valid
    from timbra._native.node_reader_python import NodeReader  # type: ignore[assignment]
    from timbra._native.tree_shape_python import tree_shape

    qr_png = None

__all__ = [
    "STATE",
    "CadenaProgram",
    "NativeState",
    "NodeReader",
    "has_elements",
    "is_surely_valid",
    "qr_png",
    "tree_shape",
]
