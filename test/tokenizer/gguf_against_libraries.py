#!/usr/bin/env python3
"""Compares tokenizers read from GGUF metadata with the libraries that made their models.

usage: gguf_against_libraries.py PROBE [-n STRINGS] [--seed SEED] [--pair FILE.gguf tokenizer.json]...

PROBE is the executable tokenizer_probe. Files of metadata alone are written here by the package `gguf`: SentencePiece models trained on
the spot (llama and t5), held to the package `sentencepiece`; published tokenizers of the test data (gpt2 and bert), held to the package
`tokenizers`; SmolLM2's own file, when an earlier test has brought it. --pair: a real file, held to a tokenizer.json of the same model. Exits with 77 (skipped) without the packages.
"""
import argparse
import json
import os
import random
import sys
import tempfile
from pathlib import Path

try:
    import gguf
    import sentencepiece
    from tokenizers import Tokenizer

    import trained
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from fuzz_against_hf import SPACES, WORDS, Probe, check_string, random_string, report

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def write(path, model, tokens, types, scores=None, **more):
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_tokenizer_model(model)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    if scores is not None:
        writer.add_token_scores(scores)
    for name, value in more.items():
        getattr(writer, "add_" + name)(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


# ---- SentencePiece ----
USER = ["<u>", "▁▁", "abc"]


def type_of(model, i):
    return (BYTE if model.IsByte(i) else UNKNOWN if model.IsUnknown(i) else CONTROL if model.IsControl(i) else UNUSED if model.IsUnused(i)
            else USER_DEFINED if model.IdToPiece(i) in USER else NORMAL)


def sentence_piece_file(out, name, kind, rule, prefix, squeeze, **options):
    # With a prefix, text after a token of the user's is prefixed again here, as in llama.cpp and the tokenizers library.
    proto = trained.sentence_piece(kind, rule, add_dummy_prefix=prefix, remove_extra_whitespaces=squeeze,
                                   user_defined_symbols=[] if prefix or kind == "unigram" else USER, control_symbols=["<c>"], **options)
    model = sentencepiece.SentencePieceProcessor(model_proto=proto)
    ids = range(model.GetPieceSize())
    types = [type_of(model, i) for i in ids]
    tokens = [model.IdToPiece(i).replace("▁", " ") if types[i] == USER_DEFINED else model.IdToPiece(i) for i in ids]
    spec = next(value for number, value in trained.fields(proto) if number == 3)
    charsmap = next((value for number, value in trained.fields(spec) if number == 2), b"")
    more = {"precompiled_charsmap": charsmap, "remove_extra_whitespaces": squeeze} if kind == "unigram" else {}
    path = write(out / (name + ".gguf"), "t5" if kind == "unigram" else "llama", tokens, types, [model.GetScore(i) for i in ids],
                 add_space_prefix=prefix, bos_token_id=model.bos_id(), eos_token_id=model.eos_id(), unk_token_id=model.unk_id(), **more)
    return path, model


def ordinary_string(rng):
    """Text that the map of SentencePiece and that of the tokenizers library treat alike."""
    words = [word for word in WORDS if word.isascii() and word.isprintable()] + "café Ελληνικά Привет 你好 世界 ½ ﬁ <u> abc xabcy".split()
    return "".join(rng.choice(words) + rng.choice([" ", " ", "  ", "", "   "]) for _ in range(rng.randint(0, 10)))


def check_sentence_piece(probe, path, model, rng, strings, ends):
    ours, bad = Probe(probe, str(path)), 0
    for _ in range(strings):
        text = ordinary_string(rng)
        mine, other = ours.encode(text, 0), model.encode(text)
        if mine != other:
            bad += report("ids", text, mine, other)
        if ours.encode(text, 1) != ends[0] + mine + ends[1]:
            bad += report("ids with special tokens", text, ours.encode(text, 1), ends[0] + mine + ends[1])
    print(f"{path.name}: {strings} strings, {bad} differences")
    return bad


def check_sentence_pieces(probe, out, rng, strings):
    bad = 0
    for prefix in (False, True):
        path, model = sentence_piece_file(out, f"llama-{prefix}", "bpe", "identity", prefix, False, byte_fallback=True, vocab_size=700)
        bad += check_sentence_piece(probe, path, model, rng, strings, ([model.bos_id()], []))
        for squeeze in (False, True):
            path, model = sentence_piece_file(out, f"t5-{prefix}-{squeeze}", "unigram", "nmt_nfkc", prefix, squeeze, hard_vocab_limit=False)
            bad += check_sentence_piece(probe, path, model, rng, strings, ([], [model.eos_id()]))
    return bad


# ---- files made of tokenizer.json ----
def token_lists(content):
    vocab = dict(content["model"]["vocab"]) | {token["content"]: token["id"] for token in content["added_tokens"]}
    tokens = [f"[PAD{i}]" for i in range(max(vocab.values()) + 1)]
    types = [UNUSED] * len(tokens)
    for token, i in vocab.items():
        tokens[i], types[i] = token, NORMAL
    for token in content["added_tokens"]:
        types[token["id"]] = CONTROL if token["special"] else USER_DEFINED
    return tokens, types


def gpt2_file(out, source, pre):
    content = json.loads(source.read_text())
    tokens, types = token_lists(content)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in content["model"]["merges"]]
    return write(out / (pre + ".gguf"), "gpt2", tokens, types, token_merges=merges, tokenizer_pre=pre, add_bos_token=False)


def bert_file(out, source):
    """Pieces as the converters write them: a mark before those that begin a word, no prefix before the others."""
    content = json.loads(source.read_text())
    tokens, types = token_lists(content)
    pieces = [token if token.startswith("[") and token.endswith("]") else token[2:] if token.startswith("##") else "▁" + token for token in tokens]
    ids = {token: i for i, token in enumerate(tokens)}
    return write(out / "bert.gguf", "bert", pieces, types, unk_token_id=ids["[UNK]"], bos_token_id=ids["[CLS]"], sep_token_id=ids["[SEP]"])


def check_pair(probe, path, source, rng, strings):
    ours, theirs = Probe(probe, str(path)), Tokenizer.from_file(str(source))
    theirs.no_truncation()
    theirs.no_padding()
    added = [token.content for token in theirs.get_added_tokens_decoder().values()]
    bad = sum(check_string(ours, theirs, random_string(rng, added)) for _ in range(strings))
    print(f"{Path(path).name}: {strings} strings, {bad} differences")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pair", nargs=2, action="append", default=[])
    options = parser.parse_args()
    rng, data = random.Random(options.seed), Path(os.environ.get("HEADRACE_TEST_DATA", Path(__file__).parents[2] / ".." / "shared")) / "data/tokenizers"
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        bad = check_sentence_pieces(options.probe, out, rng, options.n)
        pairs = list(options.pair)
        cache = Path(os.environ.get("HEADRACE_MODEL_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headrace")
        if (cache / "smollm2-135m-instruct.gguf").exists() and (cache / "smollm2/tokenizer.json").exists():
            pairs.append((cache / "smollm2-135m-instruct.gguf", cache / "smollm2/tokenizer.json"))
        if data.exists():
            pairs += [(gpt2_file(out, data / name / "tokenizer.json", name), data / name / "tokenizer.json") for name in ("gpt-2", "llama-bpe", "qwen2")]
            pairs.append((bert_file(out, data / "bert-bge/tokenizer.json"), data / "bert-bge/tokenizer.json"))
        elif os.environ.get("CI") == "true":
            sys.exit(f"failed: {data} is absent")
        bad += sum(check_pair(options.probe, path, source, rng, options.n) for path, source in pairs)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
