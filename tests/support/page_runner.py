"""Running the code blocks of a Markdown page in their order, as a reader does.

Commands run in one shell, in an empty folder, with the `timbra` of this environment. Output is compared with the page
after UUIDs, dates, certificate numbers and tokens are replaced; `...` in the page stands for any text. Ports of the
page are replaced by free ones.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from tests.support.page_code import CodeBlock, Kind, Page

TIMEOUT_SECONDS = 300
READY_SECONDS = 60
COLUMNS = "98"
_PORT = re.compile(r"(?:127\.0\.0\.1:|localhost:|-port[ =])(?P<port>\d{4,5})")
_DEFAULT_PORT = re.compile(r"\btimbra (dev|serve)\b(?!(?:[^\n\\]|\\\n|\\.)*--port)")
_VOLATILE = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE), "UUID"),
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?"), "DATE"),
    (re.compile(r"(?<!\d)\d{20}(?!\d)"), "CERTIFICATE"),
    (re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]+"), "TOKEN"),
    # The width of a frame stays when a port has one digit more.
    (re.compile(r" +│$", re.MULTILINE), " │"),
)


class PageRun:
    """A shell that runs the blocks of a page.

    Args:
        page: The page.
        folder: An empty folder, in which the blocks run.
        variables: Variables of the environment besides those of the test; those of Timbra are not taken over.
        replaced: Texts of the page that are replaced before a block runs, such as the place of a library.

    Attributes:
        output: What all blocks have printed.
        folder: The folder in which the blocks run.
    """

    def __init__(
        self,
        page: Page,
        folder: Path,
        variables: Mapping[str, str] | None = None,
        replaced: Mapping[str, str] | None = None,
    ) -> None:
        self.output = ""
        self._page = page
        self.folder = folder / "work"
        self._blocks = folder / "blocks"
        self.folder.mkdir()
        self._blocks.mkdir()
        self._environment = _environment(self.folder, page.language) | dict(variables or {})
        self._replaced = dict(replaced or {})
        ports = sorted({*_PORT.findall(page.text), "8080"})
        self._ports = dict(zip(ports, _free_ports(len(ports)), strict=True))
        self._others: list[tuple[subprocess.Popen[bytes], threading.Thread]] = []
        self._shell = subprocess.Popen(
            ["bash", "-s"],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> PageRun:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the shell and everything that its blocks started."""
        _end_group(self._shell)
        for process, reader in self._others:
            _end_group(process)
            reader.join(TIMEOUT_SECONDS)
        for stream in (self._shell.stdin, self._shell.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def run(self, page: Page | None = None) -> None:
        """Run every block.

        Args:
            page: Another page than that of the run, whose blocks go on in the same shell and folder.

        Raises:
            AssertionError: A block fails, or its output differs from the page; the text names the line of the page.
        """
        self._page = page or self._page
        blocks = self._page.blocks
        for block, following in zip(blocks, (*blocks[1:], None), strict=True):
            expected = following if following and following.kind is Kind.OUTPUT else None
            match block.kind:
                case Kind.FILE:
                    self._write(block)
                case Kind.SHELL if block.other_terminal:
                    assert expected is not None, f"{self._place(block)}: no output says when the command is ready"
                    self._run_elsewhere(block, expected)
                case Kind.SHELL | Kind.PYTHON:
                    self._run(block, expected)
                case _:
                    pass

    def _place(self, block: CodeBlock) -> str:
        return f"{self._page.path}:{block.line}"

    def _prepared(self, text: str) -> str:
        for documented, present in self._replaced.items():
            text = text.replace(documented, present)
        text = _DEFAULT_PORT.sub(r"timbra \1 --port 8080", text)
        for documented, free in self._ports.items():
            text = re.sub(rf"(?<!\d){documented}(?!\d)", free, text)
        return text

    def _shown(self, output: str) -> str:
        """Return an output as the page writes it: with the ports of the page, without volatile texts."""
        for documented, free in self._ports.items():
            output = re.sub(rf"(?<!\w){free}(?!\w)", documented, output)  # a code such as CFDI40119 is no port
        return _stable(output.replace("\r\n", "\n"))

    def _write(self, block: CodeBlock) -> None:
        path = self.folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._prepared(block.text), "utf-8")

    def _stored(self, block: CodeBlock) -> Path:
        path = self._blocks / f"{block.line}.{block.language}"
        path.write_text(self._prepared(block.text), "utf-8")
        return path

    def _run(self, block: CodeBlock, expected: CodeBlock | None) -> None:
        source, output = self._stored(block), self._blocks / f"{block.line}.out"
        command = f'. "{source}"' if block.kind is Kind.SHELL else f'python3 "{source}"'
        stop_at_error = "set +e -u" if block.exit_code else "set -eu"
        assert self._shell.stdin
        assert self._shell.stdout
        with contextlib.suppress(BrokenPipeError):
            self._shell.stdin.write(f'{stop_at_error}\n{command} > "{output}" 2>&1 < /dev/null\necho $?\n')
            self._shell.stdin.flush()
        late = threading.Timer(TIMEOUT_SECONDS, _end_group, (self._shell,))
        late.start()
        code = self._shell.stdout.readline().strip()
        late.cancel()
        found = output.read_text("utf-8", "replace") if output.exists() else ""
        self.output += found
        assert code == str(block.exit_code), f"{self._place(block)}: ended with {code or 'an error'}:\n{found}"
        if expected is not None:
            difference = self._difference(found, expected)
            assert not difference, f"{self._place(block)}: other output:\n{difference}"

    def _run_elsewhere(self, block: CodeBlock, expected: CodeBlock) -> None:
        """Run a block in a pseudo-terminal, until it has printed what the page shows."""
        source = self._stored(block)
        beginning = replace(expected, text=expected.text.rstrip("\n") + "...")
        received = bytearray()
        master, slave = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-e", str(source)],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        reader = threading.Thread(target=_drain, args=(master, received), daemon=True)
        reader.start()
        self._others.append((process, reader))
        deadline = time.monotonic() + READY_SECONDS
        while difference := self._difference(received.decode("utf-8", "replace"), beginning):
            running = process.poll() is None and time.monotonic() < deadline
            assert running, f"{self._place(block)}: other output:\n{difference}"
            time.sleep(0.05)

    def _difference(self, found: str, expected: CodeBlock) -> str:
        """Return the difference of an output from the page; empty when it fits.

        XML and JSON are compared without blanks, so that the page may break their lines.
        """
        shown, wanted = self._shown(found), _stable(expected.text)
        if expected.language in ("xml", "json"):
            shown, wanted = (re.sub(r"\s+", "", text) for text in (shown, wanted))
        pattern = ".*?".join(re.escape(part) for part in wanted.split("..."))
        if re.fullmatch(pattern, shown, re.DOTALL):
            return ""
        return "\n".join(difflib.ndiff(wanted.splitlines(), shown.splitlines()))


def _stable(text: str) -> str:
    """Replace what differs from run to run; remove blanks at the ends of lines and empty lines around the text."""
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def _environment(home: Path, language: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TIMBRA_", "PYTEST"))}
    programs = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    local = "127.0.0.1,localhost"
    cache = os.environ.get("GOCACHE") or str(Path.home() / ".cache" / "go-build")
    return kept | {
        "PATH": programs,
        "HOME": str(home),
        "TIMBRA_LANG": language,
        "COLUMNS": COLUMNS,
        "NO_COLOR": "1",
        "NO_PROXY": local,
        "no_proxy": local,
        "GOCACHE": cache,
    }


def _free_ports(count: int) -> list[str]:
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(listener.getsockname()[1]) for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def _drain(master: int, received: bytearray) -> None:
    with contextlib.suppress(OSError), open(master, "rb", buffering=0) as terminal:
        while part := terminal.read(65536):
            received += part


def _end_group(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    """End a process and what it started: first by SIGTERM, then, after some seconds, by SIGKILL."""
    for number, seconds in ((signal.SIGTERM, 10.0), (signal.SIGKILL, 0.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and _has_members(process.pid):
            process.poll()
            time.sleep(0.02)
    process.wait()


def _has_members(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
