"""Names of templates, and names of files."""

from __future__ import annotations

import pytest

from timbra.core.errors import ServiceError
from timbra.rendering.branding import check_color, requested_template
from timbra.rendering.file_name import pdf_name

UUID = "5f3e9d1c-0b6a-4c57-9a6e-2d7f1f0c8b11"


@pytest.mark.parametrize("written", ["", " ", "cfdi40", "CFDI33", "payment20", "nomina40", "cartaporte31", "cce20"])
def test_requested_template_takes_names_of_the_vendor_for_the_account(written: str) -> None:
    assert requested_template(written) is None


@pytest.mark.parametrize("written", ["Clasica", " moderna ", "COMPACTA"])
def test_requested_template_ignores_case(written: str) -> None:
    assert requested_template(written) == written.strip().lower()


@pytest.mark.parametrize("written", ["otra", "cfdi40; rm", "x" * 5000])
def test_requested_template_rejects_other_names(written: str) -> None:
    with pytest.raises(ServiceError, match="TB4005"):
        requested_template(written)


def test_check_color_accepts_six_digits_without_their_sign() -> None:
    assert check_color("12324F") == "#12324f"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("A", "12"), f"A-12_EKU9003173C9_{UUID}.pdf"),
        (("", ""), f"EKU9003173C9_{UUID}.pdf"),
        (("Ñandú/..", 'x"\r\n'), f"Nandu-x_EKU9003173C9_{UUID}.pdf"),
        (("", "9" * 60), f"{'9' * 40}_EKU9003173C9_{UUID}.pdf"),
    ],
)
def test_pdf_name_has_serie_folio_rfc_and_uuid(parts: tuple[str, str], name: str) -> None:
    assert pdf_name(*parts, "EKU9003173C9", UUID) == name
