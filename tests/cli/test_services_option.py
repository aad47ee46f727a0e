"""Services that commands receive by class."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from timbra.cli.framework.services_option import open_services
from timbra.service.services import AccountServices, CertificateServices, OperationsServices, SandboxServices


def test_open_services_yields_one_group_for_one_class(tmp_path: Path) -> None:
    with open_services(tmp_path / "data", AccountServices) as services:
        assert isinstance(services, AccountServices)


def test_open_services_yields_a_tuple_in_the_order_of_the_classes(tmp_path: Path) -> None:
    with open_services(tmp_path / "data", OperationsServices, AccountServices, CertificateServices) as groups:
        assert list(map(type, groups)) == [OperationsServices, AccountServices, CertificateServices]


def test_open_services_prints_an_error_for_a_group_that_the_environment_does_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    with pytest.raises(typer.Exit) as exit_, open_services(tmp_path / "data", SandboxServices):
        pytest.fail("production has no sandbox")
    assert exit_.value.exit_code == 1
    assert "(sandbox)" in capsys.readouterr().err
