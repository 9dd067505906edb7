#!/usr/bin/env python3
"""Writes NewerUnicode.inc: what Unicode 16 and 17 know and Unicode 15, which ICU of Debian 12 has, does not.

usage: newer_unicode.py DIR15 DIR16 DIR17 > NewerUnicode.inc

Each DIR holds a version of the package `regex`, which carries the tables of one version of Unicode:
  pip install --target DIR15 regex==2022.10.31;  ... DIR16 regex==2024.11.6;  ... DIR17 regex==2025.11.3
A row says everything about a run of code points for which a version differs in anything from the one before it.
"""
import itertools
import json
import os
import subprocess
import sys

VERSIONS = (15, 16, 17)
CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn".split()
GRAPHEMES = {"CONTROL": ("Control", "CR", "LF"), "EXTEND": ("Extend",), "ZWJ": ("ZWJ",), "SPACING": ("SpacingMark",), "PREPEND": ("Prepend",),
             "L": ("L",), "V": ("V",), "T": ("T",), "LV": ("LV",), "LVT": ("LVT",), "REGIONAL": ("Regional_Indicator",)}


def members(regex, text, prop):
    return regex.findall(r"\p{%s}" % prop, text)


def script_names(regex):
    """One name of each script, the longest."""
    names = {}
    for name, script in regex._regex_core.PROPERTIES["SCRIPT"][1].items():
        names[script] = max(names.get(script, ""), name, key=len)
    return sorted(name.capitalize() for name in names.values())


def lower_of(regex, letters, small):
    """Of capital letters: the small one that matches without regard to case."""
    return {letter: next(iter(regex.findall(letter, small, regex.IGNORECASE)), letter) for letter in letters}


def dump():
    """Facts of one version, one list a code point: category, script, kind in grapheme clusters, small letter."""
    import regex
    text = "".join(map(chr, CODES))
    facts = {char: ["Cn", "Unknown", "OTHER", ord(char)] for char in text}
    for name in CATEGORIES[:-1]:
        for char in members(regex, text, name):
            facts[char][0] = name
    for name in script_names(regex):
        for char in members(regex, text, "Script=" + name):
            facts[char][1] = name
    for char in members(regex, text, "Extended_Pictographic"):
        facts[char][2] = "PICTURE"
    for kind, names in GRAPHEMES.items():
        for char in itertools.chain.from_iterable(members(regex, text, "GCB=" + name) for name in names):
            facts[char][2] = kind
    for char, small in lower_of(regex, members(regex, text, "Lu"), "".join(members(regex, text, "Ll"))).items():
        facts[char][3] = ord(small)
    json.dump(facts, sys.stdout)


def facts_of(folder):
    command = [sys.executable, __file__, "--dump"]
    return json.loads(subprocess.run(command, env={**os.environ, "PYTHONPATH": folder}, stdout=subprocess.PIPE, check=True).stdout)


def rows(before, after, version):
    last = None
    for code in CODES:
        category, script, grapheme, small = after[chr(code)]
        if before[chr(code)] == after[chr(code)]:
            continue
        row = [code, code, version, category, script, grapheme, small - code]
        if last and last[1] == code - 1 and last[2:] == row[2:]:
            last[1] = code
            continue
        if last:
            yield last
        last = row
    if last:
        yield last


def main(folders):
    versions = [facts_of(folder) for folder in folders]
    print("// NewerUnicode.inc - made by newer_unicode.py:")
    print("// first, last, version, category, script, kind in grapheme clusters, small letter - code point")
    for (before, after), version in zip(itertools.pairwise(versions), VERSIONS[1:]):
        for first, last, version, category, script, grapheme, delta in rows(before, after, version):
            print(f'{{0x{first:x}, 0x{last:x}, {version}, "{category}", "{script}", HR_TOK_GRAPHEME_{grapheme}, {delta}}},')


if __name__ == "__main__":
    dump() if sys.argv[1:] == ["--dump"] else main(sys.argv[1:])
