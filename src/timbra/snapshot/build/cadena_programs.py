"""The SAT's stylesheets of the cadena original, compiled to programs that `timbra._native` runs.

A program is JSON: `namespaces`, the instructions of the `root` and of each template, by namespace and name. An
instruction is a list, its name first:

| instruction | meaning |
|---|---|
| `text`, string | write the string |
| `attributes`, names | for each, write a bar and the normalized value; nothing for `NAME?` when it is absent |
| `value`, path | write the normalized string value of the first node |
| `if`, path, instructions | run them when the path has a node |
| `if-equal`, path, string, instructions | run them when a node has this string value |
| `each`, path, instructions | run them on every node |
| `apply`, path | run the template of every node; without one, write its texts and apply to its children |

A path is a list: axis (`./`, `.//` or `/`), steps, attribute (or an empty string). A step is the index of a namespace
and a local name; -1 and `*` is any element.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree

from timbra.snapshot.build.cadena_paths import ANY, NodePath, read_path, unsupported

XSL = "{http://www.w3.org/1999/XSL/Transform}"
FORMAT = 1
Instruction = list[Any]
_NORMALIZED = re.compile(r"normalize-space\(string\(\$([\w.-]+)\)\)")
_PARAMETER = re.compile(r"\$([\w.-]+)(/.+)?")
_EQUAL = re.compile(r"(?P<path>[^=']+)='(?P<text>[^']*)'")
_ATTRIBUTES = {
    "stylesheet": {"version"},
    "output": {"method", "version", "encoding", "indent"},
    "include": {"href"},
    "template": {"match", "name"},
    "param": {"name"},
    "with-param": {"name", "select"},
    "call-template": {"name"},
    "apply-templates": {"select"},
    "for-each": {"select"},
    "value-of": {"select"},
    "if": {"test"},
    "choose": set(),
    "when": {"test"},
}
"""The elements of XSLT that the stylesheets have, with their attributes."""
_PARENTS = {
    "stylesheet": {""},
    "output": {"stylesheet"},
    "include": {"stylesheet"},
    "template": {"stylesheet"},
    "param": {"template"},
    "with-param": {"call-template"},
    "when": {"choose"},
}
"""Where an element may stand; the others stand in `_BODIES`."""
_BODIES = {"template", "for-each", "if", "when"}


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where an instruction stands.

    Attributes:
        parameters: Expressions of the parameters.
        calls: Names of the templates that are being called.
        in_each: Whether the context node is below the node of the template.
        in_root: Whether the context is the document.
    """

    parameters: Mapping[str, NodePath] = field(default_factory=dict)
    calls: tuple[str, ...] = ()
    in_each: bool = False
    in_root: bool = False


def compile_program(main: etree._Element, included: Iterable[etree._Element]) -> bytes:
    """Compile a stylesheet.

    Args:
        main: Root of the stylesheet, whose template of the document counts.
        included: Roots of all stylesheets that it includes, in the order of their inclusion.

    Returns:
        The program, as JSON.

    Raises:
        ServiceError: "snapshot-source" when a stylesheet has something that a program cannot express.
    """
    return _Compiler(main, list(included)).program()


class _Compiler:
    def __init__(self, main: etree._Element, included: list[etree._Element]) -> None:
        self._named: dict[str, etree._Element] = {}
        self._matching: dict[tuple[str, str], etree._Element] = {}
        self._namespaces: dict[str, int] = {}
        self._root: etree._Element | None = None
        for sheet in [*included, main]:
            _check_sheet(sheet)
            matched: set[tuple[str, str]] = set()
            for template in sheet.iterchildren(f"{XSL}template"):
                self._add(template, matched, is_main=sheet is main)
        if self._root is None:
            raise unsupported("ninguna plantilla del documento")

    def program(self) -> bytes:
        templates = [
            [self._namespace(space), name, self._body(template, _Scope())]
            for (space, name), template in sorted(self._matching.items())
        ]
        root = self._body(self._root, _Scope(in_root=True))
        if [kind for kind, *_ in root] != ["text", "apply", "text"]:
            raise unsupported("otra plantilla del documento")
        program = {"format": FORMAT, "namespaces": list(self._namespaces), "root": root, "templates": templates}
        return json.dumps(program, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _add(self, template: etree._Element, matched: set[tuple[str, str]], *, is_main: bool) -> None:
        """Add a template; of two included files with a template for one element the later one counts (XSLT 1.0, 5.5).

        Args:
            matched: Elements for which its file has a template already.
            is_main: Whether it is of the main stylesheet.
        """
        match, name = template.get("match"), template.get("name")
        if (match is None) == (name is None):
            raise unsupported("una plantilla sin nombre ni patrón, o con ambos")
        if name is not None:
            self._add_named(str(name), template)
        elif str(match).strip() == "/":
            self._root = template if is_main else self._root
        else:
            path = read_path(str(match), _namespaces(template))
            if path.axis != "./" or len(path.steps) != 1 or path.attribute or path.steps[0] == (ANY, ANY):
                raise unsupported(f"el patrón {match!r}")
            if path.steps[0] in matched:
                raise unsupported(f"dos plantillas para {path.steps[0]}")
            matched.add(path.steps[0])
            self._matching[path.steps[0]] = template

    def _add_named(self, name: str, template: etree._Element) -> None:
        if name in self._named:
            raise unsupported(f"dos plantillas de nombre {name}")
        self._named[name] = template

    def _body(self, parent: etree._Element | None, scope: _Scope) -> list[Instruction]:
        """Compile the content of an element."""
        if parent is None:
            return []
        instructions = [_text(parent.text)]
        for child in parent:
            instructions += [*self._instructions(child, scope), _text(child.tail)]
        return _fused([each for each in instructions if each != ["text", ""]])

    def _instructions(self, element: etree._Element, scope: _Scope) -> list[Instruction]:
        kind = _kind(element)
        if kind == "param":
            return _nothing(element)
        if kind == "value-of":
            return [["value", self._path(self._value(element, scope))]]
        if kind == "call-template":
            return self._call(element, scope)
        if kind == "for-each":
            return [self._each(element, scope)]
        if kind == "apply-templates":
            return [self._apply(element, scope)]
        if kind == "if":
            return [self._if(element, scope)]
        if kind == "choose":
            return self._choose(element, scope)
        raise unsupported(f"el elemento {kind!r} dentro de una plantilla")

    def _call(self, element: etree._Element, scope: _Scope) -> list[Instruction]:
        """Inline the called template; its context node is that of the call."""
        name = str(element.get("name"))
        if name in scope.calls or name not in self._named:
            raise unsupported(f"una llamada de {name!r}, recursiva o sin plantilla")
        passed = {str(child.get("name")): self._argument(child, scope) for child in element}
        template = self._named[name]
        declared = [str(child.get("name")) for child in template.iterchildren(f"{XSL}param")]
        if sorted(passed) != sorted(declared) or len(passed) != len(element):
            raise unsupported(f"una llamada de {name!r} con otros parámetros")
        return self._body(template, replace(scope, parameters=passed, calls=(*scope.calls, name)))

    def _argument(self, element: etree._Element, scope: _Scope) -> NodePath:
        if _kind(element) != "with-param" or len(element) or element.text:
            raise unsupported("un parámetro con contenido")
        return self._expression(str(element.get("select", "")), element, scope)

    def _value(self, element: etree._Element, scope: _Scope) -> NodePath:
        select = str(element.get("select", ""))
        found = _NORMALIZED.fullmatch(select)
        if found is None or _nothing(element):
            raise unsupported(f"el valor {select!r}")
        return self._expression(f"${found[1]}", element, scope)

    def _each(self, element: etree._Element, scope: _Scope) -> Instruction:
        path = self._expression(str(element.get("select", "")), element, scope)
        if not path.steps or path.attribute:
            raise unsupported(f"for-each de {element.get('select')!r}")
        inner = replace(scope, parameters={}, in_each=True, in_root=False)
        return ["each", self._path(path), self._body(element, inner)]

    def _apply(self, element: etree._Element, scope: _Scope) -> Instruction:
        """Every template is applied to a node below that of the caller, so that programs end."""
        path = self._expression(str(element.get("select", "")), element, scope)
        if path.attribute or (path.is_self and not scope.in_each) or _nothing(element):
            raise unsupported(f"apply-templates de {element.get('select')!r}")
        return ["apply", self._path(path)]

    def _if(self, element: etree._Element, scope: _Scope) -> Instruction:
        test = str(element.get("test", ""))
        equal = _EQUAL.fullmatch(test)
        path = self._expression(equal["path"] if equal else test, element, scope)
        body = self._body(element, scope)
        return ["if-equal", self._path(path), equal["text"], body] if equal else ["if", self._path(path), body]

    def _choose(self, element: etree._Element, scope: _Scope) -> list[Instruction]:
        """Compile alternatives that exclude each other: they compare one attribute of the node with different texts."""
        tests = [_EQUAL.fullmatch(str(child.get("test", ""))) for child in element]
        compared = [(test["path"], test["text"]) for test in tests if test is not None]
        is_own = len({path for path, _ in compared}) == 1 and compared[0][0].startswith("./@")
        if not is_own or len(compared) < len(element) or len({*compared}) < len(compared):
            raise unsupported("un 'choose' que no compara un atributo con textos distintos")
        return [self._if(child, scope) for child in element]

    def _expression(self, expression: str, element: etree._Element, scope: _Scope) -> NodePath:
        parameter = _PARAMETER.fullmatch(expression.strip())
        if parameter is None:
            path = read_path(expression, _namespaces(element))
        elif parameter[1] in scope.parameters:
            path = self._below(scope.parameters[parameter[1]], parameter[2], element)
        else:
            raise unsupported(f"el parámetro {expression!r} sin valor")
        if scope.in_root != (path.axis == "/"):
            raise unsupported(f"la expresión {expression!r} en este lugar")
        return path

    @staticmethod
    def _below(path: NodePath, rest: str | None, element: etree._Element) -> NodePath:
        """Return the path of `$parameter/rest`, where the parameter is a path from the context node."""
        if rest is None:
            return path
        below = read_path(f".{rest}", _namespaces(element))
        if path.axis != "./" or path.attribute or below.axis != "./":
            raise unsupported(f"la expresión {rest!r} de un parámetro")
        return NodePath("./", (*path.steps, *below.steps), below.attribute)

    def _path(self, path: NodePath) -> list[Any]:
        steps = [[-1, ANY] if space == ANY else [self._namespace(space), name] for space, name in path.steps]
        return [path.axis, steps, path.attribute]

    def _namespace(self, space: str) -> int:
        return self._namespaces.setdefault(space, len(self._namespaces))


def _check_sheet(sheet: etree._Element) -> None:
    """Check that a stylesheet has known elements with known attributes only, and text as its output.

    Raises:
        ServiceError: "snapshot-source" when it has something else.
    """
    for element in sheet.iter():
        kind = _kind(element)
        if kind not in _ATTRIBUTES or not set(element.attrib) <= _ATTRIBUTES[kind]:
            raise unsupported(f"el elemento {kind!r} con los atributos {sorted(map(str, element.attrib))}")
        parent = element.getparent()
        if ("" if parent is None else _kind(parent)) not in _PARENTS.get(kind, _BODIES):
            raise unsupported(f"el elemento {kind!r} en otro lugar")
        if kind == "output" and element.get("method") != "text":
            raise unsupported("una salida que no es texto")
    if any((text or "").strip() for text in (sheet.text, *(child.tail for child in sheet))):
        raise unsupported("texto fuera de las plantillas")


def _kind(element: etree._Element) -> str:
    """Return the name of an element of XSLT."""
    tag = str(element.tag)
    if not tag.startswith(XSL):
        raise unsupported(f"el contenido {tag!r}")
    return tag.removeprefix(XSL)


def _nothing(element: etree._Element) -> list[Instruction]:
    """Return no instruction for an element without content."""
    if len(element) or (element.text or "").strip():
        raise unsupported(f"{_kind(element)!r} con contenido")
    return []


def _namespaces(element: etree._Element) -> dict[str, str]:
    return {str(prefix): str(space) for prefix, space in element.nsmap.items() if prefix}


def _text(text: str | None) -> Instruction:
    """Return the instruction for a text; XSLT ignores text of white space only."""
    return ["text", text if text and text.strip(" \t\r\n") else ""]


def _fused(instructions: list[Instruction]) -> list[Instruction]:
    """Join the instructions that write bars and attributes of the context node."""
    result: list[Instruction] = []
    for instruction in instructions:
        names = _written_attributes(instruction)
        if not names and result and result[-1] == ["text", "|"] and (own := _own_attribute(instruction)):
            result.pop()
            names = [own]
        if not names:
            result.append(instruction)
        elif result and result[-1][0] == "attributes":
            result[-1] = ["attributes", [*result[-1][1], *names]]
        else:
            result.append(["attributes", names])
    return result


def _written_attributes(instruction: Instruction) -> list[str]:
    """Return the names of an instruction `attributes`, or `NAME?` of one that writes an attribute if it is there."""
    if instruction[0] == "attributes":
        return [str(name) for name in instruction[1]]
    if instruction[0] != "if":
        return []
    _, [axis, steps, attribute], body = instruction
    is_own = attribute and not steps and axis == "./"
    return [f"{attribute}?"] if is_own and body == [["attributes", [attribute]]] else []


def _own_attribute(instruction: Instruction) -> str:
    """Return the attribute of the context node that an instruction writes, else an empty string."""
    return str(instruction[1][2]) if instruction[0] == "value" and not instruction[1][1] else ""
