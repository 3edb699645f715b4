#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Resized images are those of Pillow, byte for byte.
set -u
python3 -c 'import PIL' 2>/dev/null || {
    echo "skipped: Pillow is not installed for python3"
    exit 77
}
exec python3 "$2" "$1"
