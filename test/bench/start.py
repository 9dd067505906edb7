"""From process start to the first token with brook in W4: median of warm runs.

usage: start.py [RUNS]      limit 25 ms
"""
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
import models
from harness import RUNNER, bundle

LIMIT = 0.025


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    arguments = [RUNNER, "run", bundle(models.BROOK, "--target", "host", "--quant", "w4"), "-p", "In the beginning", "-n", "1", "--temperature", "0"]
    times = []
    for _ in range(runs + 3):
        start = time.perf_counter()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    median = statistics.median(times[3:])
    print(f"start to end of one token: median {1e3 * median:.1f} ms of {runs} runs, limit {1e3 * LIMIT:.0f} ms")
    sys.exit(median > LIMIT)


if __name__ == "__main__":
    main()
