#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# JPEGs whose coefficients have no room in memory become the same bytes as those that are kept, in little memory.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
export KOSTKA_DEVICE=cpu

# stripes LENGTH: bytes that are coded in few, not the same from top to bottom
stripes() {
    for pattern in ABCDDEFGHHIKLMNOPPQRSTUVWXYZZ AAAAABBBBBBBCCCCCCDDDDDEEEEEE MMMNNNNOOOOPPPPOOOONNNNMMMMLL XYZZYXWVUTTSSSRQPPOOONNNMMMKA; do
        yes $pattern | head -c $(($1 / 4))
    done
}
{
    printf 'P6\n1100 1301\n255\n'
    stripes 4293300
} >colour.ppm
{
    printf 'P5\n2001 2003\n255\n'
    stripes 4008016
} >grey.pgm
# 36 MPix, whose coefficients take 72 MB
{
    printf 'P5\n6000 6000\n255\n'
    stripes 36000000
} >huge.pgm
for picture in colour.ppm grey.pgm; do
    expect 0 "$KOSTKA" encode $picture "${picture%.*}.jpg"
    expect 0 "$KOSTKA" encode --progressive $picture "${picture%.*}-p.jpg"
done
limit=3500000
threads=1

# Transcoded from a file, to a file, and to a pipe if that takes no more memory.
for name in $(cases 'colour colour-p grey grey-p' 'colour grey-p'); do
    threads=$((3 - threads)) # so that the options' number, which is even, does not tie an option to one of them
    for options in '' --optimize --progressive '--restart 7' '--crop 500x701+300+299' '--flip h --optimize' '--flip v' \
        '--rotate 90' '--rotate 180 --progressive' '--rotate 270 --progressive' '--transpose --optimize' --grey; do
        # shellcheck disable=SC2086 # words
        expect 0 "$KOSTKA" transcode $options "$name.jpg" kept.jpg
        threads=$((3 - threads)) # by turns
        # shellcheck disable=SC2086
        expect 0 "$KOSTKA" transcode --max-memory $limit --threads $threads $options "$name.jpg" large.jpg
        same kept.jpg large.jpg
    done
    # shellcheck disable=SC2016 # expanded by that shell
    expect 0 sh -c '"$KOSTKA" transcode --max-memory 3500000 --optimize "$1" - >large.jpg' sh "$name.jpg"
    expect 0 "$KOSTKA" transcode --optimize "$name.jpg" kept.jpg
    same kept.jpg large.jpg
done

# Encoded from inputs that are read only once.
for picture in colour.ppm grey.pgm; do
    for kind in $(cases 'png tif bmp' tif); do
        expect 0 "$KOSTKA" convert $picture "once.$kind"
        for options in --progressive --optimize; do
            expect 0 "$KOSTKA" encode $options $picture kept.jpg
            expect 0 "$KOSTKA" encode --max-memory $limit $options "once.$kind" large.jpg
            same kept.jpg large.jpg
        done
    done
    expect 0 "$KOSTKA" encode --progressive $picture kept.jpg
    # shellcheck disable=SC2016
    expect 0 sh -c 'cat "$1" | "$KOSTKA" encode --max-memory 3500000 --progressive - large.jpg' sh $picture
    same kept.jpg large.jpg
done

# By itself, the more coefficients there are. With sanitizers, which do not let memory be measured, one of each way through:
# with and without all coefficients at hand, and from pixels; the limit above sends all the others there.
expect 0 "$KOSTKA" encode huge.pgm huge.jpg
expect 0 "$KOSTKA" encode --progressive huge.pgm huge-p.jpg
expect 0 "$KOSTKA" transcode --progressive huge.jpg large.jpg
same huge-p.jpg large.jpg
expect 0 "$KOSTKA" convert huge.pgm huge.png
cat >works <<'END'
2 transcode huge.jpg
2 transcode --progressive huge-p.jpg
2 transcode --rotate 90 huge.jpg
2 encode --progressive huge.png
END
[ -n "${KOSTKA_SANITIZED:-}" ] || cat >>works <<'END'
1 transcode huge.jpg
1 transcode huge-p.jpg
2 transcode --optimize huge.jpg
1 transcode --progressive huge.jpg
2 transcode --flip v huge.jpg
1 transcode --rotate 270 --progressive huge.jpg
1 encode --progressive huge.png
END
while read -r threads work; do
    # shellcheck disable=SC2086 # words
    expect 0 "$PEAK" peak.kb "$KOSTKA" $work --threads $threads large.jpg
    [ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 40000 "kilobytes: $work with $threads threads"
done <works

# A long file is mapped, and never resident as a whole, not even while its markers are searched.
noise=$(sampled 5000 2000) # lines
{
    printf 'P5\n5000 %d\n255\n' "$noise"
    head -c $((5000 * noise)) /dev/urandom
} >noise.pgm
expect 0 "$KOSTKA" encode --quality 100 noise.pgm noise.jpg
[ "$(wc -c <noise.jpg)" -gt $((4800 * noise)) ] || fail 'the file is shorter than intended'
# Three threads first look for places to begin; two keep what the second one decodes ahead, which is as much as the file.
for threads in $(cases '1 3' 3); do
    for work in 'info noise.jpg' "decode --threads $threads noise.jpg noise.ppm" \
        "transcode --threads $threads noise.jpg again.jpg"; do
        # shellcheck disable=SC2086 # words
        expect 0 "$PEAK" peak.kb "$KOSTKA" $work
        [ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 22000 "kilobytes: $work"
    done
done
same noise.jpg again.jpg

# Neither are a file without any marker behind SOI, nor zeros behind EOI.
printf '\377\330' >empty.jpg
cp grey.jpg tail.jpg
truncate -s 200000000 empty.jpg tail.jpg
for work in '1 info empty.jpg' '1 decode empty.jpg none.pgm' '0 info tail.jpg' '0 convert tail.jpg tail.png'; do
    # shellcheck disable=SC2086 # words
    expect "${work%% *}" "$PEAK" peak.kb "$KOSTKA" ${work#* }
    [ -n "${KOSTKA_SANITIZED:-}" ] || between "$(cat peak.kb)" 1 24000 "kilobytes: $work"
done

# Damage is reported as it is otherwise.
head -c 100000 huge.jpg >short.jpg
expect 0 "$KOSTKA" transcode short.jpg large.jpg
says 'warning: the stream ends'
cp err first
expect 0 "$KOSTKA" transcode --rotate 90 --progressive short.jpg large.jpg
same err first
expect 1 "$KOSTKA" transcode --strict short.jpg none.jpg

# A temporary file that finds no room leaves nothing.
for blocks in 1 900; do
    (
        trap '' XFSZ
        ulimit -f $blocks
        "$KOSTKA" transcode --rotate 90 huge.jpg none.jpg
    ) 2>&1 | cat >err
    says 'cannot use a temporary file beside none.jpg: File too large'
done
equals "$(find . -name 'none*' -o -name '.kostka*')" ''
finish
