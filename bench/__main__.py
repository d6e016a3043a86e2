"""``python -m bench``; ``make bench`` runs it in an environment that has the peers."""

if __name__ == "__main__":
    # Under the guard: a worker process of `verify` imports this file too, and needs none of it.
    from bench.program import main

    main()
