"""Sum of the rows of a table that a list of indices names, bag by bag.

Gather and scatter: look up rows of an embedding table by indices, vocabulary, index_select, index_add,
scatter_add, take, copy into the slots or blocks of a key-value cache, slot mapping, paged cache, destination
index, indirect addressing, segments, bins, jagged or ragged batch. Bag i takes the indices from offsets[i] to
offsets[i + 1]; an empty bag gives zeros. Each program handles one bag and a block of columns; the loop's
length is loaded, so that it differs between programs.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def bag_sum_kernel(table_ptr, indices_ptr, offsets_ptr, out_ptr, n_cols, stride_row, stride_col,
                   BLOCK: tl.constexpr):
    bag = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n_cols
    start = tl.load(offsets_ptr + bag)
    end = tl.load(offsets_ptr + bag + 1)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for i in range(start, end):
        row = tl.load(indices_ptr + i).to(tl.int64)
        acc += tl.load(table_ptr + row * stride_row + cols * stride_col, mask=mask, other=0.0)
    tl.store(out_ptr + bag * n_cols + cols, acc, mask=mask)


def bag_sum(table, indices, offsets):
    n_bags = offsets.numel() - 1
    n_cols = table.shape[1]
    out = torch.empty((n_bags, n_cols), dtype=table.dtype, device=table.device)
    if out.numel() == 0:
        return out
    BLOCK = min(256, triton.next_power_of_2(n_cols))
    bag_sum_kernel[(n_bags, triton.cdiv(n_cols, BLOCK))](
        table, indices.contiguous(), offsets.contiguous(), out, n_cols, table.stride(0),
        table.stride(1), BLOCK=BLOCK, num_warps=4)
    return out
