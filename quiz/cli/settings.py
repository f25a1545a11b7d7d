"""`shardwise settings`: what the learner may set, with its bounds; each change is an event of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli.guard import say
from quiz.cli.outcome import DONE, USAGE, Failure
from quiz.cli.parser import CommandParser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from datetime import date

    from quiz.scheduling.settings import Settings
    from quiz.store import Store

NAME = "settings"
HELP = "Show what can be set, with its bounds, and set it. A change holds from now on; the past stays as it was."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    parser.add_argument("--json", action="store_true", help="print the settings as JSON")
    parser.set_defaults(act=_show)
    parser.epilog = (
        "examples:\n  shardwise settings\n  shardwise settings set new_per_day 20\n"
        "  shardwise settings set retention.memory-budget 0.95\n"
        "  shardwise settings set interview_date 3 March\n  shardwise settings reset interview_date\n\n"
        "exit codes: 0 done, 2 no such setting or a value out of bounds, 3 the history cannot be used"
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", parser_class=CommandParser)

    def action(name: str, act: Callable[[argparse.Namespace], int], help_: str) -> argparse.ArgumentParser:
        from quiz.cli.practice import add_bank

        added = actions.add_parser(name, help=help_, description=f"{help_[0].upper()}{help_[1:]}.")
        added.set_defaults(act=act)
        added.add_argument("name", metavar="NAME", help="a name that `shardwise settings` lists")
        if name == "set":
            added.add_argument("value", nargs="+", metavar="VALUE")
        add_bank(added)
        return added

    change = action("set", _set, "change a setting from now on")
    change.epilog = "example:\n  shardwise settings set easy_days sat sun"
    reset = action("reset", _reset, "put the default back, from now on")
    reset.epilog = "example:\n  shardwise settings reset new_per_day"


def run(args: argparse.Namespace) -> int:
    """Do it; what stands in the way becomes a sentence and its exit code."""
    from quiz.store import StoreError

    try:
        code: int = args.act(args)
    except StoreError as error:
        raise Failure(str(error), code=error.code) from error
    return code


def _show(args: argparse.Namespace) -> int:
    from quiz.scheduling import spoken

    now = _in_force()
    if args.json:
        import json

        import msgspec

        held = msgspec.to_builtins(now)
        held["retention_by_topic"] = dict(held.pop("retentions"))
        print(json.dumps(held, ensure_ascii=False, indent=2))
        return DONE
    rows = []
    for name in spoken.names([topic for topic, _ in now.retentions]):
        told = spoken.told(name)
        rows.append((name, spoken.shown(name, spoken.value_of(now, name)), f"{told.what} ({told.allowed})"))
    topic = spoken.TOLD["retention.TOPIC"]
    rows.append(("retention.TOPIC", "", f"{topic.what} ({topic.allowed})"))
    names, values = (max(len(row[place]) for row in rows) for place in (0, 1))
    for name, value, what in rows:
        print(f"{name:<{names}}  {value:<{values}}  {what}".rstrip())
    if now.weights:
        print("\nThe model's weights are fitted to your history; `shardwise history fit` says how.")
    return DONE


def _set(args: argparse.Namespace) -> int:
    from quiz.scheduling import spoken

    name = _name(args)
    with _opened() as store:
        before = store.settings()
        try:
            value = spoken.heard(name, " ".join(args.value), _today(before))
            after = before.with_value(name, value)
        except ValueError as error:
            raise Failure(f"{error}. Nothing was changed.", code=USAGE) from error
        return _keep(store, name, value, before, after)


def _reset(args: argparse.Namespace) -> int:
    name = _name(args)
    with _opened() as store:
        before = store.settings()
        return _keep(store, name, None, before, before.with_value(name, None))


def _keep(store: Store, name: str, value: object, before: Settings, after: Settings) -> int:
    from quiz.scheduling import spoken
    from quiz.scheduling.calendar import offset_minutes, utc
    from quiz.session.events import SettingChange
    from quiz.tui.desk import wall_clock

    old, new = (spoken.shown(name, spoken.value_of(one, name)) for one in (before, after))
    if before == after:
        print(f"{name} is {new} already.")
        return DONE
    local = wall_clock()
    now = utc(local)
    store.append(SettingChange(store.new_id(now), now, offset_minutes(local), name, value))
    print(f"{name}: {new} from now on (it was {old}).")
    return DONE


def _name(args: argparse.Namespace) -> str:
    """The name of a setting; a topic as the bank spells it. Raises Failure."""
    from quiz.cli.nearest import nearest
    from quiz.cli.practice import one_of, open_bank
    from quiz.scheduling import spoken
    from quiz.scheduling.settings import PER_TOPIC
    from quiz.tui.ports import Trouble

    wanted: str = args.name.lower().replace("-", "_") if not args.name.startswith(PER_TOPIC) else args.name
    if wanted.startswith(PER_TOPIC):
        try:
            topics = sorted({entry.topic for entry in open_bank(args.bank).index})
        except Trouble as trouble:
            raise Failure(trouble.message, code=trouble.code) from trouble
        return PER_TOPIC + one_of("topic", wanted.removeprefix(PER_TOPIC), topics)
    names: Sequence[str] = spoken.names()
    if wanted in names:
        return wanted
    guess = nearest(wanted, names)
    hint = f"Did you mean {guess}?" if guess else f"The settings are: {', '.join(names)}."
    raise Failure(f"there is no setting {args.name!r}. {hint}", code=USAGE)


def _in_force() -> Settings:
    """The settings now; the defaults where there is no history yet."""
    from quiz.cli.history import history_path
    from quiz.scheduling.settings import Settings
    from quiz.store import Store, StoreError

    try:
        with Store.open(history_path(), read_only=True) as store:
            return store.settings()
    except StoreError as error:
        if error.kind == "missing":
            return Settings()
        raise


def _opened() -> Store:
    from quiz.cli.history import history_path
    from quiz.store import Store

    store = Store.open(history_path())
    for notice in store.notices:
        say(notice)
    return store


def _today(settings: Settings) -> date:
    from quiz.scheduling.calendar import effective_day, offset_minutes
    from quiz.tui.desk import wall_clock

    local = wall_clock()
    return effective_day(local, offset_minutes(local), rollover_hour=settings.rollover_hour)
