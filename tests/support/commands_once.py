# SPDX-License-Identifier: BSD-2-Clause
"""Copies a compilation database with one command for each file and its macros.

A file that several targets compile has a command for each of them, and clang-tidy looks at it once for each command. Usage:
commands_once.py FROM TO
"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    commands = json.load(file)
once = {(entry["file"], *sorted(re.findall(r"-D\S+", entry["command"]))): entry for entry in reversed(commands)}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(list(once.values()), file)
