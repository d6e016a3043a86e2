"""How things look: text for people, JSON for programs, a page to send on.

A scorecard has four forms (``forms``), each a module of its own, loaded when it is asked for:
the page brings a template engine along. All say the same, in the words of ``words``.
"""

from cli.render.document import inventory_to_json, report_to_json
from cli.render.figures import format_count, format_minimum, format_rate
from cli.render.forms import FORMS, render_sheet
from cli.render.sheet import Sheet
from cli.render.terminal import console, make_printable, print_json, progress, start_table
from cli.render.text import print_inventory, print_next, print_report

__all__ = [
    "FORMS",
    "Sheet",
    "console",
    "format_count",
    "format_minimum",
    "format_rate",
    "inventory_to_json",
    "make_printable",
    "print_inventory",
    "print_json",
    "print_next",
    "print_report",
    "progress",
    "render_sheet",
    "report_to_json",
    "start_table",
]
