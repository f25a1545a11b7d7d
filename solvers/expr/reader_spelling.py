"""What people type for signs, units and counts, and the strict spelling that each stands for.

Every table is data: a spelling that is not here is refused with its place, never guessed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from solvers.expr.units import BINARY_PREFIXES, DECIMAL_PREFIXES, SMALL_PREFIXES, UNITS

_MINUS: Final = "−–—‐‑‒―﹣"  # noqa: RUF001 - these are what people type
_TIMES: Final = "×·⋅∙•∗✕✖\u2a2f"
_DIVIDE: Final = "÷∕⁄"
_SPACES: Final = "\t\r\n\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

# One character becomes one character, so that a place in the translated text is a place in the typed one.
SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys(_MINUS, "-"),
        **dict.fromkeys(_TIMES, "*"),
        **dict.fromkeys(_DIVIDE, "/"),
        **dict.fromkeys(_SPACES, " "),
        "’": "'",
        "≈": "~",
        "\u223c": "~",
        "≃": "~",
        "µ": "μ",
        "Ω": "Ω",
        **{chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(94)},
    }
)
RANGE_DASHES: Final = frozenset("–—")

LETTERS: Final = "A-Za-z\u0391-\u03a9\u03b1-\u03c9"
"""What names are made of, for a character class: Latin and Greek letters."""
SUPERSCRIPTS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
VULGAR: Final = {
    "½": Fraction(1, 2),
    "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
    "⅓": Fraction(1, 3),
    "⅔": Fraction(2, 3),
    "⅛": Fraction(1, 8),
    "⅜": Fraction(3, 8),
    "⅝": Fraction(5, 8),
    "⅞": Fraction(7, 8),
}

_THOUSAND: Final = {
    "k": 3,
    "K": 3,
    "M": 6,
    "G": 9,
    "B": 9,
    "b": 9,
    "bn": 9,
    "Bn": 9,
    "T": 12,
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "mio": 6,
    "mn": 6,
    "tn": 12,
    "hundred": 2,
    "mln": 6,
    "bln": 9,
}
COUNT_SUFFIXES: Final[dict[str, Fraction]] = {
    **{name: Fraction(10) ** power for name, power in _THOUSAND.items()},
    **{
        form: Fraction(10) ** _THOUSAND[name]
        for name in ("thousand", "million", "billion", "trillion")
        for form in (name + "s", name.capitalize(), name.upper())
    },
    **{name: Fraction(2) ** power for name, power in BINARY_PREFIXES.items()},
}
# A letter that is a count in one place and a unit in another: 70B is 70e9 or 70 bytes.
TWO_MEANINGS: Final = {"B": "bytes", "b": "bits"}

CONSTANTS: Final = {
    "pi": Fraction("3.1415926535897932384626433832795028841971693993751"),
    "π": Fraction("3.1415926535897932384626433832795028841971693993751"),
    "e": Fraction("2.7182818284590452353602874713526624977572470936999"),
}
FUNCTION_NAMES: Final = {"ceiling": "ceil", "log_2": "log2", "log_10": "log10", "lb": "log2", "lg": "log10",
                         "arcsin": "asin", "arccos": "acos", "arctan": "atan", "tg": "tan"}  # fmt: skip
GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "\u03b9": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "\u03c5": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
GREEK_LETTERS: Final = {name: letter for letter, name in GREEK.items()}
FILLERS: Final = (
    "each", "apiece", "total", "altogether", "in total", "overall",
    "(?:of )?(?:GPU )?(?:HBM[23]?e?|VRAM|RAM|memory|storage|bandwidth|compute)",
    "of (?:states?|weights|gradients|activations|traffic|data|space)",
)  # fmt: skip
ABOUT: Final = (
    "on the order of", "of the order of", "order of", "approximately", "approx.", "approx", "about", "around",
    "roughly", "circa", "ca.", "~", "=",
)  # fmt: skip

_WORDS: Final = {
    "B": "byte bytes Byte Bytes octet octets", "bit": "bits Bit Bits",
    "s": "sec secs second seconds Sec", "min": "mins minute minutes", "h": "hr hrs hour hours",
    "day": "days d", "week": "weeks wk wks", "year": "years yr yrs",
    "FLOP": "FLOPs flop flops Flop Flops FLOPS", "W": "watt watts Watt", "J": "joule joules Joule",
    "$": "USD usd dollar dollars bucks", "%": "percent pct",
    "param": "params parameter parameters", "token": "tokens tok toks",
    "GPU": "GPUs gpu gpus chip chips card cards device devices accelerator accelerators rank ranks",
    "node": "nodes machine machines host hosts", "layer": "layers block blocks",
    "step": "steps iteration iterations iter iters", "sequence": "sequences seq seqs sample samples",
}  # fmt: skip
_PREFIX_WORDS: Final = {
    "kilo": "k",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "peta": "P",
    "exa": "E",
    "kibi": "Ki",
    "mebi": "Mi",
    "gibi": "Gi",
    "tebi": "Ti",
    "pebi": "Pi",
}
FLOP_WORDS: Final = frozenset({"FLOP", "FLOPs", "flop", "flops", "Flop", "Flops", "FLOPS"})


# All in small letters a byte is meant; with a prefix as it should be, `b` is a bit (`Gb`, `kb`).
SMALL_LETTER_BYTES: Final = {
    f"{prefix.lower()}b": f"{prefix}B" for prefix in (*DECIMAL_PREFIXES, *BINARY_PREFIXES) if prefix.lower() != prefix
}


def _spellings() -> dict[str, str]:
    table = {name: name for name in UNITS if name not in {"FLOPs", "flop", "flops"}}
    for name, words in _WORDS.items():
        table[name] = name
        table.update(dict.fromkeys(words.split(), name))
    decimal = {**{prefix: prefix for prefix in DECIMAL_PREFIXES}, "K": "k"}
    binary = {prefix: prefix for prefix in BINARY_PREFIXES}
    for typed, prefix in {**decimal, **binary}.items():
        table.update(dict.fromkeys(_each(typed, "B", "Byte", "Bytes", "byte", "bytes"), f"{prefix}B"))
        table.update(dict.fromkeys(_each(typed, "b", "bit", "bits", "Bit", "Bits"), f"{prefix}bit"))
        table.update(dict.fromkeys(_each(typed, "Bps", "B/s"), f"{prefix}B/s"))
        table.update(dict.fromkeys(_each(typed, "bps", "bitps"), f"{prefix}bit/s"))
        table.update(dict.fromkeys(_each(typed.lower(), "byte", "bytes"), f"{prefix}B"))
        table.update(dict.fromkeys(_each(typed.lower(), "bit", "bits"), f"{prefix}bit"))
        table[f"{typed.lower()}bps"] = f"{prefix}bit/s"
    table.update(SMALL_LETTER_BYTES)
    table.update(dict.fromkeys(("gig", "gigs"), "GB"))
    for typed, prefix in decimal.items():
        table[f"{typed}Hz"] = f"{prefix}Hz"
        table.update(dict.fromkeys(_each(typed, *FLOP_WORDS), f"{prefix}FLOP"))
        table.update(dict.fromkeys(_each(typed.lower(), "flop", "flops"), f"{prefix}FLOP"))
        table.update(dict.fromkeys(_each(typed, "W"), f"{prefix}W"))
        table.update(dict.fromkeys(_each(typed, "Wh"), f"{prefix}Wh"))
        table.update(dict.fromkeys(_each(typed, "J", "joule", "joules"), f"{prefix}J"))
    for word, prefix in _PREFIX_WORDS.items():
        for start in (word, word.capitalize()):
            table.update(dict.fromkeys(_each(start, "byte", "bytes"), f"{prefix}B"))
            table.update(dict.fromkeys(_each(start, "bit", "bits"), f"{prefix}bit"))
            if len(prefix) == 1:
                table.update(dict.fromkeys(_each(start, "flop", "flops", "FLOP", "FLOPs"), f"{prefix}FLOP"))
                table.update(dict.fromkeys(_each(start, "watt", "watts"), f"{prefix}W"))
    for typed, prefix in {**{prefix: prefix for prefix in SMALL_PREFIXES}, "μ": "µ"}.items():
        table[f"{typed}s"] = f"{prefix}s"
        table.update(dict.fromkeys(_each(typed, "sec", "secs"), f"{prefix}s"))
    for word, prefix in {"milli": "m", "micro": "µ", "nano": "n"}.items():
        table.update(dict.fromkeys(_each(word, "second", "seconds", "sec"), f"{prefix}s"))
    table.update(_rates_and_days())
    table.update(dict.fromkeys(("GPUh", "GPUhr", "GPUhrs", "GPUhours"), "GPU-h"))
    return table


def _rates_and_days() -> dict[str, str]:
    """`989 TF` is TFLOP/s where a rate is asked for; `PFdays` and the `pfs` of `pfs-days` are of PFLOP/s."""
    table: dict[str, str] = {}
    for prefix in "TPE":
        table[f"{prefix}F"] = f"{prefix}FLOP"
        for start in (f"{prefix}F", f"{prefix.lower()}f"):
            table.update(dict.fromkeys(_each(start, "day", "days"), f"{prefix}FLOP/s-day"))
            table[f"{start}s"] = f"{prefix}FLOP/s"
    return table


def _each(start: str, *ends: str) -> list[str]:
    return [start + end for end in ends]


UNIT_SPELLINGS: Final = _spellings()
# Words of English, which a telephone begins with a capital and a sign writes in capitals; not `sec` and `min`.
UNIT_WORDS: Final = frozenset(
    word for words in _WORDS.values() for word in words.split() if len(word) > 3 and word.islower()  # noqa: PLR2004
)
