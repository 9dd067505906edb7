// Fixtures.h - small checkpoints made in memory, and the folders of the shared test data.
#ifndef HEADRACE_TEST_READERS_FIXTURES_H
#define HEADRACE_TEST_READERS_FIXTURES_H

#include <map>
#include <string>
#include <vector>

namespace fixtures {

/// Length, JSON and data of a safetensors file.
std::string safetensors(const std::string &json, const std::string &data);

/// A well-formed safetensors file of BF16 tensors with distinct bytes.
std::string safetensorsOf(const std::vector<std::pair<std::string, std::vector<int64_t>>> &tensors);

/// A one-layer model: hidden 4, two heads, one key-value head, head_dim 2, ffn 6, vocabulary 3, tied.
std::string tinyConfig();
std::vector<std::pair<std::string, std::vector<int64_t>>> tinyTensors();

/// tinyConfig() with one field replaced or added; `value` is JSON text, "" removes the field.
std::string tinyConfigWith(const std::string &field, const std::string &value);

/// A folder that lives as long as this object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  void write(const std::string &name, const std::string &bytes) const;
  const std::string path;
};

/// HEADRACE_TEST_DATA, default ../shared beside the source; "" when it is absent. Absent under CI=true fails the
/// running test.
std::string sharedData();

} // namespace fixtures
#endif
