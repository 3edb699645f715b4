#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures sequences from file to file, by whole commands on a RAM disk, and prints a table in Markdown for
# docs/performance/sequences.md:
#
#     bench/video.sh [PHOTO…]
#
# Frames are made of eight photographs (those of MATE's backgrounds without any) by this project's own commands: each is
# resized to cover a frame, and they take turns. Rows that need a GPU, a second one, python3, FFmpeg or GStreamer are left
# out where there is none, with a line that says so. The time is that of the fastest of KOSTKA_ROUNDS (2) runs, the start
# of the process and of the device included; beside it is the rate behind that start, which the same command on a few
# frames takes. KOSTKA is the command line (that of build/). KOSTKA_SECONDS (10) says how long clips are: those of 1080p have
# 60 frames for each of these seconds, those of 4K 20, those of 8K and that for the CPU 10. Fewer frames than 600, 200 and 100
# measure the start. Clips are shorter where the folder KOSTKA_WORK (/dev/shm) has not 1,600 MB for each second, of which all
# but 400 are for 8K; every row says how many frames it had. KOSTKA_ROWS are the groups of rows (hd cpu uhd two deep),
# KOSTKA_PLUGIN the folder of the elements for GStreamer. It takes about two minutes on a GPU, half of it to make clips.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kostka=${KOSTKA:-$here/../build/kostka}
plugin=${KOSTKA_PLUGIN:-$here/../build/plugins/gstreamer}
length=${KOSTKA_SECONDS:-10}
rounds=${KOSTKA_ROUNDS:-2}
rows=${KOSTKA_ROWS:-hd cpu uhd two deep}
for group in $rows; do
    case $group in
    hd | cpu | uhd | two | deep) ;;
    *)
        echo "KOSTKA_ROWS: there is no group of rows '$group'; they are hd, cpu, uhd, two and deep" >&2
        exit 2
        ;;
    esac
done
few=2
failed=0
began_all=$(date +%s)

where=${KOSTKA_WORK:-/dev/shm}
megabytes=400 # for each second, of the largest group; files of one group are there at a time
case " $rows " in *' deep '*) megabytes=1600 ;; esac
[ -w "$where" ] || {
    echo "$where cannot be written: KOSTKA_WORK names another folder" >&2
    exit 2
}
fitting=$(($(df -Pk "$where" | awk 'NR == 2 { print $4 }') / 1024 / megabytes))
[ "$length" -le "$fitting" ] || {
    echo "$where has room for clips of $fitting instead of $length seconds" >&2
    length=$fitting
}
[ "$length" -ge 1 ] || exit 2
work=$(mktemp -d "$where/kostka-video-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
[ $# -gt 0 ] || set -- /usr/share/backgrounds/mate/nature/*.jpg
[ -r "$1" ] || {
    echo "no photographs: name some" >&2
    exit 2
}
# wanted GROUP: whether its rows are
wanted() {
    case " $rows " in *" $1 "*) ;; *) return 1 ;; esac
}

# repeat NAME COUNT: NAME.y4m of so many frames, and NAME-few.y4m of a few, from those of once.y4m
repeat() {
    name=$1
    size=$(head -n 1 "$work/once.y4m" | wc -c)
    frame=$((($(wc -c <"$work/once.y4m") - size) / unique))
    whole=$(($2 / unique))
    head -c $((size + few * frame)) "$work/once.y4m" >"$work/$name-few.y4m"
    head -c $((size + $2 % unique * frame)) "$work/once.y4m" >"$work/$name.y4m"
    tail -c +$((size + 1)) "$work/once.y4m" >"$work/once"
    rm "$work/once.y4m"
    set -- # as many names as there are repetitions, for one process
    while [ $# -lt "$whole" ]; do
        set -- "$@" "$work/once"
    done
    [ $# -eq 0 ] || cat "$@" >>"$work/$name.y4m"
    rm "$work/once"
}

# once SIZE SUBSAMPLING MOST PHOTO…: once.y4m, of a frame for each photograph, and how many they are (unique)
once() {
    size=$1
    subsampling=$2
    most=$3
    shift 3
    while [ $# -gt "$most" ]; do
        shift
    done
    mkdir "$work/frames"
    "$kostka" convert --device cpu "$@" --out-dir "$work/frames" --out-format jpeg --resize "$size" --fit cover -q 98 \
        --subsampling "$subsampling" 2>"$work/log" || cat "$work/log" >&2
    unique=0
    for photo in "$work"/frames/*; do
        mv "$photo" "$work/frames/$(printf %05d.jpeg "$unique")"
        unique=$((unique + 1))
    done
    "$kostka" video --device cpu --fps 60 "$work/frames/%05d.jpeg" "$work/once.y4m"
    rm -r "$work/frames"
}

# deepen IN OUT: 8 bits become 10 bits, with two bits of noise below; a process for each frame
deepen() {
    python3 - "$1" "$2" <<'PYTHON'
import multiprocessing, os, random, re, sys
source, target = open(sys.argv[1], "rb"), open(sys.argv[2], "wb")
head = source.readline()
width, height = (int(re.search(rb" %c(\d+)" % letter, head).group(1)) for letter in b"WH")
target.write(re.sub(rb" C422\S*", b" C422p10", head))
target.flush()
samples = width * height * 2
before, after = len(head), target.tell()
word = b"FRAME\n"
count = (os.fstat(source.fileno()).st_size - before) // (samples + len(word))
low = bytes(value << 2 & 255 for value in range(256))
high = bytes(value >> 6 for value in range(256))
two = bytes(value & 3 for value in range(256))


def deepen(index):
    frame = os.pread(source.fileno(), samples, before + index * (samples + len(word)) + len(word))
    noise = int.from_bytes(random.Random(index).randbytes(samples).translate(two), "little")
    out = bytearray(2 * samples)
    out[0::2] = (int.from_bytes(frame.translate(low), "little") | noise).to_bytes(samples, "little")
    out[1::2] = frame.translate(high)
    os.pwrite(target.fileno(), word + out, after + index * (2 * samples + len(word)))


with multiprocessing.get_context("fork").Pool(min(count, os.cpu_count())) as pool:
    pool.map(deepen, range(count), 1)
PYTHON
}

# seconds COMMAND…: of wall-clock time, the least of some runs; status 1 if one fails
seconds() {
    best=
    round=0
    while [ "$round" -lt "$rounds" ]; do
        rm -f "$work"/out.* # to free a file of gigabytes takes time, too
        began=$(date +%s%N)
        "$@" >"$work/log" 2>&1 || {
            echo "$* failed: $(tail -n 3 "$work/log")" >&2
            return 1
        }
        took=$(($(date +%s%N) - began))
        [ -n "$best" ] && [ "$best" -le "$took" ] || best=$took
        round=$((round + 1))
    done
    awk "BEGIN { print $best / 1e9 }"
}

# row WORK MUST COUNT COMMAND…: a row of the table, in frames a second. Files of many frames in the command have others of a
# few, NAME-few.EXTENSION, beside them.
row() {
    label=$1
    must=$2
    count=$3
    shift 3
    if ! { all=$(seconds "$@") && start=$(seconds_few "$@"); }; then
        failed=1
        return 0
    fi
    rm -f "$work"/out.*
    awk -v label="$label" -v must="$must" -v count="$count" -v few=$few -v all="$all" -v start="$start" \
        -v command="$(echo "$*" | sed "s#$work/##g; s#$kostka#kostka#; s#[^ ]*/gst-launch#gst-launch#")" 'BEGIN {
            behind = all > start ? (count - few) / (all - start) : 0
            printf "| %s | %.0f | %.0f | %s | %d in %.2f s, start %.2f s | `%s` |\n", label, count / all, behind, must, count,
                all, start, command }'
}
# seconds_few COMMAND…: the same for the files of a few frames
seconds_few() {
    for word; do
        case $word in
        *"$work"/out.*) ;;
        *"$work"/*.y4m) word=${word%.y4m}-few.y4m ;;
        *"$work"/*.avi) word=${word%.avi}-few.avi ;;
        esac
        set -- "$@" "$word"
        shift
    done
    seconds "$@"
}
video() {
    label=$1
    must=$2
    count=$3
    shift 3
    row "$label" "$must" "$count" "$kostka" video "$@"
}
# coded NAME: NAME.avi and NAME-few.avi of the frames in Y4M
coded() {
    for name in "$1" "$1-few"; do
        "$kostka" video "$work/$name.y4m" "$work/$name.avi" -q 90
    done
}

hd=$((60 * length))
cpu=$((10 * length))
large=$((20 * length))
huge=$((10 * length))
echo "making frames in $work" >&2
gpus=$("$kostka" devices | grep -c '^cuda:' || true)
echo "$("$kostka" devices | grep -E '^(cpu|cuda|opencl)' | tr '\n' ';') $(nproc) processors, $(date +%F), files on $(stat -f -c %T "$work")"
printf '\n| work | frames a second | behind the start | must | | command |\n|---|---:|---:|---|---|---|\n'

rows_hd() {
    video 'MJPEG 1080p 4:2:0 to Y4M' 1000 "$hd" "$work/hd.avi" "$work/out.y4m"
    video 'Y4M 1080p 4:2:0 to MJPEG' 1000 "$hd" "$work/hd.y4m" "$work/out.avi" -q 90
    video 'the same at 100 Mbit a second' '' "$hd" "$work/hd.y4m" "$work/out.avi" --bitrate 100M
}

# The CPU beside decoders of others, on two processors
rows_cpu() {
    two='taskset -c 0,1'
    if command -v taskset >/dev/null && command -v ffmpeg >/dev/null; then
        # shellcheck disable=SC2086 # words
        row 'CPU, two processors: MJPEG 1080p to Y4M' '1.5 x' "$cpu" $two "$kostka" video --device cpu "$work/cpu.avi" "$work/out.y4m"
        # shellcheck disable=SC2086 # words
        row 'FFmpeg' '' "$cpu" $two ffmpeg -nostdin -v error -y -i "$work/cpu.avi" -f yuv4mpegpipe -strict -1 "$work/out.y4m"
    else
        echo "left out: FFmpeg; it or taskset is not installed" >&2
    fi
    if command -v gst-launch-1.0 >/dev/null && command -v taskset >/dev/null && [ -e "$plugin/libgstkostka.so" ]; then
        export GST_PLUGIN_PATH="$plugin" GST_REGISTRY="$work/registry"
        gst-inspect-1.0 kostka >/dev/null
        for decoder in 'kostkajpegdec device=cpu' 'jpegdec' 'jpegdec idct-method=islow'; do
            # shellcheck disable=SC2086 # words
            row "CPU, two processors: GStreamer, $decoder" '1.5 x' "$cpu" $two gst-launch-1.0 -q filesrc location="$work/cpu.avi" ! \
                avidemux ! $decoder ! fakesink sync=false
        done
    else
        echo "left out: GStreamer; it, taskset or the plugin is missing" >&2
    fi
}

rows_uhd() {
    video 'Y4M 4K 4:2:0 to JPEG 2000 9/7, 10:1' 300 "$large" "$work/uhd.y4m" "$work/out.avi" --codec jpeg2000 --ratio 10
    video 'the same to HTJ2K' 500 "$large" "$work/uhd.y4m" "$work/out.avi" --codec ht --ratio 10
    video 'MJPEG 4K to JPEG 2000, lossless' 350 "$large" "$work/uhd.avi" "$work/out.avi" --codec jpeg2000 --lossless
    video 'the same to HTJ2K' '' "$large" "$work/uhd.avi" "$work/out.avi" --codec ht --lossless
    video 'MJPEG 4K decoded and encoded, --latency: one by one (2 ms a frame: 500)' 500 "$large" --latency "$work/uhd.avi" \
        "$work/out.avi" -q 80
    video 'MJPEG 4K resized to 1080p, to HTJ2K' '' "$large" "$work/uhd.avi" "$work/out.avi" --resize 1920x1080 --codec ht --ratio 10
    video 'MJPEG 4K through a filter, to MJPEG' '' "$large" "$work/uhd.avi" "$work/out.avi" --filters sharpen=0.5 -q 80
}

rows_two() {
    if [ "$gpus" -ge 2 ]; then
        video 'Y4M 4K to JPEG 2000 on the first GPU' '' "$large" --device cuda:0 "$work/uhd.y4m" "$work/out.avi" --codec jpeg2000 --ratio 10
        video 'on two GPUs' '1.85 x' "$large" --device cuda:0,cuda:1 "$work/uhd.y4m" "$work/out.avi" --codec jpeg2000 --ratio 10
        video 'Y4M 4K to MJPEG at 400 Mbit a second on the first GPU' '' "$large" --device cuda:0 "$work/uhd.y4m" "$work/out.avi" \
            --bitrate 400M
        video 'on two GPUs' '' "$large" --device cuda:0,cuda:1 "$work/uhd.y4m" "$work/out.avi" --bitrate 400M
    else
        echo "left out: two GPUs against one; there are $gpus" >&2
    fi
}

rows_deep() {
    video '8K 4:2:2 10 bits to JPEG 2000, 10:1' 60 "$huge" "$work/deep.y4m" "$work/out.avi" --codec jpeg2000 --ratio 10
    video 'the same to HTJ2K' '120 (aim)' "$huge" "$work/deep.y4m" "$work/out.avi" --codec ht --ratio 10
}

if wanted hd; then
    once 1920x1080 420 8 "$@"
    repeat hd "$hd"
    coded hd
    rows_hd
    rm -f "$work"/hd*
fi
if wanted cpu; then
    once 1920x1080 420 8 "$@"
    repeat cpu "$cpu"
    coded cpu
    rows_cpu
    rm -f "$work"/cpu*
fi
if wanted uhd || wanted two; then
    once 3840x2160 420 8 "$@"
    repeat uhd "$large"
    coded uhd
    wanted uhd && rows_uhd
    wanted two && rows_two
    rm -f "$work"/uhd*
fi
if wanted deep && command -v python3 >/dev/null && [ "$huge" -gt $few ]; then
    once 7680x4320 422 8 "$@"
    deepen "$work/once.y4m" "$work/deep.y4m"
    mv "$work/deep.y4m" "$work/once.y4m"
    repeat deep "$huge"
    rows_deep
elif wanted deep; then
    echo "left out: 8K; there is no python3 to make it, or there would be too few frames" >&2
fi
echo "$(($(date +%s) - began_all)) s" >&2
exit $failed
