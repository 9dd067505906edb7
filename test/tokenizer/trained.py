"""Writes tokenizer.json files with every component: small models trained by the package `tokenizers`, character maps from the package
`sentencepiece`, for fuzz_against_hf.py.

usage: trained.py BYTE_LEVEL.json OUT_DIR
"""
import base64
import io
import itertools
import json
import random
import sys
from pathlib import Path

import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from variants import ADDED, added, byte_level, sequence, split

SENTENCES = """In the beginning was the word, and the word was here. It's 12 o'clock; they're late! Don't you see?
Le café est fermé à Noël, n'est-ce pas? Die Straße ist naß und groß. Ελληνικά γράμματα και Кириллица тоже.
日本語のテスト文です。 한국어 문장도 있습니다. नमस्ते दुनिया, שלום עולם. مرحبا بالعالم
Email me at someone@example.com or call 555-0199. f(x) = x² + ½ and so on... www.example.org/path?query=1&b=2
unbelievable unhappiness antidisestablishmentarianism running runner runs walked walking walks talked talking""".split("\n")


def corpus():
    rng = random.Random(5)
    words = " ".join(SENTENCES).split()
    return SENTENCES * 4 + [" ".join(rng.choice(words) for _ in range(rng.randint(3, 12))) for _ in range(400)]


# ---- character maps: the field normalizer_spec.precompiled_charsmap of a SentencePiece model ----
def fields(message):
    """(number, value) of the fields of a protocol buffer; of the length-delimited ones the bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        number, kind = divmod(varint(), 8)
        size = varint() if kind in (0, 2) else {1: 8, 5: 4}[kind]
        if kind == 0:
            yield number, size
            continue
        yield number, message[at:at + size]
        at += size


def sentence_piece(model_type, rule, vocab_size=400, **options):
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=out, vocab_size=vocab_size, model_type=model_type, normalization_rule_name=rule,
        character_coverage=0.98, minloglevel=2, num_threads=1, **options)
    return out.getvalue()


def charsmap(rule, **options):
    spec = next(value for number, value in fields(sentence_piece("unigram", rule, hard_vocab_limit=False, **options)) if number == 3)
    return base64.b64encode(next(value for number, value in fields(spec) if number == 2)).decode()


# ---- models ----
def trained(model, trainer, splitter):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = splitter
    tokenizer.train_from_iterator(corpus(), trainer)
    return json.loads(tokenizer.to_str())["model"]


def unigram():
    return trained(models.Unigram(), trainers.UnigramTrainer(vocab_size=400, unk_token="<unk>", special_tokens=["<unk>", "</s>"],
                                                              show_progress=False), pre_tokenizers.Metaspace())


def with_bytes(model):
    return {**model, "byte_fallback": True, "vocab": model["vocab"] + [[f"<0x{byte:02X}>", -11.5] for byte in range(256)]}


def random_unigram(seed, alphabet):
    """Scores that often tie, sums that depend on the order of addition."""
    rng = random.Random(seed)
    words = {"".join(rng.choice(alphabet) for _ in range(rng.randint(1, 6))) for _ in range(120)}
    scores = [-rng.random() * 9 for _ in range(5)] + [-1.0, -2.0, -3.0]
    vocab = [["<unk>", -3.0]] + [[word, rng.choice(scores) * rng.choice([1, 1, len(word)])] for word in sorted(words)]
    return {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": vocab + [vocab[5][:1] + [-0.5]]}


def word_piece(prefix="##"):
    return trained(models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=["[UNK]", "[CLS]", "[SEP]"], continuing_subword_prefix=prefix, show_progress=False),
        pre_tokenizers.BertPreTokenizer()) | {"continuing_subword_prefix": prefix}


def bpe(prefix=None, suffix=None, splitter=pre_tokenizers.WhitespaceSplit()):
    trainer = trainers.BpeTrainer(vocab_size=450, special_tokens=["<unk>"], show_progress=False,
                                  **({"continuing_subword_prefix": prefix} if prefix else {}),
                                  **({"end_of_word_suffix": suffix} if suffix else {}))
    return {**trained(models.BPE(unk_token="<unk>"), trainer, splitter), "continuing_subword_prefix": prefix, "end_of_word_suffix": suffix}


def word_level():
    words = sorted({piece for sentence in SENTENCES for piece in sentence.split()} | set("abc.,! ▁'1") | {"12", "it", "▁the", "▁▁"})
    return {"type": "WordLevel", "unk_token": "<unk>", "vocab": {word: i for i, word in enumerate(["<unk>", *words])}}


# ---- components ----
def metaspace(scheme="always", pieces=True):
    return {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": pieces}


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def bert(clean=True, chinese=True, strip=None, lower=True):
    return {"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": chinese, "strip_accents": strip, "lowercase": lower}


def normalizers(*steps):
    return {"type": "Sequence", "normalizers": list(steps)}


def decoders(*steps):
    return {"type": "Sequence", "decoders": list(steps)}


def plain(kind, **more):
    return {"type": kind, **more}


def added_to(model):
    """ADDED, with the ids of the vocabulary where it has them."""
    ids = model["vocab"] if isinstance(model["vocab"], dict) else {token: i for i, (token, _) in enumerate(model["vocab"])}
    tokens = added(len(model["vocab"]), sorted(ADDED, key=lambda token: token[0] in ids))
    return [{**token, "id": ids.get(token["content"], token["id"])} for token in tokens]


def whole(model, **components):
    return {"version": "1.0", "added_tokens": added_to(model), "normalizer": None, "pre_tokenizer": None, "post_processor": None,
            "decoder": None, "model": model, **components}


WORD_PIECE_DECODER = plain("WordPiece", prefix="##", cleanup=True)
BERT_ENDS = plain("BertProcessing", cls=["[CLS]", 1], sep=["[SEP]", 2])
FALLBACK = decoders(replace("▁", " "), plain("ByteFallback"), plain("Fuse"), plain("Strip", content=" ", start=1, stop=0))


def unigram_files(maps):
    model = unigram()
    precompiled = {rule: plain("Precompiled", precompiled_charsmap=text) for rule, text in maps.items()}
    squeeze = replace(" {2,}", " ", "Regex")
    for rule in maps:
        yield f"unigram-{rule}", whole(model, normalizer=normalizers(precompiled[rule], squeeze), pre_tokenizer=metaspace(),
                                       decoder=metaspace())
    for scheme, pieces in itertools.product(("always", "first", "never"), (False, True)):
        yield f"unigram-{scheme}-{pieces}", whole(with_bytes(model), normalizer=normalizers(plain("Nmt"), plain("NFKC"), squeeze),
                                                  pre_tokenizer=metaspace(scheme, pieces), decoder=metaspace(scheme, pieces))
        yield f"metaspace-{scheme}-{pieces}", whole(word_level(), pre_tokenizer=metaspace(scheme, pieces), decoder=metaspace(scheme, pieces))
    yield "unigram-older", whole(model, normalizer=precompiled["nmt_nfkc"], pre_tokenizer=sequence(plain("WhitespaceSplit"), metaspace()),
                                 decoder=decoders(metaspace(), plain("Fuse")))
    yield "unigram-first", whole(model, normalizer=normalizers(plain("Strip", strip_left=True, strip_right=True), replace("a", "xa"), plain("NFD"),
                                                               plain("Prepend", prepend="▁a"), squeeze),
                                 pre_tokenizer=sequence(split("[0-9]"), metaspace("first")), decoder=metaspace("first"))
    yield "unigram-fallback", whole(with_bytes(model), normalizer=replace(" ", "▁"), decoder=FALLBACK)
    yield "unigram-bytes", whole({**model, "vocab": [[pre_tokenizers.ByteLevel(False, use_regex=False).pre_tokenize_str(token)[0][0], score]
                                                     for token, score in model["vocab"]]}, pre_tokenizer=byte_level(), decoder=byte_level())
    for seed, alphabet in enumerate(("ab", "abc ", "aé你", "▁ab")):
        yield f"unigram-random-{seed}", whole(random_unigram(seed, alphabet), normalizer=replace(" ", "▁") if seed == 3 else None)


def word_files():
    model = word_piece()
    for clean, chinese, strip, lower in itertools.product((False, True), (False, True), (None, False, True), (False, True)):
        yield f"bert-{clean}-{chinese}-{strip}-{lower}", whole(
            model, normalizer=bert(clean, chinese, strip, lower), pre_tokenizer=plain("BertPreTokenizer"), post_processor=BERT_ENDS,
            decoder={**WORD_PIECE_DECODER, "cleanup": clean})
    for prefix in ("", "@@"):
        yield f"wordpiece-{prefix}", whole(word_piece(prefix), pre_tokenizer=plain("Whitespace"), decoder=plain("WordPiece", prefix=prefix, cleanup=False))
    yield "wordpiece-short", whole({**model, "max_input_chars_per_word": 5}, normalizer=normalizers(plain("NFKD"), plain("Lowercase"), plain("StripAccents")),
                                   pre_tokenizer=sequence(plain("WhitespaceSplit"), plain("Punctuation", behavior="Isolated")), decoder=None)
    words = word_level()
    for behavior in ("Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"):
        yield f"punctuation-{behavior}", whole(words, pre_tokenizer=sequence(plain("Punctuation", behavior=behavior), plain("WhitespaceSplit")),
                                               decoder=plain("Fuse"))
    for name, splitter in [("whitespace", plain("Whitespace")), ("space", plain("WhitespaceSplit")), ("delimiter", plain("CharDelimiterSplit", delimiter="e")),
                           ("nothing", None), ("digits", sequence(plain("Digits", individual_digits=False), plain("Whitespace")))]:
        yield f"wordlevel-{name}", whole(words, pre_tokenizer=splitter, post_processor=plain(
            "RobertaProcessing", sep=["a", 1], cls=["b", 2], trim_offsets=True, add_prefix_space=False))


def bpe_files():
    space = plain("WhitespaceSplit")
    for prefix, suffix in itertools.product((None, "##"), (None, "</w>")):
        model = bpe(prefix, suffix)
        decoder = plain("BPEDecoder", suffix=suffix) if suffix else WORD_PIECE_DECODER if prefix else None
        for fuse in (False, True):
            yield f"bpe-{prefix}-{suffix}-{fuse}".replace("/", ""), whole({**model, "fuse_unk": fuse}, pre_tokenizer=space, decoder=decoder)
        yield f"bpe-{prefix}-{suffix}-whole".replace("/", ""), whole({**model, "ignore_merges": True}, normalizer=plain("Lowercase"), pre_tokenizer=space)
    clip = bpe(suffix="</w>", splitter=pre_tokenizers.ByteLevel(False))
    yield "bpe-clip", whole(clip, normalizer=normalizers(plain("NFC"), replace(r"\s+", " ", "Regex"), plain("Lowercase")), pre_tokenizer=sequence(
        split(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", "Removed", True), byte_level()), decoder=byte_level())
    partial = bpe()
    some = {f"<0x{byte:02X}>": len(partial["vocab"]) + i for i, byte in enumerate([0x41, 0xc3, 0xa9, 0xe4, 0xbd, 0xa0])}
    yield "bpe-some-bytes", whole({**partial, "byte_fallback": True, "vocab": partial["vocab"] | some}, pre_tokenizer=space, decoder=FALLBACK)


def normalizer_files(base, maps):
    size = max(base["model"]["vocab"].values()) + 1
    steps = {name: plain(name) for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")}
    steps |= {f"strip-{left}-{right}": plain("Strip", strip_left=left, strip_right=right) for left in (False, True) for right in (False, True)}
    steps |= {f"map-{rule}": plain("Precompiled", precompiled_charsmap=text) for rule, text in maps.items()}
    steps |= {"regex": replace(r"[aeiou]+|\s{2,}", "é ", "Regex"), "squeeze": replace(" {2,}", "▁", "Regex"), "gone": replace(r"\p{P}", "", "Regex"),
              "bert": bert(), "prepend": plain("Prepend", prepend="é "),
              "many": normalizers(plain("NFKC"), replace("e", "ee"), plain("StripAccents"), plain("Lowercase"), plain("NFC"), replace("a", ""))}
    for name, step in steps.items():
        yield f"norm-{name}", {**base, "normalizer": step, "added_tokens": base["added_tokens"] + added(size, ADDED)}
    yield "norm-bytes", {**base, "normalizer": normalizers(plain("NFC"), plain("ByteLevel")), "pre_tokenizer": split("Ġ", "MergedWithNext", kind="String")}
    three = split("[0-9][0-9][0-9]")
    yield "falcon", {**base, "pre_tokenizer": sequence(plain("Punctuation", behavior="Contiguous"), byte_level(regex=True),
                                                       plain("Digits", individual_digits=False), three)}
    yield "spelled", {**base, "pre_tokenizer": sequence(byte_level(prefix=True), split("[^a-zÃ©]{1,2}", "MergedWithPrevious"), plain("Whitespace"))}
    for i, pattern in enumerate([r"[\p{Han}\p{Hiragana}]+", r"[\w&&[^\d_]]+", r"[a-z[0-9é]]+|\w", r" ?[^(\s|[.,!?…。，、।۔،])]+", r"\W+", r"[^\W]+"]):
        yield f"class-{i}", {**base, "pre_tokenizer": sequence(split(pattern), byte_level())}
    for name, decoder in [("replace-bytes", decoders(replace("a", "b"), byte_level())), ("strip-tokens", decoders(plain("Strip", content="Ġ", start=1, stop=0))),
                          ("bytes-strip", decoders(byte_level(), plain("Strip", content=" ", start=2, stop=0)))]:
        yield f"decode-{name}", {**base, "decoder": decoder}


def main(byte_level_path, out):
    Path(out).mkdir(parents=True, exist_ok=True)
    base = json.loads(Path(byte_level_path).read_text())
    maps = {rule: charsmap(rule) for rule in ("nmt_nfkc", "nmt_nfkc_cf")}
    for name, content in itertools.chain(unigram_files(maps), word_files(), bpe_files(), normalizer_files(base, maps)):
        Path(out, name + ".json").write_text(json.dumps(content))


if __name__ == "__main__":
    main(*sys.argv[1:])
