"""Texts of the vendor's list of codes, as its clients may compare them."""

from __future__ import annotations

import pytest

from timbra.rules.reference.messages import full_message

TEXTS = {
    "AU1001": "No es posible Crear/Guardar al usuario. El usuario ya existe.",
    "AU1004": "No es posible guardar el Usuario. Error no controlado.",
    "AU2001": "El usuario no tiene saldo en timbres.",
    "AU2002": "El usuario se encuentra inactivo. Favor de contactar a su administrador.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_full_message_has_the_text_of_the_vendors_list(code: str) -> None:
    assert full_message(code) == f"{code} - {TEXTS[code]}"
