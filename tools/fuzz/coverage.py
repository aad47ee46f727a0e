"""Which lines of the functions of a module a call reaches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


@dataclass(frozen=True, slots=True)
class Coverage:
    """Lines inside of functions: how many there are, and how many were reached."""

    reached: int
    lines: int

    @property
    def percent(self) -> int:
        """The reached share, rounded down."""
        return 100 * self.reached // self.lines if self.lines else 0


def measure(work: Callable[[], None], modules: Iterable[str]) -> Coverage:
    """Call `work` and count the lines of the functions of these modules that it reaches; imports do not count."""
    files = [str(Path(str(import_module(name).__file__)).resolve()) for name in modules]
    lines = {(file, line) for file in files for line in _function_lines(file)}
    reached: set[tuple[str, int]] = set()

    def enter(frame: FrameType, _event: str, _argument: object) -> Any:
        return follow if frame.f_code.co_filename in files else None

    def follow(frame: FrameType, _event: str, _argument: object) -> Any:
        reached.add((frame.f_code.co_filename, frame.f_lineno))
        return follow

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(before)
    return Coverage(len(reached & lines), len(lines))


def _function_lines(file: str) -> Iterator[int]:
    module = compile(Path(file).read_text("utf-8"), file, "exec")
    for code in _functions(module):
        first = code.co_firstlineno
        yield from (line for _, _, line in code.co_lines() if line is not None and line != first)


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & 0x02:  # a function, not the body of a class
                yield constant
            yield from _functions(constant)
