"""The page docs/bounds.md: every queue, buffer, cache, pool, loop and retry with its limit and what happens there.

Constructs are found in the syntax tree. Caches of `lru_cache` say their limit themselves, a cache of a function without
parameters has one value; the others are declared in `BOUNDS` of their module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from timbra.core.bounds import Bound, BoundKind
from tools.markdown import items, paragraph

ROOT = Path(__file__).resolve().parents[1] / "src"
CONSTRUCTS = frozenset(
    """
    deque Queue LifoQueue PriorityQueue SimpleQueue Semaphore BoundedSemaphore ThreadPoolExecutor ProcessPoolExecutor
    BoundedDict DaemonThreads FairQueue
    """.split()  # noqa: SIM905
)
"""Calls that make a queue, a buffer or a pool."""
NAMES = ("Queue", "Cache", "Buffer")
"""Ends of the names of classes that are such, whatever they are made of."""
CACHES = frozenset({"cache", "lru_cache"})
LEAST_RECENT = "The entry that was used least recently is dropped."


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct of the source that has a limit.

    Attributes:
        place: The class or function of the module; the name of a variable of the module.
        limit: What the construct itself says; empty when a declaration must.
    """

    module: str
    place: str
    limit: str = ""


def constructs(path: Path) -> Iterator[Construct]:
    """Yield the constructs of a module."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for statement in ast.parse(path.read_text("utf-8")).body:
        if isinstance(statement, ast.ClassDef) and _is_named_so(statement):
            yield Construct(module, statement.name)
        for place, limit in _of_statement(statement):
            yield Construct(module, place, limit)


def _is_named_so(statement: ast.ClassDef) -> bool:
    return statement.name.endswith(NAMES) and "Protocol" not in map(_name, statement.bases)


def _of_statement(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    place = _place(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                limit = _limit_of_cache(decorator, has_parameters=_has_parameters(node))
                if limit is not None:
                    yield (node.name if place == node.name else f"{place}.{node.name}"), limit
        elif isinstance(node, ast.Call) and _name(node.func) in CONSTRUCTS:
            yield place, ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and _name(node.func.func) == "lru_cache":
            yield place, _limit_of_cache(node.func, has_parameters=True) or ""
        elif isinstance(node, ast.For) and _is_retry(node.iter):
            yield place, ""


def _limit_of_cache(decorator: ast.expr, *, has_parameters: bool) -> str | None:
    """Return the limit of a decorator that is a cache; None for another one."""
    call = decorator if isinstance(decorator, ast.Call) else None
    name = _name(call.func if call else decorator)
    if name not in CACHES:
        return None
    if not has_parameters:
        return "1 value"
    if name == "cache" or call is None:
        return "" if name == "cache" else "128 values"
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "maxsize")]
    return f"{ast.unparse(given[0])} values" if given else "128 values"


def _has_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = node.args
    return bool(arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg)


def _is_retry(iterated: ast.expr) -> bool:
    """Whether a loop counts attempts: `range` of a constant of that name."""
    if not isinstance(iterated, ast.Call) or _name(iterated.func) != "range":
        return False
    return any("ATTEMPTS" in _name(argument) for argument in iterated.args)


def _place(statement: ast.stmt) -> str:
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return statement.name
    if isinstance(statement, ast.Assign):
        return _name(statement.targets[0])
    return _name(statement.target) if isinstance(statement, ast.AnnAssign) else ""


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


@cache
def all_constructs() -> tuple[Construct, ...]:
    """Return the constructs of the package, each once."""
    return tuple(dict.fromkeys(each for path in sorted(ROOT.rglob("*.py")) for each in constructs(path)))


def declarations() -> dict[tuple[str, str], list[Bound]]:
    """Return the declared bounds by module and place."""
    found: dict[tuple[str, str], list[Bound]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        if "\nBOUNDS = (" not in path.read_text("utf-8"):
            continue
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for bound in import_module(module).BOUNDS:
            found.setdefault((module, bound.place), []).append(bound)
    return found


def bounds_page() -> str:
    """Return the page."""
    declared = declarations()
    rows = [
        (bound.kind, module, place, bound.limit, bound.at_limit)
        for (module, place), bounds in declared.items()
        for bound in bounds
    ]
    rows += [
        (BoundKind.CACHE, each.module, each.place, each.limit, LEAST_RECENT)
        for each in all_constructs()
        if each.limit and each.limit != "1 value" and (each.module, each.place) not in declared
    ]
    single = sum(each.limit == "1 value" for each in all_constructs())
    lines = [
        "# Bounds",
        "",
        *paragraph(
            "Every queue, buffer, pool, cache, loop and retry of the server and of the commands, with its limit and "
            "what happens at the limit. A test fails for one in the code that has none here. Limits of requests are "
            f"settings ([settings.md](settings.md)). {single} further caches have one value."
        ),
    ]
    for kind in BoundKind:
        lines += ["", f"## {_TITLES[kind]}", ""]
        lines += items(
            f"`{module.removeprefix('timbra.')}`, `{place}`: {limit}. {at_limit}"
            for _, module, place, limit, at_limit in sorted(row for row in rows if row[0] is kind)
        )
    return "\n".join(lines) + "\n"


_TITLES = {
    BoundKind.QUEUE: "Queues",
    BoundKind.BUFFER: "Buffers",
    BoundKind.CACHE: "Caches",
    BoundKind.POOL: "Pools of threads and processes",
    BoundKind.LOOP: "Loops",
    BoundKind.RETRY: "Retries",
}
