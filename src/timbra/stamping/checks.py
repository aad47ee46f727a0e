"""The order of checks: one table that issuing and stamping follow. A rejected document gets one code, the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from lxml import etree

from timbra.cfdi.document import CFD3, CFD4, RETENCIONES1
from timbra.cfdi.namespaces import count_misplaced_stamps
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.tfd import STAMP_NAME, read_stamps
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.evaluation.article_69b import LISTED, UNAVAILABLE
from timbra.evaluation.confirmations import with_used_key
from timbra.evaluation.known_documents import mentions_documents
from timbra.rules.rulesets.certificates import RULE_SET
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.evaluation import reject, with_certificate_hint
from timbra.rules.rulesets.declarations.evaluation import AT_STAMPING
from timbra.seals.seal import verify
from timbra.stamping.check_sequence import ISSUE, STAMP, Check, CheckSequence
from timbra.stamping.models import DocumentKind
from timbra.stamping.sealing import UnsignedSeal, prepare_seal
from timbra.stamping.stages import (
    CertifiedDocument,
    IssuancePermit,
    ParsedDocument,
    RelatedDocument,
    SealedDocument,
    StructuredDocument,
    Submission,
    header_of,
    seal_hash,
)
from timbra.stamping.stamp_factory import read_stamp, to_result

if TYPE_CHECKING:
    from timbra.evaluation.dependencies import Dependencies
    from timbra.stamping.models import StampRequest
    from timbra.stamps.port import StampRecord

_SEAL_RULES = {kind: RULE_SET.rule(kind.code("CFDI40102")) for kind in DocumentKind}
_LISTED_RULES = {kind: RULE_SET.rule(kind.code("305")) for kind in DocumentKind}
_ISSUER_RFC = {DocumentKind.CFDI: "Rfc", DocumentKind.RETENCIONES: "RfcE"}
"""Attribute of Emisor with the RFC."""


def already_stamped(record: StampRecord, certified: CertifiedDocument, dependencies: Dependencies) -> ServiceError:
    """Return the error for a document whose seal was stamped before.

    Args:
        record: the earlier stamp.

    Returns:
        307, with the earlier stamp as data when it belongs to the caller's account. CFDI40102 when the seal does not
        verify over this document, because the stamp is then that of another document.
    """
    try:
        reject(_SEAL_RULES[certified.submission.request.kind], certified.seals)
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


def _require_kind(parsed: ParsedDocument, _dependencies: Dependencies) -> None:
    if parsed.submission.request.kind is DocumentKind.RETENCIONES:
        _require_retenciones(parsed)
    else:
        _require_version_40(parsed)


def _require_version_40(parsed: ParsedDocument) -> None:
    version = parsed.document.version
    if parsed.document.is_retenciones:
        raise ServiceError("TB4021", "La ruta timbra CFDI 4.0; las retenciones se timbran en /retencion/stamp/v3.")
    if version != "4.0":
        found = (
            f"el documento es CFDI {version}" if version else "el documento no es un Comprobante de versión conocida"
        )
        raise ServiceError("301", f"Se timbran CFDI 4.0; {found}.")


def _require_retenciones(parsed: ParsedDocument) -> None:
    document = parsed.document
    namespace = etree.QName(document.root).namespace
    if namespace in (CFD4, CFD3):
        raise ServiceError("TB4020", "La ruta timbra Retenciones 2.0; los CFDI se timbran en /cfdi33/stamp/v4.")
    if namespace == RETENCIONES1:
        raise ServiceError("TB4022", "El documento está en el espacio de nombres de Retenciones 1.0.")
    if not document.is_retenciones or document.version != "2.0":
        raise ServiceError("301", "Se timbran Retenciones 2.0; el documento no es de esa versión.")


def _require_no_stamp(parsed: ParsedDocument, dependencies: Dependencies) -> None:
    document = parsed.document
    if not _may_be_stamped(parsed, dependencies):
        return
    stamps = read_stamps(document.root)
    if not stamps:
        if count_misplaced_stamps(document.root):
            raise ServiceError("307", "El timbre está fuera de Complemento.")
        return
    record = dependencies.stamps.by_uuid(stamps[0].uuid)
    if record is None or record.seal_hash != seal_hash(document):
        raise ServiceError("307")
    if not _is_sealed(document.root, document.version, dependencies):
        raise ServiceError("307")
    raise _stamped_before(record, parsed.submission.request, dependencies)


def _may_be_stamped(parsed: ParsedDocument, _dependencies: Dependencies) -> bool:
    return STAMP_NAME in parsed.document.source


def _is_sealed(root: etree._Element, version: str, dependencies: Dependencies) -> bool:
    """Whether the Sello verifies by the Certificado, for a document whose structure is not checked yet."""
    try:
        certificate = dependencies.certificates.read_base64(root.get("Certificado") or "")
    except ServiceError:
        return False
    return verify(certificate.public_key, dependencies.cadena.build(root, version), root.get("Sello") or "")


def _prepare_seal(parsed: ParsedDocument, dependencies: Dependencies) -> UnsignedSeal:
    submission, document = parsed.submission, parsed.document
    rfc = _issuer_rfc(parsed)
    if not rfc:
        dependencies.declarations.reject(document.root, document.version)
        _require_structure(document.root, dependencies)
        raise ServiceError("301", f"Falta Emisor/@{_ISSUER_RFC[submission.request.kind]}.")
    account_id = submission.request.caller.account_id
    credential = dependencies.vault.signer_for(account_id, rfc, submission.reference_data.now)
    return prepare_seal(document, credential.certificate, credential.signer, dependencies.cadena)


def _issuer_rfc(parsed: ParsedDocument) -> str:
    emisor = next(parsed.document.root.iterchildren("{*}Emisor"), None)
    return "" if emisor is None else emisor.get(_ISSUER_RFC[parsed.submission.request.kind]) or ""


def _is_csd_unread(parsed: ParsedDocument, dependencies: Dependencies) -> bool:
    account_id = parsed.submission.request.caller.account_id
    return not dependencies.vault.has_read(account_id, _issuer_rfc(parsed))


def _require_declarations(sealed: SealedDocument, dependencies: Dependencies) -> None:
    dependencies.declarations.reject(sealed.document.root, sealed.document.version)


def _check_structure(sealed: SealedDocument, dependencies: Dependencies) -> StructuredDocument:
    root = sealed.document.root
    _require_structure(root, dependencies)
    return StructuredDocument(sealed.submission, sealed.document, sealed.cadena, walk_document(root))


def _require_structure(root: etree._Element, dependencies: Dependencies) -> None:
    faults = dependencies.structure.check(root)
    if faults:
        fault = faults[0]
        location = DocumentLocation(fault.path or None, fault.found, fault.expected)
        raise ServiceError("301", f"{fault.message} Línea {fault.line}.", location=location)
    unknown = dependencies.structure.unknown_complements(root)
    if unknown:
        name = f"{unknown[0].name} {unknown[0].version}".rstrip()
        raise ServiceError("301", f"No se conoce el complemento {name}. Lugar: {unknown[0].path}.")


def _read_certificate(structured: StructuredDocument, dependencies: Dependencies) -> CertifiedDocument:
    submission, document, nodes = structured.submission, structured.document, structured.nodes
    cadena = structured.cadena or dependencies.cadena.build(document.root, document.version)
    context = SealContext.of(
        nodes,
        cadena,
        dependencies.certificates,
        dependencies.trust,
        submission.reference_data,
        (),  # a document with a stamp was rejected
    )
    return CertifiedDocument(submission, document, nodes, context)


def _require_new_seal(certified: CertifiedDocument, dependencies: Dependencies) -> None:
    repeat = find_repeat(certified, dependencies)
    if repeat is not None:
        raise repeat


def _require_rule(code: str) -> Callable[[CertifiedDocument, Dependencies], None]:
    rules = {kind: RULE_SET.rule(kind.code(code)) for kind in DocumentKind}

    def check(certified: CertifiedDocument, _dependencies: Dependencies) -> None:
        reject(rules[certified.submission.request.kind], certified.seals)

    return check


def _require_listed_certificate(certified: CertifiedDocument, dependencies: Dependencies) -> None:
    """Reject a certificate that is not in the LCO; an earlier check has found the issuer there."""
    hint, rule = dependencies.certificate_hint, _LISTED_RULES[certified.submission.request.kind]
    try:
        reject(rule, certified.seals)
    except ServiceError:
        if hint is None:
            raise
        reject(rule, with_certificate_hint(certified.seals, hint))


def _look_up_related(certified: CertifiedDocument, dependencies: Dependencies) -> RelatedDocument:
    reference_data = dependencies.related.with_related(certified.submission.reference_data, certified.nodes)
    return RelatedDocument(certified, dependencies.confirmations.with_key(reference_data, certified.nodes))


def _mentions_documents(certified: CertifiedDocument, _dependencies: Dependencies) -> bool:
    return mentions_documents(certified.document.root)


def _evaluate_rules(related: RelatedDocument, dependencies: Dependencies) -> IssuancePermit:
    certified, engine = related.certified, dependencies.engine
    profile = dependencies.profiles.for_account(certified.submission.request.caller.vendor_leniency).stamp
    return IssuancePermit(certified, engine.validate_for_stamping(certified.nodes, related.reference_data, profile))


def reject_used_confirmation(certified: CertifiedDocument, key: str, dependencies: Dependencies) -> NoReturn:
    """Raise CFDI40129 for a document that satisfied the rules: another one has used its key meanwhile."""
    reference_data = with_used_key(certified.submission.reference_data, certified.nodes.issuer_rfc, key)
    _evaluate_rules(RelatedDocument(certified, reference_data), dependencies)
    raise RuntimeError("the rules admit a used key of confirmation")


def _require_balance(permit: IssuancePermit, dependencies: Dependencies) -> None:
    """Reject an account known to have no stamps, to save the signature; with a customid only the insert can decide."""
    caller = permit.request.caller
    if caller.limited and not permit.request.custom_id and dependencies.empty.is_empty(caller.account_id):
        raise ServiceError("AU2001")


def _screen_article_69b(permit: IssuancePermit, dependencies: Dependencies) -> None:
    """Reject a listed issuer or receiver, or note it for the answer, as the policy of the account decides."""
    document, submission = permit.validated.document, permit.certified.submission
    rfcs = document.issuer_rfc, header_of(document).receiver_rfc
    permit.article_69b = dependencies.article_69b.screen(
        submission.request.caller.article_69b, rfcs, submission.reference_data
    )


def _is_manifest_required(_permit: IssuancePermit, dependencies: Dependencies) -> bool:
    return dependencies.require_manifest is not None


def _require_manifest(permit: IssuancePermit, dependencies: Dependencies) -> None:
    """Reject an issuer who has not authorised the delivery of its CFDI to the SAT, where that is required."""
    if dependencies.require_manifest is not None:
        dependencies.require_manifest(permit.validated.document.issuer_rfc)


PARSING = (
    CheckSequence[Submission, Submission](stage="parse")
    .derive(("301",), "The document is parsed: well-formed, UTF-8, no DTD, within the limits.", _parse)
    .require(
        ("301", "TB4020", "TB4021", "TB4022"),
        "It is a CFDI 4.0, or on the routes of retenciones a Retenciones 2.0.",
        _require_kind,
    )
    .require(
        ("307",), "It has no TimbreFiscalDigital outside of the Addenda.", _require_no_stamp, reads=_may_be_stamped
    )
)
SEALING = CheckSequence[ParsedDocument, ParsedDocument]().derive(
    ("csd-missing",),
    "The account has a CSD of the issuer: the three sealed attributes are filled.",
    _prepare_seal,
    ISSUE,
    reads=_is_csd_unread,
)
STRUCTURE = (
    CheckSequence[SealedDocument, SealedDocument](stage="structure")
    .require(
        tuple(rule.code for rule in AT_STAMPING),
        "Namespaces and xsi:schemaLocation are declared as the SAT's standards say: those of the complements, then "
        "that of the invoice. The first code of this row is reported.",
        _require_declarations,
    )
    .derive(("301",), "Its structure conforms to the SAT's schemas, complements included.", _check_structure)
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
    .require(("402",), "The issuer is in the LCO, with obligations.", _require_rule("402"))
    .require(("305",), "The certificate is in the LCO, and Fecha is within its validity.", _require_listed_certificate)
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
    .derive(
        (),
        "The CFDI that it relates to and its key of confirmation are looked up.",
        _look_up_related,
        reads=_mentions_documents,
    )
    .derive(
        ("matrix",),
        "It satisfies the rules of the SAT's matrices: that of the invoice first, then those of complements, "
        "each in document order.",
        _evaluate_rules,
    )
)
BALANCE = (
    CheckSequence[IssuancePermit, IssuancePermit]()
    .require(
        ("AU2003", "AU2005"),
        "With `TIMBRA_MANIFESTS_REQUIRED`: the issuer has signed the manifest. AU2005 when that cannot be found out.",
        _require_manifest,
        reads=_is_manifest_required,
    )
    .require(
        (LISTED, UNAVAILABLE),
        "With the policy `block` of `TIMBRA_ARTICLE_69B` or of the account: neither issuer nor receiver is in the "
        "definitive list of article 69-B. TB4061 without the list.",
        _screen_article_69b,
    )
    .require(
        ("AU2001",),
        "A limited account has stamps left. The insert decides; this check rejects accounts that are known to have "
        "none.",
        _require_balance,
    )
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
