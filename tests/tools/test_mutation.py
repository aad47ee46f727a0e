"""The sampler of mutants: what it changes, and what it leaves alone."""

from __future__ import annotations

import ast

import pytest
from tools.mutation import mutants_of


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", "(a <= b)"),
        ("a in b", "(a not in b)"),
        ("a and b", "(a or b)"),
        ("x = not a", "x = (a)"),
        ("a + b", "(a - b)"),
        ("x = 7", "x = (8)"),
        ("x = True", "x = (False)"),
        ("x = a if b else c", "x = (c if b else a)"),
        ("raise ValueError(a)", "pass"),
        ("save(a)", "pass"),
        ("def f():\n    return a", "def f():\n    return None"),
        ("for a in b:\n    continue", "for a in b:\n    break"),
    ],
)
def test_mutants_of_applies_operator(source: str, expected: str) -> None:
    [mutant] = mutants_of(source.encode())
    assert mutant.apply(source.encode()).decode() == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "if TYPE_CHECKING:\n    x = 1",
        'x = f"{a}"',
        "def f():\n    return None",
        "from a import b",
        "@dataclass(frozen=True, slots=True, eq=False)\nclass A: ...",
        "x = field(repr=False)",
        "@functools.lru_cache(maxsize=1024)\ndef f(): ...",
        "@lru_cache(1024)\ndef f(): ...",
        "MAX_DATES, MAX_VALUES = 4, 3_000",
        "MAX_PLANS = 256",
        "len(memo) >= MAX_VALUES",
    ],
)
def test_mutants_of_leaves_source_alone(source: str) -> None:
    assert mutants_of(source.encode()) == []


@pytest.mark.parametrize(
    ("source", "operators"),
    [
        ("x = field(default=1, repr=False)", ["constant"]),
        ("x = f(frozen=True)", ["constant"]),
        ("MAX_PREFIXES = 32", ["constant"]),
        ("len(prefixes) > MAX_PREFIXES", ["comparison"]),
    ],
)
def test_mutants_of_changes_defaults_and_limits(source: str, operators: list[str]) -> None:
    assert [mutant.operator for mutant in mutants_of(source.encode())] == operators


def test_mutants_of_reaches_decorated_functions() -> None:
    source = "@rule('CFDI40101', at='@Total')\ndef total(node, ctx):\n    return node.total > ctx.limit\n"
    assert {mutant.operator for mutant in mutants_of(source.encode())} == {"comparison", "return None"}


def test_mutants_of_counts_bytes_in_lines_with_accents() -> None:
    source = 'x = "ñandú" + y > 3  # más\n'.encode()
    for mutant in mutants_of(source):
        ast.parse(mutant.apply(source))
        assert mutant.apply(source).endswith("  # más\n".encode())
