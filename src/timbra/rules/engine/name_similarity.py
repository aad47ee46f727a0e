"""Similarity of names: hints for the usual mistakes."""

from __future__ import annotations

import unicodedata

CAPITAL_REGIMES = frozenset(
    {
        "SADECV", "SA", "SABDECV", "SAB", "SAPIDECV", "SAPI", "SAPIBDECV", "SAS", "SASDECV", "SDERL", "SDERLDECV",
        "SC", "SCDERL", "SCDERLDECV", "SCP", "AC", "IAP", "IBP", "ABP", "SNC", "SPRDERL", "SPRDERI", "SPRDERLDECV",
        "SADECVSOFOMENR", "SADECVSOFOMER", "SENC", "SENCDECV", "SOFOMENR", "SOFOMER",
    }
)  # fmt: skip
"""Abbreviated forms of company at the end of a name, without blanks and points."""


def normalized(text: str) -> str:
    """Return the text in upper case, without accents (Ñ stays) and with single spaces."""
    upper = unicodedata.normalize("NFD", text.upper().replace("Ñ", "\0"))
    bare = "".join(character for character in upper if unicodedata.category(character) != "Mn")
    return " ".join(bare.replace("\0", "Ñ").split())


def name_hint(found: str, registered: str) -> str | None:
    """Return why a similar name is not the registered one, in Spanish; None when the names differ more."""
    if normalized(found) == normalized(registered):
        return "Difiere solo en mayúsculas, acentos o espacios: se compara tal como está registrado."
    bare, bare_registered = _alphanumerics(found), _alphanumerics(registered)
    if bare.startswith(bare_registered) and bare[len(bare_registered) :] in CAPITAL_REGIMES:
        return "Coincide sin el régimen de capital, que no forma parte del nombre registrado."
    return None


def _alphanumerics(name: str) -> str:
    return "".join(character for character in normalized(name) if character.isalnum() or character == "&")
