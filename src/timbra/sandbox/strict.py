"""The faults that the settings of a sandbox keep active."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.sandbox.faults import Fault
    from timbra.settings import Settings


def standing_faults(settings: Settings) -> list[Fault]:
    """Return the faults of `strict` and of `unknown_after_stamping_seconds`.

    Raises:
        ServiceError: "fault-invalid" for a setting that is out of range.
    """
    from timbra.sandbox.fault_selection import FaultSelection
    from timbra.sandbox.faults import make_fault

    faults = []
    if settings.unknown_after_stamping_seconds:
        faults.append(make_fault("delivery-late", seconds=settings.unknown_after_stamping_seconds))
    if not settings.strict:
        return faults
    retry_after = float(settings.strict_retry_after_seconds)
    for name, share, seconds in (
        ("answer-lost", settings.strict_answer_lost, None),
        ("unavailable", settings.strict_unavailable, retry_after),
        ("too-many-requests", settings.strict_too_many_requests, retry_after),
        ("latency", settings.strict_latency, settings.strict_latency_seconds),
        ("token-expired", settings.strict_token_expired, None),
        ("lco-changed", settings.strict_lco_changed, None),
    ):
        if share:
            selection = FaultSelection(share, settings.strict_seed, settings.strict_route, settings.strict_account)
            faults.append(make_fault(name, seconds=seconds, selection=selection))
    return faults
