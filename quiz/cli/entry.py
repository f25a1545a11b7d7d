"""The way in: `--version` is answered here, before anything is imported that costs time.

Only `os` and `sys`, which the interpreter has loaded anyway, may be imported at the top of this file.
"""

import os
import sys

EXIT_INTERRUPTED = 130
EXIT_OUTSIDE = 3
EXIT_PIPE_CLOSED = 141


def main(argv: "list[str] | None" = None) -> int:
    """Run the program with `argv` (without its own name) and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    try:
        if arguments in (["--version"], ["-V"]):
            return _print_version()
        from quiz.cli.main import run

        return run(arguments)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _print_version() -> int:
    from quiz._version import __version__

    try:
        print("shardwise", __version__, flush=True)
    except BrokenPipeError:
        discard_stdout()
        return EXIT_PIPE_CLOSED
    except OSError as problem:
        discard_stdout()
        print(f"shardwise: the version could not be written: {problem.strerror}.", file=sys.stderr)
        return EXIT_OUTSIDE
    return 0


def discard_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush does not complain a second time."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
