"""Accounts, banks and the chain of payment: CRP20221 to CRP20235, columns of c_FormaPago."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from timbra.cfdi.nodes.pagos20 import Pago
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.case import Case
from timbra.rules.conditions import absent, key_of
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.pagos20.matrix import STANDARD
from timbra.rules.pagos20.pago import AT, TO_BE_DEFINED
from timbra.rules.rule import rule

FORMS: Final = "c_FormaPago"
ORDERING_BANK, ORDERING_ACCOUNT = "permite_banco_ordenante_rfc", "permite_cuenta_ordenante"
RECEIVING_BANK, RECEIVING_ACCOUNT = "permite_banco_beneficiario_rfc", "permite_cuenta_beneficiario"
ORDERING_PATTERN, RECEIVING_PATTERN = "patron_cuenta_ordenante", "patron_cuenta_beneficiario"
CHAIN, FOREIGN_BANK = "permite_tipo_cadena_pago", "requiere_banco_ordenante_nombre_ext"


def _admitted(pago: Pago, case: Case, text: str | None, column: str) -> Verdict:
    """Absent unless the form of payment admits it; nothing to say about an unknown form."""
    row = case.row(FORMS, pago.FormaDePagoP)
    if text is None or row is None or (row.get(column) and pago.FormaDePagoP != TO_BE_DEFINED):
        return None
    return absent(text, f"con FormaDePagoP {pago.FormaDePagoP}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _matches(pago: Pago, case: Case, text: str | None, column: str) -> Verdict:
    row = case.row(FORMS, pago.FormaDePagoP)
    pattern = row.get(column) if row is not None else None
    if text is None or not pattern or _compiled(pattern).fullmatch(text):
        return None
    return Breach(found=text, expected=f"una cuenta con la forma {pattern}, por FormaDePagoP {pago.FormaDePagoP}")


@rule("CRP20221", at=f"{AT}/@RfcEmisorCtaOrd", columns=((FORMS, ORDERING_BANK),))
def ordering_bank_is_admitted(pago: Pago, case: Case) -> Verdict:
    return _admitted(pago, case, pago.RfcEmisorCtaOrd, ORDERING_BANK)


def names_a_mexican_bank(pago: Pago, _case: Case) -> bool:
    return pago.RfcEmisorCtaOrd not in (None, FOREIGN)


@rule("CRP20222", at=f"{AT}/@RfcEmisorCtaOrd", applies=names_a_mexican_bank, needs=(Need.TAXPAYERS,))
def ordering_bank_is_registered(pago: Pago, case: Case) -> Verdict:
    rfc = pago.RfcEmisorCtaOrd
    if rfc is None or case.taxpayer(rfc) is not None:
        return None
    return Breach(found=rfc, expected="un RFC inscrito y no cancelado", hint=case.world.registry_hint)


@rule("CRP20223", at=f"{AT}/@NomBancoOrdExt")
def foreign_bank_has_its_name(pago: Pago, _case: Case) -> Verdict:
    if pago.RfcEmisorCtaOrd != FOREIGN or pago.NomBancoOrdExt is not None:
        return None
    return Breach(expected=f"el nombre del banco, por RfcEmisorCtaOrd {FOREIGN}")


@rule("CRP20224", at=f"{AT}/@CtaOrdenante", columns=((FORMS, ORDERING_ACCOUNT),))
def ordering_account_is_admitted(pago: Pago, case: Case) -> Verdict:
    return _admitted(pago, case, pago.CtaOrdenante, ORDERING_ACCOUNT)


@rule("CRP20225", at=f"{AT}/@CtaOrdenante", columns=((FORMS, ORDERING_PATTERN),))
def ordering_account_has_its_form(pago: Pago, case: Case) -> Verdict:
    return _matches(pago, case, pago.CtaOrdenante, ORDERING_PATTERN)


@rule("CRP20226", at=f"{AT}/@CtaBeneficiario", columns=((FORMS, RECEIVING_PATTERN),))
def receiving_account_has_its_form(pago: Pago, case: Case) -> Verdict:
    return _matches(pago, case, pago.CtaBeneficiario, RECEIVING_PATTERN)


@rule("CRP20227", at=f"{AT}/@RfcEmisorCtaBen", columns=((FORMS, RECEIVING_BANK),))
def receiving_bank_is_admitted(pago: Pago, case: Case) -> Verdict:
    return _admitted(pago, case, pago.RfcEmisorCtaBen, RECEIVING_BANK)


@rule("CRP20228", at=f"{AT}/@CtaBeneficiario", columns=((FORMS, RECEIVING_ACCOUNT),))
def receiving_account_is_admitted(pago: Pago, case: Case) -> Verdict:
    return _admitted(pago, case, pago.CtaBeneficiario, RECEIVING_ACCOUNT)


@rule("CRP20229", at=f"{AT}/@TipoCadPago", columns=((FORMS, CHAIN),))
def chain_is_admitted(pago: Pago, case: Case) -> Verdict:
    return _admitted(pago, case, pago.TipoCadPago, CHAIN)


@rule("CRP20999:TipoCadPago", at=f"{AT}/@TipoCadPago")
def chain_is_a_key(pago: Pago, case: Case) -> Verdict:
    return None if pago.TipoCadPago is None else key_of(case, "pagos20:c_TipoCadenaPago", pago.TipoCadPago)


def _with_chain(pago: Pago, text: str | None) -> Verdict:
    if pago.TipoCadPago is None or text is not None:
        return None
    return Breach(expected=f"un valor, por TipoCadPago {pago.TipoCadPago}")


def _without_chain(pago: Pago, text: str | None) -> Verdict:
    return absent(text, "sin TipoCadPago") if pago.TipoCadPago is None else None


@rule("CRP20230", at=f"{AT}/@CertPago")
def chain_has_its_certificate(pago: Pago, _case: Case) -> Verdict:
    return _with_chain(pago, pago.CertPago)


@rule("CRP20231", at=f"{AT}/@CertPago")
def certificate_belongs_to_a_chain(pago: Pago, _case: Case) -> Verdict:
    return _without_chain(pago, pago.CertPago)


@rule("CRP20232", at=f"{AT}/@CadPago")
def chain_has_its_text(pago: Pago, _case: Case) -> Verdict:
    return _with_chain(pago, pago.CadPago)


@rule("CRP20233", at=f"{AT}/@CadPago")
def text_belongs_to_a_chain(pago: Pago, _case: Case) -> Verdict:
    return _without_chain(pago, pago.CadPago)


@rule("CRP20234", at=f"{AT}/@SelloPago")
def chain_has_its_seal(pago: Pago, _case: Case) -> Verdict:
    return _with_chain(pago, pago.SelloPago)


@rule("CRP20235", at=f"{AT}/@SelloPago")
def seal_belongs_to_a_chain(pago: Pago, _case: Case) -> Verdict:
    return _without_chain(pago, pago.SelloPago)


@rule("CRP20999:FormaDePagoP-columns", at=f"{AT}/@NomBancoOrdExt", source=STANDARD, columns=((FORMS, FOREIGN_BANK),))
def foreign_bank_is_admitted(pago: Pago, case: Case) -> Verdict:
    """What the columns say of the other attributes has codes of its own; NumOperacion is always optional."""
    if pago.RfcEmisorCtaOrd == FOREIGN:
        return None
    return _admitted(pago, case, pago.NomBancoOrdExt, FOREIGN_BANK)
