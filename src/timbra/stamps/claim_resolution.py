"""Resolution of the claims of one batch: a pure function of the batch and of the state of the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from timbra.stamps.port import (
    AlreadyStamped,
    BalanceExhausted,
    Claim,
    ConfirmationUsed,
    CustomIdTaken,
    Outcome,
    StampRecord,
    Stored,
)

CustomIdKey = tuple[int, bytes]
IssuedKey = tuple[str, str]
"""A key of confirmation and the RFC that it was issued to."""


@dataclass(frozen=True, slots=True)
class PendingClaim:
    """A claim with its derived values.

    Attributes:
        custom_id: The account and the SHA-256 of the customid (idempotency key of the operation).
        compressed: The document as the database stores it.
    """

    claim: Claim
    custom_id: CustomIdKey | None
    compressed: bytes

    @property
    def confirmation(self) -> IssuedKey | None:
        """The key of confirmation that the stamp uses up; None without one."""
        key = self.claim.confirmation
        return None if key is None else (key, self.claim.record.issuer_rfc)


@dataclass(frozen=True, slots=True)
class StoreState:
    """What the database has for a batch.

    Attributes:
        seals: Stored stamps of the batch's seals.
        custom_ids: The stamps that hold the batch's customids and are younger than 72 fiscal hours.
        balances: Remaining stamps of the batch's limited accounts.
        unused_keys: The batch's keys of confirmation that no stamp has used; None for all.
    """

    seals: Mapping[bytes, StampRecord] = field(default_factory=dict)
    custom_ids: Mapping[CustomIdKey, StampRecord] = field(default_factory=dict)
    balances: Mapping[int, int] = field(default_factory=dict)
    unused_keys: Collection[IssuedKey] | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution of a batch.

    Attributes:
        outcomes: One per claim, in order.
        winners: The claims that the database must insert.
    """

    outcomes: list[Outcome]
    winners: list[PendingClaim]

    @property
    def has_conflicts(self) -> bool:
        """Whether a claim conflicts with another one of the batch; the database may have its seal already."""
        return any(
            isinstance(outcome, CustomIdTaken | ConfirmationUsed | BalanceExhausted) for outcome in self.outcomes
        )

    @property
    def spent(self) -> Mapping[int, int]:
        """Number of stamps that the winners take from each limited account."""
        return Counter(winner.claim.record.account_id for winner in self.winners if winner.claim.limited)


def limited_accounts(claims: Sequence[PendingClaim]) -> list[int]:
    """Return the accounts of a batch with a balance, in the order in which every node locks them."""
    return sorted({pending.claim.record.account_id for pending in claims if pending.claim.limited})


def resolve_claims(claims: Sequence[PendingClaim], state: StoreState) -> Resolution:
    """Resolve each claim in order.

    A claim with the seal of an earlier one, stored or in the batch, repeats it (idempotency); a live customid of other
    content rejects it; then a used key of confirmation does, and an empty balance. A claim whose own folio is stored
    already was committed by an attempt whose response was lost: it is `Stored`.

    Args:
        state: The rows of the database that concern the batch.
    """
    resolution = Resolution([], [])
    outcomes, winners = resolution.outcomes, resolution.winners
    seals, custom_ids, balances = dict(state.seals), dict(state.custom_ids), dict(state.balances)
    used_keys: set[IssuedKey] = set()
    for pending in claims:
        record = pending.claim.record
        earlier = seals.get(record.seal_hash)
        if earlier is not None:
            outcomes.append(Stored(earlier) if earlier.uuid == record.uuid else AlreadyStamped(earlier))
        elif pending.custom_id is not None and pending.custom_id in custom_ids:
            outcomes.append(CustomIdTaken(custom_ids[pending.custom_id]))
        elif pending.confirmation is not None and (
            pending.confirmation in used_keys
            or (state.unused_keys is not None and pending.confirmation not in state.unused_keys)
        ):
            outcomes.append(ConfirmationUsed(pending.confirmation[0]))
        elif pending.claim.limited and balances.get(record.account_id, 0) <= 0:
            outcomes.append(BalanceExhausted())
        else:
            outcomes.append(Stored(record))
            winners.append(pending)
            seals[record.seal_hash] = record
            if pending.claim.limited:
                balances[record.account_id] -= 1
            if pending.custom_id is not None:
                custom_ids[pending.custom_id] = record
            if pending.confirmation is not None:
                used_keys.add(pending.confirmation)
    return resolution
