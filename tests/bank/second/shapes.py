"""Models of public shape, counted matrix by matrix.

Shapes: the configuration file (`config.json`) that each publisher put beside the weights.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    layers: int
    width: int
    queries: int
    keys: int
    head: int
    middle: int
    words: int
    bias: bool = False

    def matrices(self) -> dict[str, tuple[int, int]]:
        """Input and output width of each of a layer's matrices."""
        wide, narrow = self.queries * self.head, self.keys * self.head
        return {
            "q": (self.width, wide),
            "k": (self.width, narrow),
            "v": (self.width, narrow),
            "o": (wide, self.width),
            "gate": (self.width, self.middle),
            "up": (self.width, self.middle),
            "down": (self.middle, self.width),
        }

    def in_matrices(self) -> int:
        return self.layers * sum(a * b for a, b in self.matrices().values())

    def embedding_and_head(self) -> int:
        return 2 * self.words * self.width

    def norms(self) -> int:
        return (2 * self.layers + 1) * self.width

    def biases(self) -> int:
        """Of queries, keys and values alone, where the model has them."""
        return self.layers * (self.queries + 2 * self.keys) * self.head if self.bias else 0

    def block(self) -> int:
        """Parameters of one layer: matrices, two norms, biases."""
        return (self.in_matrices() + self.biases()) // self.layers + 2 * self.width

    def parameters(self) -> int:
        return self.in_matrices() + self.embedding_and_head() + self.norms() + self.biases()

    def adapters(self, rank: float, names: str = "q k v o gate up down") -> float:
        """Parameters of LoRA: rank by input and output by rank, for each named matrix of each layer."""
        found = self.matrices()
        return self.layers * sum(rank * sum(found[name]) for name in names.split())


MODELS = {
    "llama-1-65b": Shape(80, 8_192, 64, 64, 128, 22_016, 32_000),
    "llama-2-7b": Shape(32, 4_096, 32, 32, 128, 11_008, 32_000),
    "llama-2-13b": Shape(40, 5_120, 40, 40, 128, 13_824, 32_000),
    "llama-2-70b": Shape(80, 8_192, 64, 8, 128, 28_672, 32_000),
    "llama-3-8b": Shape(32, 4_096, 32, 8, 128, 14_336, 128_256),
    "llama-3-70b": Shape(80, 8_192, 64, 8, 128, 28_672, 128_256),
    "llama-3-405b": Shape(126, 16_384, 128, 8, 128, 53_248, 128_256),
    "mistral-7b": Shape(32, 4_096, 32, 8, 128, 14_336, 32_000),
    "codellama-34b": Shape(48, 8_192, 64, 8, 128, 22_016, 32_000),
    "yi-34b": Shape(60, 7_168, 56, 8, 128, 20_480, 64_000),
    "deepseek-llm-67b": Shape(95, 8_192, 64, 8, 128, 22_016, 102_400),
    "qwen2.5-32b": Shape(64, 5_120, 40, 8, 128, 27_648, 152_064, bias=True),
    "qwen2.5-72b": Shape(80, 8_192, 64, 8, 128, 29_568, 152_064, bias=True),
}
