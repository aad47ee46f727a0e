"""A Ray cluster of two nodes with a CPU each, for a command that gets its address for `{address}`.

`python ray_nodes.py FOLDER COMMAND ...`: the second node is killed when the folder has two files. The exit code is that
of the command. `requirements/bulk.txt` has its libraries.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path


def main(folder: str, command: list[str]) -> int:
    """Run the command; return its exit code."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        second = cluster.add_node(num_cpus=1)
        with subprocess.Popen([part.replace("{address}", cluster.address) for part in command]) as process:
            while folder and process.poll() is None:
                if Path(folder).exists() and len([*Path(folder).iterdir()]) >= 2:
                    cluster.remove_node(second, allow_graceful=False)
                    print("node killed", flush=True)
                    break
                time.sleep(0.05)
            return process.wait()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
