"""As of a position, a report is the one that could be made then."""

from tests.trials.scorecards import FAIL, PASS, UNPROVEN, make_criteria, new_desk


def tell(desk):
    """Record a run and two gradings step by step, out of order as the log allows."""
    desk.start(3)
    desk.grade(make_criteria(is_judged=True))
    yield
    for slot, place in enumerate([("x",), ("y",), ("x", "u")]):
        desk.open(slot, *place)
        yield
    desk.complete(1, resolved_model="m-1", duration_us=20, usage=(("in", 3),))
    yield
    desk.complete(0, resolved_model="m-2", duration_us=90, usage=(("in", 4),))
    yield
    asked = desk.ask(0)
    yield
    desk.answer(0, asked, resolved_model="judge-1", usage=(("in", 5),))
    yield
    failed = desk.give(0, "a", FAIL)
    yield
    desk.diagnose(0, "a", failed, "left out")
    yield
    desk.give(0, "b", PASS)
    yield
    desk.fail(2)
    yield
    desk.give(2, "a", UNPROVEN)
    yield
    desk.close()
    yield


def test_at_every_position_it_is_the_report_that_was_made_then():
    with new_desk() as desk:
        then = [(desk.ledger.head().size, desk.report()) for _ in tell(desk)]
        assert len(then) > 10
        for size, report in then:
            assert desk.report(size) == report


def test_a_trial_that_ended_later_has_neither_time_nor_model_then():
    with new_desk() as desk:
        sizes = [desk.ledger.head().size for _ in tell(desk)]
        counts = [sum(one.answers for one in desk.report(size).identity.models) for size in sizes]
        completed = [desk.report(size).inventory.completed for size in sizes]
        assert counts == completed
        assert (counts[0], counts[-1]) == (0, 2)
