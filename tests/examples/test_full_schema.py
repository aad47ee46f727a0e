"""The documents of every rule and the SAT's full schemas: violations are catalogs and facets of the rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from lxml import etree
from tests.cfdi.oracle import Oracle, filled
from tests.support.effort import cases
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sat import make_snapshot

from timbra.cfdi.structure import Structure


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(Structure(make_snapshot(tmp_path_factory.mktemp("sat"))))


def sealed(text: str) -> etree._Element:
    return filled(etree.fromstring(text.encode()))


@pytest.fixture(scope="module")
def accepts(oracle: Oracle) -> Callable[[str], bool]:
    """Return the check of a text, once for each text: most rules share their passing document with others."""
    return cache(lambda text: oracle.accepts(sealed(text)))


@pytest.mark.parametrize("code", cases([*EXAMPLES][::4], [*EXAMPLES]))
def test_passing_example_is_valid_by_the_full_schema(accepts: Callable[[str], bool], code: str) -> None:
    assert accepts(EXAMPLES[code].passing())


@pytest.mark.parametrize("code", cases([*EXAMPLES][::4], [*EXAMPLES]))
def test_failing_example_violates_only_catalogs_and_owned_facets(oracle: Oracle, code: str) -> None:
    assert oracle.differences(sealed(EXAMPLES[code].failing())) == []
