# SPDX-License-Identifier: BSD-2-Clause
"""Declares the types of the package for type checkers."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, SupportsIndex, TypedDict, final, overload

from _typeshed import structseq
from typing_extensions import Buffer, Required, Unpack

if TYPE_CHECKING:
    import PIL.Image

__version__: str

__all__ = [
    "ArchiveError",
    "Batch",
    "Coder",
    "Component",
    "Context",
    "Device",
    "DeviceError",
    "Flow",
    "Group",
    "Image",
    "Info",
    "Job",
    "KostkaError",
    "LimitError",
    "Loader",
    "Metadata",
    "OptionError",
    "Report",
    "StreamError",
    "Tensor",
    "Volume",
    "decode",
    "decode_batch",
    "decode_resized",
    "devices",
    "encode",
    "encode_batch",
    "filter",
    "flow",
    "flow_tar",
    "histogram",
    "info",
    "resize",
    "save",
    "stereo",
    "sweep",
    "submit",
    "tar_groups",
    "transcode",
    "transcode_batch",
]

_FormatName = Literal["grey", "rgb", "bgr", "rgba", "bgra", "cmyk", "planar", "raw"]
_Format = Literal["auto", "grey", "gray", "rgb", "bgr", "rgba", "bgra", "cmyk", "planar", "raw"]
_ColourName = Literal["unknown", "grey", "rgb", "ycbcr", "cmyk", "ycck"]
_Colour = Literal["unknown", "grey", "gray", "rgb", "ycbcr", "cmyk", "ycck"]
_Codec = Literal["jpeg", "jpeg2000", "jp2", "j2k", "jph", "jhc"]
_Dct = Literal["accurate", "fast"]
_Coding = Literal["baseline", "optimized", "optimised", "progressive"]
_Subsampling = Literal["420", "422", "444", "440", "411", "410", "4:2:0", "4:2:2", "4:4:4", "4:4:0", "4:1:1", "4:1:0"]
_Transform = Literal["none", "flip_h", "rotate_180", "flip_v", "transpose", "rotate_90", "transverse", "rotate_270"]
_Edge = Literal["keep", "trim", "perfect"]
_Strip = Literal["nothing", "markers", "all"]
_Memory = Literal["host", "pinned", "device"]
_Dtype = Literal["uint8", "float16", "float32"]
_VolumeDtype = Literal["uint8", "int8", "uint16", "int16", "uint32", "int32"]
_Layout = Literal["HWC", "NHWC", "CHW", "NCHW"]
_Channels = float | Sequence[float]
_Restart = int | Literal["none", "auto"] | tuple[Literal["rows"], int]
_Region = Sequence[int]  # x, y, width, height
_Size = int | Sequence[int]  # both, or width and height
_Density = tuple[Literal["ratio", "inch", "cm"], int, int]
_Progression = Literal["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"]
_Style = Literal["bypass", "reset", "termall", "causal", "predictable", "symbols", "ht"]
_Headers = Literal["inline", "ppt", "ppm"]
_Division = Literal["resolution", "layer", "component"]
_Span = Sequence[int] | None  # first and last + 1; None: all
_Change = (
    _Progression
    | tuple[_Progression]
    | tuple[_Progression, _Span]
    | tuple[_Progression, _Span, _Span]
    | tuple[_Progression, _Span, _Span, int | None]
)

class _DLPack(Protocol):
    def __dlpack__(self, *args: Any, **keywords: Any) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

class _Reader(Protocol):
    def read(self) -> Buffer: ...

class _Writer(Protocol):
    def write(self, data: Any, /) -> Any: ...

_Array = Buffer | _DLPack | _CudaArray
_Picture = _Array | PIL.Image.Image
_Path = str | PathLike[str] | PathLike[bytes]
_Source = Buffer | _Path | _Reader
_Archive = str | bytes | PathLike[str] | PathLike[bytes] | _Reader
_Stream = Any  # an integer, or PyTorch's, CuPy's or PyOpenCL's
_Device = str | Context

class _DecodeOptions(TypedDict, total=False):
    format: _Format | None
    reduce: int | None
    eighths: int | None
    dct: _Dct | None
    upsampling: Literal["fancy", "nearest"] | None
    region: _Region | None
    strict: bool | None
    orient: bool | None
    alpha: int | None
    layers: int | None
    components: Sequence[int] | None
    tile: int | None
    memory: _Memory | None
    stream: _Stream
    dtype: _Dtype | None
    layout: _Layout | None
    mean: _Channels | None
    scale: _Channels | None

class _Own(TypedDict, total=False):
    component: Required[int]
    tile: int
    levels: int
    codeblock: _Size
    style: _Style | Sequence[_Style]
    reversible: bool
    step: float
    guard_bits: int

# All but the codec, which save() has an argument for.
class _SaveOptions(TypedDict, total=False):
    format: _Format | None
    stream: _Stream
    exif: Buffer | None
    xmp: Buffer | None
    icc: Buffer | None
    comment: Buffer | None
    density: _Density | None
    quality: int | None
    subsampling: _Subsampling | Sequence[_Size] | None
    coding: _Coding | None
    progressive: bool | None
    optimize: bool | None
    optimise: bool | None
    restart: _Restart | None
    dct: _Dct | None
    colour: _Colour | None
    color: _Colour | None
    tables: Sequence[Sequence[int]] | None
    wide_quantisers: bool | None
    depth: int | None
    lossless: bool | None
    rate: float | Sequence[float] | None
    ratio: float | Sequence[float] | None
    psnr: float | Sequence[float] | None
    step: float | Sequence[float] | None
    layers: int | None
    levels: int | None
    reversible: bool | None
    keep_components: bool | None
    codestream: bool | None
    progression: _Progression | None
    poc: Sequence[_Change] | None
    tiles: _Size | None
    tile_origin: _Size | None
    image_origin: _Size | None
    codeblock: _Size | None
    precincts: Sequence[_Size] | None
    style: _Style | Sequence[_Style] | None
    weights: Literal["none", "vision"] | None
    passes: int | None
    guard_bits: int | None
    code_points: tuple[int, int, int] | tuple[int, int, int, bool] | None
    derived_steps: bool | None
    interest: _Region | None
    sop: bool | None
    eph: bool | None
    plt: bool | None
    tlm: bool | None
    packed: _Headers | None
    tile_parts: _Division | Sequence[_Division] | None
    component: _Own | Sequence[_Own] | None
    profile: str | None
    frame_rate: float | None

class _EncodeOptions(_SaveOptions, total=False):
    codec: _Codec | None

class _EncodeVolumeOptions(TypedDict, total=False):
    bits: int | None
    z_levels: int | None
    lossless: bool | None
    rate: float | Sequence[float] | None
    ratio: float | Sequence[float] | None
    psnr: float | Sequence[float] | None
    step: float | Sequence[float] | None
    layers: int | None
    levels: int | None
    reversible: bool | None
    codeblock: int | tuple[int, int] | None
    ht: bool | None
    scale: float | None
    offset: float | None
    error: float | None

class _DecodeVolumeOptions(TypedDict, total=False):
    reduce: int | None
    reduce_z: int | None
    layers: int | None
    strict: bool | None
    region: tuple[tuple[int, int, int], tuple[int, int, int]] | None
    memory: Literal["host", "pinned", "device"] | None
    out: _Array | None

class _DecodeVolumesOptions(TypedDict, total=False):
    reduce: int | None
    reduce_z: int | None
    layers: int | None
    strict: bool | None
    region: tuple[tuple[int, int, int], tuple[int, int, int]] | None
    memory: Literal["host", "pinned", "device"] | None
    out: _Array | Sequence[_Array] | None

class _DescribeVolumeOptions(TypedDict, total=False):
    reduce: int | None
    reduce_z: int | None
    region: tuple[tuple[int, int, int], tuple[int, int, int]] | None

class _Described(TypedDict):
    shape: tuple[int, int, int]
    dtype: _VolumeDtype
    depth: int

class _TranscodeOptions(TypedDict, total=False):
    strip: _Strip | None
    strict: bool | None
    coding: _Coding | None
    progressive: bool | None
    optimize: bool | None
    optimise: bool | None
    restart: _Restart | Literal["keep"] | None
    transform: _Transform | None
    edge: _Edge | None
    crop: _Region | None
    grey: bool | None
    gray: bool | None
    others: Literal["keep", "drop"] | None
    progression: _Progression | None
    reduce: int | None
    layers: int | None
    rate: float | None
    components: Sequence[int] | None
    tile_parts: _Division | Sequence[_Division] | None
    interleave: bool | None
    packed: _Headers | None
    plt: bool | None
    tlm: bool | None
    sop: bool | None
    eph: bool | None
    ht: bool | None
    container: Literal["jp2", "j2k", "keep"] | None

class _FilterOptions(TypedDict, total=False):
    format: _Format | None
    stream: _Stream | None

class _StereoOptions(TypedDict, total=False):
    format: _Format | None
    disparities: int | None
    least: int | None
    paths: Literal[4, 8] | None
    p1: int | None
    p2: int | None
    uniqueness: int | None
    tolerance: int | None

class _SweepOptions(TypedDict, total=False):
    format: _Format | None
    unit: float | None
    reference: int | None
    planes: int | None
    radius: int | None
    measure: Literal["ncc", "sad"] | None
    similar: int | None
    agreeing: int | None

class _ResizeOptions(TypedDict, total=False):
    filter: Literal["bicubic", "box", "bilinear", "hamming", "lanczos"] | None
    box: Sequence[float] | None
    fit: Literal["exact", "inside", "cover"] | None
    mirror: bool | None
    order: Literal["auto", "horizontal"] | None
    format: Literal["auto", "grey", "gray", "rgb", "bgr", "rgba", "bgra", "cmyk", "planar"] | None

_PictureFormat = Literal["rgb", "bgr", "grey", "gray", "rgba", "bgra"]
_Filter = Literal["bicubic", "box", "bilinear", "hamming", "lanczos"]
_Order = Literal["auto", "horizontal"]

class _ResizedOptions(TypedDict, total=False):
    boxes: Sequence[Sequence[float] | None] | None
    mirror: bool | Sequence[bool] | None
    fit: Literal["exact", "cover"] | None
    filter: _Filter | None
    order: _Order | None
    draft: bool | None
    reduce: int | None
    strict: bool | None
    orient: bool | None
    alpha: int | None
    format: _PictureFormat | None
    layout: _Layout | None
    dtype: _Dtype | None
    mean: _Channels | None
    scale: _Channels | None
    memory: _Memory | None
    stream: _Stream
    errors: Literal["raise", "return"] | None

class _SizedOptions(_ResizeOptions):
    size: Required[int | tuple[int, int]]

class ArchiveError(Exception):
    archive: str
    offset: int
    reason: str
    def __init__(self, archive: str, offset: int, reason: str) -> None: ...

class KostkaError(Exception):
    status: str | None
    offset: int | None
    report: Report | None
    index: int | None

class StreamError(KostkaError): ...
class OptionError(KostkaError, ValueError): ...
class LimitError(KostkaError): ...
class DeviceError(KostkaError): ...

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

class Coder:
    def __init__(
        self,
        *,
        decode: _DecodeOptions | None = None,
        encode: _EncodeOptions | None = None,
        transcode: _TranscodeOptions | None = None,
        device: str | None = None,
        errors: Literal["raise", "return"] = "return",
    ) -> None: ...
    def __call__(self, sources: Iterable[_Source]) -> list[Any]: ...  # of Image or bytes, and KostkaError

class Flow:
    def __init__(self, flow: Any) -> None: ...  # flow() makes them
    def __iter__(self) -> Flow: ...
    def __next__(self) -> Any: ...  # Image or bytes; with errors="return" an exception; pairs with in_order=False
    def __aiter__(self) -> Flow: ...
    async def __anext__(self) -> Any: ...
    def __enter__(self) -> Flow: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    def close(self) -> None: ...
    def counts(self) -> dict[str, int]: ...

class Group(NamedTuple):
    archive: str | None
    key: str | None
    members: dict[str, bytes]

@final
class Image:
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def format(self) -> _FormatName: ...
    @property
    def colour(self) -> _ColourName: ...
    @property
    def depth(self) -> int: ...
    @property
    def dtype(self) -> Literal["uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32"]: ...
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
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]
    @overload
    def __getitem__(self, key: SupportsIndex | slice, /) -> Image: ...
    @overload
    def __getitem__(self, key: tuple[slice, slice] | tuple[slice, slice, slice], /) -> Image: ...
    @overload
    def __getitem__(self, key: tuple[SupportsIndex, slice] | tuple[SupportsIndex, slice, slice], /) -> Image: ...
    # A pixel: a number, or a tuple of as many as there are channels.
    @overload
    def __getitem__(self, key: tuple[SupportsIndex | slice, ...], /) -> Any: ...
    def __copy__(self) -> Image: ...
    def __deepcopy__(self, memo: Any, /) -> Image: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...
    def copy(self) -> Image: ...
    def to_pil(self) -> PIL.Image.Image: ...
    def save(
        self,
        file: _Path | bytes | _Writer,
        *,
        codec: _Codec | None = None,
        device: _Device | None = None,
        **options: Unpack[_SaveOptions],
    ) -> None: ...
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
class Tensor:
    @property
    def dtype(self) -> _Dtype: ...
    @property
    def memory(self) -> Literal["host", "pinned", "cuda", "opencl"]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def context(self) -> Context: ...
    @property
    def errors(self) -> dict[int, KostkaError]: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Image: ...
    @overload
    def __getitem__(self, key: slice, /) -> Tensor: ...
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
class Volume:
    @property
    def dtype(self) -> _VolumeDtype: ...
    @property
    def depth(self) -> int: ...
    @property
    def memory(self) -> Literal["pinned", "cuda", "opencl"]: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def strides(self) -> tuple[int, int, int]: ...
    @property
    def context(self) -> Context: ...
    @property
    def report(self) -> Report: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Batch:
    images: Any  # a Tensor; of kostka.torch.Loader PyTorch's
    labels: Any  # a list, None, or a tensor of PyTorch's
    keys: list[str]
    fields: dict[str, list[Any]]
    def __init__(self, images: Any, labels: Any, keys: list[str], fields: dict[str, list[Any]]) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...

_Listed = str | PathLike[str] | PathLike[bytes]

class Loader:
    classes: list[str] | None
    epoch: int
    failed: int
    failures: deque[tuple[str | None, Exception]]
    def __init__(
        self,
        source: _Listed | bytes | Iterable[_Listed | bytes | tuple[_Listed, Any]],
        size: int | tuple[int, int],
        *,
        batch_size: int = 64,
        crop: Literal["center", "random", "none"] = "center",
        scale: tuple[float, float] | None = None,
        ratio: tuple[float, float] | None = None,
        resize: int | None = None,
        flip: float = 0.0,
        filter: _Filter | None = "bilinear",
        order: _Order | None = None,
        draft: bool = False,
        format: _PictureFormat = "rgb",
        orient: bool = False,
        strict: bool = False,
        dtype: _Dtype = "uint8",
        mean: _Channels | None = None,
        std: _Channels | None = None,
        layout: _Layout = "NCHW",
        device: _Device | None = None,
        memory: _Memory | None = None,
        shuffle: bool = False,
        buffer: int = 4096,
        seed: int = 0,
        epochs: int | None = None,
        drop_last: bool = False,
        shard: tuple[int, int] | Literal["auto"] | None = None,
        split: Literal["keys", "archives"] = "keys",
        prefetch: int | None = None,
        readers: int = 3,
        decoders: int | None = None,
        errors: Literal["raise", "skip"] = "raise",
        labels: str | None = "cls",
        fields: Iterable[str] = (),
        pictures: Iterable[str] = ...,
        limit: int = ...,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Batch]: ...
    def set_epoch(self, epoch: int) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> None: ...
    def close(self) -> None: ...

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
        data: _Source,
        *,
        out: _Array | None = None,
        **options: Unpack[_DecodeOptions],
    ) -> Image: ...
    @overload
    def decode_batch(
        self,
        data: Sequence[_Source],
        *,
        out: _Array | Sequence[_Array] | None = None,
        errors: Literal["raise"] | None = None,
        **options: Unpack[_DecodeOptions],
    ) -> list[Image]: ...
    @overload
    def decode_batch(
        self,
        data: Sequence[_Source],
        *,
        out: _Array | Sequence[_Array] | None = None,
        errors: Literal["return"],
        **options: Unpack[_DecodeOptions],
    ) -> list[Image | KostkaError]: ...
    def decode_resized(
        self,
        data: Sequence[_Source],
        *,
        size: int | tuple[int, int],
        out: _Array | None = None,
        **options: Unpack[_ResizedOptions],
    ) -> Tensor: ...
    def submit(
        self,
        data: Sequence[_Source],
        *,
        out: _Array | Sequence[_Array] | None = None,
        errors: Literal["raise", "return"] | None = None,
        **options: Unpack[_DecodeOptions],
    ) -> Job: ...
    def encode(
        self,
        image: _Picture,
        **options: Unpack[_EncodeOptions],
    ) -> bytes: ...
    @overload
    def encode_batch(
        self,
        images: _Array | Sequence[_Picture],
        *,
        errors: Literal["raise"] | None = None,
        **options: Unpack[_EncodeOptions],
    ) -> list[bytes]: ...
    @overload
    def encode_batch(
        self,
        images: _Array | Sequence[_Picture],
        *,
        errors: Literal["return"],
        **options: Unpack[_EncodeOptions],
    ) -> list[bytes | KostkaError]: ...
    def filter(
        self,
        image: _Picture,
        *,
        chain: str,
        out: _Array | None = None,
        **options: Unpack[_FilterOptions],
    ) -> Image: ...
    def histogram(self, image: _Picture, *, format: _Format | None = None) -> dict[str, list[int]]: ...
    def stereo(self, left: _Picture, *, right: _Picture, **options: Unpack[_StereoOptions]) -> tuple[Image, Image]: ...
    def sweep(
        self,
        views: Sequence[_Picture],
        *,
        cameras: Sequence[Sequence[Any]],
        nearest: float,
        farthest: float,
        **options: Unpack[_SweepOptions],
    ) -> tuple[Image, Image]: ...
    def resize(
        self,
        image: _Picture,
        *,
        size: int | tuple[int, int],
        **options: Unpack[_ResizeOptions],
    ) -> Image: ...
    def transcode(
        self,
        data: _Source,
        **options: Unpack[_TranscodeOptions],
    ) -> bytes: ...
    @overload
    def transcode_batch(
        self,
        data: Sequence[_Source],
        *,
        errors: Literal["raise"] | None = None,
        **options: Unpack[_TranscodeOptions],
    ) -> list[bytes]: ...
    @overload
    def transcode_batch(
        self,
        data: Sequence[_Source],
        *,
        errors: Literal["return"],
        **options: Unpack[_TranscodeOptions],
    ) -> list[bytes | KostkaError]: ...
    def encode_volume(self, volume: _Array, **options: Unpack[_EncodeVolumeOptions]) -> bytes: ...
    def encode_volumes(
        self, volumes: Sequence[_Array], **options: Unpack[_EncodeVolumeOptions]
    ) -> list[bytes]: ...
    def decode_volume(self, data: _Source, **options: Unpack[_DecodeVolumeOptions]) -> Any: ...
    def decode_volumes(self, data: Sequence[_Source], **options: Unpack[_DecodeVolumesOptions]) -> list[Any]: ...
    def describe_volume(self, data: _Source, **options: Unpack[_DescribeVolumeOptions]) -> _Described: ...
    def info(self, data: _Source, /) -> Info: ...

def devices() -> list[Device]: ...
def info(data: _Source) -> Info: ...
def decode(
    data: _Source,
    *,
    device: _Device | None = None,
    out: _Array | None = None,
    **options: Unpack[_DecodeOptions],
) -> Image: ...
@overload
def decode_batch(
    data: Sequence[_Source],
    *,
    device: _Device | None = None,
    out: _Array | Sequence[_Array] | None = None,
    errors: Literal["raise"] | None = None,
    **options: Unpack[_DecodeOptions],
) -> list[Image]: ...
@overload
def decode_batch(
    data: Sequence[_Source],
    *,
    device: _Device | None = None,
    out: _Array | Sequence[_Array] | None = None,
    errors: Literal["return"],
    **options: Unpack[_DecodeOptions],
) -> list[Image | KostkaError]: ...
def decode_resized(
    data: Sequence[_Source],
    size: int | tuple[int, int],
    *,
    device: _Device | None = None,
    out: _Array | None = None,
    **options: Unpack[_ResizedOptions],
) -> Tensor: ...
def submit(
    data: Sequence[_Source],
    *,
    device: _Device | None = None,
    out: _Array | Sequence[_Array] | None = None,
    errors: Literal["raise", "return"] | None = None,
    **options: Unpack[_DecodeOptions],
) -> Job: ...
def flow(
    sources: Iterable[str | PathLike[str] | PathLike[bytes] | Buffer],
    *,
    decode: _DecodeOptions | None = None,
    resize: int | tuple[int, int] | _SizedOptions | None = None,
    filters: str | None = None,
    encode: _EncodeOptions | None = None,
    devices: str | None = None,
    threads: int | None = None,
    readers: int | None = None,
    batch: int | None = None,
    memory: int | None = None,
    in_order: bool | None = None,
    keep: bool | None = None,
    errors: Literal["raise", "return"] | None = None,
) -> Flow: ...
def tar_groups(
    archives: _Archive | Iterable[_Archive], *, shard: tuple[int, int] | None = None, limit: int = ...
) -> Iterator[Group]: ...
def flow_tar(
    archives: _Archive | Iterable[_Archive],
    *,
    pictures: Sequence[str] = ...,
    shard: tuple[int, int] | None = None,
    limit: int = ...,
    decode: _DecodeOptions | None = None,
    resize: int | tuple[int, int] | _SizedOptions | None = None,
    filters: str | None = None,
    encode: _EncodeOptions | None = None,
    devices: str | None = None,
    threads: int | None = None,
    batch: int | None = None,
    memory: int | None = None,
    keep: bool | None = None,
    errors: Literal["raise", "return"] | None = None,
) -> Iterator[tuple[Group, Any]]: ...  # the result: Image or bytes; with errors="return" KostkaError
def encode(
    image: _Picture,
    *,
    device: _Device | None = None,
    **options: Unpack[_EncodeOptions],
) -> bytes: ...
@overload
def encode_batch(
    images: _Array | Sequence[_Picture],
    *,
    device: _Device | None = None,
    errors: Literal["raise"] | None = None,
    **options: Unpack[_EncodeOptions],
) -> list[bytes]: ...
@overload
def encode_batch(
    images: _Array | Sequence[_Picture],
    *,
    device: _Device | None = None,
    errors: Literal["return"],
    **options: Unpack[_EncodeOptions],
) -> list[bytes | KostkaError]: ...
def filter(
    image: _Picture,
    chain: str,
    *,
    device: _Device | None = None,
    out: _Array | None = None,
    **options: Unpack[_FilterOptions],
) -> Image: ...
def histogram(
    image: _Picture, *, device: _Device | None = None, format: _Format | None = None
) -> dict[str, list[int]]: ...
def stereo(
    left: _Picture, right: _Picture, *, device: _Device | None = None, **options: Unpack[_StereoOptions]
) -> tuple[Image, Image]: ...
def sweep(
    views: Sequence[_Picture],
    cameras: Sequence[Sequence[Any]],
    nearest: float,
    farthest: float,
    *,
    device: _Device | None = None,
    **options: Unpack[_SweepOptions],
) -> tuple[Image, Image]: ...
def resize(
    image: _Picture,
    size: int | tuple[int, int],
    *,
    device: str | Context | None = None,
    **options: Unpack[_ResizeOptions],
) -> Image: ...
def encode_volume(
    volume: _Array,
    *,
    device: _Device | None = None,
    **options: Unpack[_EncodeVolumeOptions],
) -> bytes: ...
def encode_volumes(
    volumes: Sequence[_Array],
    *,
    device: _Device | None = None,
    **options: Unpack[_EncodeVolumeOptions],
) -> list[bytes]: ...
def decode_volume(
    data: _Source,
    *,
    device: _Device | None = None,
    **options: Unpack[_DecodeVolumeOptions],
) -> Any: ...
def decode_volumes(
    data: Sequence[_Source],
    *,
    device: _Device | None = None,
    **options: Unpack[_DecodeVolumesOptions],
) -> list[Any]: ...
def describe_volume(
    data: _Source,
    *,
    device: _Device | None = None,
    **options: Unpack[_DescribeVolumeOptions],
) -> _Described: ...
def transcode(
    data: _Source,
    *,
    device: _Device | None = None,
    **options: Unpack[_TranscodeOptions],
) -> bytes: ...
@overload
def transcode_batch(
    data: Sequence[_Source],
    *,
    device: _Device | None = None,
    errors: Literal["raise"] | None = None,
    **options: Unpack[_TranscodeOptions],
) -> list[bytes]: ...
@overload
def transcode_batch(
    data: Sequence[_Source],
    *,
    device: _Device | None = None,
    errors: Literal["return"],
    **options: Unpack[_TranscodeOptions],
) -> list[bytes | KostkaError]: ...
def save(
    file: _Path | bytes | _Writer,
    image: _Picture,
    *,
    codec: _Codec | None = None,
    device: _Device | None = None,
    **options: Unpack[_SaveOptions],
) -> None: ...
