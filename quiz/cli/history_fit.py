"""`shardwise history fit`: fit the memory model to the learner's own answers, where that predicts them better."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from quiz.cli.outcome import DONE, NEGATIVE, OUTSIDE, Failure

if TYPE_CHECKING:
    import argparse

    from quiz.scheduling.fit import Fit
    from quiz.session.events import SettingChange
    from quiz.store import Store

HELP = "fit the memory model to your answers; it is accepted only where it predicts the later ones better"
WEIGHTS = "weights"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the way back and the form of the output."""
    parser.add_argument("--back", action="store_true", help="put the weights before the last change back")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.epilog = (
        "The earlier reviews train, the later fifth judges. Accepted weights hold from now on: no day that was\n"
        "promised moves. Needs the extra: python -m pip install 'shardwise[fit]'\n\n"
        "examples:\n  shardwise history fit\n  shardwise history fit --back\n\n"
        "exit codes: 0 accepted or put back, 1 not accepted, with the reason, 3 the extra is not installed, or the\n"
        "history cannot be used"
    )


def run(args: argparse.Namespace) -> int:
    """Fit, or go back."""
    from quiz.cli.history import history_path
    from quiz.store import Store

    with Store.open(history_path()) as store:
        return _back(store) if args.back else _fit(store, as_json=args.json)


def _fit(store: Store, *, as_json: bool) -> int:
    from quiz.scheduling.fit import NotInstalled, fit
    from quiz.session.answers import by_card
    from quiz.store import Damaged

    settings = store.settings()
    histories = by_card(event for event in store.events() if not isinstance(event, Damaged))
    try:
        found = fit(histories, settings.weights, relearning_steps=len(settings.relearning_steps))
    except NotInstalled as missing:
        raise Failure(
            "fitting needs the extra `fit`, the package fsrs-rs-python, which is not installed here.\n"
            f"Install it: {sys.executable} -m pip install 'shardwise[fit]'",
            code=OUTSIDE,
        ) from missing
    if found.accepted:
        value = {
            "values": list(found.weights),
            "reviews": found.reviews,
            "before": round(found.before, 6),
            "after": round(found.after, 6),
        }
        _keep(store, value)
    if as_json:
        _print_json(found)
    else:
        print("\n".join(told(found, fitted=bool(settings.weights))))
    return DONE if found.accepted else NEGATIVE


def told(found: Fit, *, fitted: bool) -> list[str]:
    """What came of it, a line each; `fitted` says that the weights of now are fitted ones."""
    if found.refused:
        return [f"Nothing was changed: {found.why}."]
    share = 100 * found.gain / found.before
    lines = [
        f"reviews   {found.reviews:,} of {found.cards:,} questions",
        f"trained   {found.trained:,} of them; {found.held_out:,} judged, those from {found.since} on",
        f"now       log loss {found.before:.4f} ({'fitted' if fitted else 'default'} weights)",
        f"fitted    log loss {found.after:.4f}",
        f"gain      {found.gain:+.4f}, standard error {found.error:.4f} ({share:+.1f} %)",
    ]
    if found.accepted:
        lines.append("Accepted: they hold from now on, and no day that was promised moves.")
        lines.append("The weights before are kept: shardwise history fit --back")
    else:
        lines.append("Not accepted, nothing was changed: the gain has to be more than its standard error.")
    return lines


def _print_json(found: Fit) -> None:
    import json

    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(found)
    data["gain"] = found.gain
    if found.refused:  # nothing was measured
        data |= dict.fromkeys(("before", "after", "error", "gain"))
    print(json.dumps({**data, "accepted": found.accepted}, ensure_ascii=False, indent=2))


def _back(store: Store) -> int:
    changes = _changes(store)
    if not changes or (len(changes) == 1 and changes[0].value is None):
        raise Failure("the weights were never changed: they are the default ones.", code=NEGATIVE)
    value = changes[-2].value if len(changes) > 1 else None
    _keep(store, value)
    reviews = value.get("reviews") if isinstance(value, dict) else None
    fitted = f"those fitted to {reviews:,} reviews" if isinstance(reviews, int) else "fitted ones"
    which = "the default ones" if value is None else fitted
    print(f"The weights before the last change hold again: {which}.")
    return DONE


def _changes(store: Store) -> list[SettingChange]:
    """The changes of the weights that this program can read, in order."""
    from quiz.scheduling.settings import Settings
    from quiz.session.events import SettingChange

    found = []
    for event in store.of_kind("setting"):
        if isinstance(event, SettingChange) and event.name == WEIGHTS:
            try:
                Settings().with_value(WEIGHTS, event.value)
            except ValueError:
                continue  # as in force: what cannot be read changes nothing
            found.append(event)
    return found


def _keep(store: Store, value: object) -> None:
    from quiz.scheduling.calendar import offset_minutes, utc
    from quiz.session.events import SettingChange
    from quiz.tui.desk import wall_clock

    local = wall_clock()
    now = utc(local)
    store.append(SettingChange(store.new_id(now), now, offset_minutes(local), WEIGHTS, value))
