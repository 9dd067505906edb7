// make_fake_bundle - writes a bundle around the runtime tests' fake library: make_fake_bundle LIBRARY.so OUT
// [damaged|encoder] damaged: a byte of a section is wrong, and nothing but the section's own hash says so.
#include "compiler/bundle/Manifest.h"
#include "fake_library.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace headrace;

namespace {

std::string hexadecimal(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

void write(const std::string &path, const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// What the fake model answers, worked out by its definition: ids and the hash chain over the logits' rows.
std::string golden(std::vector<int32_t> tokens, int steps) {
  std::string prompt, expected;
  for (int32_t id : tokens)
    prompt += (prompt.empty() ? "" : ", ") + std::to_string(id);
  uint64_t hash = 0;
  for (int step = 0; step < steps; ++step) {
    int32_t state = 0;
    for (size_t j = 0; j < tokens.size(); ++j)
      state = (state + static_cast<int32_t>(j + 1) * (tokens[j] + 1)) % 251;
    std::vector<float> logits;
    for (int32_t id = 0; id < fake_vocab; ++id)
      logits.push_back(-0.125f * static_cast<float>((id + fake_vocab - fake_target(state)) % fake_vocab));
    hash = hr_hash64(logits.data(), logits.size() * sizeof(float), hash);
    tokens.push_back(fake_target(state));
    expected += (expected.empty() ? "" : ", ") + std::to_string(tokens.back());
  }
  return "{\"ids\": [" + prompt + "], \"expected\": [" + expected + "], \"logits_xxh64\": \"" + hexadecimal(hash) +
         "\"}";
}

/// The same of the fake encoder: the rows of the hidden states are (state, token, position).
std::string hiddenGolden(const std::vector<int32_t> &tokens) {
  std::string ids;
  int32_t state = 0;
  uint64_t hash = 0;
  for (size_t j = 0; j < tokens.size(); ++j) {
    state = (state + static_cast<int32_t>(j + 1) * (tokens[j] + 1)) % 251;
    const float row[] = {float(state), float(tokens[j]), float(j)};
    hash = hr_hash64(row, sizeof row, hash);
    ids += (ids.empty() ? "" : ", ") + std::to_string(tokens[j]);
  }
  return "{\"ids\": [" + ids + "], \"hidden_xxh64\": \"" + hexadecimal(hash) + "\"}";
}

Manifest describe() {
  Manifest m;
  m.name = "fake";
  m.compiler = "by hand";
  m.model.architecture = "FakeForCausalLM";
  m.model.vocab = fake_vocab;
  m.model.context = fake_context;
  m.model.maxPositions = fake_positions;
  m.model.eos = {fake_end};
  m.settings.target = "none";
  m.settings.quant = m.settings.embed = m.settings.head = "f32";
  m.settings.context = fake_context;
  m.settings.kv = "f32,f32";
#if defined(__x86_64__)
  m.libraries = {{"x86_64-linux-gnu", "none", "", "lib/libfake.so", "lib/headrace-run", "", {}}};
#else
  m.libraries = {{"aarch64-linux-gnu", "none", "", "lib/libfake.so", "lib/headrace-run", "", {}}};
#endif
  m.devices = {"cpu", "reference"};
  m.weightsBytes = fake_blob_bytes;
  m.weights = {{"layers.0.attn.qkv",
                "f32",
                "t32",
                {3, 4},
                0,
                0,
                0,
                48,
                {{"layers.0.q", "model.safetensors", "F32", 8, 48}},
                "concat",
                {"gemv_f32_n3_k4"}}};
  m.kernels = {{"gemv_f32_n3_k4", "gemv", 0, 1}};
  m.fusions = {{"q, k, v into one", 1}};
  return m;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return 2;
  const std::string out = argv[2];
  std::filesystem::remove_all(out);
  std::filesystem::create_directories(out + "/lib");
  std::filesystem::create_directories(out + "/golden");
  std::filesystem::copy_file(argv[1], out + "/lib/libfake.so");
  std::vector<uint64_t> blob(fake_blob_bytes / 8);
  fake_blob(reinterpret_cast<uint8_t *>(blob.data()));
  const std::string kind = argc == 4 ? argv[3] : "";
  reinterpret_cast<uint8_t *>(blob.data())[HR_SECTION_ALIGN + 50] ^= kind == "damaged";
  write(out + "/weights.bin", std::string(reinterpret_cast<char *>(blob.data()), fake_blob_bytes));
  write(out + "/lib/headrace-run", "stands for a program\n");
  write(out + "/golden/golden.json", kind == "encoder" ? hiddenGolden({72, 105, 7}) : golden({72, 105}, 6));
  Manifest m = describe();
  if (kind == "encoder") {
    m.model.kind = "encoder";
    m.model.pooling = "mean";
    m.model.normalize = true;
  }
  for (const char *file : {"golden/golden.json", "lib/headrace-run", "lib/libfake.so", "weights.bin"}) {
    const std::string bytes = read(out + "/" + file);
    m.checksums.push_back({file, bytes.size(), hexadecimal(hr_hash64(bytes.data(), bytes.size(), 0))});
  }
  write(out + "/manifest.json", m.toText());
}
