"""Balances and users over the API: the vendor's shapes and texts, as its strictest clients read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.api.account_requests import (
    BALANCE,
    LINKS,
    META,
    NEW_USER,
    OLD_BALANCE,
    TRANSACTION,
    USER,
    USERS,
    Counter,
    assert_reads,
)

ZERO = "00000000-0000-0000-0000-000000000000"
OWN = "/management/v2/api/users/balance"
OF = "/management/v2/api/dealers/balance/users"


@pytest.fixture
def counter(tmp_path: Path) -> Iterator[Counter]:
    opened = Counter(tmp_path / "data")
    yield opened
    opened.sandbox_app.container.close()


def test_a_balance_before_any_movement(counter: Counter) -> None:
    answer = counter.ask("GET", OWN, user="ana@example.com")
    assert answer.status == 200
    assert {**answer.json, "data": None} == {"data": None, "meta": None, "links": None, "status": "success"}
    data = answer.json["data"]
    assert_reads(data, BALANCE)
    assert_reads(data["lastTransaction"], TRANSACTION)
    assert (data["isUnlimited"], data["unlimited"], data["stampsBalance"]) == (True, True, 0)
    assert data["lastTransaction"]["idUserReceiver"] == data["idUser"]
    assert (data["lastTransaction"]["folio"], data["lastTransaction"]["idUser"]) == (0, ZERO)


def test_the_balance_of_a_child_and_of_the_child_itself(counter: Counter) -> None:
    made = counter.create()
    boss = counter.data("GET", OWN)["idUser"]
    counter.data("POST", f"{USERS}/{made['idUser']}/stamps", {"stamps": 5, "comment": "Compra"})
    data = counter.data("GET", f"{OF}/{made['idUser']}")
    assert data == counter.data("GET", OWN, token=made["accessToken"])
    assert_reads(data, BALANCE)
    last = data["lastTransaction"]
    assert_reads(last, TRANSACTION)
    assert (data["stampsBalance"], data["stampsUsed"], data["stampsAssigned"]) == (15, 0, 15)
    assert (last["idUser"], last["idUserReceiver"], last["nameReceiver"]) == (boss, made["idUser"], NEW_USER["name"])
    assert (last["stampsIn"], last["stampsOut"], last["stampsCurrent"], last["comment"]) == (5, 0, 15, "Compra")


def test_the_old_balance(counter: Counter) -> None:
    made = counter.create()
    answer = counter.ask("GET", "//account/balance/", token=made["accessToken"])
    assert set(answer.json) == {"data", "status"}
    data = answer.json["data"]
    assert_reads(data, OLD_BALANCE)
    assert (data["saldoTimbres"], data["timbresAsignados"], data["timbresUtilizados"]) == (10, 10, 0)
    newer = counter.data("GET", OWN, token=made["accessToken"])
    assert (data["idClienteUsuario"], data["idSaldoCliente"]) == (newer["idUser"], newer["idUserBalance"])


def test_a_user_is_made_and_its_token_told_once(counter: Counter) -> None:
    answer = counter.ask("POST", USERS, NEW_USER)
    assert answer.status == 200
    assert {**answer.json, "data": None} == {"data": None, "meta": None, "links": None, "status": "success"}
    made = answer.json["data"]
    assert_reads(made, USER)
    given = {name: value for name, value in NEW_USER.items() if name != "password"}
    assert {name: made[name] for name in given} == given
    assert (made["username"], made["profile"], made["isActive"]) == ("luis@xenon.mx", 3, True)
    assert made["idDealer"] == counter.data("GET", OWN)["idUser"]
    assert made["accessToken"].count(".") == 2
    counter.data("GET", OWN, token=made["accessToken"])
    assert counter.data("GET", f"{USERS}/{made['idUser']}") == {**made, "accessToken": ""}


def test_a_made_user_logs_in(counter: Counter) -> None:
    counter.create()
    credentials = {"user": "LUIS@xenon.mx", "password": NEW_USER["password"]}
    assert counter.ask("POST", "/v2/security/authenticate", credentials).status == 200


def test_names_of_members_of_the_first_generation(counter: Counter) -> None:
    body = {"Email": "a@b.mx", "Password": "x", "Name": "A", "rfc": "XIA190128J61", "profile": 3, "unlimited": True}
    made = counter.data("POST", USERS, body)
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
def test_a_user_of_nonsense(counter: Counter, changes: dict[str, object], named: str) -> None:
    answer = counter.ask("POST", USERS, {**NEW_USER, **changes})
    assert (answer.status, answer.json["data"], answer.json["status"]) == (400, None, "error")
    assert answer.json["message"].startswith("TB4005 - ")
    assert named in answer.json["messageDetail"]
    assert counter.ask("GET", USERS).json["meta"]["totalCount"] == 2


@pytest.mark.parametrize("changes", [{"password": "\ud800"}, {"name": "a\x00b"}])
def test_create_user_rejects_text_that_no_database_stores(counter: Counter, changes: dict[str, object]) -> None:
    answer = counter.ask("POST", USERS, {**NEW_USER, **changes})
    assert (answer.status, answer.json["data"], answer.json["status"]) == (400, None, "error")
    assert answer.json["message"].startswith("TB4004 - ")
    assert counter.ask("GET", USERS).json["meta"]["totalCount"] == 2


def test_an_address_that_is_taken(counter: Counter) -> None:
    counter.create()
    answer = counter.ask("POST", USERS, NEW_USER)
    assert answer.status == 400
    assert answer.json == {
        "message": "El email 'luis@xenon.mx' ya esta en uso.",
        "messageDetail": None,
        "data": None,
        "status": "error",
    }


def test_a_list_with_filters(counter: Counter) -> None:
    made = counter.create()
    answer = counter.ask("GET", USERS)
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
        assert counter.data("GET", f"{USERS}/?{query}") == [found]
    assert counter.data("GET", f"{USERS}?IsActive=false") == counter.data("GET", f"{USERS}?Email=no@no.mx") == []
    assert counter.data("GET", f"{USERS}?Email=%00%ff") == []


def test_a_list_in_pages(counter: Counter) -> None:
    for number in range(3):
        counter.create(email=f"{number}@x.mx")
    answer = counter.ask("GET", f"{USERS}?page=2&perPage=2&IsActive=true").json
    assert answer["meta"] == {"page": 2, "perPage": 2, "pageCount": 2, "totalCount": 5, "totalPages": 3}
    assert [user["email"] for user in answer["data"]] == ["0@x.mx", "1@x.mx"]
    assert answer["links"] == {
        "Self": f"{USERS}?IsActive=true&page=2&perPage=2",
        "First": f"{USERS}?IsActive=true&page=1&perPage=2",
        "End": f"{USERS}?IsActive=true&page=3&perPage=2",
        "Next": f"{USERS}?IsActive=true&page=3&perPage=2",
    }
    last = counter.ask("GET", answer["links"]["Next"]).json
    assert ([user["email"] for user in last["data"]], last["links"]["Next"]) == (["2@x.mx"], "")
    assert counter.ask("GET", f"{USERS}?page=99999").json["data"] == []


@pytest.mark.parametrize("query", ["page=0", "page=-1", "perPage=0", "page=x", "IsActive=maybe", "perPage=1e3"])
def test_a_list_of_nonsense(counter: Counter, query: str) -> None:
    assert counter.ask("GET", f"{USERS}?{query}").json["message"].startswith("TB4005 - ")


def test_an_update_names_what_changes(counter: Counter) -> None:
    made = counter.create()
    body = {"iduser": made["idUser"], "name": None, "taxId": None, "phone": "1234567890", "isUnlimited": True}
    answer = counter.ask("PUT", f"{USERS}/{made['idUser']}", body)
    assert (answer.status, answer.json["data"], answer.json["status"]) == (200, made["idUser"], "success")
    changed = counter.data("GET", f"{USERS}/{made['idUser']}")
    assert changed == {**made, "phone": "1234567890", "isUnlimited": True, "accessToken": ""}
    again = counter.ask("PUT", f"{USERS}/{made['idUser']}", body)
    assert (again.status, again.json["message"]) == (
        400,
        "No es posible actualizar, los datos enviados son identicos a los actuales",
    )


def test_a_closed_user_is_told_so(counter: Counter) -> None:
    made = counter.create()
    counter.data("PUT", f"{USERS}/{made['idUser']}", {"isActive": False})
    answer = counter.ask("GET", OWN, token=made["accessToken"])
    assert (answer.status, answer.json["message"]) == (401, "AU2002 - El usuario está inactivo.")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "El usuario no se puede eliminar, tiene saldo de 10"),
        ({"isUnlimited": True}, "El usuario no se puede eliminar, tiene timbrado ilimitado"),
    ],
)
def test_a_user_that_can_stamp_is_not_deleted(counter: Counter, changes: dict[str, object], message: str) -> None:
    made = counter.create(**changes)
    answer = counter.ask("DELETE", f"{USERS}/{made['idUser']}")
    assert (answer.status, answer.body) == (
        500,
        json.dumps({"message": message, "status": "error"}, separators=(",", ":")).encode(),
    )
    counter.data("GET", OWN, token=made["accessToken"])


def test_a_user_is_deleted(counter: Counter) -> None:
    made = counter.create(stamps=0)
    answer = counter.ask("DELETE", f"{USERS}/{made['idUser']}", {})
    assert (answer.status, answer.body) == (204, b"")
    assert counter.ask("GET", OWN, token=made["accessToken"]).status == 401
    again = counter.ask("DELETE", f"{USERS}/{made['idUser']}")
    assert (again.status, again.json["message"]) == (400, "El usuario ya ha sido previamente removido")
    assert counter.data("GET", f"{USERS}?Email=luis@xenon.mx") == []
    assert counter.create()["idUser"] != made["idUser"]


@pytest.mark.parametrize("guid", ["5258dafb-fd85-466c-b005-0a6f05b93e7c", "1", "x", "%00", "..", "' OR 1=1 --"])
def test_an_unknown_user(counter: Counter, guid: str) -> None:
    asked = (
        counter.ask("GET", f"{USERS}/{guid}"),
        counter.ask("PUT", f"{USERS}/{guid}", {"name": "x"}),
        counter.ask("DELETE", f"{USERS}/{guid}"),
        counter.ask("GET", f"{OF}/{guid}"),
        counter.ask("POST", f"{USERS}/{guid}/stamps", {"stamps": 1}),
        counter.ask("DELETE", f"{USERS}/{guid}/stamps", {"stamps": 1}),
    )
    assert {(answer.status, answer.json["message"]) for answer in asked} == {(404, "El usuario no fue encontrado.")}


def test_administrators_cannot_delete_or_close_themselves(counter: Counter) -> None:
    own = counter.data("GET", OWN)["idUser"]
    for answer in (
        counter.ask("DELETE", f"{USERS}/{own}"),
        counter.ask("PUT", f"{USERS}/{own}", {"isActive": False}),
    ):
        assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")


def test_stamps_are_given_and_taken(counter: Counter) -> None:
    path = f"/{USERS}/{counter.create()['idUser']}/stamps"
    given = counter.ask("POST", path, {"stamps": 5, "comment": "Compra"}).json
    assert given == {"data": 15, "meta": None, "links": None, "status": "success"}
    taken = counter.ask("DELETE", path, {"Stamps": 12, "Comment": None}).json
    assert (type(taken["data"]), taken["data"]) == (int, 3)
    rejection = counter.ask("DELETE", path, {"stamps": 4, "comment": ""})
    assert (rejection.status, rejection.json["message"]) == (400, "TB4007 - El saldo de timbres no alcanza.")
    assert rejection.json["messageDetail"] == "Quedan 3 timbres."


@pytest.mark.parametrize(
    "body",
    [None, {}, {"stamps": 0}, {"stamps": -3}, {"stamps": 1.5}, {"stamps": 10**10}, {"stamps": [1]}, {"stamps": True}],
)
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_impossible_movements(counter: Counter, method: str, body: object) -> None:
    path = f"{USERS}/{counter.create()['idUser']}/stamps"
    answer = counter.ask(method, path, body)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")


def test_links_carry_the_public_address(tmp_path: Path) -> None:
    counter = Counter(tmp_path / "data", public_url="https://pac.example.com")
    signed_links = counter.ask("GET", USERS).json["links"]
    counter.sandbox_app.container.close()
    assert signed_links["Self"] == f"https://pac.example.com{USERS}?page=1&perPage=50"
