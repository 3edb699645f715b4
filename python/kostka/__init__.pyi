# SPDX-License-Identifier: BSD-2-Clause
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, Protocol, final, overload

from _typeshed import structseq
from typing_extensions import Buffer

__version__: str

_Format = Literal["auto", "grey", "rgb", "bgr", "rgba", "bgra", "cmyk", "planar", "raw"]
_Colour = Literal["unknown", "grey", "rgb", "ycbcr", "cmyk", "ycck"]
_Coding = Literal["baseline", "optimized", "progressive"]
_Subsampling = Literal["420", "422", "444", "440", "411", "410"]
_Transform = Literal[
    "none", "flip_h", "rotate_180", "flip_v", "transpose", "rotate_90", "transverse", "rotate_270"
]
_Edge = Literal["keep", "trim", "perfect"]
_Strip = Literal["nothing", "markers", "all"]
_Memory = Literal["host", "pinned", "device"]
_Dtype = Literal["uint8", "float16", "float32"]
_Layout = Literal["HWC", "NHWC", "CHW", "NCHW"]
_Channels = float | Sequence[float] | None
_Restart = int | Literal["auto"] | tuple[Literal["rows"], int] | None
_Region = tuple[int, int, int, int]

class _DLPack(Protocol):
    def __dlpack__(self, *args: Any, **keywords: Any) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

_Array = Buffer | _DLPack | _CudaArray
_Stream = Any  # an integer, or PyTorch's, CuPy's or PyOpenCL's

class KostkaError(Exception):
    status: str | None
    offset: int | None
    report: Report | None
    index: int | None

@final
class Report(structseq[Any], tuple[Any, ...]):
    @property
    def status(self) -> str: ...
    @property
    def offset(self) -> int | None: ...
    @property
    def warnings(self) -> int: ...
    @property
    def first_warning(self) -> str | None: ...
    @property
    def first_warning_offset(self) -> int | None: ...
    @property
    def message(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def stage_device(self) -> dict[str, str]: ...
    @property
    def stage_seconds(self) -> dict[str, float]: ...
    @property
    def threads(self) -> int: ...

@final
class Device(structseq[Any], tuple[Any, ...]):
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def units(self) -> int: ...
    @property
    def memory(self) -> int: ...

@final
class Component(structseq[Any], tuple[Any, ...]):
    @property
    def id(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def h(self) -> int: ...
    @property
    def v(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def quant_table(self) -> tuple[int, ...]: ...

@final
class Metadata(structseq[Any], tuple[Any, ...]):
    @property
    def kind(self) -> str: ...
    @property
    def marker(self) -> int: ...
    @property
    def data(self) -> bytes: ...

@final
class Info(structseq[Any], tuple[Any, ...]):
    @property
    def codec(self) -> str: ...
    @property
    def process(self) -> str: ...
    @property
    def colour(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def components(self) -> tuple[Component, ...]: ...
    @property
    def scans(self) -> int: ...
    @property
    def restart_interval(self) -> int: ...
    @property
    def mcu(self) -> tuple[int, int]: ...
    @property
    def quality(self) -> int | None: ...
    @property
    def orientation(self) -> int: ...
    @property
    def jfif(self) -> tuple[int, int] | None: ...
    @property
    def adobe_transform(self) -> int | None: ...
    @property
    def density(self) -> tuple[str, int, int]: ...
    @property
    def entropy_bytes(self) -> int: ...
    @property
    def metadata(self) -> tuple[Metadata, ...]: ...
    @property
    def jpeg2000(self) -> dict[str, Any] | None: ...

@final
class Job:
    def done(self) -> bool: ...
    def wait(self) -> list[Any]: ...  # of Image; with errors="return" of KostkaError, too

@final
class Image:
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def format(self) -> str: ...
    @property
    def colour(self) -> str: ...
    @property
    def memory(self) -> Literal["host", "pinned", "cuda", "opencl"]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def planes(self) -> tuple[Image, ...]: ...
    @property
    def report(self) -> Report: ...
    @property
    def context(self) -> Context: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

@final
class Context:
    def __new__(
        cls,
        device: str | None = None,
        *,
        threads: int = 0,
        cpu: str | None = None,
        limits: dict[str, int] | None = None,
    ) -> Context: ...
    @property
    def device(self) -> Device: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def __enter__(self) -> Context: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]: ...
    def decode(
        self,
        data: Buffer,
        *,
        format: _Format = "auto",
        reduce: int = 0,
        region: _Region | None = None,
        strict: bool = False,
        orient: bool = False,
        alpha: int = 255,
        layers: int = 0,
        memory: _Memory = "host",
        out: _Array | None = None,
        stream: _Stream = None,
        dtype: _Dtype = "uint8",
        layout: _Layout = "HWC",
        mean: _Channels = None,
        scale: _Channels = None,
    ) -> Image: ...
    @overload
    def decode_batch(
        self,
        data: Sequence[Buffer],
        *,
        format: _Format = "auto",
        reduce: int = 0,
        region: _Region | None = None,
        strict: bool = False,
        orient: bool = False,
        alpha: int = 255,
        layers: int = 0,
        memory: _Memory = "host",
        out: Sequence[_Array] | None = None,
        stream: _Stream = None,
        dtype: _Dtype = "uint8",
        layout: _Layout = "HWC",
        mean: _Channels = None,
        scale: _Channels = None,
        errors: Literal["raise"] = "raise",
    ) -> list[Image]: ...
    @overload
    def decode_batch(
        self,
        data: Sequence[Buffer],
        *,
        format: _Format = "auto",
        reduce: int = 0,
        region: _Region | None = None,
        strict: bool = False,
        orient: bool = False,
        alpha: int = 255,
        layers: int = 0,
        memory: _Memory = "host",
        out: Sequence[_Array] | None = None,
        stream: _Stream = None,
        dtype: _Dtype = "uint8",
        layout: _Layout = "HWC",
        mean: _Channels = None,
        scale: _Channels = None,
        errors: Literal["return"],
    ) -> list[Image | KostkaError]: ...
    def submit(
        self,
        data: Sequence[Buffer],
        *,
        format: _Format = "auto",
        reduce: int = 0,
        region: _Region | None = None,
        strict: bool = False,
        orient: bool = False,
        alpha: int = 255,
        layers: int = 0,
        memory: _Memory = "host",
        out: Sequence[_Array] | None = None,
        stream: _Stream = None,
        dtype: _Dtype = "uint8",
        layout: _Layout = "HWC",
        mean: _Channels = None,
        scale: _Channels = None,
        errors: Literal["raise", "return"] = "raise",
    ) -> Job: ...
    def encode(
        self,
        image: _Array,
        *,
        format: _Format = "auto",
        quality: int = 75,
        subsampling: _Subsampling = "420",
        coding: _Coding = "baseline",
        restart: _Restart = None,
        colour: _Colour = "unknown",
        exif: Buffer | None = None,
        xmp: Buffer | None = None,
        icc: Buffer | None = None,
        comment: Buffer | None = None,
        stream: _Stream = None,
    ) -> bytes: ...
    @overload
    def encode_batch(
        self,
        images: Sequence[_Array],
        *,
        format: _Format = "auto",
        quality: int = 75,
        subsampling: _Subsampling = "420",
        coding: _Coding = "baseline",
        restart: _Restart = None,
        colour: _Colour = "unknown",
        exif: Buffer | None = None,
        xmp: Buffer | None = None,
        icc: Buffer | None = None,
        comment: Buffer | None = None,
        stream: _Stream = None,
        errors: Literal["raise"] = "raise",
    ) -> list[bytes]: ...
    @overload
    def encode_batch(
        self,
        images: Sequence[_Array],
        *,
        format: _Format = "auto",
        quality: int = 75,
        subsampling: _Subsampling = "420",
        coding: _Coding = "baseline",
        restart: _Restart = None,
        colour: _Colour = "unknown",
        exif: Buffer | None = None,
        xmp: Buffer | None = None,
        icc: Buffer | None = None,
        comment: Buffer | None = None,
        stream: _Stream = None,
        errors: Literal["return"],
    ) -> list[bytes | KostkaError]: ...
    def transcode(
        self,
        data: Buffer,
        *,
        coding: _Coding = "baseline",
        restart: _Restart | Literal["keep"] = None,
        transform: _Transform = "none",
        edge: _Edge = "keep",
        crop: _Region | None = None,
        strip: _Strip = "nothing",
        grey: bool = False,
        strict: bool = False,
    ) -> bytes: ...
    def info(self, data: Buffer, /) -> Info: ...

def devices() -> list[Device]: ...
def info(data: Buffer) -> Info: ...
def decode(
    data: Buffer,
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    reduce: int = 0,
    region: _Region | None = None,
    strict: bool = False,
    orient: bool = False,
    alpha: int = 255,
    layers: int = 0,
    memory: _Memory = "host",
    out: _Array | None = None,
    stream: _Stream = None,
    dtype: _Dtype = "uint8",
    layout: _Layout = "HWC",
    mean: _Channels = None,
    scale: _Channels = None,
) -> Image: ...
@overload
def decode_batch(
    data: Sequence[Buffer],
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    reduce: int = 0,
    region: _Region | None = None,
    strict: bool = False,
    orient: bool = False,
    alpha: int = 255,
    layers: int = 0,
    memory: _Memory = "host",
    out: Sequence[_Array] | None = None,
    stream: _Stream = None,
    dtype: _Dtype = "uint8",
    layout: _Layout = "HWC",
    mean: _Channels = None,
    scale: _Channels = None,
    errors: Literal["raise"] = "raise",
) -> list[Image]: ...
@overload
def decode_batch(
    data: Sequence[Buffer],
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    reduce: int = 0,
    region: _Region | None = None,
    strict: bool = False,
    orient: bool = False,
    alpha: int = 255,
    layers: int = 0,
    memory: _Memory = "host",
    out: Sequence[_Array] | None = None,
    stream: _Stream = None,
    dtype: _Dtype = "uint8",
    layout: _Layout = "HWC",
    mean: _Channels = None,
    scale: _Channels = None,
    errors: Literal["return"],
) -> list[Image | KostkaError]: ...
def submit(
    data: Sequence[Buffer],
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    reduce: int = 0,
    region: _Region | None = None,
    strict: bool = False,
    orient: bool = False,
    alpha: int = 255,
    layers: int = 0,
    memory: _Memory = "host",
    out: Sequence[_Array] | None = None,
    stream: _Stream = None,
    dtype: _Dtype = "uint8",
    layout: _Layout = "HWC",
    mean: _Channels = None,
    scale: _Channels = None,
    errors: Literal["raise", "return"] = "raise",
) -> Job: ...

def encode(
    image: _Array,
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    quality: int = 75,
    subsampling: _Subsampling = "420",
    coding: _Coding = "baseline",
    restart: _Restart = None,
    colour: _Colour = "unknown",
    exif: Buffer | None = None,
    xmp: Buffer | None = None,
    icc: Buffer | None = None,
    comment: Buffer | None = None,
    stream: _Stream = None,
) -> bytes: ...
@overload
def encode_batch(
    images: Sequence[_Array],
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    quality: int = 75,
    subsampling: _Subsampling = "420",
    coding: _Coding = "baseline",
    restart: _Restart = None,
    colour: _Colour = "unknown",
    exif: Buffer | None = None,
    xmp: Buffer | None = None,
    icc: Buffer | None = None,
    comment: Buffer | None = None,
    stream: _Stream = None,
    errors: Literal["raise"] = "raise",
) -> list[bytes]: ...
@overload
def encode_batch(
    images: Sequence[_Array],
    *,
    device: str | Context | None = None,
    format: _Format = "auto",
    quality: int = 75,
    subsampling: _Subsampling = "420",
    coding: _Coding = "baseline",
    restart: _Restart = None,
    colour: _Colour = "unknown",
    exif: Buffer | None = None,
    xmp: Buffer | None = None,
    icc: Buffer | None = None,
    comment: Buffer | None = None,
    stream: _Stream = None,
    errors: Literal["return"],
) -> list[bytes | KostkaError]: ...
def transcode(
    data: Buffer,
    *,
    device: str | Context | None = None,
    coding: _Coding = "baseline",
    restart: _Restart | Literal["keep"] = None,
    transform: _Transform = "none",
    edge: _Edge = "keep",
    crop: _Region | None = None,
    strip: _Strip = "nothing",
    grey: bool = False,
    strict: bool = False,
) -> bytes: ...
