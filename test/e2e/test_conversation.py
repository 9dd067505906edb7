"""Sessions that go on: saved ones to the bit, turns that compute only what is new, files that are not what they should be.

usage: test_conversation.py saved|turns|hostile|chat|interrupt|render|smollm2...
"""
import json
import os
import pty
import random
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import numpy as np

import models
from harness import RUNNER, WORK, bundle, command, equal, fail, headrace_run, main, same_bits

PROMPT = "In the beginning God created the heaven and the earth. And the earth was without form, and void"


def counts(result):
    return [result["timings"][k] for k in ("prompt_tokens", "cached_tokens", "prefilled_tokens", "prefill_steps", "steps")]


def generate(program, *words):
    """The JSON object and the logits of each step."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        logits = Path(scratch) / "logits.npy"
        done = command([*program, *words, "--json", "--logits", logits])
        return json.loads(done.stdout), np.load(logits)


def saved():
    """40 tokens at once, and in two programs with a file between: the same ids and the same bits, with one token computed after loading."""
    for options in (["--quant", "w4"], ["--quant", "f32"], ["--quant", "w8", "--kv", "f32,f16"]):
        out = bundle(models.BROOK, "--target", "host", *options)
        host, own = [RUNNER, "run", out], [headrace_run(out), out]
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = Path(scratch) / "session"
            for first, second in ((host, host), (own, host), (host, own)):
                for sampling in (["--temperature", 0], ["--temperature", 1, "--seed", 11, "--repetition-penalty", 1.2]):
                    whole, bits = generate(first, "-p", PROMPT, "-n", 40, *sampling)
                    begin, begin_bits = generate(first, "-p", PROMPT, "-n", 15, *sampling, "--save-session", file)
                    rest, rest_bits = generate(second, "-n", 25, *sampling, "--load-session", file)
                    equal("ids", begin["ids"] + rest["ids"], whole["ids"])
                    same_bits("logits", np.concatenate([begin_bits, rest_bits]), bits)
                    n = begin["timings"]["prompt_tokens"] + 15
                    equal("computed after loading", counts(rest), [n, n - 1, 1, 1, 24])
            other = bundle(models.BROOK, "--target", "host", "--quant", "f16")
            error = command([RUNNER, "run", other, "--load-session", file], expect=1).stderr
            if f"{file}: hash of weights.bin: expected 0x" not in error:
                fail(f"a session of another bundle: {error!r}")


def turns():
    """By requests: the whole conversation is given each time, and what the session holds of it is not computed again."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    launches = {e["name"]: e["launches"] for e in json.loads((out / "manifest.json").read_text())["entries"]}
    ids = json.loads(command([RUNNER, "tokenize", out, "--json", "--", PROMPT]).stdout)["ids"]

    def ask(*requests):
        lines = "".join(json.dumps({"n": 12, "temperature": 0, **r}) + "\n" for r in requests)
        return [json.loads(line) for line in command([RUNNER, "run", out, "--jsonl"], input=lines).stdout.splitlines()]

    first = ask({"session": "a", "ids": ids})[0]
    second = ids + first["ids"] + ids[:5]
    cached = ask({"session": "a", "ids": ids}, {"session": "b", "ids": ids[:3]}, {"session": "a", "ids": second})[2]
    fresh = ask({"ids": second})[0]
    equal("ids of the second turn", cached["ids"], fresh["ids"])
    held = len(ids) + len(first["ids"]) - 1
    equal("second turn", counts(cached), [len(second), held, 6, 1, 11])
    equal("without a session", counts(fresh)[:3], [len(second), 0, len(second)])
    print(f"  second turn: {launches['body_8'] + launches['head_1']} launches for 6 tokens instead of {len(second)}")


def hostile():
    """Flipped bits, cuts and foreign files: one line, exit code 1, whatever was damaged."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    draw = random.Random(5)
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = Path(scratch) / "session"
        command([RUNNER, "run", out, "-p", PROMPT, "-n", 5, "--save-session", file])
        good = file.read_bytes()
        cases = [(f"bit {bit} of byte {at}", bytes([good[at] ^ 1 << bit]), at) for at in range(64) for bit in (0, 3, 7)]
        cases += [(f"byte {at}", bytes([good[at] ^ 1 << draw.randrange(8)]), at) for at in draw.sample(range(64, len(good)), 60)]
        damaged = [(what, good[:at] + byte + good[at + 1:]) for what, byte, at in cases]
        damaged += [(f"cut to {n}", good[:n]) for n in [*range(0, 72, 7), *draw.sample(range(72, len(good)), 30), len(good) - 1]]
        damaged += [("longer", good + b"\0"), ("weights", (out / "weights.bin").read_bytes()[:5000]), ("text", b"HRSESS\0\1" * 100)]
        for what, content in damaged:
            file.write_bytes(content)
            done = subprocess.run([RUNNER, "run", out, "--load-session", file, "-n", "1", "--json"], capture_output=True, text=True)
            if done.returncode != 1 or done.stdout or not done.stderr.startswith(f"headrace: error: {file}: ") or done.stderr.count("\n") != 1:
                fail(f"{what}: exit code {done.returncode}, {done.stdout!r}, {done.stderr[:2000]!r}")
    print(f"  {len(damaged)} files, all refused")


TEMPLATE = ("{% for m in messages %}<|endoftext|>{{ m.role }}:{{ m.content }}<|endoftext|>\n{% endfor %}"
            "{% if add_generation_prompt %}<|endoftext|>assistant:{% endif %}")


def rendered(messages):
    return "".join(f"<|endoftext|>{m['role']}:{m['content']}<|endoftext|>\n" for m in messages) + "<|endoftext|>assistant:"


def message(role, content):
    return {"role": role, "content": content}


def chat_bundle():
    """Brook with a chat template."""
    WORK.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:  # tests may run at the same time
        folder = Path(scratch) / "brook-chat"
        shutil.copytree(models.BROOK, folder)
        config = folder / "tokenizer_config.json"
        config.write_text(json.dumps(json.loads(config.read_text()) | {"chat_template": TEMPLATE}))
        return bundle(folder, "--target", "host", "--quant", "w4")


def ids_of(out, text):
    return json.loads(command([RUNNER, "tokenize", out, "--json", "--", text]).stdout)["ids"]


def chat():
    """Three ways to the same two answers: files of messages, requests, lines; the second turn computes its own tokens."""
    out = chat_bundle()
    messages, want = [message("system", "Speak."), message("user", "In the beginning")], []
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        for text in ("And the earth", None):
            file = Path(scratch) / "m.json"
            file.write_text(json.dumps(messages))
            found = json.loads(command([RUNNER, "chat", out, "--messages", file, "-n", 20, "--temperature", 0, "--json"]).stdout)
            ids = ids_of(out, rendered(messages))
            plain = json.loads(command([RUNNER, "run", out, "--ids", ",".join(map(str, ids)), "-n", 20, "--temperature", 0, "--json"]).stdout)
            equal("as run on the rendered text", [found["ids"], found["text"]], [plain["ids"], plain["text"]])
            equal("prompt", found["timings"]["prompt_tokens"], len(ids))
            want.append(found)
            messages += [message("assistant", found["text"]), message("user", text)]
    requests = [{"session": "s", "messages": messages[:n], "n": 20, "temperature": 0} for n in (2, 4)]
    done = command([RUNNER, "run", out, "--jsonl"], input="\n".join(map(json.dumps, requests)))
    by_request = [json.loads(line) for line in done.stdout.splitlines()]
    done = command([RUNNER, "chat", out, "-n", 20, "--temperature", 0, "--json", "--system", "Speak."], input="In the beginning\nAnd the earth\n")
    by_line = [json.loads(line) for line in done.stdout.splitlines()]
    for name, found in (("requests", by_request), ("lines", by_line)):
        equal(f"answers by {name}", [x["text"] for x in found], [x["text"] for x in want])
        total, held = found[1]["timings"]["prompt_tokens"], found[0]["timings"]["prompt_tokens"] + len(found[0]["ids"]) - 1
        equal(f"second turn by {name}", counts(found[1])[:3], [total, held, total - held])


def rendered_by(what, context):
    """The text, or None where it is refused with one line."""
    done = subprocess.run([RUNNER, "render", what, "--context", context], capture_output=True, text=True)
    if done.returncode == 1 and done.stderr.startswith("headrace: error: ") and done.stderr.count("\n") == 1 and not done.stdout:
        return None
    if done.returncode or done.stderr:
        fail(f"render {what}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def render():
    """Published templates, one for all contexts and two between which tools decide: a bundle, its folder and the file give Jinja's text."""
    sys.path.insert(0, str(models.PROJECT / "test/template"))
    import oracle
    import published
    from contexts import contexts
    texts = {name: (published.fetched() / f"{name}.jinja").read_text() for name in (
        "meta-llama-Llama-3.1-8B-Instruct", "Qwen-Qwen2.5-7B-Instruct", "NousResearch-Hermes-3-Llama-3.1-8B-tool_use")}
    llama, qwen, hermes = texts.values()
    for plain, tools in ((llama, None), (qwen, hermes)):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            folder, file, context_file = Path(scratch) / "brook-render", Path(scratch) / "one.jinja", Path(scratch) / "context.json"
            shutil.copytree(models.BROOK, folder)
            (folder / "chat_template.jinja").write_text(plain)
            if tools:
                (folder / "additional_chat_templates").mkdir()
                (folder / "additional_chat_templates/tool_use.jinja").write_text(tools)
            out, total, refused = bundle(folder, "--target", "host", "--quant", "w4"), 0, 0
            for name, context in list(contexts())[::11]:
                template = tools if tools and context.get("tools") is not None else plain
                wanted, error = oracle.jinja(template, context)
                file.write_text(template)
                context_file.write_text(json.dumps(context))
                for what in (out, folder, file):
                    equal(f"{what} with {name}", rendered_by(what, context_file), wanted)
                total, refused = total + 1, refused + (error is not None)
            print(f"  {total} contexts, {refused} refused")


class Terminal:
    """A chat in a pseudo-terminal; `seen` is what it has shown behind the last text waited for."""

    def __init__(self, *words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(RUNNER, [str(RUNNER), "chat", *words])
        self.seen = ""

    def wait_for(self, text, seconds=60):
        """What was shown before `text`."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            if time.monotonic() > end:
                fail(f"the terminal shows {self.seen[-500:]!r} without {text!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                self.seen += os.read(self.fd, 4096).decode(errors="replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def prompt(self, seconds=60):
        """Waits for the prompt, and until keys are read one by one."""
        before, end = self.wait_for("> ", seconds), time.monotonic() + seconds
        while termios.tcgetattr(self.fd)[3] & termios.ICANON:
            if time.monotonic() > end:
                fail("the terminal does not read keys one by one")
            time.sleep(0.01)
        return before

    def type(self, text):
        os.write(self.fd, text.encode())


def interrupt():
    """Ctrl-C stops an answer and not the program."""
    terminal = Terminal(str(chat_bundle()), "-n", "900", "--temperature", "0", "--timings")
    terminal.prompt()
    terminal.type("In the beginning\r")
    terminal.wait_for("beginning")
    for _ in range(6):
        terminal.wait_for(" ")  # the answer has begun
    terminal.type("\x03")
    terminal.wait_for("headrace: note: stopped")
    generated = int(terminal.prompt().partition(" computed in ")[2].partition("ms, ")[2].split()[0])
    if not 0 < generated < 900:
        fail(f"{generated} tokens were generated before Ctrl-C")
    terminal.type("/quit\r")
    equal("exit code", os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]), 0)
    print(f"  stopped after {generated} tokens")


def smollm2():
    """Three turns with a model that has learnt to hold a conversation: each computes its own tokens only."""
    out = bundle(models.smollm2(), "--target", "host", "--quant", "w8")
    lines = ["What is the capital of France?", "And of Italy?", "Thank you."]
    done = command([RUNNER, "chat", out, "-n", 60, "--temperature", 0, "--json"], input="\n".join(lines))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for line, answer in zip(lines, found):
        print(f"  {line} -> {answer['text']!r}: {counts(answer)}")
    if len(found) != 3 or not all(x["text"].strip() for x in found):
        fail("there are answers missing")
    for before, after in zip(found, found[1:]):
        held = before["timings"]["prompt_tokens"] + len(before["ids"]) - 1
        equal("cached", after["timings"]["cached_tokens"], held)


if __name__ == "__main__":
    main({"saved": saved, "turns": turns, "hostile": hostile, "chat": chat, "interrupt": interrupt, "render": render, "smollm2": smollm2})
