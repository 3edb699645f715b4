#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Transcoded conformance streams are to OpenJPEG what the originals are; names and options say what is written.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"

corpus=${KOSTKA_CORPUS:-$KOSTKA_SOURCE/../shared/corpus}/jpeg2000
case $corpus in
/*) ;;
*) corpus=$KOSTKA_SOURCE/$corpus ;;
esac
[ -d "$corpus" ] || lacks corpus
command -v opj_decompress >/dev/null || lacks opj_decompress
streams=$corpus/streams

# opj IN OUT [OPTIONS]: all components one after the other
opj() {
    in=$1 out=$2
    shift 2
    rm -f plane_*.pgx
    opj_decompress -quiet -i "$in" -o plane.pgx "$@" >opj.log 2>&1 && cat plane_*.pgx >"$out"
}

# changed STREAM EXTENSION OPTIONS…: the same pixels
changed() {
    stream=$1 extension=$2
    shift 2
    expect 0 "$KOSTKA" transcode "$@" "$streams/$stream" "changed.$extension"
    opj "changed.$extension" changed.raw || fail "$stream $*: $(cat opj.log)"
    cmp -s whole.raw changed.raw || fail "$stream $*: other pixels"
}

read=0
for path in "$streams"/*; do
    stream=${path##*/}
    opj "$path" whole.raw || continue
    read=$((read + 1))
    changed "$stream" "${stream##*.}" --progression RPCL --plt --tlm --sop --eph --tile-parts resolution
    case $stream in
    file?.jp2 | p1_03.j2k) continue ;; # large
    esac
    changed "$stream" jp2 --progression CPRL --sop=no --eph=no --plt=no --tlm=no
    changed "$stream" jpc --progression LRCP --tile-parts layer,resolution --interleave --tlm
done
[ "$read" -ge 26 ] || fail "OpenJPEG reads $read streams"

# Fewer resolutions and layers, against the original decoded with as many.
for stream in p0_01.j2k p0_03.j2k p0_04.j2k d1_colr.j2c p1_03.j2k; do
    opj "$streams/$stream" whole.raw -l 2
    changed "$stream" j2k --layers 2
    opj "$streams/$stream" whole.raw -r 1
    changed "$stream" j2k --reduce 1
done
opj "$streams/file1.jp2" whole.raw -r 3
changed file1.jp2 jp2 --reduce 3
equals "$("$KOSTKA" info --json changed.jp2 | json 0 width)" 96

# Cut to a rate, what OpenJPEG makes of it is what Kostka does.
for stream in file4.jp2 p0_02.j2k p0_03.j2k a3_mono.j2c; do
    expect 0 "$KOSTKA" transcode --rate 0.8 --layers 2 "$streams/$stream" cut.j2k
    opj cut.j2k whole.raw || fail "$stream --rate: $(cat opj.log)"
    tail -n +2 plane_0.pgx >whole.raw
    expect 0 "$KOSTKA" decode --format raw cut.j2k cut.pgx
    tail -n +2 cut.pgx >cut.raw
    same whole.raw cut.raw
done

# Names, standard streams, many at once.
"$KOSTKA" transcode "$streams/file1.jp2" - >standard.jp2
equals "$("$KOSTKA" info --json standard.jp2 | json 0 jp2)" true
"$KOSTKA" transcode --container j2k "$streams/file1.jp2" - >standard.j2k
equals "$("$KOSTKA" info --json standard.j2k | json 0 jp2)" false
expect 0 "$KOSTKA" transcode --out-dir many "$streams/file1.jp2" "$streams/p0_01.j2k"
for made in many/file1.jp2 many/p0_01.j2k; do
    [ -f "$made" ] || fail "no $made"
done

# JPX that can be read as JP2 becomes JP2 where that is asked for, and stays what it is elsewhere. What says that it can
# be read as nothing else has no such file.
picture 40 30 >plain.ppm
expect 0 "$KOSTKA" encode plain.ppm plain.jp2
{ head -c 20 plain.jp2; printf 'jpx \000\000\000\001'; tail -c +29 plain.jp2; } >b.jpx
expect 0 "$KOSTKA" transcode b.jpx c.jp2
expect 0 "$KOSTKA" transcode plain.jp2 d.jp2
same c.jp2 d.jp2
identical c.jp2 b.jpx
expect 0 "$KOSTKA" transcode b.jpx - --out-format jp2
same out d.jp2
expect 0 "$KOSTKA" transcode --out-dir kept b.jpx
expect 0 "$KOSTKA" info kept/b.jpx
prints 'brand "jpx "'
{ head -c 20 plain.jp2; printf 'jpx \000\000\000\000jpx '; tail -c +33 plain.jp2; } >b.jpx
expect 1 "$KOSTKA" transcode b.jpx none.jp2
says 'JPX (T.801), and does not say that it can be read as JP2; write a codestream'
expect 0 "$KOSTKA" transcode b.jpx b.j2k
expect 0 "$KOSTKA" transcode b.jpx - --container j2k
same out b.j2k

# What is refused.
expect 2 "$KOSTKA" transcode --progression RPLC "$streams/p0_01.j2k" none.j2k
expect 2 "$KOSTKA" transcode --tile-parts tile "$streams/p0_01.j2k" none.j2k
expect 2 "$KOSTKA" transcode --plt=maybe "$streams/p0_01.j2k" none.j2k
expect 2 "$KOSTKA" transcode --rate 0 "$streams/p0_01.j2k" none.j2k
expect 1 "$KOSTKA" transcode --rotate 90 "$streams/p0_01.j2k" none.j2k
says 'rotate is for input in JPEG'
expect 1 "$KOSTKA" transcode --reduce 9 "$streams/p0_01.j2k" none.j2k
says 'resolutions'
expect 1 "$KOSTKA" transcode --reduce 1 "$streams/p1_05.j2k" none.j2k
says 'cannot be halved'
head -c 5000 "$streams/p0_01.j2k" >short.j2k
expect 0 "$KOSTKA" transcode short.j2k mended.j2k
says 'warning'
expect 1 "$KOSTKA" transcode --strict short.j2k strict.j2k
for none in none.j2k strict.j2k; do
    [ ! -e "$none" ] || fail "$none in spite of an error"
done

finish
