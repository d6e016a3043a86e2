"""The forms of a scorecard: one module each, loaded when it is asked for.

A form has ``render(sheet, out)``, which writes the sheet to a stream of text.
"""

from importlib import import_module
from typing import TextIO

from cli.render.sheet import Sheet

FORMS = {
    "text": "cli.render.text",
    "md": "cli.render.markdown",
    "json": "cli.render.document",
    "html": "cli.render.page",
}
"""Name to module; the page brings a template engine along, which no other form needs."""


def render_sheet(form: str, sheet: Sheet, out: TextIO) -> None:
    """Write ``sheet`` to ``out`` in the form of that name."""
    import_module(FORMS[form]).render(sheet, out)
