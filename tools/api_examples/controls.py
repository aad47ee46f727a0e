"""Calls of the sandbox's controls. The last ones remove what the others have made."""

from __future__ import annotations

from collections.abc import Iterator

from timbra.sandbox.state_file import MEDIA_TYPE
from tools.api_examples.calls import FORM, Call

RFC = {"rfc": "ZUA160101AB3"}
NUMBER = {"number": "{{mintedNumber}}"}
QUESTION = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Consulta xmlns="http://tempuri.org/">'
    "<expresionImpresa><![CDATA[{{statusQuery}}]]></expresionImpresa></Consulta></s:Body></s:Envelope>"
)


def sandbox() -> Iterator[Call]:
    """Yield the calls of the controls."""
    yield from _taxpayers()
    yield from _clock_and_faults()
    yield from _certificates()
    yield from _replies()
    yield from _status()
    yield from _state()


def _taxpayers() -> Iterator[Call]:
    new = {
        **RFC,
        "name": "ZUA PRUEBA",
        "postalCode": "06000",
        "regimes": ["601"],
        "obligations": 1,
        "cancelled": False,
        "situation": "",
    }
    yield Call("sandbox-taxpayer-add", body=new)
    yield Call("sandbox-taxpayer", path=RFC)
    yield Call("sandbox-taxpayer", "unknown-rfc", path={"rfc": "XAX160101AB3"}, status=400)
    yield Call("sandbox-taxpayers")
    yield Call("sandbox-taxpayer-set", path=RFC, body={"name": "ZUA PRUEBA DOS", "postalCode": "06010"})
    yield Call("sandbox-refresh")


def _clock_and_faults() -> Iterator[Call]:
    fault = {"name": "answer-lost", "times": 2}
    yield Call("sandbox-clock")
    yield Call("sandbox-clock-set", body={"instant": "2026-11-20T12:00:00", "running": False})
    yield Call("sandbox-clock-set", "not-an-instant", body={"instant": "mañana"}, status=400)
    yield Call("sandbox-clock-advance", body={"duration": "30m"})
    yield Call("sandbox-clock-reset")
    yield Call("sandbox-fault-set", body=fault)
    yield Call("sandbox-fault-set", "unknown-fault", body={"name": "otra"}, status=400)
    yield Call("sandbox-faults")
    yield Call("sandbox-fault-clear", path={"name": "answer-lost"})
    yield Call("sandbox-faults-clear")


def _certificates() -> Iterator[Call]:
    order = {"rfc": "ZUA160101AB3", "kind": "csd", "password": "12345678a"}
    yield Call("sandbox-mint", body=order, captures={"mintedNumber": "data.certificateNumber"})
    yield Call("sandbox-mint", "wrong-rfc", body={"rfc": "X"}, status=400)
    yield Call("sandbox-certificates", query={"search": "ZUA160101AB3"})
    yield Call("sandbox-certificate", path=NUMBER)
    yield Call("sandbox-revoke", path=NUMBER)
    yield Call("sandbox-confirmation-issue", body={"rfc": "ZUA160101AB3"})
    yield Call("sandbox-confirmation-issue", "wrong-rfc", body={"rfc": "X"}, status=400)
    yield Call("sandbox-confirmations")
    yield Call("sandbox-ledger-import", body={"xml": "{{foreignXml}}"}, media_type=FORM)


def _replies() -> Iterator[Call]:
    reply = {"rfc": "{{receiverRfc}}", "answer": "reject", "delay": "2h"}
    yield Call("sandbox-script-set", body=reply)
    yield Call("sandbox-scripts")
    yield Call("sandbox-script-clear", path={"rfc": "{{receiverRfc}}"})
    yield Call("sandbox-scripts-clear")
    yield Call("sandbox-answer", path={"uuid": "{{pendingUuid}}"}, body={"answer": "accept"})
    yield Call("sandbox-answer", "unknown-answer", path={"uuid": "{{uuid}}"}, body={"answer": "quizá"}, status=400)
    yield Call("sandbox-history", path={"uuid": "{{relatedUuid}}"})


def _status() -> Iterator[Call]:
    yield Call("consulta-cfdi", body=QUESTION, media_type="text/xml")
    yield Call("consulta-cfdi", "fault", body="<no-soap/>", media_type="text/xml", status=500)
    yield Call("consulta-cfdi-wsdl")
    code = {
        "id": "{{retencionUuid}}",
        "re": "{{rfc}}",
        "rr": "{{retencionReceiver}}",
        "tt": "1000.00",
        "fe": "{{retencionSeal}}",
    }
    folio = {"folio": "{{retencionUuid}}", "rfcEmisor": "{{rfc}}", "rfcReceptor": "{{retencionReceiver}}"}
    yield Call("retenciones-page", query=code)
    yield Call("retenciones-page", "by-folio", query=folio)
    yield Call("retenciones-page", "receiver-abroad", query={**code, "rr": "", "nr": "123456789"})


def _state() -> Iterator[Call]:
    yield Call("sandbox-state", captures={"stateFile": "*"})
    yield Call("sandbox-state-restore", body="{{stateFile}}", media_type=MEDIA_TYPE)
    yield Call("sandbox-account-reset", body={"confirm": "{{user}}"})
    yield Call("sandbox-reset", body={"accounts": False})
