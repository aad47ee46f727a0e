"""Parts of libraries that no documentation promises: each one that this program uses, by name.

`TolerantProtocol` and `AbortableProtocol` extend `HttpToolsProtocol`; the servers of a worker and of the emulator
extend `uvicorn.Server`. A release of uvicorn that moves a part fails here with the name of the part.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from packaging.requirements import Requirement
from uvicorn.protocols.http import httptools_impl

import timbra

PACKAGE = Path(timbra.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"

PROTOCOL = {
    "_unsupported_upgrade_warning": "(self)",
    "connection_lost": "(self, exc)",
    "connection_made": "(self, transport)",
    "data_received": "(self, data)",
    "eof_received": "(self)",
    "on_body": "(self, body)",
    "on_headers_complete": "(self)",
    "on_message_begin": "(self)",
    "on_message_complete": "(self)",
    "on_response_complete": "(self)",
    "pause_writing": "(self)",
    "send_400_response": "(self, msg)",
}
SERVER = {
    "capture_signals": "(self)",
    "main_loop": "(self)",
    "startup": "(self, sockets)",
}
IMPORT = re.compile(r"^ *(?:from|import) (?!__future__)[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
PRIVATE = re.compile(r"\b_\w")
"""The text of a statement that imports a private name; few files have one."""
CYCLE = "RequestResponseCycle"
CLASSES: dict[str, type] = {
    "HttpToolsProtocol": httptools_impl.HttpToolsProtocol,
    "uvicorn.Server": uvicorn.Server,
    CYCLE: httptools_impl.RequestResponseCycle,
}
METHODS = {"HttpToolsProtocol": PROTOCOL, "uvicorn.Server": SERVER}


def extensions() -> Iterator[tuple[ast.ClassDef, str]]:
    """Yield each class of the program that extends a class of uvicorn, with the name of the latter."""
    for file in PACKAGE.rglob("*.py"):
        source = file.read_text("utf-8")
        if "uvicorn" in source:
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.ClassDef):
                    yield from ((node, name) for name in map(ast.unparse, node.bases) if name in METHODS)


def own_names(extension: ast.ClassDef) -> set[str]:
    """Return what a class defines itself: methods, attributes of the class, attributes of its `__init__`."""
    names = {node.name for node in ast.walk(extension) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    names |= {node.target.id for node in extension.body if isinstance(node, ast.AnnAssign | ast.AugAssign)}  # type: ignore[union-attr]
    names |= {node.targets[0].id for node in extension.body if isinstance(node, ast.Assign)}  # type: ignore[attr-defined]
    starts = [node for node in extension.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    stored = (node for start in starts for node in ast.walk(start) if isinstance(node, ast.Attribute))
    return names | {node.attr for node in stored if isinstance(node.ctx, ast.Store)}


def inherited() -> set[tuple[str, str]]:
    """Return the names that the extensions use of `self` and `super()` and do not define, with the class extended."""
    found = set()
    for extension, base in extensions():
        own = own_names(extension)
        for node in ast.walk(extension):
            if isinstance(node, ast.Attribute):
                of = ast.unparse(node.value)
                if of == "super()" or (of == "self" and node.attr not in own):
                    found.add((base, node.attr))
                elif of in ("self.cycle", "cycle"):
                    found.add((CYCLE, node.attr))
    return {(base, name) for base, name in found if not name.startswith("__")}


def provided(kind: type) -> set[str]:
    """Return the attributes of a class and those that it sets in its instances."""
    tree = ast.parse(inspect.getsource(kind))
    stored = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return set(dir(kind)) | {node.attr for node in stored if ast.unparse(node.value) == "self"}


@pytest.mark.parametrize(("base", "name"), sorted(inherited()))
def test_uvicorn_has_the_attribute(base: str, name: str) -> None:
    assert name in provided(CLASSES[base])


def test_inherited_finds_the_attributes_of_each_class() -> None:
    assert {
        ("HttpToolsProtocol", "data_received"),
        ("HttpToolsProtocol", "pipeline"),
        (CYCLE, "message_event"),
        ("uvicorn.Server", "startup"),
        ("uvicorn.Server", "server_state"),
    } <= inherited()


@pytest.mark.parametrize(("base", "name"), [(base, name) for base, methods in METHODS.items() for name in methods])
def test_uvicorn_calls_the_method_with_the_arguments(base: str, name: str) -> None:
    parameters = inspect.signature(getattr(CLASSES[base], name)).parameters
    assert f"({', '.join(parameters)})" == METHODS[base][name]


@pytest.mark.parametrize("base", METHODS)
def test_every_replaced_method_of_uvicorn_is_listed(base: str) -> None:
    defined = {
        node.name
        for extension, extended in extensions()
        if extended == base
        for node in extension.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__")
    }
    assert {name for name in defined if hasattr(CLASSES[base], name)} == set(METHODS[base])


def test_uvicorn_has_the_status_lines() -> None:
    assert httptools_impl.STATUS_LINE[503] == b"HTTP/1.1 503 Service Unavailable\r\n"


@pytest.mark.parametrize("library", ["lxml", "uvicorn"])
def test_library_with_used_private_parts_has_an_upper_bound(library: str) -> None:
    dependencies = map(Requirement, tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"])
    [requirement] = [each for each in dependencies if each.name == library]
    assert "<" in {specifier.operator for specifier in requirement.specifier}


def test_lxml_is_bounded_alike_where_native_code_is_built_and_run() -> None:
    from timbra._native.availability import LXML_BEFORE

    project = tomllib.loads(PROJECT.read_text("utf-8"))
    groups = (
        project["build-system"]["requires"], project["dependency-groups"]["build"], project["project"]["dependencies"]
    )  # fmt: skip
    found = [next(text for text in group if Requirement(text).name == "lxml") for group in groups]
    assert found == [f"lxml>=6.1,<{LXML_BEFORE[0]}"] * 3


def test_no_module_imports_a_private_name_of_a_library() -> None:
    private = []
    for file in PACKAGE.rglob("*.py"):
        source = file.read_text("utf-8")
        imports = IMPORT.findall(source)
        for node in ast.walk(ast.parse(source)) if any(map(PRIVATE.search, imports)) else ():
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            private += [
                f"{file.name}: {name}"
                for name in modules
                if any(part.startswith("_") for part in name.split("."))
                and name.partition(".")[0] not in {"timbra", "_typeshed", *sys.stdlib_module_names}
            ]
    assert private == []
