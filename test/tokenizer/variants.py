"""Writes variants of two tokenizer.json files, one for each feature that published tokenizers use, for fuzz_against_hf.py.

usage: variants.py BYTE_LEVEL.json SENTENCE_PIECE.json OUT_DIR
"""
import copy
import json
import sys
from pathlib import Path

GPT4 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
DEEPSEEK = "|".join([
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""", r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+", r" ?[\p{P}\p{S}]+[\r\n]*",
    r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
ODD = [r"(ab){1,2}[^a-z]{2,}", r"\w+|[^\w\s]+", r"\d{2}|\D", r"[\x41-\u005aé]+", r"(?i:grade|é)|.",
       r"[a-c\-x]+(?=\s)", r"\s+$", r"(?:a|b|[0-9])+", r"(?:foo|(?:b|c)?d)?[aeiou]", r"\P{L}+", r"[\p{^Lu}]{3}", r"[^\S\n]+"]


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def byte_level(prefix=False, regex=False):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": regex}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


def added(first_id, tokens):
    keys = ("lstrip", "rstrip", "single_word", "normalized", "special")
    return [{"id": first_id + i, "content": content, **{key: key in flags.split() for key in keys}}
            for i, (content, flags) in enumerate(tokens)]


ADDED = [("<a>", "lstrip"), ("<b>", "rstrip special"), ("<c>", "lstrip rstrip"), ("word", "single_word"), ("  ", ""), ("<a><b>", ""),
         ("<a", "special"), ("Été", "normalized"), ("e\u0301t", "normalized"), ("\n\n", "rstrip"), ("naïve", "single_word normalized lstrip"),
         ("你", "single_word"), ("<x y>", "normalized rstrip")]
SPACES = [("\t", "lstrip rstrip"), ("\n", "normalized lstrip rstrip"), ("<r>", "rstrip")]
TEMPLATE = {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "B", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "E", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"B": {"id": "B", "ids": [1, 2], "tokens": ["x", "y"]}, "E": {"id": "E", "ids": [3], "tokens": ["z"]}}}


def byte_level_variants(base):
    size = max(base["model"]["vocab"].values()) + 1
    for name, regex in [("gpt4", GPT4), ("cl100k", CL100K), ("o200k", O200K)]:
        yield name, {"pre_tokenizer": sequence(split(regex), byte_level())}
        yield name + "-removed", {"pre_tokenizer": sequence(split(regex, "Removed", True), byte_level())}
    yield "deepseek", {"pre_tokenizer": sequence(split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(DEEPSEEK), byte_level())}
    for behavior in ("Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"):
        for invert in (False, True):
            yield f"{behavior}-{invert}", {"pre_tokenizer": sequence(split(r"[0-9e]| the", behavior, invert), byte_level(regex=True))}
    for i, regex in enumerate(ODD):
        yield f"odd-{i}", {"pre_tokenizer": sequence(split(regex), byte_level())}
    yield "literal", {"pre_tokenizer": sequence(split("'ll", "MergedWithNext", kind="String"), byte_level())}
    for each in (False, True):
        yield f"digits-{each}", {"pre_tokenizer": sequence({"type": "Digits", "individual_digits": each}, byte_level(regex=True))}
        yield f"prefix-{each}", {"pre_tokenizer": byte_level(prefix=True, regex=each)}
    yield "prefix-pieces", {"pre_tokenizer": sequence(split("[aeiou]"), byte_level(prefix=True, regex=True))}
    yield "added", {"added_tokens": base["added_tokens"] + added(size, ADDED)}
    yield "added-spaces", {"added_tokens": base["added_tokens"] + added(size, SPACES)}
    yield "added-nfc", {"added_tokens": base["added_tokens"] + added(size, ADDED), "normalizer": {"type": "NFC"},
                        "pre_tokenizer": byte_level(prefix=True, regex=True)}
    yield "template", {"post_processor": {"type": "Sequence", "processors": [byte_level(), TEMPLATE]}}
    yield "ignore-merges", {"model": {**base["model"], "ignore_merges": True}}
    vocab = {token: i for token, i in base["model"]["vocab"].items() if token not in "aĠĊãï"}
    merges = [m for m in base["model"]["merges"] if all(t in vocab for t in (*m, "".join(m)))]
    yield "missing-bytes", {"model": {**base["model"], "vocab": vocab, "merges": merges}}
    for fuse in (False, True):
        yield f"unknown-bytes-{fuse}", {"model": {**base["model"], "vocab": vocab, "merges": merges, "unk_token": "!", "fuse_unk": fuse}}


def sentence_piece_variants(base):
    size = max(base["model"]["vocab"].values()) + 1
    model = base["model"]
    vocab = {token: i for token, i in model["vocab"].items() if not token.startswith("<0x")}
    yield "spm-added", {"added_tokens": base["added_tokens"] + added(size, ADDED)}
    for fuse in (False, True):
        yield f"spm-unknown-{fuse}", {"model": {**model, "vocab": vocab, "byte_fallback": False, "fuse_unk": fuse}}
    yield "spm-dropped", {"model": {**model, "vocab": vocab, "byte_fallback": False, "unk_token": None}}
    yield "spm-no-decoder", {"decoder": None}
    yield "spm-split", {"pre_tokenizer": sequence(split("▁", "MergedWithNext", kind="String"))}
    replace = lambda a, b: {"type": "Replace", "pattern": {"String": a}, "content": b}
    yield "spm-replaces", {"normalizer": {"type": "Sequence", "normalizers": [
        replace("aa", "a"), {"type": "NFC"}, {"type": "Prepend", "prepend": "▁▁"}, replace(" ", "▁"), replace("e", "éé"), replace("x", "")]}}
    yield "spm-no-strip", {"decoder": {"type": "Sequence", "decoders": [replace("▁", " "), replace("a", "bb"), {"type": "ByteFallback"}]}}
    yield "spm-strip-3", {"decoder": {"type": "Sequence", "decoders": [
        {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": "▁", "start": 3, "stop": 0}]}}


def main(byte_level_path, sentence_piece_path, out):
    Path(out).mkdir(parents=True, exist_ok=True)
    for path, variants in ((byte_level_path, byte_level_variants), (sentence_piece_path, sentence_piece_variants)):
        base = json.loads(Path(path).read_text())
        for name, changes in variants(copy.deepcopy(base)):
            Path(out, name + ".json").write_text(json.dumps({**base, **changes}))


if __name__ == "__main__":
    main(*sys.argv[1:])
