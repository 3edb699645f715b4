#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Pipelines of gst-launch-1.0 with the elements: what they decode is what 'kostka video' decodes, what they encode others
# decode, in order, and nothing is leaked.
. "$KOSTKA_SOURCE/tests/support/cli/library.sh"
command -v gst-launch-1.0 >/dev/null || lacks 'gst-launch-1.0 (gstreamer1.0-tools)'
for element in avidemux jpegenc jpegdec openjpegdec; do
    gst-inspect-1.0 "$element" >/dev/null 2>&1 || lacks "$element"
done
export GST_DEBUG_NO_COLOR=1
# launch ELEMENTS…: run a pipeline, which says nothing and leaks nothing.
launch() {
    GST_TRACERS=leaks GST_DEBUG='1,kostka:2,videodecoder:2,videoencoder:2,GST_TRACER:7' gst-launch-1.0 -q "$@" >out 2>err ||
        fail "gst-launch-1.0 $*: $(cat out err)"
    grep -E ':: object-alive|CRITICAL|WARN|ERROR' out err && fail "gst-launch-1.0 $*: leaks or warnings"
    return 0
}

expect 0 gst-inspect-1.0 kostka
prints '4 features'
for element in kostkajpegdec kostkajpegenc kostkaj2kdec kostkaj2kenc; do
    gst-inspect-1.0 "$element" >text
    grep -q '^  device  ' text || fail "$element has no property device"
done

frames='video/x-raw,format=I420,width=176,height=144,framerate=30/1'
launch videotestsrc num-buffers=12 pattern=ball ! $frames ! kostkajpegenc quality=90 ! avimux ! filesink location=a.avi
launch filesrc location=a.avi ! avidemux ! kostkajpegdec ! filesink location=a.yuv
expect 0 "$KOSTKA" video --strict a.avi b.yuv
same a.yuv b.yuv
launch filesrc location=a.avi ! avidemux ! jpegdec idct-method=islow ! filesink location=b.yuv
same a.yuv b.yuv
equals "$(wc -c <a.yuv)" $((176 * 144 * 12 * 3 / 2))
# Threads, and a queue between them, change nothing.
launch filesrc location=a.avi ! avidemux ! queue ! kostkajpegdec max-threads=1 ! queue ! filesink location=b.yuv
same a.yuv b.yuv

# JPEG 2000, to OpenJPEG's element and from it.
launch filesrc location=a.avi ! avidemux ! kostkajpegdec ! kostkaj2kenc ht=false ! image/x-jpc ! openjpegdec ! \
    filesink location=b.yuv
same a.yuv b.yuv
launch filesrc location=a.avi ! avidemux ! kostkajpegdec ! openjpegenc ! image/x-j2c ! kostkaj2kdec ! filesink location=b.yuv
same a.yuv b.yuv
launch filesrc location=a.avi ! avidemux ! kostkajpegdec ! kostkaj2kenc ht=true ! image/x-j2c ! kostkaj2kdec ! \
    filesink location=b.yuv
same a.yuv b.yuv

# Textures have the same pixels, where OpenGL works without a screen.
export GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device
if ! gst-inspect-1.0 gldownload >/dev/null 2>&1; then
    echo 'skipped: there is no gldownload (gstreamer1.0-gl)'
elif ! gst-inspect-1.0 kostkajpegdec | grep -q GLMemory; then
    echo 'skipped: the elements were built without textures'
elif ! gst-launch-1.0 -q videotestsrc num-buffers=1 ! glupload ! gldownload ! fakesink >out 2>err; then
    echo 'skipped: there is no device of EGL for GStreamer'
else
    textures='video/x-raw(memory:GLMemory)'
    for format in I420 RGBA GRAY8; do
        set -- videotestsrc num-buffers=4 pattern=ball ! video/x-raw,format=$format,width=176,height=144 ! kostkaj2kenc ht=true ! kostkaj2kdec
        launch "$@" ! video/x-raw,format=$format ! filesink location=a.raw
        launch "$@" ! "$textures,format=$format" ! gldownload ! filesink location=b.raw
        same a.raw b.raw
    done
    launch filesrc location=a.avi ! avidemux ! kostkajpegdec ! "$textures" ! gldownload ! filesink location=b.yuv
    same a.yuv b.yuv
    launch filesrc location=a.avi ! avidemux ! kostkajpegdec ! glcolorconvert ! "$textures,format=RGBA" ! gldownload ! fakesink
fi

# An error says what to do.
gst-launch-1.0 -q videotestsrc ! kostkajpegenc device=cuda:77 ! fakesink >out 2>err && fail 'a device that is missing'
cat out err >said
grep -q "device=auto takes the best one" said || fail "no advice: $(cat said)"
finish
