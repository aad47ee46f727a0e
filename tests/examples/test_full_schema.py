"""The documents of every rule before SAT's full schemas: they pass, but for what the rules themselves judge."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.cfdi.oracle import Oracle, filled
from tests.support.sat import make_snapshot

from timbra.cfdi.structure import Structure
from timbra.examples.codes import EXAMPLES


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(Structure(make_snapshot(tmp_path_factory.mktemp("sat"))))


def sealed(text: str) -> etree._Element:
    return filled(etree.fromstring(text.encode()))


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_passing_document_passes(oracle: Oracle, code: str) -> None:
    assert oracle.accepts(sealed(EXAMPLES[code].passing()))


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_failing_document_fails_by_catalogs_and_owned_facets_alone(oracle: Oracle, code: str) -> None:
    assert oracle.differences(sealed(EXAMPLES[code].failing())) == []
