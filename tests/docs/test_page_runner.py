"""The runner of code blocks: what it runs, compares and rejects."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.page_code import CodeBlock, Kind, check_syntax, read_page
from tests.support.page_runner import PageRun


def block(language: str, text: str, options: str = "", directive: str = "") -> str:
    comment = f"<!-- {directive} -->\n" if directive else ""
    return f"{comment}```{language}{options}\n{text}\n```\n\n"


def run(folder: Path, *blocks: str) -> str:
    """Run a page with these blocks; return what they printed."""
    path = folder / "page.md"
    path.write_text("".join(blocks), "utf-8")
    with PageRun(read_page(path), folder) as started:
        started.run()
        return started.output


def test_run_keeps_variables_and_folder_between_blocks(tmp_path: Path) -> None:
    assert run(tmp_path, block("sh", "a=1; mkdir b; cd b"), block("sh", 'echo "$a ${PWD##*/}"')) == "1 b\n"


def test_run_accepts_output_with_other_uuids_and_dates(tmp_path: Path) -> None:
    printed = "echo 5dfff3b3-f881-4a18-8e5e-1e105c49f341 2026-11-22T22:51:18; echo b; echo c"
    shown = "00000000-0000-4000-8000-000000000000 2000-01-01T00:00:00\n...\nc"
    run(tmp_path, block("sh", printed), block("text", shown))


def test_run_names_the_line_when_the_output_differs(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:1: other output"):
        run(tmp_path, block("sh", "echo a"), block("text", "b"))


@pytest.mark.parametrize("text", ["echo seen; false; echo after", "exit 3"])
def test_run_fails_when_a_command_fails(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:5: ended with"):
        run(tmp_path, block("sh", "true"), block("sh", text))


def test_run_expects_the_exit_code_of_the_page(tmp_path: Path) -> None:
    failing = block("sh", "false", directive="exit: 1")
    assert run(tmp_path, failing, block("sh", "echo after")) == "after\n"
    (tmp_path / "second").mkdir()
    with pytest.raises(AssertionError, match="ended with 0"):
        run(tmp_path / "second", block("sh", "true", directive="exit: 1"))


def test_run_writes_titled_blocks_and_runs_python(tmp_path: Path) -> None:
    written = block("json", '{"a": 5}', ' title="folder/a.json"')
    program = block("python", 'import json\nprint(json.load(open("folder/a.json"))["a"])')
    assert run(tmp_path, written, program, block("text", "5")) == "5\n"


def test_run_ends_what_a_block_started(tmp_path: Path) -> None:
    run(tmp_path, block("sh", "sleep 1000 &\necho $! > pid"))
    pid = (tmp_path / "work/pid").read_text().strip()
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()


def test_run_waits_for_the_other_terminal(tmp_path: Path) -> None:
    started = block("sh", "sleep 0.2; echo a; echo ready; touch made; sleep 1000", directive="other terminal")
    waits = block("sh", "until test -f made; do sleep 0.01; done")
    run(tmp_path, started, block("text", "...\nready"), waits)
    (tmp_path / "second").mkdir()
    with pytest.raises(AssertionError, match="other output"):
        run(tmp_path / "second", block("sh", "echo a", directive="other terminal"), block("text", "b"))


def test_run_replaces_ports_by_free_ones(tmp_path: Path) -> None:
    shown = block("text", "127.0.0.1:8080")
    assert "8080" not in run(tmp_path, block("sh", "echo 127.0.0.1:8080"), shown)


def test_run_skips_blocks_that_are_not_run(tmp_path: Path) -> None:
    assert run(tmp_path, block("sh", "docker run x", directive="not run: docker")) == ""


def test_read_page_marks_a_block_without_a_way_to_run(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(block("yaml", "a: 1") + block("text", "b"))
    assert [found.kind for found in read_page(tmp_path / "page.md").blocks] == [Kind.SHOWN, Kind.SHOWN]


@pytest.mark.parametrize(
    ("language", "text"),
    [("sh", "if true"), ("python", "def"), ("yaml", "a: [1"), ("json", "{"), ("nginx", "server {")],
)
def test_check_syntax_rejects_a_broken_block(language: str, text: str) -> None:
    broken = CodeBlock(Kind.NOT_RUN, language, "", text, ("not run", "docker"), 1)
    with pytest.raises(ValueError, match=r"line 1|Expecting"):
        check_syntax(broken)


def test_commands_ignores_comments() -> None:
    code = CodeBlock(Kind.SHELL, "sh", "", "# a\nls   # b\n\ncurl x#y\n", ("", ""), 1)
    assert code.commands() == "ls\ncurl x#y"
