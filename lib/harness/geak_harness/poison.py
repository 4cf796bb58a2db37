"""Memory that nobody has written yet holds poison, so that no old answer can lie in it."""
import torch

UNWRITTEN = {torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty,
             torch.Tensor.new_empty_strided}


def fill(tensor):
    """NaN, or the largest number, in every element.

    With all its bits set it is not the NaN that arithmetic makes: anatomy.py knows it again.
    """
    if tensor.numel() and tensor.device.type != "meta":
        if (tensor.is_floating_point() or tensor.is_complex()) and tensor.dtype.itemsize > 1:
            tensor.untyped_storage().fill_(255)
        elif tensor.is_floating_point():
            tensor.fill_(float("nan"))
        elif tensor.dtype != torch.bool:
            tensor.fill_(torch.iinfo(tensor.dtype).max)
    return tensor
