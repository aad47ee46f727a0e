"""Native functions never crash: on trees that no document has they agree with Python, on other input they raise."""

from __future__ import annotations

import random
from contextlib import suppress
from copy import deepcopy
from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.native.pairs import native_module
from tests.native.random_documents import documents, mutate, snapshot
from tests.native.test_cadena_differential import check, programs

from timbra._native import tree_shape_python

CFD = "http://www.sat.gob.mx/cfd/4"


def comprobante(attributes: str = "", content: str = "", version: str = "4") -> etree._Element:
    text = f"<c:Comprobante xmlns:c='http://www.sat.gob.mx/cfd/{version}' {attributes}>{content}</c:Comprobante>"
    return etree.fromstring(text, etree.XMLParser(huge_tree=True, resolve_entities=False))


@pytest.mark.parametrize("value", ["x" * 20_000_000, " " * 20_000_000, "é \t" * 3_000_000, "\u00a0" * 5_000_000])
def test_cadena_of_enormous_values(value: str) -> None:
    root = comprobante()
    root.set("Version", value)
    root.set("Total", value)
    assert len(check(root, "4.0")) <= 2 * len(value) + 50


def test_cadena_of_very_many_attributes_and_elements() -> None:
    root = comprobante(" ".join(f"a{index}='{index}'" for index in range(5000)) + " Version='4.0'")
    conceptos = etree.SubElement(root, f"{{{CFD}}}Conceptos")
    for index in range(20_000):
        etree.SubElement(conceptos, f"{{{CFD}}}Concepto", Cantidad=str(index))
    assert check(root, "4.0").count("|") > 100_000


@pytest.mark.parametrize(
    "content",
    [
        "<Conceptos/>",
        "<Conceptos xmlns=''/>",
        "<Conceptos xmlns='urn:x'/>",
        f"<Conceptos xmlns='{CFD}'><Concepto Cantidad='1' c:Cantidad='2'/></Conceptos>",
        f"<c:Conceptos xmlns:c='{CFD}/'><c:Concepto/></c:Conceptos>",
        f"<c:Conceptos xmlns:c='{CFD.upper()}'><c:Concepto/></c:Conceptos>",
        f"<d:Conceptos xmlns:d='{CFD}'><e:Concepto xmlns:e='{CFD}' xmlns:c='urn:x' c:Importe='1' Importe='2'/>"
        "</d:Conceptos>",
        "<c:Conceptos c:Cantidad='1' xml:space='preserve'><c:Concepto xml:lang='es'/></c:Conceptos>",
        "<c:Emisor Rfc='1' rfc='2' RFC='3'/><c:emisor Rfc='4'/>",
        f"<c:Complemento>{'<c:Comprobante>' * 50}{'</c:Comprobante>' * 50}</c:Complemento>",
    ],
)
def test_cadena_of_namespace_tricks(content: str) -> None:
    for version in ("4.0", "3.3"):
        check(comprobante("c:Version='1' xmlns:x='urn:x' x:Serie='2'", content, version[0]), version)


@given(st.integers(0, 2**32))
def test_tree_shape_of_any_mutant(seed: int) -> None:
    jitter = random.Random(seed)
    root = deepcopy(jitter.choice(bases()))
    for _ in range(5):
        mutate(root, jitter)
    element = jitter.choice(list(root.iter(etree.Element)))
    assert native_module("tree_shape").tree_shape(element) == tree_shape_python.tree_shape(element)


@cache
def bases() -> list[etree._Element]:
    return list(documents("4.0", random.Random(1)))


JSON = st.recursive(
    st.none() | st.integers(-3, 99) | st.sampled_from(["", "*", "./", ".//", "/", "text", "each", "a\0b", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


def replaced(program: Any, value: object, jitter: random.Random) -> Any:
    """Return a program with one part replaced."""
    if not isinstance(program, (list, dict)) or not program or jitter.random() < 0.1:
        return value
    copy = program.copy()
    place = jitter.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))
    copy[place] = replaced(copy[place], value, jitter)
    return copy


@given(st.integers(0, 2**32), JSON)
def test_damaged_programs_raise_or_run(seed: int, value: object) -> None:
    program = replaced(orjson.loads(snapshot().read("cadena/cfdi-4.0.json")), value, random.Random(seed))
    document = etree.fromstring(etree.tostring(bases()[0], encoding="UTF-8"))
    with suppress(AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, RecursionError):
        native_module("cadena").CadenaProgram(program).run(document)


def test_run_uses_python_for_references_to_entities() -> None:
    text = f"<!DOCTYPE c:Comprobante [<!ENTITY e 'x'>]><c:Comprobante xmlns:c='{CFD}' Version='a&e;'/>"
    root = etree.fromstring(text, etree.XMLParser(resolve_entities=False))
    native, _ = programs("cfdi-4.0")
    assert native.run(root).startswith("||ax|")
