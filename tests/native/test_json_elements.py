"""Elements of JSON documents: what native code writes is what lxml writes, for every content that it accepts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from msgspec.json import Decoder
from tests.native.pairs import native_module
from tests.native.random_documents import documents, snapshot
from tests.support.corpus import corpus_path
from tests.support.effort import rounds
from tests.support.json_documents import as_json

from timbra.cfdi.from_json import JsonDocuments
from timbra.cfdi.from_json.plain_elements import PROBE, PlainElements
from timbra.cfdi.from_json.reading import read_flag
from timbra.cfdi.from_json.schema_shapes import ElementShape
from timbra.core.errors import ServiceError
from timbra.examples import carta_porte, exportacion, ingreso, nomina, pago, retencion

native_module("json_elements")
BY_LXML, NATIVE = JsonDocuments(snapshot()), JsonDocuments(snapshot())
BY_LXML._plain._is_usable = False
EXAMPLES = [as_json(etree.fromstring(each.encode())) for each in (ingreso(concepts=3), pago(), nomina(), carta_porte())]
EXAMPLES += [as_json(etree.fromstring(exportacion().encode()))]
TEXTS = (
    "", " ", "a", "&<>'\"", "línea\tdos\r\n", "\u00a0", "😀|", "\x7f", "\x80", "\x00", "\x0b", "\ufffe", "\uffff",
    "\ufffd", "\uf8ff", "\ud800", "]]>", "x" * 70_000, PROBE,
)  # fmt: skip
OTHERS: tuple[Any, ...] = (None, True, False, "true", " FALSE ", [], {}, [[]], [None], ["a"], {"#text": "x"}, [{}, {}])


def outcome(convert: JsonDocuments, content: object) -> object:
    """Return the conversion, or the code and sentence of the rejection."""
    body = json.dumps(content).encode()
    try:
        return convert.invoice(body)
    except ServiceError as error:
        return error.code, error.detail


class Number(str):
    """A number as it is written."""

    def __new__(cls, text: object) -> Number:
        return super().__new__(cls, text)


class Pairs(list[tuple[str, Any]]):
    """The members of an object, of which keys may be equal."""


def written(content: object, blanks: tuple[str, str]) -> str:
    """Return JSON with blanks around colons."""
    before, after = blanks
    if isinstance(content, Number):
        return str(content)
    if isinstance(content, Pairs):
        parts = (f"{json.dumps(key)}{before}:{after}{written(value, blanks)}" for key, value in content)
        return f"{{{','.join(parts)}}}"
    if isinstance(content, list):
        return f"[{','.join(written(each, blanks) for each in content)}]"
    return json.dumps(content)


def repeats_keys(content: object) -> bool:
    """Whether an object in the content has a key twice."""
    if isinstance(content, Pairs):
        keys = [key for key, _ in content]
        return len(keys) > len(set(keys)) or any(repeats_keys(value) for _, value in content)
    return isinstance(content, list) and any(repeats_keys(each) for each in content)


def members(element: etree._Element) -> dict[str, Any]:
    """Return any element as JSON, each of its children in an array."""
    content: dict[str, Any] = {etree.QName(name).localname: value for name, value in element.attrib.items()}
    if (element.text or "").strip():
        content["#text"] = element.text
    for child in element.iterchildren("*"):
        content.setdefault(etree.QName(child).localname, []).append(members(child))
    return content


def is_native(content: object) -> bool:
    """Whether native code writes the content."""
    written: list[object] = []
    write = PlainElements.write

    def recorded(plain: PlainElements, *arguments: Any) -> object:
        written.append(write(plain, *arguments))
        return written[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlainElements, "write", recorded)
        outcome(NATIVE, content)
    return written != [None]


def changed(content: Any, jitter: random.Random, share: float) -> Any:
    """Return JSON with some changes: other keys, another order of keys, flags, other values."""
    if isinstance(content, list):
        return [changed(each, jitter, share) for each in content]
    if not isinstance(content, dict):
        return jitter.choice(TEXTS) if jitter.random() < share else content
    members = {}
    for key, value in content.items():
        name, new = key, changed(value, jitter, share)
        if jitter.random() < share:
            name = jitter.choice((key.upper(), key.lower(), f"cfdi:{key}", f"@{key}", key.rpartition(":")[2], "Otro"))
        if jitter.random() < share / 4:
            new = jitter.choice(OTHERS)
        if jitter.random() < share:
            members[f"{key}Specified"] = jitter.choice((True, False, "True", "false", None, "x"))
        members[name] = new
    if jitter.random() < share:
        members["#text"] = jitter.choice(TEXTS)
    if jitter.random() < share:
        members = dict(sorted(members.items(), key=lambda _: jitter.random()))
    return members


@pytest.mark.parametrize("content", EXAMPLES, ids=range(len(EXAMPLES)))
def test_native_code_writes_examples(content: dict[str, Any]) -> None:
    assert is_native(content)
    assert outcome(NATIVE, content) == outcome(BY_LXML, content)


def test_native_code_writes_keys_in_any_order_and_flags() -> None:
    backwards = json.loads(json.dumps(EXAMPLES[0]), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    backwards["Conceptos"][0] |= {"DescuentoSpecified": False, "Descuento": "0", "ImpuestosSpecified": True}
    assert is_native(backwards)
    assert outcome(NATIVE, backwards) == outcome(BY_LXML, backwards)


def test_retencion_is_written_as_by_lxml() -> None:
    body = json.dumps(as_json(etree.fromstring(retencion().encode()))).encode()
    assert NATIVE.retencion(body) == BY_LXML.retencion(body)


def test_corpus_is_written_as_by_lxml() -> None:
    manifest = json.loads((corpus_path() / "manifest.json").read_text())["documents"]
    files = [corpus_path() / entry["file"] for entry in manifest if entry["version"]]
    contents = [as_json(etree.parse(file, etree.XMLParser(remove_comments=True)).getroot()) for file in files]
    compared = [content for content in contents if outcome(NATIVE, content) == outcome(BY_LXML, content)]
    assert len(compared) == len(contents) > 50
    assert sum(map(is_native, contents[:60])) > 30


@pytest.mark.parametrize("share", [0.002, 0.02, 0.2])
@pytest.mark.parametrize("seed", range(rounds(15, 400)))
def test_changed_documents_are_written_as_by_lxml(seed: int, share: float) -> None:
    jitter = random.Random(f"{seed} {share}")
    for example in EXAMPLES:
        content = changed(example, jitter, share)
        assert outcome(NATIVE, content) == outcome(BY_LXML, content)


@pytest.mark.parametrize("version", ["3.3", "4.0"])
@pytest.mark.parametrize("seed", range(rounds(1, 20)))
def test_documents_of_every_complement_are_written_as_by_lxml(version: str, seed: int) -> None:
    for root in documents(version, random.Random(seed)):
        content = members(root)
        assert outcome(NATIVE, content) == outcome(BY_LXML, content)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("place", [lambda text: {"a": text}, lambda text: {"a": {"#text": text, "b": text}}])
def test_texts_are_written_as_by_lxml(text: str, place: Callable[[str], object]) -> None:
    child = ElementShape("a", text=True, attributes=["b"])
    plan = native_module("json_elements").ElementPlan(ElementShape("r", children={"a": child}), "x", read_flag)
    content = {key: (None, value) for key, value in place(text).items()}  # type: ignore[attr-defined]
    written = plan.write_children(content, lambda *_: None)
    try:
        root = etree.Element("{urn:x}r", nsmap={"x": "urn:x"})
        element = etree.SubElement(root, "{urn:x}a", {} if content["a"][1] is text else {"b": text})
        element.text = text
    except ValueError:
        assert written is None
        return
    expected: bytes = etree.tostring(root, encoding="utf-8")
    assert written is None or expected == b'<x:r xmlns:x="urn:x">' + written + b"</x:r>"
    assert (written is None) == (not text or "\x7f" in text or text == "\ufffd" or text == "\uf8ff")


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["a", "b", "c", "d", "@b", "#text", "aSpecified", "x:a", "Any", ""]), inner), max_leaves=20,
))  # fmt: skip
def test_plan_writes_well_formed_elements_or_nothing(content: object) -> None:
    leaf = ElementShape("c", text=True, repeated=True, attributes=["b"])
    inner = ElementShape("a", children={"c": leaf, "d": ElementShape("d", open=True)}, attributes=["b"])
    root = ElementShape("r", children={"a": inner, "c": leaf, "d": ElementShape("d", open=True)})
    plan = native_module("json_elements").ElementPlan(root, "x", read_flag)
    written = plan.write_children({"a": (None, content), "d": (None, content)}, lambda *_: plan)
    if written is not None:
        etree.fromstring(b'<x:r xmlns:x="urn:x">' + written + b"</x:r>")


def test_plan_writes_nothing_beyond_its_depth() -> None:
    module = native_module("json_elements")
    plan = module.ElementPlan(ElementShape("r", open=True), "x", read_flag)
    nested: dict[str, Any] = {}
    for _ in range(module.MAX_DEPTH - 1):
        nested = {"a": nested}
    assert plan.write_children({"a": (None, nested)}, lambda *_: plan) is not None
    assert plan.write_children({"a": (None, {"a": nested})}, lambda *_: plan) is None


def test_plan_rejects_elements_with_more_attributes_than_its_table() -> None:
    shape = ElementShape("a", attributes=[f"b{number}" for number in range(65)])
    plan = native_module("json_elements").ElementPlan(ElementShape("r", children={"a": shape}), "x", read_flag)
    assert plan.write_children({"a": (None, {"b64": "1"})}, lambda *_: None) is None


def test_plan_raises_for_a_complement_that_is_no_plan() -> None:
    plan = native_module("json_elements").ElementPlan(ElementShape("r", open=True), "x", read_flag)
    with pytest.raises(TypeError):
        plan.write_children({"a": (None, {})}, lambda *_: "x")
    with pytest.raises(TypeError, match="argument"):
        plan.write_children({"a": (None, {})}, {}.__getitem__)


JSON_TEXTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers().map(Number)
    | st.sampled_from([Number("-0"), Number("0"), Number("1.50"), Number("-0.0"), Number("1E+2"), Number("9" * 40)])
    | st.text(alphabet='a:" \\\né', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(st.tuples(st.text(alphabet='ab:" \\', max_size=2), inner), max_size=4).map(Pairs)
    ),
    max_leaves=12,
)
BLANKS = st.sampled_from(["", " ", "\n\t", "\r\n  "])
FAST = Decoder(float_hook=str).decode


def by_json(text: bytes) -> object:
    """Return the content as `json` parses it: numbers as they are written."""
    return json.loads(text, parse_float=str, parse_int=str)


@given(content=JSON_TEXTS, blanks=st.tuples(BLANKS, BLANKS))
def test_restore_integers_accepts_only_what_is_written(content: object, blanks: tuple[str, str]) -> None:
    text = written(content, blanks).encode()
    parsed = FAST(text)
    is_accepted = native_module("json_elements").restore_integers(text, parsed)
    assert not (is_accepted and repeats_keys(content))
    if is_accepted and not isinstance(content, Number):
        assert parsed == by_json(text)


@pytest.mark.parametrize(
    ("text", "is_accepted"),
    [
        ('{"a": 1, "b": {"a": "12:00:00"}, "c": [{"a": 1}, {"a": 2}]}', True),
        ('{"a" \r\n\t: "b:"}', True),
        ('{"a": 1, "a": 1}', False),
        ('[[{"b": [{"a": 1, "\\u0061": 1}]}]]', False),
        ('{"a": {"b": 1, "c": 2}, "a" :{}}', False),
        ('"b:"', True),
        ('{"a": 0, "b": -0.0, "c": -1}', False),
        ('{"a": 0, "b": 10, "c": [0]}', True),
        ('{"a": -0}', False),
        ('{"a": [-0]}', False),
        ('{"a": -0.0}', True),
    ],
)
def test_restore_integers_tells_usual_objects_from_others(text: str, is_accepted: bool) -> None:
    content = FAST(text.encode())
    assert native_module("json_elements").restore_integers(text.encode(), content) is is_accepted
    assert not is_accepted or content == by_json(text.encode())


def test_restore_integers_raises_for_integers_that_python_does_not_write() -> None:
    with pytest.raises(ValueError, match="digits"):
        native_module("json_elements").restore_integers(b"{}", {"a": 10**5000})
