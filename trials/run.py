"""Runs: suite, configuration and plan are recorded before any answer, and found again.

1. ``start_runs`` records the suite, and for each configuration the plan, in one batch; runs that
   are started together share one window, whose order is recorded with each (``trials/order``);
2. ``trials/engine`` makes the trials;
3. whoever is killed when: ``resume_run`` goes on with the slots that have no outcome; against
   another suite or configuration it is refused.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ledger.artifact import JSON, JSONL, OCTETS
from ledger.digest import Digest, compute_digest
from ledger.errors import FaultyInput, UnknownAddress
from ledger.events import RunStarted, SuiteRegistered
from ledger.log import Ledger
from ledger.projections import INVENTORY, SCORECARD, Inventory, Keeper
from ledger.writer import Draft
from providers import Vault
from trials.order import Order, draw_order, format_order, parse_order
from trials.plan import SEED, PlannedTrial, format_plan, parse_plan, plan_trials
from trials.suite import (
    Configuration,
    Suite,
    format_configuration,
    format_manifest,
    suite_artifacts,
)

CREDENTIALS = frozenset(
    {"api_key", "apikey", "access_token", "auth_token", "secret", "client_secret", "password"}
)
"""Names of fields whose text nobody wants on record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A recorded run: its address, the suite's event, and what it was made of.

    Attributes:
        order: that of the window in which it was started.
        lane: which of the configurations in ``order`` is its own.
    """

    address: Digest
    suite_event: Digest
    suite: Suite
    configuration: Configuration
    plan: list[PlannedTrial]
    order: Order
    lane: int = 0


def start_run(
    ledger: Ledger,
    suite: Suite,
    configuration: Configuration,
    *,
    variants: Collection[str] = (),
    seed: int = SEED,
) -> Run:
    """Record a run that has a window to itself; as ``start_runs``."""
    (run,) = start_runs(ledger, suite, [configuration], variants=variants, seed=seed)
    return run


def start_runs(
    ledger: Ledger,
    suite: Suite,
    configurations: Sequence[Configuration],
    *,
    variants: Collection[str] = (),
    seed: int = SEED,
) -> list[Run]:
    """Record suite, configurations and plan, and return the runs that they begin, one for each.

    Args:
        ledger: records.
        suite: the examination.
        configurations: what is under test; their trials take turns.
        variants: names of the variants to be tried; all by default.
        seed: from which the order of the trials is drawn, 0 or more.

    Raises:
        FaultyInput: the suite has no variant of some name, or a configuration stands twice.
    """
    plan = plan_trials(suite, variants, seed)
    addresses = [compute_digest(format_configuration(each)) for each in configurations]
    if len(set(addresses)) < len(addresses):
        raise FaultyInput(["--configuration: one of them is named twice; name each once"])
    order = draw_order(seed, addresses, len(plan))
    registered = draft_suite(ledger, suite)
    shared: dict[str, Any] = {
        "suite": registered.address,
        "plan": ledger.put(format_plan(plan), media=JSON),
        "planned": len(plan),
        "seed": seed,
        "order": ledger.put(format_order(order), media=JSON),
    }
    drafts = [_draft_run(ledger, configuration, shared) for configuration in configurations]
    ledger.append([registered, *drafts])
    return [
        Run(
            address=started.address,
            suite_event=registered.address,
            suite=suite,
            configuration=configuration,
            plan=plan,
            order=order,
            lane=lane,
        )
        for lane, (started, configuration) in enumerate(zip(drafts, configurations, strict=True))
    ]


def _draft_run(ledger: Ledger, configuration: Configuration, shared: dict[str, Any]) -> Draft:
    files = [
        ledger.put(file.data, media=JSONL if file.path.endswith(".jsonl") else OCTETS)
        for file in configuration.files
    ]
    return ledger.draft(
        RunStarted(
            configuration=ledger.put(format_configuration(configuration), media=JSON),
            configuration_name=configuration.name,
            provider=configuration.provider,
            model=configuration.model,
            effort=configuration.effort,
            tools=configuration.tools,
            inputs=ledger.put_listing(files),
            **shared,
        )
    )


def check_secrets(vault: Vault, suite: Suite, configurations: Iterable[Configuration]) -> None:
    """Refuse files that hold a secret of this process: they would be recorded for ever.

    Raises:
        FaultyInput: a line for each file; the secret is not in it.
    """
    named = [(suite.name, file) for file in suite.files]
    faults = _find_secrets(vault, suite, configurations)
    for configuration in configurations:
        named += [(configuration.name, file) for file in configuration.files]
        faults += [
            f"{configuration.name}: {field}: is a credential by its name, and would be recorded; "
            "leave it out, and name a variable of the environment that holds it"
            for field in _find_credentials(configuration.settings, "settings")
        ]
    for owner, file in named:
        secrets = vault.find_names(file.data)
        faults += [
            f"{owner}: {file.path}: holds the value of the environment's {name}, which would be "
            "recorded; take it out"
            for name in secrets
        ]
    if faults:
        raise FaultyInput(list(dict.fromkeys(faults)))


def _find_secrets(vault: Vault, suite: Suite, configurations: Iterable[Configuration]) -> list[str]:
    """Return a line for each secret in what is recorded of files beyond their own bytes.

    A text of a JSON file may spell one in escapes, and be recorded in clear.
    """
    parsed = [("what the suite says", format_manifest(suite))]
    parsed += [("what the suite says", data) for data, _ in suite_artifacts(suite)]
    parsed += [(each.name, format_configuration(each)) for each in configurations]
    return [
        f"{vault.scrub_text(owner)}: holds the value of the environment's {name}, which would be "
        "recorded; take it out"
        for owner, data in parsed
        for name in vault.find_names(data)
    ]


def _find_credentials(value: object, field: str) -> Iterator[str]:
    """Yield the fields below ``value`` that hold a text under the name of a credential."""
    if isinstance(value, dict):
        for name, item in value.items():
            below = f"{field}.{name}"
            is_named = isinstance(name, str) and name.lower().replace("-", "_") in CREDENTIALS
            # With a placeholder it is no credential, but the place of something else.
            if is_named and isinstance(item, str) and "{" not in item:
                yield below
            else:
                yield from _find_credentials(item, below)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_credentials(item, f"{field}.{index}")


def draft_suite(ledger: Ledger, suite: Suite) -> Draft:
    """Return the event that registers ``suite`` with all its bytes; not recorded yet."""
    artifacts = [ledger.put(data, media=media) for data, media in suite_artifacts(suite)]
    return ledger.draft(
        SuiteRegistered(
            suite_name=suite.name,
            manifest=ledger.put(format_manifest(suite), media=JSON),
            artifacts=ledger.put_listing(artifacts),
        )
    )


def resume_run(ledger: Ledger, address: Digest, suite: Suite, configuration: Configuration) -> Run:
    """Return the recorded run ``address``, to go on with.

    Raises:
        UnknownAddress: it is no run of this ledger.
        FaultyInput: suite or configuration are not those that the run began with.
    """
    body = ledger.find(address).event.body
    if not isinstance(body, RunStarted):
        raise UnknownAddress(f"{address} is a {body.KIND}, not a run")
    registered = ledger.find(body.suite).event.body
    assert isinstance(registered, SuiteRegistered)  # noqa: S101 - what a run names
    faults = []
    if registered.manifest.address != compute_digest(format_manifest(suite)):
        faults.append(f"{suite.name}: the suite has changed since the run began; start a new run")
    if body.configuration_name != configuration.name:
        faults.append(
            f"{configuration.name}: the run is of the configuration {body.configuration_name}; "
            "name that one"
        )
    elif body.configuration.address != compute_digest(format_configuration(configuration)):
        faults.append(
            f"{configuration.name}: the configuration has changed since the run began; start a "
            "new run"
        )
    if faults:
        raise FaultyInput(faults)
    order = parse_order(ledger.get(body.order.address))
    return Run(
        address=address,
        suite_event=body.suite,
        suite=suite,
        configuration=configuration,
        plan=parse_plan(ledger.get(body.plan.address)),
        order=order,
        lane=order.configurations.index(body.configuration.address),
    )


def find_newest(
    ledger: Ledger,
    keeper: Keeper,
    suite: Suite,
    configuration: Configuration,
    *,
    is_unfinished: bool = True,
) -> Digest | None:
    """Return the newest run of just this suite and configuration.

    Args:
        ledger: the record.
        keeper: its projections.
        suite: the examination.
        configuration: what is under test.
        is_unfinished: only one that lacks outcomes or verdicts; a run lacks verdicts while no
            grading of it is complete (``trials/grade``).
    """
    graded = {card.run for card in keeper.scan(SCORECARD) if card.is_complete}
    found: Inventory | None = None
    for inventory in keeper.scan(INVENTORY):
        is_newer = found is None or inventory.position > found.position
        if is_newer and not (is_unfinished and inventory.run in graded):
            try:
                resume_run(ledger, inventory.run, suite, configuration)
            except FaultyInput:
                continue
            found = inventory
    return found.run if found else None
