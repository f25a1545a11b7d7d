"""From tokens to the tree, by precedence climbing with a bounded depth.

`or` < `and` < `not` < comparison < `+ -` < `* /` and (lenient) a product without a sign < minus < `^`, which
groups to the right. A product without a sign ranks as `*`: `1/2N` is `(1/2) × N`, and the echo shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from solvers.expr.reader_limits import MAX_DEPTH, MAX_IRRATIONAL, ReadError, shown
from solvers.expr.tree import (
    FUNCTIONS,
    Binary,
    Call,
    Compare,
    Comparison,
    Expr,
    Logic,
    Negative,
    Number,
    Operator,
    Symbol,
    Text,
    When,
)

if TYPE_CHECKING:
    from solvers.expr.reader_tokens import Token

COMPARISONS: Final = ("<", "<=", "==", "!=", ">=", ">")
_COMPARING: Final = frozenset(COMPARISONS)
_ADDING: Final = frozenset("+-")
_SCALING: Final = frozenset("*/")
_RAISING: Final = frozenset("^")
_STARTS: Final = frozenset({"number", "name", "function", "("})
_WHEN_PARTS: Final = 3
_RATIONAL: Final = frozenset({"min", "max", "ceil", "floor", "abs"})


def parse(source: str, tokens: list[Token], *, lenient: bool) -> Expr:
    """Build the tree of `tokens` (closed by an `end`); raises `ReadError` at the token that cannot follow.

    Lenient text has products without a sign and no conditions; strict text has conditions and no such products.
    """
    return _Parser(source, tokens, lenient=lenient).whole()


class _Parser:
    def __init__(self, source: str, tokens: list[Token], *, lenient: bool) -> None:
        self._source = source
        self._tokens = tokens
        self._lenient = lenient
        self._at = 0
        self._depth = 0
        self._irrational = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _advance(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _is_sign(self, signs: frozenset[str]) -> bool:
        token = self._tokens[self._at]
        return token.text in signs and token.kind == "operator"

    def _is_word(self, word: str) -> bool:
        return self._next.kind == "word" and self._next.text == word

    def _refusal(self, token: Token, reason: str, hint: str = "") -> ReadError:
        return ReadError(self._source, token.start, token.end, reason, hint)

    def whole(self) -> Expr:
        expr = self._top()
        token = self._next
        if token.kind == "end":
            return expr
        raise self._cannot_follow(token)

    def _cannot_follow(self, token: Token) -> ReadError:
        written = shown(self._source[token.start : token.end]) or "the raised digits"
        if token.kind == ")":
            return self._refusal(token, "This parenthesis was never opened.")
        if token.kind in _STARTS or token.kind in ("string", "word"):
            product = f"For a product write * before {written}."
            hint = "Two numbers need a sign between them." if token.kind == "number" else product
            return self._refusal(token, f"A sign is missing before {written}.", hint)
        if token.text in COMPARISONS:
            return self._refusal(token, "A comparison has two sides.", "Join two comparisons by `and`.")
        return self._refusal(token, f"{written} cannot stand here.")

    def _top(self) -> Expr:
        return self._sum() if self._lenient else self._either()

    def _either(self) -> Expr:
        operands = [self._both()]
        while self._is_word("or"):
            self._advance()
            operands.append(self._both())
        return operands[0] if len(operands) == 1 else Logic("or", tuple(operands))

    def _both(self) -> Expr:
        operands = [self._negated()]
        while self._is_word("and"):
            self._advance()
            operands.append(self._negated())
        return operands[0] if len(operands) == 1 else Logic("and", tuple(operands))

    def _negated(self) -> Expr:
        if not self._is_word("not"):
            return self._comparison()
        token = self._advance()
        self._deeper(token)
        operand = self._negated()
        self._depth -= 1
        return Logic("not", (operand,))

    def _comparison(self) -> Expr:
        left = self._sum()
        if not self._is_sign(_COMPARING):
            return left
        sign = cast("Comparison", self._advance().text)
        return Compare(sign, left, self._sum())

    def _sum(self) -> Expr:
        left = self._product()
        while self._is_sign(_ADDING):
            sign = cast("Operator", self._advance().text)
            left = Binary(sign, left, self._product())
        return left

    def _product(self) -> Expr:
        left = self._signed()
        while True:
            token = self._tokens[self._at]
            if token.kind == "operator":
                if token.text not in _SCALING:
                    return left
                self._at += 1
                left = Binary(cast("Operator", token.text), left, self._signed())
            elif self._lenient and self._multiplies(self._tokens[self._at - 1], token):
                left = Binary("*", left, self._signed())
            else:
                return left

    @staticmethod
    def _multiplies(before: Token, after: Token) -> bool:
        """Whether two neighbours are a product: `16P`, `2(N-1)`, `P bytes`, but never `2 3`."""
        if after.kind == "number":
            return not after.written and before.kind != "operator"
        return after.kind in _STARTS

    def _signed(self) -> Expr:
        token = self._tokens[self._at]
        if token.kind in ("number", "name"):
            if self._tokens[self._at + 1].text == "^":
                return self._power()
            # Most of what is read: a number or a name that is not raised.
            self._at += 1
            return Symbol(token.text) if token.kind == "name" else Number(token.value, token.unit, token.written)
        if token.kind != "operator" or token.text not in _ADDING:
            return self._power()
        self._at += 1
        self._deeper(token)
        operand = self._signed()
        self._depth -= 1
        return operand if token.text == "+" else Negative(operand)

    def _power(self) -> Expr:
        base = self._atom()
        if not self._is_sign(_RAISING):
            return base
        token = self._advance()
        self._deeper(token)
        exponent = self._signed()
        self._depth -= 1
        if not _is_whole(exponent):
            self._count_irrational(token)
        return Binary("^", base, exponent)

    def _count_irrational(self, token: Token) -> None:
        """Each costs a hundred times what a sum does."""
        self._irrational += 1
        if self._irrational > MAX_IRRATIONAL:
            said = "This has too many roots, logarithms and other functions."
            raise self._refusal(token, said, f"At most {MAX_IRRATIONAL} are read.")

    def _atom(self) -> Expr:
        token = self._advance()
        if token.kind == "number":
            return Number(token.value, token.unit, token.written)
        if token.kind == "name":
            return Symbol(token.text)
        if token.kind == "string":
            return Text(token.text)
        if token.kind == "(":
            return self._enclosed(token)
        if token.kind == "function":
            return self._called(token)
        self._at -= 1
        if token.kind == "end":
            raise self._refusal(token, "The end is missing.", "A number or a name belongs after the last sign.")
        written = shown(self._source[token.start : token.end]) or "the raised digits"
        raise self._refusal(token, f"A number or a name is missing before {written}.")

    def _enclosed(self, opened: Token) -> Expr:
        self._deeper(opened)
        inner = self._top()
        self._close(opened)
        self._depth -= 1
        return inner

    def _called(self, token: Token) -> Expr:
        opened = self._advance()
        self._deeper(token)
        arguments = [self._top()]
        while self._next.kind == ",":
            self._advance()
            arguments.append(self._top())
        self._close(opened)
        self._depth -= 1
        if token.text == "when":
            if len(arguments) != _WHEN_PARTS:
                raise self._refusal(token, "`when` has three parts.", "Write when(condition, value, other value).")
            return When(*arguments)
        if token.text not in _RATIONAL:
            self._count_irrational(token)
        least, most = FUNCTIONS[token.text]
        if not least <= len(arguments) <= most:
            wanted = "one value" if most == 1 else f"{least} to {most} values"
            raise self._refusal(token, f"{token.text} takes {wanted}, not {len(arguments)}.")
        return Call(token.text, tuple(arguments))

    def _close(self, opened: Token) -> None:
        if self._next.kind == ")":
            self._advance()
            return
        if self._next.kind == "end":
            raise self._refusal(opened, "This parenthesis is never closed.")
        raise self._cannot_follow(self._next)

    def _deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._refusal(token, "This is nested too deeply.", f"At most {MAX_DEPTH} levels are read.")


def _is_whole(exponent: Expr) -> bool:
    """Whether an exponent is written as a whole number."""
    number = exponent.operand if isinstance(exponent, Negative) else exponent
    return isinstance(number, Number) and number.value.denominator == 1
