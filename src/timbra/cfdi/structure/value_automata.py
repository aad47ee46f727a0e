"""Deterministic automata of the patterns in XML schemas, for the one-sided check of `valid_forms`.

An automaton accepts only values that the pattern accepts. It may reject others of them: a character outside of ASCII
satisfies a character class only when every such character does (`[^|]`, `.`).

Source: XML Schema 1.0, part 2, appendix F (regular expressions).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

SYMBOLS = 129
"""Symbols of an automaton: the characters of ASCII, and one for all others."""
OTHER = 128
MAX_POSITIONS = 4_000
MAX_STATES = 2_000

_BLANKS = frozenset(map(ord, " \t\n\r"))
_DIGITS = frozenset(map(ord, "0123456789"))
_LITERAL_ESCAPES = frozenset("\\|.?*+(){}-[]^")
_CONTROL_ESCAPES = {"n": 10, "r": 13, "t": 9}
_COUNTS = re.compile(r"\{([0-9]+)(,?)([0-9]*)\}")
_SPECIAL = frozenset("|.?*+(){}[]\\")


class UnsupportedPatternError(ValueError):
    """The pattern has no automaton here."""


@dataclass(frozen=True, slots=True)
class Run:
    """A pattern that is one character class with a number of repetitions.

    Attributes:
        symbols: one byte for each symbol, 1 for those of the class.
        least, most: number of characters.
    """

    symbols: bytes
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic automaton.

    Attributes:
        classes: class of each symbol.
        width: number of classes.
        table: next state by `state * width + class`, -1 where there is none; signed 16-bit numbers in native order.
        accepting: one byte for each state.
    """

    classes: bytes
    width: int
    table: bytes
    accepting: bytes


@dataclass(slots=True)
class _Graph:
    """A nondeterministic automaton: positions with edges that consume a symbol, and edges that consume none."""

    edges: list[tuple[frozenset[int], int] | None] = field(default_factory=list)
    jumps: list[list[int]] = field(default_factory=list)

    def add(self) -> int:
        if len(self.edges) >= MAX_POSITIONS:
            raise UnsupportedPatternError("too many repetitions")
        self.edges.append(None)
        self.jumps.append([])
        return len(self.edges) - 1


Part = tuple[str, tuple["Part", ...] | frozenset[int], int, int]
"""Kind (`class`, `branches`, `sequence`), content, least and most repetitions; most is -1 without a limit."""


def matcher_of(patterns: Iterable[str]) -> Run | Automaton:
    """Return what accepts the values that satisfy at least one of some patterns.

    Raises:
        UnsupportedPatternError: a pattern uses what is not supported, or has too many states.
    """
    part: Part = ("branches", tuple(_Parser(pattern).whole() for pattern in patterns), 1, 1)
    plain = _only(part)
    kind, content, least, most = plain
    if kind == "class" and most >= 0 and isinstance(content, frozenset):
        return Run(bytes(symbol in content for symbol in range(SYMBOLS)), least, most)
    return _deterministic(part)


def _only(part: Part) -> Part:
    """Return the one part that a part consists of, else the part itself."""
    kind, content, least, most = part
    if kind != "class" and isinstance(content, tuple) and len(content) == 1 and (least, most) == (1, 1):
        return _only(content[0])
    return part


class _Parser:
    """A parser of one pattern."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0

    def whole(self) -> Part:
        found = self._branches()
        if self._at < len(self._text):
            raise UnsupportedPatternError(self._text)
        return found

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _next(self) -> str:
        character = self._peek()
        if not character:
            raise UnsupportedPatternError(self._text)
        self._at += 1
        return character

    def _branches(self) -> Part:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence())
        return ("branches", tuple(branches), 1, 1)

    def _sequence(self) -> Part:
        parts = []
        while (character := self._peek()) and character not in "|)":
            parts.append(self._repeated())
        if not parts:
            raise UnsupportedPatternError("an empty branch")
        return ("sequence", tuple(parts), 1, 1)

    def _repeated(self) -> Part:
        kind, content = self._atom()
        least, most = self._quantifier()
        return (kind, content, least, most)

    def _atom(self) -> tuple[str, tuple[Part, ...] | frozenset[int]]:
        character = self._next()
        if character == "(":
            inner = self._branches()
            if self._next() != ")":
                raise UnsupportedPatternError(self._text)
            return "sequence", (inner,)
        if character == "[":
            return "class", self._class()
        if character == ".":
            return "class", frozenset(range(SYMBOLS)) - {10, 13}
        if character == "\\":
            return "class", self._escape()[0]
        if character in _SPECIAL:
            raise UnsupportedPatternError(self._text)
        return "class", _symbols_of(character)

    def _quantifier(self) -> tuple[int, int]:
        character = self._peek()
        if character and character in "?*+":
            self._at += 1
            return {"?": (0, 1), "*": (0, -1), "+": (1, -1)}[character]
        if character != "{":
            return 1, 1
        written = _COUNTS.match(self._text, self._at)
        if written is None:
            raise UnsupportedPatternError(self._text)
        self._at = written.end()
        least, comma, most = written.groups()
        if not comma:
            return int(least), int(least)
        return int(least), int(most) if most else -1

    def _escape(self) -> tuple[frozenset[int], bool]:
        """Return the symbols of an escape, and whether no character outside of ASCII belongs to it."""
        character = self._next()
        if character in _CONTROL_ESCAPES:
            return frozenset({_CONTROL_ESCAPES[character]}), True
        if character == "s":
            return _BLANKS, True
        if character == "d":
            return _DIGITS, False
        if character in _LITERAL_ESCAPES:
            return frozenset({ord(character)}), True
        raise UnsupportedPatternError(self._text)

    def _class(self) -> frozenset[int]:
        """Read a character class behind its opening bracket."""
        is_negated = self._peek() == "^"
        self._at += is_negated
        symbols: set[int] = set()
        ascii_only, start = True, self._at
        while self._peek() != "]" or self._at == start:
            character = self._next()
            if character == "\\":
                found, known = self._escape()
                symbols |= found
                ascii_only &= known
                continue
            if character in "[]" or (character == "-" and self._peek() != "]" and self._at - 1 != start):
                raise UnsupportedPatternError(self._text)
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                symbols |= self._range(character)
            else:
                ascii_only &= character.isascii()
                symbols |= _symbols_of(character)
        self._at += 1
        if not is_negated:
            return frozenset(symbols)
        others = frozenset({OTHER}) if ascii_only else frozenset()
        return frozenset(range(OTHER)) - symbols | others

    def _range(self, first: str) -> set[int]:
        self._at += 1
        last = self._next()
        if not (first + last).isascii() or last in "\\[" or first > last:
            raise UnsupportedPatternError(self._text)
        return set(range(ord(first), ord(last) + 1))


def _symbols_of(character: str) -> frozenset[int]:
    """Return the symbol of a literal; none for one outside of ASCII, which the automaton then rejects."""
    return frozenset({ord(character)}) if character.isascii() else frozenset()


def _build(graph: _Graph, part: Part, start: int) -> int:
    """Add a part behind a position and return the position behind it."""
    _, _, least, most = part
    for _ in range(least):
        start = _once(graph, part, start)
    if most < 0:
        end = _once(graph, part, start)
        graph.jumps[end].append(start)
        return start
    skips = []
    for _ in range(most - least):
        skips.append(start)
        start = _once(graph, part, start)
    for skip in skips:
        graph.jumps[skip].append(start)
    return start


def _once(graph: _Graph, part: Part, start: int) -> int:
    kind, content, _, _ = part
    begin, end = graph.add(), graph.add()
    graph.jumps[start].append(begin)
    if isinstance(content, frozenset):
        graph.edges[begin] = (content, end)
        return end
    if kind == "sequence":
        for each in content:
            begin = _build(graph, each, begin)
        graph.jumps[begin].append(end)
        return end
    for each in content:
        graph.jumps[_build(graph, each, begin)].append(end)
    return end


def _deterministic(part: Part) -> Automaton:
    graph = _Graph()
    start = graph.add()
    end = _build(graph, part, start)
    classes, representatives = _classes_of(graph)
    width = len(representatives)
    first = _closure(graph, (start,))
    numbers, waiting = {first: 0}, [first]
    table = array("h")
    for state in waiting:
        for symbol in representatives:
            targets = [edge[1] for position in state if (edge := graph.edges[position]) and symbol in edge[0]]
            following = _closure(graph, targets) if targets else frozenset()
            if not following:
                table.append(-1)
                continue
            if following not in numbers:
                if len(numbers) >= MAX_STATES:
                    raise UnsupportedPatternError("too many states")
                numbers[following] = len(numbers)
                waiting.append(following)
            table.append(numbers[following])
    return Automaton(classes, width, table.tobytes(), bytes(end in state for state in waiting))


def _classes_of(graph: _Graph) -> tuple[bytes, list[int]]:
    """Return the class of each symbol, and one symbol of each class: symbols of a class are on the same edges."""
    sets = list({edge[0] for edge in graph.edges if edge})
    known: dict[tuple[bool, ...], int] = {}
    representatives: list[int] = []
    classes = bytearray()
    for symbol in range(SYMBOLS):
        key = tuple(symbol in each for each in sets)
        if key not in known:
            known[key] = len(known)
            representatives.append(symbol)
        classes.append(known[key])
    return bytes(classes), representatives


def _closure(graph: _Graph, positions: Iterable[int]) -> frozenset[int]:
    """Return the positions that are reached without a symbol."""
    found, waiting = set(positions), list(positions)
    while waiting:
        for position in graph.jumps[waiting.pop()]:
            if position not in found:
                found.add(position)
                waiting.append(position)
    return frozenset(found)
