"""Differences of example documents."""

from __future__ import annotations

from tests.support.rule_set_examples import EXAMPLES, RULES

from timbra.examples.codes.seals import SealedPair, StampedPair
from timbra.rules.reference.differences import Difference, differences, indented

MAX_LENGTH = 160


def test_differences_names_changed_added_and_removed_attributes() -> None:
    found = differences('<a x="1" y="2"><b/></a>', '<a x="3"><b z="4"/></a>')
    assert found == (
        Difference("@x", "1", "3"),
        Difference("@y", "2", None),
        Difference("b/@z", None, "4"),
    )


def test_differences_names_added_and_removed_elements() -> None:
    found = differences('<a><b x="1"/><c><d/></c></a>', '<a><b x="1"/><e x="2"/></a>')
    assert found == (Difference("c", "<c>", None), Difference("e", None, '<e x="2"/>'))


def test_differences_counts_siblings_of_one_name() -> None:
    assert differences('<a><b x="1"/><b x="2"/></a>', '<a><b x="1"/><b x="3"/></a>') == (
        Difference("b[2]/@x", "2", "3"),
    )


def test_differences_names_an_inserted_sibling_alone() -> None:
    found = differences('<a><b x="1"/><b x="2"/></a>', '<a><b x="1"/><b x="9"/><b x="2"/></a>')
    assert found == (Difference("b[2]", None, '<b x="9"/>'),)


def test_differences_names_a_changed_namespace_once() -> None:
    found = differences('<p:a xmlns:p="one"><p:b/></p:a>', '<p:a xmlns:p="two"><p:b/></p:a>')
    assert found == (Difference("@xmlns:p", "one", "two"),)


def test_differences_names_a_changed_prefix() -> None:
    found = differences('<p:a xmlns:p="one"/>', '<q:a xmlns:q="one"/>')
    assert found[0] == Difference("", "p:a", "q:a")


def test_differences_names_a_changed_text() -> None:
    assert differences("<a>1</a>", "<a>2</a>") == (Difference("text()", "1", "2"),)


def test_differences_compares_the_text_when_the_trees_are_equal() -> None:
    assert differences("<a><b/></a>", "<a><b></b></a>") == (Difference("", "<b/>", "<b></b>"),)


def test_differences_truncates_long_values() -> None:
    (found,) = differences('<a x=""/>', f'<a x="{"y" * 1000}"/>')
    assert found.failing is not None
    assert len(found.failing) == MAX_LENGTH


def test_differences_exist_for_every_example() -> None:
    texts = {
        code: pair for code, pair in EXAMPLES.items() if not isinstance(RULES[code].fails, SealedPair | StampedPair)
    }
    assert [code for code, pair in texts.items() if not differences(pair.passing(), pair.failing())] == []


def test_indented_writes_one_element_on_each_line() -> None:
    assert indented("<a><b/><c/></a>").splitlines() == ["<a>", "  <b/>", "  <c/>", "</a>"]
