"""The documents of every rule and the SAT's full schemas: violations are catalogs and facets of the rules."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.cfdi.oracle import Oracle, filled
from tests.support.effort import cases
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sat import make_snapshot

from timbra.cfdi.structure import Structure

CODES = cases([*EXAMPLES][::4], [*EXAMPLES])


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(Structure(make_snapshot(tmp_path_factory.mktemp("sat"))))


def sealed(text: str) -> etree._Element:
    return filled(etree.fromstring(text.encode()))


def test_passing_examples_are_valid_by_the_full_schema(oracle: Oracle) -> None:
    """Most rules share their passing document with others."""
    documents = {EXAMPLES[code].passing(): code for code in CODES}
    for text, code in documents.items():
        assert oracle.accepts(sealed(text)), code


def test_failing_examples_violate_only_catalogs_and_owned_facets(oracle: Oracle) -> None:
    for code in CODES:
        assert oracle.differences(sealed(EXAMPLES[code].failing())) == [], code
