"""The services that drills take away: processes, a disk that needs no root, a private PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.postgresql_cluster import execute, need_cluster
from tests.support.requirements import need

from timbra.testing.services.postgresql import cluster, programs
from timbra.testing.services.processes import descendants, is_alive, kill_tree, wait_for

ROOT = Path(__file__).parents[2]
TREE = (
    "import subprocess, sys, time\n"
    'code = \'import subprocess, sys, time; subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]); '
    "time.sleep(300)'\n"
    "subprocess.Popen([sys.executable, '-c', code])\n"
    "time.sleep(300)\n"
)
FILLED = (
    "import sys; sys.path[:0] = sys.argv[1:]\n"
    "from timbra.testing.services.small_disk import mounted\n"
    "with mounted(4) as disk:\n"
    "    if disk is None: sys.exit('no namespace')\n"
    "    taken = disk.fill()\n"
    "    try:\n"
    "        (disk.folder / 'more').write_bytes(bytes(8192))\n"
    "    except OSError as error:\n"
    "        print(error.errno)\n"
    "    disk.free()\n"
    "    (disk.folder / 'more').write_bytes(bytes(8192))\n"
    "    print(taken)\n"
)


def test_kill_tree_kills_a_program_with_all_its_descendants() -> None:
    with subprocess.Popen([sys.executable, "-c", TREE]) as program:
        wait_for(lambda: len(descendants(program.pid)) == 2, 60)
        found = descendants(program.pid)
        assert kill_tree(program) == 2
        assert not any(map(is_alive, found))
        assert program.returncode == -9


def test_wait_for_names_what_did_not_happen() -> None:
    with pytest.raises(TimeoutError, match="a node starts"):
        wait_for(lambda: False, 0.05, "a node starts")


def test_disk_of_an_unprivileged_user_is_full_and_free_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FILLED, str(ROOT / "src")]
    if os.geteuid() == 0:
        need("setpriv", shutil.which("setpriv"), "root cannot change its user without setpriv")
        user = pwd.getpwnam("nobody")
        command = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]
    environment = {**os.environ, "TMPDIR": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    need("user-namespaces", "no namespace" not in done.stderr, "an unprivileged user cannot mount a disk here")
    need("user-namespaces", "Permission denied" not in done.stderr, "nobody cannot read the interpreter")
    number, taken = done.stdout.split()
    assert int(number) == 28
    assert 3_000_000 < int(taken) <= 4 * 1024 * 1024


def test_cluster_answers_again_after_it_was_killed() -> None:
    need_cluster()
    with cluster() as server:
        execute(server, "CREATE TABLE kept (number int)", "INSERT INTO kept VALUES (7)")
        assert server.kill() > 1
        assert not server.is_running
        assert server.ends_or_answers()
        server.start()
        assert execute(server, "SELECT number FROM kept") == [(7,)]


def test_programs_of_postgresql_are_those_of_the_path_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "initdb").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs() == tmp_path
