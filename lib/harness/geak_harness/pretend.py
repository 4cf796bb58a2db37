"""A GPU that is not there: device="cuda" means the CPU, and every tensor says it is on the GPU.

Kernels written by models and by experts ask for a device in many ways. With Triton's
interpreter doing the work on the CPU, all of them must be answered consistently: a tensor
that says `is_cuda` must also be accepted where its device is named again.
"""
import contextlib
import time
import types

import torch
import triton
from torch.overrides import TorchFunctionMode

from . import gpus, poison, targets

GPU = torch.device("cuda", 0)
_to, _cuda, _cpu, _pin = torch.Tensor.to, torch.Tensor.cuda, torch.Tensor.cpu, torch.Tensor.pin_memory
_ANSWERS = {
    torch.Tensor.device.__get__: GPU, torch.Tensor.is_cuda.__get__: True, torch.Tensor.is_cpu.__get__: False,
    torch.Tensor.get_device: 0, torch.Tensor.is_pinned: False}


def _names_gpu(d):
    if isinstance(d, torch.device):
        return d.type in ("cuda", "hip")
    return isinstance(d, str) and d.split(":")[0] in ("cuda", "hip")


def _names_cpu(d):
    return d == "cpu" or (isinstance(d, torch.device) and d.type == "cpu")


class PretendGpu(TorchFunctionMode):
    """While it is active, torch answers as if its CPU were one GPU."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in _ANSWERS:
            return _ANSWERS[func]
        if func is torch.device:
            return func(*args, **kwargs)
        if func is _cuda or func is _pin:
            return args[0]
        if func is _cpu:
            return args[0].clone()  # a copy, as from a real GPU
        device = kwargs.get("device")
        if func is _to and (_names_cpu(device) or any(_names_cpu(a) for a in args[1:])):
            return func(*args, **kwargs).clone()
        if device is not None and (_names_gpu(device) or isinstance(device, int)):
            kwargs["device"] = "cpu"
        kwargs.pop("pin_memory", None)
        args = tuple("cpu" if _names_gpu(a) else a for a in args)
        result = func(*args, **kwargs)
        return poison.fill(result) if func in poison.UNWRITTEN else result


class _Event:
    def __init__(self, *args, **kwargs):
        self.at = 0.0

    def record(self, stream=None):
        self.at = time.perf_counter()

    def elapsed_time(self, other):
        return max((other.at - self.at) * 1e3, 1e-6)

    def synchronize(self):
        pass

    wait = query = lambda self, *a: True


class _Stream:
    cuda_stream = 0
    device = GPU

    def __init__(self, *args, **kwargs):
        pass

    def synchronize(self, *args):
        pass

    wait_stream = wait_event = record_event = synchronize

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class _DeviceContext(contextlib.nullcontext):
    def __init__(self, *args, **kwargs):
        super().__init__()


class _Generator:
    """Stands for torch.Generator where a device is named."""
    real = torch.Generator

    def __new__(cls, device="cpu"):
        return cls.real()


class _GpuGenerator:
    """The GPU's own generator: its state is a seed and an offset, 16 bytes in all."""

    def __init__(self):
        self._offset = 0

    def initial_seed(self):
        return torch.default_generator.initial_seed()

    def get_state(self):
        return torch.tensor([self.initial_seed(), self._offset], dtype=torch.uint64).view(torch.uint8)

    def set_state(self, state):
        seed, self._offset = state.view(torch.uint64).tolist()
        if seed != self.initial_seed():
            torch.default_generator.manual_seed(seed)


def _nothing(answer=None):
    """A function of its own for every name: torch.compile refuses one object under two names."""
    return lambda *args, **kwargs: answer


def prepare(request):
    """Makes the request's device ready: a GPU whose unwritten memory holds poison, or one pretended."""
    gpus.meet(request)
    if request["device"] == "cpu":
        install(targets.parse(request["targets"][0]))
    else:
        torch.cuda.init()  # what its environment says of GPUs is read now, not when other code has changed it
        if not request.get("timing"):
            poison.install()


_installed = False


def install(target):
    """Makes torch.cuda answer for the pretended GPU, which compiles for target (a GPUTarget).

    Once: what a zygote has installed its children find there.
    """
    global _installed
    if _installed:
        return
    _installed = True
    properties = targets.properties(target)
    major, minor = properties["capability"]
    prop = types.SimpleNamespace(
        name=properties["name"], major=major, minor=minor, warp_size=target.warp_size,
        total_memory=properties["memory"], multi_processor_count=properties["units"],
        gcnArchName=str(target.arch), max_threads_per_multi_processor=2048,
        shared_memory_per_block=properties["shared"], L2_cache_size=properties["l2"],
        shared_memory_per_block_optin=properties["shared"], regs_per_multiprocessor=65536)
    answers = dict(
        is_available=lambda: True, device_count=lambda: 1, current_device=lambda: 0,
        get_device_name=lambda *a: prop.name, get_device_capability=lambda *a: (major, minor),
        get_device_properties=lambda *a: prop,
        manual_seed=lambda seed: torch.default_generator.manual_seed(int(seed)),
        manual_seed_all=lambda seed: torch.default_generator.manual_seed(int(seed)),
        mem_get_info=lambda *a: (prop.total_memory, prop.total_memory),
        current_stream=lambda *a: _Stream(), default_stream=lambda *a: _Stream(),
        Stream=_Stream, Event=_Event,
        is_initialized=lambda: True, is_current_stream_capturing=lambda: False,
        is_bf16_supported=lambda *a, **k: True,
        get_arch_list=lambda: [str(target.arch)], default_generators=(_GpuGenerator(),),
        _exchange_device=lambda device: 0, _maybe_exchange_device=lambda device: 0)
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    for name in ("synchronize", "empty_cache", "set_device", "init", "reset_peak_memory_stats",
                 "ipc_collect"):
        setattr(torch.cuda, name, _nothing())
    for name in ("max_memory_allocated", "memory_allocated", "memory_reserved", "max_memory_reserved"):
        setattr(torch.cuda, name, _nothing(0))
    for name in ("stream", "device", "device_of"):
        setattr(torch.cuda, name, type(name, (_DeviceContext,), {}))
    for name in ("range_push", "range_pop", "mark"):
        setattr(torch.cuda.nvtx, name, _nothing(0))
    torch.Tensor.record_stream = _nothing()
    torch.set_default_device = _nothing()  # it would have its say after the mode, not before
    torch._C._cuda_getCurrentRawStream = lambda device: 0
    # Code that torch.compile wrote takes its buffers from here.
    torch._C._dynamo.guards._empty_strided_cuda = lambda size, stride, dtype: torch.empty_strided(
        size, stride, dtype=dtype)
    torch.Generator = _Generator
    if target.backend == "hip":
        torch.version.hip = "6.0"
    _install_driver(target, prop)
    if triton.knobs.runtime.interpret:
        from . import libdevice
        libdevice.choose(target.backend)
    PretendGpu().__enter__()


def _install_driver(target, prop):
    def bench(call, quantiles=None, **kwargs):
        call()
        return [1.0] * len(quantiles) if quantiles else 1.0

    device_properties = {
        "multiprocessor_count": prop.multi_processor_count,
        "max_shared_mem": prop.shared_memory_per_block_optin, "max_num_regs": 65536,
        "warpSize": target.warp_size, "mem_bus_width": 8192,
        "sm_clock_rate": 2100000, "mem_clock_rate": 1300000, "arch": str(target.arch)}
    driver = types.SimpleNamespace(
        get_current_target=lambda: target, get_current_device=lambda: 0,
        set_current_device=lambda *a: None, get_current_stream=lambda *a: 0,
        get_active_torch_device=lambda: GPU, get_device_capability=lambda *a: (prop.major, prop.minor),
        get_device_interface=lambda: torch.cuda, get_benchmarker=lambda: bench,
        get_empty_cache_for_benchmark=lambda: torch.empty(1), clear_cache=lambda *a: None,
        is_active=lambda: True,
        utils=types.SimpleNamespace(get_device_properties=lambda *a: device_properties))
    triton.runtime.driver.set_active(driver)
    # A configuration is as good as the next where nothing can be timed: take the first, run none.
    triton.runtime.autotuner.Autotuner._bench = lambda self, *a, **k: [1.0, 1.0, 1.0]
