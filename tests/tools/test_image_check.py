"""The image check without its container: what it needs, the mirror, and the configuration of the image."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools.image_check.__main__ import require_context, size
from tools.image_check.base import mirror
from tools.image_check.build import ImageConfig, parse_config
from tools.image_check.commands import PACKAGES, ImageCheckError, require_system, run
from tools.image_context import LOCK, WHEELS, chosen_wheel, locked
from tools.release_check import Distributions

CONFIG = {
    "User": "10001:10001",
    "Entrypoint": ["timbra"],
    "Cmd": ["serve"],
    "Env": ["A=b"],
    "Volumes": {"/var/lib/timbra": {}},
    "Healthcheck": {"Test": ["CMD", "python", "-c", "pass"]},
}
DEB822 = """Types: deb
# a comment: with a colon
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
"""


def test_require_system_names_the_packages_of_missing_programs() -> None:
    with pytest.raises(ImageCheckError, match="apt-get install buildah debootstrap\\."):
        require_system(lambda name: None if name in ("buildah", "debootstrap") else name, user=0)


def test_require_system_needs_root() -> None:
    with pytest.raises(ImageCheckError, match="needs root"):
        require_system(str, user=1000)
    require_system(str, user=0)
    assert PACKAGES["unshare"] == "util-linux"


def test_run_reports_command_exit_code_and_output() -> None:
    with pytest.raises(ImageCheckError, match=r"ended with exit code 3\.\nno space"):
        run([sys.executable, "-c", "import sys; print('no space'); sys.exit(3)"])
    assert run(["cat"], stdin="a") == "a"


def test_require_context_names_the_command_that_prepares_it(tmp_path: Path) -> None:
    with pytest.raises(ImageCheckError, match="has no wheels: run make image-context"):
        require_context(tmp_path)
    (tmp_path / WHEELS).mkdir()
    (tmp_path / WHEELS / "timbra-0.1.0-py3-none-any.whl").touch()
    (tmp_path / LOCK).touch()
    require_context(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sources.list.d/debian.sources", DEB822),
        ("sources.list.d/debian.sources", f"Types: deb\nURIs: http://other.example\nSuites: x\n\n{DEB822}"),
        ("sources.list", "deb http://mirror.example/debian bookworm main contrib\n"),
        (
            "sources.list",
            "# deb http://a bookworm\ndeb [trusted=yes] http://mirror.example/debian bookworm main\n",
        ),
    ],
)
def test_mirror_is_that_of_the_apt_sources(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert mirror(tmp_path) == "http://mirror.example/debian"


def test_mirror_says_when_no_source_has_the_release(tmp_path: Path) -> None:
    (tmp_path / "sources.list").write_text("deb http://mirror.example/debian trixie main\n")
    with pytest.raises(ImageCheckError, match=r"No apt source in .* has the component main of Debian bookworm"):
        mirror(tmp_path)


def test_parse_config_reads_what_the_container_needs() -> None:
    expected = ImageConfig("10001:10001", ["timbra"], ["serve"], ["python", "-c", "pass"], "/var/lib/timbra", ["A=b"])
    assert parse_config({"config": CONFIG}) == expected


@pytest.mark.parametrize("missing", CONFIG)
def test_parse_config_rejects_an_incomplete_configuration(missing: str) -> None:
    with pytest.raises(ImageCheckError, match="The image has no"):
        parse_config({"config": {name: value for name, value in CONFIG.items() if name != missing}})


def test_size_counts_a_file_with_two_names_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(100))
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    assert size(tmp_path) == 100


def test_locked_is_a_line_that_pip_accepts(tmp_path: Path) -> None:
    wheel = tmp_path / "timbra-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    digest = subprocess.run(["sha256sum", wheel], capture_output=True, text=True, check=True).stdout.split()[0]
    assert locked(wheel) == f"timbra==0.1.0 --hash=sha256:{digest}\n"


def test_chosen_wheel_is_the_native_one_if_there_is_one() -> None:
    sdist, pure, native = Path("a.tar.gz"), Path("a-py3-none-any.whl"), Path("a-cp311.whl")
    assert chosen_wheel(Distributions(sdist, pure, native)) == native
    assert chosen_wheel(Distributions(sdist, pure, None)) == pure
