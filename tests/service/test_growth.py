"""The work of an evaluation grows as the document does, for every kind of node at every place of the schemas.

Work is the number of lines of Python that run; `bench.growth` measures the time, that of native code included.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable, Iterator
from types import FrameType

import pytest
from jinja2 import PackageLoader
from tests.support.effort import LONG
from tests.support.sandbox_app import SandboxApp
from tools.document_shapes import KINDS, Shape, sample, shapes

from timbra.cfdi.qr import SAT_PAGES
from timbra.errors import ServiceError
from timbra.pools import AccountPools, Pools
from timbra.portal.views import validation as validator_page
from timbra.rendering.html import environment
from timbra.service.stamping.models import StampRequest
from timbra.service.stamping.use_case import StampingService
from timbra.snapshot import locate, open_snapshot

FEW, MANY = 96, 192
"""More than the rounds in which sound parts are looked for, so that their number is the same."""
MOST = 1.1
SAMPLE = 12


def chosen() -> list[Shape]:
    snapshot = open_snapshot(locate(None))
    return shapes(snapshot) if LONG else sample(snapshot, SAMPLE, 7)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("growth") / "data")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def bases() -> dict[tuple[str, str], int]:
    """The lines of documents without nodes, by work and text."""
    return {}


def lines_of(work: Callable[[], object]) -> int:
    """Return the number of lines that run; the second time, so that what is prepared once does not count."""
    work()
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def exponent(lines: Callable[[int], int], base: int) -> float:
    """Return the exponent of what the nodes cost, beside the `base` of the document without them."""
    few, many = max(lines(FEW) - base, 1), max(lines(MANY) - base, 1)
    # A constant number of lines per document is no growth.
    return math.log(many / few, MANY / FEW) if many > MANY else 0.0


def validate(app: SandboxApp, xml: bytes) -> object:
    """Validate a document and show it, as the validator page does."""
    page = validator_page.examine(
        app.container.validation_services,
        environment(PackageLoader("timbra.portal")),
        1,
        "a.xml",
        xml,
        with_status=False,
        require_stamp=False,
        pages=SAT_PAGES,
        pools=AccountPools(Pools(), "1"),
    )
    return asyncio.run(page)


def stamp(app: SandboxApp, xml: bytes) -> object:
    service: StampingService = app.container.stamping_services.stamping
    try:
        return asyncio.run(service.stamp(StampRequest(app.caller, xml, "growth")))
    except ServiceError as error:
        return error.code


@pytest.mark.parametrize("shape", chosen(), ids=lambda shape: shape.name)
def test_evaluation_grows_as_the_document(app: SandboxApp, bases: dict[tuple[str, str], int], shape: Shape) -> None:
    found: dict[str, float] = {}
    for work in (validate, stamp):

        def lines(count: int, work: Callable[[SandboxApp, bytes], object] = work) -> int:
            return lines_of(lambda: work(app, shape.document(count)))

        base = bases.setdefault((work.__name__, shape.text), 0) or lines(0)
        bases[work.__name__, shape.text] = base
        found[work.__name__] = exponent(lines, base)
    assert {name: value for name, value in found.items() if value > MOST} == {}, found


def test_exponent_tells_quadratic_work_from_linear() -> None:
    def quadratic(count: int) -> None:
        for _ in range(count):
            sum(1 for _ in range(count))

    assert exponent(lambda count: lines_of(lambda: quadratic(count)), 0) > 1.8
    assert exponent(lambda count: lines_of(lambda: [len("x") for _ in range(count)]), 0) <= MOST


def test_shapes_cover_every_kind_of_node_and_every_standard() -> None:
    snapshot = open_snapshot(locate(None))
    found = shapes(snapshot)
    assert {shape.kind for shape in found} == set(KINDS)
    assert len({(shape.standard.namespace, shape.standard.version, shape.path) for shape in found}) > 500
    assert len({shape.text for shape in found if shape.kind == "text"}) == len(found) // len(KINDS)
