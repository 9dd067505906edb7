// Checkpoint.h - the weights of a Hugging Face folder: every tensor by name, mapped, wherever it is stored.
#ifndef HEADRACE_IMPORT_CHECKPOINT_H
#define HEADRACE_IMPORT_CHECKPOINT_H

#include "compiler/import/safetensors/Safetensors.h"
#include "compiler/support/MappedFile.h"

#include <memory>
#include <string>
#include <vector>

namespace headrace {

struct CheckpointTensor {
  TensorEntry entry;             // name, type, shape, offset in the file, bytes
  std::string file;              // name inside the folder: "model-00001-of-00002.safetensors"
  const uint8_t *data = nullptr; // its bytes, valid while the Checkpoint lives; no alignment is promised
};

/// model.safetensors, or else the shards of model.safetensors.index.json, or the files of another format; all headers
/// checked, index and shards in agreement.
class Checkpoint {
public:
  static Result<Checkpoint> open(const std::string &folder);

  /// One file with the tensors that its header lists.
  struct Part {
    std::string name; // inside the folder
    MappedFile bytes;
    std::vector<TensorEntry> tensors;
  };
  /// Files of another format, whose headers its own reader has checked. A tensor in two of them is refused.
  static Result<Checkpoint> of(const std::string &path, std::vector<Part> parts);

  /// The folder, or the file that was opened.
  const std::string &folder() const { return path; }
  /// Ascending by name.
  const std::vector<CheckpointTensor> &tensors() const { return all; }
  /// nullptr when there is none.
  const CheckpointTensor *find(std::string_view name) const;
  /// The mapped file of that name, nullptr when it holds no tensor of this checkpoint.
  const MappedFile *file(std::string_view name) const;
  /// Things that are odd but do not matter to the result; one line each.
  const std::vector<std::string> &warnings() const { return notes; }

private:
  friend class CheckpointReader;
  struct Shard {
    std::string name;
    MappedFile bytes;
  };
  std::string path;
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<CheckpointTensor> all;
  std::vector<std::string> notes;
};

} // namespace headrace
#endif
