"""Model folders with chat templates and special tokens in all the places where checkpoints keep them."""
import json

# Shows what a template knows of special tokens.
NAMES = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token", "image_token", "audio_token", "think_token",
         "additional_special_tokens", "extra_special_tokens", "model_specific_special_tokens", "token", "_token", "add_bos_token"]
SHOW = "".join(f"{{% if {name} is defined %}}{name}={{{{ {name} }}}} {{% endif %}}" for name in NAMES)
TOOLS = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}}]
CONTEXTS = {"plain": {}, "tools": {"tools": TOOLS}, "empty tools": {"tools": []}, "null tools": {"tools": None},
            "own tokens": {"bos_token": "given", "image_token": "given"}}


def added(text, typed=True, **more):
    return {**({"__type": "AddedToken"} if typed else {}), "content": text, "lstrip": False, "normalized": False, "rstrip": False,
            "single_word": False, "special": True, **more}


def named(**templates):
    return [{"name": name, "template": text + " " + SHOW} for name, text in templates.items()]


COMMON = {"bos_token": "<s>", "eos_token": "</s>"}
# Of each: files by path (objects become JSON), or "chosen" with the name that is asked for.
CASES = {
    "one string": {"tokenizer_config.json": {**COMMON, "chat_template": SHOW}},
    "one file": {"tokenizer_config.json": COMMON, "chat_template.jinja": SHOW},
    "the file goes before the string": {"tokenizer_config.json": {**COMMON, "chat_template": "old"}, "chat_template.jinja": SHOW},
    "a list": {"tokenizer_config.json": {**COMMON, "chat_template": named(default="D", tool_use="T", rag="R")}},
    "a list without tool_use": {"tokenizer_config.json": {**COMMON, "chat_template": named(default="D", rag="R")}},
    "a list without default": {"tokenizer_config.json": {**COMMON, "chat_template": named(tool_use="T", rag="R")}},
    "a list with neither": {"tokenizer_config.json": {**COMMON, "chat_template": named(rag="R")}},
    "a name twice": {"tokenizer_config.json": {**COMMON, "chat_template": named(default="old") + named(default="new")}},
    "an object": {"tokenizer_config.json": {**COMMON, "chat_template": {"default": "D " + SHOW, "tool_use": "T " + SHOW}}},
    "chosen by name": {"chosen": "rag", "tokenizer_config.json": {**COMMON, "chat_template": named(default="D", tool_use="T", rag="R")}},
    "additional files": {"tokenizer_config.json": COMMON, "chat_template.jinja": "D " + SHOW, "additional_chat_templates/tool_use.jinja": "T " + SHOW,
                         "additional_chat_templates/rag.jinja": "R", "additional_chat_templates/notes.txt": "{% broken"},
    "additional file chosen": {"chosen": "rag", "tokenizer_config.json": COMMON, "chat_template.jinja": "D",
                               "additional_chat_templates/rag.jinja": "R " + SHOW},
    "additional files alone": {"tokenizer_config.json": {**COMMON, "chat_template": "unread"}, "additional_chat_templates/tool_use.jinja": "T " + SHOW},
    "additional default": {"tokenizer_config.json": COMMON, "additional_chat_templates/default.jinja": "A " + SHOW},
    "frames apart": {"tokenizer_config.json": COMMON,  # what one template sets is not what the other reads
                     "chat_template.jinja": "{{ x is defined }}{% set x = 1 %}{% macro m() %}D{{ x }}{% endmacro %}{{ m() }}",
                     "additional_chat_templates/tool_use.jinja": "{% macro m() %}T{% endmacro %}{{ m() }}{{ x is defined }}{{ tools | length }}"},
    "all tokens": {"tokenizer_config.json": {
        "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "<sep>", "pad_token": "<pad>", "cls_token": "<cls>",
        "mask_token": "<mask>", "image_token": "<image>", "additional_special_tokens": ["<a>", "<b>"], "add_bos_token": True, "chat_template": SHOW}},
    "null tokens": {"tokenizer_config.json": {"bos_token": None, "eos_token": "</s>", "unk_token": "", "image_token": None, "chat_template": SHOW}},
    "tokens as objects": {"tokenizer_config.json": {"bos_token": added("<s>"), "image_token": added("<image>"), "eos_token": added("</s>"), "chat_template": SHOW}},
    "extra tokens by name": {"tokenizer_config.json": {
        **COMMON, "extra_special_tokens": {"image_token": "<image>", "audio_token": "<audio>", "token": "<t>"}, "think_token": "<think>", "chat_template": SHOW}},
    "extra tokens in a list": {"tokenizer_config.json": {**COMMON, "extra_special_tokens": ["<image>", "<audio>"], "chat_template": SHOW}},
    "extra tokens win": {"tokenizer_config.json": {**COMMON, "image_token": "<1>", "extra_special_tokens": {"image_token": "<2>"}, "chat_template": SHOW}},
    "tokens of a saved model": {"tokenizer_config.json": {**COMMON, "model_specific_special_tokens": {"image_token": "<image>"}, "chat_template": SHOW}},
    "tokens of a saved model and others": {"tokenizer_config.json": {
        **COMMON, "audio_token": "<audio>", "model_specific_special_tokens": {"image_token": "<image>"}, "chat_template": SHOW}},
    "map": {"tokenizer_config.json": {"chat_template": SHOW}, "special_tokens_map.json": {
        "bos_token": "<s>", "eos_token": added("</s>", False), "additional_special_tokens": ["<a>"], "image_token": "<image>"}},
    "map over configuration": {"tokenizer_config.json": {"bos_token": "<1>", "eos_token": "</s>", "image_token": "<1>", "chat_template": SHOW},
                               "special_tokens_map.json": {"bos_token": "<2>", "eos_token": None, "image_token": "<2>", "pad_token": "<pad>"}},
    "map unread": {"tokenizer_config.json": {"bos_token": "<1>", "added_tokens_decoder": {"0": added("<s>", False)}, "chat_template": SHOW},
                   "special_tokens_map.json": {"bos_token": "<2>", "eos_token": "</s>", "image_token": "<image>"}},
    "map with extra tokens": {"tokenizer_config.json": {**COMMON, "audio_token": "<1>", "chat_template": SHOW},
                              "special_tokens_map.json": {"extra_special_tokens": {"audio_token": "<2>", "image_token": "<image>"}}},
}


def write(folder, files):
    """The files of a case, below `folder`."""
    for path, content in files.items():
        if path == "chosen":
            continue
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content if isinstance(content, str) else json.dumps(content))
