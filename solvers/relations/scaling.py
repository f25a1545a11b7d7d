"""Compute-optimal models, predicted loss, and the trade of steps against examples around the critical batch."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from solvers.catalogue import CATALOGUE
from solvers.expr.tree import Expr, Text, equal, number, symbol, when
from solvers.relation import RELATIONS, Relation, Slip
from solvers.sources_speed import CHINCHILLA, CHINCHILLA_FITS, KAPLAN_BATCH, LARGE_BATCH

if TYPE_CHECKING:
    from collections.abc import Mapping

_declare = CATALOGUE.declare

_APPROACHES: Final = ("20-tokens", "approach-1", "approach-2", "approach-3", "parametric")
_declare("scaling.approach", "which rule of the optimum: 20-tokens per parameter; approach-1, -2, -3 of Chinchilla "
         "(power laws through its tables); parametric (the fitted loss of scaling.fit)", letter="approach",
         choices=_APPROACHES, default=Text("20-tokens"), example="approach-1")
_declare("scaling.fit", "whose fit of the loss E + A/N^α + B/D^β", letter="fit",
         choices=("hoffmann-2022", "besiroglu-2024"), default=Text("hoffmann-2022"), example="besiroglu-2024")
_declare("scaling.flops", "compute budget", "FLOP", letter="C", default=symbol("compute.training_flops"),
         statable=True, example="1e24 FLOP")
_declare("scaling.tokens_per_parameter", "tokens for each parameter, in the rule of that name", "token/param",
         letter="r", default=number(20, "token/param"), example="20 token/param")
_declare("scaling.parameters", "parameters of the compute-optimal model", "param", letter="N", statable=True, bare=True,
         example="70e9")
_declare("scaling.tokens", "tokens of the compute-optimal training", "token", letter="D", statable=True, bare=True,
         example="1.4e12")
_declare("scaling.loss", "predicted loss, nats per token", letter="loss")
for _name, _letter in (("irreducible", "E"), ("parameter_term", "A"), ("token_term", "B"), ("parameter_power", "α"),
                       ("token_power", "β")):
    _declare(f"scaling.{_name}", f"{_letter} of the fitted loss E + A/N^α + B/D^β", letter=_letter)
_declare("scaling.balance", "(α A / β B)^(1/(α+β)), which divides the budget", letter="G")

_C: Final = symbol("scaling.flops") / number(1, "FLOP")
_SIX: Final = number(6, "FLOP/param/token")
_OLD: Final = equal(symbol("scaling.fit"), Text("hoffmann-2022"))


def _by(name: str) -> Expr:
    return equal(symbol("scaling.approach"), Text(name))


_APPROACH: Final = {
    _by("20-tokens"): ("with D = r N the budget is 6 r N²", ""),
    _by("approach-1"): ("the envelope of training curves", ""),
    _by("approach-2"): ("the minima of curves of equal compute", ""),
    _by("approach-3"): ("the fitted loss, as the paper's table gives it",
                        "the fitted loss, with its printed constants"),
}


def _law(flops: str, parameters: str, power: str) -> Expr:
    """A power law through one row of a published table."""
    return number(parameters, "param") * (_C / number(flops)) ** number(power)


_FITS: Final = {
    "irreducible": ("1.69", "1.8172"), "parameter_term": ("406.4", "482.01"), "token_term": ("410.7", "2085.43"),
    "parameter_power": ("0.34", "0.3478"), "token_power": ("0.28", "0.3658"),
}
for _name, (_hoffmann, _besiroglu) in _FITS.items():
    RELATIONS.add(Relation(
        f"scaling.{_name}", when(_OLD, number(_hoffmann), number(_besiroglu)),
        "A fitted constant.", CHINCHILLA_FITS,
        ("Constants as printed; replication found the first fit's to be rounded and off.",),
        reasons={_OLD: ("as Hoffmann and others print them", "as Besiroglu and others fit them anew")},
    ))
_E, _A, _B, _ALPHA, _BETA = (symbol(f"scaling.{name}") for name in _FITS)
RELATIONS.add(Relation(
    "scaling.balance", (_ALPHA * _A / (_BETA * _B)) ** (1 / (_ALPHA + _BETA)),
    "Where a FLOP more for parameters and for tokens lowers the loss alike.", CHINCHILLA,
))
RELATIONS.add(Relation(
    "scaling.parameters",
    when(_by("20-tokens"),
         (symbol("scaling.flops") / (_SIX * symbol("scaling.tokens_per_parameter"))) ** number(Fraction(1, 2)),
         when(_by("approach-1"), _law("1.21e20", "1e9", "0.50"),
              when(_by("approach-2"), _law("1.20e20", "1e9", "0.49"),
                   when(_by("approach-3"), _law("1.62e20", "1e9", "0.46"),
                        number(1, "param") * symbol("scaling.balance")
                        * (_C / 6) ** (_BETA / (_ALPHA + _BETA)))))),
    "Parameters and tokens grow together, each about with the root of the budget.", CHINCHILLA,
    ("C = 6 N D: no attention, no recomputation; one pass over the data; training alone, not later use.",
     "Approaches 1 to 3: the printed exponents, through the table's row of 1e9 parameters."),
    (
        Slip("tokens-for-parameters", "That is the number of tokens.", expr=symbol("scaling.tokens") *
             number(1, "param/token")),
        Slip("no-root", "The budget grows with the square: take the root.",
             expr=symbol("scaling.flops") / (_SIX * symbol("scaling.tokens_per_parameter"))
             / number(1, "param")),
    ),
    reasons=_APPROACH,
))
_N, _D = symbol("scaling.parameters") / number(1, "param"), symbol("scaling.tokens") / number(1, "token")
_R: Final = symbol("scaling.tokens_per_parameter") / number(1, "token/param")
_ROWS: Final = {"approach-1": ("1.21e20", "0.50"), "approach-2": ("1.20e20", "0.49"), "approach-3": ("1.62e20", "0.46")}


def _budget(by_rule: Expr, by_row: Mapping[str, Expr], by_fit: Expr) -> Expr:
    """The budget in FLOP, by each approach."""
    rows = when(_by("approach-1"), by_row["approach-1"], when(_by("approach-2"), by_row["approach-2"], when(
        _by("approach-3"), by_row["approach-3"], by_fit)))
    return number(1, "FLOP") * when(_by("20-tokens"), by_rule, rows)


RELATIONS.add(Relation(
    "scaling.flops", _SIX * symbol("scaling.parameters") * symbol("scaling.tokens"),
    "C = 6 N D.", CHINCHILLA, stated=("scaling.parameters", "scaling.tokens"),
))
RELATIONS.add(Relation(
    "scaling.flops",
    _budget(6 * _R * _N ** 2,
            {name: number(flops) * (_N / number(10**9)) ** (1 / number(power))
             for name, (flops, power) in _ROWS.items()},
            6 * (_N / symbol("scaling.balance")) ** ((_ALPHA + _BETA) / _BETA)),
    "The budget for which so many parameters are optimal.", CHINCHILLA, stated=("scaling.parameters",),
    reasons=_APPROACH,
))
RELATIONS.add(Relation(
    "scaling.flops",
    _budget(6 * _D ** 2 / _R,
            {name: (6 * number(10**9) * _D / number(flops) ** number(power)) ** (1 / (1 - number(power)))
             for name, (flops, power) in _ROWS.items()},
            6 * (_D * symbol("scaling.balance")) ** ((_ALPHA + _BETA) / _ALPHA)),
    "The budget for which so many tokens are optimal.", CHINCHILLA, stated=("scaling.tokens",), reasons=_APPROACH,
))
RELATIONS.add(Relation(
    "scaling.tokens", symbol("scaling.flops") / (_SIX * symbol("scaling.parameters")),
    "The rest of the budget: C = 6 N D.", CHINCHILLA,
))
RELATIONS.add(Relation(
    "scaling.loss",
    _E + _A / (symbol("compute.parameters") / number(1, "param")) ** _ALPHA
    + _B / (symbol("compute.training_tokens") / number(1, "token")) ** _BETA,
    "What no model removes, what more parameters remove, and what more tokens remove.", CHINCHILLA,
    ("A fit to one data set and tokenizer; nats per token.",),
))

_declare("batch.critical", "critical batch: where twice the least steps and twice the least examples are needed",
         "token", letter="B_crit", statable=True, bare=True, example="4e6")
_declare("batch.loss", "loss at which the critical batch is taken, nats per token", letter="loss", example="2.5")
_declare("batch.least_steps", "steps with a batch without limit", letter="S_min", example="10000")
_declare("batch.steps_needed", "steps to the same loss with the stated batch", letter="S")
_declare("batch.least_tokens", "tokens with a batch of next to nothing", "token", letter="E_min", statable=True,
         bare=True, example="1e10")
_declare("batch.tokens_needed", "tokens to the same loss with the stated batch", "token", letter="E", bare=True)
_declare("batch.steps_over_least", "steps over the least, at the stated batch", letter="S/S_min")
_declare("batch.tokens_over_least", "tokens over the least, at the stated batch", letter="E/E_min")

_BATCH, _CRITICAL = symbol("batch.tokens_per_step"), symbol("batch.critical")
_TRADE: Final = "(S/S_min − 1) (E/E_min − 1) = 1, to the same loss."
RELATIONS.add(Relation(
    "batch.critical", number("2e8", "token") / symbol("batch.loss") ** number(Fraction(100, 21)),
    "The lower the loss, the larger the useful batch.", KAPLAN_BATCH,
    ("B* = 2e8 tokens and a power of 1/0.21, as fitted by Kaplan and others on WebText2.",),
    stated=("batch.loss",),
))
RELATIONS.add(Relation(
    "batch.critical", symbol("batch.least_tokens") / symbol("batch.least_steps"),
    "The critical batch is where both limits meet.", LARGE_BATCH, (_TRADE,),
    stated=("batch.least_tokens", "batch.least_steps"),
))
RELATIONS.add(Relation(
    "batch.steps_over_least", 1 + _CRITICAL / _BATCH,
    "Below the critical batch steps fall with the batch, above it hardly.", LARGE_BATCH, (_TRADE,),
    (Slip("linear", "Above the critical batch more data parallelism does not divide the steps.",
          expr=_CRITICAL / _BATCH),),
))
RELATIONS.add(Relation(
    "batch.tokens_over_least", 1 + _BATCH / _CRITICAL,
    "Above the critical batch tokens are spent for nothing.", LARGE_BATCH, (_TRADE,),
))
RELATIONS.add(Relation(
    "batch.least_tokens", symbol("batch.least_steps") * _CRITICAL,
    "The critical batch is where both limits meet.", LARGE_BATCH, (_TRADE,),
))
RELATIONS.add(Relation(
    "batch.steps_needed", symbol("batch.least_steps") * symbol("batch.steps_over_least"),
    "The least steps, and as many more as the noise of a small batch costs.", LARGE_BATCH,
))
RELATIONS.add(Relation(
    "batch.tokens_needed", symbol("batch.least_tokens") * symbol("batch.tokens_over_least"),
    "The least tokens, and as many more as a large batch wastes.", LARGE_BATCH,
))
