"""Plans: what sources contain, cut into tasks."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from tests.support.hostile_archives import SYSTEM_NAMES, with_system_files

from timbra.bulk.archives import suffix_of
from timbra.bulk.plan import Planner, Task, TaskKind

MAX_DEPTH = 3


def archive(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def tasks_of(*sources: object, task_documents: int = 2) -> tuple[list[Task], Planner]:
    planner = Planner(task_documents)
    return list(planner.tasks(map(str, sources))), planner


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.xml", ".xml"),
        ("b/a.XML", ".xml"),
        ("b\\.xml", ""),
        ("b.zip/.", ".zip"),
        ("b.zip//", ".zip"),
        ("a.b\\c", ""),
        ("a.", ""),
        ("..xml", ".xml"),
        (".", ""),
    ],
)
def test_suffix_of_is_that_of_a_path(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


def test_task_is_read_back_from_its_line() -> None:
    task = Task(0, 0, TaskKind.MEMBERS, "a.zip", ("b.zip",), start=2, stop=5)

    assert Task.from_line(task.to_line()) == task
    assert task.to_line() == (
        '{"number": 0, "first": 0, "kind": "members", "location": "a.zip", "inner": ["b.zip"], "start": 2, "stop": 5}\n'
    )


def test_planner_leaves_out_files_of_the_system(tmp_path: Path) -> None:
    for name in (*SYSTEM_NAMES, "a.xml"):
        place = tmp_path / name.replace("\\", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            place.write_bytes(b"<a/>")
    (tmp_path / "lote.zip").write_bytes(with_system_files({"lote/b.xml": b"<a/>"}))

    tasks, planner = tasks_of(tmp_path)

    assert [task.files for task in tasks if task.kind is TaskKind.FILES] == [(str(tmp_path / "a.xml"),)]
    assert [(task.start, task.stop) for task in tasks if task.kind is TaskKind.MEMBERS] == [(0, 1)]
    assert (planner.totals.documents, planner.totals.ignored) == (2, {})


def test_planner_lists_a_folder_sorted_and_cut_into_ranges(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.xml", "a.XML", "c.pdf.txt.md", "sub/d.xml"):
        (tmp_path / name).write_bytes(b"<a/>")
    tasks, planner = tasks_of(tmp_path)
    names = [[Path(file).name for file in task.files] for task in tasks]
    assert names == [["a.XML", "b.xml"], ["d.xml"]]
    assert [(task.number, task.first) for task in tasks] == [(0, 0), (1, 2)]
    assert planner.totals.documents == 3
    assert planner.totals.ignored == {".md": 1}


def test_planner_lists_pdf_without_their_xml_unless_it_lists_what_to_stamp(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf", "b.xml"):
        (tmp_path / name).write_bytes(b"<a/>")
    (tmp_path / "c.zip").write_bytes(archive({"d.pdf": b"", "e.pdf": b"", "e.xml": b"<a/>"}))
    tasks, planner = tasks_of(tmp_path)
    assert [[Path(file).name for file in task.files] or (task.start, task.stop) for task in tasks] == [
        ["a.pdf", "b.xml"],
        (0, 2),
    ]
    assert planner.totals.ignored == {".pdf": 2}

    stamping = Planner(2, records=lambda _: 0)
    files = [Path(file).name for task in stamping.tasks([str(tmp_path)]) for file in task.files]
    assert files == ["b.xml"]
    assert stamping.totals.ignored == {".pdf": 4}


def test_planner_lists_members_of_nested_archives_as_ranges(tmp_path: Path) -> None:
    inner = archive({f"{i}.xml": b"<a/>" for i in range(3)})
    (tmp_path / "o.zip").write_bytes(archive({"x.xml": b"<a/>", "n/i.zip": inner, "m.txt": b""}))
    tasks, planner = tasks_of(tmp_path / "o.zip")
    found = [(task.kind, task.inner, task.start, task.stop) for task in tasks]
    assert found == [
        (TaskKind.MEMBERS, (), 0, 1),
        (TaskKind.MEMBERS, ("n/i.zip",), 0, 2),
        (TaskKind.MEMBERS, ("n/i.zip",), 2, 3),
        (TaskKind.METADATA, ("m.txt",), 0, 0),
    ]
    assert (planner.totals.documents, planner.totals.archives, planner.totals.metadata_files) == (4, 2, 1)


def encrypted() -> bytes:
    content = bytearray(archive({"a.xml": b"<a/>"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def too_deep() -> bytes:
    content = archive({"a.xml": b"<a/>"})
    for _ in range(MAX_DEPTH):
        content = archive({"i.zip": content})
    return content


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04 broken", encrypted(), too_deep()],
    ids=["empty", "broken", "encrypted", "too deep"],
)
def test_planner_counts_an_unusable_archive_as_one_document(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    (tmp_path / "b.xml").write_bytes(b"<a/>")
    tasks, planner = tasks_of(tmp_path)
    assert [task.kind for task in tasks] == [TaskKind.UNREADABLE, TaskKind.FILES]
    assert "a.zip" in tasks[0].reason
    assert planner.totals.unreadable_sources == 1
    assert planner.totals.documents == 2


def test_planner_reads_lists_globs_and_missing_files(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml", "c.cfdi"):
        (tmp_path / name).write_bytes(b"<a/>")
    listed = tmp_path / "list"
    listed.write_text(f"{tmp_path}/c.cfdi\n\n{tmp_path}/absent.xml\n{tmp_path}/c.cfdi\n")
    tasks, planner = tasks_of(f"{tmp_path}/*.xml", f"@{listed}", task_documents=10)
    assert [task.kind for task in tasks] == [TaskKind.UNREADABLE, TaskKind.FILES]
    assert [Path(file).name for file in tasks[1].files] == ["a.xml", "b.xml", "c.cfdi", "c.cfdi"]
    assert "absent.xml: no existe" in tasks[0].reason
    assert planner.totals.documents == 5


def test_planner_counts_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    tasks, _ = tasks_of(f"@{tmp_path}/none")
    assert [task.kind for task in tasks] == [TaskKind.UNREADABLE]


def test_task_line_keeps_names_that_are_not_utf8() -> None:
    task = Task(3, 7, TaskKind.FILES, files=(os.fsdecode(b"\xff\n.xml"), "ñ.xml"))
    line = task.to_line()
    assert line.isascii()
    assert line.count("\n") == 1
    assert Task.from_line(line) == task
