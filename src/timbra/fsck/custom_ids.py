"""Customids: each is the hash of one that the event of its stamp has, and names that stamp."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, TypeAlias

from sqlalchemy import Row, select

from timbra.database.tables.stamps import CUSTOM_ID, STAMP
from timbra.fsck.check import FsckRun
from timbra.fsck.findings import FsckFinding, shown
from timbra.fsck.reading import Unreadable, raw, unreadable
from timbra.fsck.sums import MASK

PLACE = CUSTOM_ID.name
C, S = CUSTOM_ID.c, STAMP.c
AT_ONCE = 500
Key: TypeAlias = tuple[int, bytes]


class CustomIds:
    """Sees the events `stamped` that have a customid, in the order of their numbers."""

    def __init__(self, run: FsckRun) -> None:
        self._run = run
        self._batch: dict[Key, object] = {}
        self._holders = 0

    def see(self, event: Row[Any], body: Mapping[str, object]) -> Iterator[FsckFinding]:
        """Look the customid of an event up, together with others."""
        custom_id = body.get("custom_id")
        if isinstance(custom_id, str):
            # A later stamp may hold the customid after its 72 hours; the last one of a batch stands for it.
            self._batch[event.account_id, sha256(custom_id.encode("utf-8", "surrogatepass")).digest()] = event.subject
            if len(self._batch) >= AT_ONCE:
                yield from self._look_up()

    def finish(self) -> Iterator[FsckFinding]:
        """Compare every customid with its stamp, and their number with that of the events that hold one."""
        yield from self._look_up()
        rows = self._run.reader(PLACE).rows(tuple(C), (C.account_id, C.id_hash))
        holders, is_sound = 0, True
        while part := list(islice(rows, AT_ONCE)):
            for finding in self._with_stamps(part):
                is_sound = False
                yield finding
            holders += sum(hash((row.account_id, row.id_hash)) for row in part if not isinstance(row, Unreadable))
        if is_sound and (holders - self._holders) & MASK and not self._run.bounds.pruned:
            yield FsckFinding("custom-id-differs", PLACE, "", "id_hash")

    def _look_up(self) -> Iterator[FsckFinding]:
        batch, self._batch = self._batch, {}
        hashes: dict[int, list[bytes]] = defaultdict(list)
        for account, id_hash in batch:
            hashes[account].append(id_hash)
        held: dict[Key, object] = {}
        with self._run.database.read() as connection:
            for account, some in hashes.items():
                query = select(C.account_id, C.id_hash, S.uuid).where(C.account_id == account, C.id_hash.in_(some))
                query = query.outerjoin_from(CUSTOM_ID, STAMP, S.seal_hash == C.seal_hash)
                for row in connection.execute(query):
                    held[row.account_id, row.id_hash] = row.uuid
        for key, uuid in batch.items():
            if key in held and held[key] == uuid:
                self._holders += hash(key)
            elif key not in held and not self._run.bounds.pruned:
                yield FsckFinding("custom-id-missing", PLACE, shown(uuid), "id_hash", derived=key[1].hex())

    def _with_stamps(self, part: Sequence[Row[Any] | Unreadable]) -> Iterator[FsckFinding]:
        sound = [row for row in part if not isinstance(row, Unreadable)]
        hashes = [row.seal_hash for row in sound if isinstance(row.seal_hash, bytes)]
        columns = (raw(S[name], self._run.database.dialect) for name in ("seal_hash", "account_id", "stamped_at"))
        query = select(*columns)
        with self._run.database.read() as connection:
            stamps = {row.seal_hash: row for row in connection.execute(query.where(S.seal_hash.in_(hashes)))}
        for row in part:
            if isinstance(row, Unreadable):
                yield from unreadable(row, PLACE)
                continue
            stamp, key = stamps.get(row.seal_hash), f"{row.account_id} {shown(row.id_hash)}"
            if stamp is None:
                yield FsckFinding("custom-id-differs", PLACE, key, "seal_hash", shown(row.seal_hash))
                continue
            for name in ("account_id", "stamped_at"):
                if getattr(row, name) != getattr(stamp, name):
                    values = (shown(getattr(row, name)), shown(getattr(stamp, name)))
                    yield FsckFinding("custom-id-differs", PLACE, key, name, *values)
