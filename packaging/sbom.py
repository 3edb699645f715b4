# SPDX-License-Identifier: BSD-2-Clause
"""Prints the SBOM of a release archive as SPDX 2.3 in JSON: sbom.py TAR NAME SHA256 VERSION

TAR is the archive before compression, NAME and SHA256 are those of what is released. The times are those that
SOURCE_DATE_EPOCH says.
"""

import datetime
import hashlib
import json
import os
import re
import sys
import tarfile

LICENCE = "BSD-2-Clause"

# What the library needs is the C library alone. These are loaded when they are needed, by the command line for formats of
# files, by the libraries in place of others, and by the library for devices.
LOADED = (
    ("c-blosc", "BSD-3-Clause"),
    ("FFmpeg", "LGPL-2.1-or-later"),
    ("giflib", "MIT"),
    ("jansson", "MIT"),
    ("libarchive", "BSD-2-Clause"),
    ("libdeflate", "MIT"),
    ("libjpeg-turbo", "IJG AND BSD-3-Clause AND Zlib"),
    ("libpng", "libpng-2.0"),
    ("libtiff", "libtiff"),
    ("libwebp", "BSD-3-Clause"),
    ("NVIDIA-driver", "NOASSERTION"),
    ("OpenCL-ICD-Loader", "Apache-2.0"),
    ("zlib", "Zlib"),
    ("zstd", "BSD-3-Clause"),
)


def checksums(data, *algorithms):
    return [{"algorithm": name, "checksumValue": hashlib.new(name.lower(), data).hexdigest()} for name in algorithms]


def licences_in(data):
    """The licences that the first lines of a file name."""
    found = re.findall(rb"SPDX-License-Identifier: ([A-Za-z0-9.-]+)", data[:1000])
    return sorted({licence.decode() for licence in found}) or ["NONE"]


def describe_file(number, name, data):
    return {
        "fileName": "./" + name,
        "SPDXID": f"SPDXRef-File-{number}",
        "checksums": checksums(data, "SHA1", "SHA256"),
        "licenseConcluded": LICENCE,
        "licenseInfoInFiles": licences_in(data),
        "copyrightText": "NOASSERTION",
    }


def read_files(path):
    with tarfile.open(path) as archive:
        members = sorted((m for m in archive if m.isfile()), key=lambda m: m.name)
        for number, member in enumerate(members):
            name = member.name.partition("/")[2]
            yield describe_file(number, name, archive.extractfile(member).read())


def verification_code(files):
    """SPDX 2.3, 7.9: the SHA-1 of the sorted SHA-1 sums of all files."""
    sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
    return hashlib.sha1("".join(sums).encode()).hexdigest()


def licences_of(files):
    """The licences that files name; NONE is not among others (SPDX 2.3, 7.14)."""
    found = {licence for file in files for licence in file["licenseInfoInFiles"]}
    return sorted(found - {"NONE"}) or ["NONE"]


def describe_release(name, sha256, version, files):
    return {
        "name": "kostka",
        "SPDXID": "SPDXRef-Package-kostka",
        "versionInfo": version,
        "packageFileName": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)},
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256}],
        "licenseConcluded": LICENCE,
        "licenseDeclared": LICENCE,
        "licenseInfoFromFiles": licences_of(files),
        "copyrightText": "Copyright (c) 2026, the Kostka authors",
        "primaryPackagePurpose": "SOURCE",
    }


def describe_loaded(name, licence):
    return {
        "name": name,
        "SPDXID": "SPDXRef-Package-" + name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }


def relation(left, kind, right):
    return {"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}


def describe(tar, name, sha256, version):
    files = list(read_files(tar))
    release = describe_release(name, sha256, version, files)
    loaded = [describe_loaded(*library) for library in LOADED]
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"kostka-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/kostka-{version}-{sha256}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: the Kostka authors", "Tool: packaging/sbom.py"],
        },
        "packages": [release, *loaded],
        "files": files,
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", release["SPDXID"])]
        + [relation(release["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
        + [relation(library["SPDXID"], "OPTIONAL_DEPENDENCY_OF", release["SPDXID"]) for library in loaded],
    }


if __name__ == "__main__":
    json.dump(describe(*sys.argv[1:]), sys.stdout, indent=1, ensure_ascii=False)
    print()
