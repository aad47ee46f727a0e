"""Valid documents of the types I, E, P and N of many forms, as element trees."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from xml.sax.saxutils import escape

from lxml import etree
from tests.support.plain_mutants import base_documents, drawn_payment
from tests.support.rule_set_examples import EXAMPLES

from timbra import examples
from timbra.examples.codes.nodos import PAYMENT, TRANSFER
from timbra.examples.nomina12 import balance, deduction, earned, employed, incapacity, other, overtime, payroll, subsidy
from timbra.examples.totals import impuestos, rounded, total_of
from timbra.examples.tree import Change, ExampleNode, change

EARLIER = examples.cfdi40.EARLIER
TYPES = "IEPN"
_PREFIXES = {
    "http://www.sat.gob.mx/cfd/4": "cfdi",
    "http://www.sat.gob.mx/Pagos20": "pago20",
    "http://www.sat.gob.mx/nomina12": "nomina12",
    "http://www.w3.org/2001/XMLSchema-instance": "xsi",
}
_BUILT = {"I": 300, "E": 120, "P": 200, "N": 120}
"""How many documents of each type are built; the examples of the rules are added."""
_FIRST = 20_261_129
_RATES = ("0.160000", "0.160000", "0.160000", "0.080000", "0.000000", None)
_WITHHELD = (("001", "0.100000"), ("001", "0.012500"), ("002", "0.106667"), ("002", "0.040000"))


def documents() -> dict[str, list[ExampleNode]]:
    """Return the documents by type; the same ones at every call."""
    chance = random.Random(_FIRST)
    found: dict[str, list[ExampleNode]] = {each: [] for each in TYPES}
    failing = [EXAMPLES[code].failing() for code in EXAMPLES if code.startswith("CFDI40")]
    for text in dict.fromkeys([*base_documents(), *failing]):
        root = tree_of(text)
        found.get(root.attributes.get("TipoDeComprobante", ""), []).append(root)
    for kind, build in _BUILDERS.items():
        found[kind] += [tree_of(build(chance)) for _ in range(_BUILT[kind])]
    return found


def tree_of(text: str) -> ExampleNode:
    """Return the tree of a document whose prefixes are those of the standards."""
    root = _node_of(etree.fromstring(text.encode()))
    spaces = {prefix: space for space, prefix in _PREFIXES.items() if f"xmlns:{prefix}=" in text}
    declared = {f"xmlns:{prefix}": space for prefix, space in spaces.items()}
    root.attributes = declared | root.attributes
    return root


def _node_of(element: etree._Element) -> ExampleNode:
    return ExampleNode(
        _written(str(element.tag)),
        {_written(str(name)): str(value) for name, value in element.attrib.items()},
        [_node_of(each) for each in element.iterchildren("*")],
    )


def _written(tag: str) -> str:
    space, _, local = tag[1:].rpartition("}")
    return f"{_PREFIXES[space]}:{local}" if space in _PREFIXES else tag if tag[0] != "{" else local


def copied(node: ExampleNode) -> ExampleNode:
    """Return a tree that can be changed."""
    return ExampleNode(node.name, dict(node.attributes), [copied(each) for each in node.children], node.text)


def text_of(node: ExampleNode) -> str:
    """Return an element as text; faster than `ExampleNode.write`, because most values are written often."""
    attributes = "".join([f' {name}="{_escaped(value)}"' for name, value in node.attributes.items()])
    if not node.children:
        return f"<{node.name}{attributes}/>"
    return f"<{node.name}{attributes}>{''.join(map(text_of, node.children))}</{node.name}>"


@lru_cache(100_000)
def _escaped(value: str) -> str:
    return escape(value, {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def summed(root: ExampleNode) -> None:
    """Compute the sums of an invoice from its Conceptos; an amount that is no number leaves them as they are."""
    if root.attributes.get("TipoDeComprobante") not in ("I", "E"):
        return
    try:
        lines = [each for holder in root.named("Conceptos") for each in holder.children]
        taxes, subtotal, discount = impuestos(lines, 2), total_of(lines, "Importe"), total_of(lines, "Descuento")
        signed = Decimal(0)
        if taxes is not None:
            signed += Decimal(taxes.attributes.get("TotalImpuestosTrasladados", "0"))
            signed -= Decimal(taxes.attributes.get("TotalImpuestosRetenidos", "0"))
        root.attributes["SubTotal"] = rounded(subtotal, 2)
        if any("Descuento" in each.attributes for each in lines):
            root.attributes["Descuento"] = rounded(discount, 2)
        root.attributes["Total"] = rounded(Decimal(rounded(subtotal, 2)) - Decimal(rounded(discount, 2)) + signed, 2)
    except ArithmeticError:
        return
    change(root, {"Impuestos": taxes})


def _amount(chance: random.Random, digits: int = 5, decimals: int = 2) -> str:
    return f"{Decimal(chance.randint(1, 10**digits)).scaleb(-decimals):.{decimals}f}"


def _line(chance: random.Random, changes: dict[str, Change] | None = None) -> ExampleNode:
    price, quantity = (
        _amount(chance, decimals=chance.choice((2, 2, 4, 6))),
        _amount(chance, 3, chance.choice((0, 0, 3))),
    )
    decimals = chance.choice((2, 2, 2, 4, 6))
    total = (Decimal(price) * Decimal(quantity)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    base, given = total, {"@Cantidad": quantity, "@Importe": str(total), **(changes or {})}
    if chance.random() < 0.25:
        discount = (total * chance.randint(0, 100) / 100).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
        given["@Descuento"], base = str(discount), total - discount
    if chance.random() < 0.15 or not base:
        return examples.concepto(given, price=price, traslados=[])
    transferred = [examples.tax(str(base), "002", chance.choice(_RATES))]
    if chance.random() < 0.15:
        transferred.append(examples.tax(str(base), "003", chance.choice(("0.080000", "0.265000", "0.530000"))))
    withheld = [examples.tax(str(base), *each) for each in chance.sample(_WITHHELD, chance.choice((0, 0, 1, 2)))]
    return examples.concepto(given, price=price, traslados=transferred, retenciones=withheld)


def _lines(chance: random.Random) -> list[ExampleNode]:
    every = [_line(chance) for _ in range(chance.choice((1, 1, 2, 3, 5)))]
    for line in every:
        for give in _PARTS:
            if chance.random() < 0.08:
                give(line, chance)
    return every


def _third_party(line: ExampleNode, chance: random.Random) -> None:
    party = chance.choice((examples.XODAR, examples.ILUMINADORA, examples.CASAS))
    attributes = {
        "RfcACuentaTerceros": party.rfc,
        "NombreACuentaTerceros": party.name,
        "RegimenFiscalACuentaTerceros": party.regime,
        "DomicilioFiscalACuentaTerceros": party.postal_code,
    }
    change(line, {"ACuentaTerceros": ExampleNode("cfdi:ACuentaTerceros", attributes)})


def _customs(line: ExampleNode, chance: random.Random) -> None:
    number = f"{chance.choice(('20', '25', '26'))}  47  3807  {chance.choice(('6', '5'))}00{chance.randint(1000, 9999)}"
    node = ExampleNode("cfdi:InformacionAduanera", {"NumeroPedimento": number})
    change(line, {"InformacionAduanera": node})


def _estate(line: ExampleNode, chance: random.Random) -> None:
    change(line, {"CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": str(chance.randint(1, 10**6))})})


def _piece(line: ExampleNode, chance: random.Random) -> None:
    price = _amount(chance)
    attributes = {"ClaveProdServ": "51241200", "Cantidad": "1", "Descripcion": "Parte", "ValorUnitario": price}
    node = ExampleNode("cfdi:Parte", {**attributes, "Importe": price})
    if chance.random() < 0.5:
        _customs(node, chance)
    change(line, {"Parte": node})


_PARTS: tuple[Callable[[ExampleNode, random.Random], None], ...] = (_third_party, _customs, _estate, _piece)


def _relations(chance: random.Random) -> dict[str, Change]:
    folios = chance.sample((EARLIER, PAYMENT, TRANSFER, "11111111-2222-4333-8444-555555555555"), chance.choice((1, 2)))
    return {"CfdiRelacionados": examples.relation(chance.choice(("01", "02", "03", "04", "05", "06", "07")), *folios)}


def _ingreso(chance: random.Random) -> str:
    if chance.random() < 0.15:
        sale = {"@ClaveProdServ": "01010101", "@ClaveUnidad": "ACT", "@Descripcion": "Venta", "@NoIdentificacion": "V1"}
        return examples.global_invoice(concepts=[_line(chance, dict(sale)) for _ in range(chance.choice((1, 2, 4)))])
    ways: list[dict[str, Change]] = [
        {},
        {},
        {"@Serie": "A", "@Folio": str(chance.randint(1, 10**6))},
        {"@CondicionesDePago": "CONTADO"},
        {"@MetodoPago": "PPD", "@FormaPago": "99"},
        {"@Moneda": "USD", "@TipoCambio": chance.choice(("18.5", "17.123456", "20"))},
        {"@FormaPago": chance.choice(("01", "02", "28", "99"))},
    ]
    changes = chance.choice(ways)
    if chance.random() < 0.2:
        changes = {**changes, **_relations(chance)}
    receiver, use = chance.choice(
        ((examples.ROBOTICA, "G03"), (examples.ROBOTICA, "I04"), (examples.ILUMINADORA, "G03"), (examples.XODAR, "S01"))
    )
    return examples.ingreso(changes, receiver=receiver, uso=use, concepts=_lines(chance))


def _egreso(chance: random.Random) -> str:
    changes = _relations(chance) if chance.random() < 0.5 else {}
    return examples.egreso(changes, concepts=_lines(chance))


def _pago(chance: random.Random) -> str:
    changes = _relations(chance) if chance.random() < 0.1 else {}
    return examples.pago(changes, payments=[drawn_payment(chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))])


def _nomina(chance: random.Random) -> str:
    rows = [earned(chance.choice(("001", "002", "038", "010")), _amount(chance), _amount(chance, 4)) for _ in range(3)]
    rows = rows[: chance.randint(1, 3)]
    if chance.random() < 0.2:
        rows.append(earned("019", "200.00", "0.00", overtime()))
    withheld = [
        deduction(each, _amount(chance, 3)) for each in chance.sample(("001", "002", "004"), chance.randint(0, 3))
    ]
    others = [other("002", "0.00", subsidy("0.00"))]
    if chance.random() < 0.2:
        others.append(other("004", "200.00", balance("2025")))
    away = []
    if chance.random() < 0.15:
        withheld.append(deduction("006", "50.00"))
        away = [incapacity("50.00")]
    if chance.random() < 0.3:
        rows = [earned("046", _amount(chance), "0.00")]
        return examples.nomina(payrolls=[payroll(rows, withheld=withheld, incapacities=away)])
    return examples.nomina(payrolls=[employed(rows, withheld=withheld, others=others, incapacities=away)])


_BUILDERS: dict[str, Callable[[random.Random], str]] = {
    "I": _ingreso,
    "E": _egreso,
    "P": _pago,
    "N": _nomina,
}
