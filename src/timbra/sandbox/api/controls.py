"""The sandbox's controls over HTTP: the functions of `timbra sandbox` and `timbra csd`.

An administrator's token may call all of them; an account mints certificates, requests keys of confirmation, and sees
its own.

Values in JSON are those of the commands' options. Every worker of the node sees a change at once.
"""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.evaluation.confirmations import MAX_KEYS
from timbra.sandbox.certificates import MintRequest
from timbra.sandbox.clock import ClockControl
from timbra.sandbox.fault_selection import FaultSelection
from timbra.sandbox.serializers import (
    ClockAnswer,
    ImportAnswer,
    RefreshAnswer,
    RevocationAnswer,
    certificate_answer,
    clock_answer,
    confirmation_answer,
    fault_answer,
    minted_answer,
    taxpayer_answer,
)
from timbra.sandbox.services import SandboxServices
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.web.envelopes import success
from timbra.web.framework.operation import OperationAccess, Parameter
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.decoding import xml_bytes
from timbra.web.parsing.json_fields import JsonFields
from timbra.web.parsing.multipart import xml_part

MAX_BODY_BYTES = 64 * 1024
MAX_CERTIFICATES = 200
CERTIFICATE_TYPE = "application/pkix-cert"


async def taxpayers(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with all taxpayers of the registry."""
    entries = await request.pools.run_database(services.registry.entries)
    return json_response(success([taxpayer_answer(entry) for entry in entries]))


async def taxpayer(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with one taxpayer of the registry."""
    entry = await request.pools.run_database(services.registry.entry, _rfc(request))
    return json_response(success(taxpayer_answer(entry)))


async def add_taxpayer(request: RequestContext, services: SandboxServices) -> Response:
    """Register a taxpayer, which is listed at once."""
    members = await members_of(request)
    entry = await request.pools.run_database(services.registry.add, members.text("rfc").upper(), _change(members))
    return json_response(success(taxpayer_answer(entry)))


async def change_taxpayer(request: RequestContext, services: SandboxServices) -> Response:
    """Change a taxpayer; the next refresh publishes the values of a listed one."""
    members = await members_of(request)
    entry = await request.pools.run_database(services.registry.change, _rfc(request), _change(members))
    return json_response(success(taxpayer_answer(entry)))


async def refresh(request: RequestContext, services: SandboxServices) -> Response:
    """Publish the values that wait for the nightly refresh."""
    changed = await request.pools.run_database(services.registry.refresh)
    version = await request.pools.run_database(lambda: services.registry.lists_version)
    return json_response(success(RefreshAnswer(changed, version)))


async def clock(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with fiscal time."""
    return json_response(success(await request.pools.run_database(_fiscal_time, services.clock_control)))


async def set_clock(request: RequestContext, services: SandboxServices) -> Response:
    """Freeze fiscal time at an instant, or let it run from there."""
    members = await members_of(request)
    await request.pools.run_database(
        services.clock_control.set,
        members.text("instant"),
        running=members.flag("running", default=False),
    )
    return json_response(success(await request.pools.run_database(_fiscal_time, services.clock_control)))


async def advance_clock(request: RequestContext, services: SandboxServices) -> Response:
    """Advance fiscal time by a duration."""
    members = await members_of(request)
    await request.pools.run_database(services.clock_control.advance, members.text("duration"))
    return json_response(success(await request.pools.run_database(_fiscal_time, services.clock_control)))


async def reset_clock(request: RequestContext, services: SandboxServices) -> Response:
    """Reset fiscal time to wall time."""
    await request.pools.run_database(services.clock_control.reset)
    return json_response(success(await request.pools.run_database(_fiscal_time, services.clock_control)))


async def faults(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with the active faults."""
    active = await request.pools.run_database(services.faults.active)
    return json_response(success([fault_answer(fault) for fault in active]))


async def set_fault(request: RequestContext, services: SandboxServices) -> Response:
    """Activate a fault, for a number of requests or until it is cleared."""
    members = await members_of(request)
    fault = await request.pools.run_database(
        services.faults.set,
        members.text("name"),
        members.whole("times"),
        members.decimal("seconds"),
        _selection(members),
    )
    return json_response(success(fault_answer(fault)))


def _selection(members: JsonFields) -> FaultSelection:
    probability, seed = members.decimal("probability"), members.whole("seed")
    return FaultSelection(
        1.0 if probability is None else probability,
        1 if seed is None else seed,
        members.text("route"),
        members.text("account"),
    )


async def clear_faults(request: RequestContext, services: SandboxServices) -> Response:
    """Clear one fault, or all."""
    await request.pools.run_database(services.faults.clear, request.parameters.get("name"))
    return await faults(request, services)


async def certificates(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with the latest certificates: those of the caller's account, or all for an administrator."""
    caller, words = request.caller, request.query("search") or ""
    owner = None if caller.is_administrator else caller.account_id
    found, _ = await request.pools.run_database(services.certificates.search, words, MAX_CERTIFICATES, owner)
    return json_response(success([certificate_answer(entry) for entry in found]))


async def mint_certificate(request: RequestContext, services: SandboxServices) -> Response:
    """Issue a credential of the sandbox's authority; the server does not keep its key."""
    members = await members_of(request)
    rfc, given = members.text("rfc").upper(), _change(members)
    order = MintRequest(
        rfc=rfc,
        kind=members.text("kind") or "csd",
        valid_from=_text(members, "validFrom", "valid_from"),
        valid_to=_text(members, "validTo", "valid_to"),
        given=replace(given, obligations=None, cancelled=None),
        password=members.text("password") or None,
        account_id=request.caller.account_id,
    )
    minted = await request.pools.run_database(services.certificates.mint, order)
    return json_response(success(minted_answer(rfc, minted)))


async def revoke_certificate(request: RequestContext, services: SandboxServices) -> Response:
    """Revoke a certificate; the next refresh lists it as revoked."""
    await request.pools.run_database(services.certificates.revoke, request.parameters["number"])
    return json_response(success(RevocationAnswer(request.parameters["number"], "R")))


async def certificate(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with a certificate of the sandbox in DER: those of authority and provider to everyone, others to accounts.

    The numbers are consecutive: without a token, they would list the taxpayers of all accounts.
    """
    if not services.certificates.is_published(request.parameters["number"]):
        await request.authenticate_caller()
    found = await request.pools.run_database(services.certificates.certificate_der, request.parameters["number"])
    if found is None:
        raise ServiceError("TB4041", "El ambiente de pruebas no tiene un certificado con ese número.")
    return Response(found, media_type=CERTIFICATE_TYPE)


async def confirmations(request: RequestContext, services: SandboxServices) -> Response:
    """Answer with the latest keys of confirmation: those of the caller's account, or all for an administrator."""
    owner = None if request.caller.is_administrator else request.caller.account_id
    found = await request.pools.run_database(services.confirmations.latest, owner)
    return json_response(success([confirmation_answer(key) for key in found]))


async def issue_confirmation(request: RequestContext, services: SandboxServices) -> Response:
    """Issue a key of confirmation to an issuer, for one stamp."""
    rfc = (await members_of(request)).text("rfc")
    key = await request.pools.run_database(services.confirmations.issue, rfc, request.caller.account_id)
    return json_response(success(confirmation_answer(key)))


async def import_document(request: RequestContext, services: SandboxServices) -> Response:
    """File a CFDI of another provider in the ledger of the simulated authority."""
    content = xml_part(await request.body(), request.content_type)
    uuid, new = await request.pools.run_database(services.ledger.import_document, xml_bytes(content, base64=False))
    return json_response(success(ImportAnswer(uuid, new)))


async def members_of(request: RequestContext) -> JsonFields:
    """Read the JSON object of a request; empty without a body."""
    return JsonFields.read(await request.body(MAX_BODY_BYTES))


def _rfc(request: RequestContext) -> str:
    return request.parameters["rfc"].upper()


def _text(members: JsonFields, name: str, old_name: str) -> str:
    """A text by its name. old_name: the name in version 0.1, which version 0.2 still reads."""
    return members.text(name) or members.text(old_name)


def _change(members: JsonFields) -> TaxpayerChange:
    return TaxpayerChange(
        name=members.text("name") or None,
        postal_code=_text(members, "postalCode", "postal_code") or None,
        regimes=members.texts("regimes"),
        obligations=members.whole("obligations"),
        cancelled=members.flag_or_none("cancelled"),
        situation=members.text("situation") if members.values.get("situation") is not None else None,
    )


def _fiscal_time(control: ClockControl) -> ClockAnswer:
    return clock_answer(control.now(), running=control.reading().frozen_at is None)


control = OperationGroup("sandbox", "/sandbox", OperationAccess.ADMINISTRATOR).build
"""Builds an operation below `/sandbox`."""

OPERATIONS = (
    control("taxpayers", "GET", "/taxpayers", taxpayers, "List the taxpayers of the registry", "TaxpayerList"),
    control(
        "taxpayer",
        "GET",
        "/taxpayers/{rfc}",
        taxpayer,
        "Get a taxpayer, with the values that wait for the refresh",
        "Taxpayer",
    ),
    control(
        "taxpayer-add", "POST", "/taxpayers", add_taxpayer, "Register a taxpayer", "Taxpayer", body="TaxpayerChange"
    ),
    control(
        "taxpayer-set",
        "PATCH",
        "/taxpayers/{rfc}",
        change_taxpayer,
        "Change a taxpayer; the next refresh publishes it",
        "Taxpayer",
        body="TaxpayerChange",
    ),
    control("refresh", "POST", "/refresh", refresh, "Publish the lists now", "Refreshed"),
    control("clock", "GET", "/clock", clock, "Get fiscal time", "Clock"),
    control("clock-set", "POST", "/clock/set", set_clock, "Set fiscal time", "Clock", body="ClockSet"),
    control(
        "clock-advance", "POST", "/clock/advance", advance_clock, "Advance fiscal time", "Clock", body="ClockAdvance"
    ),
    control("clock-reset", "POST", "/clock/reset", reset_clock, "Reset fiscal time to wall time", "Clock"),
    control("faults", "GET", "/faults", faults, "List the active faults", "FaultList"),
    control("fault-set", "POST", "/faults", set_fault, "Activate a fault", "Fault", body="FaultOrder"),
    control("faults-clear", "DELETE", "/faults", clear_faults, "Clear all faults", "FaultList"),
    control("fault-clear", "DELETE", "/faults/{name}", clear_faults, "Clear one fault", "FaultList"),
    control(
        "certificates",
        "GET",
        "/certificates",
        certificates,
        "List the certificates that the account requested",
        "SandboxCertificateList",
        access=OperationAccess.ACCOUNT,
        parameters=(Parameter("search", "query", "Words that the number or the RFC contains."),),
        description=f"The latest {MAX_CERTIFICATES}; an administrator gets those of all accounts.",
    ),
    control(
        "mint",
        "POST",
        "/certificates",
        mint_certificate,
        "Issue a credential",
        "MintedCredential",
        body="MintOrder",
        access=OperationAccess.ACCOUNT,
        description="An unknown RFC is registered with the name, the postal code and the regimes of the order.",
    ),
    control(
        "revoke", "POST", "/certificates/{number}/revoke", revoke_certificate, "Revoke a certificate", "Revocation"
    ),
    control(
        "certificate",
        "GET",
        "/certificates/{number}.cer",
        certificate,
        "Get a certificate of the sandbox, in DER",
        "file",
        access=OperationAccess.PUBLIC,
        media_types=(CERTIFICATE_TYPE,),
        description="The certificates of the authority and of the provider need no token; those of taxpayers do.",
    ),
    control(
        "confirmations",
        "GET",
        "/confirmations",
        confirmations,
        "List the keys of confirmation that the account requested",
        "ConfirmationList",
        access=OperationAccess.ACCOUNT,
        description=f"The latest {MAX_KEYS}; an administrator gets those of all accounts.",
    ),
    control(
        "confirmation-issue",
        "POST",
        "/confirmations",
        issue_confirmation,
        "Issue a key of confirmation",
        "Confirmation",
        body="ConfirmationOrder",
        access=OperationAccess.ACCOUNT,
        description="The value of Confirmacion in one document of the issuer (CFDI40128, CFDI40129).",
    ),
    control(
        "ledger-import",
        "POST",
        "/ledger",
        import_document,
        "Import a CFDI of another provider",
        "Imported",
        body="XmlUpload",
    ),
)
