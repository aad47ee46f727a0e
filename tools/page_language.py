"""The languages of the generated pages. Texts of the program come from its catalogs, those of a page from its tool."""

from __future__ import annotations

from enum import StrEnum

from timbra.console.texts import spanish_texts
from timbra.console.typer_texts import paragraphs

SPANISH_REFERENCE = "es/referencia"
"""Folder of the Spanish pages below docs/; the English ones are in docs/ itself, by the same names."""


class PageLanguage(StrEnum):
    """A language of pages."""

    ENGLISH = "en"
    SPANISH = "es"

    def text(self, english: str, spanish: str) -> str:
        """Return the text of this language."""
        return spanish if self is PageLanguage.SPANISH else english

    def translated(self, text: str) -> str:
        """Return an English text of the program in this language, paragraph by paragraph."""
        if self is PageLanguage.ENGLISH:
            return text
        return "\n\n".join(part and spanish_texts().gettext(part) for part in paragraphs(text))

    def link(self, page: str) -> str:
        """Return the relative address of a page of docs/ that has one language."""
        return self.text(page, f"../../{page}")


def reference_name(name: str, language: PageLanguage) -> str:
    """Return the path below docs/ of a reference page in a language."""
    return language.text(name, f"{SPANISH_REFERENCE}/{name}")
