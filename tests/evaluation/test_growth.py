"""The work of an evaluation grows as the document does, for every kind of node at every place of the schemas.

Work is the number of lines of Python that run; `bench.growth` measures the time, that of native code included.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import FrameType
from typing import Any

import pytest
from jinja2 import Environment
from tests.support.effort import LONG
from tests.support.sandbox_app import SandboxApp
from tools.document_shapes import KINDS, Shape, sample, shapes

from timbra.app.portal_factory import template_loaders
from timbra.cfdi.qr import SAT_PAGES
from timbra.core.errors import ServiceError
from timbra.examples import ingreso
from timbra.pools import AccountPools, Pools
from timbra.rendering.html import environment
from timbra.snapshot import locate, open_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.stamping.stamping import StampingService
from timbra.validation import view as validator_page
from timbra.validation.build import validation_services

COUNTS = (96, 192, 384)
"""More than the rounds in which sound parts are looked for, so that their number is the same."""
MOST = 1.1
LINES_PER_NODE = 16
"""Growth of fewer lines for each further node is not looked at: what a process learns meanwhile varies as much."""
SAMPLE = 12
PARTS = len(KINDS) - 1
"""Parts of the long form. Neighbours in a part are of neighbouring kinds, so that each part has all of them."""


def part(shapes: Sequence[Shape], seed: int) -> Sequence[Shape]:
    """Return a part of all places, with kinds of nodes in turn: the parts of `PARTS` seeds have every place."""
    return shapes[:: len(KINDS) - 1][seed % PARTS :: PARTS]


def chosen() -> Sequence[Shape]:
    """Return one shape of each kind; in the long form the part of the seed `TIMBRA_TEST_SEED` (0)."""
    snapshot = open_snapshot(locate(None))
    seed = int(os.environ.get("TIMBRA_TEST_SEED", "0"))
    return part(shapes(snapshot), seed) if LONG else sample(snapshot, SAMPLE, 7)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("growth") / "data", max_attributes=2 * COUNTS[2])
    yield made
    made.container.close()


def lines_of(work: Callable[[], object]) -> int:
    """Return the number of lines that run; the second time, so that what is prepared once does not count."""
    work()
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
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


def exponent(lines: Callable[[int], int]) -> float:
    """Return the exponent of growth from two steps that each double the nodes; what is constant does not count."""
    # The first result counts what the schemas of the document prepare at their first uses.
    _, few, some, many = (lines(count) for count in (COUNTS[0], *COUNTS))
    if many - some < LINES_PER_NODE * (COUNTS[2] - COUNTS[1]):
        return 0.0
    return math.log2((many - some) / max(some - few, 1))


@cache
def templates() -> Environment:
    return environment(*template_loaders())


def validate(app: SandboxApp, xml: bytes) -> object:
    """Validate a document and show it, as the validator page does."""
    page = validator_page.examine(
        app.container.get(validation_services),
        templates(),
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
    service: StampingService = app.container.get(stamping_services).stamping
    try:
        return asyncio.run(service.stamp(StampRequest(app.caller, xml, "growth")))
    except ServiceError as error:
        return error.code


@pytest.mark.parametrize("shape", chosen(), ids=lambda shape: shape.name)
def test_evaluation_grows_as_the_document(app: SandboxApp, shape: Shape) -> None:
    found: dict[str, float] = {}
    for work in (validate, stamp):

        def lines(count: int, work: Callable[[SandboxApp, bytes], object] = work) -> int:
            return lines_of(lambda: work(app, shape.document(count)))

        found[work.__name__] = exponent(lines)
    assert {name: value for name, value in found.items() if value > MOST} == {}


def test_evaluation_grows_as_the_attributes_of_an_element(app: SandboxApp) -> None:
    def document(count: int) -> bytes:
        unknown = " ".join(f'a{number}="1"' for number in range(count))
        return ingreso().replace("<cfdi:Emisor ", f"<cfdi:Emisor {unknown} ").encode()

    assert exponent(lambda count: lines_of(lambda: validate(app, document(count)))) <= MOST


def test_exponent_tells_quadratic_work_from_linear() -> None:
    def quadratic(count: int) -> None:
        for _ in range(count):
            sum(1 for _ in range(count))

    assert exponent(lambda count: lines_of(lambda: quadratic(count))) > 1.8
    assert exponent(lambda count: lines_of(lambda: [len("x") for _ in range(count)])) <= MOST


def test_shapes_cover_every_kind_of_node_and_every_standard() -> None:
    snapshot = open_snapshot(locate(None))
    found = shapes(snapshot)
    assert {shape.kind for shape in found} == set(KINDS)
    assert len({(shape.standard.namespace, shape.standard.version, shape.path) for shape in found}) > 500
    parts = [part(found, seed) for seed in range(PARTS)]
    assert [{shape.kind for shape in each} for each in parts] == [set(KINDS)] * PARTS
    every = {(shape.standard, shape.path) for shape in found}
    assert {(shape.standard, shape.path) for each in parts for shape in each} == every
    assert max(map(len, parts)) <= 2 * len(every) // PARTS
    places = {(shape.standard, shape.path) for shape in found if shape.kind == "text"}
    assert len({shape.text for shape in found if shape.kind == "text"}) >= len(places) - 1  # 3.2 and 3.3 share a root
