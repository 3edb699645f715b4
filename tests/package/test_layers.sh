#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Dependencies point one way: which rooms a room may include, as docs/architecture.md says.
set -u
cd "$KOSTKA_SOURCE" || exit 1
failed=0
allow() {
    room=$1
    shift
    pattern=
    for other in "$@"; do
        pattern="$pattern${pattern:+|}$other"
    done
    case $room in # a folder's run/ has a line of its own; so have all folders of resize
    */run) others= ;;
    src/resize) others="run cpu gpu kernels" ;;
    src/filters) others="cpu gpu kernels" ;;
    *) others=run ;;
    esac
    found=$(
        set --
        for other in $others; do
            set -- "$@" --exclude-dir="$other"
        done
        grep -rnE '#include "[a-z0-9_]+/' "$room" --include='*.[ch]' --exclude-dir=build "$@" | grep -vE "#include \"($pattern)[/\"]"
    )
    [ -z "$found" ] && return
    echo "$room may include $* only:"
    echo "$found"
    failed=1
}
allow src/core core
allow src/image image core
allow src/device device image core
allow src/kernels kernels
allow src/jpeg/tables none
allow src/jpeg/plan jpeg/plan jpeg/tables image core
allow src/jpeg/syntax jpeg/syntax jpeg/plan jpeg/tables image core
allow src/jpeg/cpu jpeg/cpu jpeg/syntax jpeg/plan jpeg/tables image core
allow src/jpeg/gpu jpeg/gpu jpeg/kernels jpeg/syntax jpeg/plan jpeg/tables device image core
allow src/jpeg/run jpeg/run jpeg/gpu jpeg/cpu jpeg/syntax jpeg/plan jpeg/tables run device image core
allow src/jpeg/kernels jpeg/kernels kernels jpeg/tables
allow src/j2k/tables none
allow src/j2k/plan j2k/plan j2k/tables core
allow src/j2k/syntax j2k/syntax j2k/plan j2k/tables core
allow src/j2k/packets j2k/packets j2k/syntax j2k/plan j2k/tables image core
allow src/j2k/write j2k/write j2k/packets j2k/syntax j2k/plan j2k/tables core
allow src/j2k/rate j2k/rate j2k/write j2k/syntax j2k/plan j2k/tables core
allow src/j2k/cpu j2k/cpu j2k/rate j2k/write j2k/packets j2k/syntax j2k/plan j2k/tables image core
allow src/j2k/gpu j2k/gpu j2k/kernels j2k/syntax j2k/plan j2k/tables device image core
allow src/j2k/run j2k/run j2k/gpu j2k/cpu j2k/rate j2k/write j2k/packets j2k/syntax j2k/plan j2k/tables run device image core
allow src/j2k/kernels j2k/kernels kernels j2k/tables
allow src/run run device image core
allow src/resize resize image core
allow src/resize/cpu resize/cpu resize/plan.h resize/weights.h image core
allow src/resize/gpu resize/gpu resize/kernels resize/plan.h kernels device image core
allow src/resize/run resize run device image core
allow src/resize/kernels resize/kernels kernels
allow src/gl gl image core
allow src/gl/run gl run device image core
allow src/api api run gl resize device image core
allow src/flow flow image core
allow src/filters filters run device image core
allow src/filters/cpu filters/cpu filters/bands.h filters/filter.h image core
allow src/filters/gpu filters/gpu filters/kernels filters/cpu filters/parse.h filters/planes.h filters/shape.h device image core
allow src/filters/kernels filters/kernels kernels
allow tools batch bench completion files openjpeg options peers print profile progress pyramid scene system tar video volume
allow tools/system system
allow tools/print print system
allow tools/progress progress print
allow tools/files files options progress print system
allow tools/files/deflate files/deflate system
allow tools/files/metadata files/metadata 'files/[a-z]+\.h'
allow tools/files/pnm files/pnm 'files/[a-z]+\.h'
allow tools/files/results files/results 'files/[a-z]+\.h' print
allow tools/files/rows files/rows files/metadata files/pnm 'files/[a-z]+\.h' progress
for format in bmp gif png tiff webp; do # formats do not know each other
    allow "tools/files/$format" "files/$format" files/deflate files/metadata 'files/[a-z]+\.h' progress system
done
allow tools/options options files print tar
allow tools/batch batch tar files options progress print system
allow tools/tar tar batch files progress system
allow tools/scene scene files options print
allow tools/openjpeg openjpeg files print system
allow tools/peers peers system
allow tools/bench bench peers options progress print system
allow tools/profile profile files options print system
allow tools/completion completion options print
allow tools/video video files options progress system
allow tools/pyramid pyramid files options progress print system
allow tools/volume volume files options progress print system
allow fuzz j2k core pyramid video volume
allow bench jpeg j2k core run print files system
allow compat none
allow plugins none
allow examples none
allow python none
[ -n "$(find src/jpeg/cpu -name '*.c')" ] || failed=1
# A context knows its device by a handle alone, and what is above devices no GPU's types.
found=$(grep -rnE 'struct gpu|enum gpu|kst_gpu|kst_context_gpu' src/core src/image src/jpeg/plan src/j2k/plan --include='*.[ch]')
# A plan of JPEG does not know who carries it out.
found="$found$(grep -rnE 'struct jpeg_dsp|struct jpeg_row_buffers|enum cpu_tier' src/jpeg/plan --include='*.[ch]')"
if [ -n "$found" ]; then
    echo "these know an executor:"
    echo "$found"
    failed=1
fi
# How a kind of memory is reached is said in image/location.h; codecs know no driver.
found=$(grep -rnE 'KST_(MEMORY|DEVICE)_(CUDA|OPENCL)' src/jpeg src/j2k src/resize src/run src/api --include='*.[ch]')
if [ -n "$found" ]; then
    echo "these name a driver:"
    echo "$found"
    failed=1
fi
# How the CPU divides a tile into steps is its own affair.
found=$(grep -rnE '#include "j2k/cpu/(.*tile|.*/encode_set|tasks)\.h"' src --include='*.[ch]' | grep -v '^src/j2k/cpu/')
if [ -n "$found" ]; then
    echo "these see how the CPU codes a tile:"
    echo "$found"
    failed=1
fi
# A number of a standard that the CPU's code and kernels need is stated once, in the codec's tables/.
found=$(grep -rnE '1\.586134|0\.052980|0\.882911|0\.443506|1\.230174|0\.34413|\b(4433|6270|15137|20995|19595|38470|91881|46802)\b|0, 1, 8, 16, 9|\{0, 1, 1, 2\}|STYLE_(BYPASS|HT) *=' src \
    --include='*.[ch]' --include='*.cl' --exclude-dir=tables)
if [ -n "$found" ]; then
    echo "these belong in tables/:"
    echo "$found"
    failed=1
fi
# The coder of code-blocks is chosen by their style, in one place, and called through a table.
found=$(grep -rnE 'kst_j2k_(block_(decode|encode|measure|passes)|coding_passes|ebcot)\b|j2k_block_(de|en)coder\b' src \
    --include='*.[ch]' --exclude-dir=blocks)
found="$found$(grep -rnE 'J2K_(KERNEL_(WAVES|BLOCKS)|ENCODE_(MEASURE|MODEL|ORDER|CODE))\b|kst_j2k_gpu_ebcot' src/j2k \
    --include='*.[ch]' --exclude=ebcot.c --exclude='modules.*' --exclude='block_coder.*')"
if [ -n "$found" ]; then
    echo "these name a block coder:"
    echo "$found"
    failed=1
fi
# src/api has entry points and nothing else: no function for other rooms, and no header.
defined=$(grep -hE '^[a-z].*kst_[a-z0-9_]+\(' src/api/*.c | grep -v '^static' | sed 's/.*\(kst_[a-z0-9_]*\)(.*/\1/')
for name in $defined; do
    grep -qE "^KST_API .*[ *]$name\(" include/kostka/*.h && continue
    echo "src/api has $name(), which is no entry point"
    failed=1
done
if [ -n "$(find src/api -name '*.h')" ]; then
    echo "src/api has headers"
    failed=1
fi
# An example is read in one go.
for file in examples/*.[ch] examples/*.py; do
    [ "$(wc -l <"$file")" -lt 150 ] && continue
    echo "$file has 150 lines or more"
    failed=1
done
exit "$failed"
