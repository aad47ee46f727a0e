"""Amounts with words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from timbra.rendering.amount_words import amount_in_words


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        ("0", "MXN", "CERO PESOS 00/100 M.N."),
        ("1", "MXN", "UN PESO 00/100 M.N."),
        ("21.5", "MXN", "VEINTIÚN PESOS 50/100 M.N."),
        ("31", "MXN", "TREINTA Y UN PESOS 00/100 M.N."),
        ("100", "MXN", "CIEN PESOS 00/100 M.N."),
        ("116.05", "MXN", "CIENTO DIECISÉIS PESOS 05/100 M.N."),
        ("1000", "MXN", "MIL PESOS 00/100 M.N."),
        ("21501", "MXN", "VEINTIÚN MIL QUINIENTOS UN PESOS 00/100 M.N."),
        ("1000000", "MXN", "UN MILLÓN DE PESOS 00/100 M.N."),
        ("2000001.999", "MXN", "DOS MILLONES DOS PESOS 00/100 M.N."),
        ("1000000000000", "USD", "UN BILLÓN DE DÓLARES 00/100 USD"),
        ("721", "GBP", "SETECIENTAS VEINTIUNA LIBRAS ESTERLINAS 00/100 GBP"),
        ("1", "KRW", "UNO 00/100 KRW"),
        ("0", "XXX", ""),
        ("-1", "MXN", ""),
        ("1000000000000000000", "MXN", ""),
    ],
)
def test_amount_in_words_writes_currency_and_cents(amount: str, currency: str, words: str) -> None:
    assert amount_in_words(Decimal(amount), currency) == words
