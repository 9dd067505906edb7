"""SmolLM2 in W4 against llama.cpp's pure Q4_0: decode and prefill at 1 and 2 threads, in turns within one run, medians of the ratios.

usage: against_llama_cpp.py [ROUNDS]      needs llama-cpp-python and gguf from PyPI (pip builds the former for this machine)
The GGUF file is the model's own, with every matrix, the embedding too, as Q4_0 (blocks of 32); ours has groups of 32 and of 64.
"""
import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
import models
from harness import RUNNER, bundle, command

PROMPT = [504, 260, 2240, 282] * 128  # 512 tokens
DECODE = 64
FLOORS = {"decode": 0.7, "prefill": 0.5}


def pure_q4_0():
    """The GGUF file of SmolLM2 with all matrices in Q4_0, made once."""
    import gguf
    source, out = models.cache() / "smollm2-135m-instruct.gguf", models.cache() / "smollm2-q4_0-pure.gguf"
    if out.exists():
        return out
    models.smollm2()
    reader = gguf.GGUFReader(source)
    part = out.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        kind = field.types[0]
        writer.add_key_value(name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type)
        if values.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q4_0
            writer.add_tensor(tensor.name, gguf.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(tensor.name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.rename(out)
    return out


class LlamaCpp:
    def __init__(self, threads):
        from llama_cpp import Llama
        self.model = Llama(str(pure_q4_0()), n_ctx=1024, n_batch=512, n_ubatch=512, n_threads=threads, n_threads_batch=threads, verbose=False)

    def prefill(self):
        self.model.reset()
        start = time.perf_counter()
        self.model.eval(PROMPT)
        return len(PROMPT) / (time.perf_counter() - start)

    def decode(self):
        self.model.reset()
        self.model.eval(PROMPT[:16])
        start = time.perf_counter()
        for token in PROMPT[:DECODE]:
            self.model.eval([token])
        return DECODE / (time.perf_counter() - start)


class Headrace:
    def __init__(self, threads, group):
        self.threads = threads
        self.bundle = bundle(models.smollm2(), "--target", "host", "--quant", "w4", "--group", group, "--context", 1024)

    def timings(self, ids, count):
        done = command([RUNNER, "run", self.bundle, "--ids", ",".join(map(str, ids)), "-n", count, "--temperature", 0, "--ignore-eos", "--json",
                        "--threads", self.threads])
        return json.loads(done.stdout)["timings"]

    def prefill(self):
        return self.timings(PROMPT, 1)["prefill_tokens_per_second"]

    def decode(self):
        return self.timings(PROMPT[:16], DECODE + 1)["decode_tokens_per_second"]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    worst = {}
    print(f"{'':28} {'headrace':>10} {'llama.cpp':>10} {'ratio':>7}   (tokens/s, medians of {rounds} turns)")
    for threads in (1, 2):
        theirs = LlamaCpp(threads)
        for group in (32, 64):
            ours = Headrace(threads, group)
            for what in ("decode", "prefill"):
                pairs = [(getattr(ours, what)(), getattr(theirs, what)()) for _ in range(rounds)]
                ratio = statistics.median(a / b for a, b in pairs)
                a, b = (statistics.median(column) for column in zip(*pairs))
                print(f"{what + f', {threads} threads, group {group}':28} {a:10.1f} {b:10.1f} {ratio:7.2f}", flush=True)
                worst[what] = min(worst.get(what, 1e9), ratio)
    for what, floor in FLOORS.items():
        print(f"{what}: worst ratio {worst[what]:.2f}, floor {floor}")
    sys.exit(any(worst[what] < floor for what, floor in FLOORS.items()))


if __name__ == "__main__":
    main()
