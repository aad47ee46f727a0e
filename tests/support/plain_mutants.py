"""Documents that are plain, and changes of them of which few are valid."""

from __future__ import annotations

import random
import re
from decimal import Decimal

from tests.support.rule_set_examples import EXAMPLES

from timbra import examples
from timbra.examples import pago, tax
from timbra.examples.pagos20 import document, payment
from timbra.examples.tree import ExampleNode

ATTRIBUTE = re.compile(r' ([A-Za-zñ:]+)="([^"]*)"')
ELEMENT = re.compile(r"<\w+:(\w+)[^<>]*/>")
AMOUNT = re.compile(r' ((?:ImpSaldo|ImpPagado|Importe|Base|Monto|Total)\w*)="([0-9.]+)"')
TAG = re.compile(r">")
NUMBERS = ("0", "0.01", "0.000001", "1", "1.005", "33.333333", "200", "199.995", "200.001", "696.01", "1E2", "-1", "")
INSERTED = ("<!-- c -->", "<?p i?>", "<![CDATA[ ]]>", "x", "&#32;", " ", "\r\n\t", "\0", "\x0b", "<cfdi:Addenda/>")
WRITTEN = ("&amp;", "&lt;", "&quot;", "&#65;", "&nada;", "  ", " ", "\t", "\n", "Ñ", "\u00a0", "\ufffd", "'", '"', "<")


def base_documents() -> list[str]:
    """Return invoices, payments and payrolls of many forms, most of them plain."""
    codes = [code for code in EXAMPLES if code.startswith(("CFDI40", "CRP20", "NOM")) and "Complemento" not in code]
    return [EXAMPLES[code].passing() for code in codes] + [
        examples.ingreso(),
        examples.ingreso(concepts=7),
        examples.ingreso({"@Descuento": "10.00", "Conceptos/Concepto/@Descuento": "10.00"}),
        examples.ingreso({"Receptor/@Nombre": "A &amp; B"}),
    ]


def mutant(text: str, pool: dict[str, list[str]], chance: random.Random) -> str:
    """Return the document with one to three changes, of which few are valid."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        text = chance.choice((_other_value, _other_value, _number, _written, _without, _repeated, _inserted, _quoted))(
            text, pool, chance
        )
    return text


def _some(pattern: re.Pattern[str], text: str, chance: random.Random) -> re.Match[str]:
    return chance.choice(list(pattern.finditer(text)))


def _other_value(text: str, pool: dict[str, list[str]], chance: random.Random) -> str:
    found = _some(ATTRIBUTE, text, chance)
    return text[: found.start(2)] + chance.choice(pool.get(found[1], ["x"])) + text[found.end(2) :]


def _number(text: str, _pool: dict[str, list[str]], chance: random.Random) -> str:
    numbers = [each for each in ATTRIBUTE.finditer(text) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", each[2])]
    if not numbers:
        return text
    found, value = chance.choice(numbers), ""
    value = chance.choice((found[2] + "0", found[2] + "1", found[2] + ".0", "0" + found[2], *NUMBERS))
    return text[: found.start(2)] + value + text[found.end(2) :]


def _written(text: str, _pool: dict[str, list[str]], chance: random.Random) -> str:
    found = _some(ATTRIBUTE, text, chance)
    at = chance.randint(found.start(2), found.end(2))
    return text[:at] + chance.choice(WRITTEN) + text[at:]


def _without(text: str, _pool: dict[str, list[str]], chance: random.Random) -> str:
    found = _some(chance.choice((ATTRIBUTE, ELEMENT)), text, chance)
    return text[: found.start()] + text[found.end() :]


def _repeated(text: str, _pool: dict[str, list[str]], chance: random.Random) -> str:
    found = _some(chance.choice((ATTRIBUTE, ELEMENT)), text, chance)
    return text[: found.end()] + found[0] + text[found.end() :]


def _inserted(text: str, _pool: dict[str, list[str]], chance: random.Random) -> str:
    at = _some(TAG, text, chance).end()
    return text[:at] + chance.choice(INSERTED) + text[at:]


def _quoted(text: str, _pool: dict[str, list[str]], chance: random.Random) -> str:
    found = _some(ATTRIBUTE, text, chance)
    return text[: found.start(2) - 1] + f"'{found[2]}'" + text[found.end(2) + 1 :]


def values_of(documents: list[str]) -> dict[str, list[str]]:
    """Return the values that attributes have in the documents, by name."""
    pool: dict[str, list[str]] = {}
    for text in documents:
        for name, value in ATTRIBUTE.findall(text):
            pool.setdefault(name, []).append(value)
    return pool


def payments(chance: random.Random) -> str:
    """Return payments of random documents in one or two currencies, with one or two amounts changed a little or not."""
    made = [drawn_payment(chance) for _ in range(chance.choice((1, 1, 2)))]
    text = pago(payments=made)
    for _ in range(chance.choice((0, 1, 1, 2))):
        found = chance.choice(list(AMOUNT.finditer(text)))
        decimals = chance.choice((2, 2, 3, 6))
        changed = Decimal(found[2]) + chance.choice((-1, 1)) * Decimal(chance.choice((1, 4, 5, 9))).scaleb(-decimals)
        text = text[: found.start(2)] + f"{max(changed, Decimal(0)):.{decimals}f}" + text[found.end(2) :]
    return text


def drawn_payment(chance: random.Random) -> ExampleNode:
    """Return a valid payment of random documents in one or two currencies."""
    currency, rate = chance.choice((("MXN", "1"), ("MXN", "1"), ("USD", "18.5"), ("USD", "17.123456")))
    documents = []
    for _ in range(chance.choice((1, 2, 3))):
        base = f"{chance.randint(1, 10**6) / 100:.2f}"
        rows = [tax(base, "002", chance.choice(("0.160000", "0.080000", "0.000000", None)))]
        withheld = [tax(base, chance.choice(("001", "002")), "0.100000")] if chance.random() < 0.3 else []
        own, equivalence = chance.choice(((currency, "1"), (currency, "1"), (currency, "1"), ("EUR", "0.9")))
        documents.append(document(base, currency=own, equivalence=equivalence, traslados=rows, retenciones=withheld))
    return payment(documents, currency=currency, rate=rate)
