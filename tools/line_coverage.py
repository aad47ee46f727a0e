"""pytest plugin of the mutation test: which test executes which line, and runs of a selection of tests.

Options, both with a JSON file:

- `--record-lines FILE --record-source SOURCE...`: writes, for each test, its duration and the lines of the source files
  that it executed. Lines that ran while modules were imported belong to no test.
- `--select-tests FILE`: runs only the tests of a list, in its order.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("mutation test")
    group.addoption("--record-lines", help="write the executed lines of each test to this file")
    group.addoption("--record-source", action="append", default=[], help="source file whose lines are recorded")
    group.addoption("--select-tests", help="run only the tests that this file lists, in its order")


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder when its option is given."""
    if target := config.getoption("--record-lines"):
        sources = {str(Path(source).resolve()) for source in config.getoption("--record-source")}
        config.pluginmanager.register(LineRecorder(Path(target), sources))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the selected tests, in the order of the selection."""
    if selection := config.getoption("--select-tests"):
        order = {name: place for place, name in enumerate(json.loads(Path(selection).read_text("utf-8")))}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


class LineRecorder:
    """Traces the lines of the source files while tests run, in every thread."""

    def __init__(self, target: Path, sources: set[str]) -> None:
        self._target = target
        self._sources = sources
        self._lines: set[tuple[str, int]] = set()
        self._tests: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record set-up, call and teardown of a test."""
        self._lines = set()
        start = time.perf_counter()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            result = yield
        finally:
            sys.settrace(None)
            threading.settrace(None)
        lines: defaultdict[str, list[int]] = defaultdict(list)
        for source, line in sorted(self._lines):
            lines[source].append(line)
        self._tests[item.nodeid] = {"seconds": time.perf_counter() - start, "lines": lines}
        return result

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        self._target.write_text(json.dumps(self._tests), encoding="utf-8")

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Any:
        if frame.f_code.co_filename not in self._sources:
            return None
        self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._trace

    def _trace(self, frame: FrameType, _event: str, _argument: object) -> Any:
        self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._trace
