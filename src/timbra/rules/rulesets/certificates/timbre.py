"""The stamp of a document that is validated. TFD11303 is SAT's code; the others are our own, for want of one."""

from __future__ import annotations

from timbra.cfdi.cadena_variants import text_variants
from timbra.cfdi.nodes import Comprobante
from timbra.clock import CENTRAL_MEXICO
from timbra.rules.engine.instants import CLOCK_TOLERANCE, STAMPING_WINDOW, instants
from timbra.rules.engine.result import Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.explaining import explained
from timbra.seals.seal import verify

TFD_11 = "Anexo 20, Timbre Fiscal Digital 1.1"
AT = "Complemento/TimbreFiscalDigital"


def is_stamped(_comprobante: Comprobante, context: SealContext) -> bool:
    return bool(context.stamps)


@rule("TFD-UNICO", at=AT, source=TFD_11, applies=is_stamped)
def stamp_is_the_only_one(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    count = len(context.stamps)
    return None if count == 1 else Violation(found=f"{count} timbres", expected="un solo timbre")


@rule("TFD-VERSION", at=f"{AT}/@Version", source=TFD_11, applies=is_stamped)
def stamp_is_of_version_11(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    found = context.stamps[0].version
    return None if found == "1.1" else Violation(found=found, expected="1.1")


@rule("TFD-SELLO-CFD", at=f"{AT}/@SelloCFD", source=TFD_11, applies=is_stamped)
def stamp_is_of_this_seal(comprobante: Comprobante, context: SealContext) -> RuleResult:
    found = context.stamps[0].sello_cfd
    if found == comprobante.Sello:
        return None
    return Violation(found=f"...{found[-20:]}", expected=f"el Sello del comprobante, ...{comprobante.Sello[-20:]}")


@rule("TFD-PROVEEDOR", at=f"{AT}/@NoCertificadoSAT", source=TFD_11, applies=is_stamped)
def stamp_is_of_a_known_provider(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    """Known, and in force when it stamped."""
    stamp, provider = context.stamps[0], context.provider
    if provider is None and context.unreached:
        return Indeterminate(_not_told(context))
    if provider is None:
        return Violation(
            found=stamp.no_certificado_sat, expected="el certificado de un proveedor de certificación conocido"
        )
    stamped = instants(stamp.fecha_timbrado, CENTRAL_MEXICO)
    if not stamped or any(provider.is_valid_at(instant) for instant in stamped):
        return None
    expected = f"una fecha entre {provider.valid_from:%Y-%m-%dT%H:%M:%SZ} y {provider.valid_to:%Y-%m-%dT%H:%M:%SZ}"
    return Violation(found=stamp.fecha_timbrado, expected=expected, at=f"{AT}/@FechaTimbrado")


@rule("TFD11303", at=f"{AT}/@SelloSAT", source=TFD_11, applies=is_stamped)
def stamp_is_sealed_by_its_provider(_comprobante: Comprobante, context: SealContext) -> RuleResult:
    stamp, provider = context.stamps[0], context.provider
    if provider is None:
        return Indeterminate(_not_told(context))
    if verify(provider.public_key, stamp.cadena_original, stamp.sello_sat):
        return None
    cadena = stamp.cadena_original
    why = explained(provider.public_key, cadena, stamp.sello_sat, text_variants(cadena))
    return Violation(detail=f"CadenaOriginal: {cadena}", hint=why)


@rule("TFD-FECHA", at=f"{AT}/@FechaTimbrado", source=TFD_11, applies=is_stamped)
def stamp_follows_the_document(comprobante: Comprobante, context: SealContext) -> RuleResult:
    """Not before the document, at most 72 hours after it, not in the future; as instants."""
    text = context.stamps[0].fecha_timbrado
    stamped = instants(text, CENTRAL_MEXICO)
    if not stamped:
        return Violation(found=text, expected="una fecha y hora AAAA-MM-DDThh:mm:ss")
    if stamped[0] > context.reference_data.now + CLOCK_TOLERANCE:
        return Violation(found=text, expected="una fecha que no esté en el futuro")
    issued = context.issued
    if not issued or (stamped[-1] >= issued[0] - CLOCK_TOLERANCE and stamped[0] <= issued[-1] + STAMPING_WINDOW):
        return None
    return Violation(found=text, expected=f"hasta 72 horas después de la Fecha {comprobante.Fecha}")


def _not_told(context: SealContext) -> str:
    return f"certificado {context.stamps[0].no_certificado_sat}. {context.unreached}".rstrip(". ")
