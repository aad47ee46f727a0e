"""Which page shows which book, and the rows of each in SAT's order."""

from __future__ import annotations

from dataclasses import dataclass, field

from timbra.rules.engine.rule import AnyRule, NotImplementedRow, RuleSet
from timbra.rules.rulesets import (
    cartaporte31,
    cfdi33,
    cfdi40,
    comercioexterior20,
    ecc12,
    gceh10,
    hidroypetro10,
    ieeh10,
    ine11,
    nomina12,
    nomina12b,
    pagos10,
    pagos20,
)
from timbra.rules.rulesets import (
    certificates as seals,
)
from timbra.rules.rulesets import (
    declarations as shape,
)
from timbra.rules.rulesets.cartaporte31.matrix import ROWS as CARTAPORTE31
from timbra.rules.rulesets.cfdi33.matrix import ROWS as CFDI33
from timbra.rules.rulesets.cfdi40.matrix import ROWS as CFDI40
from timbra.rules.rulesets.comercioexterior20.matrix import ROWS as COMERCIOEXTERIOR20
from timbra.rules.rulesets.ecc12.matrix import ROWS as ECC12
from timbra.rules.rulesets.gceh10.matrix import ROWS as GCEH10
from timbra.rules.rulesets.hidroypetro10.matrix import ROWS as HIDROYPETRO10
from timbra.rules.rulesets.ieeh10.matrix import ROWS as IEEH10
from timbra.rules.rulesets.ine11.matrix import ROWS as INE11
from timbra.rules.rulesets.nomina12.matrix import ROWS as NOMINA12
from timbra.rules.rulesets.nomina12b.matrix import ROWS as NOMINA12B
from timbra.rules.rulesets.pagos10.matrix import ROWS as PAGOS10
from timbra.rules.rulesets.pagos20.matrix import ROWS as PAGOS20


@dataclass(frozen=True, slots=True)
class RuleSetPage:
    """books: those of the standard first. codes: how the codes of its matrix begin; empty for one of the provider.

    rows: codes of rules and listed rows, in the order of the page.
    """

    name: str
    standard: str
    title: str
    books: tuple[RuleSet, ...]
    rows: tuple[str, ...] = field(repr=False)
    codes: tuple[str, ...] = ()

    @property
    def known(self) -> list[AnyRule | NotImplementedRow]:
        """The rows themselves; KeyError for one that no book has."""
        every: dict[str, AnyRule | NotImplementedRow] = {}
        for book in self.books:
            every.update({rule.code: rule for rule in book.rules})
            every.update({row.code: row for row in book.not_implemented})
        return [every[row] for row in self.rows]


def _matrix(
    standard: str, books: tuple[RuleSet, ...], rows: tuple[str, ...], *codes: str, title: str = ""
) -> RuleSetPage:
    return RuleSetPage(books[-1].name, standard, title or f"The matrix of {standard}, row by row", books, rows, codes)


def _own(book: RuleSet, title: str) -> RuleSetPage:
    return RuleSetPage(book.name, title, title, (book,), tuple(rule.code for rule in book.rules))


_PAGES = (
    _matrix("CFDI 4.0", (seals.RULE_SET, cfdi40.RULE_SET), CFDI40, "CFDI40", "CFDI140"),
    _matrix("CFDI 3.3", (seals.RULE_SET, cfdi33.RULE_SET), CFDI33, "CFDI33"),
    _matrix("Recepción de Pagos 2.0", (pagos20.RULE_SET,), PAGOS20, "CRP"),
    _matrix("Recepción de Pagos 1.0", (pagos10.RULE_SET,), PAGOS10, "CRP"),
    _matrix(
        "Nómina 1.2",
        nomina12.RULE_SETS,
        NOMINA12,
        "NOM",
        title="The matrix of Nómina 1.2, revision E, row by row",
    ),
    _matrix(
        "Nómina 1.2 (CFDI 3.3)",
        nomina12b.RULE_SETS,
        NOMINA12B,
        "NOM",
        title="The matrix of Nómina 1.2 for CFDI 3.3, revision B, row by row",
    ),
    _matrix("Carta Porte 3.1", cartaporte31.RULE_SETS, CARTAPORTE31, "CP"),
    _matrix("Comercio Exterior 2.0", comercioexterior20.RULE_SETS, COMERCIOEXTERIOR20, "CCE"),
    _matrix("Estado de Cuenta de Combustibles 1.2", (ecc12.RULE_SET,), ECC12, "ECC"),
    _matrix("Gastos de Hidrocarburos 1.0", (gceh10.RULE_SET,), GCEH10, "GCEH"),
    _matrix("Ingresos de Hidrocarburos 1.0", (ieeh10.RULE_SET,), IEEH10, "IEEH"),
    _matrix("Hidrocarburos y Petrolíferos 1.0", (hidroypetro10.RULE_SET,), HIDROYPETRO10, "CCHYP"),
    _matrix("INE 1.1", (ine11.RULE_SET,), INE11, "INE"),
    _own(shape.RULE_SET, "Namespaces, schemas and the places of complements and stamp"),
    _own(seals.RULE_SET, "Certificate, seal, date and stamp"),
)
PAGES: dict[str, RuleSetPage] = {page.name: page for page in _PAGES}
