"""Programs of the cadena original, run in Python. `timbra.snapshot.build.cadena_programs` describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from lxml import etree

FORMAT = 1
_string = etree.XPath("string()")

Write = Callable[[str], object]
Block = Sequence[tuple[str, Any, Any, "Block"]]
"""Instructions: kind, path or text or attributes, text to compare, inner instructions."""


class CadenaProgram:
    """A program that is ready to run.

    Args:
        program: The program, as read from its JSON.

    Raises:
        ValueError: The program has another format.
    """

    def __init__(self, program: Mapping[str, Any]) -> None:
        if program["format"] != FORMAT:
            raise ValueError(f"programs of format {program['format']} are not supported")
        self._namespaces: Sequence[str] = program["namespaces"]
        templates = program["templates"]
        self._templates = {self._tag(step): _block(body, self._tag) for *step, body in templates}
        (_, self._before), (_, (_, [root], _)), (_, self._after) = program["root"]
        self._root_tag = self._tag(root)

    def run(self, root: etree._Element) -> str:
        """Return the cadena original of a document.

        Args:
            root: The root element, or another one in its place.

        Raises:
            RecursionError: The document is nested too deeply.
            TypeError: `root` is not an element.
        """
        if not etree.iselement(root) or not isinstance(root.tag, str):
            raise TypeError("not an element")
        pieces = [self._before]
        if root.tag == self._root_tag:
            self._apply((root,), pieces.append)
        pieces.append(self._after)
        return "".join(pieces)

    def _tag(self, step: Sequence[Any]) -> str:
        namespace, name = step
        return "*" if namespace < 0 else f"{{{self._namespaces[namespace]}}}{name}"

    def _apply(self, nodes: Iterable[etree._Element], write: Write) -> None:
        for node in nodes:
            template = self._templates.get(str(node.tag))
            if template is None:
                self._copy(node, write)
            else:
                self._run(template, node, write)

    def _copy(self, node: etree._Element, write: Write) -> None:
        """Do what XSLT does with an element without a template: write its texts, apply templates to its children."""
        write(node.text or "")
        for child in node:
            if isinstance(child.tag, str):
                self._apply((child,), write)
            write(child.tail or "")

    def _run(self, block: Block, node: etree._Element, write: Write) -> None:
        for kind, subject, text, inner in block:
            if kind == "attributes":
                _write_attributes(subject, node, write)
            elif kind == "each":
                for found in subject.nodes(node):
                    self._run(inner, found, write)
            elif kind == "apply":
                self._apply(subject.nodes(node), write)
            elif kind == "text":
                write(subject)
            elif kind == "value":
                write(normalized(next(subject.strings(node), "")))
            elif subject.exists(node) if kind == "if" else text in subject.strings(node):
                self._run(inner, node, write)


def _block(instructions: Sequence[Sequence[Any]], tag: Callable[[Sequence[Any]], str]) -> Block:
    """Prepare instructions to be run."""
    block: list[tuple[str, Any, Any, Block]] = []
    for kind, first, *rest in instructions:
        if kind == "attributes":
            block.append(
                (kind, [(name.removesuffix("?"), None if name.endswith("?") else "") for name in first], "", ())
            )
        elif kind == "text":
            block.append((kind, first, "", ()))
        elif kind in ("value", "apply"):
            block.append((kind, _Path(first, tag), "", ()))
        elif kind in ("if", "each", "if-equal"):
            text = rest[0] if kind == "if-equal" else ""
            block.append((kind, _Path(first, tag), text, _block(rest[-1], tag)))
        else:
            raise ValueError(f"unknown instruction {kind!r}")
    return block


class _Path:
    """Nodes relative to a context node, in the order of the document."""

    def __init__(self, path: Sequence[Any], tag: Callable[[Sequence[Any]], str]) -> None:
        axis, steps, self._attribute = path
        self._tags = [tag(step) for step in steps]
        self.nodes = self._descendants if axis == ".//" else self._children

    def exists(self, context: etree._Element) -> bool:
        """Whether the path has a node."""
        nodes = self.nodes(context)
        return any(not self._attribute or self._attribute in _attributes(node) for node in nodes)

    def strings(self, context: etree._Element) -> Iterator[str]:
        """Yield the string value of each node."""
        for node in self.nodes(context):
            value = _attributes(node).get(self._attribute) if self._attribute else str(_string(node))
            if value is not None:
                yield value

    def _children(self, context: etree._Element, depth: int = 0) -> Iterator[etree._Element]:
        if depth == len(self._tags):
            yield context
        elif depth == len(self._tags) - 1:
            yield from context.iterchildren(self._tags[depth])
        else:
            for child in context.iterchildren(self._tags[depth]):
                yield from self._children(child, depth + 1)

    def _descendants(self, context: etree._Element) -> Iterator[etree._Element]:
        *outer, last = self._tags
        for node in context.iterdescendants(last):
            parent: etree._Element | None = node
            for tag in reversed(outer):
                parent = None if parent is None else parent.getparent()
                if parent is None or parent is context or tag not in ("*", parent.tag):
                    break
            else:
                yield node


def _write_attributes(names: Sequence[tuple[str, str | None]], node: etree._Element, write: Write) -> None:
    attributes = _attributes(node)
    for name, absent in names:
        value = attributes.get(name, absent)
        if value is not None:
            write("|" + normalized(value))


def _attributes(node: etree._Element) -> dict[str, str]:
    """Return the attributes of an element itself; `get` would add the defaults of a DTD."""
    return {str(name): str(value) for name, value in node.items()}


def normalized(value: str) -> str:
    """Normalize white space as XPath's normalize-space: only space, tab, CR and LF collapse."""
    if not (" " in value or "\t" in value or "\r" in value or "\n" in value):
        return value
    for blank in "\t\r\n":
        value = value.replace(blank, " ")
    return " ".join(piece for piece in value.split(" ") if piece)
