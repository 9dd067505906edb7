"""`headrace embed`, `run --jsonl` and saved sessions, on bundles around the fake library, whose every number is known.

usage: answers_test.py HEADRACE MAKE_FAKE_BUNDLE LIBRARY.so ENCODER.so WORK_DIR
"""
import json
import math
import struct
import subprocess
import sys
from pathlib import Path

HEADRACE, MAKE, LIBRARY, ENCODER, WORK = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], Path(sys.argv[5])
VOCAB, POSITIONS = 264, 60
failures = []


def state(tokens):
    return sum((j + 1) * (t + 1) for j, t in enumerate(tokens)) % 251


def predicted(tokens):
    return 256 if state(tokens) == 13 else 32 + state(tokens) % 95


def continuation(tokens, n):
    """Greedy ids, up to the end id."""
    ids = []
    while len(ids) < n and (not ids or ids[-1] != 256):
        ids.append(predicted(tokens + ids))
    return ids


def text_of(ids):
    return "".join(chr(i) for i in ids if i < 256)


def run(*words, stdin=""):
    done = subprocess.run([HEADRACE, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=60, input=stdin)
    return done.returncode, done.stdout, done.stderr


def check(what, found, expected):
    if found != expected:
        failures.append(f"{what}:\n  found    {found!r}\n  expected {expected!r}")


def refused(what, words, message, code=1):
    check(what, run(*words), (code, "", f"headrace: error: {message}\n"))


def decoder():
    subprocess.run([MAKE, LIBRARY, WORK / "decoder.bundle"], check=True)
    return WORK / "decoder.bundle"


def encoder():
    subprocess.run([MAKE, ENCODER, WORK / "encoder.bundle", "encoder"], check=True)
    return WORK / "encoder.bundle"


def answers(bundle, *requests, options=()):
    lines = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in requests)
    code, out, err = run("run", bundle, "--jsonl", "--threads", 2, *options, stdin=lines)
    check("jsonl ends well", (code, err), (0, ""))
    return [json.loads(line) for line in out.splitlines()]


def counts(answer):
    return [answer["timings"][k] for k in ("prompt_tokens", "cached_tokens", "prefilled_tokens", "prefill_steps", "generated_tokens")]


def test_embed():
    bundle = encoder()
    ids = [260, 72, 105, 261]
    rows = [(state(ids[:i + 1]), t, i) for i, t in enumerate(ids)]
    mean = [sum(column) / 4 for column in zip(*rows)]
    length = math.sqrt(sum(x * x for x in mean))
    for source in (["--", "Hi"], ["--ids", "260,72,105,261"]):
        code, out, err = run("embed", bundle, "--json", "--hidden", WORK / "h.npy", *source)
        result = json.loads(out)
        check("embed", (code, err, list(result), result["ids"], result["pooling"], result["normalized"]),
              (0, "", ["embedding", "ids", "pooling", "normalized"], ids, "mean", True))
        check("embedding", all(abs(a - b / length) < 1e-6 for a, b in zip(result["embedding"], mean)), True)
        raw = (WORK / "h.npy").read_bytes()
        check("hidden header", b"'shape': (4, 3)" in raw[:128], True)
        check("hidden", struct.unpack("<12f", raw[128:]), tuple(float(x) for row in rows for x in row))
    (WORK / "text").write_text("Hi")
    code, out, err = run("embed", bundle, "--file", WORK / "text")
    check("plain", (code, [round(float(x), 5) for x in out.split()]), (0, [round(x / length, 5) for x in mean]))
    # 8 positions in the largest body, 60 in all: what no body takes is a full context, what no position has is refused first.
    refused("body", ["embed", bundle, "--ids", ",".join(["5"] * 9)],
            "encoder.bundle: no position is left in the context (60 positions; compile with a larger --context)")
    refused("too long", ["embed", bundle, "--", "x" * 70], "text: expected at most 60 tokens (or --truncate), found 72")
    refused("vocabulary", ["embed", bundle, "--ids", "5,264"], "text: expected ids below 264, found 264")
    refused("hidden", ["embed", bundle, "--ids", "5", "--hidden", "/absent/x.npy"], "/absent/x.npy: cannot be written: no such file or directory")
    check("verify", run("verify", bundle)[:2], (0, "files    4, all as the manifest says\ngolden   3 tokens, the same bits as at the compile\n"))


def test_kinds():
    """Each command says which kind of model it needs."""
    ids = WORK / "ids.json"
    ids.write_text(json.dumps([5] * 16))
    said = "encoder.bundle: expected a model that generates text, found an encoder (headrace embed)"
    refused("eval", ["eval", encoder(), "--ids-file", ids, "--window", 8], said)
    refused("diff", ["diff", encoder(), "/absent"], "encoder.bundle: expected a model that generates text, found an encoder")
    check("inspect", "  encoder, pooling mean, normalized\n" in run("inspect", encoder())[1], True)
    refused("jsonl", ["run", encoder(), "--jsonl"], said)
    refused("run", ["run", encoder(), "--ids", "5"], f"{encoder()}: expected a model that generates text, found an encoder (headrace embed)")
    refused("embed", ["embed", decoder(), "--ids", "5"],
            "decoder.bundle: expected an encoder, found a model that generates text (headrace run, headrace chat)")


def test_jsonl():
    ids = [72, 105]
    first = continuation(ids, 9)
    second = ids + first + [40, 41]
    found = answers(
        decoder(), {"id": 1, "session": "a", "ids": ids, "n": 9, "temperature": 0}, {"id": "two", "session": "b", "prompt": "Hi", "n": 9, "temperature": 0},
        {"id": [3], "session": "a", "ids": second, "n": 2, "temperature": 0}, {"ids": second, "n": 2, "temperature": 0}, "", {"id": 5, "n": 1},
        {"id": 6, "session": "a", "ids": second, "n": 2, "temperature": 0})
    check("answers", [list(a) for a in found], [["id", "ids", "text", "finish", "timings"]] * 4 + [["id", "error"], ["id", "ids", "text", "finish", "timings"]])
    check("ids back", [a["id"] for a in found], [1, "two", [3], None, 5, 6])
    check("first", [found[0][k] for k in ("ids", "text", "finish")], [first, text_of(first), "length"])
    check("same in another session", found[1]["ids"], first)
    check("second turn", found[2]["ids"], continuation(second, 2))
    check("counts", [counts(found[i]) for i in (0, 1, 2, 3, 5)],
          [[2, 0, 2, 1, 9], [2, 0, 2, 1, 9], [13, 10, 3, 1, 2], [13, 0, 13, 2, 2], [13, 12, 1, 1, 2]])
    drawn = answers(decoder(), *({"ids": ids, "n": 20, "seed": s} for s in (1, 1, 2)))
    check("seeds", (drawn[0]["ids"] == drawn[1]["ids"], drawn[0]["ids"] == drawn[2]["ids"]), (True, False))
    plain = json.loads(run("run", decoder(), "--ids", "72,105", "-n", 20, "--seed", 1, "--json")[1])
    check("as headrace run", drawn[0]["ids"], plain["ids"])
    long = answers(decoder(), {"ids": [9] * 55, "n": 100, "temperature": 0})[0]
    check("context", (len(long["ids"]) <= 6, long["finish"] in ("context", "end")), (True, True))


def test_stop():
    ids = [72, 105]
    whole = text_of(continuation(ids, 12))
    for begin, end in ((3, 4), (4, 7), (0, 2), (10, 12)):
        stop = whole[begin:end]
        at = whole.find(stop)
        found = answers(decoder(), {"ids": ids, "n": 12, "temperature": 0, "stop": stop}, {"ids": ids, "n": 12, "temperature": 0, "stop": ["no such", stop]})
        for answer in found:
            check(f"stop {stop!r}", (answer["text"], answer["finish"], len(answer["ids"])), (whole[:at], "stop", at + len(stop)))
        code, out, err = run("run", decoder(), "--ids", "72,105", "-n", 12, "--temperature", 0, "--json", "--stop", stop)
        check("run --stop --json", (code, json.loads(out)["text"], json.loads(out)["finish"]), (0, whole[:at], "stop"))
        check("run --stop", run("run", decoder(), "-p", "Hi", "-n", 12, "--temperature", 0, "--stop", stop), (0, "Hi" + whole[:at] + "\n", ""))
    # Held back, and then not a stop string after all.
    check("held", run("run", decoder(), "-p", "Hi", "-n", 12, "--temperature", 0, "--stop", whole[-2:] + "!"), (0, "Hi" + whole + "\n", ""))


def test_bad_requests():
    """An error is the answer to its request, and the next one is answered."""
    fields = "id, session, prompt, ids, messages, tools, context, n, temperature, top_k, top_p, min_p, seed, stop"
    rows = [("{", "request: "), ("[]", "request: expected an object, found "),
            ({"id": 7, "ids": [1], "tempreature": 1}, f"request: expected fields {fields}, found 'tempreature'"),
            ({"id": 7}, "request: expected one of prompt, ids and messages, found none"),
            ({"id": 7, "ids": [1], "prompt": "x"}, "request: expected one of prompt, ids and messages, found more of them"),
            ({"id": 7, "ids": []}, "field 'ids': expected at least one token id, found an empty list"),
            ({"id": 7, "ids": [5, -1]}, "field 'ids', element 1: expected a whole number from 0 to 2147483647, found the number -1"),
            ({"id": 7, "ids": [2**31]}, "field 'ids', element 0: expected a whole number from 0 to 2147483647, found the number 2147483648"),
            ({"id": 7, "ids": {}}, "field 'ids': expected a list of token ids, found an object"),
            ({"id": 7, "ids": [264]}, "prompt: expected ids below 264, found 264"),
            ({"id": 7, "ids": [5] * 61}, "prompt: expected at most 60 tokens, the context, found 61"),
            ({"id": 7, "prompt": "ab " * 99999}, "prompt: expected at most 60 tokens, the context, found more than 120"),
            ({"id": 7, "ids": [1], "n": -1}, "field 'n': expected a whole number from 0 to 4294967295, found the number -1"),
            ({"id": 7, "ids": [1], "n": 1.5}, "field 'n': expected a whole number from 0 to 4294967295, found the number 1.5"),
            ({"id": 7, "ids": [1], "n": 2**32}, "field 'n': expected a whole number from 0 to 4294967295, found the number 4294967296"),
            ({"id": 7, "ids": [1], "top_k": "x"}, "field 'top_k': expected a whole number from 0 to 4294967295, found the string 'x'"),
            ({"id": 7, "ids": [1], "temperature": -1}, "field 'temperature': expected a number from 0 to 1000000, found the number -1"),
            ({"id": 7, "ids": [1], "top_p": 2}, "field 'top_p': expected a number from 0 to 1, found the number 2"),
            ({"id": 7, "ids": [1], "seed": 2**64}, "field 'seed': expected a whole number from 0 to 18446744073709551615, found the number 1.8"),
            ({"id": 7, "ids": [1], "stop": [""]}, "field 'stop': expected texts that are not empty and without a NUL character, found ''"),
            ({"id": 7, "ids": [1], "stop": [None]}, "field 'stop': expected texts, found null"),
            ({"id": 7, "ids": [1], "stop": 5}, "field 'stop': expected a text or a list of texts, found the number 5"),
            ({"id": 7, "ids": [1], "stop": ["x"] * 17}, "field 'stop': expected at most 16 texts, found 17"),
            ({"id": 7, "ids": [1], "tools": []}, "request: expected messages beside tools and context, found none"),
            ({"id": 7, "ids": [1], "tools": {}}, "field 'tools': expected a list of tools, found an object"),
            ({"id": 7, "ids": [1], "context": []}, "field 'context': expected an object of template variables, found a list"),
            ({"id": 7, "ids": [1], "context": {"messages": []}}, "field 'context': expected no 'messages', which is a field of its own, found it"),
            ({"id": 7, "ids": None}, "request: expected one of prompt, ids and messages, found none"),
            ({"id": 7, "prompt": 5}, "field 'prompt': expected a string"), ({"id": 7, "ids": [1], "session": 5}, "field 'session': expected a string"),
            ({"id": 7, "ids": [1, 257]}, "decoder.bundle: a value became infinite or not a number: first at layers.0.mlp.norm"),
            ('{"id": 7, "ids": [1], "ids": [2]}', "request: "), ('{"id": 7, "prompt": "\\ud800"}', "request: ")]
    good = {"id": 8, "ids": [72, 105], "n": 3, "temperature": 0}
    found = answers(decoder(), *(x for request, _ in rows for x in (request, good)))
    for i, (request, message) in enumerate(rows):
        bad, after = found[2 * i], found[2 * i + 1]
        check(f"{request}", (list(bad), bad.get("error", "").startswith(message)), (["id", "error"], True))
        check(f"after {request}", (after["id"], after.get("ids")), (8, continuation([72, 105], 3)))


def test_null_is_absent():
    plain = answers(decoder(), {"ids": [72, 105], "n": 3, "temperature": 0})[0]
    nulls = {name: None for name in ("session", "prompt", "messages", "tools", "context", "top_k", "top_p", "min_p", "seed", "stop")}
    found = answers(decoder(), {"id": None, "ids": [72, 105], "n": 3, "temperature": 0, **nulls})[0]
    check("null fields", (found["id"], found["ids"]), (None, plain["ids"]))


def test_ids_come_back_as_they_are():
    """Whatever JSON an id is, and whether the request is answered or refused."""
    values = ["123456789012345678901234567890", "-0", "1.10", "1e5", '"\\u00e9 \\" }"', '[ 1, {"id": "}"} ]', "null", "true"]
    lines = [f'{{"n": 1, "id" :  {value} , "ids": {ids}}}' for value in values for ids in ("[5]", "[]")]
    code, out, err = run("run", decoder(), "--jsonl", "--threads", 2, stdin="\n".join(lines))
    check("beginnings", [line.startswith(f'{{"id":{value},"') for line, value in zip(out.splitlines(), [v for v in values for _ in (0, 1)])], [True] * len(lines))
    check("an escaped name", answers(decoder(), '{"ids": [5], "n": 0, "\\u0069d": 9}')[0]["id"], 9)


def test_sessions_are_limited():
    ask = lambda name: {"session": name, "ids": [5, 6, 7], "n": 1}
    found = answers(decoder(), ask("a"), ask("b"), ask("a"), ask("c"), ask("a"), ask("b"), options=("--sessions", 2))
    check("cached", [a["timings"]["cached_tokens"] for a in found], [0, 0, 2, 0, 2, 0])
    check("dropped", [a.get("dropped_session") for a in found], [None, None, None, "b", None, "c"])


def test_saved_sessions():
    bundle, file = decoder(), WORK / "session"
    base = ["run", bundle, "--temperature", 0.9, "--ignore-eos", "--json"]
    whole = json.loads(run(*base, "--ids", "72,105", "-n", 20, "--seed", 4)[1])["ids"]
    begun = json.loads(run(*base, "--ids", "72,105", "-n", 8, "--seed", 4, "--save-session", file)[1])["ids"]
    gone_on = json.loads(run(*base, "--load-session", file, "-n", 12)[1])
    check("continued", begun + gone_on["ids"], whole)
    check("one token computed", counts(gone_on), [10, 9, 1, 1, 12])
    check("the draws go on", json.loads(run(*base, "--load-session", file, "-n", 12)[1])["ids"], gone_on["ids"])
    seeded = [json.loads(run(*base, "--load-session", file, "-n", 12, "--seed", seed)[1])["ids"] for seed in (4, 5, 5)]
    check("another seed draws anew", (seeded[0] == gone_on["ids"], seeded[0] == seeded[1], seeded[1] == seeded[2]), (True, False, True))
    more = json.loads(run(*base, "--load-session", file, "-p", "xy", "-n", 1)[1])
    check("a prompt behind it", counts(more), [12, 9, 3, 1, 1])
    check("no other file", sorted(p.name for p in WORK.glob("session*")), ["session"])
    good = file.read_bytes()
    for at in range(0, len(good), 5):
        file.write_bytes(good[:at] + bytes([good[at] ^ 16]) + good[at + 1:])
        code, out, err = run(*base, "--load-session", file)
        check(f"flipped byte {at}", (code, out, err.startswith(f"headrace: error: {file}: "), err.count("\n")), (1, "", True, 1))
    for what, content, message in (
            ("cut", good[:-1], "the saved session is damaged, cut short or of another version"),
            ("longer", good + b"x", f"bytes of the file: expected {len(good)}, found {len(good) + 1}"),
            ("empty", b"", "the saved session is damaged, cut short or of another version")):
        file.write_bytes(content)
        refused(what, [*base, "--load-session", file], f"{file}: {message}")
    refused("absent", [*base, "--load-session", WORK / "absent"], f"{WORK}/absent: cannot be read: no such file or directory")
    subprocess.run([MAKE, LIBRARY, WORK / "decoder.bundle"], check=True)
    code, out, err = run(*base, "--ids", "1", "--save-session", WORK / "absent/s", "-n", 1)
    check("no place", (code, err), (1, f"headrace: error: {WORK}/absent/s: cannot be written: no such file or directory\n"))


def test_values_of_options():
    """Each error names the option, what is expected and what was found."""
    b = decoder()
    rows = [(["chat", b, "--context-full", "maybe"], "--context-full: expected stop or drop, found 'maybe'"),
            (["run", b, "--jsonl", "--context-full", "0"], "--context-full: expected stop or drop, found '0'"),
            (["chat", b, "--seed", "-1"], "--seed: expected a whole number from 0 to 18446744073709551615, found '-1'"),
            (["chat", b, "-n", "99999999999"], "--tokens: expected a whole number from 0 to 4294967295, found '99999999999'"),
            (["chat", b, "--temperature", "nan"], "--temperature: expected a number from 0 to 1000000, found 'nan'"),
            (["chat", b, "--top-p", "1.5"], "--top-p: expected a number from 0 to 1, found '1.5'"),
            (["eval", b, "--text", "x", "--window", "1"], "--window: expected a whole number from 2 to 16777216, found '1'"),
            (["embed", b, "--ids", "-1"], "--ids: expected token ids such as 1,2,3, found '-1'"),
            (["detokenize", b, "--ids", "1,x"], "--ids: expected token ids such as 1,2,3, found '1,x'")]
    for words, message in rows:
        refused(words[1:], words, message + "; see headrace --help", code=2)
    refused("a folder", ["run", b, "--load-session", WORK], f"{WORK}: cannot be read: is a directory")


def test_usage():
    for words in (["embed"], ["embed", decoder()], ["embed", decoder(), "--ids", "1,x"], ["embed", decoder(), "--ids", "1", "--", "text"], ["run", "--jsonl"],
                  ["run", decoder(), "--jsonl", "--sessions", 0], ["run", decoder(), "--stop", ""], ["run", decoder(), "--jsonl", "--ids", "1"]):
        code, out, err = run(*words)
        check(f"usage {words}", (code, out, err.startswith("headrace: error: "), err.count("\n")), (2, "", True, 1))
    for command in (["embed"], ["run", "--jsonl"]):
        code, out, err = run(*command, "--help")
        check(f"help {command}", (code, err, len(out) > 300), (0, "", True))
    check("run --help mentions it", "--jsonl" in run("run", "--help")[1], True)


WORK.mkdir(parents=True, exist_ok=True)
for name, function in sorted(globals().copy().items()):
    if name.startswith("test_"):
        function()
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
