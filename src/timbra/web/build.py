"""What the settings say about requests and about the addresses of the server."""

from __future__ import annotations

from timbra.cfdi.qr import SAT_PAGES, VerificationPages
from timbra.core.environments import ENVIRONMENTS
from timbra.settings import Settings
from timbra.web.request_environment import RequestLimits


def verification_pages(settings: Settings) -> VerificationPages | None:
    """Return the pages that QR codes lead to; None for those at the address of each request."""
    if not ENVIRONMENTS[settings.environment].is_sandbox:
        return SAT_PAGES
    base = (settings.verification_url or settings.public_url).rstrip("/")
    pages = VerificationPages.at(base) if base else None
    return SAT_PAGES if pages and pages.cfdi == SAT_PAGES.cfdi else pages


def request_limits(settings: Settings) -> RequestLimits:
    return RequestLimits(
        max_body_bytes=settings.max_body_bytes,
        max_bytes_in_flight=settings.max_bytes_in_flight,
        body_idle_seconds=settings.body_idle_timeout_seconds,
        body_min_bytes_per_second=settings.body_min_bytes_per_second,
        body_max_seconds=settings.body_timeout_seconds,
        requests_per_second=settings.rate_per_second,
        request_burst=settings.rate_burst,
    )
