"""Sentences of the error matrix of Comercio Exterior 2.0."""

from __future__ import annotations

COMERCIOEXTERIOR20: dict[str, str] = {}
