# SPDX-License-Identifier: BSD-2-Clause
"""The packages of others use Kostka where a wheel is installed beside them: by its entry points, and after register()."""

import importlib.metadata
import io

import kostka
import kostka.pillow
import kostka.pydicom
import numcodecs.registry
import numpy
import pylibjpeg.utils
import zarr.registry
from PIL import Image
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.pixels import get_decoder

SYNTAX = "1.2.840.10008.1.2.4."
grey = numpy.add.outer(3 * numpy.arange(90), 5 * numpy.arange(120)).astype("uint8")
coded = kostka.encode(grey, codec="j2k", lossless=True)


def dataset():
    """A frame as a file of DICOM has it."""
    ds = Dataset()
    ds.file_meta = FileMetaDataset()
    ds.file_meta.TransferSyntaxUID = SYNTAX + "90"
    ds.Rows, ds.Columns = grey.shape
    ds.SamplesPerPixel, ds.NumberOfFrames, ds.PhotometricInterpretation = 1, 1, "MONOCHROME2"
    ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.PixelRepresentation = 8, 8, 7, 0
    ds.PixelData = encapsulate([bytes(coded)])
    ds["PixelData"].VR = "OB"
    return ds


entries = importlib.metadata.distribution("kostka").entry_points
assert len(entries) > 10 and all(callable(entry.load()) for entry in entries), "an entry point leads nowhere"

decoders = pylibjpeg.utils.get_pixel_data_decoders()
assert decoders[SYNTAX + "90"] is kostka.pydicom.decode_pixel_data, "pylibjpeg does not find the plugin"
assert bytes(decoders[SYNTAX + "90"](bytes(coded), version=2)) == grey.tobytes(), "pylibjpeg gets other samples"
assert SYNTAX + "91" in pylibjpeg.utils.get_pixel_data_encoders(), "pylibjpeg does not find the encoder"

kostka.pydicom.register()
frame, _ = get_decoder(SYNTAX + "90").as_array(dataset(), decoding_plugin="kostka")
assert numpy.array_equal(frame, grey), "pydicom gets other samples"

kostka.pillow.register()
opened = Image.open(io.BytesIO(kostka.encode(grey, quality=90)))
assert numpy.array_equal(numpy.asarray(opened), numpy.asarray(kostka.decode(kostka.encode(grey, quality=90)))), "Pillow gets other pixels"

assert numcodecs.registry.get_codec({"id": "kostka"}).codec_id == "kostka", "numcodecs does not find the codec"
assert zarr.registry.get_codec_class("kostka").__module__ == "kostka.zarr", "zarr does not find the codec"
print("pylibjpeg, pydicom, Pillow, numcodecs and zarr find the plugins")
