# SPDX-License-Identifier: BSD-2-Clause
"""Loading pictures as PyTorch's tensors. Importing this needs PyTorch.

    import kostka.torch
    loader = kostka.torch.Loader("train", 224, batch_size=256, crop="random", flip=0.5, shuffle=True, device="cuda",
                                 dtype="float16", mean=(123.7, 116.3, 103.5), std=(58.4, 57.1, 57.4))
    for epoch in range(90):
        for images, labels in loader:
            ...
"""

import typing

import torch  # type: ignore[import-not-found]

import kostka

from ._loader import ask_for_channels

_DTYPES = {"uint8": torch.uint8, "float16": torch.float16, "float32": torch.float32}
_CHANNELS = {"grey": 1, "gray": 1, "rgba": 4, "bgra": 4}


class Loader(kostka.Loader):
    """A kostka.Loader, with the same arguments, whose batches hold tensors of PyTorch's.

    device: a name, a torch.device or a Context. On CUDA images are decoded into PyTorch's own memory, on the host they share
        the library's. Labels that are whole numbers become a tensor of int64 beside the images, others stay a list
    """

    def __init__(
        self, source: typing.Any, size: typing.Any, *, device: typing.Any = None, **options: typing.Any
    ) -> None:
        if isinstance(device, torch.device):
            device = str(device)
        if device == "cuda":
            ask_for_channels()
            device = f"cuda:{torch.cuda.current_device()}"
        super().__init__(source, size, device=device, **options)
        self._choose_memory()

    def _choose_memory(self):
        self._shape, self._dtype = self._shape_of_pictures(), _DTYPES[self._decode["dtype"] or "uint8"]
        on_cuda = self._context.device.kind == "cuda" and self._memory == "device"
        self._device = torch.device(self._context.device.name if on_cuda else "cpu")

    def _shape_of_pictures(self):
        size = self._decode["size"]
        width, height = (size, size) if isinstance(size, int) else size
        channels = _CHANNELS.get(self._decode["format"], 3)
        first = (self._decode["layout"] or "NCHW") in ("NCHW", "CHW")
        return (channels, height, width) if first else (height, width, channels)

    def _out(self, count):
        if self._device.type != "cuda":
            return None
        return torch.empty((count, *self._shape), dtype=self._dtype, device=self._device)

    def _images(self, tensor, out):
        return torch.from_dlpack(tensor) if out is None else out

    def _labels(self, labels):
        labels = super()._labels(labels)
        if labels is None or set(map(type, labels)) != {int}:
            return labels
        return torch.tensor(labels, dtype=torch.int64, device=self._device)
