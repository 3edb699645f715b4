# SPDX-License-Identifier: BSD-2-Clause
"""Lets pydicom decode and encode pixel data with Kostka: after register(), programs stay as they are.

    import kostka.pydicom
    kostka.pydicom.register()

pydicom 3 asks Kostka first for JPEG (1.2.840.10008.1.2.4.50, .51, lossless .57 and .70) and JPEG 2000 (.90,
.91, .201 to .203), and for encoding JPEG 2000 (.90, .91, and HTJ2K, .201 to .203, for which pydicom has no encoder);
pydicom 2 for decoding only. Grey frames that are coded together as components of Part 2 (.92, .93) are decoded, too,
for which pydicom has no decoder. A frame that is damaged
or of another process, such as arithmetic coding, is left to its other plugins. Samples are as coded: chrominance is brought
to the size of luminance, but colours are not converted, since pydicom does that where the dataset says so. The
functions decode_pixel_data() and encode_pixel_data() are those of pylibjpeg's plugins.
"""

import warnings

from . import OptionError, decode, encode, info

_SYNTAX = "1.2.840.10008.1.2.4."
_JPEG = tuple(_SYNTAX + end for end in ("50", "51", "57", "70"))
_JPEG2000 = tuple(_SYNTAX + end for end in ("90", "91", "201", "202", "203"))
_COLLECTIONS = tuple(_SYNTAX + end for end in ("92", "93"))
_HT = tuple(_SYNTAX + end for end in ("201", "202", "203"))
_LOSSLESS = _SYNTAX + "90", _SYNTAX + "201", _SYNTAX + "202"
_HT_RPCL = _SYNTAX + "202"
_LABEL = "kostka"

DECODER_DEPENDENCIES = {uid: ("kostka",) for uid in _JPEG + _JPEG2000 + _COLLECTIONS}
ENCODER_DEPENDENCIES = {uid: ("kostka",) for uid in (_SYNTAX + "90", _SYNTAX + "91") + _HT}

_added: dict[str, object] = {}  # encoders for syntaxes that pydicom has none for

# What pydicom 2 asks a handler for.
HANDLER_NAME = "Kostka"
DEPENDENCIES = {"numpy": ("https://numpy.org/", "NumPy")}

# An APP14 segment of Adobe's that says that components are not transformed.
_UNTRANSFORMED = b"\xff\xee\x00\x0eAdobe\x00\x65\x00\x00\x00\x00\x00"


def _without_transform(jpeg):
    """Replace what JFIF and Adobe's segment say of colours (T.871, T.872), so that components come out as coded."""
    parts = [jpeg[:2], _UNTRANSFORMED]
    at = 2
    while jpeg[at : at + 1] == b"\xff" and jpeg[at + 1 : at + 2] != b"\xda":
        if jpeg[at + 1 : at + 2] == b"\xff":  # a fill byte
            at += 1
            continue
        end = at + 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if not jpeg.startswith((b"JFIF\0", b"Adobe"), at + 4):
            parts.append(jpeg[at:end])
        if end >= len(jpeg) or end < at + 4:
            break
        at = end
    parts.append(jpeg[at:])
    return b"".join(parts)


def _codestream(data):
    """Return the codestream in a JP2 file, which DICOM does not allow but which occurs; and anything else as it is."""
    at = 0
    while data[:4] == b"\0\0\0\x0c" and at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        header = 16 if length == 1 else 8
        if length == 1:
            length = int.from_bytes(data[at + 8 : at + 16], "big")
        end = at + length if length else len(data)
        if data[at + 4 : at + 8] == b"jp2c":
            return data[at + header : end]
        if length and length < header:
            break
        at = end
    return data


def _samples(src, size=None, strict=True):
    """Decode a frame to its samples, pixel by pixel, with the bits that are stored of each, and whether they have a sign."""
    src = bytes(src)
    jpeg = src[:2] == b"\xff\xd8"
    src = _without_transform(src) if jpeg else _codestream(src)
    described = info(src)
    if size not in (None, (described.width, described.height)):  # before memory is taken for it
        raise ValueError(f"the frame has {described.height} rows and {described.width} columns, the dataset says otherwise")
    image = decode(src, strict=strict)
    if image.report.warnings:
        warnings.warn(f"Kostka: {image.report.message}", stacklevel=3)
    if len(image.planes) > 1:
        raise ValueError("components of different sizes or depths have no place in a frame")
    samples = memoryview(image)
    return bytearray(samples), described.components[0].depth, samples.format.islower()


def is_available(uid=None):
    """Return whether a transfer syntax is one that Kostka decodes or encodes; pydicom 2 asks without one."""
    return uid is None or uid in DECODER_DEPENDENCIES


def _allocated(bits):
    return 8 if bits <= 8 else 16 if bits <= 16 else 32


def _decode_frame(src, runner):
    """Decode a frame for pydicom 3."""
    frame, bits, _ = _samples(src, (runner.columns, runner.rows))
    if runner.transfer_syntax in _JPEG2000 and runner.photometric_interpretation in ("YBR_ICT", "YBR_RCT"):
        runner.set_option("photometric_interpretation", "RGB")
    runner.set_option("bits_allocated", _allocated(bits))
    if runner.samples_per_pixel > 1:  # whatever the dataset says, which means samples that are not compressed
        runner.set_option("planar_configuration", 0)
    return frame


def _interleaved(src, samples, size):
    """Bring samples of `size` bytes from planes to pixels."""
    pixels, length = bytearray(len(src)), len(src) // samples
    for plane in range(samples):
        for byte in range(size):
            pixels[plane * size + byte :: samples * size] = src[plane * length + byte : (plane + 1) * length : size]
    return pixels


def _encode_frame(src, runner):
    """Encode a frame for pydicom 3."""
    options = dict(runner.options)
    if runner.samples_per_pixel > 1 and not runner.is_array and runner.planar_configuration == 1:
        src = _interleaved(src, runner.samples_per_pixel, _allocated(runner.bits_stored) // 8)
    ratios = options.pop("compression_ratios", options.pop("j2k_cr", None))
    psnrs = options.pop("signal_noise_ratios", options.pop("j2k_psnr", None))
    if runner.transfer_syntax in _LOSSLESS:
        if ratios or psnrs:
            raise ValueError(
                "a lossless transfer syntax has no ratio or PSNR: encode as JPEG 2000 (1.2.840.10008.1.2.4.91) or HTJ2K (.203)"
            )
    elif not ratios and not psnrs and runner.transfer_syntax not in _HT:
        raise ValueError("JPEG 2000 needs a target: pass j2k_cr or j2k_psnr, or encode as JPEG 2000 Lossless")
    options["use_mct"] = options.get("use_mct", True) and runner.photometric_interpretation != "RGB"
    return encode_pixel_data(src, compression_ratios=ratios, signal_noise_ratios=psnrs, **options)


def decode_pixel_data(src, ds=None, version=1, **options):
    """Decode a frame as pylibjpeg's plugins do: to an array of bytes, or with version=2 to a bytearray.

    Damage is a warning, and an error only if nothing can be decoded.
    """
    frame, _, _ = _samples(src, strict=False)  # since pylibjpeg asks no other plugin
    if version == 1:
        import numpy

        return numpy.frombuffer(frame, dtype="uint8")
    return frame


def _picture(src, rows, columns, samples, bits, signed):
    """Shape the bytes of a frame as an array for encode(), and name its format."""
    letter = {8: "b", 16: "h", 32: "i"}[_allocated(bits)]
    view = memoryview(bytes(src)).cast(letter if signed else letter.upper())
    if samples == 1:
        return view.cast("B").cast(view.format, (rows, columns)), None
    if not signed:
        return view.cast("B").cast(view.format, (rows, columns, samples)), None
    planes = b"".join(view[i::samples].tobytes() for i in range(samples))
    return memoryview(planes).cast(view.format, (samples, rows, columns)), "planar"


def _rpcl(rows, columns):
    """Say how HTJ2K is coded for transfer syntax .202 (PS3.5 10.18): a thumbnail first, and TLM to find the end of each
    resolution.
    """
    levels = max(5, (max(rows, columns) - 1).bit_length() - 6)  # so that the lowest has at most 64 rows and columns
    return {"progression": "RPCL", "levels": levels, "tlm": True, "tile_parts": "resolution"}


def encode_pixel_data(
    src,
    *,
    rows,
    columns,
    samples_per_pixel,
    bits_stored,
    pixel_representation=0,
    photometric_interpretation="",
    use_mct=True,
    compression_ratios=None,
    signal_noise_ratios=None,
    **options,
):
    """Encode a frame to a codestream of JPEG 2000 as pylibjpeg's plugins do, without loss if there is no target.

    With the option transfer_syntax_uid, which pydicom passes, it is HTJ2K for those of HTJ2K.
    """
    if compression_ratios and signal_noise_ratios:
        raise OptionError("pass compression_ratios or signal_noise_ratios, not both")
    signed = bool(pixel_representation)
    picture, layout = _picture(src, rows, columns, samples_per_pixel, bits_stored, signed)
    syntax = options.get("transfer_syntax_uid")
    coding = {"codec": "jhc" if syntax in _HT else "j2k", "depth": bits_stored, "format": layout}
    if syntax == _HT_RPCL:
        coding.update(_rpcl(rows, columns))
    if samples_per_pixel == 3:
        coding["keep_components"] = not use_mct or photometric_interpretation.startswith("YBR_FULL")
    if compression_ratios or signal_noise_ratios:
        targets = compression_ratios or signal_noise_ratios
        coding["ratio" if compression_ratios else "psnr"] = [float(target) for target in targets]
    return bytes(encode(picture, **coding))


def supports_transfer_syntax(transfer_syntax):
    """Say for pydicom 2 whether Kostka decodes a transfer syntax."""
    return transfer_syntax in DECODER_DEPENDENCIES


def needs_to_convert_to_RGB(ds):
    """Say for pydicom 2 that colours are left to it."""
    return False


def should_change_PhotometricInterpretation_to_RGB(ds):
    """Say for pydicom 2 whether samples are RGB although the dataset calls them otherwise: JPEG 2000 undoes its transform."""
    return ds.file_meta.TransferSyntaxUID in _JPEG2000 and ds.PhotometricInterpretation in ("YBR_ICT", "YBR_RCT")


def _with_sign(frame, dtype, stored):
    """Give samples the sign of the dataset instead of the codestream's, as pydicom 3 does for all of its plugins."""
    import numpy

    spare = 8 * dtype.itemsize - stored
    return ((numpy.frombuffer(frame, dtype) << spare) >> spare).tobytes()


def get_pixeldata(ds):
    """Decode all frames of a dataset for pydicom 2 to an array of one dimension."""
    import numpy
    from pydicom import config
    from pydicom.encaps import generate_pixel_data_frame
    from pydicom.pixel_data_handlers.util import pixel_dtype

    if ds.file_meta.TransferSyntaxUID in _COLLECTIONS:
        from . import _dicom_collections

        return _dicom_collections.decode_dataset(ds).reshape(-1)
    frames = generate_pixel_data_frame(ds.PixelData, int(ds.get("NumberOfFrames") or 1))
    decoded = [_samples(frame, (ds.Columns, ds.Rows)) for frame in frames]
    bits = {_allocated(stored) for _, stored, _ in decoded}
    dtype = pixel_dtype(ds)
    if bits != {8 * dtype.itemsize}:
        raise ValueError(f"samples have {max(bits, default=0)} bits, which differs from Bits Allocated")
    corrects = config.APPLY_J2K_CORRECTIONS and ds.file_meta.TransferSyntaxUID in _JPEG2000
    return numpy.frombuffer(
        b"".join(
            _with_sign(frame, dtype, stored) if corrects and signed != (dtype.kind == "i") else frame
            for frame, stored, signed in decoded
        ),
        dtype,
    )


def _own_decoders():
    """Return pydicom 3's table of decoders, without those of ours for syntaxes that it has none for."""
    from pydicom.pixels.decoders import base

    decoders = base._PIXEL_DATA_DECODERS
    for uid in _COLLECTIONS:
        if uid in decoders and _LABEL in decoders[uid][0].available_plugins:
            del decoders[uid]
    return decoders


def _encoders():
    """Return pydicom 3's table of encoders."""
    from pydicom.pixels.encoders import base

    return base._PIXEL_DATA_ENCODERS


def _coders():
    """List pydicom 3's decoders and encoders with the name of the function for each."""
    from pydicom.pixels import get_decoder

    coders = [(get_decoder(uid), "_decode_frame") for uid in _JPEG + _JPEG2000]
    encoders = _encoders()
    return coders + [(encoders[uid][0], "_encode_frame") for uid in ENCODER_DEPENDENCIES if uid in encoders]


def _add_encoders():
    """Give pydicom 3 encoders for HTJ2K, unless a later pydicom has its own."""
    from pydicom.pixels.encoders.base import Encoder
    from pydicom.uid import UID

    encoders = _encoders()
    for uid in _HT:
        if uid not in encoders:
            _added[uid] = Encoder(UID(uid))
            encoders[uid] = (_added[uid], "3.0")


def _handlers():
    """Return pydicom 2's list of handlers; None for pydicom 3."""
    import pydicom

    return pydicom.config.pixel_data_handlers if int(pydicom.__version__.split(".")[0]) < 3 else None


def _this_module():
    import sys

    return sys.modules[__name__]


def register():
    """Let pydicom decode and encode with Kostka before its other plugins, in all threads of this process."""
    handlers = _handlers()
    unregister()
    if handlers is not None:
        handlers.insert(0, _this_module())
        return
    _add_encoders()
    for coder, function in _coders():
        coder.add_plugin(_LABEL, (__name__, function))
        plugins = coder._available  # pydicom asks them in this order, and has no other way to choose it
        for label in [label for label in plugins if label != _LABEL]:
            plugins[label] = plugins.pop(label)
    from . import _dicom_collections

    decoders = _own_decoders()
    for uid in _COLLECTIONS:
        if uid not in decoders:  # a later pydicom may have its own
            decoders[uid] = (_dicom_collections.decoder(uid, _LABEL), "3.0")


def unregister():
    """Let pydicom work with its other plugins alone again."""
    handlers = _handlers()
    if handlers is not None:
        if _this_module() in handlers:
            handlers.remove(_this_module())
        return
    for coder, _ in _coders():
        if _LABEL in coder.available_plugins:
            coder.remove_plugin(_LABEL)
    encoders = _encoders()
    for uid in list(_added):
        if encoders.get(uid, (None,))[0] is _added.pop(uid):
            del encoders[uid]
    _own_decoders()
