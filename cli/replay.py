"""``verdict replay``: decide again from the record, and compare."""

from collections.abc import Iterator

import click

from cli.render import print_json, progress
from cli.setting import Opened, find_folder, open_ledger
from ledger.events import GradingStarted
from trials.replay import Replayed, replay_grading, replay_verdict
from trials.scorecard import make_report


@click.command()
@click.argument("address", metavar="VERDICT|GRADING")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.pass_obj
def command(where: str | None, address: str, *, as_json: bool) -> None:
    """Decide a verdict, or every verdict of a grading, again from recorded bytes alone.

    Exit status: 0 all came out the same, 1 something differs.
    """
    same, differing, notes = 0, [], set()
    with open_ledger(find_folder(where)) as opened:
        for replayed in replay(opened, address):
            same += replayed.is_same
            if not replayed.is_same:
                differing.append(replayed)
            if replayed.grader_differs:
                notes.add(replayed.grader_differs)
    if as_json:
        print_json(
            {
                "differing": [_to_json(replayed) for replayed in differing],
                "notes": sorted(notes),
                "same": same,
            }
        )
    else:
        for replayed in differing:
            click.echo(describe(replayed))
        for note in sorted(notes):
            click.echo(f"note: the program's grader {note}")
        click.echo(f"{same:,} of {same + len(differing):,} verdicts came out the same")
    raise SystemExit(1 if differing else 0)


def replay(opened: Opened, text: str) -> Iterator[Replayed]:
    """Yield what comes out for the verdict or the grading that ``text`` names."""
    _, address = opened.ledger.resolve(text)
    if not isinstance(opened.ledger.find(address).event.body, GradingStarted):
        yield replay_verdict(opened.ledger, opened.keeper, address)
        return
    planned = make_report(opened.ledger, opened.keeper, address).card.given
    with progress("replay ") as tell:
        graded = replay_grading(opened.ledger, opened.keeper, address)
        for done, replayed in enumerate(graded, start=1):
            tell(done, planned)
            yield replayed


def describe(replayed: Replayed) -> str:
    """Return a line about a verdict that does not come out again."""
    was = f"{replayed.recorded.verdict.value} was recorded"
    if replayed.decided is None:
        return f"{replayed.verdict_event} {replayed.check}: {was}; {replayed.note}"
    now = replayed.decided
    return (
        f"{replayed.verdict_event} {replayed.check}: {was}, now {now.verdict.value}: {now.reason}"
    )


def _to_json(replayed: Replayed) -> dict[str, object]:
    decided = replayed.decided
    return {
        "check": replayed.check,
        "note": replayed.note,
        "now": decided and {"reason": decided.reason, "verdict": decided.verdict.value},
        "recorded": {
            "reason": replayed.recorded.reason,
            "verdict": replayed.recorded.verdict.value,
        },
        "verdict": replayed.verdict_event,
    }
