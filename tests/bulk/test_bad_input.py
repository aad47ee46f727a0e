"""A run over damaged and hostile sources: every one is counted and named, and the others are validated."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from timbra.bulk.plan import Planner
from timbra.bulk.worker import Worker

TWO_GIBIBYTES = 2 * 2**30


def archive(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def encrypted(content: bytes) -> bytes:
    """Set the flag of encryption of the only member."""
    changed = bytearray(content)
    changed[6] |= 1
    changed[changed.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def announcing(content: bytes, size: int) -> bytes:
    """Write another size of the only member into both of its headers."""
    changed = bytearray(content)
    struct.pack_into("<L", changed, 22, size)
    struct.pack_into("<L", changed, changed.rindex(b"PK\x01\x02") + 24, size)
    return bytes(changed)


def two_gibibytes() -> bytes:
    """Return an archive whose member inflates to 2 GiB of zeros."""
    compressor = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
    piece = compressor.compress(bytes(2**20)) + compressor.flush(zlib.Z_FULL_FLUSH)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("a.xml", piece * 2048 + compressor.flush())
    changed = bytearray(announcing(made.getvalue(), TWO_GIBIBYTES))
    directory = changed.rindex(b"PK\x01\x02")
    changed[8] = changed[directory + 10] = zipfile.ZIP_DEFLATED
    return bytes(changed)


def rows_by_name(worker: Worker, folder: Path) -> tuple[dict[str, dict[str, Any]], Counter[str], Planner]:
    """Validate a folder in this process; return the rows by the source below the folder."""
    planner, counts, rows = Planner(task_documents=3), Counter[str](), dict[str, dict[str, Any]]()
    for task in planner.tasks([str(folder)]):
        result = worker.run(task)
        counts.update(result.counts)
        for batch in result.batches.get("documents", ()):
            rows.update({row["source"].removeprefix(f"{folder}/"): row for row in batch.to_pylist()})
    return rows, counts, planner


def test_run_counts_and_names_every_bad_source(worker: Worker, stamped: list[bytes], tmp_path: Path) -> None:
    valid = stamped[0]
    sources = {
        "bomb.zip": archive({f"{number}.xml": b" " * 8_000_000 for number in range(12)}),
        "cut.zip": archive({"a.xml": valid})[:-30],
        "empty.xml": b"",
        "encrypted.zip": encrypted(archive({"a.xml": valid})),
        "escaping.zip": archive({"../../a.xml": valid, "/etc/b.xml": valid, "C:\\c.xml": valid}),
        "large.zip": two_gibibytes(),
        "image.xml": b"\x89PNG\r\n\x1a\n",
        "members.zip": archive({"empty.xml": b"", "text.xml": b"hola", "valid.xml": valid}),
        "announced.zip": announcing(archive({"a.xml": valid}), TWO_GIBIBYTES),
        "valid.xml": valid,
    }
    for name, content in sources.items():
        (tmp_path / name).write_bytes(content)
    with (tmp_path / "large.xml").open("wb") as file:
        file.truncate(TWO_GIBIBYTES)
    rows, counts, planner = rows_by_name(worker, tmp_path)
    codes = {name: row["rejection_code"] for name, row in rows.items()}
    bombs = Counter(codes.pop(f"bomb.zip!{number}.xml") for number in range(12))
    assert bombs == {"xml-missing": 8, "source-unreadable": 4}  # 64 MB of blanks, then the limit of an archive
    assert codes == {
        "announced.zip!a.xml": "source-unreadable",
        "cut.zip": "source-unreadable",
        "empty.xml": "xml-missing",
        "encrypted.zip": "source-unreadable",
        "escaping.zip!../../a.xml": None,
        "escaping.zip!/etc/b.xml": None,
        "escaping.zip!C:/c.xml": None,
        "image.xml": "301",
        "large.xml": "TB4001",
        "large.zip!a.xml": "TB4001",
        "members.zip!empty.xml": "xml-missing",
        "members.zip!text.xml": "301",
        "members.zip!valid.xml": None,
        "valid.xml": None,
    }
    assert counts["valid"] == 5
    assert counts.total() == planner.totals.documents == len(rows)
    assert planner.totals.unreadable_sources == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*sources, "large.xml"])
