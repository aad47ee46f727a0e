"""Amounts of an invoice, computed from its lines."""

from __future__ import annotations

from typing import cast, get_args

from starlette.responses import Response

from timbra.amounts.serializers import totals_answer
from timbra.amounts.services import AmountsServices
from timbra.amounts.totals import Rounding, Totals, totals_of
from timbra.core.errors import ServiceError
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation, Parameter, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.injection import Groups
from timbra.web.parsing.json_body import json_object

FLAGS = ("false", "true")
LARGE_BYTES = 16 * 1024
"""Size of a body above which a child process computes: a line takes 0.1 to 4 ms."""
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)


async def totals(request: RequestContext, services: AmountsServices) -> Response:
    """Answer with the invoice and its amounts."""
    includes_tax = _choice(request, "price_includes_tax", FLAGS) == "true"
    rounding = cast("Rounding", _choice(request, "rounding", ROUNDINGS))
    body, processes = await request.body(), services.processes
    if processes is not None and (len(body) > LARGE_BYTES or processes.is_costly(body)):
        account = str(request.caller.account_id)
        found = await processes.run(account, None, _totals_in_child, body, includes_tax, rounding, size=len(body))
    else:
        found = await request.pools.run_database(_totals, services, body, includes_tax, rounding)
    return json_response(success(totals_answer(found)))


def _totals_in_child(groups: Groups, body: bytes, includes_tax: bool, rounding: Rounding) -> Totals:
    services: AmountsServices = groups[AmountsServices]()
    return _totals(services, body, includes_tax, rounding)


def _totals(services: AmountsServices, body: bytes, includes_tax: bool, rounding: Rounding) -> Totals:
    """Compute the amounts; the clock of a sandbox may read the database."""
    members = json_object(body)
    return totals_of(members, services.reference_data(), price_includes_tax=includes_tax, rounding=rounding)


def _choice(request: RequestContext, name: str, choices: tuple[str, ...]) -> str:
    """Return a query parameter; the first choice when it is absent or empty."""
    word = (request.query(name) or "").strip().lower() or choices[0]
    if word not in choices:
        raise ServiceError("TB4005", f"El parámetro {name} solo admite los valores {' y '.join(choices)}.")
    return word


OPERATIONS = (
    Operation(
        name="totals",
        method="POST",
        paths=("/totals",),
        endpoint=totals,
        summary="Compute the amounts of a CFDI 4.0 from its lines",
        description="The body is a CFDI as JSON with quantity, price and taxes of each Concepto; other members are "
        "answered unchanged, but for `Complemento.ImpuestosLocales`, whose amounts are computed from names and rates. "
        "Amounts are within the limits of the SAT's rules: without any, the answer is the code of "
        "the rule. Nothing is stored.",
        tag="amounts",
        answer="Totals",
        parameters=(
            Parameter(
                "price_includes_tax",
                "query",
                "`true`: ValorUnitario and Descuento include the transferred taxes, and lines add up to their prices.",
                choices=FLAGS,
            ),
            Parameter(
                "rounding",
                "query",
                "`line`: amounts of lines have the decimals of the currency. `total`: they have up to six.",
                choices=ROUNDINGS,
            ),
        ),
        payloads=(Payload("application/json", "InvoiceLines"),),
        rejections=(ServiceError("TB4005", "Conceptos/Concepto[1]/@Cantidad: falta; se esperaba un número."),),
    ),
)
