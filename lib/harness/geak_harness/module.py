"""Tasks in KernelBench's form: a class ModelNew held against the reference's Model.

The oracle loads the reference, makes Model and its inputs, and sends what the candidate's
process needs as data: the constructor's arguments, the parameters and buffers, the inputs.
Model itself never goes there, so a ModelNew that leans on it finds nothing.

As the suite does it, both constructors run after the same seed, gradients are off, and the
modules stay in training mode.
"""
import ast
import zlib

import torch

from . import loader, wire

MUCH_STATE = 1 << 24  # bytes


def _number(seed, *names):
    """A seed of its own for each purpose, all from the secret one."""
    return (int(seed) ^ zlib.crc32("/".join(names).encode())) & (2**63 - 1)


def _assigned(statement):
    """The names that a statement assigns; with each, whether it gets a tuple."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return {}
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {n.id: n is t and isinstance(statement.value, ast.Tuple)
            for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def resize(source, params):
    """The source with other values for the names that params holds. Each is assigned once
    more right after the reference's own statement, so that what is computed from it follows."""
    lines, missing = source.split("\n"), set(params)
    for statement in reversed(ast.parse(source).body):
        for name, is_tuple in _assigned(statement).items():
            if name in params:
                value = tuple(params[name]) if is_tuple else params[name]
                lines.insert(statement.end_lineno, f"{name} = {value!r}")
                missing.discard(name)
    if missing:
        raise NameError(f"the case's params hold {min(missing)}, which the reference does not set at its top level")
    return "\n".join(lines)


def _pack(what, value, add):
    try:
        return wire.pack(value, add)
    except wire.WireError as e:
        raise wire.WireError(f"what {what} returns cannot be handed to another process: {e}") from e


class Reference:
    """The oracle's side."""

    def __init__(self, request):
        self._source = request["reference"]
        self._seed = request["seed"]
        self._makers = {}

    def _load(self, params):
        source = resize(self._source, params) if params else self._source
        loaded = loader.load(source, "reference", "reference.py")
        for name in ("Model", "get_inputs", "get_init_inputs"):
            if not callable(getattr(loaded, name, None)):
                raise AttributeError(f"the reference defines no {name}; the harness module needs it")
        return loaded

    def impossible(self, cases, device):
        """The cases with sizes that Model does not run with, and why.

        An importer has chosen them for it, from its text. While there is another case
        to judge by, they are no reason to judge nothing.
        """
        why = {}
        for case in (c for c in cases if c["params"]):
            if len(cases) - len(why) == 1:
                break
            try:
                self._try(case["params"], device)
            except Exception as e:
                why[case["name"]] = f"the reference does not run with these params: {type(e).__name__}: {e}"
        return why

    def _try(self, params, device):
        torch.set_grad_enabled(False)
        loaded = self._load(params)
        model = loaded.Model(*loaded.get_init_inputs()).to(device)
        model(*(x.to(device) if isinstance(x, torch.Tensor) else x for x in loaded.get_inputs()))

    def case(self, case, add):
        """The case as the candidate's process gets it."""
        torch.set_grad_enabled(False)
        loaded = self._load(case["params"])
        seed = _number(self._seed, case["name"], "parameters")
        torch.manual_seed(seed)
        init = list(loaded.get_init_inputs())

        def make():
            torch.manual_seed(seed)
            return loaded.Model(*init)

        self._makers[case["name"]] = make
        state = _tensors(make())
        torch.manual_seed(_number(self._seed, case["name"], "inputs"))
        inputs = list(loaded.get_inputs())
        return {"seed": str(seed), "init": _pack("get_init_inputs()", init, add),
                "state": _pack("Model's state_dict()", state, add),
                "inputs": _pack("get_inputs()", inputs, add)}

    def entry(self, case, device):
        """A Model, to be called with the inputs."""
        return _start(self._makers[case["name"]](), int(case["seed"]), device)

    def wide(self, case, device):
        """The same Model in float64, unless it is large."""
        return None if is_large(case) else self.entry(case, device).double()

    def again(self, case, device):
        """The same Model; only the random numbers that a call draws (dropout, say) are others."""
        return _start(self._makers[case["name"]](), int(case["seed"]) ^ 1, device)

    def baseline(self, entry):
        return entry


def is_large(case):
    """Whether its parameters are so many that to draw, send or convert them takes its time."""
    return sum(h["bytes"] for _, h in case["state"]["v"]) > MUCH_STATE


def _start(model, seed, device):
    """Moves it to where it runs. The random numbers that a call may draw begin at seed."""
    if device != "cpu":
        model = model.to(device)
    torch.manual_seed(seed)
    return model


def _tensors(model):
    return {k: v for k, v in model.state_dict().items() if isinstance(v, torch.Tensor)}


def _same_values(a, b):
    """Also in another order: then the constructor has laid them out as its kernels want them."""
    return torch.equal(a, b) or torch.equal(a.flatten().sort().values, b.flatten().sort().values)


def _load_state(model, state):
    """Gives model the reference's values where name, shape and type are the same. After the
    same seed most have them already; a constructor that draws in another order has not."""
    for name, mine in _tensors(model).items():
        theirs = state.get(name)
        if theirs is not None and (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype) \
                and not _same_values(mine, theirs):
            mine.copy_(theirs)


def instance(cls, case, view, device):
    """The candidate's side: its module, made as the reference's was."""
    if not isinstance(cls, type) or not issubclass(cls, torch.nn.Module):
        raise TypeError(f"{getattr(cls, '__name__', cls)} is not a class derived from torch.nn.Module")
    torch.set_grad_enabled(False)
    seed = int(case["seed"])
    torch.manual_seed(seed)
    model = cls(*wire.unpack(case["init"], view))
    _load_state(model, wire.unpack(case["state"], view))
    return _start(model, seed, device)
