"""Many documents through the validation, in this process or in several, answered in the order they came."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from timbra.cli.sources import Reader, Source
from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.service.report import Report
    from timbra.settings import Settings
    from timbra.wiring import House

WAITING_EACH = 4
"""Documents that wait for each worker."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one document. refusal: why there is no report."""

    name: str
    report: Report | None = None
    refusal: ServiceError | None = None

    @property
    def is_good(self) -> bool:
        return self.report is not None and not self.report.wrong

    @property
    def is_clean(self) -> bool:
        """Whether not even a warning was found."""
        return self.report is not None and not any(entry.is_finding for entry in self.report.entries)


class Judge:
    """Takes documents through the same validation that the HTTP service offers, all in one event loop."""

    def __init__(self, house: House, *, status: bool) -> None:
        self._house = house
        self._status = status
        self._loop = asyncio.new_event_loop()

    def judge(self, name: str, content: bytes) -> Verdict:
        try:
            validating = self._house.validation.validate(content, self._status)
            return Verdict(name, self._loop.run_until_complete(validating))
        except ServiceError as error:
            return Verdict(name, refusal=error)

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


def verdicts(house: House, found: Iterable[Source], workers: int, *, status: bool) -> Iterator[Verdict]:
    """One verdict for each source. workers: processes; 1 judges in this one."""
    with closing(Reader(house.settings.max_body_bytes)) as reader:
        if workers > 1:
            yield from _spread(house.settings, reader, found, workers, status)
            return
        with closing(Judge(house, status=status)) as here:
            for source in found:
                yield _read(reader, source, here.judge)


def _read(reader: Reader, source: Source, then: Callable[[str, bytes], Answer]) -> Answer | Verdict:
    try:
        return then(source.name, reader.read(source))
    except ServiceError as error:
        return Verdict(source.name, refusal=error)


def _spread(
    settings: Settings, reader: Reader, found: Iterable[Source], workers: int, status: bool
) -> Iterator[Verdict]:
    waiting: deque[Future[Verdict] | Verdict] = deque()
    with ProcessPoolExecutor(workers, initializer=_open, initargs=(settings, status)) as pool:
        for source in found:
            waiting.append(_read(reader, source, lambda name, content: pool.submit(_judge, name, content)))
            if len(waiting) >= workers * WAITING_EACH:
                yield _settled(waiting.popleft())
        while waiting:
            yield _settled(waiting.popleft())


def _settled(answer: Future[Verdict] | Verdict) -> Verdict:
    return answer.result() if isinstance(answer, Future) else answer


_JUDGES: list[Judge] = []
_STACK = ExitStack()


def _open(settings: Settings, status: bool) -> None:
    """The judge of a worker process, with a house that is open until the process ends."""
    from timbra.wiring import open_house

    judge = Judge(_STACK.enter_context(open_house(settings)), status=status)
    _STACK.callback(judge.close)
    _JUDGES.append(judge)


def _judge(name: str, content: bytes) -> Verdict:
    return _JUDGES[0].judge(name, content)
