"""Rule sets of complements: evaluated only with their complement, in document order with the rules of the invoice."""

from __future__ import annotations

from typing import cast

import pytest
from tests.support.reference_data import reference_data
from tests.support.rules import checked, codes, document_nodes, nodes, sample_row, sample_rule

from timbra.cfdi.nodes import ComplementNode, Comprobante, Concepto
from timbra.cfdi.nodes.base import NodeType
from timbra.cfdi.nodes.complement import ConceptoComplementNode
from timbra.cfdi.nodes.complements import CONCEPTO_KINDS, KINDS
from timbra.cfdi.nodes.pagos20 import Pago, Pagos
from timbra.cfdi.nodes.retenciones20.walk import KINDS as RETENCIONES_KINDS
from timbra.core.errors import ServiceError
from timbra.examples import ingreso, pago
from timbra.examples.documents import DOCUMENTS
from timbra.examples.pagos20 import document, payment
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import validate_for_stamping
from timbra.rules.rulesets import nomina12b, pagos10

PLAIN = Profile("plain")
AT = "Complemento/Pagos/Pago"
_LISR = '<leyendasFisc:Leyenda disposicionFiscal="LISR" '


@sample_rule("I1", at="@Fecha")
def of_invoice(_comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


@sample_rule("C1", at="Conceptos/Concepto")
def of_invoice_by_complement(_concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


@sample_rule("C2", at=AT)
def of_complement(_pago: Pago, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found="x")


INVOICE = RuleSet("invoice", "1", (of_invoice,))
PAYMENTS = RuleSet(
    "payments",
    "1",
    (of_invoice_by_complement, of_complement),
    not_implemented=(sample_row("C3", AT, "no data", Comprobante),),
    complement=Pagos,
)


def test_rule_set_is_evaluated_only_with_its_complement() -> None:
    engine = Engine([INVOICE, PAYMENTS])
    for _ in range(2):
        without = engine.check(nodes(ingreso()), reference_data(), PLAIN)
        assert [finding.code for finding in without.findings] == ["I1"]
        assert without.not_evaluated == ()
        within = engine.check(nodes(pago()), reference_data(), PLAIN)
        assert [(finding.code, finding.rule_set) for finding in within.findings] == [
            ("I1", "invoice"),
            ("C1", "payments"),
            ("C2", "payments"),
        ]
        assert [record.code for record in within.not_evaluated] == ["C3"]


def test_rule_set_ignores_another_version_of_its_complement() -> None:
    text = pago({"Complemento/Pagos/@Version": "1.0"})
    assert [
        finding.code for finding in Engine([INVOICE, PAYMENTS]).check(nodes(text), reference_data(), PLAIN).findings
    ] == ["I1"]


class LeyendasFiscales(ComplementNode):
    """A complement whose version attribute is `version`."""

    HEAD = TEMPLATE = "Complemento/LeyendasFiscales"
    TAG = "{http://www.sat.gob.mx/leyendasFiscales}LeyendasFiscales"

    leyendas: tuple[Leyenda, ...]


class Leyenda(ComplementNode):
    """A sentence of the complement."""

    HEAD = "Complemento/LeyendasFiscales"
    TEMPLATE = f"{HEAD}/Leyenda[{{}}]"
    RANKS = (1,)

    disposicionFiscal: str | None  # noqa: N815 - the name of the SAT
    textoLeyenda: str  # noqa: N815


@sample_rule("L1", at="Complemento/LeyendasFiscales/Leyenda/@textoLeyenda")
def of_leyenda(leyenda: Leyenda, _ctx: EvaluationContext) -> RuleResult:
    return Violation(found=leyenda.textoLeyenda) if leyenda.disposicionFiscal == "LISR" else None


@pytest.mark.parametrize("version", ["4.0", "3.3"])
@pytest.mark.parametrize("registered", ["1.0", "2.0"])
def test_rule_is_asked_about_a_complement_with_a_lower_case_version(
    monkeypatch: pytest.MonkeyPatch, version: str, registered: str
) -> None:
    """A kind of another version is not read, so its rules are not asked."""
    monkeypatch.setitem(KINDS, (LeyendasFiscales.TAG, registered), LeyendasFiscales)
    text = DOCUMENTS["leyendasfiscales"].make(version).replace("<leyendasFisc:Leyenda ", _LISR, 1)
    found = Engine([RuleSet("leyendas", "1", (of_leyenda,), complement=LeyendasFiscales)]).check(
        nodes(text), reference_data(), PLAIN
    )
    expected = [("L1", "Complemento/LeyendasFiscales/Leyenda[1]/@textoLeyenda")] if registered == "1.0" else []
    assert [(finding.code, finding.path) for finding in found.findings] == expected


@pytest.mark.parametrize(
    ("name", "version"),
    [(name, version) for name, each in DOCUMENTS.items() if each.tag for version in each.builders],
)
def test_rule_is_asked_about_every_complement(monkeypatch: pytest.MonkeyPatch, name: str, version: str) -> None:
    each = DOCUMENTS[name]
    read = document_nodes(each.make(version))
    of_concepto = read.complement(each.tag) is None
    local = each.tag.partition("}")[2]
    head = f"Conceptos/Concepto[{{}}]/ComplementoConcepto/{local}" if of_concepto else f"Complemento/{local}"
    base = ConceptoComplementNode if of_concepto else ComplementNode
    members = {"HEAD": head, "TEMPLATE": head, "TAG": each.tag, "__module__": __name__, "__annotations__": {}}
    kind = cast("type[ComplementNode]", NodeType(local, (base,), members))
    kinds = RETENCIONES_KINDS if version == "2.0" else CONCEPTO_KINDS if of_concepto else KINDS
    monkeypatch.setitem(kinds, (each.tag, each.version), kind)

    def breaks(_node: ComplementNode, _ctx: EvaluationContext) -> RuleResult:
        return Violation(found="x")

    breaks.__annotations__ = {"_node": kind}
    asked = RuleSet(
        name, "1", (sample_rule("A1", at=kind.PATH)(breaks),), complement=kind, versions=(version,), root=type(read)
    )
    found = Engine([asked]).check(document_nodes(each.make(version)), reference_data(), PLAIN).findings
    path = f"Conceptos/Concepto[1]/ComplementoConcepto/{local}" if of_concepto else f"Complemento/{local}"
    assert [(finding.code, finding.path) for finding in found] == [("A1", path)]


def test_rule_sets_of_33_have_version_33_only() -> None:
    assert {book.versions for book in (pagos10.RULE_SET, *nomina12b.RULE_SETS)} == {("3.3",)}


def test_result_is_filtered_by_rule_set() -> None:
    outcome = Engine([INVOICE, PAYMENTS]).check(nodes(pago()), reference_data(), PLAIN)
    assert [finding.code for finding in outcome.for_rule_set("payments").findings] == ["C1", "C2"]
    assert [record.code for record in outcome.for_rule_set("payments").not_evaluated] == ["C3"]
    rest = outcome.without(["payments"])
    assert ([finding.code for finding in rest.findings], rest.not_evaluated) == (["I1"], ())


def test_findings_of_the_invoice_precede_those_of_the_complement_each_in_document_order() -> None:
    wrong = payment([document(), document("100.00", {"@ImpSaldoInsoluto": "1.00"})], {"@FormaDePagoP": "99"})
    changes = {"@FormaPago": "03", "Receptor/@UsoCFDI": "X01", "Conceptos/Concepto/@ObjetoImp": "09"}
    found = [(finding.code, finding.path) for finding in checked(pago(changes, payments=[wrong])).findings]
    assert found == [
        ("CFDI40103", "@FormaPago"),
        ("CFDI40160", "Receptor/@UsoCFDI"),
        ("CFDI40170", "Conceptos/Concepto[1]/@ObjetoImp"),
        ("CRP20105", "@FormaPago"),
        ("CRP20999", "Receptor/@UsoCFDI"),
        ("CRP20122", "Conceptos/Concepto[1]/@ObjetoImp"),
        ("CRP20212", "Complemento/Pagos/Pago[1]/@FormaDePagoP"),
        ("CRP20244", "Complemento/Pagos/Pago[1]/DoctoRelacionado[2]/@ImpSaldoInsoluto"),
    ]


def test_validate_for_stamping_rejects_with_the_code_of_the_complement() -> None:
    with pytest.raises(ServiceError) as caught:
        validate_for_stamping(nodes(pago({f"{AT}/@FormaDePagoP": "99"})), reference_data())
    assert caught.value.code == "CRP20212"
    assert caught.value.detail == (
        "Complemento/Pagos/Pago[1]/@FormaDePagoP: se encontró «99»; se esperaba una forma de pago distinta de 99."
    )


def test_rules_evaluate_a_thousand_documents() -> None:
    assert codes(pago(payments=[payment([document() for _ in range(1000)])])) == set()
