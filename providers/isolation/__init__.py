"""Isolation: a session that is a process gets a folder, a home and an environment of its own.

It keeps trials apart from each other and from the user's settings, and it notes what a session
did beyond its folder. It is no sandbox: a session runs with the rights of the user, and what it
may read by an absolute path it can read.

    with open_workspace(request.inputs) as workspace:
        ending = await run_process(
            ["program"],
            workspace=workspace,
            environment=workspace.environment(vault, ["PROGRAM_API_KEY"], {}),
            stdin=b"",
            deadline_s=600,
        )
        notes = ending.notes + await asyncio.to_thread(workspace.find_escapes)
        notes += await asyncio.to_thread(workspace.remove)
"""

from providers.isolation.process import OUTPUT_BYTES_MAX, Ending, run_process
from providers.isolation.workspace import Workspace, open_workspace

__all__ = ["OUTPUT_BYTES_MAX", "Ending", "Workspace", "open_workspace", "run_process"]
