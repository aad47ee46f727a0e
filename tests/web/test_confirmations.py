"""Confirmacion: keys that the server issued, for one stamp each (CFDI40128, CFDI40129)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.support.account_requests import ManagementClient
from tests.support.asgi import Answer, call, upload
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.app.composition import open_container
from timbra.cfdi.nodes import FiscalDocument
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.evaluation.confirmations import ConfirmationRegistry, RegisteredKey
from timbra.examples import Change, ingreso
from timbra.examples.cfdi33 import ingreso33
from timbra.examples.lists import PublishedRates
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.ports import reference_source
from timbra.sat.ports import stamping_provider
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest, StampResult
from timbra.stamping.stamping import StampingService
from timbra.stamps.build import database_stamps
from timbra.stamps.confirmations import ConfirmationRepository
from timbra.stamps.group_commit import GroupCommit

ISSUER, OTHER = "EKU9003173C9", "URE180429TM6"
KEYS = "/sandbox/confirmations"


class Client(ManagementClient):
    """A client that stamps invoices with Confirmacion. The caller is an account, unless it is named."""

    def __init__(self, data: Path, **settings: object) -> None:
        super().__init__(data, **settings)
        self.credential = self.sandbox_app.mint()

    def issued(self, rfc: str = ISSUER, user: str = "ana@example.com") -> str:
        key = self.data("POST", KEYS, {"rfc": rfc}, user=user)
        assert (key["rfc"], key["uuid"]) == (rfc, None)
        return str(key["key"])

    def keys(self, user: str = "ana@example.com") -> dict[str, str | None]:
        return {row["key"]: row["uuid"] for row in self.data("GET", KEYS, user=user)}

    def invoice(self, folio: str, key: str | None, **changes: Change) -> bytes:
        attributes: dict[str, Change] = {"@Folio": folio, "@Confirmacion": key, **changes}
        return self.sandbox_app.sealed(ingreso(attributes, fecha=FECHA), self.credential)

    def post(self, path: str, xml: bytes, query: str = "") -> Answer:
        sent, body = upload(xml)
        headers = {**sent, "Authorization": f"bearer {self.tokens['ana@example.com']}"}
        return call(self.app, "POST", path, headers=headers, body=body, query=query)

    def stamp(self, xml: bytes, query: str = "") -> tuple[int, str]:
        """Return status, and code of a rejection."""
        answer = self.post("/cfdi33/stamp/v1", xml, query)
        return answer.status, answer.json.get("message", "").partition(" ")[0].rstrip(
            "."
        ) if answer.status != 200 else ""

    def report(self, xml: bytes) -> tuple[set[str], set[str]]:
        """Return the codes of errors, and those of the rules about keys that were not evaluated."""
        report = self.post("/validate/cfdi", xml, "validatestatus=false").json
        errors = {
            entry["code"] for part in report["detail"] for entry in part["detail"] if entry["typeValue"] == "Error"
        }
        missing = "registro de claves de confirmación"
        return errors, {rule["code"] for rule in report["notEvaluated"] if rule["missing"] == missing}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    opened = Client(tmp_path / "data")
    yield opened
    opened.sandbox_app.container.close()


def test_key_is_for_one_stamp_of_its_issuer(client: Client) -> None:
    key, others = client.issued(), client.issued(OTHER)
    assert client.stamp(client.invoice("1", "ZZZZZ")) == (400, "CFDI40128")
    assert client.stamp(client.invoice("2", others)) == (400, "CFDI40128")
    assert client.keys() == {key: None, others: None}

    first = client.invoice("3", key)
    assert client.stamp(first, "dry_run=true") == (200, "")
    assert client.keys()[key] is None
    assert client.stamp(first) == (200, "")
    stamped = client.sandbox_app.container.get(database_stamps).page(None).records
    assert [record.uuid.upper() for record in stamped] == [client.keys()[key]]

    assert client.stamp(client.invoice("4", key)) == (400, "CFDI40129")
    assert client.stamp(client.invoice("5", key), "dry_run=true") == (400, "CFDI40129")
    assert client.stamp(first) == (400, "307"), "a repeat stays a repeat"
    assert client.stamp(client.invoice("6", None)) == (200, "")
    assert client.stamp(client.invoice("7", key)) == (400, "CFDI40129"), "it stays used"


def test_keys_are_listed_for_the_account_that_requested_them(client: Client) -> None:
    own, boss = client.issued(), client.issued(user="jefa@example.com")
    assert set(client.keys()) == {own}
    assert set(client.keys("jefa@example.com")) == {own, boss}
    rejected = client.call("POST", KEYS, {"rfc": "X"}, user="ana@example.com")
    assert (rejected.status, rejected.json["message"][:6]) == (400, "TB4005")
    assert client.stamp(client.invoice("1", boss)) == (200, ""), "a key belongs to the issuer of the invoice"


def test_validation_decides_as_the_stamp_of_the_document_would(client: Client) -> None:
    key = client.issued()
    for value, code in ((None, None), (key, None), ("ZZZZZ", "CFDI40128")):
        errors, unevaluated = client.report(client.invoice("1", value))
        assert (errors, unevaluated) == ({code} - {None}, set())
    assert client.stamp(client.invoice("2", key)) == (200, "")
    assert client.report(client.invoice("3", key)) == ({"CFDI40129"}, set())


@pytest.mark.parametrize("setting", ["auto", "off"])
def test_keys_of_stamped_and_older_documents_are_not_evaluated(tmp_path: Path, setting: str) -> None:
    """The registry does not know the keys that other providers issued."""
    client = Client(tmp_path / "data", confirmations=setting)
    stamped = client.post("/cfdi33/stamp/v4", client.invoice("1", client.issued())).json["data"]["cfdi"].encode()
    older = ingreso33({"@Confirmacion": "ZZZZZ"}).encode()
    for xml, codes in ((stamped, {"CFDI40128", "CFDI40129"}), (older, {"CFDI33127", "CFDI33128"})):
        errors, unevaluated = client.report(xml)
        assert errors.isdisjoint(codes)
        assert unevaluated == (codes if setting == "auto" else set())
    client.sandbox_app.container.close()


def test_setting_leaves_the_rules_suspended_as_the_sat_does(tmp_path: Path) -> None:
    client = Client(tmp_path / "data", confirmations="off")
    key = client.issued()
    for folio, value in enumerate(("ZZZZZ", key, key)):
        assert client.stamp(client.invoice(str(folio), value)) == (200, "")
    assert client.keys() == {key: None}
    client.sandbox_app.container.close()


@pytest.mark.parametrize(
    ("environment", "setting", "enabled"),
    [
        ("sandbox", "auto", True),
        ("production", "auto", False),
        ("production", "keys", True),
    ],
)
def test_registry_is_asked_where_the_environment_or_the_setting_says_so(
    tmp_path: Path, environment: Any, setting: Any, enabled: bool
) -> None:
    with open_container(Settings(data=tmp_path / "data", environment=environment, confirmations=setting)) as container:
        codes = container.get(stamping_services).checks.profiles.enabled
        assert ({"CFDI40128", "CFDI40129"} <= {*codes}) == enabled
        assert bool(codes) == enabled
        key = container.get(stamping_services).confirmations.issue(ISSUER)
        assert container.get(stamping_services).confirmations.latest() == [key]


def test_reset_removes_the_keys(client: Client) -> None:
    client.issued()
    client.data("POST", "/sandbox/account/reset", {"confirm": "ana@example.com"}, user="ana@example.com")
    assert client.keys() == {}


def test_concurrent_stamps_cannot_share_a_key(client: Client) -> None:
    """All of them satisfy the rules before the first is stored; the answer is that of the rule."""
    key, app = client.issued(), client.sandbox_app
    sealed = [client.invoice(str(folio), key) for folio in range(4)]
    orders = [StampRequest(app.caller, xml, str(folio), None) for folio, xml in enumerate(sealed)]
    checks = replace(app.container.get(stamping_services).checks, confirmations=FirstAnswers(app, key))
    stamping = StampingService(
        checks,
        lambda: app.container.get(stamping_provider)(),
        GroupCommit(app.container.get(database_stamps)),
        "sandbox",
    )

    async def all_at_once() -> list[StampResult | BaseException]:
        return await asyncio.gather(*map(stamping.stamp, orders), return_exceptions=True)

    outcomes = asyncio.run(all_at_once())
    stamped = [outcome for outcome in outcomes if isinstance(outcome, StampResult)]
    rejected = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
    assert (len(stamped), len(rejected)) == (1, 3)
    assert client.keys() == {key: stamped[0].uuid.upper()}
    later = app.rejection(client.invoice("later", key))
    assert later.code == "CFDI40129"
    assert {(one.code, one.detail, one.location) for one in rejected} == {(later.code, later.detail, later.location)}


class FirstAnswers(ConfirmationRegistry):
    """A registry that answers as it did before the first stamp."""

    def __init__(self, app: SandboxApp, key: str) -> None:
        repository = ConfirmationRepository(app.container.get(opened_database))
        super().__init__(repository, app.container.wall, is_asked=True)
        self._found = RegisteredKey(repository.find(key))

    def with_key(self, reference_data: ReferenceData, document: FiscalDocument) -> ReferenceData:
        return replace(reference_data, confirmations=self._found)


@pytest.mark.parametrize(
    ("rate", "has_key", "code"),
    [
        ("18.50", False, None),
        ("18.50", True, "CFDI40127"),
        ("30", False, "CFDI40118"),
        ("30", True, None),
    ],
)
def test_limits_need_a_key_beyond_them_and_none_within(
    tmp_path: Path, rate: str, has_key: bool, code: str | None
) -> None:
    client = Client(tmp_path / "data", confirmations="limits")
    container = client.sandbox_app.container
    checks = container.get(stamping_services).checks
    rates = PublishedRates({"USD": Decimal("18.50")})
    assert rates.published("USD", date(2026, 11, 17)) == Decimal("18.50")
    checks = replace(
        checks,
        reference_data=lambda: replace(container.get(reference_source).current(), exchange_rates=rates),
        known_reference_data=lambda: None,
    )
    stamping = StampingService(
        checks, lambda: container.get(stamping_provider)(), GroupCommit(container.get(database_stamps)), "sandbox"
    )
    key = client.issued() if has_key else None
    xml = client.invoice("1", key, **{"@Moneda": "USD", "@TipoCambio": rate})
    order = StampRequest(client.sandbox_app.caller, xml, "request", None)
    if code is None:
        assert asyncio.run(stamping.stamp(order)).uuid
    else:
        with pytest.raises(ServiceError) as caught:
            asyncio.run(stamping.stamp(order))
        assert caught.value.code == code
    container.close()
