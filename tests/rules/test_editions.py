"""Editions of complements: facts that the snapshot bears out, and what follows from them."""

from __future__ import annotations

import json

import pytest
from tests.support.reference_data import reference_data
from tests.support.rules import checked, codes, nodes

from timbra.errors import ServiceError
from timbra.examples import exportacion33, ingreso, ingreso33
from timbra.examples.complements import COMPLEMENTS
from timbra.examples.complements.complement import STANDARDS, Complement
from timbra.examples.comprobante import FECHA
from timbra.rules.engine.result import Severity
from timbra.rules.registry import validate_for_stamping
from timbra.rules.shared.invoice.editions import EDITIONS
from timbra.snapshot import locate, open_snapshot

BY_NAME = {complement.name: complement for complement in COMPLEMENTS}


def carried(complement: Complement, invoice: str) -> str:
    """An invoice of that version with the complement, whether it belongs there or not."""
    build = ingreso if invoice == "4.0" else ingreso33
    return build(complement.changes(STANDARDS[invoice], FECHA))


def test_no_cadena_original_has_what_the_table_denies() -> None:
    """But for INE 1.0, which shares its namespace with the edition that replaced it."""
    known = json.loads(open_snapshot(locate(None)).read("xslt/index.json"))["cfdi"]
    for (tag, version), edition in EDITIONS.items():
        namespace = tag[1:].partition("}")[0]
        carriers = {invoice for invoice in ("4.0", "3.3") if namespace in known[invoice]["complements"]}
        assert carriers <= set(edition.invoices) or (tag.endswith("INE"), version) == (True, "1.0")


@pytest.mark.parametrize("name", ["cartaporte10", "consumodecombustibles10", "ecc11", "ine10", "nomina11", "terceros"])
def test_what_belongs_to_33_is_rejected_in_40(name: str) -> None:
    """Of the invoice, and of a Concepto."""
    (finding,) = checked(carried(BY_NAME[name], "4.0")).findings
    assert (finding.code, finding.severity) == ("CFDI40999", Severity.ERROR)
    holder = "Conceptos/Concepto[1]/ComplementoConcepto" if name == "terceros" else "Complemento"
    assert finding.path.startswith(f"{holder}/")
    assert codes(carried(BY_NAME[name], "3.3")) == set()


def test_a_later_edition_is_rejected_in_33() -> None:
    assert codes(carried(BY_NAME["cartaporte30"], "3.3")) == {"CFDI33196"}


@pytest.mark.parametrize("name", ["cartaporte20", "cartaporte30"])
def test_a_validator_warns_of_what_has_ended_and_a_provider_rejects_it(name: str) -> None:
    late, in_time = BY_NAME[name](fecha=FECHA), BY_NAME[name]()
    assert [(one.code, one.severity) for one in checked(late).findings] == [("CFDI40999", Severity.WARNING)]
    assert codes(in_time) == set()
    with pytest.raises(ServiceError) as caught:
        validate_for_stamping(nodes(late), reference_data())
    assert caught.value.code == "CFDI40999"
    assert validate_for_stamping(nodes(in_time), reference_data()).warnings == ()


def test_trade_of_the_earlier_edition_is_right_in_33() -> None:
    assert codes(exportacion33()) == set()
