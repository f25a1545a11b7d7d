"""A second path for FLOPs: a small decoder multiplied out number by number, each product and sum counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from solvers import Solver, scenario_of

if TYPE_CHECKING:
    from collections.abc import Callable

Matrix = list[list[int]]


def ones(rows: int, columns: int) -> Matrix:
    return [[1] * columns for _ in range(rows)]


def turned(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


@dataclass
class Counter:
    """Multiplies matrices with three loops, and counts two FLOPs each time it multiplies and adds."""

    flops: int = 0

    def product(self, left: Matrix, right: Matrix) -> Matrix:
        result = [[0] * len(right[0]) for _ in left]
        for row, line in enumerate(left):
            for inner, value in enumerate(line):
                for column, other in enumerate(right[inner]):
                    result[row][column] += value * other
                    self.flops += 2
        return result

    def there_and_back(self, left: Matrix, right: Matrix) -> Matrix:
        """The product, and the two products that give the gradients of its factors."""
        result = self.product(left, right)
        self.product(result, turned(right))
        self.product(turned(left), result)
        return result


@dataclass(frozen=True)
class Decoder:
    """A decoder without norms and biases: its parameters are its matrices."""

    layers: int
    heads: int
    head: int
    ffn: int
    vocabulary: int
    sequence: int

    @property
    def hidden(self) -> int:
        return self.heads * self.head

    @property
    def parameters(self) -> int:
        return self.layers * (4 * self.hidden**2 + 3 * self.hidden * self.ffn) + self.vocabulary * self.hidden

    def run(self, multiply: Callable[[Matrix, Matrix], Matrix], *, attention: bool) -> None:
        """One sequence through every matrix, and through the scores of attention."""
        stream = ones(self.sequence, self.hidden)
        for _ in range(self.layers):
            for _ in range(4):  # queries, keys, values and the output
                multiply(stream, ones(self.hidden, self.hidden))
            if attention:
                self.attend(multiply)
            for _ in range(2):
                multiply(stream, ones(self.hidden, self.ffn))
            multiply(ones(self.sequence, self.ffn), ones(self.ffn, self.hidden))
        multiply(stream, ones(self.hidden, self.vocabulary))

    def attend(self, multiply: Callable[[Matrix, Matrix], Matrix]) -> None:
        """The scores of every head, and the values that they weigh."""
        for _ in range(self.heads):
            scores = multiply(ones(self.sequence, self.head), ones(self.head, self.sequence))
            multiply(scores, ones(self.sequence, self.head))

    def solver(self, **choices: str) -> Solver:
        stated = {"model.parameters": self.parameters, "model.layers": self.layers, "model.hidden": self.hidden,
                  "model.query_heads": self.heads, "model.head_dim": self.head, "model.vocabulary": self.vocabulary,
                  "batch.sequence": self.sequence, "batch.micro": 1, "batch.accumulation": 1,
                  "layout.dp": 1}  # fmt: skip
        return Solver(scenario_of({**stated, **{f"compute.{name}": value for name, value in choices.items()}}))


DECODERS = (Decoder(1, 2, 3, 5, 7, 4), Decoder(2, 1, 4, 6, 9, 5), Decoder(3, 2, 2, 4, 8, 6))


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_six_a_parameter_and_token_is_what_the_products_take(decoder: Decoder) -> None:
    count = Counter()
    decoder.run(count.there_and_back, attention=False)
    assert decoder.solver(attention="left-out").quantity("compute.step_flops").value == count.flops


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
def test_attention_adds_its_scores_and_weighted_values(decoder: Decoder) -> None:
    count = Counter()
    decoder.run(count.there_and_back, attention=True)
    assert decoder.solver(attention="full").quantity("compute.step_flops").value == count.flops


@pytest.mark.parametrize("decoder", DECODERS, ids=str)
@pytest.mark.parametrize("recompute", ["full", "selective"])
def test_what_is_recomputed_is_multiplied_once_more(decoder: Decoder, recompute: str) -> None:
    count = Counter()
    decoder.run(count.there_and_back, attention=True)
    if recompute == "full":
        decoder.run(count.product, attention=True)
    else:
        for _ in range(decoder.layers):
            decoder.attend(count.product)
    solver = decoder.solver(attention="full", recompute=recompute)
    assert solver.quantity("compute.hardware_step_flops").value == count.flops


@pytest.mark.parametrize("sequence", [4, 16, 64])
def test_the_causal_half_is_the_pairs_that_look_back_but_for_the_diagonal(sequence: int) -> None:
    """A token meets itself and those before it, s (s + 1) / 2 pairs; the relation counts s² / 2."""
    decoder = Decoder(1, 1, 2, 2, 2, sequence)
    pairs = sum(1 for token in range(sequence) for before in range(sequence) if before <= token)
    counted = pairs * 3 * 2 * 2 * decoder.head  # three passes, two products, two FLOPs for each channel
    solver = decoder.solver(attention="causal")
    per_token = solver.quantity("compute.attention_flops_per_token").value
    assert per_token * sequence * (sequence + 1) == counted * sequence
