"""The supervisor of the processes of a server: what it says of a process that cannot start."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import socket
from timbra.core.errors import ServiceError
from timbra.web.server import log_output
from timbra.web.server.supervisor import Supervisor

def main(listener, ready, parent_pipe):
    raise ServiceError("CO1000", "La base de datos no responde.")

log_output.configure("error", node="n")
with socket.create_server(("127.0.0.1", 0)) as listener:
    print(Supervisor(main, listener, 1).run(print))
"""


def test_process_that_cannot_start_is_one_line_of_the_log() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
    line = json.loads(ended.stderr)
    del line["timestamp"]
    assert line == {
        "event": "process ends",
        "code": "CO1000",
        "detail": "La base de datos no responde.",
        "node": "n",
        "worker": "worker",
        "level": "error",
    }
