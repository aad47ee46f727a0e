"""The web portal: server-rendered pages in Spanish that use static files of this server only and need no JavaScript."""

from __future__ import annotations

from timbra.portal.dispatch.environment import page_environment
from timbra.portal.front_controller import FrontController

__all__ = ["FrontController", "page_environment"]
