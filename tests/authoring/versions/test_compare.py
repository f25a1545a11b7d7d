from __future__ import annotations

from quiz.authoring.versions.compare import Change, compare
from quiz.authoring.versions.snapshot import Snapshot, snapshot_of_file
from quiz.authoring.versions.told import as_markdown
from tests.trial_bank import CLAIM, NUMERIC, OPEN, ORDERING, STRATEGY


def version(*texts: str, variants: bool = True) -> Snapshot:
    found = Snapshot()
    for number, text in enumerate(texts):
        one = snapshot_of_file(text.encode(), f"{number}.yaml", variants=variants)
        found.questions |= one.questions
        found.unread |= one.unread
    return found


def changes(before: str, after: str, *, variants: bool = False) -> list[Change]:
    found = compare(version(before, variants=variants), version(after, variants=variants))
    return [change for one in found.changed for change in one.changes]


def test_the_same_bank_differs_in_nothing() -> None:
    every = (STRATEGY, NUMERIC, CLAIM, ORDERING, OPEN)
    found = compare(version(*every), version(*every))
    assert (found.is_empty, found.same, found.changed) == (True, 5, ())


def test_an_input_that_moves_shows_in_every_figure_that_rests_on_it() -> None:
    found = changes(STRATEGY, STRATEGY.replace("{input: 5 GB}", "{input: 30 GB}"))
    assert [(one.what, one.name, one.before, one.after) for one in found] == [
        ("figure", "room", "5 GB", "30 GB"),
        ("figure", "fewest", "19", "32"),
    ]
    assert all(one.variant == "base" for one in found)


def test_a_variant_that_both_have_is_compared_and_one_that_came_is_named() -> None:
    after = STRATEGY.replace("within: 3 %", "within: 5 %").replace(
        "model.parameters: [34e9, 70e9, 100e9]", "model.parameters: [34e9, 70e9, 90e9]"
    ).replace("{input: 5 GB}", "{input: 4 GB}")  # fmt: skip
    found = changes(STRATEGY, after, variants=True)
    assert found[0] == Change("tolerance", "then", "", "3 %", "5 %")
    rooms = [one.variant for one in found if one.name == "room"]
    assert rooms[0] == "base"
    assert "model.parameters=34000000000, memory.activations_per_gpu=10 GB" in rooms
    assert not [variant for variant in rooms if "100000000000" in variant]
    variants = {(one.name, one.before, one.after) for one in found if one.what == "variant"}
    assert ("model.parameters=90000000000, memory.activations_per_gpu=10 GB", None, "drawn") in variants
    assert ("model.parameters=100000000000, memory.activations_per_gpu=10 GB", "drawn", None) in variants


def test_a_key_that_moves_comes_first() -> None:
    found = changes(ORDERING, ORDERING.replace("order: descending", "order: ascending"))
    assert found[0] == Change("key", "", "base", "none, one, three", "three, one, none")


def test_an_option_is_compared_by_id_and_shows_text_and_standing() -> None:
    after = STRATEGY.replace("set: {layout.dp: cluster.gpus, layout.zero: 0}", "set: {layout.dp: 8, layout.zero: 0}")
    after = after.replace("Only the optimizer state sharded", "Nothing but the optimizer state sharded")
    found = changes(STRATEGY, after)
    assert (
        Change("option", "optimizer", "", "Only the optimizer state sharded", "Nothing but the optimizer state sharded")
        in found
    )
    gone = changes(STRATEGY, STRATEGY.replace("  nothing:\n", "  plain:\n"))
    assert {(one.name, one.after is None) for one in gone if one.what == "option"} == {
        ("nothing", True),
        ("plain", False),
    }


def test_digits_that_are_not_shown_are_compared_too() -> None:
    found = changes(NUMERIC, NUMERIC.replace("checkpoint.stall: 60 s", "checkpoint.stall: 60.0001 s"))
    hidden = [one for one in found if one.hidden]
    assert hidden
    assert all(one.before != one.after for one in hidden)


def test_a_renamed_question_is_the_same_question() -> None:
    after = NUMERIC.replace("id: how-often", "id: how-long\nrenamed_from: [how-often]")
    found = compare(version(NUMERIC, OPEN), version(after))
    assert (found.added, found.removed) == ((), ("say-it",))
    assert [(one.id, one.former, one.changes) for one in found.changed] == [("how-long", "how-often", ())]
    other = compare(version(NUMERIC), version(NUMERIC.replace("how-often", "how-long")))
    assert (other.added, other.removed) == (("how-long",), ("how-often",))


def test_wording_is_told_apart_from_figures() -> None:
    found = compare(version(OPEN), version(OPEN.replace("State first.", "The state first.")))
    (one,) = found.changed
    assert (one.changes, one.wording, found.moved) == ((), ("sketch",), 0)


def test_a_question_that_broke_is_told_and_the_others_are_compared() -> None:
    undecided = CLAIM.replace("== whole", "> whole")
    odd = NUMERIC.replace("kind: numeric", "kind: odd")
    found = compare(version(CLAIM, NUMERIC, OPEN), version(undecided, odd, OPEN))
    assert list(found.unread_after) == ["1.yaml"]
    assert (found.removed, found.same) == ((), 1)
    (one,) = found.changed
    said = "the key is not decided: kept_whole is within 5.0 % of the edge"
    assert one.changes == (Change("trouble", "", "", None, said),)


def test_markdown_holds_each_change_in_a_row_and_escapes_what_it_quotes() -> None:
    hostile = OPEN.replace("title", "x").replace("say-it", "say-it").replace("State first.", "| <b> `x`")
    found = compare(version(STRATEGY, OPEN), version(STRATEGY.replace("input: 5 GB", "input: 4 GB"), hostile))
    page = as_markdown(found, "old|<b>", "new")
    assert page.startswith(
        "# old\\|\\<b\\> → new\n\n1 question with other keys, figures or options; 1 in wording alone;"
    )
    assert "| figure `room` | the author's | 5 GB | 4 GB |" in page
    assert "In the file: `sketch`." in page


def test_what_was_drawn_is_told_as_prose_shows_it() -> None:
    """With more digits only where that would be another number."""
    axes = "model.parameters: [34e9, 70e9, 100e9]"
    after = STRATEGY.replace(axes, "model.parameters: [34e9, 70e9, 90000000100]")
    told = as_markdown(compare(version(STRATEGY), version(after)), "old", "new")
    assert "| variant `model.parameters 100B, memory.activations_per_gpu 10 GB` |  | drawn | – |" in told
    assert "| variant `model.parameters 90,000,000,100 param, memory.activations_per_gpu 10 GB` |" in told
    assert "00000000" not in told
    after = STRATEGY.replace("room: {input: 5 GB}", "room: {input: 6 GB}")
    assert "| figure `room` | `model.parameters 34B, memory.activations_per_gpu 10 GB` | 5 GB | 6 GB |" in as_markdown(
        compare(version(STRATEGY), version(after)), "old", "new"
    )


def test_digits_that_are_not_shown_are_told_in_the_unit_that_is() -> None:
    (change,) = changes(STRATEGY, STRATEGY.replace("room: {input: 5 GB}", "room: {input: 5.000001 GB}"))
    assert (change.before, change.after, change.hidden) == ("5 GB", "5.000001 GB", True)


def test_a_slip_that_gives_another_value_or_is_gone_is_told() -> None:
    line = next(line for line in NUMERIC.splitlines(keepends=True) if "id: no-two" in line)
    assert [(one.what, one.name, one.after) for one in changes(NUMERIC, NUMERIC.replace(line, ""))] == [
        ("slip", "no-two", None)
    ]
    (other,) = changes(NUMERIC, NUMERIC.replace("is: sqrt(checkpoint.stall *", "is: 3 * sqrt(checkpoint.stall *"))
    assert (other.what, other.name, other.before, other.after) == ("slip", "no-two", "13.62 min", "40.87 min")


def test_what_else_is_asked_of_an_answer_is_told() -> None:
    (change,) = changes(NUMERIC, NUMERIC.replace("within: 3 %", "within: 3 %, need_unit: false"))
    assert (change.what, change.name) == ("acceptance", "answer")
    assert (change.before, change.after) == ("a unit is needed", "a bare number is in min")


def test_a_quantity_that_a_text_shows_instead_of_another_is_told() -> None:
    found = changes(
        CLAIM, CLAIM.replace("for {{ layout.dp }} GPUs", "at {{ layout.dp | 0 }} for {{ model.parameters }}")
    )
    assert [(one.what, one.name, one.before, one.after) for one in found] == [
        ("figure", "model.parameters", None, "70B")
    ]
    under = changes(CLAIM, CLAIM.replace("stay whole\n", "stay whole, {{ memory.weights_per_gpu }}\n"))
    assert [(one.what, one.name, one.after) for one in under if one.what == "figure"] == [
        ("figure", "memory.weights_per_gpu (kept_whole)", "140 GB")
    ]
