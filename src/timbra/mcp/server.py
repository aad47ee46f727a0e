"""The server: its tools with their descriptions, and the errors that clients read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import getdoc
from pathlib import Path
from typing import ParamSpec, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

import timbra
from timbra.console.services_option import rejection_line
from timbra.mcp import tools
from timbra.mcp.preview import Previewer

P = ParamSpec("P")
T = TypeVar("T")
INSTRUCTIONS = """\
Tools about Mexican electronic invoices (CFDI), all read-only and without a network. To correct a document: `validate`;
apply the `repair` of each finding; for a finding without one, `explain` its code and look keys up with
`search_catalog`; then `validate` again with draft=true, and `preview` its stamp with reseal=true. Only a CSD of the
issuer can seal the corrected document. Texts of findings are Spanish, as the SAT writes them."""
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def mcp_server(lists: Path | None = None, trust: Path | None = None, previewer: Previewer | None = None) -> MCPServer:
    """Build the server.

    Args:
        lists: folder of the SAT's lists; None without them.
        trust: folder of further trusted certificates; None without it.
        previewer: has the sandbox of the previews, and is closed after the server; the example sandbox when None.
    """
    server = MCPServer("timbra", version=timbra.__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    validator = tools.Validator(lists, trust)
    for tool in (
        validator.validate,
        tools.explain,
        tools.search_codes,
        tools.search_catalog,
        tools.example,
        tools.totals,
        (previewer or Previewer()).preview,
    ):
        server.add_tool(_with_tool_errors(tool), description=getdoc(tool), annotations=READ_ONLY)
    return server


def _with_tool_errors(tool: Callable[P, T]) -> Callable[P, T]:
    """Answer a ServiceError as an error of the tool, with its code; others say nothing but the name of the tool."""

    @wraps(tool)
    def call(*args: P.args, **named: P.kwargs) -> T:
        try:
            return tool(*args, **named)
        except timbra.Error as error:
            raise ToolError(f"{error.code}: {rejection_line(error)}") from error

    return call
