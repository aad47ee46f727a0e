"""Navigation of the site: the pages that exist, in the order of the lists of this module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Entry = str | dict[str, "str | list[Entry]"]
"""A page by its path below the documentation folder, or a title with an address or with entries."""

GUIDES = (
    "python",
    "node",
    "php",
    "ruby",
    "java",
    "go",
    "csharp",
    "odoo",
    "other-systems",
    "library",
    "mcp",
    "pytest",
    "ci",
    "container",
    "reverse-proxy",
    "postgresql",
    "upgrade",
    "suppliers",
    "received-month",
)
"""Names of the how-to guides, the same in every language."""

CASES = (
    "index",
    "anticipo",
    "ppd-rep",
    "pago-en-otra-moneda",
    "factura-global",
    "sustitucion",
    "nota-de-credito",
    "honorarios",
    "arrendamiento",
    "nomina",
    "exportacion",
    "carta-porte",
    "combustible",
)
"""Names of the fiscal cases, the same in every language."""

TRANSLATED_REFERENCE = ("portal", "endpoints", "errors", "commands", "settings", "alerts", "drill")
"""Names of the reference pages that exist in Spanish too, below its folder."""

EXPLANATIONS = ("architecture", "stamp-life", "sandbox-stamps")
"""Names of the explanations, the same in every language."""

TOPICS: Mapping[str, Sequence[str]] = {
    "HTTP API": ("endpoints", "errors", "order-of-checks", "batches", "webhooks", "inspector"),
    "Documents": ("stamping-cycle", "validation", "cancellation", "retenciones", "prints", "seed-and-matrix"),
    "Bulk": ("bulk", "bulk-tables", "reconciliation", "scaling"),
    "Tests and sandbox": ("testing", "cases", "development-server", "sandbox", "sat-emulator", "bulk-download"),
    "Operation": (
        "commands",
        "settings",
        "operations",
        "postgresql",
        "alerts",
        "incidents",
        "drill",
        "production",
        "rotation",
        "containers",
        "portal",
        "audit",
        "proof",
        "fsck",
        "bounds",
        "lists",
        "new-catalogs",
        "missing-data",
    ),
    "Project": ("glossary", "performance", "native", "fast-path", "verification"),
}
"""Reference pages in docs/ by topic."""

OTHER_TOPIC = "Other"
"""Topic of the reference pages that `TOPICS` does not name."""

HOME_TITLE = "Inicio"
API_ADDRESS = "/docs/api/"
"""Address of the API reference, which the server makes from its own OpenAPI document."""

RULES_FOLDER = "rules"
RULES_ADDRESS = "/docs/rules/"
RULE_PAGES = ("README", "agreement")
"""Pages of the folder of rules that precede the pages of the rule sets."""


@dataclass(frozen=True, slots=True)
class Language:
    """The folders and titles of one language.

    Attributes:
        folder: Folder of its pages, and the language tag.
        title: Title of its tab.
        guides: Folder of the how-to guides, below its folder.
        guides_title: Title of the how-to guides.
        cases: Folder of the fiscal cases, below that of the how-to guides.
        cases_title: Title of the fiscal cases.
        explanations: Folder of the explanations, below its folder.
        explanations_title: Title of the explanations.
        reference: Folder of the reference pages, below its folder; empty where they are those of docs/ itself.
        reference_title: Title of those pages.
        rules_title: Title of the link to the rules, after those pages.
    """

    folder: str
    title: str
    guides: str
    guides_title: str
    cases: str
    cases_title: str
    explanations: str
    explanations_title: str
    reference: str = ""
    reference_title: str = ""
    rules_title: str = ""

    def pages(self) -> list[str]:
        """Return the paths of all pages that the language may have, in the order of the navigation."""
        first = [f"{self.folder}/index.md", f"{self.folder}/tutorial.md"]
        return [*first, *self.case_pages(), *self.guide_pages(), *self.explanation_pages()]

    def guide_pages(self) -> list[str]:
        """Return the paths of the how-to guides."""
        return [f"{self.folder}/{self.guides}/{name}.md" for name in GUIDES]

    def reference_pages(self) -> list[str]:
        """Return the paths of the translated reference pages."""
        folder = f"{self.folder}/{self.reference}/" if self.reference else ""
        return [f"{folder}{name}.md" for name in TRANSLATED_REFERENCE]

    def case_pages(self) -> list[str]:
        """Return the paths of the fiscal cases."""
        return [f"{self.folder}/{self.guides}/{self.cases}/{name}.md" for name in CASES]

    def explanation_pages(self) -> list[str]:
        """Return the paths of the explanations."""
        return [f"{self.folder}/{self.explanations}/{name}.md" for name in EXPLANATIONS]


LANGUAGES = (
    Language(
        "es",
        "Español",
        "guias",
        "Guías",
        "casos",
        "Casos fiscales",
        "conceptos",
        "Conceptos",
        "referencia",
        "Referencia",
        "Reglas del SAT",
    ),
    Language("en", "English", "how-to", "How-to guides", "cases", "Fiscal cases", "explanation", "Explanation"),
)


def navigation(pages: Iterable[str]) -> list[Entry]:
    """Return the navigation: a tab for each language, then the reference, the rules and the API reference.

    Args:
        pages: Paths of all pages, below the documentation folder. Every one is in the navigation once.
    """
    remaining = dict.fromkeys(sorted(pages))
    entries: list[Entry] = [{HOME_TITLE: page} for page in _take(remaining, ["index.md"])]
    for language in LANGUAGES:
        entries += _titled(language.title, _language_entries(language, remaining))
    rules = _take(remaining, [f"{RULES_FOLDER}/{name}.md" for name in RULE_PAGES])
    rules += _take(remaining, [page for page in remaining if page.startswith(f"{RULES_FOLDER}/")])
    reference: list[Entry] = []
    for topic, names in TOPICS.items():
        reference += _titled(topic, _take(remaining, [f"{name}.md" for name in names]))
    reference += _titled(OTHER_TOPIC, _take(remaining, list(remaining)))
    entries += [*_titled("Reference", reference), *_titled("Rules", rules)]
    return [*entries, {"API": API_ADDRESS}]


def counterparts(pages: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return, for each page of a language, the pages with the same content in every language, by language."""
    existing = set(pages)
    found: dict[str, dict[str, str]] = {}
    tags = [language.folder for language in LANGUAGES]
    for same in zip(*(language.pages() for language in LANGUAGES), strict=True):
        by_language = {tag: page for tag, page in zip(tags, same, strict=True) if page in existing}
        found |= dict.fromkeys(by_language.values(), by_language)
    for same in zip(*(language.reference_pages() for language in LANGUAGES), strict=True):
        if existing.issuperset(same):
            found |= {page: dict(zip(tags, same, strict=True)) for page in same}
    return found


def _language_entries(language: Language, remaining: dict[str, None]) -> list[Entry]:
    cases = _take(remaining, language.case_pages())
    guides = _take(remaining, language.guide_pages())
    explanations = _take(remaining, language.explanation_pages())
    reference: list[Entry] = [*_take(remaining, language.reference_pages())] if language.reference else []
    if reference:
        reference += [{language.rules_title: RULES_ADDRESS}, {"API": API_ADDRESS}]
    first = _take(remaining, language.pages())
    others = _take(remaining, [page for page in remaining if page.startswith(f"{language.folder}/")])
    titled = [
        *_titled(language.cases_title, cases),
        *_titled(language.guides_title, guides),
        *_titled(language.explanations_title, explanations),
        *_titled(language.reference_title, reference),
    ]
    return [*first, *titled, *others]


def _take(remaining: dict[str, None], wanted: Sequence[str]) -> list[str]:
    """Remove the wanted pages from the remaining ones, and return those that existed, in the wanted order."""
    found = [page for page in wanted if page in remaining]
    for page in found:
        del remaining[page]
    return found


def _titled(title: str, entries: Sequence[Entry]) -> list[Entry]:
    return [{title: list(entries)}] if entries else []
