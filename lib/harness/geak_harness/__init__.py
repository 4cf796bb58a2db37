"""What runs inside geak-eval's Python processes: the oracle, the candidate, the compiler.

Each role is a function that gets a Channel to the keeper and returns when its work is
done. Nothing here decides a verdict; the keeper does, from what the roles report.
"""
import importlib


def part(name):
    """One module of this package; importing the package alone imports nothing heavy."""
    return importlib.import_module(f"{__name__}.{name}")
