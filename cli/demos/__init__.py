"""The worked examples, one module each; ``cli/demo.py`` has their table."""
