"""Services that commands receive by class."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from tests.support.data_folder import create_data

from timbra.accounts.services import AccountServices, CertificateServices
from timbra.console.services_option import COMPLETE_DETAILS, open_services, rejection_line
from timbra.core.errors import ServiceError
from timbra.operations.services import OperationsServices
from timbra.rules.reference.messages import MESSAGES
from timbra.sandbox.services import SandboxServices


def test_open_services_yields_one_group_for_one_class(tmp_path: Path) -> None:
    with open_services(create_data(tmp_path / "data"), AccountServices) as services:
        assert isinstance(services, AccountServices)


def test_open_services_yields_a_tuple_in_the_order_of_the_classes(tmp_path: Path) -> None:
    with open_services(
        create_data(tmp_path / "data"), OperationsServices, AccountServices, CertificateServices
    ) as groups:
        assert list(map(type, groups)) == [OperationsServices, AccountServices, CertificateServices]


def test_open_services_prints_an_error_for_a_group_that_the_environment_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    data = create_data(tmp_path / "data", environment="production")
    with pytest.raises(typer.Exit) as exit_, open_services(data, SandboxServices):
        pytest.fail("production has no sandbox")
    assert exit_.value.exit_code == 1
    assert "(sandbox)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            ServiceError("account-unknown", "No existe una cuenta con ese usuario."),
            "No existe una cuenta con ese usuario.",
        ),
        (ServiceError("account-unknown"), "La cuenta no existe."),
        (ServiceError("request-empty", "La solicitud no trae folios."), "La solicitud no trae folios."),
        (ServiceError("key-mismatch", "La llave privada no corresponde al certificado."), MESSAGES["key-mismatch"]),
        (ServiceError("list-refused", "Faltan partes."), "La lista del SAT no se puso en uso. Faltan partes."),
        (ServiceError("306", MESSAGES["306"]), f"306 - {MESSAGES['306']}"),
        (ServiceError("CO1000", "Motivo."), "CO1000 - El servicio no pudo completar la operación. Motivo."),
    ],
)
def test_rejection_line_says_nothing_twice(error: ServiceError, line: str) -> None:
    assert rejection_line(error) == line


def test_complete_details_are_codes_of_the_service() -> None:
    assert set(MESSAGES) >= COMPLETE_DETAILS
