"""The preparation of each document of the corpus for the sandbox."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from tests.corpus.documents import Claim, Sample

from timbra.examples.comprobante import CFDI40

T = TypeVar("T")


@dataclass(frozen=True)
class Handling:
    """The changes of a document before it is validated.

    as_it_is: no byte changes. redated: moved to the day of the test application. sealed: by a CSD of its issuer.
    claimed: its taxpayers are registered with its own data. registered: names of RFC in l_RFC. changes: pattern and
    replacement in the text, required. repairs: the same, optional. switched_on: suspended codes to evaluate.
    switched_off: identities of rules not to evaluate. used_keys: confirmation keys that were issued and used before.
    """

    as_it_is: bool = False
    redated: bool = True
    sealed: bool = True
    claimed: bool = False
    registered: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    repairs: tuple[tuple[str, str], ...] = ()
    switched_on: tuple[str, ...] = ()
    switched_off: tuple[str, ...] = ()
    used_keys: tuple[str, ...] = ()

    def text(self, xml: bytes) -> bytes:
        """Return the document with its changes; ValueError when one changes nothing."""
        text = xml.decode("utf-8")
        for pattern, replacement in self.changes:
            text, count = re.subn(pattern, replacement, text)
            if not count:
                raise ValueError(f"nothing like {pattern}")
        for pattern, replacement in self.repairs:
            text = re.sub(pattern, replacement, text)
        return text.encode()

    def with_all(self, others: Iterable[Handling]) -> Handling:
        """Return this handling combined with the others."""
        everything = [self, *others]
        return Handling(
            as_it_is=self.as_it_is,
            redated=self.redated,
            sealed=self.sealed,
            claimed=any(one.claimed for one in everything),
            registered=_joined(one.registered for one in everything),
            changes=_joined(one.changes for one in everything),
            repairs=_joined(one.repairs for one in everything),
            switched_on=_joined(one.switched_on for one in everything),
            switched_off=_joined(one.switched_off for one in everything),
            used_keys=_joined(one.used_keys for one in everything),
        )


def handling_of(sample: Sample) -> Handling:
    """Return the handling of a document: one with asserted codes uses its own taxpayers, others use the sandbox's.

    A document of CFDI 3.3 keeps its date, by which it is evaluated.
    """
    claimed = sample.claim in (Claim.CODES, Claim.COMPLEMENT)
    usual = Handling(redated=sample.version == "4.0", claimed=claimed)
    handling = SPECIAL.get(sample.name, usual)
    is_located = sample.claim in (Claim.VALID, Claim.EXAMPLE) or sample.version != "4.0"
    return handling if is_located else handling.with_all([Handling(repairs=SCHEMA_LOCATIONS)])


SCHEMA_LOCATIONS = (
    (r'"http://www\.sat\.gob\.mx/cfd/4 (schema\.xsd|\S*/cfdv33\.xsd)', f'"{CFDI40.namespace} {CFDI40.schema}'),
    (r' xsi:schemaLocation="http://www\.sat\.gob\.mx/nomina12 [^"]*"', ""),
)
"""Corrections of documents whose asserted code is another one than CC3001 or CO1005, which stamping would answer."""


SPECIAL = {
    # The form of the date is the mistake of these documents.
    "NTlink_ntlink-ws-sdk/CFDI40101.xml": Handling(claimed=True, redated=False),
    # The document has no seal.
    "NTlink_ntlink-ws-sdk/CFDI40102.xml": Handling(claimed=True, sealed=False),
    # The list has another name for the receiver's RFC.
    "NTlink_ntlink-ws-sdk/CFDI40144.xml": Handling(claimed=True, registered=(("AAA020107JF9", "OTRA RAZON SOCIAL"),)),
    # About the bytes themselves.
    "lunasoft_SW-sdk-NetStandard/cfdi40_ansi.xml": Handling(as_it_is=True),
    "lunasoft_sw-sdk-dotnet/cfdi40_ansi.xml": Handling(as_it_is=True),
}


def _joined(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(one for part in parts for one in part))
