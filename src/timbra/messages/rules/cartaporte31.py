"""Sentences of the error matrix of Carta Porte 3.1."""

from __future__ import annotations

CARTAPORTE31: dict[str, str] = {}
