"""The reference page of each rule set, with its rows in the order of the SAT's matrix."""

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
    """The content of one page.

    Attributes:
        name: file name of the page, without suffix.
        standard: Spanish name of the standard, for tables.
        title: heading of the page.
        rule_sets: the rule sets that have the rows; the last one is that of the standard.
        rows: codes of rules and of rows that are not implemented, in the order of the page.
        codes: prefixes of the codes of the SAT's matrix; empty for a rule set of the provider.
    """

    name: str
    standard: str
    title: str
    rule_sets: tuple[RuleSet, ...]
    rows: tuple[str, ...] = field(repr=False)
    codes: tuple[str, ...] = ()

    @property
    def entries(self) -> list[AnyRule | NotImplementedRow]:
        """The rules and rows of `rows`; KeyError for a code that no rule set has."""
        by_code: dict[str, AnyRule | NotImplementedRow] = {}
        for rule_set in self.rule_sets:
            by_code.update({rule.code: rule for rule in rule_set.rules})
            by_code.update({row.code: row for row in rule_set.not_implemented})
        return [by_code[row] for row in self.rows]


def _matrix(
    standard: str, rule_sets: tuple[RuleSet, ...], rows: tuple[str, ...], *codes: str, title: str = ""
) -> RuleSetPage:
    title = title or f"The matrix of {standard}, row by row"
    return RuleSetPage(rule_sets[-1].name, standard, title, rule_sets, rows, codes)


def _own(rule_set: RuleSet, standard: str, title: str) -> RuleSetPage:
    return RuleSetPage(rule_set.name, standard, title, (rule_set,), tuple(rule.code for rule in rule_set.rules))


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
    _own(
        shape.RULE_SET,
        "Espacios de nombres, esquemas y lugares",
        "Namespaces, schemas and the positions of complements and stamp",
    ),
    _own(seals.RULE_SET, "Certificado, sello, fecha y timbre", "Certificate, seal, date and stamp"),
)
PAGES: dict[str, RuleSetPage] = {page.name: page for page in _PAGES}
