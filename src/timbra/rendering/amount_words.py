"""Amounts with words ("importe con letra"), as invoices in Mexico have them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

UNITS = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
TENS = ["cero", "diez", "veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
HUNDREDS = [
    "cero",
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
]
SCALES = ((10**12, "billón", "billones"), (10**6, "millón", "millones"))
MAX_AMOUNT = 10**18

CURRENCIES = {
    "MXN": ("peso", "pesos", "M.N."),
    "USD": ("dólar", "dólares", "USD"),
    "EUR": ("euro", "euros", "EUR"),
    "CAD": ("dólar canadiense", "dólares canadienses", "CAD"),
    "GBP": ("libra esterlina", "libras esterlinas", "GBP"),
    "JPY": ("yen", "yenes", "JPY"),
    "CNY": ("yuan", "yuanes", "CNY"),
    "CHF": ("franco suizo", "francos suizos", "CHF"),
    "BRL": ("real", "reales", "BRL"),
}
"""Singular, plural and suffix of currencies; other currencies are written with their key."""
FEMININE = frozenset({"GBP"})
WITHOUT_AMOUNT = frozenset({"", "XXX"})
"""c_Moneda: the key of documents without amounts."""


def amount_in_words(amount: Decimal, currency: str) -> str:
    """Write an amount with words, in capitals: `CIENTO DIECISÉIS PESOS 00/100 M.N.`.

    Args:
        amount: from 0 to below 10^18; other amounts give an empty text. Decimals are rounded to cents.
        currency: key of c_Moneda.
    """
    cents = amount.quantize(Decimal("0.01"), ROUND_HALF_UP) if 0 <= amount < MAX_AMOUNT else None
    if cents is None or currency in WITHOUT_AMOUNT:
        return ""
    whole = int(cents)
    fraction = f"{int((cents - whole) * 100):02}/100"
    one, many, suffix = CURRENCIES.get(currency, ("", "", currency))
    number = _number(whole, feminine=currency in FEMININE)
    name = one if whole == 1 else many
    # "Un millón de pesos": the preposition follows a round number of millions.
    link = "de" if name and whole and whole % 10**6 == 0 else ""
    if not name:
        number = cardinal(whole)
    return " ".join(filter(None, (number, link, name, fraction, suffix))).upper()


def cardinal(number: int) -> str:
    """Write a whole number from 0 to below 10^18 with words, such as `veintiuno`."""
    text = _number(number, feminine=False)
    if text.endswith("veintiún"):
        return text.removesuffix("veintiún") + "veintiuno"
    return f"{text}o" if text == "un" or text.endswith(" un") else text


def _number(number: int, *, feminine: bool) -> str:
    """Write a number before a noun: `un`, `veintiún`, `una`."""
    parts = []
    for scale, one, many in SCALES:
        count, number = divmod(number, scale)
        if count:
            parts.append(f"{_below_million(count, feminine=False)} {one if count == 1 else many}")
    if number or not parts:
        parts.append(_below_million(number, feminine=feminine))
    return " ".join(parts)


def _below_million(number: int, *, feminine: bool) -> str:
    thousands, rest = divmod(number, 1000)
    parts = []
    if thousands:
        parts.append("mil" if thousands == 1 else f"{_below_thousand(thousands, feminine=feminine)} mil")
    if rest or not parts:
        parts.append(_below_thousand(rest, feminine=feminine))
    return " ".join(parts)


def _below_thousand(number: int, *, feminine: bool) -> str:
    if number == 100:
        return "cien"
    hundreds, rest = divmod(number, 100)
    name = HUNDREDS[hundreds] if hundreds else ""
    if feminine and hundreds > 1:
        name = name[:-2] + "as"
    return " ".join(filter(None, (name, _below_hundred(rest, feminine=feminine) if rest or not hundreds else "")))


def _below_hundred(number: int, *, feminine: bool) -> str:
    tens, unit = divmod(number, 10)
    if unit == 1 and number != 11:
        one = "una" if feminine else "un"
        if tens == 2:
            return "veintiuna" if feminine else "veintiún"
        return f"{TENS[tens]} y {one}" if tens else one
    if number < len(UNITS):
        return UNITS[number]
    return f"{TENS[tens]} y {UNITS[unit]}" if unit else TENS[tens]
