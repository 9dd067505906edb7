// Keys.h - the metadata of one architecture: asked for key by key, so that what nobody asked for can be told.
#ifndef HEADRACE_IMPORT_GGUF_KEYS_H
#define HEADRACE_IMPORT_GGUF_KEYS_H

#include "compiler/import/gguf/Metadata.h"

#include <set>

namespace headrace {

/// Keys below "ARCHITECTURE." of a file's metadata. An absent key leaves the value as it is.
class Keys {
public:
  Keys(const GgufMetadata &metadata, std::string architecture)
      : metadata(metadata), prefix(std::move(architecture) + ".") {}

  bool has(const std::string &key) const { return metadata.has(prefix + key); }
  std::string where(const std::string &key) const { return metadata.where(prefix + key); }
  /// An integer in [least, most], or an array of equal ones (a number for each layer).
  Result<void> integer(const std::string &key, int64_t least, int64_t most, int64_t &value) const;
  Result<void> number(const std::string &key, double least, double most, double &value) const;
  Result<void> boolean(const std::string &key, bool &value) const;
  /// A number that the architecture has even where the file does not say so: `assumed` then, which is told.
  Result<void> numberOr(const std::string &key, double least, double most, double assumed, double &value,
                        std::vector<std::string> &warnings) const;
  /// A boolean for each of `layers`, where the key holds an array; else none.
  Result<std::vector<bool>> flags(const std::string &key, int64_t layers) const;
  Result<void> text(const std::string &key, std::string &value) const;
  /// The error of an absent key.
  Result<void> require(const std::string &key) const;
  /// The architecture's keys that nobody asked for: an error where the mathematics would differ, else a warning.
  Result<void> checkOthers(std::vector<std::string> &warnings) const;

private:
  Result<void> checkOther(const std::string &key, std::vector<std::string> &warnings) const;
  const GgufMetadata &metadata;
  std::string prefix;
  mutable std::set<std::string> asked;
};

} // namespace headrace
#endif
