"""Suites planned, run and graded: the only place where graders and providers meet."""
