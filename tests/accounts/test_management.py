"""Balances and users over the API: shapes and texts of the wire contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.account_requests import (
    BALANCE,
    LINKS,
    META,
    NEW_USER,
    OLD_BALANCE,
    TRANSACTION,
    USER,
    USERS,
    ManagementClient,
    assert_reads,
)
from tests.support.asgi import call, upload
from tests.support.sandbox_app import FECHA

from timbra import examples
from timbra.accounts.build import account_services
from timbra.examples.codes.receptor import invoice_abroad
from timbra.rules.reference.messages import full_message, sentence

ZERO = "00000000-0000-0000-0000-000000000000"
OWN = "/management/v2/api/users/balance"
OF = "/management/v2/api/dealers/balance/users"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[ManagementClient]:
    opened = ManagementClient(tmp_path / "data")
    yield opened
    opened.sandbox_app.container.close()


def test_balance_of_a_new_account_has_no_movement(client: ManagementClient) -> None:
    answer = client.call("GET", OWN, user="ana@example.com")
    assert answer.status == 200
    assert {**answer.json, "data": None} == {"data": None, "meta": None, "links": None, "status": "success"}
    data = answer.json["data"]
    assert_reads(data, BALANCE)
    assert_reads(data["lastTransaction"], TRANSACTION)
    assert (data["isUnlimited"], data["unlimited"], data["stampsBalance"]) == (True, True, 0)
    assert data["lastTransaction"]["idUserReceiver"] == data["idUser"]
    assert (data["lastTransaction"]["folio"], data["lastTransaction"]["idUser"]) == (0, ZERO)


def test_balance_of_a_child_is_equal_for_parent_and_child(client: ManagementClient) -> None:
    made = client.create()
    boss = client.data("GET", OWN)["idUser"]
    client.data("POST", f"{USERS}/{made['idUser']}/stamps", {"stamps": 5, "comment": "Compra"})
    data = client.data("GET", f"{OF}/{made['idUser']}")
    assert data == client.data("GET", OWN, token=made["accessToken"])
    assert_reads(data, BALANCE)
    last = data["lastTransaction"]
    assert_reads(last, TRANSACTION)
    assert (data["stampsBalance"], data["stampsUsed"], data["stampsAssigned"]) == (15, 0, 15)
    assert (last["idUser"], last["idUserReceiver"], last["nameReceiver"]) == (boss, made["idUser"], NEW_USER["name"])
    assert (last["stampsIn"], last["stampsOut"], last["stampsCurrent"], last["comment"]) == (5, 0, 15, "Compra")


def test_account_balance_has_the_shape_of_the_first_generation(client: ManagementClient) -> None:
    made = client.create()
    answer = client.call("GET", "//account/balance/", token=made["accessToken"])
    assert set(answer.json) == {"data", "status"}
    data = answer.json["data"]
    assert_reads(data, OLD_BALANCE)
    assert (data["saldoTimbres"], data["timbresAsignados"], data["timbresUtilizados"]) == (10, 10, 0)
    newer = client.data("GET", OWN, token=made["accessToken"])
    assert (data["idClienteUsuario"], data["idSaldoCliente"]) == (newer["idUser"], newer["idUserBalance"])


def test_create_user_returns_its_token_once(client: ManagementClient) -> None:
    answer = client.call("POST", USERS, NEW_USER)
    assert answer.status == 200
    assert {**answer.json, "data": None} == {"data": None, "meta": None, "links": None, "status": "success"}
    made = answer.json["data"]
    assert_reads(made, USER)
    given = {name: value for name, value in NEW_USER.items() if name != "password"}
    assert {name: made[name] for name in given} == given
    assert (made["username"], made["profile"], made["isActive"]) == ("luis@xenon.mx", 3, True)
    assert made["idDealer"] == client.data("GET", OWN)["idUser"]
    assert made["accessToken"].count(".") == 2
    client.data("GET", OWN, token=made["accessToken"])
    assert client.data("GET", f"{USERS}/{made['idUser']}") == {**made, "accessToken": ""}


def test_created_user_can_log_in(client: ManagementClient) -> None:
    client.create()
    credentials = {"user": "LUIS@xenon.mx", "password": NEW_USER["password"]}
    assert client.call("POST", "/v2/security/authenticate", credentials).status == 200


def test_create_user_accepts_member_names_of_the_first_generation(client: ManagementClient) -> None:
    body = {"Email": "a@b.mx", "Password": "x", "Name": "A", "rfc": "XIA190128J61", "profile": 3, "unlimited": True}
    made = client.data("POST", USERS, body)
    assert (made["taxId"], made["isUnlimited"], made["stamps"]) == ("XIA190128J61", True, 0)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"email": ""}, "email"),
        ({"email": "luis"}, "email"),
        ({"email": f"{'x' * 250}@x.mx"}, "email"),
        ({"email": None}, "email"),
        ({"password": ""}, "password"),
        ({"name": " "}, "name"),
        ({"name": "x" * 255}, "name"),
        ({"taxId": "XIA"}, "taxId"),
        ({"taxId": None}, "taxId"),
        ({"notificationEmail": "no"}, "notificationEmail"),
        ({"phone": "0" * 33}, "phone"),
        ({"stamps": -1}, "stamps"),
        ({"stamps": 1.5}, "stamps"),
        ({"stamps": "many"}, "stamps"),
        ({"isUnlimited": "maybe"}, "isUnlimited"),
        ({"profile": 2}, "profile"),
        ({"name": ["x"]}, "name"),
    ],
)
def test_create_user_rejects_invalid_fields(client: ManagementClient, changes: dict[str, object], named: str) -> None:
    answer = client.call("POST", USERS, {**NEW_USER, **changes})
    assert (answer.status, answer.json["data"], answer.json["status"]) == (400, None, "error")
    assert answer.json["message"].startswith("TB4005 - ")
    assert named in answer.json["messageDetail"]
    assert client.call("GET", USERS).json["meta"]["totalCount"] == 2


@pytest.mark.parametrize("changes", [{"password": "\ud800"}, {"name": "a\x00b"}])
def test_create_user_rejects_text_that_no_database_stores(client: ManagementClient, changes: dict[str, object]) -> None:
    answer = client.call("POST", USERS, {**NEW_USER, **changes})
    assert (answer.status, answer.json["data"], answer.json["status"]) == (400, None, "error")
    assert answer.json["message"].startswith("TB4004 - ")
    assert client.call("GET", USERS).json["meta"]["totalCount"] == 2


@pytest.mark.parametrize("path", [OWN, "/account/balance"])
def test_balance_of_an_unlimited_account_counts_its_stamps(client: ManagementClient, path: str) -> None:
    sandbox_app = client.sandbox_app
    used = "stampsUsed" if path == OWN else "timbresUtilizados"
    assert client.data("GET", path, user="ana@example.com")[used] == 0
    sandbox_app.store(sandbox_app.mint())
    for folio in ("1", "2"):
        sandbox_app.issue(examples.ingreso({"@Folio": folio}, fecha=FECHA).encode())
    data = client.data("GET", path, user="ana@example.com")
    assert (data["unlimited"], data[used]) == (True, 2)


def test_create_user_rejects_an_existing_email(client: ManagementClient) -> None:
    client.create()
    answer = client.call("POST", USERS, NEW_USER)
    assert answer.status == 400
    assert answer.json == {
        "message": "El email 'luis@xenon.mx' ya esta en uso.",
        "messageDetail": full_message("AU1001"),
        "data": None,
        "status": "error",
    }


def test_list_users_applies_filters(client: ManagementClient) -> None:
    made = client.create()
    answer = client.call("GET", USERS)
    assert_reads(answer.json["meta"], META)
    assert_reads(answer.json["links"], LINKS)
    for user in answer.json["data"]:
        assert_reads(user, USER)
    assert [user["profile"] for user in answer.json["data"]] == [3, 2, 3]
    assert all(user["accessToken"] == "" for user in answer.json["data"])
    found = {**made, "accessToken": ""}
    for query in (
        f"IdUser={made['idUser']}",
        "Email=LUIS%40xenon.mx",
        "TaxId=xia190128j61",
        "IsActive=True&TaxId=XIA190128J61",
    ):
        assert client.data("GET", f"{USERS}/?{query}") == [found]
    assert client.data("GET", f"{USERS}?IsActive=false") == client.data("GET", f"{USERS}?Email=no@no.mx") == []
    assert client.data("GET", f"{USERS}?Email=%00%ff") == []


def test_list_users_returns_pages(client: ManagementClient) -> None:
    for number in range(3):
        client.create(email=f"{number}@x.mx")
    answer = client.call("GET", f"{USERS}?page=2&perPage=2&IsActive=true").json
    assert answer["meta"] == {"page": 2, "perPage": 2, "pageCount": 2, "totalCount": 5, "totalPages": 3}
    assert [user["email"] for user in answer["data"]] == ["0@x.mx", "1@x.mx"]
    assert answer["links"] == {
        "Self": f"{USERS}?IsActive=true&page=2&perPage=2",
        "First": f"{USERS}?IsActive=true&page=1&perPage=2",
        "End": f"{USERS}?IsActive=true&page=3&perPage=2",
        "Next": f"{USERS}?IsActive=true&page=3&perPage=2",
    }
    last = client.call("GET", answer["links"]["Next"]).json
    assert ([user["email"] for user in last["data"]], last["links"]["Next"]) == (["2@x.mx"], "")
    assert client.call("GET", f"{USERS}?page=99999").json["data"] == []


@pytest.mark.parametrize("query", ["page=0", "page=-1", "perPage=0", "page=x", "IsActive=maybe", "perPage=1e3"])
def test_list_users_rejects_invalid_parameters(client: ManagementClient, query: str) -> None:
    assert client.call("GET", f"{USERS}?{query}").json["message"].startswith("TB4005 - ")


def test_update_user_changes_given_members_only(client: ManagementClient) -> None:
    made = client.create()
    body = {"iduser": made["idUser"], "name": None, "taxId": None, "phone": "1234567890", "isUnlimited": True}
    answer = client.call("PUT", f"{USERS}/{made['idUser']}", body)
    assert (answer.status, answer.json["data"], answer.json["status"]) == (200, made["idUser"], "success")
    changed = client.data("GET", f"{USERS}/{made['idUser']}")
    assert changed == {**made, "phone": "1234567890", "isUnlimited": True, "accessToken": ""}
    again = client.call("PUT", f"{USERS}/{made['idUser']}", body)
    assert (again.status, again.json["message"]) == (
        400,
        "No es posible actualizar, los datos enviados son identicos a los actuales",
    )


@pytest.mark.parametrize("policy", ["ignore", "warn", "block", "default"])
def test_update_user_sets_the_policy_of_article_69b(client: ManagementClient, policy: str) -> None:
    path = f"{USERS}/{client.create()['idUser']}"
    assert client.call("GET", path).headers["x-timbra-article-69b-policy"] == "default"
    client.call("PUT", path, {"article69b": "block" if policy == "default" else "default", "phone": "1"})
    assert client.call("PUT", path, {"article69b": policy}).status == 200
    assert client.call("GET", path).headers["x-timbra-article-69b-policy"] == policy
    rejected = client.call("PUT", path, {"article69b": "maybe"})
    assert (rejected.status, rejected.json["message"][:6]) == (400, "TB4005")
    assert client.call("GET", path).headers["x-timbra-article-69b-policy"] == policy


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("carta-porte", "carta-porte"),
        (" foreign-use , carta-porte", "carta-porte,foreign-use"),
        ("all", "all"),
        ("none", "none"),
        ("default", "default"),
    ],
)
def test_update_user_sets_the_leniency_of_the_vendor(client: ManagementClient, given: str, kept: str) -> None:
    path = f"{USERS}/{client.create()['idUser']}"
    assert client.call("GET", path).headers["x-timbra-vendor-leniency"] == "default"
    client.call("PUT", path, {"vendorLeniency": "foreign-use", "article69b": "block"})
    assert client.call("PUT", path, {"vendorLeniency": given}).status == 200
    for wrong in ("foreign-uso", "all,carta-porte", "none,carta-porte", ",", "default,all"):
        rejected = client.call("PUT", path, {"vendorLeniency": wrong})
        assert (rejected.status, rejected.json["message"][:6]) == (400, "TB4005"), wrong
    headers = client.call("GET", path).headers
    assert (headers["x-timbra-vendor-leniency"], headers["x-timbra-article-69b-policy"]) == (kept, "block")


@pytest.mark.parametrize("server", ["", "all"])
@pytest.mark.parametrize(
    ("choice", "stamps"),
    [("default", None), ("none", False), ("carta-porte", False), ("foreign-use", True), ("all", True)],
)
def test_choice_of_the_account_precedes_the_leniency_of_the_server(
    tmp_path: Path, server: str, choice: str, stamps: bool | None
) -> None:
    client = ManagementClient(tmp_path / "data", vendor_leniency=server)
    accounts = client.sandbox_app.container.get(account_services).accounts
    path = f"{USERS}/{accounts.find('ana@example.com').guid}"
    assert client.call("PUT", path, {"vendorLeniency": choice}).status == (400 if choice == "default" else 200)
    credential = client.sandbox_app.mint()
    xml = client.sandbox_app.sealed(invoice_abroad({"Receptor/@UsoCFDI": "CP01", "@Fecha": FECHA}), credential)
    is_stamped = server == "all" if stamps is None else stamps

    sent, body = upload(xml)
    headers = {**sent, "Authorization": f"bearer {client.tokens['ana@example.com']}"}
    report = call(client.app, "POST", "/validate/cfdi", headers=headers, body=body, query="validatestatus=false").json
    found = {
        (entry["typeValue"], entry["code"])
        for section in report["detail"]
        for entry in section["detail"]
        if entry.get("code") == "CFDI40161"
    }
    assert found == {("Warning" if is_stamped else "Error", "CFDI40161")}
    stamped = call(client.app, "POST", "/cfdi33/stamp/v1", headers=headers, body=body)
    assert (stamped.status, stamped.json["message"][:9] if stamped.status == 400 else "") == (
        (200, "") if is_stamped else (400, "CFDI40161")
    )
    client.sandbox_app.container.close()


def test_disabled_user_is_rejected_with_au2002(client: ManagementClient) -> None:
    made = client.create()
    client.data("PUT", f"{USERS}/{made['idUser']}", {"isActive": False})
    answer = client.call("GET", OWN, token=made["accessToken"])
    assert (answer.status, answer.json["message"]) == (401, f"AU2002 - {sentence('AU2002')}")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "El usuario no se puede eliminar, tiene saldo de 10"),
        ({"isUnlimited": True}, "El usuario no se puede eliminar, tiene timbrado ilimitado"),
    ],
)
def test_delete_user_rejects_a_user_with_stamps(
    client: ManagementClient, changes: dict[str, object], message: str
) -> None:
    made = client.create(**changes)
    answer = client.call("DELETE", f"{USERS}/{made['idUser']}")
    assert (answer.status, answer.body) == (
        500,
        json.dumps({"message": message, "status": "error"}, separators=(",", ":")).encode(),
    )
    client.data("GET", OWN, token=made["accessToken"])


def test_delete_user_deletes_and_is_rejected_again(client: ManagementClient) -> None:
    made = client.create(stamps=0)
    answer = client.call("DELETE", f"{USERS}/{made['idUser']}", {})
    assert (answer.status, answer.body) == (204, b"")
    assert client.call("GET", OWN, token=made["accessToken"]).status == 401
    again = client.call("DELETE", f"{USERS}/{made['idUser']}")
    assert (again.status, again.json["message"]) == (400, "El usuario ya ha sido previamente removido")
    assert client.data("GET", f"{USERS}?Email=luis@xenon.mx") == []
    assert client.create()["idUser"] != made["idUser"]


@pytest.mark.parametrize("guid", ["5258dafb-fd85-466c-b005-0a6f05b93e7c", "1", "x", "%00", "..", "' OR 1=1 --"])
def test_endpoints_reject_an_unknown_user(client: ManagementClient, guid: str) -> None:
    responses = (
        client.call("GET", f"{USERS}/{guid}"),
        client.call("PUT", f"{USERS}/{guid}", {"name": "x"}),
        client.call("DELETE", f"{USERS}/{guid}"),
        client.call("GET", f"{OF}/{guid}"),
        client.call("POST", f"{USERS}/{guid}/stamps", {"stamps": 1}),
        client.call("DELETE", f"{USERS}/{guid}/stamps", {"stamps": 1}),
    )
    assert {(answer.status, answer.json["message"]) for answer in responses} == {(400, "El usuario no fue encontrado.")}


def test_administrators_cannot_delete_or_disable_themselves(client: ManagementClient) -> None:
    own = client.data("GET", OWN)["idUser"]
    for answer in (
        client.call("DELETE", f"{USERS}/{own}"),
        client.call("PUT", f"{USERS}/{own}", {"isActive": False}),
    ):
        assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")


def test_stamps_endpoints_add_and_remove(client: ManagementClient) -> None:
    path = f"/{USERS}/{client.create()['idUser']}/stamps"
    given = client.call("POST", path, {"stamps": 5, "comment": "Compra"}).json
    assert given == {"data": 15, "meta": None, "links": None, "status": "success"}
    taken = client.call("DELETE", path, {"Stamps": 12, "Comment": None}).json
    assert (type(taken["data"]), taken["data"]) == (int, 3)
    rejection = client.call("DELETE", path, {"stamps": 4, "comment": ""})
    assert (rejection.status, rejection.json["message"]) == (400, "TB4007 - El saldo de timbres no alcanza.")
    assert rejection.json["messageDetail"] == "Quedan 3 timbres."


@pytest.mark.parametrize(
    "body",
    [None, {}, {"stamps": 0}, {"stamps": -3}, {"stamps": 1.5}, {"stamps": 10**10}, {"stamps": [1]}, {"stamps": True}],
)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_stamps_endpoints_reject_invalid_amounts(client: ManagementClient, method: str, body: object) -> None:
    path = f"{USERS}/{client.create()['idUser']}/stamps"
    answer = client.call(method, path, body)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")


def test_links_have_the_public_url(tmp_path: Path) -> None:
    client = ManagementClient(tmp_path / "data", public_url="https://pac.example.com")
    signed_links = client.call("GET", USERS).json["links"]
    client.sandbox_app.container.close()
    assert signed_links["Self"] == f"https://pac.example.com{USERS}?page=1&perPage=50"


def test_create_user_warns_about_a_weak_password_in_the_sandbox(client: ManagementClient) -> None:
    answer = client.call("POST", USERS, {**NEW_USER, "password": "corta"})
    assert answer.status == 200
    assert "12 caracteres" in answer.headers["x-timbra-warning"]
