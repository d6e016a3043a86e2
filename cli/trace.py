"""``verdict trace``: from a verdict down to the bytes."""

from dataclasses import asdict

import click

from cli.render import print_json
from cli.setting import find_folder, open_ledger
from trials.trace import Step, trace_verdict

DATA_CHARS = 100
"""Characters of a line of JSON that are shown; 'verdict show' gives all of it."""


@click.command()
@click.argument("verdict")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(where: str | None, verdict: str, *, as_json: bool) -> None:
    """Show on what VERDICT rests: every event and artifact of the chain, with its address.

    Each link can be looked at with 'verdict show ADDRESS'.
    """
    with open_ledger(find_folder(where)) as opened:
        _, address = opened.ledger.resolve(verdict)
        steps = list(trace_verdict(opened.ledger, opened.keeper, address))
    if as_json:
        print_json([asdict(step) for step in steps])
        return
    for step in steps:
        print_step(step)


def print_step(step: Step) -> None:
    """Print one link."""
    indent = "  " * step.depth
    place = "artifact" if step.position is None else f"event {step.position:,}"
    label = click.style(step.label, bold=True)
    click.echo(f"{indent}{label}  {place}  {click.style(step.address, dim=True)}")
    for name, value in step.fields:
        click.echo(f"{indent}  {name}: {value}")
    if step.excerpt is not None:
        text = step.excerpt.encode("utf-8", "replace").decode()
        is_data = text.startswith(('{"', "["))
        for line in text.splitlines() or ["(empty)"]:
            shown = f"{line[:DATA_CHARS]} …" if is_data and len(line) > DATA_CHARS else line
            click.echo(f"{indent}  | {shown}")
