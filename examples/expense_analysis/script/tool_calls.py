"""Tool calls: what a session did before it answered, by the tools of its host."""

from collections.abc import Callable, Mapping

from examples.expense_analysis.script.excerpts import name_program
from examples.expense_analysis.script.session import Session
from examples.expense_analysis.script.styles import Host
from ledger.tools import ToolCall, ToolKind, ToolOutcome

LOG, NOTES = "personal_expenses.txt", "budget_notes.txt"
COURSES = ("straight", "corrected", "checked", "unfinished")
"""How the work went; every course runs Python with success."""


def list_calls(session: Session) -> list[ToolCall]:
    """Return the calls of a session, in order: three to eight."""
    program = name_program(session)
    course = session.dice.choose("course", COURSES)
    return _HOSTS[session.style.host](session, program, course)


def _call(
    kind: ToolKind, name: str, text: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED
) -> ToolCall:
    return ToolCall(kind=kind, name=name, input=text, outcome=outcome)


def _call_claude(session: Session, program: str, course: str) -> list[ToolCall]:
    python = session.choose("python", "python3", "python")

    def bash(command: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED) -> ToolCall:
        return _call(ToolKind.SHELL, "Bash", command, outcome)

    calls = [_call(ToolKind.READ, "Read", name) for name in (LOG, NOTES)]
    if course == "unfinished":
        calls.append(_call(ToolKind.SEARCH, "Grep", "(?i)refund|delta", ToolOutcome.UNFINISHED))
    calls.append(_call(ToolKind.WRITE, "Write", program))
    if course == "corrected":
        calls.append(bash(f"{python} {program}", ToolOutcome.FAILED))
        calls.append(_call(ToolKind.EDIT, "Edit", program))
    calls.append(bash(f"{python} {program}"))
    if course == "checked":
        calls.append(bash(f"wc -l {LOG} && grep -n -i -E 'delta|joe' {LOG}"))
        calls.append(bash(f'{python} -c "import {program.removesuffix(".py")} as a; a.check()"'))
    return calls


def _call_codex(session: Session, program: str, course: str) -> list[ToolCall]:
    def shell(command: str, outcome: ToolOutcome = ToolOutcome.SUCCEEDED) -> ToolCall:
        return _call(ToolKind.SHELL, "shell", command, outcome)

    listing = session.choose(
        "listing", f"cat {LOG} {NOTES}", f"nl -ba {LOG}", f"sed -n 1,198p {LOG}"
    )
    calls = [shell("ls -la"), shell(listing)]
    if NOTES not in listing:
        calls.append(shell(f"cat {NOTES}"))
    calls.append(_call(ToolKind.WRITE, "apply_patch", program))
    if course == "corrected":
        calls.append(shell(f"python {program}", ToolOutcome.FAILED))
        calls.append(_call(ToolKind.EDIT, "apply_patch", program))
    calls.append(shell(f"python3 {program}"))
    if course == "checked":
        check = f"n = sum(1 for _ in open({LOG!r}))\nprint(n)\nassert n == 198"
        calls.append(shell(f"python3 - <<'PY'\n{check}\nPY"))
    if course == "unfinished":
        calls.append(shell(f"python3 {program} --trace | less", ToolOutcome.UNFINISHED))
    return calls


_HOSTS: Mapping[Host, Callable[[Session, str, str], list[ToolCall]]] = {
    Host.CLAUDE_CODE: _call_claude,
    Host.CODEX: _call_codex,
}
