"""Pairs of documents that differ in certificate, seal or stamp.

Their texts have none of these: the service that seals an example applies the defect of the failing document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from timbra.examples.cfdi40 import ingreso
from timbra.examples.codes.example import Builder, Example
from timbra.examples.comprobante import ExampleParty
from timbra.examples.retenciones20 import retencion

UNOBLIGED = ExampleParty("ESO010101AB1", "EMPRESA SIN OBLIGACIONES", "42501", "601")
"""An issuer whose ValidezObligaciones is 0."""
EARLY = "2023-01-15T12:00:00"
"""A Fecha that no document may have when it is stamped."""


class SealDefect(StrEnum):
    """A defect of certificate or seal. The value is the Spanish text for users."""

    ALTERED_SEAL = "el Sello está alterado"
    NUMBER_OF_ANOTHER_CERTIFICATE = "NoCertificado es el de otro certificado"
    CERTIFICATE_OF_ANOTHER_RFC = "el certificado es de otro RFC"
    EFIRMA = "se selló con una e.firma"
    UNKNOWN_AUTHORITY = "el certificado es de una autoridad desconocida"
    NOT_IN_FORCE = "el certificado no estaba vigente en la Fecha"
    REVOKED = "el certificado está revocado"
    NO_OBLIGATIONS = "el emisor no tiene obligaciones"


class StampDefect(StrEnum):
    """A defect of the stamp. The value is the Spanish text for users."""

    TWO_STAMPS = "hay dos timbres"
    OTHER_VERSION = "el timbre es de otra versión"
    OTHER_SELLO_CFD = "SelloCFD es el de otro comprobante"
    UNKNOWN_PROVIDER = "el certificado del timbre es de un proveedor desconocido"
    ALTERED_SELLO_SAT = "SelloSAT está alterado"
    EARLY_DATE = "FechaTimbrado es anterior a la Fecha"
    OUTSIDE_COMPLEMENTO = "el timbre está fuera de Complemento"


@dataclass(frozen=True, slots=True)
class SealedPair:
    """Two sealed documents; the failing one has a defect of certificate or seal.

    Attributes:
        passing, failing: build the texts.
    """

    defect: SealDefect
    passing: Callable[[], str] = ingreso
    failing: Callable[[], str] = ingreso

    def documents(self, base: Builder | None) -> Example:
        """Return both texts; the base document is not used."""
        del base
        return Example(self.passing, self.failing)


@dataclass(frozen=True, slots=True)
class StampedPair:
    """Two stamped invoices; the failing one has a defect of the stamp."""

    defect: StampDefect

    def documents(self, base: Builder | None) -> Example:
        """Return the text of the invoice twice; the base document is not used."""
        del base
        return Example(ingreso, ingreso)


def invoice_without_obligations() -> str:
    """Return an invoice of an issuer without obligations."""
    return ingreso(issuer=UNOBLIGED)


def early_invoice() -> str:
    """Return an invoice with a Fecha of more than 72 hours ago."""
    return ingreso(fecha=EARLY)


def retencion_without_obligations() -> str:
    """Return a retención of an issuer without obligations."""
    return retencion(issuer=UNOBLIGED)


def early_retencion() -> str:
    """Return a retención with a FechaExp of more than 72 hours ago."""
    return retencion(fecha=EARLY)
