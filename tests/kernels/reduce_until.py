import torch
import triton
import triton.language as tl


@triton.jit
def reduce_until_kernel(x, total, count, N, threshold, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    carried = 0.0
    stop = N  # the column that passes the threshold, N while there is none
    start = 0
    while (start < N) & (stop == N):
        inside = start + column < N
        value = tl.load(x + row * N + start + column, mask=inside, other=0.0)
        running = carried + tl.cumsum(value, axis=0)
        passed = inside & (running > threshold)
        stop = tl.min(tl.where(passed, start + column, N), axis=0)
        # The running sum at the stop, or at the end of the block: what lies past the row adds 0.
        last = min(stop, start + BLOCK - 1)
        carried = tl.sum(tl.where(start + column == last, running, 0.0), axis=0)
        start += BLOCK
    tl.store(total + row, carried)
    tl.store(count + row, min(stop + 1, N))


def reduce_until(x, threshold):
    M, N = x.shape
    total = torch.empty(M, dtype=torch.float32, device=x.device)
    count = torch.empty(M, dtype=torch.int32, device=x.device)
    block = min(1024, triton.next_power_of_2(N))
    if M:
        reduce_until_kernel[(M,)](x, total, count, N, threshold, BLOCK=block, num_warps=4)
    return total, count
