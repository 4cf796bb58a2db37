"""What a candidate is held against: the reference as it is, or as torch.compile makes it."""
import json
import os

import torch

from . import loader, poison, timing


def import_compiler():
    """Two thousand modules, which torch imports when it first compiles."""
    import torch._inductor.config
    torch._inductor.config.compile_threads = 1  # a pool of processes would outlive its use
    import torch._inductor.compile_fx


def _compiled(function):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(os.getcwd(), "inductor")
    import_compiler()
    torch._dynamo.reset()  # each case is compiled for its own shapes
    return torch.compile(function, dynamic=False)


_MAKERS = {"eager": lambda function: function, "compile": _compiled}


class Timer(timing.Timer):
    """One that stays: what torch.compile cannot do, say, is told, and the next is asked for."""

    TRUSTED = True

    def __init__(self, ch, *args):
        super().__init__(lambda text: ch.send(times=json.loads(text)), *args)
        self._ch = ch

    def answer(self, message):
        try:
            with poison.suspended():
                return super().answer(message)
        except Exception as error:
            self._ch.send(times={"failed": loader.describe(error)})
            return True


def make(name, function):
    return _MAKERS[name](function)
