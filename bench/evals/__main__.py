"""Run the comparison: ``python -m bench.evals``; ``make bench-peers`` makes the peers ready."""

from bench.evals.program import main

if __name__ == "__main__":
    main()
