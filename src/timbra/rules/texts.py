"""How near two names are: hints for the usual mistakes."""

from __future__ import annotations

import unicodedata

CAPITAL_REGIMES = frozenset(
    {
        "SADECV", "SA", "SABDECV", "SAB", "SAPIDECV", "SAPI", "SAPIBDECV", "SAS", "SASDECV", "SDERL", "SDERLDECV",
        "SC", "SCDERL", "SCDERLDECV", "SCP", "AC", "IAP", "IBP", "ABP", "SNC", "SPRDERL", "SPRDERI", "SPRDERLDECV",
        "SADECVSOFOMENR", "SADECVSOFOMER", "SENC", "SENCDECV", "SOFOMENR", "SOFOMER",
    }
)  # fmt: skip
"""Forms of company as they end a name, without blanks and points."""


def plain(text: str) -> str:
    """The text in upper case, without accents (Ñ stays) and with single spaces."""
    upper = unicodedata.normalize("NFD", text.upper().replace("Ñ", "\0"))
    bare = "".join(character for character in upper if unicodedata.category(character) != "Mn")
    return " ".join(bare.replace("\0", "Ñ").split())


def name_hint(found: str, registered: str) -> str | None:
    """Why a name is not the registered one, when it nearly is."""
    if plain(found) == plain(registered):
        return "Difiere solo en mayúsculas, acentos o espacios: se compara tal como está registrado."
    letters, wanted = _letters(found), _letters(registered)
    if letters.startswith(wanted) and letters[len(wanted) :] in CAPITAL_REGIMES:
        return "Coincide sin el régimen de capital, que no forma parte del nombre registrado."
    return None


def _letters(name: str) -> str:
    return "".join(character for character in plain(name) if character.isalnum() or character == "&")
