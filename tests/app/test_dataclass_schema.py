"""JSON schemas derived from the types of answers, and the check of answers against them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, NotRequired, TypedDict, TypeVar

import orjson
import pytest
from tests.support.answer_schemas import assert_answer_matches, differences

from timbra.app.openapi.dataclass_schema import SchemaBuilder

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item:
    """A record."""

    amount: orjson.Fragment
    note: Annotated[str | None, "Free text."]


class Entry(TypedDict):
    """A record with a member that may be absent."""

    code: str
    hint: NotRequired[Annotated[str, "What to do."]]


@dataclass(frozen=True, slots=True)
class Envelope(Generic[T]):
    """An envelope."""

    data: T
    status: Literal["success"] = "success"


@dataclass(frozen=True, slots=True)
class Twice:
    """A record with one value under two names."""

    urlPdf: str  # noqa: N815
    urlPDF: str  # noqa: N815


ITEM = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "note": {"type": ["string", "null"], "description": "Free text."},
    },
    "required": ["amount", "note"],
}
ENTRY = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "hint": {"type": "string", "description": "What to do."}},
    "required": ["code"],
}


ITEM_REFERENCE = {"$ref": "#/components/schemas/Item"}
ENTRY_REFERENCE = {"$ref": "#/components/schemas/Entry"}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (Item, ITEM),
        (Entry, ENTRY),
        (
            Twice,
            {
                "type": "object",
                "properties": {"urlPdf": {"type": "string"}},
                "required": ["urlPdf"],
                "additionalProperties": True,
            },
        ),
        (Item | None, {"anyOf": [ITEM_REFERENCE, {"type": "null"}]}),
        (Entry | Item | None, {"anyOf": [ITEM_REFERENCE, ENTRY_REFERENCE, {"type": "null"}]}),
        (list[Item], {"type": "array", "items": ITEM_REFERENCE}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict[str, object], {"type": "object"}),
        (Literal["a"], {"type": "string", "enum": ["a"]}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (Literal[0, 1], {"type": "integer", "enum": [0, 1]}),
        (None.__class__, {"type": ["string", "null"], "description": "Always null."}),
    ],
)
def test_schema_of_derives_the_schema_of_a_type(annotation: Any, schema: dict[str, Any]) -> None:
    assert SchemaBuilder().schema_of(annotation) == schema


def test_schema_of_replaces_type_variables_by_their_arguments() -> None:
    builder = SchemaBuilder()
    assert builder.schema_of(Envelope[list[Item]]) == {
        "type": "object",
        "properties": {
            "data": {"type": "array", "items": ITEM_REFERENCE},
            "status": {"type": "string", "enum": ["success"]},
        },
        "required": ["data", "status"],
    }
    assert builder.components == {"Item": ITEM}


@pytest.mark.parametrize("annotation", [datetime, set[str], Envelope])
def test_schema_of_raises_when_a_type_has_no_schema(annotation: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        SchemaBuilder().schema_of(annotation)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"code": "a"}, None),
        ({"code": "a", "hint": "b"}, None),
        ({}, "answer.code is missing"),
        ({"code": 1}, "answer.code is int, not string"),
        ({"code": "a", "hint": None}, "answer.hint is NoneType, not string"),
        ({"code": "a", "extra": 1}, "answer.extra is not in the schema"),
    ],
)
def test_differences_names_each_member_that_does_not_match(value: Any, problem: str | None) -> None:
    assert differences(value, ENTRY, "answer") == ([] if problem is None else [problem])


def test_differences_raises_when_it_does_not_evaluate_a_keyword() -> None:
    with pytest.raises(AssertionError, match="oneOf"):
        differences(1, {"oneOf": [{"type": "integer"}]}, "answer")


def test_assert_answer_matches_raises_when_no_version_of_a_stamp_matches() -> None:
    path = "/cfdi33/stamp/v4"
    assert_answer_matches("POST", path, 200, {"data": {"tfd": "<x/>"}, "status": "success"})
    with pytest.raises(AssertionError, match="matches 0"):
        assert_answer_matches("POST", path, 200, {"data": {"tfd": None}, "status": "success"})
