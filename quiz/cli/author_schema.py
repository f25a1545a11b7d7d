"""`shardwise author schema`: the JSON Schema of a question file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.cli.outcome import DONE

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose."""
    parser.epilog = (
        "example:\n  shardwise author schema > question.schema.json\n\n"
        "Editors with yaml-language-server complete and explain keys where the first line of a question is\n"
        "  # yaml-language-server: $schema=../question.schema.json"
    )


def run(_: argparse.Namespace) -> int:
    """Print the schema."""
    import json

    from quiz.authoring.json_schema import question_schema

    print(json.dumps(question_schema(), ensure_ascii=False, indent=2))
    return DONE
