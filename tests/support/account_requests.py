"""An application with an administrator and an account, called without a server, and checks of response fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.support.asgi import Answer, application, call
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services

USERS = "/management/v2/api/dealers/users"
NEW_USER = {
    "name": "Xenón Industrial",
    "taxId": "XIA190128J61",
    "email": "luis@xenon.mx",
    "stamps": 10,
    "isUnlimited": False,
    "password": "Swpass1!",
    "notificationEmail": "avisos@xenon.mx",
    "phone": "0000000000",
}
# Members that typed clients read; a wrong type or a null raises an exception there. `object`: any type.
USER = {
    **dict.fromkeys(("idUser", "idDealer"), UUID),
    **dict.fromkeys(("name", "taxId", "username", "lastPasswordChange", "email", "notificationEmail"), str),
    **dict.fromkeys(("registeredDate", "accessToken", "phone"), str),
    **dict.fromkeys(("profile", "stamps"), int),
    **dict.fromkeys(("isActive", "isUnlimited"), bool),
}
TRANSACTION = {
    **dict.fromkeys(("folio", "stampsIn", "stampsOut", "stampsCurrent"), int),
    **dict.fromkeys(("idUser", "idUserReceiver"), UUID),
    **dict.fromkeys(("nameReceiver", "comment", "date"), str),
    "isEmailSent": bool,
}
BALANCE = {
    **dict.fromkeys(("idUserBalance", "idUser"), UUID),
    **dict.fromkeys(("stampsBalance", "stampsUsed", "stampsAssigned"), int),
    **dict.fromkeys(("isUnlimited", "unlimited"), bool),
    "expirationDate": object,
    "lastTransaction": dict,
}
OLD_BALANCE = {
    **dict.fromkeys(("idSaldoCliente", "idClienteUsuario"), UUID),
    **dict.fromkeys(("saldoTimbres", "timbresUtilizados", "timbresAsignados"), int),
    "fechaExpiracion": object,
    "unlimited": bool,
}
META = dict.fromkeys(("page", "perPage", "pageCount", "totalCount", "totalPages"), int)
LINKS = dict.fromkeys(("Self", "First", "End", "Next"), str)


def assert_reads(data: Any, members: Mapping[str, type]) -> None:
    """Assert that a typed client can read it: exactly these members, each with its type."""
    assert set(data) == set(members)
    for name, kind in members.items():
        value = data[name]
        if kind is UUID:
            assert str(UUID(value)) == value, name
        elif kind is not object:
            assert type(value) is kind, name


class ManagementClient:
    """A client of the management API. tokens: by user."""

    def __init__(self, data: Path, **settings: object) -> None:
        self.sandbox_app = SandboxApp(data, **settings)  # type: ignore[arg-type]
        accounts = self.sandbox_app.container.get(account_services).accounts
        accounts.create("jefa@example.com", "contraseña", "administrator")
        self.tokens = {user: accounts.create_infinite_token(user) for user in ("ana@example.com", "jefa@example.com")}
        self.app = application(self.sandbox_app.container)

    def call(
        self, method: str, path: str, body: object = None, *, user: str = "jefa@example.com", token: str = ""
    ) -> Answer:
        path, _, query = path.partition("?")
        headers = {"Authorization": f"bearer {token or self.tokens[user]}", "Content-Type": "application/json"}
        sent = b"" if body is None else json.dumps(body).encode()
        return call(self.app, method, path, headers=headers, body=sent, query=query)

    def data(self, method: str, path: str, body: object = None, **who: str) -> Any:
        """Return `data` of a successful response of the management services."""
        answer = self.call(method, path, body, **who)
        assert answer.status == 200, answer.body
        assert answer.json["status"] == "success"
        return answer.json["data"]

    def create(self, **changes: object) -> Any:
        return self.data("POST", USERS, {**NEW_USER, **changes})
