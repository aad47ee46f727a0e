"""Mutants of a Python source: the same text with one expression or statement changed.

The sampler reads the syntax tree and replaces the changed part of the text, so comments and line numbers are preserved.
It also mutates decorated functions. Annotations, docstrings and the code below `if TYPE_CHECKING` are not mutated.

Changes without an effect on behaviour are not drawn:

- the flags `frozen`, `slots`, `repr` and `eq` of `dataclass(...)` and `field(...)`;
- the size of an `lru_cache`;
- a bound of a cache (`CACHE_BOUNDS`) changed by one: its constant plus one, and `>` for `>=` in a comparison with it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
CACHE_BOUNDS = frozenset({"MAX_DATES", "MAX_PLANS", "MAX_VALUES"})
"""Module-level constants that only bound a cache; other constants named MAX_* are limits that tests must cover."""
DATACLASS_FLAGS = frozenset({"frozen", "slots", "repr", "eq"})
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Change = Callable[[ast.AST], ast.AST | None]


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        start, end: the replaced bytes of the source.
        line: line of the first of them, from 1.
        operator: name of the kind of change.
        in_function: whether the change is inside a function, so that it runs with a call and not at import.
    """

    start: int
    end: int
    line: int
    operator: str
    before: str
    after: str
    in_function: bool

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(source: bytes) -> list[Mutant]:
    """Return every mutant of a source, in the order of the text."""
    starts = _line_starts(source)
    found: list[Mutant] = []
    for node, in_function in _mutable(ast.parse(source)):
        for name, change in OPERATORS.items():
            changed = change(node)
            if changed is None or not isinstance(node, ast.expr | ast.stmt):
                continue
            start, end = _span(node, starts)
            after = ast.unparse(changed)
            if isinstance(node, ast.expr):
                after = f"({after})"
            before = source[start:end].decode()
            found.append(Mutant(start, end, source[:start].count(b"\n") + 1, name, before, after, in_function))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.operator))


def _comparison(node: ast.AST) -> ast.AST | None:
    if not (isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS):
        return None
    if any(isinstance(operand, ast.Name) and operand.id in CACHE_BOUNDS for operand in node.comparators):
        return None
    changed = copy(node)
    changed.ops = [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
    return changed


def _boolean(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.BoolOp):
        return None
    changed = copy(node)
    changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return changed


def _negation(node: ast.AST) -> ast.AST | None:
    return node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else None


def _arithmetic(node: ast.AST) -> ast.AST | None:
    if not (isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC):
        return None
    changed = copy(node)
    changed.op = ARITHMETIC[type(node.op)]()
    return changed


def _constant(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bool):
        return ast.Constant(not node.value)
    return ast.Constant(node.value + 1) if isinstance(node.value, int) else None


def _condition(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.IfExp):
        return None
    changed = copy(node)
    changed.body, changed.orelse = node.orelse, node.body
    return changed


def _raise(node: ast.AST) -> ast.AST | None:
    return ast.Pass() if isinstance(node, ast.Raise) else None


def _return(node: ast.AST) -> ast.AST | None:
    if not isinstance(node, ast.Return) or node.value is None:
        return None
    if isinstance(node.value, ast.Constant) and node.value.value is None:
        return None
    return ast.Return(ast.Constant(None))


def _call(node: ast.AST) -> ast.AST | None:
    return ast.Pass() if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None


def _loop(node: ast.AST) -> ast.AST | None:
    return ast.Break() if isinstance(node, ast.Continue) else None


OPERATORS: dict[str, Change] = {
    "comparison": _comparison,
    "boolean operator": _boolean,
    "negation removed": _negation,
    "arithmetic": _arithmetic,
    "constant": _constant,
    "branches swapped": _condition,
    "raise removed": _raise,
    "return None": _return,
    "call removed": _call,
    "continue to break": _loop,
}


def _mutable(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the nodes that are executed, and whether each is in the body of a function.

    Annotations, strings of f-strings, changes without an effect and the code below `if TYPE_CHECKING` are left out.
    """
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    while pending:
        node, in_function = pending.pop()
        if _is_cache_size(node):
            continue
        yield node, in_function
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params"):
                continue
            children = value if isinstance(value, list) else [value]
            if isinstance(node, ast.Call) and name == "keywords":
                children = _without_flags(node)
            inside = in_function or (name == "body" and isinstance(node, FUNCTIONS))
            pending += [(child, inside) for child in children if isinstance(child, ast.AST) and not _is_literal(child)]


def _is_literal(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom)


def _is_cache_size(node: ast.AST) -> bool:
    """Whether the node is a call of `lru_cache` or an assignment of constants to names of `CACHE_BOUNDS`."""
    if isinstance(node, ast.Call):
        return _called_name(node) == "lru_cache"
    if not isinstance(node, ast.Assign):
        return False
    names = {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return names <= CACHE_BOUNDS and not any(isinstance(part, ast.Call) for part in ast.walk(node.value))


def _without_flags(call: ast.Call) -> list[ast.keyword]:
    """Return the keyword arguments of a call without the flags of a dataclass or a field."""
    if _called_name(call) not in ("dataclass", "field"):
        return call.keywords
    return [keyword for keyword in call.keywords if keyword.arg not in DATACLASS_FLAGS]


def _called_name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _line_starts(source: bytes) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _span(node: ast.expr | ast.stmt, starts: list[int]) -> tuple[int, int]:
    """Return the offsets of the first byte of the node and of the byte after it; the columns of `ast` count bytes."""
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end_column
