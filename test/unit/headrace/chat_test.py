"""`headrace chat` and conversations in `run --jsonl`, on a bundle around the fake library with a chat template: by files, through a pipe
and in a pseudo-terminal.

usage: chat_test.py HEADRACE MAKE_CHAT_BUNDLE CHAT_LIBRARY.so MAKE_PLAIN_BUNDLE PLAIN_LIBRARY.so WORK_DIR
"""
import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

HEADRACE, MAKE, LIBRARY, MAKE_PLAIN, PLAIN, WORK = *sys.argv[1:6], Path(sys.argv[6])
POSITIONS, END, BEGIN = 60, 256, 262
failures = []


def predicted(tokens):
    state = sum((j + 1) * (t + 1) for j, t in enumerate(tokens)) % 251
    return END if state == 13 else 32 + state % 95


def continuation(tokens, n):
    ids = []
    while len(ids) < n and (not ids or ids[-1] != END):
        ids.append(predicted(tokens + ids))
    return ids


def text_of(ids):
    return "".join(chr(i) for i in ids if i < 256)


def message(role, content):
    return {"role": role, "content": content}


def prompt_of(messages):
    ids = []
    for m in messages:
        ids += [BEGIN, *f"{m['role']}:{m['content']}".encode(), END]
    return ids + [BEGIN, *b"assistant:"]


def run(*words, stdin=""):
    done = subprocess.run([HEADRACE, *map(str, words)], capture_output=True, text=True, errors="surrogateescape", timeout=60, input=stdin)
    return done.returncode, done.stdout, done.stderr


def check(what, found, expected):
    if found != expected:
        failures.append(f"{what}:\n  found    {found!r}\n  expected {expected!r}")


def counts(answer):
    return [answer["timings"][k] for k in ("prompt_tokens", "cached_tokens", "prefilled_tokens", "prefill_steps")]


def bundle():
    subprocess.run([MAKE, LIBRARY, WORK / "chat.bundle"], check=True)
    return WORK / "chat.bundle"


def converse(lines, *options):
    return run("chat", bundle(), "--temperature", 0, "-n", 5, *options, stdin="".join(line + "\n" for line in lines))


def turns(*texts, system=None, n=5):
    """The answers that these messages of the user get, by the definition of model and template."""
    messages, found = [message("system", system)] if system else [], []
    for text in texts:
        messages.append(message("user", text))
        found.append(continuation(prompt_of(messages), n))
        messages.append(message("assistant", text_of(found[-1])))
    return found


def test_messages():
    for system in (None, "s"):
        messages = ([message("system", system)] if system else []) + [message("user", "Hi"), message("assistant", "ab"), message("user", "c")]
        want = continuation(prompt_of(messages), 5)
        for content in (messages, {"messages": messages}):
            (WORK / "m.json").write_text(json.dumps(content))
            code, out, err = run("chat", bundle(), "--messages", WORK / "m.json", "-n", 5, "--temperature", 0, "--json")
            answer = json.loads(out)
            check("answer", (code, err, list(answer), answer["ids"], answer["text"]), (0, "", ["text", "ids", "finish", "timings"], want, text_of(want)))
            check("timings", counts(answer)[:3], [len(prompt_of(messages)), 0, len(prompt_of(messages))])
    check("streamed", run("chat", bundle(), "--messages", WORK / "m.json", "-n", 5, "--temperature", 0), (0, text_of(want) + "\n", ""))
    (WORK / "m.json").write_text(json.dumps([message("user", "Hi")]))
    check("--system", run("chat", bundle(), "--messages", WORK / "m.json", "-n", 5, "--temperature", 0, "--system", "s"),
          (0, text_of(turns("Hi", system="s")[0]) + "\n", ""))


def test_jsonl():
    """The second turn computes its new tokens only, in any of several sessions."""
    a, b = turns("Hi", "yo"), turns("Hm", "ya", system="s")
    def ask(name, messages):
        return json.dumps({"id": name, "session": name, "messages": messages, "n": 5, "temperature": 0})
    first_a, first_b = [message("user", "Hi")], [message("system", "s"), message("user", "Hm")]
    second_a = first_a + [message("assistant", text_of(a[0])), message("user", "yo")]
    second_b = first_b + [message("assistant", text_of(b[0])), message("user", "ya")]
    lines = [ask("a", first_a), ask("b", first_b), ask("a", second_a), ask("b", second_b), ask("a", [message("robot", "x")]), ask("a", [{}])]
    code, out, err = run("run", bundle(), "--jsonl", stdin="\n".join(lines))
    found = [json.loads(line) for line in out.splitlines()]
    check("ids", [x.get("ids") for x in found[:4]], [a[0], b[0], a[1], b[1]])
    check("errors", [x.get("error") for x in found[4:]],
          ["no robots", "field 'messages': expected messages with a role, found an object"])
    for first, second, answer, got in ((first_a, second_a, a[0], found[2]), (first_b, second_b, b[0], found[3])):
        held, all = len(prompt_of(first)) + len(answer) - 1, len(prompt_of(second))
        check("second turn", counts(got), [all, held, all - held, 3])


def test_what_the_template_sees():
    """Tools and other variables of a request; no fields that are null; reasoning under two names, as transformers gives it."""
    def asked(messages, **more):
        code, out, err = run("run", bundle(), "--jsonl", stdin=json.dumps({"messages": messages, "n": 1, "temperature": 0, **more}))
        return json.loads(out)

    show = {"role": "show", "content": None, "name": None}
    for more, text in (({}, "[]"), ({"tools": [1, {"b": 2, "a": None}]}, '[1, {"b": 2, "a": null}]'), ({"tools": None}, "[]")):
        found, want = asked([show], **more), prompt_of([message("show", text + "{}")])
        check(f"tools {more}", (found.get("error"), found.get("timings", {}).get("prompt_tokens")), (None, len(want)))
        check(f"answer with {more}", found.get("ids"), continuation(want, 1))
    found, want = asked([show], context={"variable": {"y": 1}}), prompt_of([message("show", '[]{"y": 1}')])
    check("a variable", found.get("ids"), continuation(want, 1))
    want = prompt_of([message("show", "[]{}r/r")])
    for name in ("reasoning", "thinking", "reasoning_content"):
        check(name, asked([{**show, name: "r"}]).get("ids"), continuation(want, 1))


def test_pipe():
    """Lines in, answers out; commands; what is held is not computed again."""
    want = turns("Hi", "yo")
    check("two turns", converse(["Hi", "yo"]), (0, "".join(text_of(t) + "\n" for t in want), ""))
    code, out, err = converse(["Hi", "yo"], "--json")
    found = [json.loads(line) for line in out.splitlines()]
    check("json", [x["ids"] for x in found], want)
    check("computed", [counts(x)[2] for x in found], [20, len(prompt_of([message("user", "yo")])) + 2])
    check("system", converse(["/system s", "Hi"])[1], text_of(turns("Hi", system="s")[0]) + "\n")
    check("--system and reset", converse(["Hi", "/reset", "yo"], "--system", "s")[1].splitlines()[1], text_of(turns("yo", system="s")[0]))
    check("slash", converse(["//x"])[1], text_of(turns("/x")[0]) + "\n")
    check("more lines", converse(["a\\", "b"])[1], text_of(turns("a\nb")[0]) + "\n")
    check("not UTF-8", converse(["\udcff"])[1], text_of(turns("\ufffd")[0]) + "\n")
    check("quit", converse(["/quit", "Hi"]), (0, "", ""))
    code, out, err = converse(["/nonsense", "/save", "Hi"])
    check("unknown", (code, out, err.count("headrace: error: command: expected /reset, ")), (0, text_of(want[0]) + "\n", 2))
    code, out, err = converse(["/help"])
    check("help", (code, "/system TEXT" in out, err), (0, True, ""))
    check("stop", converse(["Hi"], "--stop", text_of(want[0])[2:4]), (0, text_of(want[0])[:2] + "\n", ""))


def test_save():
    want, file = turns("Hi", "yo"), WORK / "saved"
    check("save", converse(["Hi", f"/save {file}"])[2], f"headrace: note: 2 messages saved in {file} and {file}.json\n")
    check("load", converse([f"/load {file}"])[2], f"headrace: note: 2 messages loaded from {file} and {file}.json\n")
    check("messages beside it", json.loads((WORK / "saved.json").read_text()), {"messages": [message("user", "Hi"), message("assistant", text_of(want[0]))]})
    code, out, err = converse([f"/load {file}", "yo"], "--json")
    found = json.loads(out)
    check("loaded", (code, err, found["ids"]), (0, f"headrace: note: 2 messages loaded from {file} and {file}.json\n", want[1]))
    check("computed", counts(found)[1:3], [20 + len(want[0]) - 1, len(prompt_of([message("user", "yo")])) + 2])
    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(data)
    code, out, err = converse([f"/load {file}", "Hi"])
    check("damaged", (code, out, err.startswith(f"headrace: error: {file}: hash of the session: expected ")), (0, text_of(want[0]) + "\n", True))
    check("absent", converse(["/load /absent"])[2].startswith("headrace: error: /absent.json: cannot be opened"), True)
    check("no place", converse(["Hi", "/save /absent/x"])[2], "headrace: error: /absent/x: no such file or directory\n")


def test_full_context():
    code, out, err = converse(["Hi there", "and now more"])
    check("stop", (code, out.count("\n"), err), (0, 1, "headrace: error: prompt: expected at most 60 tokens, the context, found "
                                                f"{len(prompt_of([message('user', 'Hi there'), message('assistant', text_of(turns('Hi there')[0])), message('user', 'and now more')]))}\n"))
    code, out, err = converse(["Hi there", "and now more"], "--context-full", "drop")
    alone = turns("and now more")[0]
    check("drop", (code, out.splitlines()[1], err),
          (0, text_of(alone), "headrace: note: the context of 60 positions is short: the oldest 2 messages are left out\n"))
    code, out, err = converse(["Hi", "yo", "ho"], "--context-full", "drop", "--system", "s", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    check("the system prompt stays", (found[2]["dropped_messages"] >= 2, found[2]["ids"] != turns("ho")[0]), (True, True))
    long = next(x for x in map(str, range(1000)) if END not in continuation(prompt_of([message("user", x)]), 50))
    code, out, err = run("chat", bundle(), "--temperature", 0, "-n", 100, stdin=long + "\n")
    room = POSITIONS - len(prompt_of([message("user", long)])) + 1
    check("an answer ends where the context does", (code, out, err),
          (0, text_of(continuation(prompt_of([message("user", long)]), room)) + "\n", "headrace: note: the context of 60 positions is full\n"))


def test_refused():
    subprocess.run([MAKE_PLAIN, PLAIN, WORK / "plain.bundle"], check=True)
    check("no template", run("chat", WORK / "plain.bundle"),
          (1, "", "headrace: error: plain.bundle: expected a chat template, found none: the model was compiled without one\n"))
    check("no template in jsonl", json.loads(run("run", WORK / "plain.bundle", "--jsonl", stdin=json.dumps({"messages": [message("user", "x")]}))[1])["error"],
          "plain.bundle: expected a chat template, found none: the model was compiled without one")
    for content, what in (("{", "bad.json: "), ("[]", "bad.json: expected a list of messages, found an empty one"), ("[1]", "bad.json: expected messages with a role")):
        (WORK / "bad.json").write_text(content)
        code, out, err = run("chat", bundle(), "--messages", WORK / "bad.json")
        check(content, (code, out, err.startswith("headrace: error: " + what), err.count("\n")), (1, "", True, 1))
    (WORK / "bad.json").write_text(json.dumps([message("robot", "x")]))
    check("template's message", run("chat", bundle(), "--messages", WORK / "bad.json"), (1, "", "headrace: error: no robots\n"))
    for words in (["chat"], ["chat", bundle(), "--stop", ""], ["chat", bundle(), "--top-p", "2"], ["chat", bundle(), "--context-full", "pray"]):
        code, out, err = run(*words)
        check(f"usage {words}", (code, out, err.startswith("headrace: error: "), err.count("\n")), (2, "", True, 1))
    check("help", run("chat", "--help")[0], 0)


class Terminal:
    """A chat in a pseudo-terminal."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(HEADRACE, [HEADRACE, "chat", str(WORK / "chat.bundle"), "--temperature", "0", "-n", "5"])
        self.seen = ""

    def wait_for(self, text, seconds=20):
        end = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096).decode(errors="replace")
                except OSError:
                    break
        check(f"terminal shows {text!r}", text in self.seen or self.seen, True)
        self.seen = self.seen.partition(text)[2]

    def prompt(self):
        """Waits for the prompt, and until keys are read one by one: what is typed before is echoed as it is."""
        self.wait_for("> ")
        end = time.monotonic() + 20
        while termios.tcgetattr(self.fd)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.01)

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_terminal():
    bundle()
    want = turns("Hi", "yo", "yo")
    terminal = Terminal()
    terminal.prompt()
    terminal.type("xHi\x01\x04\r")  # to the beginning of the line, and delete one character
    terminal.wait_for(text_of(want[0]))
    terminal.prompt()
    terminal.type("half a line\x03")  # Ctrl-C forgets it, and the program goes on
    terminal.prompt()
    terminal.type("yo\r")
    terminal.wait_for(text_of(want[1]))
    terminal.prompt()
    terminal.type("/reset\r")
    terminal.prompt()
    terminal.type("\x10\x10\x10\r")  # three lines back in the history: Hi
    terminal.wait_for(text_of(want[0]))
    terminal.prompt()
    terminal.type("/quit\r")
    check("exit code", terminal.end(), 0)


WORK.mkdir(parents=True, exist_ok=True)
for name, function in sorted(globals().copy().items()):
    if name.startswith("test_"):
        function()
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
