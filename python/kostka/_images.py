# SPDX-License-Identifier: BSD-2-Clause
"""Implements the parts of images that are written in Python, for the extension: copies, pickling, Pillow, files."""

import pickle

# Pillow's mode and raw mode of each format and type. CMYK is inverted ink here and plain ink there.
_PIL_MODES = {
    ("grey", "uint8"): ("L", "L"),
    ("grey", "uint16"): ("I;16", "I;16N"),
    ("grey", "int16"): ("I", "I;16NS"),
    ("grey", "uint32"): ("I", "I;32NS"),
    ("grey", "int32"): ("I", "I;32NS"),
    ("grey", "float32"): ("F", "F;32NF"),
    ("rgb", "uint8"): ("RGB", "RGB"),
    ("bgr", "uint8"): ("RGB", "BGR"),
    ("rgba", "uint8"): ("RGBA", "RGBA"),
    ("bgra", "uint8"): ("RGBA", "BGRA"),
    ("cmyk", "uint8"): ("CMYK", "CMYK;I"),
}

# The modes to which those modes of Pillow are converted that are no format of ours.
_PIL_CONVERSIONS = {
    "1": "L",
    "LA": "RGBA",
    "La": "RGBA",
    "PA": "RGBA",
    "RGBa": "RGBA",
    "RGBX": "RGB",
    "YCbCr": "RGB",
    "LAB": "RGB",
    "HSV": "RGB",
}


def _planes(image):
    return image.planes if image.format in ("planar", "raw") else (image,)


def _check_host(image, what):
    if image.memory not in ("host", "pinned"):
        raise TypeError(f"an image in a device's memory cannot be {what}: decode with memory='host'")


def _samples(plane, protocol):
    """Without a copy where the protocol has out-of-band data and the rows follow each other."""
    view = memoryview(plane)
    if protocol >= 5 and view.c_contiguous:
        return pickle.PickleBuffer(plane)
    return view.tobytes()


def _parts(image, samples):
    return tuple((one.width, one.height, one.depth, one.dtype, samples(one)) for one in _planes(image))


def _state(image, parts):
    return image.format, image.colour, image.width, image.height, parts, image.report


def restore(*state):
    from . import _context

    return _context("cpu")._assemble(*state)


def reduce(image, protocol):
    _check_host(image, "pickled")
    return restore, _state(image, _parts(image, lambda plane: _samples(plane, protocol)))


def copy(image):
    _check_host(image, "copied")
    return restore(*_state(image, _parts(image, lambda plane: plane)))


def save(image, file, **options):
    from . import save

    save(file, image, **options)


def to_pil(image):
    from PIL import Image

    if image.format == "planar" or (image.format == "raw" and image.colour == "rgb"):
        bands = [to_pil(plane) for plane in image.planes]
        if all(band.mode == "L" for band in bands) and len(bands) in (1, 3):
            return bands[0] if len(bands) == 1 else Image.merge("RGB", bands)
    if image.format == "raw" and len(image.planes) == 1:
        image = image.planes[0]
    modes = _PIL_MODES.get((image.format, image.dtype))
    if modes is None:
        raise ValueError(f"Pillow has no mode for {image.format} of {image.dtype}")
    _check_host(image, "made one of Pillow's")
    view = memoryview(image)
    data = image if view.c_contiguous else view.tobytes()
    return Image.frombuffer(modes[0], (image.width, image.height), data, "raw", modes[1], 0, 1)


def from_pil(image):
    """Pixels with the buffer protocol, and the name of their format."""
    wanted = "RGBA" if image.mode == "P" and "transparency" in image.info else _PIL_CONVERSIONS.get(image.mode)
    if image.mode == "P" and wanted is None:
        wanted = "RGB"
    if wanted:
        image = image.convert(wanted)
    size = (image.height, image.width)
    if image.mode in ("L", "RGB", "RGBA"):
        channels = len(image.mode)
        data = memoryview(image.tobytes()).cast("B", (*size, channels) if channels > 1 else size)
        return data, {1: "grey", 3: "rgb", 4: "rgba"}[channels]
    if image.mode == "CMYK":
        return memoryview(image.tobytes("raw", "CMYK;I")).cast("B", (*size, 4)), "cmyk"
    if image.mode.startswith("I;16"):
        return memoryview(image.tobytes("raw", "I;16N")).cast("H", size), "grey"
    if image.mode == "I":
        return memoryview(image.tobytes("raw", "I;32NS")).cast("i", size), "grey"
    raise TypeError(f"Pillow's mode {image.mode!r} cannot be encoded: convert() the image")
