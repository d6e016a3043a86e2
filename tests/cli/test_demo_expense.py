"""``verdict demo expense``: scripted sessions, and the table that belongs to them."""

import pytest

from tests.cli.program import call

LOWEST = {
    "opus": ("5/5", "5/5", "all", "passed"),
    "sonnet": ("4/5", "4/5", "travel-august-total, both-delta-charges-kept", "passed"),
    "haiku": ("2/5", "2/5", "uncategorized-entry-count", "failed"),
    "sol": ("2/5", "5/5", "all", "passed"),
    "astra": ("2/5", "5/5", "all", "passed"),
    "luna": (
        *("0/5", "0/5"),
        "shopping-july-total, travel-august-total, three-supported-findings",
        "failed",
    ),
}
"""By the first key, by the revised one, the checks with that rate, and the gate."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder that the demo leaves, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / ".demo" / "expense"
    done = call("--ledger", folder, "demo", "expense")
    assert (done.code, done.err) == (0, "")
    return folder, done.out


def part(out, number):
    """Return the lines of one part of the story."""
    after = out.split(f"\n{number}. ")[1]
    return after.split(f"\n{number + 1}. ")[0].splitlines()[1:]


def test_it_says_first_that_the_sessions_are_scripted(demo):
    assert demo[1].splitlines()[0].endswith("are scripted, the graders' too: no model was asked.")


@pytest.mark.parametrize("name", LOWEST)
def test_the_lowest_rate_of_each_configuration_is_the_published_one(demo, name):
    (line,) = (line for line in part(demo[1], 3) if line.startswith(f"{name} "))
    first, revised, checks, gate = LOWEST[name]
    assert line.split()[3:5] == [first, revised]
    assert line.split(f" {revised} ")[-1].strip().removesuffix(gate).strip() == checks
    assert line.split()[-1] == gate


@pytest.mark.parametrize(("name", "passed"), [("sol", "2/5"), ("astra", "2/5"), ("opus", "5/5")])
def test_steam_costs_two_configurations_the_findings_by_the_first_key(demo, name, passed):
    (line,) = (line for line in part(demo[1], 2) if line.startswith(f"{name} "))
    assert line.split()[2] == passed


def test_opus_leads_with_its_conclusions_in_all_five_trials_of_the_robust_prompt(demo):
    lines = [" ".join(line.split()) for line in part(demo[1], 4)]
    assert "opus robust tables-before-interpretation 0/5" in lines
    assert "opus robust-tables-first nothing" in lines


@pytest.mark.parametrize(
    ("number", "figures"),
    [
        (
            2,
            (
                *("Shopping 2026-06", "1,068.35", "1,020.77", "'Barnes & Noble in Shopping'"),
                *(
                    "+47.58",
                    "line 16 'June 4: Steam, 47.58'",
                    "the reference puts in Entertainment",
                ),
            ),
        ),
        (
            5,
            (
                *("Travel 2026-08", "1,563.82", "1,631.82", "'August 16 Uber in Transport'"),
                *("-68.00", "line 169 'Airport Parking - $68.00 (August 14)' left out"),
            ),
        ),
        (
            5,
            (
                *("Travel 2026-08", "1,219.22", "1,631.82", "'August 16 Uber in Transport'"),
                *("-412.60", "line 167 'Delta Air Lines - $412.60 (Aug. 14)' left out"),
            ),
        ),
    ],
)
def test_the_diagnoses_name_line_amount_and_policy(demo, number, figures):
    lines = [line for line in part(demo[1], number) if figures[1] in line]
    assert lines
    assert all(figure in line for figure in figures for line in lines)
    assert all("Candidate cause: " in line for line in lines)


def test_every_verdict_of_its_ledger_comes_out_again_and_the_record_is_whole(demo):
    folder, out = demo
    assert "the record is whole" in out
    gradings = {
        words[-1] for words in map(str.split, out.splitlines()) if words[-2:-1] == ["replay"]
    }
    (grading,) = gradings
    assert call("--ledger", folder, "replay", grading).out.startswith("80 of 80 verdicts")
    page = call("--ledger", folder, "scorecard", grading, "--format", "html").out
    assert "uncategorized-entry-count" in page


def test_the_command_that_lists_what_failed_leads_to_the_judge_and_the_bytes(demo):
    folder, _ = demo
    failed = call("--ledger", folder, "scorecard", "--json", "--failed").json()["failed"]
    judged = next(one for one in failed if one["check"] == "three-supported-findings")
    trace = call("--ledger", folder, "trace", judged["verdict_event"]).out
    for step in ("diagnosis", "grader asked", "grader's request", "tool calls", "rubric"):
        assert step in trace
