"""The stamp of a document that is validated. TFD11303 is SAT's code; the other codes are Timbra's."""

from __future__ import annotations

from timbra.cfdi.cadena_variants import text_variants
from timbra.cfdi.nodes import FiscalDocument
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.rules.engine.instants import CLOCK_TOLERANCE, STAMPING_WINDOW, instants
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.sello import diagnose
from timbra.rules.rulesets.certificates.sources import TFD_11
from timbra.seals.rsa_signature import Digest
from timbra.seals.seal import verify

AT = "Complemento/TimbreFiscalDigital"


def is_stamped(_document: FiscalDocument, context: SealContext) -> bool:
    return bool(context.stamps)


@rule(
    "TFD-UNICO",
    at="Complemento/TimbreFiscalDigital",
    says="El comprobante debe llevar un solo timbre.",
    applies=is_stamped,
    cites=TFD_11,
)
def stamp_is_the_only_one(_document: FiscalDocument, context: SealContext) -> RuleResult:
    count = len(context.stamps)
    return None if count == 1 else Violation(found=f"{count} timbres", expected="un solo timbre")


@rule(
    "TFD-VERSION",
    at="Complemento/TimbreFiscalDigital/@Version",
    says="El timbre debe ser de la versión 1.1.",
    applies=is_stamped,
    cites=TFD_11,
)
def stamp_has_version_11(_document: FiscalDocument, context: SealContext) -> RuleResult:
    found = context.stamps[0].version
    return None if found == "1.1" else Violation(found=found, expected="1.1")


@rule(
    "TFD-SELLO-CFD",
    at="Complemento/TimbreFiscalDigital/@SelloCFD",
    says="SelloCFD del timbre debe ser el Sello del comprobante.",
    applies=is_stamped,
    cites=TFD_11,
)
def stamp_has_the_seal_of_the_document(document: FiscalDocument, context: SealContext) -> RuleResult:
    found = context.stamps[0].sello_cfd
    if found == document.Sello:
        return None
    return Violation(found=f"...{found[-20:]}", expected=f"el Sello del comprobante, ...{document.Sello[-20:]}")


@rule(
    "TFD-PROVEEDOR",
    at="Complemento/TimbreFiscalDigital/@NoCertificadoSAT",
    says="El certificado del timbre debe ser el de un proveedor de certificación, vigente al timbrar.",
    note="El proveedor debe ser conocido y su certificado estar vigente al timbrar.",
    applies=is_stamped,
    cites=TFD_11,
)
def stamp_has_a_known_provider(_document: FiscalDocument, context: SealContext) -> RuleResult:
    stamp, provider = context.stamps[0], context.provider
    if provider is None and context.unreached:
        return Indeterminate(_missing_certificate(context))
    if provider is None:
        return Violation(
            found=stamp.no_certificado_sat, expected="el certificado de un proveedor de certificación conocido"
        )
    stamped = instants(stamp.fecha_timbrado, CENTRAL_MEXICO)
    if not stamped or any(provider.is_valid_at(instant) for instant in stamped):
        return None
    limits = (provider.valid_from.astimezone(CENTRAL_MEXICO), provider.valid_to.astimezone(CENTRAL_MEXICO))
    first, last = (each.strftime(LOCAL_FORMAT) for each in limits)
    expected = f"una fecha entre {first} y {last}, hora del centro de México"
    return Violation(found=stamp.fecha_timbrado, expected=expected, at=f"{AT}/@FechaTimbrado")


@rule(
    "TFD11303",
    at="Complemento/TimbreFiscalDigital/@SelloSAT",
    says="El SelloSAT del timbre no es válido.",
    applies=is_stamped,
    cites=TFD_11,
)
def seal_of_the_stamp_verifies(_document: FiscalDocument, context: SealContext) -> RuleResult:
    return verify_stamp(context, "sha256")


def verify_stamp(context: SealContext, digest: Digest) -> RuleResult:
    """Verify SelloSAT of the first stamp, with the hash of the seals of its version."""
    stamp, provider = context.stamps[0], context.provider
    if provider is None:
        return Indeterminate(_missing_certificate(context))
    if verify(provider.public_key, stamp.cadena_original, stamp.sello_sat, digest):
        return None
    cadena = stamp.cadena_original
    hint = diagnose(provider.public_key, cadena, stamp.sello_sat, text_variants(cadena), digest)
    return Violation(detail=f"CadenaOriginal: {cadena}", hint=hint)


@rule(
    "TFD-FECHA",
    at="Complemento/TimbreFiscalDigital/@FechaTimbrado",
    says="FechaTimbrado debe seguir a la Fecha del comprobante en un máximo de 72 horas.",
    note=("No antes del comprobante, a lo más 72 horas después y no en el futuro; se comparan instantes."),
    applies=is_stamped,
    cites=TFD_11,
)
def date_of_the_stamp_follows_fecha(document: FiscalDocument, context: SealContext) -> RuleResult:
    text = context.stamps[0].fecha_timbrado
    stamped = instants(text, CENTRAL_MEXICO)
    if not stamped:
        return Violation(found=text, expected="una fecha y hora AAAA-MM-DDThh:mm:ss")
    if stamped[0] > context.reference_data.now + CLOCK_TOLERANCE:
        return Violation(found=text, expected="una fecha que no esté en el futuro")
    issued = context.issued
    if not issued or (stamped[-1] >= issued[0] - CLOCK_TOLERANCE and stamped[0] <= issued[-1] + STAMPING_WINDOW):
        return None
    return Violation(found=text, expected=f"hasta 72 horas después de la {document.DATE} {document.issued_at}")


def _missing_certificate(context: SealContext) -> str:
    return f"certificado {context.stamps[0].no_certificado_sat}. {context.unreached}".rstrip(". ")
