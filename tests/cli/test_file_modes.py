"""Files of a data folder: only their owner reads them."""

from __future__ import annotations

from pathlib import Path

from tests.support.dev_server import issue_example, running_dev
from tests.support.server import running, seed


def readable_by_others(folder: Path) -> dict[str, str]:
    found = {str(path.relative_to(folder)): path.lstat().st_mode for path in folder.rglob("*") if path.is_file()}
    return {name: oct(mode & 0o777) for name, mode in found.items() if mode & 0o077}


def test_serve_lets_only_the_owner_read_what_exists_and_what_it_writes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = seed(data)
    (data / "lists").mkdir(exist_ok=True)
    (data / "lists" / "earlier.list").touch()
    (data / "lists" / "earlier.list").chmod(0o644)
    assert readable_by_others(data)
    with running(data, token=token) as server, server.client() as client:
        assert client.get("/health/ready").status_code == 200
        assert readable_by_others(data) == {}


def test_dev_lets_only_the_owner_read_what_it_writes(tmp_path: Path) -> None:
    with running_dev("--data", str(tmp_path / "data")) as server:
        assert issue_example(server.printed["api"], server.printed["token"])["status"] == "success"
        assert readable_by_others(tmp_path / "data") == {}
