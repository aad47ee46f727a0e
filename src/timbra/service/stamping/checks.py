"""The order of checks: one table that issuing and stamping follow. A rejected document gets one code, the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from timbra.cfdi.nodes import walk
from timbra.cfdi.tfd import read_stamps
from timbra.errors import DocumentLocation, ServiceError
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.seals.seal import verify
from timbra.service.stamping.check_sequence import ISSUE, STAMP, Check, CheckSequence
from timbra.service.stamping.issuance_permit import IssuancePermit
from timbra.service.stamping.sealing import UnsignedSeal, prepare_seal
from timbra.service.stamping.stages import (
    CertifiedDocument,
    ParsedDocument,
    RelatedDocument,
    SealedDocument,
    StructuredDocument,
    Submission,
    seal_hash,
)
from timbra.service.stamping.stamp_factory import read_stamp, to_result

if TYPE_CHECKING:
    from lxml import etree

    from timbra.service.evaluation.dependencies import Dependencies
    from timbra.service.stamping.models import StampRequest
    from timbra.store.stamps.port import StampRecord

_SEAL_RULE = seals.RULE_SET.rule("CFDI40102")


def already_stamped(record: StampRecord, certified: CertifiedDocument, dependencies: Dependencies) -> ServiceError:
    """Return the error for a document whose seal was stamped before.

    Args:
        record: the earlier stamp.
        certified: the document.
        dependencies: the services of the checks.

    Returns:
        307, with the earlier stamp as data when it belongs to the caller's account. CFDI40102 when the seal does not
        verify over this document, because the stamp is then that of another document.
    """
    try:
        seals.reject(_SEAL_RULE, certified.seals)
    except ServiceError as rejection:
        return rejection
    return _stamped_before(record, certified.submission.request, dependencies)


def find_repeat(certified: CertifiedDocument, dependencies: Dependencies) -> ServiceError | None:
    """Search the stored stamps for the seal and return the error of `already_stamped`, None for a new seal."""
    record = dependencies.stamps.by_seal(seal_hash(certified.document))
    return None if record is None else already_stamped(record, certified, dependencies)


def _stamped_before(record: StampRecord, request: StampRequest, dependencies: Dependencies) -> ServiceError:
    is_own = record.account_id == request.caller.account_id
    return ServiceError("307", data=to_result(record, read_stamp(record, dependencies.parser)) if is_own else None)


def _parse(submission: Submission, dependencies: Dependencies) -> ParsedDocument:
    xml = submission.request.xml
    if not xml.strip():
        raise ServiceError("xml-missing")
    return ParsedDocument(submission, dependencies.parser.parse(xml))


def _require_version_40(parsed: ParsedDocument, _dependencies: Dependencies) -> None:
    version = parsed.document.version
    if version == "4.0":
        return
    if version == "retenciones":
        raise ServiceError("301", "Se timbran CFDI 4.0; los comprobantes de retenciones no se timbran aquí.")
    found = f"el documento es CFDI {version}" if version else "el documento no es un Comprobante de versión conocida"
    raise ServiceError("301", f"Se timbran CFDI 4.0; {found}.")


def _require_no_stamp(parsed: ParsedDocument, dependencies: Dependencies) -> None:
    document = parsed.document
    stamps = read_stamps(document.root)
    if not stamps:
        return
    record = dependencies.stamps.by_uuid(stamps[0].uuid)
    if record is None or record.seal_hash != seal_hash(document) or not _is_sealed(document.root, dependencies):
        raise ServiceError("307")
    raise _stamped_before(record, parsed.submission.request, dependencies)


def _is_sealed(root: etree._Element, dependencies: Dependencies) -> bool:
    """Whether the Sello verifies by the Certificado, for a document whose structure is not checked yet."""
    try:
        certificate = dependencies.certificates.read_base64(root.get("Certificado") or "")
    except ServiceError:
        return False
    return verify(certificate.public_key, dependencies.cadena.build(root, "4.0"), root.get("Sello") or "")


def _prepare_seal(parsed: ParsedDocument, dependencies: Dependencies) -> UnsignedSeal:
    submission, document = parsed.submission, parsed.document
    emisor = document.root.find("{*}Emisor")
    rfc = emisor.get("Rfc") if emisor is not None else None
    if not rfc:
        _require_structure(document.root, dependencies)
        raise ServiceError("301", "Falta Emisor/@Rfc.")
    account_id = submission.request.caller.account_id
    credential = dependencies.vault.signer_for(account_id, rfc, submission.reference_data.now)
    return prepare_seal(document, credential.certificate, credential.signer, dependencies.cadena)


def _check_structure(sealed: SealedDocument, dependencies: Dependencies) -> StructuredDocument:
    root = sealed.document.root
    _require_structure(root, dependencies)
    return StructuredDocument(sealed.submission, sealed.document, sealed.cadena, walk(root))


def _require_structure(root: etree._Element, dependencies: Dependencies) -> None:
    faults = dependencies.structure.check(root)
    if faults:
        fault = faults[0]
        detail = f"{fault.message} Lugar: {fault.path}, línea {fault.line}."
        raise ServiceError("301", detail, location=DocumentLocation(fault.path))
    unknown = dependencies.structure.unknown_complements(root)
    if unknown:
        name = f"{unknown[0].name} {unknown[0].version}".rstrip()
        raise ServiceError("301", f"No se conoce el complemento {name}. Lugar: {unknown[0].path}.")


def _read_certificate(structured: StructuredDocument, dependencies: Dependencies) -> CertifiedDocument:
    submission, document, comprobante = structured.submission, structured.document, structured.comprobante
    cadena = structured.cadena or dependencies.cadena.build(document.root, "4.0")
    context = SealContext.of(
        comprobante, cadena, dependencies.certificates, dependencies.trust, submission.reference_data
    )
    return CertifiedDocument(submission, document, comprobante, context)


def _require_new_seal(certified: CertifiedDocument, dependencies: Dependencies) -> None:
    repeat = find_repeat(certified, dependencies)
    if repeat is not None:
        raise repeat


def _require_rule(code: str) -> Callable[[CertifiedDocument, Dependencies], None]:
    rule = seals.RULE_SET.rule(code)

    def check(certified: CertifiedDocument, _dependencies: Dependencies) -> None:
        seals.reject(rule, certified.seals)

    return check


def _look_up_related(certified: CertifiedDocument, dependencies: Dependencies) -> RelatedDocument:
    reference_data = certified.submission.reference_data
    return RelatedDocument(certified, dependencies.related.with_related(reference_data, certified.comprobante))


def _evaluate_rules(related: RelatedDocument, dependencies: Dependencies) -> IssuancePermit:
    certified = related.certified
    return IssuancePermit(
        certified, dependencies.engine.validate_for_stamping(certified.comprobante, related.reference_data)
    )


def _require_balance(permit: IssuancePermit, dependencies: Dependencies) -> None:
    """Reject an account known to have no stamps, to save the signature; with a customid only the insert can decide."""
    caller = permit.request.caller
    if caller.limited and not permit.request.custom_id and dependencies.empty.is_empty(caller.account_id):
        raise ServiceError("AU2001")


PARSING = (
    CheckSequence[Submission, Submission](stage="parse")
    .derive(("301",), "The document is parsed: well-formed, UTF-8, no DTD, within the limits.", _parse)
    .require(("301",), "It is a CFDI 4.0.", _require_version_40)
    .require(("307",), "It has no TimbreFiscalDigital.", _require_no_stamp)
)
SEALING = CheckSequence[ParsedDocument, ParsedDocument]().derive(
    ("csd-missing",),
    "The account has a CSD of the issuer: the three sealed attributes are filled.",
    _prepare_seal,
    ISSUE,
)
STRUCTURE = CheckSequence[SealedDocument, SealedDocument](stage="structure").derive(
    ("301",), "Its structure conforms to the SAT's schemas, complements included.", _check_structure
)
IDENTIFICATION = CheckSequence[StructuredDocument, StructuredDocument]().derive(
    (), "The cadena original is built and the certificate is read.", _read_certificate
)
REPEATS = Check(
    ("307", "CFDI40102"),
    "Its seal was not stamped before, without a time limit: 307 when the seal verifies over this document, CFDI40102 "
    "when it does not. The look-up runs when a later check rejects the document; else the insert decides.",
    _require_new_seal,
)
CERTIFICATE = (
    CheckSequence[CertifiedDocument, CertifiedDocument](stage="certificate")
    .require(
        ("CFDI40106",),
        "Certificado is base64 of a certificate, and NoCertificado is its number.",
        _require_rule("CFDI40106"),
    )
    .require(("308",), "The certificate was issued by a known authority.", _require_rule("308"))
    .require(("303",), "The holder of the certificate is the issuer.", _require_rule("303"))
    .require(("402",), "The issuer is in the LCO, with obligations.", _require_rule("402"), reads_lists=True)
    .require(("305",), "The certificate is in the LCO, and Fecha is within its validity.", _require_rule("305"))
    .require(("304",), "The certificate is active in the LCO.", _require_rule("304"))
    .require(("CFDI40102",), "The seal verifies over the cadena original.", _require_rule("CFDI40102"), STAMP)
    .require(
        ("401",),
        "Fecha is at most 72 hours old and 5 minutes ahead, in the zone of LugarExpedicion.",
        _require_rule("401"),
    )
)
RULES = (
    CheckSequence[CertifiedDocument, CertifiedDocument](stage="rules")
    .derive((), "The CFDI that it relates to are looked up together.", _look_up_related)
    .derive(
        ("matrix",),
        "It satisfies the rules of the SAT's matrices; findings are in document order.",
        _evaluate_rules,
        reads_lists=True,
    )
)
BALANCE = CheckSequence[IssuancePermit, IssuancePermit]().require(
    ("AU2001",),
    "A limited account has stamps left. The insert decides; this check rejects accounts that are known to have none.",
    _require_balance,
)

ORDER: tuple[Check, ...] = (
    *PARSING.checks,
    *SEALING.checks,
    *STRUCTURE.checks,
    *IDENTIFICATION.checks,
    REPEATS,
    *CERTIFICATE.checks,
    *RULES.checks,
    *BALANCE.checks,
)
"""The printed table (docs/order-of-checks.md); `pipeline.check_document` runs the sequences in this order."""
