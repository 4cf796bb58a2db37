import torch
import triton
import triton.language as tl


@triton.jit
def flip_kernel(x, y, M, N, x_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inside = (row < M) & (column < N)
    # Read forwards, so that loads are wide; the store goes backwards within its lines.
    value = tl.load(x + row * x_row + column, mask=inside)
    tl.store(y + row * N + (N - 1 - column), value, mask=inside)


def flip(x):
    M, N = x.shape
    y = torch.empty((M, N), dtype=x.dtype, device=x.device)
    columns = min(triton.next_power_of_2(N), 2048)
    rows = max(1, 2048 // columns)
    grid = (triton.cdiv(M, rows), triton.cdiv(N, columns))
    if M:
        flip_kernel[grid](x, y, M, N, x.stride(0), ROWS=rows, COLUMNS=columns)
    return y
