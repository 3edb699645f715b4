# SPDX-License-Identifier: BSD-2-Clause
"""Frames of DICOM that are the components of codestreams of T.801: transfer syntaxes .92 and .93 (PS3.5 A.4.4), for pydicom."""

import io

import numpy
import pydicom
import pydicom.encaps
import pydicom.filebase

from . import decode_volume, info

_PLAIN = pydicom.uid.UID("1.2.840.10008.1.2.1")  # little endian, not compressed


def _codestreams(fragments):
    """Join fragments to codestreams: one that begins with SOC and SIZ begins a codestream."""
    streams = []
    for fragment in fragments:
        if fragment[:4] == b"\xff\x4f\xff\x51" or not streams:
            streams.append(bytearray())
        streams[-1] += fragment
    return streams


def _fragments(data):
    if hasattr(pydicom.encaps, "generate_fragments"):  # pydicom 3
        buffer = io.BytesIO(data)
        pydicom.encaps.parse_basic_offsets(buffer)
        return pydicom.encaps.generate_fragments(buffer)
    fp = pydicom.filebase.DicomBytesIO(data)
    fp.is_little_endian = True
    pydicom.encaps.get_frame_offsets(fp)
    return pydicom.encaps.generate_pixel_data_fragment(fp)


def with_sign(samples, stored, signed):
    """Take the low `stored` bits of samples, with or without a sign as the dataset says; those above may be anything."""
    spare = 32 - stored
    shifted = samples.astype("int32") << numpy.int32(spare)
    return shifted.view("int32" if signed else "uint32") >> spare


def decode_frames(data, *, frames, rows, columns, samples, allocated, stored, signed):
    """Decode encapsulated pixel data to an array (frames, rows, columns) of samples as the dataset describes them.

    The codestreams have the frames one after the other, each of them one or more, of one sample a pixel.
    """
    if samples != 1:
        raise ValueError(f"{samples} samples for each pixel have no place in a volume")
    if allocated not in (8, 16, 32) or not 1 <= stored <= allocated:
        raise ValueError(f"{stored} of {allocated} bits are stored")
    streams = _codestreams(_fragments(data))
    described = [info(stream) for stream in streams]
    for one in described:  # before memory is taken
        if (one.width, one.height) != (columns, rows):
            raise ValueError(f"a codestream has {one.height} rows and {one.width} columns, the dataset says otherwise")
    counts = [int.from_bytes(stream[40:42], "big") for stream in streams]  # Csiz (T.800 A.5.1), which info() has checked
    if sum(counts) != frames:
        raise ValueError(f"the codestreams have {sum(counts)} frames, the dataset says {frames}")
    decoded = numpy.empty((frames, rows, columns), f"{'i' if signed else 'u'}{allocated // 8}")
    at = 0
    for stream, count in zip(streams, counts):
        volume = numpy.asarray(decode_volume(stream, strict=True))
        if volume.dtype.kind not in "iu":
            raise ValueError(f"a codestream has samples of {volume.dtype}")
        decoded[at : at + count] = with_sign(volume, stored, signed)
        at += count
    return decoded


def _described(source):
    """The arguments of decode_frames() from a dataset, or from pydicom's options for bytes."""
    if isinstance(source, pydicom.Dataset):
        names = "Rows", "Columns", "SamplesPerPixel", "BitsAllocated", "BitsStored", "PixelRepresentation"
        values = [source[name].value for name in names] + [source.get("NumberOfFrames") or 1]
    else:
        names = "rows", "columns", "samples_per_pixel", "bits_allocated", "bits_stored", "pixel_representation"
        values = [source[name] for name in names] + [source.get("number_of_frames") or 1]
    names = "rows", "columns", "samples", "allocated", "stored", "signed", "frames"
    return dict(zip(names, map(int, values)))


def decode_dataset(dataset):
    """Decode a dataset's frames to an array (frames, rows, columns)."""
    return decode_frames(dataset.PixelData, **_described(dataset))


def decoder(uid, label):
    """Make a decoder for pydicom 3, which decodes all frames at once and lets pydicom shape what is not compressed then."""
    from pydicom.pixels import get_decoder
    from pydicom.pixels.decoders.base import Decoder

    plain = get_decoder(_PLAIN)

    class Collections(Decoder):
        def _plainly(self, name, source, decoding_plugin="", **options):
            if decoding_plugin not in ("", label):
                raise ValueError(f"there is no plugin {decoding_plugin!r} for {uid}")
            if isinstance(source, pydicom.Dataset):
                frames = decode_dataset(source)
                whole = pydicom.Dataset({tag: element for tag, element in source.items() if tag.group == 0x28})
                whole.file_meta = pydicom.dataset.FileMetaDataset()
                whole.file_meta.TransferSyntaxUID = _PLAIN
                whole.set_original_encoding(False, True)
                whole.PixelData = frames.tobytes() + b"\0" * (frames.nbytes % 2)
                whole["PixelData"].VR = "OB" if frames.itemsize == 1 else "OW"
            else:
                data = source.read() if hasattr(source, "read") else bytes(source)
                whole = decode_frames(data, **_described(options)).tobytes()
                options["transfer_syntax_uid"] = _PLAIN
            return getattr(plain, name)(whole, **options)

        def as_array(self, src, **options):
            return self._plainly("as_array", src, **options)

        def as_buffer(self, src, **options):
            return self._plainly("as_buffer", src, **options)

        def iter_array(self, src, **options):
            yield from self._plainly("iter_array", src, **options)

        def iter_buffer(self, src, **options):
            yield from self._plainly("iter_buffer", src, **options)

    made = Collections(pydicom.uid.UID(uid))
    made.add_plugin(label, ("kostka.pydicom", "_decode_frame"))
    return made
