"""Where the ledger lies and which stores it has: the one place that names concrete stores.

A ledger is a folder: ``ledger.db``, ``artifacts/``, ``staging/``, ``signing.key`` and
``last-signed``.
"""

import getpass
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import Engine, insert, inspect, text
from sqlalchemy.exc import DBAPIError

from ledger.checkpoint import Verifier, check_origin, format_verifier, parse_verifier, verifier_of
from ledger.digest import Digest, shorten_digest
from ledger.errors import Damage, InvalidProof, NoLedger, OldSchema
from ledger.log import Ledger
from ledger.merkle import EMPTY_ROOT
from ledger.projections import Keeper
from ledger.stores import tables
from ledger.stores.clock import SystemClock
from ledger.stores.database import Database
from ledger.stores.engine import open_engine, open_frozen_engine
from ledger.stores.files import FileBlobs, sync_folder
from ledger.stores.keys import KEY_NAME, FileSigner, make_key, read_last_signed
from ledger.stores.locks import hold_lock
from ledger.stores.projections import SqlProjections, open_scratch
from ledger.stores.sql import SqlRecords
from ledger.verify import Stores

DATABASE = "ledger.db"
DEFAULT_FOLDER = ".verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A ledger with everything that a command may need of it."""

    folder: Path
    ledger: Ledger
    records: SqlRecords
    blobs: FileBlobs
    projections: SqlProjections
    keeper: Keeper
    verifier: Verifier

    def open_signer(self) -> FileSigner:
        """Return the key and the memory of what it signed.

        Raises:
            Damage: there is no readable key, or it is not the log's.
        """
        signer = FileSigner(self.folder, self.verifier.name)
        if signer.verifier != self.verifier:
            raise Damage(f"{self.folder}: the signing key is not the one that the log names")
        return signer


def name_folder(where: str | None) -> Path | None:
    """Return the folder that ``where`` or else ``VERDICT_LEDGER`` names; ``None`` if neither does.

    Raises:
        NoLedger: it is a database URL; the message leaves out what follows the scheme, which may
            hold a password.
    """
    named = where or os.environ.get("VERDICT_LEDGER")
    if named and "://" in named:
        raise NoLedger(
            f"{named.split(':')[0]}: ledgers live in folders so far, not behind a database URL: "
            "name a folder"
        )
    return Path(named) if named else None


def find_folder(where: str | None) -> Path:
    """Return the ledger folder: ``where``, or ``VERDICT_LEDGER``, or the nearest ``.verdict``.

    Raises:
        NoLedger: ``where`` is a database URL, or there is none of them.
    """
    named = name_folder(where)
    if named is not None:
        return named
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / DEFAULT_FOLDER / DATABASE).is_file():
            return folder / DEFAULT_FOLDER
    raise NoLedger(
        f"no {DEFAULT_FOLDER}/ here or above: make one with 'verdict init', or name one with "
        "--ledger or VERDICT_LEDGER"
    )


def make_ledger(folder: Path, origin: str | None, migrate: Callable[[Engine], None]) -> str:
    """Make an empty ledger in ``folder`` and return the vkey of its log.

    Args:
        folder: made if it is not there.
        origin: the log's name in every checkpoint; a fresh one if ``None``.
        migrate: brings a database to the newest schema (``migrations.upgrade``).

    Raises:
        NoLedger: there is a ledger, or a key, in ``folder`` already, or no folder can be made.
        InvalidProof: ``origin`` cannot name a log.
    """
    if (folder / DATABASE).exists():
        raise NoLedger(f"{folder}: there is a ledger already; use it, or name another folder")
    name = check_origin(origin or f"verdict-ledger.example/{secrets.token_hex(8)}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        key = make_key(folder)
    except (FileExistsError, NotADirectoryError) as error:
        if not folder.is_dir():
            raise NoLedger(f"{folder}: a file is in the way: name another folder") from error
        raise NoLedger(
            f"{folder}: there is a signing key and no ledger: an init was cut off, or the database "
            "is gone; put the database back, or move the key away and init again"
        ) from error
    except OSError as error:
        raise NoLedger(f"{folder}: no ledger can be made there: {error.strerror}") from error
    vkey = format_verifier(verifier_of(name, key))
    # Made under another name: a ledger that was cut off half-made is never opened.
    unfinished = folder / f"{DATABASE}.new"
    unfinished.unlink(missing_ok=True)
    engine = open_engine(unfinished)
    migrate(engine)
    with engine.connect() as connection, connection.begin():
        connection.execute(insert(tables.ledger).values(id=1, verifier=vkey))
        connection.execute(insert(tables.head).values(id=1, size=0, root=EMPTY_ROOT, frontier=b""))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    unfinished.rename(folder / DATABASE)
    sync_folder(folder)
    sync_folder(folder.parent)
    return vkey


def upgrade_ledger(folder: Path, migrate: Callable[[Engine], None]) -> bool:
    """Bring the schema in ``folder`` up to this program's; return whether it was older."""
    engine = _engine_of(folder)
    try:
        is_old = _revision(engine) != tables.REVISION
        if is_old:
            migrate(engine)
        return is_old
    finally:
        engine.dispose()


@contextmanager
def open_ledger(folder: Path, actor: str | None = None) -> Iterator[Opened]:
    """Open the ledger in ``folder``.

    Args:
        folder: as ``find_folder`` returns it.
        actor: who records; ``VERDICT_ACTOR`` or the user's name if ``None``.

    Raises:
        NoLedger: there is none.
        OldSchema: its schema is another version's; the message has the command.
        Damage: the database cannot be read.
    """
    engine = _engine_of(folder)
    try:
        _check_revision(engine, folder)
        database = Database(engine)
        records = SqlRecords(database)
        blobs = FileBlobs(folder)
        verifier = parse_verifier(records.verifier())
        projections = SqlProjections(database)
        who = actor or os.environ.get("VERDICT_ACTOR") or _name_user()
        try:
            with Ledger(records=records, blobs=blobs, clock=SystemClock(), actor=who) as ledger:
                yield Opened(
                    folder=folder,
                    ledger=ledger,
                    records=records,
                    blobs=blobs,
                    projections=projections,
                    keeper=Keeper(ledger, projections),
                    verifier=verifier,
                )
        finally:
            blobs.close()
    finally:
        engine.dispose()


def _name_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in a container
        return f"uid-{os.getuid()}"


def _is_frozen(folder: Path) -> bool:
    """Return whether ``folder`` cannot be written, be it for its medium or for its owner."""
    return not os.access(folder, os.W_OK)


def _engine_of(folder: Path, open_database: Callable[[Path], Engine] = open_engine) -> Engine:
    if not (folder / DATABASE).is_file():
        raise NoLedger(f"{folder}: no ledger there: make one with 'verdict --ledger {folder} init'")
    return open_database(folder / DATABASE)


def _check_revision(engine: Engine, folder: Path) -> None:
    revision = _revision(engine)
    if revision != tables.REVISION:
        raise OldSchema(
            f"{folder / DATABASE}: schema {revision or 'unknown'}, this program reads "
            f"{tables.REVISION}: run 'verdict --ledger {folder} init --upgrade' (with a newer "
            "program if the schema is newer)"
        )


def _revision(engine: Engine) -> str | None:
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
            return None if revision is None else str(revision)
    except DBAPIError as error:
        raise Damage(f"{engine.url.database}: {error.orig}: not a readable database") from error


@contextmanager
def hold_run(opened: Opened, run: Digest) -> Iterator[None]:
    """Keep other processes from working on ``run``, and from folding the projections again.

    Raises:
        Busy: one of them is at it.
    """
    name = f"run-{shorten_digest(run)}"
    with (
        hold_lock(opened.folder, "projections", is_patient=False, is_shared=True),
        hold_lock(opened.folder, name, is_patient=False),
    ):
        yield


def hold_projections(opened: Opened) -> AbstractContextManager[None]:
    """Keep runs from reading projections while they are folded again, or raise ``Busy``."""
    return hold_lock(opened.folder, "projections", is_patient=False)


@contextmanager
def open_stores(folder: Path) -> Iterator[Stores]:
    """Open the ledger in ``folder`` to verify it: nothing in it is written or swept.

    Raises:
        NoLedger: there is none.
        OldSchema: as ``open_ledger``.
        Damage: the database cannot be read at all.
    """
    engine = _engine_of(folder, open_frozen_engine if _is_frozen(folder) else open_engine)
    try:
        _check_revision(engine, folder)
        database = Database(engine)
        records = SqlRecords(database)
        last_signed = read_last_signed(folder)
        verifier, key_fault = _find_verifier(folder, records.verifier(), last_signed)
        with open_scratch() as scratch:
            yield Stores(
                records=records,
                blobs=FileBlobs(folder),
                projections=SqlProjections(database),
                scratch=scratch,
                read_last_signed=partial(read_last_signed, folder),
                verifier=verifier,
                has_key=(folder / KEY_NAME).exists(),
                key_fault=key_fault,
            )
    finally:
        engine.dispose()


def _find_verifier(folder: Path, vkey: str, last_signed: str | None) -> tuple[Verifier, str | None]:
    """Return the key that notes are read with, and what is the matter with the signing key."""
    try:
        named = parse_verifier(vkey)
    except InvalidProof:
        # Damage of one row, which the verification names; the log's name stands elsewhere too.
        origin, end = (last_signed, "\n") if last_signed else (vkey, "+")
        return FileSigner(folder, origin.partition(end)[0]).verifier, None
    if not (folder / KEY_NAME).exists():
        return named, None  # a copy for somebody else: to verify takes the public key alone
    try:
        return FileSigner(folder, named.name).verifier, None
    except Damage as error:
        return named, str(error)
