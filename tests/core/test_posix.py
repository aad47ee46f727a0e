"""Functions of POSIX, and their replacements where a module or function does not exist."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from timbra.core import posix


def test_try_lock_is_false_while_another_file_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("w") as first, path.open() as second:
        assert posix.try_lock(first)
        assert not posix.try_lock(second)


def test_try_lock_is_true_when_fcntl_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    path = tmp_path / "lock"
    with path.open("w") as first, path.open() as second:
        assert posix.try_lock(first)
        assert posix.try_lock(second)


def test_sync_folder_opens_no_folder_when_the_system_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    posix.sync_folder(tmp_path)
    monkeypatch.delattr(os, "O_DIRECTORY")
    posix.sync_folder(tmp_path / "missing")


def test_limits_are_unknown_when_resource_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(posix, "STATM", tmp_path / "statm")
    posix.limit_memory(1)
    assert posix.raise_open_file_limit() is None
    assert posix.resident_bytes() == 0


def test_resident_bytes_is_the_maximum_when_there_is_no_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = posix.resident_bytes()
    monkeypatch.setattr(posix, "STATM", tmp_path / "statm")
    assert posix.resident_bytes() >= now // 2 > 0


def test_disable_core_dumps_sets_the_limit_for_this_process_and_its_children() -> None:
    code = (
        "import resource; from timbra.core import posix; posix.disable_core_dumps();"
        "print(resource.getrlimit(resource.RLIMIT_CORE))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "(0, 0)"


def test_try_lock_memory_changes_nothing_below_an_unlimited_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _: (8 * 1024 * 1024, resource.RLIM_INFINITY))
    assert not posix.try_lock_memory()


def test_try_lock_memory_is_false_when_resource_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert not posix.try_lock_memory()


needs_glibc = pytest.mark.skipif(
    not posix.CAN_FORK or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library is not glibc"
)


@needs_glibc
@pytest.mark.parametrize(("limit", "arenas"), [("", 4), ("posix.limit_arenas(1);", 1)])
def test_limit_arenas_makes_threads_share_them(limit: str, arenas: int) -> None:
    code = f"""if True:
        import ctypes, threading
        from timbra.core import posix
        {limit}
        allocated = threading.Barrier(4)
        def allocate():
            block = bytes(10_000)
            allocated.wait()
        threads = [threading.Thread(target=allocate) for _ in range(3)]
        for thread in threads:
            thread.start()
        allocate()
        for thread in threads:
            thread.join()
        ctypes.CDLL(None).malloc_stats()
    """
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr.count("Arena ") == arenas


@needs_glibc
def test_release_free_memory_returns_pages_between_used_ones() -> None:
    code = (
        "from timbra.core import posix; posix.release_free_memory(); blocks = [bytes(20_000) for _ in range(2_000)];"
        "blocks[:-1] = []; before = posix.resident_bytes(); posix.release_free_memory();"
        "print(before - posix.resident_bytes())"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(printed) > 30_000_000


def test_memory_functions_do_nothing_without_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posix, "CAN_FORK", False)
    monkeypatch.setitem(sys.modules, "ctypes", None)
    posix.limit_arenas(1)
    posix.release_free_memory()


def has_automatic_groups() -> bool:
    """Tell if the scheduler groups processes by session; a container can have the file without a word in it."""
    return posix.AUTOGROUP.is_file() and bool(posix.AUTOGROUP.read_text().split())


@pytest.mark.skipif(not has_automatic_groups(), reason="the scheduler has no automatic groups")
@pytest.mark.parametrize(("leads_session", "nice"), [(True, 9), (False, None)])
def test_lower_priority_lowers_the_session_that_the_process_leads(leads_session: bool, nice: int | None) -> None:
    before = posix.AUTOGROUP.read_text().split()[-1]
    code = "from timbra.core import posix; posix.lower_priority(9); print(posix.AUTOGROUP.read_text().split()[-1])"
    command = [sys.executable, "-c", code]
    process = subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=leads_session)
    assert int(process.stdout) == (int(before) if nice is None else nice + os.nice(0))
    assert posix.AUTOGROUP.read_text().split()[-1] == before


def test_lower_priority_sets_the_nice_value_where_the_scheduler_has_no_groups(tmp_path: Path) -> None:
    code = (
        "import os; from pathlib import Path; from timbra.core import posix;"
        f"posix.AUTOGROUP = Path({str(tmp_path)!r}); posix.lower_priority(9); print(os.nice(0))"
    )
    command = [sys.executable, "-c", code]
    process = subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=True)
    assert int(process.stdout) == os.nice(0) + 9


WATCHED = """
import os, sys, threading, time
from timbra.core import posix
writer = int(sys.argv[2])
if writer >= 0:
    os.close(writer)
posix.end_with_writer(int(sys.argv[1]))
print("armed", flush=True)
{work}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a signal from the kernel")
@pytest.mark.parametrize("work", ["time.sleep(600)", "sum(iter(int, 1))", "os.kill(os.getpid(), 19)"])
def test_end_with_writer_ends_a_process_at_the_end_of_the_pipe_whatever_it_does(work: str) -> None:
    """Asleep, in native code that holds the interpreter, and stopped by SIGSTOP."""
    reader, writer = os.pipe()
    command = [sys.executable, "-c", WATCHED.format(work=work), str(reader), "-1"]
    with subprocess.Popen(command, pass_fds=[reader], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "armed\n"
        assert process.poll() is None
        os.close(writer)
        assert process.wait(60) == -9
    os.close(reader)


@pytest.mark.skipif(sys.platform != "linux", reason="a signal from the kernel")
def test_end_with_writer_ends_a_process_at_once_when_the_pipe_has_ended_before() -> None:
    reader, writer = os.pipe()
    command = [sys.executable, "-c", WATCHED.format(work="time.sleep(600)"), str(reader), str(writer)]
    os.set_inheritable(writer, True)
    with subprocess.Popen(command, pass_fds=[reader, writer], stdout=subprocess.PIPE) as process:
        os.close(writer)
        assert process.wait(60) == -9
        assert process.stdout is not None
        assert process.stdout.read() == b""
    os.close(reader)


def test_end_with_writer_has_no_effect_when_the_system_sends_no_such_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    monkeypatch.delattr(fcntl, "F_SETSIG", raising=False)
    reader, writer = os.pipe()
    os.close(writer)
    posix.end_with_writer(reader)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    posix.end_with_writer(reader)
    os.close(reader)
