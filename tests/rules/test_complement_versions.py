"""Versions of complements: the table agrees with the snapshot, and rules follow from it."""

from __future__ import annotations

import json

import pytest
from tests.support.reference_data import reference_data
from tests.support.rules import checked, codes, nodes

from timbra.core.errors import ServiceError
from timbra.examples import exportacion33, ingreso, ingreso33
from timbra.examples.complements import COMPLEMENTS
from timbra.examples.complements.complement import STANDARDS, Complement
from timbra.examples.comprobante import FECHA
from timbra.rules.engine.result import Severity
from timbra.rules.registry import validate_for_stamping
from timbra.rules.shared.invoice.comprobante import COMPLEMENT_VERSIONS
from timbra.snapshot import locate, open_snapshot

BY_NAME = {complement.name: complement for complement in COMPLEMENTS}


def carried(complement: Complement, invoice: str) -> str:
    """Return an invoice of that version with the complement, even where it is not allowed."""
    build = ingreso if invoice == "4.0" else ingreso33
    return build(complement.changes(STANDARDS[invoice], FECHA))


def test_complement_versions_agree_with_the_stylesheets() -> None:
    """INE 1.0 is an exception: it shares its namespace with its successor."""
    stylesheets = json.loads(open_snapshot(locate(None)).read("cadena/index.json"))["cfdi"]
    for (tag, version), known in COMPLEMENT_VERSIONS.items():
        namespace = tag[1:].partition("}")[0]
        carriers = {invoice for invoice in ("4.0", "3.3") if namespace in stylesheets[invoice]["complements"]}
        assert carriers <= set(known.invoices) or (tag.endswith("INE"), version) == (True, "1.0")


@pytest.mark.parametrize("name", ["cartaporte10", "consumodecombustibles10", "ecc11", "ine10", "nomina11", "terceros"])
def test_cfdi40999_rejects_complements_of_33_in_40(name: str) -> None:
    """Complements of the invoice and of a Concepto."""
    (finding,) = checked(carried(BY_NAME[name], "4.0")).findings
    assert (finding.code, finding.severity) == ("CFDI40999", Severity.ERROR)
    holder = "Conceptos/Concepto[1]/ComplementoConcepto" if name == "terceros" else "Complemento"
    assert finding.path.startswith(f"{holder}/")
    assert codes(carried(BY_NAME[name], "3.3")) == set()


def test_cfdi33196_rejects_a_later_complement_in_33() -> None:
    assert codes(carried(BY_NAME["cartaporte30"], "3.3")) == {"CFDI33196"}


@pytest.mark.parametrize("name", ["cartaporte20", "cartaporte30"])
def test_cfdi40999_warns_of_an_ended_complement_and_rejects_it_for_stamping(name: str) -> None:
    late, in_time = BY_NAME[name](fecha=FECHA), BY_NAME[name]()
    assert [(one.code, one.severity) for one in checked(late).findings] == [("CFDI40999", Severity.WARNING)]
    assert codes(in_time) == set()
    with pytest.raises(ServiceError) as caught:
        validate_for_stamping(nodes(late), reference_data())
    assert caught.value.code == "CFDI40999"
    assert validate_for_stamping(nodes(in_time), reference_data()).warnings == ()


def test_earlier_version_of_comercio_exterior_is_valid_in_33() -> None:
    assert codes(exportacion33()) == set()
