"""The architectures that Triton compiles for, whatever GPU is here."""
from triton.backends.compiler import GPUTarget

WAVE32 = ("gfx10", "gfx11", "gfx12")
EXAMPLES = ("gfx942", "sm_90")  # one of each of Triton's backends


def parse(name):
    """"gfx942" or "sm_90" as a GPUTarget."""
    if name.startswith("gfx"):
        return GPUTarget("hip", name, 32 if name.startswith(WAVE32) else 64)
    if name.startswith("sm_"):
        return GPUTarget("cuda", int(name[3:].rstrip("af")), 32)
    raise ValueError(f"unknown target {name}")


def properties(target):
    """What a pretended GPU of that architecture says of itself. Few units, since
    persistent kernels start one program for each and the interpreter runs them in turn."""
    if target.backend == "hip":
        capability = int(target.arch[3:-2]), int(target.arch[-2])
        return dict(name=f"pretended AMD {target.arch}", capability=capability, units=8,
                    memory=64 << 30, shared=65536, l2=4 << 20)
    return dict(name=f"pretended NVIDIA sm_{target.arch}", capability=divmod(target.arch, 10),
                units=8, memory=64 << 30, shared=232448, l2=50 << 20)
