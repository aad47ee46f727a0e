"""The transparency log on both databases: leaves, tiles, checkpoints, proofs, cosignatures, and what stops them."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
import time
import tracemalloc
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import delete, select, text
from sqlalchemy.exc import DBAPIError
from tests.support.store_records import NOON, MovableClock
from tests.transparency.support import dispatch, leaves, log_of, reject_cancellation, stamp

from timbra.audit.signed_chain import SignedChain
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.audit import AUDIT_CHECKPOINT, AUDIT_LEAF, AUDIT_LINK, AUDIT_NODE
from timbra.database.tables.stamps import OUTBOX, STAMP
from timbra.events.audit.audit import Audit
from timbra.transparency.leaves import Leaf, TileReader, append_leaves, tree_size
from timbra.transparency.log import TransparencyLog, tile_path
from timbra.transparency.merkle import leaf_hash, perfect_root, tree_root
from timbra.transparency.notes import Checkpoint, NoteKey, SignedNote, parse_note, sign
from timbra.transparency.proofs import ConsistencyProof, parse_consistency, parse_inclusion

FILE = "log-checkpoint"
UUID = "5b64ada3-aa4c-40b4-a2f5-572ced52be31"
on_sqlite = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


@pytest.fixture
def wall() -> MovableClock:
    return MovableClock()


@pytest.fixture
def log(database: Database, tmp_path: Path, wall: MovableClock) -> TransparencyLog:
    return log_of(database, tmp_path, wall)


def fill(database: Database, number: int) -> None:
    """Append leaves of no stamps."""
    with database.write() as connection:
        first = tree_size(connection)
        rows = [
            Leaf("stamped", f"{place:036}", 0, NOON, sha256(str(place).encode()).digest())
            for place in range(first, first + number)
        ]
        append_leaves(database, connection, rows)


def rejection(error: pytest.ExceptionInfo[ServiceError]) -> tuple[str, str]:
    return error.value.code, error.value.detail or ""


def test_content_of_leaves_is_fixed() -> None:
    stamped = Leaf("stamped", UUID, 0, NOON, bytes(range(32)))
    assert stamped.content() == (
        b'{"at":"2026-11-17T18:00:00.000000Z","kind":"stamped",'
        b'"sha256":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",'
        b'"uuid":"5b64ada3-aa4c-40b4-a2f5-572ced52be31"}'
    )
    assert Leaf("audit", "", 7, NOON, bytes(32)).content() == (
        b'{"at":"2026-11-17T18:00:00.000000Z","kind":"audit","sequence":7,"sha256":"' + b"0" * 64 + b'"}'
    )


def test_each_stamp_and_rejected_cancellation_has_one_leaf(database: Database) -> None:
    # The first events are of before the consumer ran; others have no leaf.
    uuids = stamp(database, *range(200))
    reject_cancellation(database, uuids[0])
    assert dispatch(database) == 201
    assert dispatch(database) == 0
    found = leaves(database)
    with database.read() as connection:
        stored = connection.execute(select(STAMP.c.uuid)).scalars().all()
    assert sorted(leaf.subject for leaf in found if leaf.kind == "stamped") == sorted(stored)
    assert [leaf.subject for leaf in found if leaf.kind == "cancellation.rejected"] == [uuids[0]]
    document = f'<?xml version="1.0" encoding="UTF-8"?><cfdi:Comprobante Folio="0" UUID="{uuids[0]}"/>'
    digests = [leaf.sha256 for leaf in found if (leaf.kind, leaf.subject) == ("stamped", uuids[0])]
    assert digests == [sha256(document.encode()).digest()]


def test_links_of_the_audit_log_have_leaves(database: Database, tmp_path: Path, wall: MovableClock) -> None:
    log = log_of(database, tmp_path, wall)
    chain = SignedChain(database, log._keys, tmp_path)
    for subject in ("token-1", "token-2"):
        with database.write() as connection:
            Audit(wall, wall).record(connection, "token.created", 1, subject)
    assert chain.is_due()
    chain.run()
    assert not chain.is_due()
    with database.read() as connection:
        hashes = connection.execute(select(AUDIT_LINK.c.hash).order_by(AUDIT_LINK.c.sequence)).scalars().all()
    assert [(leaf.kind, leaf.sequence, leaf.sha256) for leaf in leaves(database)] == [
        ("audit", 1, hashes[0]),
        ("audit", 2, hashes[1]),
    ]


def test_tables_are_append_only(database: Database) -> None:
    fill(database, 256)
    for statement in (
        "UPDATE audit_leaf SET at = at + 1",
        "DELETE FROM audit_leaf",
        "UPDATE audit_node SET hash = hash",
        "DELETE FROM audit_node",
        "INSERT OR REPLACE INTO audit_node SELECT * FROM audit_node",
        "INSERT OR REPLACE INTO audit_leaf SELECT * FROM audit_leaf",
    ):
        with pytest.raises(DBAPIError), database.write() as connection:
            connection.execute(text(statement))


def test_damaged_stamp_is_a_dead_letter_until_it_is_restored(database: Database) -> None:
    uuids = stamp(database, 1, 2, 3)
    with database.write() as connection:
        lost = connection.execute(select(STAMP).where(STAMP.c.uuid == uuids[1])).one()._asdict()
        connection.execute(delete(STAMP).where(STAMP.c.uuid == uuids[1]))
    assert dispatch(database) == 2
    dead = select(OUTBOX.c.kind, OUTBOX.c.reason).where(OUTBOX.c.dead)
    with database.write() as connection:
        assert [tuple(row) for row in connection.execute(dead)] == [
            ("event.transparency", "ValueError: the event names a stamp that does not exist")
        ]
        connection.execute(STAMP.insert().values(lost))
        connection.execute(OUTBOX.update().values(dead=False))
    assert dispatch(database) == 1
    found = [leaf.subject for leaf in leaves(database)]
    assert (set(found[:2]), found[2:]) == ({uuids[0], uuids[2]}, [uuids[1]])


def test_tiles_are_those_of_tlog_tiles(database: Database, log: TransparencyLog) -> None:
    for number in (3, 250, 515, 5):
        fill(database, number)
    found = [leaf.content() for leaf in leaves(database)]
    hashes = [leaf_hash(content) for content in found]
    assert log.tile("0", "000") == b"".join(hashes[:256])
    assert log.tile("0", "003.p/5") == b"".join(hashes[768:773])
    assert log.tile("1", "000.p/3") == b"".join(perfect_root(hashes[at : at + 256]) for at in (0, 256, 512))
    bundle = log.tile("entries", "003.p/5")
    assert bundle == b"".join(len(content).to_bytes(2, "big") + content for content in found[768:])
    assert len(log.tile("entries", "002")) == sum(len(content) + 2 for content in found[512:768])
    for level, path in (
        ("0", "003"),
        ("0", "003.p/6"),
        ("0", "003.p/0"),
        ("0", "000.p/256"),
        ("0", "x000/000"),
        ("0", "1"),
        ("1", "000"),
        ("1", "000.p/4"),
        ("2", "000.p/1"),
        ("64", "000"),
        ("00", "000"),
        ("entries", "004.p/1"),
        ("entries", "../000"),
    ):
        with pytest.raises(ServiceError, match="TB4041"):
            log.tile(level, path)


def test_paths_of_tiles_are_those_of_tlog_tiles() -> None:
    assert [tile_path(place) for place in (0, 67, 1_000, 1_234_067)] == ["000", "067", "x001/000", "x001/x234/067"]


def test_checkpoint_and_proof_verify(database: Database, log: TransparencyLog, tmp_path: Path) -> None:
    fill(database, 300)
    [uuid] = stamp(database, 1)
    dispatch(database)
    log.run()
    note, [of_log, _] = log.newest(), log.keys
    assert note.checkpoint.size == 301
    assert note.is_signed_by(of_log)
    assert note.checkpoint.origin == of_log.name
    assert (tmp_path / FILE).read_text() == str(note)
    proof = log.proof(uuid.upper(), "stamped", 1)
    assert parse_inclusion(proof.text()) == proof
    proof.check()
    assert (proof.index, proof.leaf) == (300, leaves(database)[300].content())
    assert len(proof.text().encode()) < 3_000
    for uuid_asked, kind, account in (
        (uuid, "cancellation.rejected", None),
        (uuid, "stamped", 2),
        (UUID, "stamped", 1),
    ):
        with pytest.raises(ServiceError, match="TB4041"):
            log.proof(uuid_asked, kind, account)
    [new] = stamp(database, 2)
    dispatch(database)
    with pytest.raises(ServiceError, match="TB4041") as error:
        log.proof(new, "stamped")
    assert error.value.retry_after == 2


@on_sqlite
def test_proof_of_a_thousand_million_leaves_is_small(database: Database, log: TransparencyLog) -> None:
    fill(database, 1)
    log.run()
    proof = parse_inclusion(log.proof(f"{0:036}", "stamped").text())
    big = parse_inclusion(proof.text().replace("\n\n", "\n" + "\n".join(["A" * 43 + "="] * 30) + "\n\n", 1))
    assert len(big.hashes) == 30
    assert len(big.text().encode()) == 1_818


@on_sqlite
def test_changed_bits_of_a_proof_are_found(database: Database, log: TransparencyLog) -> None:
    fill(database, 21)
    log.run()
    content, key = log.proof(f"{9:036}", "stamped").text().encode(), log.keys[0]
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            proof = parse_inclusion(changed.decode())
            proof.check()
        except (ServiceError, UnicodeDecodeError):
            continue
        assert not proof.note.is_signed_by(key), bit


def test_checkpoints_are_consistent(
    database: Database, log: TransparencyLog, tmp_path: Path, wall: MovableClock
) -> None:
    notes = []
    for number in (1, 6, 250, 300):
        fill(database, number)
        log.run()
        notes.append(log.newest())
    for old in notes:
        proof = log.consistency(old)
        assert parse_consistency(proof.text()) == proof
        proof.check(old.checkpoint.root)
    assert log.consistency(None).text().startswith("old 0\n\ntimbra/")
    with pytest.raises(ServiceError, match="proof-invalid"):
        log.consistency(notes[1]).check(notes[2].checkpoint.root)
    with pytest.raises(ServiceError, match="proof-invalid"):
        log.consistency(notes[2], notes[1])
    foreign = parse_note(str(notes[1]).replace("\n7\n", "\n8\n"))
    with pytest.raises(ServiceError, match="El registro no tiene el checkpoint de 8 hojas"):
        log.consistency(foreign)
    with database.read() as connection:
        assert connection.execute(select(AUDIT_CHECKPOINT.c.size)).scalars().all() == [557]


def test_witness_cosigns_what_continues(database: Database, log: TransparencyLog, tmp_path: Path) -> None:
    wall = MovableClock()
    witness = log_of(database, tmp_path, wall, origin="witness.example.com/w1")
    of_log, of_witness = log.keys[0], witness.keys[1]
    assert str(of_witness).startswith("witness.example.com/w1+")
    fill(database, 10)
    log.run()
    first = log.newest()
    with pytest.raises(ServiceError, match="La llave no es la de los checkpoints"):
        witness.cosign(log.consistency(None).text())
    with pytest.raises(ServiceError, match="no firmó"):
        witness.cosign(log.consistency(None).text(), NoteKey(of_log.name, 1, bytes(31) + b"\x01"))
    cosigned = witness.cosign(log.consistency(None).text(), of_log)
    assert cosigned.is_signed_by(of_log)
    assert cosigned.is_signed_by(of_witness)
    assert log.add_cosignatures(cosigned, [of_witness]) == cosigned
    fill(database, 300)
    log.run()
    with pytest.raises(ServiceError, match="El último checkpoint cofirmado tiene 10 hojas"):
        witness.cosign(log.consistency(None).text())
    # A proof has the cosigned checkpoint when its log has the leaf.
    assert log.proof(f"{9:036}", "stamped").note == cosigned
    assert log.proof(f"{10:036}", "stamped").note == log.newest()
    second = witness.cosign(log.consistency(first).text())
    assert log.add_cosignatures(second, [of_witness]) == log.newest() == second
    with pytest.raises(ServiceError, match="Falta la firma"):
        log.add_cosignatures(first, [of_witness])


def test_witness_rejects_another_history(database: Database, tmp_path: Path, wall: MovableClock) -> None:
    log = log_of(database, tmp_path, wall)
    fill(database, 10)
    log.run()
    request = log.consistency(None).text()
    log.cosign(request, log.keys[0])
    # The same key signs a tree of other leaves.
    name = log.keys[0].name
    other = Checkpoint(name, 11, bytes(32))
    line = sign(other.text(), name, log._keys.private_key(name.removeprefix("timbra/")))
    forged = SignedNote(other, other.text(), (line,))
    with pytest.raises(ServiceError, match="El checkpoint no continúa el anterior"):
        log.cosign(ConsistencyProof(10, [bytes(32)] * 3, forged).text())


def test_log_of_a_restored_database_signs_no_checkpoint(
    database: Database, log: TransparencyLog, tmp_path: Path
) -> None:
    fill(database, 20)
    log.run()
    before = log.newest()
    assert log.problem() == ""
    (tmp_path / FILE).write_text(str(before).replace("\n20\n", "\n21\n"))
    fill(database, 10)
    log.run()
    assert log.newest() == before
    assert "no continúa el checkpoint de 21 hojas" in log.problem()
    (tmp_path / FILE).unlink()
    log.run()
    assert log.newest().checkpoint.size == 30
    assert log.problem() == ""


def test_writers_of_two_nodes_append_one_after_the_other(address: str) -> None:
    databases = [open_database(address, "sandbox") for _ in range(4)]
    threads = [threading.Thread(target=fill_often, args=(each,)) for each in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with databases[0].read() as connection:
        places = connection.execute(select(AUDIT_LEAF.c.position).order_by(AUDIT_LEAF.c.position)).scalars().all()
        assert places == list(range(4 * 10 * 30))
        nodes = connection.execute(select(AUDIT_NODE.c.position).order_by(AUDIT_NODE.c.position)).scalars().all()
        assert nodes == list(range(4))
        reader = TileReader(connection)
        hashes = [leaf_hash(leaf.content()) for leaf in leaves(databases[0])]
        assert reader.tile(1, 0) == [perfect_root(hashes[at : at + 256]) for at in range(0, 1024, 256)]
    for each in databases:
        each.close()


def fill_often(database: Database) -> None:
    for _ in range(10):
        fill(database, 30)


def test_killed_consumers_lose_and_repeat_no_leaf(address: str) -> None:
    with closing(open_database(address, "sandbox")) as database:
        uuids = [uuid for part in range(20) for uuid in stamp(database, *range(part * 50, part * 50 + 50))]
    context, jitter = multiprocessing.get_context("fork"), random.Random(20261129)
    kills = 0
    for _ in range(40):
        process = context.Process(target=_follow, args=(address,), daemon=True)
        process.start()
        time.sleep(jitter.uniform(0.01, 0.12))
        if process.is_alive() and process.pid is not None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.join(30)
    with closing(open_database(address, "sandbox")) as database:
        dispatch(database)
        found = [leaf.subject for leaf in leaves(database)]
        assert kills > 0
        assert len(found) == len(set(found)) == 1_000
        assert set(found) == set(uuids)
        with database.read() as connection:
            root = tree_root(TileReader(connection).subtree, 1_000)
        hashes = [leaf_hash(leaf.content()) for leaf in leaves(database)]
        assert root == tree_root(
            lambda level, place: perfect_root(hashes[place << level : (place + 1) << level]), 1_000
        )


def _follow(address: str) -> None:
    database = open_database(address, "sandbox")
    while True:
        dispatch(database)


@on_sqlite
def test_memory_of_proofs_and_checkpoints_is_that_of_few_tiles(database: Database, log: TransparencyLog) -> None:
    for _ in range(20):
        fill(database, 1_000)
    log.run()
    log.proof(f"{9:036}", "stamped")
    tracemalloc.start()
    fill(database, 1)
    log.run()
    proof = log.proof(f"{12_345:036}", "stamped")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    proof.check()
    # The 20,000 leaves are about 7 MB as objects.
    assert peak < 1_000_000
