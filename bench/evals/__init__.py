"""The same evaluation by this program, by Inspect AI and by promptfoo: docs/benchmarks.md."""
