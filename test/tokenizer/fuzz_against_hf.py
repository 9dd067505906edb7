#!/usr/bin/env python3
"""Compares the tokenizer with the `tokenizers` package of Hugging Face on random and adversarial strings.

usage: fuzz_against_hf.py PROBE [TOKENIZER.json...] [-n STRINGS] [--seed SEED]

PROBE is the executable tokenizer_probe. Without files: the tokenizers of the test data (HEADRACE_TEST_DATA), variants.py and trained.py. Checked for every string: ids without and with special tokens, text of the ids with and
without special tokens, the same text from a stream. Also checked: text of random ids. Exits with 77 (skipped) without the packages.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import variants

try:
    from tokenizers import Tokenizer

    import trained
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

WITH_SPECIAL = KEEP_SPECIAL = 1


class Probe:
    """The executable, asked one thing at a time."""

    def __init__(self, executable, path):
        self.process = subprocess.Popen([executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, kind, flags, payload, count):
        self.process.stdin.write(struct.pack("<BII", ord(kind), flags, count) + payload)
        self.process.stdin.flush()
        header = self.process.stdout.read(8)
        if len(header) < 8:
            sys.exit("the probe ended early")
        status, n = struct.unpack("<iI", header)
        if status:
            sys.exit(f"status {status} for {kind} {payload!r}")
        return n

    def encode_bytes(self, text, flags=0):
        data = text.encode()
        n = self.ask("E", flags, data, len(data))
        return self.process.stdout.read(4 * n)

    def encode(self, text, flags):
        data = self.encode_bytes(text, flags)
        return list(struct.unpack(f"<{len(data) // 4}i", data))

    def decode(self, kind, ids, flags):
        n = self.ask(kind, flags, struct.pack(f"<{len(ids)}i", *ids), len(ids))
        return self.process.stdout.read(n).decode(errors="surrogateescape")


WORDS = """the of and It's I'll they'RE we'Ve you'd I'M don'T 'S 'ſ it’s naïve café Ελληνικά Привет мир שלום مرحبا नमस्ते สวัสดี 你好 世界
日本語 テスト 한국어 가각 ﬁ Å K ½ Ⅷ ² ३ 123 1234567 3.14159 0x1F 1,000,000 e=mc² http://a.b/c?d=e&f foo_bar fooBar CamelCase
ALLCAPS ß ẞ İ ı don''t '' ''s 'llama 'veto 're's \u200b \u200d \u00ad \ufeff \u3000 \u00a0 \u2028 \u0085 \x00 \x01 \x7f
👍🏽 👨‍👩‍👧‍👦 🇩🇪 ❤️ e\u0301 a\u0323\u0307 q\u0307\u0323 \u1100\u1161\u11a8 \uac00\u11a8 \u0344 \u212b \u0958 \u2126 ▁ ▁▁ Ġ Ċ <0x41> <0xE4> 𝕏 𝔘𝔫𝔦 𓀀 ﷺ
""".split(" ")
SPACES = [" ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", " \n", "\n ", " \t ", "\u00a0", "\u3000", "\r", "\x0b", "\x0c", "\u2003", "\u0085", "    "]
BLOCKS = [(0x20, 0x7e), (0x20, 0x7e), (0x00, 0xff), (0x100, 0x24f), (0x300, 0x36f), (0x370, 0x52f), (0x590, 0x6ff), (0x900, 0x97f),
          (0xe00, 0xe7f), (0x1100, 0x11ff), (0x1e00, 0x1fff), (0x2000, 0x206f), (0x2070, 0x218f), (0x2460, 0x24ff), (0x3040, 0x30ff),
          (0x4e00, 0x9fff), (0xac00, 0xd7a3), (0xf900, 0xfaff), (0xfb00, 0xfdff), (0xff00, 0xffef), (0x1d100, 0x1d1ff), (0x1d400, 0x1d7ff),
          (0x1f300, 0x1f9ff), (0x20000, 0x2a6df), (0x2f800, 0x2fa1f),
          (0x10d40, 0x10d8f), (0x11380, 0x113e2), (0x16d40, 0x16d79), (0x16ea0, 0x16ed3), (0x1cc00, 0x1ceff), (0xa7c0, 0xa7ff), (0x10000, 0x1ffff),
          (0x0, 0x10ffff)]
# What character maps and grapheme clusters turn on: compatibility characters, jamo, prepended signs, joiners, variation selectors.
TRICKY = list("ﬁﬂſ①㌀㍿ﷺ™²½Ⅷ…‥ｶﾞ゛ﾟ㋿µΩ℃ªº¨´｀～\u0345\u0600\u06dd\u200c\u200d\ufe0f\u20e3\u0301\u0308\u0327\u0903\u093f\u094d\u0958"
              "\u0915\u1100\u1161\u11a8\uac00\uac01\uff9e\u0e33\u00ad\u200b\u2028\r\n\t\x00\x7f\x8f\x9f\ufffd❤👍🏽🇩🇪①")
MARKS = [chr(c) for c in range(0x110000) if unicodedata.combining(chr(c))]


def random_char(rng):
    first, last = rng.choice(BLOCKS)
    while True:
        code = rng.randint(first, last)
        if not 0xD800 <= code < 0xE000:
            return chr(code)


def random_string(rng, added):
    kind = rng.random()
    parts = []
    for _ in range(rng.randint(0, 12)):
        what = rng.random()
        if what < 0.35:
            parts.append(rng.choice(WORDS))
        elif what < 0.6:
            parts.append(rng.choice(SPACES) * rng.choice([1, 1, 1, 2, 5]))
        elif what < 0.8:
            parts.append("".join(random_char(rng) for _ in range(rng.randint(1, 6))))
        elif what < 0.88 and added:
            token = rng.choice(added)
            parts.append(token if rng.random() < 0.8 else token[: rng.randint(0, len(token))])
        elif what < 0.94:
            parts.append("".join(rng.choice("0123456789") for _ in range(rng.randint(1, 9))))
        elif what < 0.96:
            parts.append("".join(rng.choice(TRICKY) for _ in range(rng.randint(1, 6))))
        elif what < 0.98:
            parts.append(rng.choice("aeoun가ᄀ\u1161") + "".join(rng.choice(MARKS) for _ in range(rng.randint(1, 5))))
        else:
            parts.append(rng.choice("ab .!-=#'\n你") * rng.randint(2, 40))
    separator = " " if kind < 0.3 else ""
    return separator.join(parts)


def report(what, text, ours, theirs):
    print(f"{what} differ for {text!r}\n  ours   {ours!r}\n  theirs {theirs!r}")
    return 1


def check_string(ours, theirs, text):
    """Number of differences."""
    bad = 0
    for flags in (0, WITH_SPECIAL):
        mine, other = ours.encode(text, flags), theirs.encode(text, add_special_tokens=bool(flags)).ids
        if mine != other:
            bad += report("ids", text, mine, other)
    # A token such as <0xE4> that the text spells may be part of a run of bytes that is no text: see hr_detokenize.
    return bad + check_ids(ours, theirs, theirs.encode(text).ids, exact_stream="<0x" not in text)


def check_ids(ours, theirs, ids, exact_stream):
    bad = 0
    for flags in (0, KEEP_SPECIAL):
        other = theirs.decode(ids, skip_special_tokens=not flags)
        mine = ours.decode("D", ids, flags)
        if mine != other:
            bad += report("texts", ids, mine, other)
        stream = ours.decode("S", ids, flags)
        if exact_stream and stream != other:
            bad += report("streamed texts", ids, stream, other)
    return bad


def fuzz(probe, path, strings, seed):
    rng = random.Random(seed)
    ours, theirs = Probe(probe, path), Tokenizer.from_file(path)
    theirs.no_truncation()
    theirs.no_padding()
    added = [token.content for token in theirs.get_added_tokens_decoder().values()]
    size = theirs.get_vocab_size() + 10
    bytes_of_runs = [i for i in range(size) if (theirs.id_to_token(i) or "").startswith("<0x")]
    bad = 0
    for i in range(strings):
        bad += check_string(ours, theirs, random_string(rng, added))
        if i % 4 == 0:
            pool = bytes_of_runs if bytes_of_runs and rng.random() < 0.3 else range(size)
            ids = [rng.choice(pool) for _ in range(rng.randint(0, 12))]
            bad += check_ids(ours, theirs, ids, exact_stream=not bytes_of_runs)
        if bad > 10:
            break
    print(f"{path}: {i + 1} strings, {bad} differences")
    return bad


def default_tokenizers(out):
    """The published tokenizers of the test data; variants of two small ones and some trained here, written to a folder."""
    data = Path(os.environ.get("HEADRACE_TEST_DATA", Path(__file__).parents[2] / ".." / "shared"))
    published = [data / "data/tokenizers" / name / "tokenizer.json" for name in ("bert-bge", "gpt-2", "llama-bpe", "llama-spm", "qwen2")]
    small = [data / "models/brook/tokenizer.json", data / "data/stories260K-hf/tokenizer.json"]
    absent = [path for path in published + small if not path.exists()]
    if absent:
        print(f"{'failed' if os.environ.get('CI') == 'true' else 'skipped'}: {absent[0]} is absent")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    variants.main(*small, out)
    trained.main(small[0], out)
    return published + small + sorted(Path(out).glob("*.json"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("tokenizers", nargs="*")
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as out:
        paths = options.tokenizers or default_tokenizers(out)
        bad = sum(fuzz(options.probe, str(path), options.n, options.seed) for path in paths)
        print(f"{len(paths)} tokenizers, {options.n * len(paths)} strings, {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
