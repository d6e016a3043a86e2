from functools import partial
from importlib.util import find_spec

import pytest

from bench.machine import describe_machine
from bench.measurement import Rate, Rates, Row, at_least, at_most, divide_rates, run_in_turn
from bench.memory import measure_peak, write_suite
from bench.program import MEASUREMENTS, format_value, row_to_json
from trials.suite import load_configuration, load_suite


@pytest.mark.parametrize(
    ("bar", "value", "is_met"),
    [
        (at_least(5), 5, True),
        (at_least(5), 4.9, False),
        (at_most(2), 2, True),
        (at_most(2), 3, False),
    ],
)
def test_a_bar_is_met_on_its_own_side_and_on_the_limit(bar, value, is_met):
    assert bar.is_met_by(value) is is_met


def test_a_row_is_judged_by_its_median_alone():
    row = Row(name="x", what="x", unit="×", samples=[1, 9, 6], bar=at_least(5))
    assert (row.median, row.meets) == (6, True)


def test_a_row_without_a_bar_is_neither_met_nor_missed():
    assert Row(name="x", what="x", unit="MB", samples=[1]).meets is None


def test_each_run_begins_a_repeat_in_its_turn():
    order = []

    def run(name):
        order.append(name)
        return Rate(1, 1)

    run_in_turn(2, {name: partial(run, name) for name in "abc"})
    assert "".join(order) == "abcbca"


def test_a_ratio_is_taken_within_a_repeat():
    ratios = divide_rates(Rates([10, 30], [4, 4]), Rates([5, 10], [2, 1]), 100)
    assert ratios == Rates([200, 300], [200, 400])


def test_json_holds_every_sample_and_the_bar():
    row = Row(name="x", what="X", unit="s", samples=[2, 1, 3], bar=at_most(2))
    document = row_to_json(row)
    assert (document["median"], document["samples"]) == (2, [2, 1, 3])
    assert (document["bar"], document["meets"]) == ({"at_most": 2}, True)


@pytest.mark.parametrize(
    ("value", "text"), [(12345.6, "12,346 MB"), (99.94, "99.9 MB"), (0.1234, "0.123 MB")]
)
def test_a_figure_keeps_three_digits_or_all_before_the_point(value, text):
    assert format_value(value, "MB") == text


def test_the_machine_is_described_without_its_name(tmp_path):
    described = describe_machine(tmp_path)
    assert set(described) == {"cpu", "cores", "os", "filesystem", "synced_writes_per_s"}
    assert str(tmp_path) not in str(described)


def test_the_suite_of_a_long_run_is_sound(tmp_path):
    suite = load_suite(write_suite(tmp_path / "suite", 1_000))
    load_configuration(tmp_path / "suite" / "configurations" / "recorded.json")
    assert len(suite.cases) * suite.repetitions == 1_000


def test_a_process_has_a_peak():
    assert measure_peak(["--version"]).together > 2**20


def test_no_measurement_is_named_without_a_file():
    assert all(find_spec(module) for module, _ in MEASUREMENTS.values())
