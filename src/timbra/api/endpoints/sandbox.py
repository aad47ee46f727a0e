"""The sandbox's controls over HTTP, for an administrator's token: what `timbra sandbox` and `timbra csd` do.

Values in JSON are those of the commands' options. What changes is seen by every worker within a second.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import replace

from starlette.responses import Response

from timbra.api.content import xml_bytes
from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.multipart import xml_part
from timbra.api.operations import Access, Operation, Payload
from timbra.api.wire import Json, success
from timbra.authority.sandbox.faults import Fault
from timbra.authority.sandbox.listing import Change, Entry
from timbra.clock import to_central_mexico
from timbra.errors import ServiceError
from timbra.service.sandbox import MintOrder, mint

MAX_BODY_BYTES = 64 * 1024
CERTIFICATE_TYPE = "application/pkix-cert"


async def taxpayers(exchange: Exchange) -> Response:
    """All of the registry."""
    entries = await asyncio.to_thread(exchange.house.registry.entries)
    return json_answer(success([_entry(entry) for entry in entries]))


async def taxpayer(exchange: Exchange) -> Response:
    """One of the registry."""
    entry = await asyncio.to_thread(exchange.house.registry.entry, _rfc(exchange))
    return json_answer(success(_entry(entry)))


async def add_taxpayer(exchange: Exchange) -> Response:
    """A new one, listed at once."""
    members = await members_of(exchange)
    entry = await asyncio.to_thread(exchange.house.registry.add, members.text("rfc").upper(), _change(members))
    return json_answer(success(_entry(entry)))


async def change_taxpayer(exchange: Exchange) -> Response:
    """New values; those of a listed one wait for the refresh."""
    members = await members_of(exchange)
    entry = await asyncio.to_thread(exchange.house.registry.change, _rfc(exchange), _change(members))
    return json_answer(success(_entry(entry)))


async def refresh(exchange: Exchange) -> Response:
    """Publishes what waits for the nightly refresh."""
    changed = await asyncio.to_thread(exchange.house.registry.refresh)
    return json_answer(success({"changed": changed, "listsVersion": exchange.house.registry.lists_version}))


async def clock(exchange: Exchange) -> Response:
    """Fiscal time."""
    return json_answer(success(_time(exchange)))


async def set_clock(exchange: Exchange) -> Response:
    """Fiscal time stands at an instant, or runs on from it."""
    members = await members_of(exchange)
    await asyncio.to_thread(
        exchange.house.clock_control.set, members.text("instant"), running=members.flag("running", default=False)
    )
    return json_answer(success(_time(exchange)))


async def advance_clock(exchange: Exchange) -> Response:
    """Fiscal time moves by a duration."""
    members = await members_of(exchange)
    await asyncio.to_thread(exchange.house.clock_control.advance, members.text("duration"))
    return json_answer(success(_time(exchange)))


async def reset_clock(exchange: Exchange) -> Response:
    """Fiscal time is wall time again."""
    await asyncio.to_thread(exchange.house.clock_control.reset)
    return json_answer(success(_time(exchange)))


async def faults(exchange: Exchange) -> Response:
    """The faults that are switched on."""
    return json_answer(success([_fault(fault) for fault in await asyncio.to_thread(exchange.house.faults.active)]))


async def set_fault(exchange: Exchange) -> Response:
    """Switches a fault on, for so many requests or until it is cleared."""
    members = await members_of(exchange)
    fault = await asyncio.to_thread(
        exchange.house.faults.set, members.text("name"), members.whole("times"), members.decimal("seconds")
    )
    return json_answer(success(_fault(fault)))


async def clear_faults(exchange: Exchange) -> Response:
    """Switches one fault off, or all."""
    await asyncio.to_thread(exchange.house.faults.clear, exchange.parameters.get("name"))
    return await faults(exchange)


async def mint_certificate(exchange: Exchange) -> Response:
    """A new credential of the sandbox's authority; its key is handed out once and not kept."""
    members = await members_of(exchange)
    rfc, given = members.text("rfc").upper(), _change(members)
    order = MintOrder(
        rfc=rfc,
        kind=members.text("kind") or "csd",
        valid_from=members.text("valid_from"),
        valid_to=members.text("valid_to"),
        given=replace(given, obligations=None, cancelled=None),
        password=members.text("password") or None,
    )
    house = exchange.house
    minted = await asyncio.to_thread(
        mint, order, house.authority_ca, house.registry, house.faults, house.clock_control.clock
    )
    return json_answer(
        success(
            {
                "rfc": rfc,
                "certificate_number": minted.number,
                "b64Cer": b64encode(minted.certificate_der).decode("ascii"),
                "b64Key": b64encode(minted.key_der).decode("ascii"),
                "password": minted.password,
            }
        )
    )


async def revoke_certificate(exchange: Exchange) -> Response:
    """The next refresh lists it as revoked."""
    await asyncio.to_thread(exchange.house.registry.revoke, exchange.parameters["number"])
    return json_answer(success({"certificate_number": exchange.parameters["number"], "pending": "R"}))


async def certificate(exchange: Exchange) -> Response:
    """A certificate of the sandbox, as the authority would publish it."""
    found = await asyncio.to_thread(exchange.house.authority_ca.certificate_der, exchange.parameters["number"])
    if found is None:
        raise ServiceError("TB4041", "El ambiente de pruebas no tiene un certificado con ese número.")
    return Response(found, media_type=CERTIFICATE_TYPE)


async def import_document(exchange: Exchange) -> Response:
    """A CFDI stamped elsewhere becomes known to the simulated authority."""
    content = xml_part(await exchange.body(), exchange.content_type)
    uuid, new = await asyncio.to_thread(exchange.house.ledger.import_document, xml_bytes(content, base64=False))
    return json_answer(success({"uuid": uuid, "new": new}))


def in_sandbox(endpoint: Callable[[Exchange], Awaitable[Response]]) -> Callable[[Exchange], Awaitable[Response]]:
    """The endpoint, which outside of the sandbox is a route that does not exist."""

    async def guarded(exchange: Exchange) -> Response:
        if not exchange.house.sandbox:
            raise ServiceError("TB4040")
        return await endpoint(exchange)

    return guarded


async def members_of(exchange: Exchange) -> Members:
    """The JSON object that a control is given; empty without a body."""
    return Members.read(await exchange.body(MAX_BODY_BYTES))


def _rfc(exchange: Exchange) -> str:
    return exchange.parameters["rfc"].upper()


def _change(members: Members) -> Change:
    return Change(
        name=members.text("name") or None,
        postal_code=members.text("postal_code") or None,
        regimes=members.texts("regimes"),
        obligations=members.whole("obligations"),
        cancelled=members.flag_or_none("cancelled"),
        situation=members.text("situation") if members.values.get("situation") is not None else None,
    )


def _entry(entry: Entry) -> Json:
    return {
        "rfc": entry.taxpayer.rfc,
        "name": entry.taxpayer.name,
        "postal_code": entry.taxpayer.postal_code,
        "regimes": sorted(entry.taxpayer.regimes),
        "obligations": entry.obligations,
        "cancelled": entry.taxpayer.cancelled,
        "situation": entry.taxpayer.situation,
        "listed": entry.listed,
        "pending": dict(entry.pending),
    }


def _time(exchange: Exchange) -> Json:
    control = exchange.house.clock_control
    now = control.now()
    return {
        "fiscal_time": now.isoformat(),
        "central_mexico": to_central_mexico(now),
        "running": control.reading().frozen_at is None,
    }


def _fault(fault: Fault) -> Json:
    return {"name": fault.name, "remaining": fault.remaining, "seconds": fault.seconds}


def control(
    name: str,
    method: str,
    path: str,
    endpoint: Callable[[Exchange], Awaitable[Response]],
    summary: str,
    answer: str,
    *,
    body: str | None = None,
    access: Access = Access.ADMINISTRATOR,
) -> Operation:
    """An operation under `/sandbox`. body: component schema of what it is given."""
    media_type = "multipart/form-data" if body == "XmlUpload" else "application/json"
    return Operation(
        name=f"sandbox-{name}",
        method=method,
        paths=(f"/sandbox{path}",),
        endpoint=in_sandbox(endpoint),
        summary=summary,
        tag="sandbox",
        answer=answer,
        access=access,
        payloads=(Payload(media_type, body),) if body else (),
    )


OPERATIONS = (
    control("taxpayers", "GET", "/taxpayers", taxpayers, "List the registry", "TaxpayerList"),
    control("taxpayer", "GET", "/taxpayers/{rfc}", taxpayer, "One taxpayer, with what is pending", "Taxpayer"),
    control(
        "taxpayer-add", "POST", "/taxpayers", add_taxpayer, "Register a taxpayer", "Taxpayer", body="TaxpayerChange"
    ),
    control(
        "taxpayer-set",
        "PATCH",
        "/taxpayers/{rfc}",
        change_taxpayer,
        "Change a taxpayer, with the next refresh",
        "Taxpayer",
        body="TaxpayerChange",
    ),
    control("refresh", "POST", "/refresh", refresh, "Publish the lists now", "Refreshed"),
    control("clock", "GET", "/clock", clock, "Fiscal time", "Clock"),
    control("clock-set", "POST", "/clock/set", set_clock, "Set fiscal time", "Clock", body="ClockSet"),
    control("clock-advance", "POST", "/clock/advance", advance_clock, "Move it on", "Clock", body="ClockAdvance"),
    control("clock-reset", "POST", "/clock/reset", reset_clock, "Back to wall time", "Clock"),
    control("faults", "GET", "/faults", faults, "List the faults that are on", "FaultList"),
    control("fault-set", "POST", "/faults", set_fault, "Switch a fault on", "Fault", body="FaultOrder"),
    control("faults-clear", "DELETE", "/faults", clear_faults, "Switch all faults off", "FaultList"),
    control("fault-clear", "DELETE", "/faults/{name}", clear_faults, "Switch one fault off", "FaultList"),
    control(
        "mint", "POST", "/certificates", mint_certificate, "Issue a credential", "MintedCredential", body="MintOrder"
    ),
    control(
        "revoke", "POST", "/certificates/{number}/revoke", revoke_certificate, "Revoke a certificate", "Revocation"
    ),
    control(
        "certificate",
        "GET",
        "/certificates/{number}.cer",
        certificate,
        "A certificate of the sandbox, in DER",
        "file",
        access=Access.PUBLIC,
    ),
    control(
        "ledger-import",
        "POST",
        "/ledger",
        import_document,
        "Make a CFDI stamped elsewhere known",
        "Imported",
        body="XmlUpload",
    ),
)
