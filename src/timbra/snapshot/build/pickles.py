"""Reading texts from untrusted pickles.

The wheel stores its catalogs as pickles. A pickle is a program for a stack machine; this reader implements only the few
instructions that create texts, small numbers, lists and tuples. Nothing can be called, and the result is not larger
than the input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

Value = str | int | None | list["Value"] | tuple["Value", ...]


class UntrustedPickleError(ValueError):
    """The pickle has values other than texts, or is damaged."""


class _Machine:
    """The stack machine of PEP 3154, reduced to texts, lists and tuples."""

    def __init__(self, program: bytes) -> None:
        self.program = program
        self.position = 0
        self.stack: list[Value] = []
        self.marks: list[int] = []
        self.memo: list[Value] = []

    def read(self, count: int) -> bytes:
        start = self.position
        self.position = start + count
        if self.position > len(self.program):
            raise IndexError("the pickle is cut")
        return self.program[start : self.position]

    def text(self, size: int) -> None:
        self.stack.append(self.read(int.from_bytes(self.read(size), "little")).decode())

    def gather(self, start: int) -> list[Value]:
        gathered = self.stack[start:]
        del self.stack[start:]
        return gathered

    def append(self, start: int) -> None:
        values = self.gather(start)
        target = self.stack[-1]
        if type(target) is not list:
            raise UntrustedPickleError("a pickle appends to what is no list")
        target.extend(values)

    def build_tuple(self, count: int) -> None:
        if count > len(self.stack):
            raise IndexError("the stack is too short")
        self.stack.append(tuple(self.gather(len(self.stack) - count)))


_INSTRUCTIONS: Mapping[int, Callable[[_Machine], object]] = {
    0x80: lambda machine: machine.read(1),  # PROTO
    0x95: lambda machine: machine.read(8),  # FRAME
    0x8C: lambda machine: machine.text(1),  # SHORT_BINUNICODE
    0x58: lambda machine: machine.text(4),  # BINUNICODE
    0x4B: lambda machine: machine.stack.append(machine.read(1)[0]),  # BININT1
    0x4E: lambda machine: machine.stack.append(None),  # NONE
    0x5D: lambda machine: machine.stack.append([]),  # EMPTY_LIST
    0x29: lambda machine: machine.stack.append(()),  # EMPTY_TUPLE
    0x28: lambda machine: machine.marks.append(len(machine.stack)),  # MARK
    0x61: lambda machine: machine.append(len(machine.stack) - 1),  # APPEND
    0x65: lambda machine: machine.append(machine.marks.pop()),  # APPENDS
    0x74: lambda machine: machine.stack.append(tuple(machine.gather(machine.marks.pop()))),  # TUPLE
    0x85: lambda machine: machine.build_tuple(1),
    0x86: lambda machine: machine.build_tuple(2),
    0x87: lambda machine: machine.build_tuple(3),
    0x94: lambda machine: machine.memo.append(machine.stack[-1]),  # MEMOIZE
    0x68: lambda machine: machine.stack.append(machine.memo[machine.read(1)[0]]),  # BINGET
}
_STOP = 0x2E


def read_texts(blob: bytes) -> tuple[str, ...]:
    """Read the text, or the flat tuple or list of texts, of a pickle; None in a tuple or list becomes an empty text.

    Raises:
        UntrustedPickleError: for any other value.
    """
    if type(blob) is not bytes:
        raise UntrustedPickleError("a value that is no pickle")
    value = _run(blob)
    values = value if isinstance(value, tuple | list) else (value,)
    texts = tuple(part or "" for part in values if part is None or type(part) is str)
    if value is None or len(texts) != len(values):
        raise UntrustedPickleError("a pickle holds something other than texts")
    return texts


def read_text_at(blob: bytes, place: int) -> str:
    """Read one text of a pickled text, tuple or list, whose other values may be numbers.

    Raises:
        UntrustedPickleError: for any other value.
    """
    if type(blob) is not bytes:
        raise UntrustedPickleError("a value that is no pickle")
    value = _run(blob)
    values = value if isinstance(value, tuple | list) else (value,)
    text = values[place] if place < len(values) else None
    if not isinstance(text, str):
        raise UntrustedPickleError("a pickle holds something other than texts")
    return text


def _run(blob: bytes) -> Value:
    machine = _Machine(blob)
    try:
        while (code := machine.read(1)[0]) != _STOP:
            _INSTRUCTIONS.get(code, _rejected)(machine)
        (value,) = machine.stack
    except (IndexError, UnicodeDecodeError, ValueError) as error:
        raise UntrustedPickleError(f"not a readable pickle: {error}") from error
    if machine.position != len(blob):
        raise UntrustedPickleError("a pickle with something behind its end")
    return value


def _rejected(machine: _Machine) -> NoReturn:
    raise UntrustedPickleError(f"a pickle has the instruction {machine.program[machine.position - 1]:#04x}")
