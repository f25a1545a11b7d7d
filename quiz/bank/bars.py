"""What one GPU holds, as a bar against its capacity, and the words of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quiz.bank.decide import Truth, difference
from quiz.bank.rendered import Bar, BarPart, Term
from quiz.bank.shown import percent_text
from quiz.bank.ways import meaning_of
from solvers.catalogue import CATALOGUE
from solvers.expr.evaluate import Quantity
from solvers.expr.show import show_quantity
from solvers.expr.tree import When, symbols, walk
from solvers.expr.units import parse_unit
from solvers.solver import MissingError
from solvers.verdict import fit

if TYPE_CHECKING:
    from quiz.bank.decide import Compared
    from quiz.bank.scope import Scope
    from solvers.verdict import Verdict

_GB: Final = parse_unit("GB")
_TERMS: Final[dict[str, Term]] = {
    "weights": "weights",
    "gradients": "gradients",
    "optimizer": "optimizer",
    "master copy": "optimizer",
    "moments": "optimizer",
    "activations": "activations",
    "buffers": "buffers",
}
SIGNS: Final = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}


def bar_in(scope: Scope) -> Bar | None:
    """The bar of a scope; None where the scenario does not say enough for one, or pins the state as a whole."""
    try:
        verdict = fit(scope.solver)
    except MissingError:
        return None
    sizes: dict[Term, Quantity] = {}
    given: set[Term] = set()
    for part in verdict.parts:
        term = _TERMS.get(part.term)
        if term is None:
            return None
        so_far = sizes.get(term)
        sizes[term] = Quantity(part.value.value + (so_far.value if so_far else 0), part.value.dimension)
        if part.given:
            given.add(term)
    parts = tuple(BarPart(term, float(size.value), shown_bytes(size), term in given) for term, size in sizes.items())
    binding = max(sizes, key=lambda term: sizes[term].value)
    return Bar(
        parts,
        float(verdict.total.value),
        shown_bytes(verdict.total),
        float(verdict.capacity.value),
        show_quantity(verdict.capacity, _GB),
        verdict.capacity_name,
        _margin_text(verdict),
        verdict.fits,
        binding,
    )


def shown_bytes(value: Quantity) -> str:
    """An amount of bytes in GB with one decimal, as verdicts spell it; what is below a gigabyte as it is."""
    return show_quantity(value, _GB, 1 if abs(value.value) >= _GB.factor else None)


def _margin_text(verdict: Verdict) -> str:
    left = Quantity(abs(verdict.margin.value), verdict.margin.dimension)
    amount = f"{shown_bytes(left)} ({percent_text(left.value / verdict.capacity.value)})"
    return f"{amount} free" if verdict.fits else f"{amount} too much"


def fit_words(bar: Bar) -> str:
    """Whether it fits, and by how much: `fits, 30.0 GB (37.5 %) free`."""
    return f"{'fits' if bar.fits else 'does not fit'}, {bar.margin_text}"


def fit_sentence(bar: Bar) -> str:
    """The verdict with its figures; where it does not fit, the term that weighs most."""
    sentence = f"{bar.total_text} of {bar.capacity_text}: {fit_words(bar)}"
    return sentence if bar.fits else f"{sentence}; the largest term is {bar.binding}"


def is_about_fit(compared: Compared) -> bool:
    """Whether a comparison sets memory of the catalogue against the capacity of a GPU.

    A sum of the author's own and the memory of adapters are not the total that a bar shows.
    """
    compare = compared.compare
    if "cluster.capacity_per_gpu" not in symbols(compare) or compare.operator not in ("<", "<="):
        return False
    return any(name.startswith("memory.") for name in symbols(compare.left))


def label_of(compared: Compared) -> str:
    """What is compared, in words: quantities by their short names, figures of the author by theirs; else empty."""
    said = compared.said
    if said is None or any(isinstance(node, When) for node in walk(said)) or any(map(_is_of_an_option, symbols(said))):
        said = compared.compare.left
    return meaning_of(said) if symbols(said) else ""


def _is_of_an_option(name: str) -> bool:
    """Whether a name is `option.quantity`, which is no name to be read."""
    return "." in name and name not in CATALOGUE


def compared_words(compared: Compared) -> str:
    """A comparison as a verdict: the figures, whether it holds, by how much."""
    sign = SIGNS[compared.compare.operator]
    holds = compared.truth is Truth.HOLDS
    label = label_of(compared)
    left, right = compared.left.text, compared.right.text
    line = f"{label} {left} {sign} {right}".lstrip()
    if label and sign == "=" and not holds:  # "state per GPU 280.8 GB = 17.5 GB: fails" reads as a false sum
        line = f"{label} {left}, not {right}"
    if compared.slack is None:
        return f"{line}: {'holds' if holds else 'fails'}"
    apart = difference(compared)
    # A share less a share is not a share of either: 40 % is 15 percentage points, and 60 %, over 25 %.
    by = f"{apart.text.removesuffix(' %')} percentage points" if apart.unit.name == "%" else apart.text
    if abs(compared.slack) < 1:  # beyond the whole of what is compared, a share of it says nothing
        by += f" ({percent_text(abs(compared.slack))})"
    return f"{line}: {'holds with ' + by + ' to spare' if holds else 'fails by ' + by}"
