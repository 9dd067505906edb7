#!/usr/bin/env python3
"""Compares the tokenizer with the `tokenizers` package on every code point, one component at a time.

usage: sweep.py PROBE [--full] [COMPONENT... | all]

PROBE is the executable tokenizer_probe. Each component is put before a model whose tokens are bytes, those that begin a piece of text
apart from those inside, so that ids show every character that a component changes and every cut that it makes. Code points stand between
letters, digits, spaces, marks and themselves. Without --full: fewer
surroundings and, but for two components, only a sample of code points that are alike; components that are not named are fewer too. Exits with 77 (skipped) without the packages.
"""
import argparse
import array
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

try:
    from tokenizers import Tokenizer, pre_tokenizers

    import trained
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from fuzz_against_hf import Probe
from trained import bert, normalizers, plain, replace
from variants import CL100K, DEEPSEEK, GPT4, O200K, byte_level, sequence, split

ALL = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
# Without most of those that are alike: ideographs, Hangul syllables, private use, Tangut, planes that are nearly empty.
ALIKE = ((0x3400, 0x9FFF), (0xAC00, 0xD7FF), (0xE000, 0xF8FF), (0x17000, 0x18CFF), (0x20000, 0x10FFFF))
SAMPLE = [code for code in ALL if code % 101 == 0 or not any(first <= code <= last for first, last in ALIKE)]
SAMPLE += [code for first, last in ALIKE for code in (first, last) if not 0xD800 <= code < 0xE000]
SHORT = "a{0}1{0} "
LONG = SHORT + " {0}!{0}{0}'s{0}a\u0301{0}\u0300©\u200d{0}\n"
CATEGORIES = ("Lu", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc", "Cf")
MORE_CATEGORIES = ("Ll", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf", "Co", "Cn")
SCRIPTS = ("Common", "Han", "Hiragana", "Katakana", "Hangul", "Latin", "Greek", "Cyrillic", "Arabic", "Hebrew")
MORE_SCRIPTS = ("Thai", "Devanagari", "Garay", "Tangut", "Egyptian_Hieroglyphs", "Kawi", "Kannada", "Sharada", "Inherited", "Tulu_Tigalari")
# What may stand at the beginning of a grapheme cluster and belong to what follows, by Unicode 17, and more.
PREPENDED = [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD, 0x111C2, 0x111C3, 0x113D1, 0x1193F, 0x11941,
             0x11A3A, *range(0x11A84, 0x11A8A), 0x11D46, 0x11F02, 0x300, 0xD4D, 0x113D3, 0x915]


def reveal(normalizer=None, pre_tokenizer=None):
    """A tokenizer whose ids are the bytes of the normalized text: + 256 inside of a piece."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: i for i, token in enumerate(alphabet + ["##" + char for char in alphabet])}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "##", "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": []}
    steps = [pre_tokenizer] if pre_tokenizer else []
    if not steps or pre_tokenizer["type"] != "ByteLevel":
        steps.append(byte_level())
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": normalizer,
            "pre_tokenizer": sequence(*steps), "post_processor": None, "decoder": None, "model": model}


def marked(names, first):
    """Puts a character, beginning with `first`, in place of those of each property; it is of no property that follows."""
    return reveal(normalizers(*(replace(r"\p{%s}" % name, chr(ord(first) + i), "Regex") for i, name in enumerate(names))))


def cluster_map():
    """A character map that shows what belongs to the grapheme cluster of the letters and signs that it knows."""
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "rules.tsv")
        rules.write_text("".join(f"{code:X}\t{code:X} 58\n" for code in [ord("a"), ord("1"), ord("©"), *PREPENDED]))
        return plain("Precompiled", precompiled_charsmap=trained.charsmap("", normalization_rule_tsv=str(rules)))


def usual():
    """(name, tokenizer) of the components that together ask about most properties."""
    yield "gpt2", reveal(None, byte_level(regex=True))
    yield "bert", reveal(bert(), plain("BertPreTokenizer"))
    yield "categories", marked(CATEGORIES, "a")
    yield "more categories", marked(MORE_CATEGORIES, "A")
    yield "NFKC, Lowercase", reveal(normalizers(plain("NFKC"), plain("Lowercase")), plain("Digits", individual_digits=True))
    yield "NFD, StripAccents", reveal(normalizers(plain("NFD"), plain("StripAccents")), plain("Punctuation"))
    yield "Whitespace", reveal(None, plain("Whitespace"))
    yield "o200k", reveal(None, split(O200K))
    yield "scripts", marked(SCRIPTS, "0")
    yield "case", reveal(None, split(r"(?i:[\p{Lu}])"))
    yield "clusters", reveal(cluster_map())


def others():
    for name, regex in [("llama3", GPT4), ("cl100k", CL100K), ("deepseek", DEEPSEEK)]:
        yield name, reveal(None, split(regex))
    for regex in (r"\s+", r"\w+", r"[\w]+", r"\W", r"[^\w]+", r"\d", r"\S", r".", r"(?i:[a-z]+)", r"(?i:\p{Lu})", r"(?i:[\p{Ll}])",
                  r"(?i:[^\p{Lu}])", r"(?i:'s|'ll)"):
        yield regex, reveal(None, split(regex))
    yield "more scripts", marked(MORE_SCRIPTS, "0")
    for name in ("WhitespaceSplit", "BertPreTokenizer"):
        yield name, reveal(None, plain(name))
    for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt"):
        yield name, reveal(plain(name))
    yield "Strip", reveal(plain("Strip", strip_left=True, strip_right=True), plain("Digits", individual_digits=False))
    for on in ("clean", "chinese", "strip", "lower"):
        yield f"BertNormalizer {on}", reveal(bert(**{"clean": False, "chinese": False, "strip": False, "lower": False} | {on: True}))
    for rule in ("nmt_nfkc", "nmt_nfkc_cf"):
        yield rule, reveal(plain("Precompiled", precompiled_charsmap=trained.charsmap(rule)))
    yield "single word", added("a", single_word=True)
    yield "stripped", added("a", lstrip=True, rstrip=True)


def added(content, **flags):
    tokenizer = reveal()
    token = {"id": tokenizer["model"]["vocab"][content], "content": content, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": False}
    return {**tokenizer, "added_tokens": [token | flags]}


def differing(ours, theirs, codes, text_of):
    """The code points for which the ids differ: whole stretches are compared, then halves."""
    texts = [text_of(codes[i:i + 64]) for i in range(0, len(codes), 64)]
    bad = []
    for i, encoding in enumerate(theirs.encode_batch_fast(texts, add_special_tokens=False)):
        if ours.encode_bytes(texts[i]) == array.array("i", encoding.ids).tobytes():
            continue
        for code in codes[64 * i:64 * i + 64]:
            text = text_of([code])
            if ours.encode(text, 0) != theirs.encode(text, add_special_tokens=False).ids:
                bad.append(code)
    return bad


def ranges(codes):
    """U+... of the code points, runs of neighbours as one."""
    texts = []
    for _, run in itertools.groupby(enumerate(codes), lambda pair: pair[1] - pair[0]):
        run = list(run)
        texts.append(f"U+{run[0][1]:04X}" + (f"..{run[-1][1]:04X}" if len(run) > 1 else ""))
    return " ".join(texts[:40]) + (f" and {len(texts) - 40} more" if len(texts) > 40 else "")


def sweep(probe, path, name, content, codes, surroundings):
    began = time.monotonic()
    path.write_text(json.dumps(content))
    ours, theirs = Probe(probe, str(path)), Tokenizer.from_str(path.read_text())
    bad = []
    for i in range(0, len(codes), 1 << 15):
        bad += differing(ours, theirs, codes[i:i + (1 << 15)], lambda codes: "".join(surroundings.replace("{0}", chr(code)) for code in codes))
    print(f"{name}: {len(codes)} code points, {len(bad)} differ ({time.monotonic() - began:.1f} s)" + (": " + ranges(bad) if bad else ""), flush=True)
    return len(bad)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    rows = [(*row, ALL if options.full or i < 2 else SAMPLE, LONG if options.full else SHORT) for i, row in enumerate(usual())]
    if options.full or options.names:
        rows += [(*row, ALL if options.full else SAMPLE, LONG) for row in others()]
    rows = [row for row in rows if not options.names or row[0] in options.names or options.names == ["all"]]
    with tempfile.TemporaryDirectory() as out:
        bad = [sweep(options.probe, Path(out, f"{i}.json"), *row) for i, row in enumerate(rows)]
    print(f"{len(bad)} components, {sum(bad)} differences")
    sys.exit(1 if any(bad) or not bad else 0)


if __name__ == "__main__":
    main()
