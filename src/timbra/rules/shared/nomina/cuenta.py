"""The account that receives the wages: its length, its bank and the check digit of a CLABE."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.nomina12 import ReceptorNomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

CLABE: Final = 18
LENGTHS: Final = (10, 11, 16, CLABE)
"""Mobile telephone, account, card, CLABE."""
_WEIGHTS: Final = (3, 7, 1)


def account(receptor: ReceptorNomina) -> str:
    """Return CuentaBancaria, empty when absent."""
    return (receptor.CuentaBancaria or "").strip()


def has_account_length(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """CuentaBancaria, when present, has 10, 11, 16 or 18 positions."""
    text = account(receptor)
    if receptor.CuentaBancaria is None or len(text) in LENGTHS:
        return None
    return Violation(found=text, expected="10, 11, 16 o 18 posiciones")


def has_no_bank_with_clabe(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """Banco is absent with a CLABE, which contains the key of the bank."""
    if receptor.Banco is None or len(account(receptor)) != CLABE:
        return None
    return Violation(found=receptor.Banco, expected="que no exista: la CLABE ya dice el banco")


def has_bank_with_other_account(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """Banco is present with an account of 10, 11 or 16 positions."""
    length = len(account(receptor))
    if receptor.Banco is not None or length not in LENGTHS or length == CLABE:
        return None
    return Violation(expected=f"la clave del banco, por la cuenta de {length} posiciones")


def has_check_digit(receptor: ReceptorNomina, _ctx: EvaluationContext) -> RuleResult:
    """The last digit of a CLABE is its check digit; an account that is not 18 digits passes."""
    text = account(receptor)
    if len(text) != CLABE or not (text.isascii() and text.isdecimal()):
        return None
    expected = check_digit(text)
    return None if text[-1] == expected else Violation(found=text, expected=f"el dígito de control {expected}")


def check_digit(clabe: str) -> str:
    """Return the check digit of the first 17 digits, weighted 3, 7, 1 in turn."""
    total = sum(int(digit) * _WEIGHTS[place % 3] % 10 for place, digit in enumerate(clabe[: CLABE - 1]))
    return str(-total % 10)
