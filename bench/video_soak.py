#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sends many frames through each path of 'kostka video', and checks that none is lost, doubled or out of order, and that memory
stays flat; then kills a process that writes AVI, whose finished frames must play:

    bench/video_soak.py [--frames 100000] [--kostka build/kostka] [--device auto] [--threads N] [PATH…]

Each frame has its number in its luma, as blocks of black and white, which survive coding with loss. Memory is the resident set
of the process, sampled over its life; its largest value in the last half must not exceed that in the first half, without the
first tenth, by more than 10 % and 8 MB. Without names of paths all of them are taken. --device may name several."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile
import threading
import time

WIDTH, HEIGHT, BITS, SIDE = 160, 120, 20, 8

# Lists what is done, as steps: the options of each process, the last of which makes Y4M. A file's name stands for one on the RAM disk.
PATHS = {
    "mjpeg pipe": [["-", "-", "--out-format", "mjpeg", "-q", "80"], ["-", "-", "--in-format", "mjpeg", "--out-format", "y4m"]],
    "multipart pipe": [["-", "-", "--out-format", "multipart"], ["-", "-", "--in-format", "multipart", "--out-format", "y4m"]],
    "mjpeg avi": [["-", "a.avi", "-q", "80"], ["a.avi", "-", "--out-format", "y4m"]],
    "optimised": [["-", "a.avi"], ["a.avi", "b.avi", "--optimize"], ["b.avi", "-", "--out-format", "y4m"]],
    "jpeg2000 avi": [["-", "a.avi", "--ratio", "20"], ["a.avi", "-", "--out-format", "y4m"]],
    "ht avi": [["-", "a.avi", "--codec", "ht"], ["a.avi", "-", "--out-format", "y4m"]],
    "mjpeg to ht": [["-", "a.avi"], ["a.avi", "b.avi", "--codec", "ht"], ["b.avi", "-", "--out-format", "y4m"]],
    "latency": [["-", "-", "--latency", "--out-format", "mjpeg"], ["-", "-", "--latency", "--in-format", "mjpeg", "--out-format", "y4m"]],
    "raw pipe": [["-", "-", "--out-format", "raw"], ["-", "-", "--in-format", "raw", "--size", f"{WIDTH}x{HEIGHT}", "--out-format", "y4m"]],
    "mkv": [["-", "a.mkv", "-q", "80"], ["a.mkv", "-", "--out-format", "y4m"]],
    "mov": [["-", "a.mov", "--codec", "ht"], ["a.mov", "-", "--out-format", "y4m"]],
    "resize": [["-", "-", "--resize", f"{WIDTH}x{HEIGHT * 2}", "--out-format", "y4m"],
               ["-", "-", "--resize", f"{WIDTH}x{HEIGHT}", "--out-format", "y4m"]],
    "filters": [["-", "-", "--filters", "invert", "--out-format", "mjpeg"],
                ["-", "-", "--in-format", "mjpeg", "--filters", "invert", "--out-format", "y4m"]],
    "bitrate": [["-", "a.avi", "--bitrate", "1M"], ["a.avi", "-", "--out-format", "y4m"]],
    "bits per frame": [["-", "a.avi"], ["a.avi", "b.avi", "--bits-per-frame", "20k"], ["b.avi", "-", "--out-format", "y4m"]],
}
KILLED = "killed"  # the path whose process is killed
GATHERED = 1 << 19  # the most bytes that a writer has not passed to the system yet


def is_file(word):
    return word.endswith((".avi", ".mkv", ".mov"))


def frame_of(number, chroma=bytes([128]) * (WIDTH * HEIGHT // 2)):
    row = b"".join((b"\xeb" if number >> bit & 1 else b"\x10") * SIDE for bit in range(BITS))
    return b"FRAME\n" + row * HEIGHT + chroma


def feed(pipe, frames, close=True):
    try:
        pipe.write(b"YUV4MPEG2 W%d H%d F25:1 Ip C420jpeg\n" % (WIDTH, HEIGHT))
        for number in range(frames):
            pipe.write(frame_of(number))
        if close:
            pipe.close()
        else:
            pipe.flush()
    except BrokenPipeError:
        pass


def count_frames(pipe):
    """Read Y4M to its end, or to a frame that is out of order. Return the number of frames, and what is wrong with the next one."""
    size, count = WIDTH * HEIGHT * 3, 0
    if b" C444" not in pipe.readline():
        size //= 2
    while pipe.readline().startswith(b"FRAME"):
        pixels = pipe.read(size)
        middle = HEIGHT // 2 * WIDTH + SIDE // 2
        found = sum((pixels[middle + bit * SIDE] > 127) << bit for bit in range(BITS))
        if found != count:
            return count, f"frame {found} stands where {count} should"
        count += 1
    return count, ""


def check(pipe, frames):
    """Read Y4M, and return what is wrong with it; nothing if all frames come once and in order."""
    count, wrong = count_frames(pipe)
    return wrong or ("" if count == frames else f"{count} frames instead of {frames}")


class Memory(threading.Thread):
    """Samples the resident set of a process while it lives."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.samples = process, []
        self.start()

    def run(self):
        while self.process.poll() is None:
            try:
                with open(f"/proc/{self.process.pid}/statm") as file:
                    self.samples.append(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
            except (OSError, IndexError):
                return
            time.sleep(0.05)

    def growth(self):
        warm = self.samples[len(self.samples) // 10:]
        half = len(warm) // 2
        if half == 0:
            return 0, 0
        return max(warm[:half]), max(warm[half:])


def run_path(options, steps, folder):
    """Run the processes of a path. Return what is wrong, and the memory of each."""
    memories, processes, before, failures = [], [], None, []
    for index, step in enumerate(steps):
        words = [os.path.join(folder, word) if is_file(word) else word for word in step]
        if is_file(words[0]):  # the file must be complete
            failures += [f"step {i} ends with {p.returncode}" for i, p in enumerate(processes) if p.wait() != 0]
        process = subprocess.Popen(
            command(options, *words),
            stdin=before if before is not None and words[0] == "-" else subprocess.PIPE if index == 0 else subprocess.DEVNULL,
            stdout=subprocess.PIPE)
        if index == 0:
            threading.Thread(target=feed, args=(process.stdin, options.frames), daemon=True).start()
        before = process.stdout
        processes.append(process)
        memories.append(Memory(process))
    wrong = check(processes[-1].stdout, options.frames)
    if wrong:
        for process in processes:
            process.kill()
    failures += [wrong] if wrong else []
    failures += [f"step {i} ends with {p.returncode}" for i, p in enumerate(processes) if p.wait() != 0 and not wrong]
    for index, memory in enumerate(memories):
        first, last = memory.growth()
        if last > first * 1.1 + (8 << 20):
            failures.append(f"step {index} grows from {first >> 20} to {last >> 20} MB")
    return failures, memories


def command(options, *words):
    return [options.kostka, "video", "--strict", "--device", options.device, "--threads", str(options.threads), *words]


def run_killed(options, folder):
    """Kill a process that has got all frames and waits for more. Return what is wrong with its file, and the process's memory."""
    process = subprocess.Popen(command(options, "-", os.path.join(folder, "a.avi")), stdin=subprocess.PIPE)
    memory = Memory(process)
    feed(process.stdin, options.frames, close=False)
    size = -1
    while True:  # until nothing more is written
        time.sleep(1)
        parts = glob.glob(os.path.join(folder, ".kostka-*"))
        before, size = size, sum(os.path.getsize(part) for part in parts)
        if size == before or process.poll() is not None:
            break
    process.kill()
    process.wait()
    if len(parts) != 1:
        return [f"{len(parts)} files are left instead of one"], [memory]
    reader = subprocess.Popen([options.kostka, "video", "--device", options.device, "--in-format", "avi", parts[0], "-",
                               "--out-format", "y4m"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    count, wrong = count_frames(reader.stdout)
    if wrong:
        reader.kill()
    failures = [wrong] if wrong else [] if reader.wait() == 0 else [f"the file that was left does not play: {reader.returncode}"]
    missing = options.frames - count
    if missing < 0 or missing > GATHERED / (size / options.frames) + 1:
        failures.append(f"{count} of {options.frames} frames are there")
    return failures, [memory]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=100000)
    parser.add_argument("--kostka", default=os.path.join(os.path.dirname(__file__), "..", "build", "kostka"))
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=0, help="of each process; 0: as many as processors")
    parser.add_argument("paths", nargs="*", metavar="PATH", help=", ".join([*PATHS, KILLED]))
    options = parser.parse_args()
    if options.frames >= 1 << BITS:
        parser.error(f"at most {(1 << BITS) - 1} frames have numbers")
    failed = False
    for name in options.paths or [*PATHS, KILLED]:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
            began = time.monotonic()
            failures, memories = run_killed(options, folder) if name == KILLED else run_path(options, PATHS[name], folder)
        sizes = ", ".join(f"{first >> 20} to {last >> 20} MB" for first, last in (memory.growth() for memory in memories))
        print(f"{name}: {options.frames} frames in {time.monotonic() - began:.1f} s; {sizes}; {'; '.join(failures) or 'all in order'}",
              flush=True)
        failed |= bool(failures)
    return failed


if __name__ == "__main__":
    sys.exit(main())
