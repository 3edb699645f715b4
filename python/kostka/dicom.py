# SPDX-License-Identifier: BSD-2-Clause
"""Volumes from series of DICOM, through pydicom.

    series = kostka.dicom.read_series("scan")           # a folder, or the paths of files
    data = kostka.encode_volume(series.volume, bits=series.bits)
    x, y, z = (series.affine @ (10, 200, 100, 1))[:3]   # millimetres, of the sample [10, 200, 100]

Slices are files of one frame. JPEG, JPEG 2000 and HTJ2K are decoded by Kostka; pydicom reads what is not compressed, and RLE.
A series that is no volume is refused with the reason: slices that are missing, that lie twice at one place, or that differ in
size, orientation, spacing or type.
"""

import dataclasses
import os
import pathlib

import numpy
import pydicom
import pydicom.encaps
import pydicom.errors

import kostka
from kostka import _dicom_collections

# PS3.5 A.4.1 and A.4.4: JPEG, JPEG 2000 and HTJ2K, a codestream for a frame. A.4.4's syntaxes .92 and .93 are not of this kind.
_CODED = {
    "1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.70",
    "1.2.840.10008.1.2.4.90", "1.2.840.10008.1.2.4.91", "1.2.840.10008.1.2.4.201", "1.2.840.10008.1.2.4.202",
    "1.2.840.10008.1.2.4.203",
}  # fmt: skip
_PLAIN = {"1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.5"}
_SAME = ("Rows", "Columns", "BitsAllocated", "BitsStored", "PixelRepresentation", "PhotometricInterpretation")
_WHOLE = _SAME[:-1]  # those that are whole numbers
_WORDS = ("SeriesInstanceUID", "PhotometricInterpretation")
_FAR = 1e9  # millimetres or units that no number of a series exceeds
_NEAR = 1e-4  # that directions may differ by
_UNEVEN = 0.02  # of the distance of slices that they may be away from their places


class SeriesError(ValueError):
    """The files are no series that is a volume; the text says which file or which slices, and why."""


@dataclasses.dataclass(frozen=True)
class Series:
    """A volume, where it lies, and what its samples mean.

    volume: (depth, height, width) samples as stored, of 8 or 16 bits, slices in the order of their positions along the normal
    bits: that count in each
    affine: 4×4; affine @ (z, y, x, 1) is the position of the centre of a sample in millimetres, in DICOM's coordinates of the
        patient (to the left, to the back, to the head)
    spacing: millimetres between samples along z, y and x
    rescale: (depth, 2); slope and intercept of each slice, whose values are samples × slope + intercept
    photometric: MONOCHROME1 (the least sample is white) or MONOCHROME2
    uid: SeriesInstanceUID
    files: the path of each slice
    """

    volume: numpy.ndarray
    bits: int
    affine: numpy.ndarray
    spacing: tuple
    rescale: numpy.ndarray
    photometric: str
    uid: str
    files: tuple


def read_series(source, *, uid=None, device=None, max_memory=4 << 30):
    """Read the slices of a series, and return a Series.

    source: a folder, whose files and whose folders' files are looked at, those that are not DICOM or have no samples being
        left out; or the paths of files, which all must be slices
    uid: the SeriesInstanceUID of the series, where the files have several
    device: as for kostka.decode()
    max_memory: bytes that the volume may have

    Raises SeriesError, OSError for files that cannot be read, pydicom's InvalidDicomError for files of a list that are not
    DICOM, and KostkaError, with the path in its notes, for streams that cannot be decoded.
    """
    slices = _choose(_find(source), uid)
    _check_alike(slices)
    slices, affine, spacing = _arrange(slices)
    first = slices[0][1]
    kind = numpy.dtype(f"{'iu'[first.PixelRepresentation == 0]}{first.BitsAllocated // 8}")
    shape = (len(slices), first.Rows, first.Columns)
    if int(numpy.prod([*shape, kind.itemsize], dtype=object)) > max_memory:
        raise SeriesError(f"{shape} samples of {kind} take more than max_memory, {max_memory} bytes")
    volume = numpy.empty(shape, kind)
    for samples, (path, described) in zip(volume, slices):
        samples[...] = _read_slice(path, described, device)
    rescale = [(_number(s, p, "RescaleSlope", 1), _number(s, p, "RescaleIntercept", 0)) for p, s in slices]
    return Series(
        volume, first.BitsStored, affine, spacing, numpy.array(rescale), first.PhotometricInterpretation,
        first.SeriesInstanceUID, tuple(path for path, _ in slices),
    )  # fmt: skip


def _find(source):
    """(path, headers) of each slice."""
    if not isinstance(source, (str, os.PathLike)):
        return [(pathlib.Path(path), _read_headers(path)) for path in source]
    folder = pathlib.Path(source)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is no folder; pass a list of paths for files")
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            described = _read_headers(path)
        except pydicom.errors.InvalidDicomError:
            continue
        if "Rows" in described:
            found.append((path, described))
    return found


def _read_headers(path):
    try:
        return pydicom.dcmread(path, stop_before_pixels=True)
    except (pydicom.errors.InvalidDicomError, OSError):
        raise
    except Exception as error:  # of what is damaged pydicom raises a dozen kinds
        raise SeriesError(f"{path} cannot be read as DICOM: {error}") from error


def _choose(slices, uid):
    """The slices of one series."""
    if not slices:
        raise SeriesError("there is no file of DICOM with samples")
    series = {_value(described, path, "SeriesInstanceUID") for path, described in slices}
    if uid is None and len(series) > 1:
        raise SeriesError(f"there are {len(series)} series; name one as uid: {', '.join(sorted(series))}")
    chosen = [(path, described) for path, described in slices if uid in (None, described.SeriesInstanceUID)]
    if not chosen:
        raise SeriesError(f"there is no series {uid}, but {', '.join(sorted(series))}")
    return chosen


def _get(described, path, name, default=None):
    try:
        value = described.get(name, default)
    except Exception as error:  # a value is converted when it is asked for
        raise SeriesError(f"{path}: {name} cannot be read: {error}") from error
    return default if value is None or value == "" else value


def _value(described, path, name):
    value = _get(described, path, name)
    if value is None:
        raise SeriesError(f"{path} has no {name}")
    if name in _WHOLE and not isinstance(value, int):
        raise SeriesError(f"{path}: {name} is {value!r}, not a number")
    if name in _WORDS and not isinstance(value, str):
        raise SeriesError(f"{path}: {name} is {value!r}, not one word")
    return value


def _number(described, path, name, default):
    try:
        value = float(_get(described, path, name, default))
    except (TypeError, ValueError) as error:
        raise SeriesError(f"{path}: {name} is no number") from error
    if not abs(value) <= _FAR:
        raise SeriesError(f"{path}: {name} is {value}")
    return value


def _numbers(described, path, name, count):
    found = _value(described, path, name)
    try:
        values = numpy.array([float(value) for value in found])
    except (TypeError, ValueError) as error:
        raise SeriesError(f"{path}: {name} has no numbers") from error
    if values.shape != (count,) or not (numpy.abs(values) <= _FAR).all():
        raise SeriesError(f"{path}: {name} is not {count} finite numbers, or they are absurd")
    return values


def _check_alike(slices):
    """Refuse files that are no slices of grey samples, and slices that differ."""
    first_path, first = slices[0]
    for path, described in slices:
        frames, samples = _get(described, path, "NumberOfFrames", 1), _get(described, path, "SamplesPerPixel", 1)
        if frames != 1:
            raise SeriesError(f"{path} has {frames} frames; slices are files of one frame each")
        if samples != 1:
            raise SeriesError(f"{path} has {samples} samples for each pixel; volumes have one")
        for name in _SAME:
            found, wanted = _value(described, path, name), _value(first, first_path, name)
            if found != wanted:
                raise SeriesError(f"{name} is {wanted} in {first_path}, and {found} in {path}")
        for name, count in (("ImageOrientationPatient", 6), ("PixelSpacing", 2)):
            if numpy.abs(_numbers(described, path, name, count) - _numbers(first, first_path, name, count)).max() > _NEAR:
                raise SeriesError(f"{name} differs: {first[name].value} in {first_path}, {described[name].value} in {path}")
    empty = min(first.Rows, first.Columns) < 1
    if first.BitsAllocated not in (8, 16) or not 1 <= first.BitsStored <= first.BitsAllocated or empty:
        raise SeriesError(
            f"{first_path} has {first.Rows}×{first.Columns} samples with {first.BitsStored} of {first.BitsAllocated} bits;"
            " volumes have 8 or 16 bits"
        )
    if first.PhotometricInterpretation not in ("MONOCHROME1", "MONOCHROME2") or first.PixelRepresentation not in (0, 1):
        raise SeriesError(f"{first_path} is {first.PhotometricInterpretation}, not a grey slice")


def _arrange(slices):
    """Slices in the order of their positions along the normal, the affine, and the spacing. Refuse gaps and doubles."""
    path, first = slices[0]
    orientation = _numbers(first, path, "ImageOrientationPatient", 6)
    along_x, along_y = orientation[:3], orientation[3:]
    if abs(along_x @ along_x - 1) > 0.01 or abs(along_y @ along_y - 1) > 0.01 or abs(along_x @ along_y) > 0.01:
        raise SeriesError(f"{path}: ImageOrientationPatient has no two directions at right angles")
    between_y, between_x = _numbers(first, path, "PixelSpacing", 2)
    if between_y <= 0 or between_x <= 0:
        raise SeriesError(f"{path}: PixelSpacing is not positive")
    places = numpy.array([_numbers(described, path, "ImagePositionPatient", 3) for path, described in slices])
    distances = places @ numpy.cross(along_x, along_y)
    order = numpy.argsort(distances, kind="stable")
    slices, places, distances = [slices[i] for i in order], places[order], distances[order]
    step = _check_steps(slices, places, distances)
    if step is None:  # a single slice
        thick = abs(_number(first, path, "SliceThickness", 1)) or 1
        step = numpy.cross(along_x, along_y) * thick
    affine = numpy.eye(4)
    affine[:3] = numpy.stack([step, along_y * between_y, along_x * between_x, places[0]], axis=1)
    return slices, affine, (float(numpy.linalg.norm(step)), float(between_y), float(between_x))


def _check_steps(slices, places, distances):
    """Return the way from slice to slice, which all have in common; None for one slice."""
    if len(slices) == 1:
        return None
    gaps = numpy.diff(distances)
    usual = float(numpy.median(gaps))
    for i in numpy.flatnonzero(gaps <= _UNEVEN * usual) if usual > 0 else (int(gaps.argmin()),):
        raise SeriesError(f"{slices[i][0]} and {slices[i + 1][0]} are at the same place along the normal")
    for i in numpy.flatnonzero(numpy.abs(gaps - usual) > _UNEVEN * usual):
        missing = round(gaps[i] / usual) - 1
        reason = f"{missing} slice{'s' * (missing > 1)} missing" if missing > 0 else "distances differ"
        raise SeriesError(
            f"{slices[i][0]} and {slices[i + 1][0]} are {gaps[i]:.4g} mm apart, others {usual:.4g} mm: {reason}"
        )
    step = (places[-1] - places[0]) / (len(slices) - 1)
    astray = numpy.linalg.norm(places - places[0] - numpy.arange(len(slices))[:, None] * step, axis=1)
    i = int(astray.argmax())
    if astray[i] > 2 * _UNEVEN * usual:
        raise SeriesError(f"{slices[i][0]} is {astray[i]:.4g} mm away from its place: positions are not on a line")
    return step


def _read_slice(path, described, device):
    """The samples of a slice, as stored."""
    syntax = str(described.file_meta.get("TransferSyntaxUID", ""))
    if syntax not in _CODED | _PLAIN:
        raise SeriesError(f"{path} has the transfer syntax {syntax or 'none'}, which is not read")
    try:
        whole = pydicom.dcmread(path)
        samples = _decode(path, whole, device) if syntax in _CODED else whole.pixel_array
    except (SeriesError, OSError, MemoryError):
        raise
    except kostka.KostkaError as error:
        error.add_note(str(path))
        raise
    except Exception as error:
        raise SeriesError(f"{path}: its samples cannot be read: {error}") from error
    if samples.shape != (described.Rows, described.Columns):
        raise SeriesError(f"{path} has {samples.shape} samples, not {(described.Rows, described.Columns)}")
    return _dicom_collections.with_sign(samples, described.BitsStored, described.PixelRepresentation)


def _decode(path, whole, device):
    """Decode a codestream of the size that the headers say."""
    frame = _frame(whole)
    described = kostka.info(frame)
    if (described.width, described.height) != (whole.Columns, whole.Rows):
        raise SeriesError(
            f"{path} has a codestream of {described.height}×{described.width} samples, not {whole.Rows}×{whole.Columns}"
        )
    if len(described.components) != 1:
        raise SeriesError(f"{path} has a codestream of {len(described.components)} components")
    samples = numpy.asarray(kostka.decode(frame, device=device))
    if samples.ndim != 2 or samples.dtype.kind not in "iu":
        raise SeriesError(f"{path} has a codestream of {samples.dtype} of shape {samples.shape}")
    return samples


def _frame(whole):
    """The only frame: all fragments one behind the other."""
    if hasattr(pydicom.encaps, "get_frame"):  # pydicom 3
        return pydicom.encaps.get_frame(whole.PixelData, 0, number_of_frames=1)
    return next(pydicom.encaps.generate_pixel_data_frame(whole.PixelData, 1))
