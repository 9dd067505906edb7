"""Contexts as chat programs give them: conversations with and without system prompts, tools, reasoning, parts, images."""
import itertools

WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "The weather at a place.\nToday's, \"now\" <b>.",
    "parameters": {"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string", "description": "Ort, z. B. Zürich"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        "days": {"type": ["integer", "null"], "minimum": 1}}},
    "return": {"type": "string"}}}
BOOK = {"type": "function", "function": {
    "name": "book", "description": "Books.", "strict": True, "parameters": {"type": "object", "properties": {
        "items": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}, "price": {"type": "number"}},
                                             "required": ["id"]}},
        "options": {"anyOf": [{"type": "string"}, {"type": "boolean"}], "description": "either"},
        "nested": {"type": "object", "additionalProperties": False, "properties": {"a": {"$ref": "#/$defs/A"}}}}}}}
BARE = {"name": "ping", "description": "no parameters", "parameters": {}}


def user(content):
    return {"role": "user", "content": content}


def assistant(content, **more):
    return {"role": "assistant", "content": content, **more}


def system(content):
    return {"role": "system", "content": content}


def call(name, arguments, id="abcdefgh1"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(content, id="abcdefgh1", **more):
    return {"role": "tool", "content": content, "tool_call_id": id, "name": "get_weather", **more}


CALLED = assistant("", tool_calls=[call("get_weather", {"city": "Zürich", "days": 2, "flags": [True, None, 1.5]})])
CALLED_TEXT = assistant(None, tool_calls=[call("get_weather", "{\"city\": \"Bern\"}")])
TWICE = assistant("Let me look.", tool_calls=[call("get_weather", {"city": "A"}), call("book", {"items": [{"id": 1}], "options": "x"}, "abcdefgh2")])

CONVERSATIONS = {
    "one": [user("Hello, how are you?")],
    "system": [system("You are helpful.\n"), user("  Hi <there> & \"you\" 'all' é 你好 😀  ")],
    "developer": [{"role": "developer", "content": "Be brief."}, user("Hi")],
    "turns": [system("S"), user("a"), assistant("b"), user("c"), assistant("d\n"), user("e")],
    "turns-without-system": [user("a"), assistant("b"), user("c")],
    "ends-with-assistant": [user("a"), assistant("The answer is")],
    "two-users": [user("a"), user("b")],
    "begins-with-assistant": [assistant("Welcome"), user("a")],
    "empty": [],
    "empty-content": [system(""), user("")],
    "none-content": [user("a"), assistant(None)],
    "reasoning": [user("a"), assistant("b", reasoning_content="I think.\n\nSo."), user("c")],
    "thinking-in-text": [user("a"), assistant("<think>\nhm\n</think>\n\nb"), user("c"), assistant("<think>x</think>y")],
    "thinking-field": [user("a"), assistant("b", thinking="t"), user("c"), assistant("d", reasoning="r")],
    "parts": [user([{"type": "text", "text": "What is "}, {"type": "text", "text": "this?"}])],
    "parts-system": [system([{"type": "text", "text": "S"}]), user([{"type": "text", "text": "U"}]), assistant([{"type": "text", "text": "A"}])],
    "image": [user([{"type": "image"}, {"type": "text", "text": "What?"}, {"type": "image_url", "image_url": {"url": "http://x"}}])],
    "call": [user("w?"), CALLED],
    "call-result": [user("w?"), CALLED, result("{\"t\": 20}"), assistant("20 degrees"), user("and now?")],
    "call-text-arguments": [user("w?"), CALLED_TEXT, result("sunny")],
    "call-result-parts": [user("w?"), CALLED, result([{"type": "text", "text": "cold"}])],
    "call-result-object": [user("w?"), CALLED, result({"t": 20, "ok": True})],
    "calls": [system("S"), user("w?"), TWICE, result("1"), result("2", "abcdefgh2"), assistant("done", reasoning_content="r"), user("x")],
    "calls-reasoning": [user("w?"), {**TWICE, "reasoning_content": "Need tools."}, result("1"), result("2", "abcdefgh2")],
    "unknown-role": [user("a"), {"role": "critic", "content": "b"}],
    "no-role": [{"content": "b"}],
    "ipython": [user("a"), CALLED, {"role": "ipython", "content": {"out": 1}}],
    "unicode": [system("ÄÖÜ ß İ"), user("e\u0301 \u200b \u2028 \x0b tab\t"), assistant("  padded\n\n")],
}

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
TOOLS = {"none": {}, "null": {"tools": None}, "two": {"tools": [WEATHER, BOOK]}, "bare": {"tools": [BARE]}, "empty": {"tools": []}}
VARIABLES = {
    "plain": {}, "thinking": {"enable_thinking": True}, "no-thinking": {"enable_thinking": False, "thinking": False},
    "effort": {"reasoning_effort": "high", "builtin_tools": ["browser", "python"], "model_identity": "You are X."},
    "documents": {"documents": [{"title": "T", "text": "body", "doc_id": "1"}], "date_string": "01 Jan 2025", "controls": {"length": "short"}},
    "in-user": {"tools_in_user_message": False, "keep_past_thinking": True, "clear_thinking": False, "preserve_thinking": True, "xml_tools": True},
}


def contexts():
    """(name, context): every conversation with every list of tools, with and without a generation prompt; variables in turn."""
    variables = itertools.cycle(VARIABLES.items())
    for (c, messages), (t, tools), prompt in itertools.product(CONVERSATIONS.items(), TOOLS.items(), (True, False)):
        v, more = next(variables)
        yield f"{c}/{t}/{v}/{prompt}", {"messages": messages, **tools, **more, **TOKENS, "add_generation_prompt": prompt,
                                        "now": "2026-07-04T09:05:03"}
