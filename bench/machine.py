"""What the figures were measured on, as far as the machine tells; no name of it, no path."""

import os
import platform
import sqlite3
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "SQLAlchemy",
    "alembic",
    "blake3",
    "click",
    "cryptography",
    "eventsourcing",
    "msgspec",
    "orjson",
    "pydantic",
    "rich",
    "zstandard",
)
SYNCS = 100


def describe_machine(folder: Path) -> dict[str, object]:
    """Return processor, cores, system, file system of ``folder`` and its synced writes a second."""
    return {
        "cpu": _find_cpu(),
        "cores": count_cores(),
        "os": f"{platform.system()} {platform.release()}",
        "filesystem": _find_filesystem(folder),
        "synced_writes_per_s": round(_measure_syncs(folder)),
    }


def describe_versions() -> dict[str, str]:
    """Return the versions of what does the work."""
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def read_load() -> list[float]:
    """Return the load average of 1, 5 and 15 minutes."""
    return [round(load, 2) for load in os.getloadavg()]


def count_cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _find_cpu() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _find_filesystem(folder: Path) -> str:
    """Return the type of the mount that ``folder`` lies on."""
    path = Path("/proc/mounts")
    best, found = "", "unknown"
    for line in path.read_text().splitlines() if path.exists() else ():
        _, place, kind, *_ = line.split()
        if folder.resolve().is_relative_to(place) and len(place) >= len(best):
            best, found = place, kind
    return found


def _measure_syncs(folder: Path) -> float:
    """Return how many times a second 4 KiB can be written and synced, one after another."""
    path = folder / "synced"
    block = os.urandom(4096)
    with path.open("wb", buffering=0) as file:
        begun = time.perf_counter()
        for _ in range(SYNCS):
            file.write(block)
            os.fsync(file.fileno())
        seconds = time.perf_counter() - begun
    path.unlink()
    return SYNCS / seconds
