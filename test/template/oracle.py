"""Jinja as transformers' apply_chat_template sets it up, and the executable that compiles and renders with Headrace."""
import functools
import json
import struct
import subprocess
import warnings
from datetime import datetime

import jinja2
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment


warnings.simplefilter("ignore", SyntaxWarning)  # of the Python that Jinja makes


class Generation(Extension):
    """{% generation %}: a call block whose body is put out as it is."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_keep"), [], [], body).set_lineno(line)

    def _keep(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Namespace(jinja2.utils.Namespace):
    """No attributes with an underscore before them."""

    def __init__(*args, **kwargs):
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            Namespace.check(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name, value):
        Namespace.check(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)

    @staticmethod
    def check(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError("an underscore")


NOW = None  # of the context being rendered


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda format: datetime.fromisoformat(NOW).strftime(format)
    env.globals["namespace"] = Namespace
    return env


ENVIRONMENT = environment()
compiled = functools.lru_cache(8)(ENVIRONMENT.from_string)


def jinja(template, context):
    """(text, None) or (None, error)."""
    global NOW
    NOW = context.get("now")
    try:
        return compiled(template).render(**context), None
    except Exception as error:  # whatever Python raises inside a template is the template's error
        return None, error


class Probe:
    """The executable, asked one thing at a time."""

    def __init__(self, executable):
        self.process = subprocess.Popen([executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def render(self, template, context):
        """(text, None) or (None, message); context: a value, or JSON text."""
        text = template.encode() if isinstance(template, str) else template
        data = context if isinstance(context, bytes) else json.dumps(context, ensure_ascii=False).encode()
        self.process.stdin.write(struct.pack("<II", len(text), len(data)) + text + data)
        self.process.stdin.flush()
        header = self.process.stdout.read(12)
        if len(header) < 12:
            raise SystemExit(f"the probe ended early for {template!r} with {context!r}")
        self.status, self.line, size = struct.unpack("<iII", header)
        answer = self.process.stdout.read(size).decode(errors="surrogateescape")
        return (answer, None) if self.status == 0 else (None, answer)


def difference(probe, template, context):
    """What differs, or None. Errors are equal whatever they say, but for raise_exception, whose message is the template's."""
    wanted, error = jinja(template, context)
    got, message = probe.render(template, context)
    if error is None:
        return None if got == wanted else f"expected {wanted!r}, found {got!r}" if message is None else f"expected {wanted!r}, found the error {message!r}"
    if message is None:
        return f"expected the error {error!r}, found {got!r}"
    if type(error) is jinja2.exceptions.TemplateError and str(error) != message:
        return f"expected the message {str(error)!r}, found {message!r}"
    return None
