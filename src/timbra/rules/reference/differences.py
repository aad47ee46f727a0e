"""Difference of two example documents: the attributes and elements that one of them changes, adds or omits."""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

MAX_LENGTH = 160
"""Characters of a value; longer values are truncated."""
_TAG_END = re.compile(r"(?<=>)")


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which two documents differ.

    Attributes:
        path: path from the root, without prefixes, with indexes where an element has siblings of its name. It is empty
            for the root, and for documents that differ in their text alone.
        passing: value, or start tag of the element, in the document that satisfies the rule; None when it is absent.
        failing: the same in the document that violates the rule.
    """

    path: str
    passing: str | None
    failing: str | None


def differences(passing: str, failing: str) -> tuple[Difference, ...]:
    """Return the differences of two documents in document order.

    Args:
        passing: XML of the document that satisfies the rule.
        failing: XML of the document that violates it.
    """
    found = tuple(_element_differences(_root(passing), _root(failing), ""))
    return found or tuple(_text_differences(passing, failing))


def indented(document: str) -> str:
    """Return a document with one element on each line, for display."""
    root = _root(document)
    etree.indent(root)
    return etree.tostring(root, encoding="unicode")


def _root(document: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True)
    return etree.fromstring(document.encode(), parser)


def _element_differences(passing: etree._Element, failing: etree._Element, path: str) -> Iterator[Difference]:
    if _name(passing) != _name(failing):  # a change of namespace is one of the attribute xmlns
        yield Difference(path, _name(passing), _name(failing))
    before, after = _attributes(passing), _attributes(failing)
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Difference(_below(path, f"@{name}"), _short(before.get(name)), _short(after.get(name)))
    texts = [(element.text or "").strip() for element in (passing, failing)]
    if texts[0] != texts[1]:
        yield Difference(_below(path, "text()"), *(_short(text or None) for text in texts))
    yield from _child_differences(passing, failing, path)


def _child_differences(passing: etree._Element, failing: etree._Element, path: str) -> Iterator[Difference]:
    before, after = list(passing.iterchildren(etree.Element)), list(failing.iterchildren(etree.Element))
    steps_before, steps_after = _steps(before), _steps(after)
    matcher = difflib.SequenceMatcher(None, _contents(before), _contents(after), autojunk=False)
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind == "equal":
            continue
        waiting: dict[str, deque[int]] = defaultdict(deque)
        for index in range(new_start, new_stop):
            waiting[_local(after[index])].append(index)
        for index in range(start, stop):
            same_name, step = waiting[_local(before[index])], _below(path, steps_before[index])
            if same_name:
                yield from _element_differences(before[index], after[same_name.popleft()], step)
            else:
                yield Difference(step, _start_tag(before[index]), None)
        for index in sorted(index for indexes in waiting.values() for index in indexes):
            yield Difference(_below(path, steps_after[index]), None, _start_tag(after[index]))


def _text_differences(passing: str, failing: str) -> Iterator[Difference]:
    before, after = _TAG_END.split(passing), _TAG_END.split(failing)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, stop, new_start, new_stop in matcher.get_opcodes():
        if kind != "equal":
            removed, added = "".join(before[start:stop]), "".join(after[new_start:new_stop])
            yield Difference("", _short(removed or None), _short(added or None))


def _attributes(element: etree._Element) -> dict[str, str]:
    """Return the attributes by prefixed name, and the namespaces that the element itself declares."""
    parent = element.getparent()
    inherited = {} if parent is None else parent.nsmap
    found = {
        f"xmlns:{prefix}" if prefix else "xmlns": address
        for prefix, address in element.nsmap.items()
        if inherited.get(prefix) != address
    }
    prefixes = {address: prefix for prefix, address in element.nsmap.items() if prefix}
    for key, value in element.attrib.items():
        name = etree.QName(key)
        prefix = prefixes.get(name.namespace or "")
        found[f"{prefix}:{name.localname}" if prefix else name.localname] = str(value)
    return found


def _steps(elements: Sequence[etree._Element]) -> list[str]:
    names = [_local(element) for element in elements]
    counts, seen, steps = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        steps.append(f"{name}[{seen[name]}]" if counts[name] > 1 else name)
    return steps


def _contents(elements: Sequence[etree._Element]) -> list[bytes]:
    return [etree.tostring(element, encoding="utf-8", with_tail=False) for element in elements]


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname


def _name(element: etree._Element) -> str:
    return f"{element.prefix}:{_local(element)}" if element.prefix else _local(element)


def _start_tag(element: etree._Element) -> str:
    attributes = "".join(f' {name}="{value}"' for name, value in _attributes(element).items() if name[:5] != "xmlns")
    return _short(f"<{_name(element)}{attributes}{'>' if len(element) or element.text else '/>'}") or ""


def _below(path: str, step: str) -> str:
    return f"{path}/{step}" if path else step


def _short(value: str | None) -> str | None:
    return value if value is None or len(value) <= MAX_LENGTH else f"{value[: MAX_LENGTH - 1]}…"
