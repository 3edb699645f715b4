#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# djpeg, cjpeg, jpegtran and Pillow, as they are installed, give the same bytes, messages and exit codes with Kostka's
# libjpeg.so.62 as with the system's, for whole and for damaged files; the library has the same symbols.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
for program in djpeg cjpeg jpegtran; do
    command -v "$program" >/dev/null || lacks "$program"
done

folder=$(dirname "$LIBJPEG")

# both NAME COMMAND…: run a command with both libraries.
both() {
    name=$1
    shift
    "$@" >theirs 2>theirs.err
    theirs=$?
    LD_LIBRARY_PATH=$folder "$@" >ours 2>ours.err
    ours=$?
    [ $theirs = $ours ] || fail "$name: exit code $ours, not $theirs: $*"
    cmp -s theirs.err ours.err || fail "$name: other messages: $*: $(cat ours.err)"
    cmp -s theirs ours || fail "$name: other bytes: $*"
}

picture 167 123 >a.ppm
cjpeg -quality 90 a.ppm >420.jpg
cjpeg -sample 2x1 a.ppm >422.jpg
cjpeg -sample 1x1 -restart 3B a.ppm >444.jpg
cjpeg -sample 1x2 -optimize a.ppm >440.jpg
cjpeg -progressive -restart 1 a.ppm >progressive.jpg
cjpeg -grayscale a.ppm >grey.jpg
cjpeg -rgb -arithmetic a.ppm >arithmetic.jpg
printf '0;\n1;\n2;\n' >script
cjpeg -scans script a.ppm >scans.jpg
for file in 420 422 444 440 progressive grey arithmetic scans; do
    both "$file" djpeg "$file.jpg"
    both "$file" djpeg -rgb -scale 1/2 "$file.jpg"
    both "$file" djpeg -dct fast -scale 11/8 "$file.jpg"
    both "$file" djpeg -dct fast -nosmooth "$file.jpg"
done
for options in '-scale 1/4' '-scale 1/8' '-scale 5/8' -grayscale -nosmooth '-dct fast' '-dct float' '-skip 7,40' \
    '-crop 64x40+33+21' '-colors 20' -bmp; do
    # shellcheck disable=SC2086 # words
    both 420 djpeg $options 420.jpg
done
both transcoded jpegtran -rotate 90 -progressive 420.jpg
for options in '-quality 80' '-quality 4 -optimize' '-progressive -quality 95' '-sample 1x1 -rgb' '-sample 4x2 -restart 1' -grayscale \
    '-quality 90,60 -sample 2x2,2x1,1x2' '-scans script' -arithmetic '-smooth 20' '-dct fast' '-dct fast -progressive -quality 97'; do
    # shellcheck disable=SC2086 # words
    both encoded cjpeg $options a.ppm
done

# damage FILE SEED: cut off, or with bytes that are others
damage() {
    size=$(wc -c <"$1")
    head -c $((size * (20 + $2 * 7 % 80) / 100)) "$1" >cut.jpg
    cp "$1" changed.jpg
    for i in 1 2 3; do
        printf '%b' "\\0$(printf %o $((($2 * 37 + i * 101) % 256)))" |
            dd of=changed.jpg bs=1 seek=$((size / 4 + ($2 * 7919 + i * 104729) % (size * 3 / 4))) conv=notrunc 2>/dev/null
    done
}
seed=0
for file in 420 444 progressive scans; do
    for i in 1 2 3; do
        seed=$((seed + 1))
        damage "$file.jpg" $seed
        both "cut $seed" djpeg cut.jpg
        both "changed $seed" djpeg changed.jpg
    done
done

# Bytes behind the last MCU of a scan: the system's library counts those that it has not read ahead.
for file in 420 444 440 grey progressive scans; do
    for spare in 1 22 333 4444 55555 666666 7777777 88888888 999999999; do
        head -c -2 "$file.jpg" >spare.jpg
        printf '%s\377\331' $spare >>spare.jpg
        both "$file, spare bytes $spare" djpeg spare.jpg
        grep -q extraneous theirs.err && : >extraneous
    done
done
[ -f extraneous ] || fail 'no spare byte was counted'

cp 444.jpg marker.jpg
printf '\377\341' | dd of=marker.jpg bs=1 seek=$(($(wc -c <444.jpg) / 3)) conv=notrunc 2>/dev/null
both misuse "$MISUSE" marker.jpg 420.jpg

# Functions of the program's are left by longjmp(), in whole files and in those that are handed over: one that is cut off, one
# with a comment between scans, which is skipped, and one whose second scan is an error.
second=$(LC_ALL=C grep -obUaP '\xff\xda' progressive.jpg | sed -n '2s/:.*//p')
head -c 3000 420.jpg >cut.jpg
{
    head -c "$second" progressive.jpg
    printf '\377\376\023\210'
    head -c 4998 /dev/zero
    tail -c +$((second + 1)) progressive.jpg
} >comment.jpg
cp progressive.jpg scan.jpg
printf '\011' | dd of=scan.jpg bs=1 seek=$((second + 4)) conv=notrunc 2>/dev/null
both leaving "$LEAVING" 420.jpg comment.jpg cut.jpg scan.jpg
! grep never theirs || fail 'there is a function that is never left'

# Components as they are coded. The original gives one or two lines at a time, or as many as the sampling factors say.
cjpeg -sample 1x1 -rgb a.ppm >rgb.jpg
"$COMPONENTS" 420.jpg 422.jpg 444.jpg 440.jpg progressive.jpg grey.jpg scans.jpg rgb.jpg >theirs 2>theirs.lines
LD_LIBRARY_PATH=$folder "$COMPONENTS" 420.jpg 422.jpg 444.jpg 440.jpg progressive.jpg grey.jpg scans.jpg rgb.jpg >ours 2>ours.lines
diff theirs ours || fail 'other components'
[ "$(cat theirs.lines)" -lt 5 ] || fail "the original gives $(cat theirs.lines) lines at a time: is it the original?"
[ "$(cat ours.lines)" -gt 10 ] || fail 'components are not taken over'
for file in "$KOSTKA_CORPUS"/jpeg/valid/ycck.jpg "$KOSTKA_CORPUS"/jpeg/valid/mozilla_jpg-cmyk-?.jpg; do
    [ -f "$file" ] || continue
    "$COMPONENTS" "$file" >theirs 2>/dev/null
    LD_LIBRARY_PATH=$folder "$COMPONENTS" "$file" >ours 2>/dev/null
    diff theirs ours || fail "$file: other components"
done

# With several threads a picture that is worth it is decoded at once; without its last bytes, or damaged, as before.
picture 700 500 >large.ppm
cjpeg -quality 90 large.ppm >large.jpg
cjpeg -progressive -sample 1x1 large.ppm >large-progressive.jpg
export KOSTKA_THREADS=2
for file in large large-progressive; do
    damage $file.jpg 5
    for options in '' '-scale 7/8' '-dct fast -nosmooth' '-skip 100,230' '-crop 300x200+31+77'; do
        # shellcheck disable=SC2086 # words
        both "$file by threads" djpeg $options $file.jpg
    done
    both "cut $file by threads" djpeg cut.jpg
    both "changed $file by threads" djpeg changed.jpg
    "$COMPONENTS" $file.jpg >theirs 2>/dev/null
    LD_LIBRARY_PATH=$folder "$COMPONENTS" $file.jpg >ours 2>/dev/null
    diff theirs ours || fail "$file: other components by threads"
done
if command -v strace >/dev/null; then
    LD_LIBRARY_PATH=$folder strace -f -o trace djpeg -outfile out.ppm large.jpg
    grep -q clone trace || fail 'there is one thread'
    LD_LIBRARY_PATH=$folder strace -f -o trace djpeg -outfile out.ppm 420.jpg
    ! grep -q clone trace || fail 'a small picture has threads'
else
    echo 'skipped: whether there are threads: no strace'
fi
unset KOSTKA_THREADS

# Files of the corpus. Of some that are damaged, the system's library makes other samples with SIMD than without; such files are
# no measure.
number=0
for file in "$KOSTKA_CORPUS"/jpeg/*/*.jp*g; do
    number=$((number + 1))
    if [ ! -f "$file" ] || [ $((number % 9)) != 0 ] || [ "$(wc -c <"$file")" -gt 300000 ]; then
        continue
    fi
    djpeg "$file" >simd 2>/dev/null
    JSIMD_FORCENONE=1 djpeg "$file" >plain 2>/dev/null
    ! cmp -s simd plain || both "$file" djpeg "$file"
done

python=/usr/bin/python3
if $python -c 'from PIL import features; assert features.check("jpg")' 2>/dev/null; then
    cat >load.py <<'END'
import hashlib, io, sys
from PIL import Image, ImageFile
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    for ImageFile.LOAD_TRUNCATED_IMAGES in False, True:
        for length in len(data), len(data) // 2:
            try:
                image = Image.open(io.BytesIO(data[:length]))
                image.load()
                print(name, length, image.mode, image.size, hashlib.sha1(image.tobytes()).hexdigest())
                for options in {}, {"quality": 97}, {"progressive": True}, {"optimize": True, "comment": b"x" * 999}:
                    image.save(out := io.BytesIO(), "JPEG", dpi=(72, 72), **options)
                    print(hashlib.sha1(out.getvalue()).hexdigest())
            except Exception as error: # the number of bytes that Pillow has not passed on is of no interest
                print(name, length, type(error).__name__, str(error).split("(")[0])
END
    both pillow $python load.py 420.jpg 444.jpg progressive.jpg scans.jpg arithmetic.jpg changed.jpg
fi

"$KOSTKA" run djpeg 420.jpg >ours || fail 'kostka run djpeg'
djpeg 420.jpg >theirs
same ours theirs

symbols() {
    nm -D --with-symbol-versions --defined-only "$1" | sed 's/^[^ ]* . //' | sort
}
symbols "$(ldd "$(command -v djpeg)" | sed -n 's/.*'"$(basename "$LIBJPEG")"' => \([^ ]*\).*/\1/p')" >theirs.names
symbols "$LIBJPEG" >ours.names
diff theirs.names ours.names || fail 'the libraries have other symbols'
finish
