"""What a validation answers: sections of entries, original strings, folio and fiscal status."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class EntryKind(IntEnum):
    """The `type` of an entry as clients read it."""

    ERROR = 0
    INFORMATION = 1
    WARNING = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One result. message: code or `OK`; detail: Spanish text. The rest is what Timbra adds beside the contract.

    evaluated: False for a rule that could not be judged for want of data. page: of the repository, with the rule.
    """

    message: str
    detail: str | None
    kind: EntryKind
    code: str | None = None
    path: str | None = None
    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    evaluated: bool = True
    page: str | None = None

    @property
    def is_finding(self) -> bool:
        """Whether it says that something is wrong or doubtful about the document."""
        return self.kind is not EntryKind.INFORMATION and self.evaluated


@dataclass(frozen=True, slots=True)
class Section:
    """One section, by the name that clients see."""

    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole validation. The four status fields are SAT's words, `No Aplica` or None (see wire contract).

    efos: ValidacionEFOS as the SAT told it, None when it did not. data_version: of the SAT data that it was judged by.
    """

    sections: tuple[Section, ...]
    uuid: str | None = None
    cadena_original_sat: str | None = None
    cadena_original_comprobante: str | None = None
    status_sat: str | None = None
    status_code_sat: str | None = None
    is_cancelable: str | None = None
    status_cancelation: str | None = None
    efos: str | None = None
    data_version: str = field(default="")

    @property
    def entries(self) -> list[Entry]:
        """All entries of all sections, in order."""
        return [entry for section in self.sections for entry in section.entries]

    @property
    def wrong(self) -> bool:
        """Whether any entry is an error."""
        return any(entry.kind is EntryKind.ERROR for entry in self.entries)
