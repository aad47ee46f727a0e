"""Native functions keep no references and no memory, whether they return or raise."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest
from lxml import etree
from tests.native.pairs import native_module
from tests.native.random_documents import snapshot

from timbra.cfdi.from_json.reading import read_flag
from timbra.cfdi.from_json.schema_shapes import ElementShape
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.structure.valid_forms import compile_program
from timbra.examples import ingreso

ROUNDS = 2000
PAGE_BYTES = 4096
SMALLEST_OBJECT_BYTES = 16
"""Less than one object for each call."""
MEASUREMENTS = 4
"""A leak is in every one; caches of the interpreter grow in some."""
ALLOWED_BYTES = 2 << 20
"""Growth of the process that pools and fragmentation may cause; one lost byte per node would be more."""
DEEP = 1100


def deep_document() -> etree._Element:
    root = top = etree.Element("{http://www.sat.gob.mx/cfd/4}Comprobante")
    for _ in range(DEEP):
        top = etree.SubElement(top, "{http://www.sat.gob.mx/cfd/4}Complemento")
    return root


def with_entities() -> etree._Element:
    """Return a document that the Python code takes over."""
    text = (
        "<!DOCTYPE c:Comprobante [<!ENTITY e 'x'>]>"
        "<c:Comprobante xmlns:c='http://www.sat.gob.mx/cfd/4' Version='a&e;'/>"
    )
    return etree.fromstring(text, etree.XMLParser(resolve_entities=False))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


def source() -> Any:
    return orjson.loads(snapshot().read("cadena/cfdi-2.0.json"))


UNKNOWN = [[0, "a", [["x", ["./", [], ""]]]]]
SOURCE = ingreso().encode()
JSON = b'{"a": [{"b": 1000, "c": "x"}, 2000], "d": 3000}'
ROOT = etree.fromstring(SOURCE)
PROGRAM: Any = compile_program(snapshot(), "cfdv40.xsd")
CALLS: dict[str, Callable[[], Callable[[], object]]] = {
    "cadena": lambda: _bound(4, lambda program: program.run(ROOT)),
    "cadena of a deep document": lambda: _deep(),
    "cadena with entities": lambda: _entities(),
    "cadena of no element": lambda: _bound(4, lambda program: program.run(None)),
    "program": lambda: lambda: native_module("cadena").CadenaProgram(source()),
    "bad program": lambda: (
        lambda: native_module("cadena").CadenaProgram(source() | {"templates": [[0, "a", [["x", 1]]]]})
    ),
    "tree shape": lambda: lambda: native_module("tree_shape").tree_shape(ROOT),
    "tree shape of no element": lambda: lambda: native_module("tree_shape").tree_shape(None),
    "padded values": lambda: lambda: native_module("padded_values").has_padded_values(ROOT),
    "size of a tree": lambda: lambda: native_module("long_trees").has_elements(ROOT, 5),
    "valid forms": lambda: _forms(ROOT),
    "valid forms of no element": lambda: _forms(None),
    "valid forms, made": lambda: lambda: native_module("valid_forms").ValidForms(PROGRAM),
    "valid forms of no program": lambda: (
        lambda: native_module("valid_forms").ValidForms(PROGRAM._replace(roots=((None, 1),)))
    ),
    "JSON elements": lambda: _json_elements({"b": "é<", "#text": "x"}),
    "JSON elements that lxml converts": lambda: _json_elements({"b": "\x01", "#text": "x" * 9999}),
    "JSON elements with an error": lambda: _json_elements({"d": {"Any": [{"f": {}}]}}),
    "JSON integers": lambda: lambda: native_module("json_elements").restore_integers(JSON, orjson.loads(JSON)),
    "walk": lambda: lambda: walk_document(ROOT),
    "reading back": lambda: lambda: native_module("stamp_reader").is_plainly_stamped(SOURCE, b"a", b"b", b"c", b"d"),
    "reading back of no UTF-8": lambda: (
        lambda: native_module("stamp_reader").is_plainly_stamped(b"\xff", b"", b"", b"", b"")
    ),
    "qr": lambda: lambda: native_module("qr").qr_png(b"https://example.mx/?id=1", 9),
    "qr that does not fit": lambda: lambda: native_module("qr").qr_png(b"x" * 300, 9),
}


def _bound(version: int, call: Callable[[Any], object]) -> Callable[[], object]:
    program = native_module("cadena").CadenaProgram(orjson.loads(snapshot().read(f"cadena/cfdi-{version}.0.json")))
    return lambda: call(program)


def _forms(root: Any) -> Callable[[], object]:
    forms = native_module("valid_forms").ValidForms(PROGRAM)
    return lambda: forms.accept(root)


def _json_elements(content: dict[str, Any]) -> Callable[[], object]:
    shape = ElementShape("c", text=True, repeated=True, attributes=["b"], children={"d": ElementShape("d", open=True)})
    root = ElementShape("r", children={"c": shape, "e": ElementShape("e")})
    plan = native_module("json_elements").ElementPlan(root, "x", read_flag)
    # The keys are not in the order of the schema, so that the parts are sorted.
    return lambda: plan.write_children({"e": (None, {}), "c": (None, [content, content])}, _raise)


def _raise(*_: object) -> object:
    raise KeyError


def _deep() -> Callable[[], object]:
    root = deep_document()
    return _bound(4, lambda program: program.run(root))


def _entities() -> Callable[[], object]:
    root = with_entities()
    return _bound(4, lambda program: program.run(root))


def repeat(call: Callable[[], object], rounds: int) -> None:
    for _ in range(rounds):
        with suppress(RecursionError, TypeError, ValueError, KeyError):
            call()


@pytest.mark.parametrize("name", CALLS)
def test_native_call_keeps_no_python_memory(name: str) -> None:
    call = CALLS[name]()
    rounds = 40 if "entities" in name else 200 if "program" in name or "made" in name else ROUNDS
    kept = []
    tracemalloc.start()
    try:
        for _ in range(MEASUREMENTS):
            repeat(call, rounds)
            gc.collect()
            kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert min(after - before for before, after in pairwise(kept)) < SMALLEST_OBJECT_BYTES * rounds


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
@pytest.mark.parametrize("name", CALLS)
def test_native_call_keeps_no_memory_of_its_own(name: str) -> None:
    call = CALLS[name]()
    rounds = 200 if "program" in name or "made" in name or "entities" in name else ROUNDS
    repeat(call, rounds)
    before = resident_bytes()
    repeat(call, rounds)
    assert resident_bytes() - before < ALLOWED_BYTES


def test_native_calls_keep_no_references_to_their_arguments() -> None:
    program, data = native_module("cadena").CadenaProgram(source()), bytes(100)
    arguments = (ROOT, program, data, None)
    counts = [sys.getrefcount(argument) for argument in arguments[:3]]
    for _ in range(100):
        program.run(ROOT)
        native_module("tree_shape").tree_shape(ROOT)
        native_module("qr").qr_png(data, 9)
        native_module("qr").qr_modules(data, 9)
    assert [sys.getrefcount(argument) for argument in arguments[:3]] == counts
