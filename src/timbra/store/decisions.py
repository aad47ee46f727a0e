"""Who wins of the claims of one batch: a pure function of the batch and of what the database knows already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from timbra.store.port import Claim, CustomIdTaken, Exhausted, Outcome, Repeated, StampRecord, Stored

CustomIdKey = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim made ready: `custom_id` as (account, SHA-256 of the id), the document compressed."""

    claim: Claim
    custom_id: CustomIdKey | None
    compressed: bytes


@dataclass(frozen=True, slots=True)
class Known:
    """What the database says of a batch: stamps of its seals, and the stamps that hold its customids live.

    balances: what its limited accounts have left, by account.
    """

    seals: Mapping[bytes, StampRecord] = field(default_factory=dict)
    custom_ids: Mapping[CustomIdKey, StampRecord] = field(default_factory=dict)
    balances: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """outcomes: one per claim, in order. winners: what must be inserted for them to become true."""

    outcomes: list[Outcome]
    winners: list[Asked]

    @property
    def lost_a_balance_or_customid(self) -> bool:
        """Whether a claim was refused for what another of its batch holds, which may turn out to be a repeat itself."""
        return any(isinstance(outcome, CustomIdTaken | Exhausted) for outcome in self.outcomes)

    @property
    def spent(self) -> Mapping[int, int]:
        """How many stamps the winners take from each limited account."""
        return Counter(one.claim.record.account_id for one in self.winners if one.claim.limited)


def limited_accounts(asked: Sequence[Asked]) -> list[int]:
    """The accounts of a batch whose balances decide, in the order in which every node locks them."""
    return sorted({one.claim.record.account_id for one in asked if one.claim.limited})


def decide(asked: Sequence[Asked], known: Known) -> Plan:
    """In order: an equal seal repeats, before or within the batch; a live customid refuses; then an empty balance.

    A claim whose own folio is stored already was committed by an attempt whose answer got lost: it has won.
    """
    plan = Plan([], [])
    seals, custom_ids, balances = dict(known.seals), dict(known.custom_ids), dict(known.balances)
    for one in asked:
        record = one.claim.record
        holder = seals.get(record.seal_hash)
        if holder is not None:
            plan.outcomes.append(Stored(holder) if holder.uuid == record.uuid else Repeated(holder))
        elif one.custom_id is not None and one.custom_id in custom_ids:
            plan.outcomes.append(CustomIdTaken(custom_ids[one.custom_id]))
        elif one.claim.limited and balances.get(record.account_id, 0) <= 0:
            plan.outcomes.append(Exhausted())
        else:
            plan.outcomes.append(Stored(record))
            plan.winners.append(one)
            seals[record.seal_hash] = record
            if one.claim.limited:
                balances[record.account_id] -= 1
            if one.custom_id is not None:
                custom_ids[one.custom_id] = record
    return plan
