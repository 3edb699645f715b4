#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/gpu.sh measures everything that the tables and plots of GPUs show, in one call or several, and nothing in the tables
# is typed by hand. Small pictures are measured on the CPU, and called large ones of a GPU; libraries stand in for peers.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v python3 >/dev/null || lacks Python
[ -x "$GPU_PLOT" ] || lacks kostka-gpu-plot
export LD_LIBRARY_PATH="$KOSTKA_RIVALS" KOSTKA_DEVICES=cpu KOSTKA_MOST=1 KOSTKA_BOTH=48x40,24x20 KOSTKA_SIZES=64,128

pictures=
for i in 1 2 3 4 5 6 7 8; do
    picture $((40 + 8 * i)) $((90 - 8 * i)) >p$i.ppm
    pictures="$pictures p$i.ppm"
done
# shellcheck disable=SC2086 # words
gpu() {
    sh "$KOSTKA_SOURCE/bench/gpu.sh" results.json $pictures 2>log
}

# No time is left: what there is is a JSON file nevertheless, and the next call goes on.
KOSTKA_SECONDS=0 gpu
equals $? 3 'exit status without time'
[ -n "$("$JSON_VALUE" date <results.json)" ] || fail 'no results'
gpu || fail "gpu.sh fails: $(cat log)"
[ ! -e results.json.parts ] || fail 'parts are left'
grep -q '"identical": true' results.json || fail 'nothing was compared'

sed 's/"device": "cpu"/"device": "cuda:0"/; s/"width": 48,/"width": 3840,/; s/"height": 40,/"height": 2160,/
    s/"width": 24,/"width": 1920,/; s/"height": 20,/"height": 1080,/' results.json >gpu.json
mkdir plots
for name in about summary jpeg others jpeg2000 sizes; do
    printf 'before %s\n<!-- gpu.sh: %s -->\nold\n<!-- end -->\n' $name $name >>page.md
done
python3 "$KOSTKA_SOURCE/bench/gpu_tables.py" gpu.json page.md >out || fail 'no tables'
grep -q '^6 tables' out || fail "not all tables: $(cat out)"
! grep -q '^old' page.md || fail 'a table is old'
for row in 'decode 3840×2160, q90 4:2:0' 'decode 64 × 1920×1080, q90 4:2:0' 'encode 64 × 3840×2160, q90 4:2:0' \
    'encode 64 of them, optimised tables' 'decode 32, JPEG 2000 20:1' 'decode 1, JPEG 2000 20:1, the device alone' \
    'encode 32, JPEG 2000 20:1, the device alone' 'encode 32, JPEG 2000 lossless with 32×32 blocks' 'decode 1, HTJ2K lossless' \
    'encode 32, HTJ2K by step 2' 'encode 32, HTJ2K 20:1' 'rewrite 32, JPEG 2000 to HTJ2K, lossless' 'encode, nvJPEG'; do
    grep "^| $row" page.md >found || fail "no row '$row'"
    ! grep -vq '^| [^|]* |.*[0-9]' found || fail "the row '$row' is empty: $(cat found)"
done
# Every row with a peer has its time.
for row in 'encode 1, HTJ2K lossless' 'decode 32, JPEG 2000 lossless with' 'encode 32, JPEG 2000 20:1 with'; do
    ! grep "^| $row" page.md | grep -q '| – | –' || fail "no peer in '$row'"
done
"$GPU_PLOT" gpu.json plots >tables.md || fail 'no plots'
for name in size batch-2160 batch-1080 quality; do
    for verb in decode encode; do
        grep -q "<circle" plots/gpu-$verb-$name.svg || fail "nothing in gpu-$verb-$name.svg"
    done
done

# A peer that is not exact has its PSNR, and Kostka's stands beside it where both encode.
awk '/"engine":/ { peer = /nvJPEG"/ } peer { sub(/"identical": true/, "\"identical\": false") } { print }' gpu.json >inexact.json
printf '<!-- gpu.sh: jpeg -->\nold\n<!-- end -->\n' >inexact.md
python3 "$KOSTKA_SOURCE/bench/gpu_tables.py" inexact.json inexact.md >out || fail 'no table of an inexact peer'
equals "$(grep '^| encode 3840×2160, q90 4:2:0' inexact.md | grep -o '[0-9][0-9.]* dB' | wc -l)" 2 'PSNR where both encode'

# A result that is not the CPU's is never printed, in whatever table it would be, and no file is changed then.
sed 's/"identical": true/"identical": false/' gpu.json >wrong.json
for name in summary jpeg others jpeg2000 sizes; do
    printf '<!-- gpu.sh: about -->\nold\n<!-- end -->\n' >first.md
    printf '<!-- gpu.sh: %s -->\nold\n<!-- end -->\n' $name >second.md
    ! python3 "$KOSTKA_SOURCE/bench/gpu_tables.py" wrong.json first.md second.md >out 2>err || fail "a wrong result is printed: $name"
    grep -q "not the CPU's" err || fail "no complaint of $name: $(cat err)"
    equals "$(grep -c '^old' first.md second.md | tr '\n' ' ')" 'first.md:1 second.md:1 ' 'what is left'
done
finish
