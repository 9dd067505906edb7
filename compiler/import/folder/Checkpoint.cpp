#include "compiler/import/folder/Checkpoint.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

#include <algorithm>
#include <map>
#include <set>

namespace headrace {

using nlohmann::json;

static const char kSingle[] = "model.safetensors";
static const char kIndex[] = "model.safetensors.index.json";

/// Builds a Checkpoint shard by shard.
class CheckpointReader {
public:
  explicit CheckpointReader(const std::string &folder) { made.path = folder; }
  Result<void> readShard(const std::string &name);
  void addPart(Checkpoint::Part part);
  Result<void> checkNames();
  Result<void> readIndex();
  Result<Checkpoint> finish();

private:
  Result<void> readWeightMap(const json &map);
  Result<void> checkAgainstIndex();
  void checkTotalSize(const json &index);

  Checkpoint made;
  std::map<std::string, std::string> shardOf; // what the index says
};

Result<void> CheckpointReader::readShard(const std::string &name) {
  Result<MappedFile> bytes = MappedFile::open(made.path + "/" + name);
  if (!bytes)
    return bytes.error();
  Result<SafetensorsHeader> header = readSafetensorsHeader(bytes->data(), bytes->size(), name);
  if (!header)
    return header.error();
  addPart({name, bytes.take(), std::move(header->tensors)});
  return {};
}

void CheckpointReader::addPart(Checkpoint::Part part) {
  auto shard = std::make_unique<Checkpoint::Shard>();
  shard->name = part.name;
  shard->bytes = std::move(part.bytes);
  for (TensorEntry &entry : part.tensors) {
    const uint8_t *data = shard->bytes.data() + entry.offset;
    made.all.push_back({std::move(entry), part.name, data});
  }
  made.shards.push_back(std::move(shard));
}

/// No tensor lies in two files.
Result<void> CheckpointReader::checkNames() {
  std::map<std::string_view, std::string_view> found;
  for (const CheckpointTensor &tensor : made.all) {
    auto [earlier, isNew] = found.emplace(tensor.entry.name, tensor.file);
    if (!isNew)
      return expectedFound(tensor.file + ": tensor " + inQuotes(tensor.entry.name), "each tensor in one file",
                           "it in " + std::string(earlier->second) + " too");
  }
  return {};
}

Result<void> CheckpointReader::readWeightMap(const json &map) {
  if (!map.is_object() || map.empty())
    return expectedFound(std::string(kIndex) + ": weight_map", "an object of tensor names",
                         map.is_object() ? "an empty object" : jsonKindText(map));
  for (const auto &field : map.items()) {
    std::string where = std::string(kIndex) + ": tensor " + inQuotes(field.key());
    if (!field.value().is_string())
      return expectedFound(where, "the name of a shard", jsonKindText(field.value()));
    std::string shard = field.value().get<std::string>();
    const std::string suffix = ".safetensors";
    bool plain = shard.size() > suffix.size() &&
                 shard.compare(shard.size() - suffix.size(), suffix.size(), suffix) == 0 &&
                 shard.find_first_of(std::string("/\\\0", 3)) == std::string::npos && shard[0] != '.';
    if (!plain)
      return expectedFound(where, "a .safetensors file beside the index", inQuotes(shard));
    shardOf[field.key()] = shard;
  }
  return {};
}

/// Each listed tensor lies in its shard, and the shards hold no others.
Result<void> CheckpointReader::checkAgainstIndex() {
  std::map<std::string, std::string> found;
  for (const CheckpointTensor &tensor : made.all) {
    auto [earlier, isNew] = found.emplace(tensor.entry.name, tensor.file);
    std::string where = tensor.file + ": tensor " + inQuotes(tensor.entry.name);
    if (!isNew)
      return expectedFound(where, "each tensor in one shard", "it in " + earlier->second + " too");
    auto listed = shardOf.find(tensor.entry.name);
    if (listed == shardOf.end())
      return expectedFound(where, "a tensor that " + std::string(kIndex) + " lists", "one that it does not");
    if (listed->second != tensor.file)
      return expectedFound(where, "it in " + listed->second + " as " + kIndex + " says", "it here");
  }
  for (const auto &[name, shard] : shardOf)
    if (!found.count(name))
      return expectedFound(shard, "the tensor " + inQuotes(name) + " that " + kIndex + " lists", "none");
  return {};
}

/// Writers disagree on what total_size counts (tied weights), so a difference is worth a line and no more.
void CheckpointReader::checkTotalSize(const json &index) {
  uint64_t total = 0;
  for (const CheckpointTensor &tensor : made.all)
    total += tensor.entry.bytes;
  if (!index.contains("metadata") || !index["metadata"].is_object() || !index["metadata"].contains("total_size"))
    return;
  const json &said = index["metadata"]["total_size"];
  if (said.is_number() && said == total)
    return;
  made.notes.push_back(std::string(kIndex) + ": total_size is " + said.dump() + ", the tensors are " +
                       bytesText(total));
}

Result<void> CheckpointReader::readIndex() {
  Result<std::string> text = readFile(made.path + "/" + kIndex);
  if (!text)
    return text.error();
  Result<json> index = parseJson(*text, kIndex);
  if (!index)
    return index.error();
  if (!index->is_object() || !index->contains("weight_map"))
    return expectedFound(kIndex, "an object with a weight_map", index->is_object() ? "none" : jsonKindText(*index));
  for (const auto &field : index->items())
    if (field.key() != "metadata" && field.key() != "weight_map")
      made.notes.push_back(std::string(kIndex) + ": field " + inQuotes(field.key()) + " is not known and was ignored");
  HR_TRY(readWeightMap((*index)["weight_map"]));

  std::set<std::string> names;
  for (const auto &entry : shardOf)
    names.insert(entry.second);
  for (const std::string &name : names) {
    if (!pathExists(made.path + "/" + name))
      return expectedFound(kIndex, "the shard " + inQuotes(name), "no such file");
    HR_TRY(readShard(name));
  }
  HR_TRY(checkAgainstIndex());
  checkTotalSize(*index);
  return {};
}

Result<Checkpoint> CheckpointReader::finish() {
  std::sort(made.all.begin(), made.all.end(),
            [](const CheckpointTensor &a, const CheckpointTensor &b) { return a.entry.name < b.entry.name; });
  return std::move(made);
}

Result<Checkpoint> Checkpoint::open(const std::string &folder) {
  CheckpointReader reader(folder);
  if (pathExists(folder + "/" + kSingle)) {
    HR_TRY(reader.readShard(kSingle));
  } else if (pathExists(folder + "/" + kIndex)) {
    HR_TRY(reader.readIndex());
  } else {
    bool pickled = pathExists(folder + "/pytorch_model.bin") || pathExists(folder + "/pytorch_model.bin.index.json");
    return expectedFound(folder, std::string(kSingle) + " or " + kIndex,
                         pickled ? "pytorch_model.bin, which is not read" : "neither");
  }
  return reader.finish();
}

Result<Checkpoint> Checkpoint::of(const std::string &path, std::vector<Part> parts) {
  CheckpointReader reader(path);
  for (Part &part : parts)
    reader.addPart(std::move(part));
  HR_TRY(reader.checkNames());
  return reader.finish();
}

const CheckpointTensor *Checkpoint::find(std::string_view name) const {
  auto it = std::lower_bound(all.begin(), all.end(), name, [](const CheckpointTensor &tensor, std::string_view key) {
    return tensor.entry.name < key;
  });
  return it != all.end() && it->entry.name == name ? &*it : nullptr;
}

const MappedFile *Checkpoint::file(std::string_view name) const {
  for (const std::unique_ptr<Shard> &shard : shards)
    if (shard->name == name)
      return &shard->bytes;
  return nullptr;
}

} // namespace headrace
