"""Tasks whose entry is a function: the reference's reference(), called on what its inputs() makes."""
from . import inputs, loader, wire


class Reference:
    """The oracle's side; module.Reference is the other one of its kind."""

    def __init__(self, request):
        self._module = loader.load(request["reference"], "reference", "reference.py")
        self._seed, self._device = request["seed"], request["device"]

    def impossible(self, cases, device):
        """The cases that cannot be judged by this reference: all must be."""
        return {}

    def case(self, case, add):
        """The case as the candidate's process gets it."""
        return {"inputs": wire.pack(inputs.make(self._module, case, self._seed, self._device), add)}

    def entry(self, case, device):
        return self._module.reference

    def wide(self, case, device):
        """What to run in float64, or None."""
        return self._module.reference

    def again(self, case, device):
        return None  # a function of its arguments: what it returned is what it returns

    def baseline(self, entry):
        return getattr(self._module, "baseline", entry)
