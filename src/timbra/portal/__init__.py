"""The portal in the browser: server-rendered pages in Spanish, no asset from elsewhere, usable without JavaScript."""

from __future__ import annotations

from timbra.portal.front import Front

__all__ = ["Front"]
