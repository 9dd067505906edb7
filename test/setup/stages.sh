# Functions of test/run.sh: each stage is timed, its tests are counted, and the last line tells the sum.

passed=0
failed=0
skipped=0
stage_name=
stage_start=$SECONDS

stage() {
  [[ -z $stage_name ]] || echo "-- $stage_name: $((SECONDS - stage_start)) s"
  stage_name=$1
  stage_start=$SECONDS
  echo "== $stage_name"
}

# configure DIR OPTIONS...: quiet when it works.
configure() {
  local dir=$1
  shift
  mkdir -p "$dir"
  if ! cmake -G Ninja -S . -B "$dir" -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 "$@" >"$dir/configure.log" 2>&1; then
    tail -n 30 "$dir/configure.log" >&2
    return 1
  fi
}

# run_ctest DIR OPTIONS...: runs the tests of a build and adds to the counts.
run_ctest() {
  local dir=$1 results=$1/junit.xml
  shift
  rm -f "$results"
  ctest --test-dir "$dir" --output-on-failure --output-junit "$PWD/$results" -j "$(nproc)" "$@" || true
  if [[ ! -s $results ]]; then
    echo "ctest wrote no results for $dir" >&2
    failed=$((failed + 1))
    return
  fi
  count_junit "$results"
}

# Adds the counts of a JUnit file's first element; skipped covers disabled ones too. Counts that cannot be read are a failure.
count_junit() {
  local head name counts=()
  head=$(head -c 2000 "$1" | tr '\n\t' '  ')
  head=${head%%<testcase*}
  for name in tests failures skipped; do
    if [[ ! $head =~ \ $name=\"([0-9]+)\" ]]; then
      echo "$1: expected a number of $name in the first element, found none" >&2
      failed=$((failed + 1))
      return
    fi
    counts+=("${BASH_REMATCH[1]}")
  done
  failed=$((failed + counts[1]))
  skipped=$((skipped + counts[2]))
  passed=$((passed + counts[0] - counts[1] - counts[2]))
}

# run_fuzzers BIN_DIR SECONDS WORK_DIR: every fuzz_* program from its own corpus (test/fuzz/corpus/NAME), as many at a time as cores.
run_fuzzers() {
  local bin=$1 seconds=$2 work=$3 program name
  mkdir -p "$work"
  local names=()
  for program in "$bin"/fuzz_*; do
    [[ -x $program && -f $program ]] || continue
    name=$(basename "$program")
    names+=("$name")
    mkdir -p "$work/$name"
    while [[ $(jobs -rp | wc -l) -ge $(nproc) ]]; do wait -n || true; done
    local seeds=()
    [[ ! -d test/fuzz/corpus/${name#fuzz_} ]] || seeds=("test/fuzz/corpus/${name#fuzz_}")
    (
      code=0
      "$program" "$work/$name" "${seeds[@]}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -artifact_prefix="$work/$name-" >"$work/$name.log" 2>&1 || code=$?
      echo $code >"$work/$name.code"
    ) &
  done
  wait
  for name in "${names[@]}"; do
    if [[ $(cat "$work/$name.code") == 0 ]]; then
      passed=$((passed + 1))
      echo "$name: $(grep -E '^Done' "$work/$name.log" || tail -n 1 "$work/$name.log")"
    else
      failed=$((failed + 1))
      echo "$name: failed"
      tail -n 40 "$work/$name.log"
    fi
  done
}

finish() {
  echo "-- $stage_name: $((SECONDS - stage_start)) s"
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed == 0 && $passed -gt 0 ]]
}
