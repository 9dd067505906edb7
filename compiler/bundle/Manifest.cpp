#include "compiler/bundle/Manifest.h"

#include "compiler/support/ErrorText.h"
#include "compiler/support/Json.h"

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

/// Walks the fields of a struct once for writing and once for reading: one list of names serves both.
class Writer {
public:
  template <typename T> void field(const char *name, const T &value) { json[name] = value; }
  template <typename T> void list(const char *name, const std::vector<T> &values);
  template <typename T> void object(const char *name, const T &value);
  Json json = Json::object();
};

class Reader {
public:
  Reader(const nlohmann::json &json, std::string where) : json(json), where(std::move(where)) {}

  template <typename T> void field(const char *name, T &value) {
    const nlohmann::json *found = find(name);
    if (!found)
      return;
    if (!fits(*found, value))
      return fail(name, "a value of another type");
    value = found->get<T>();
  }
  template <typename T> void list(const char *name, std::vector<T> &values);
  template <typename T> void object(const char *name, T &value);

  std::string problem; ///< the first error, or empty

private:
  const nlohmann::json *find(const char *name) {
    if (!problem.empty())
      return nullptr;
    if (!json.is_object() || !json.contains(name))
      return fail(name, "nothing"), nullptr;
    return &json.at(name);
  }
  void fail(const char *name, const char *found) {
    problem = expectedFound(where + ": field " + inQuotes(name), "the field as Headrace writes it", found).message();
  }
  static bool fits(const nlohmann::json &j, const std::string &) { return j.is_string(); }
  static bool fits(const nlohmann::json &j, const uint64_t &) { return j.is_number_unsigned(); }
  static bool fits(const nlohmann::json &j, const int64_t &) { return j.is_number_integer(); }
  static bool fits(const nlohmann::json &j, const double &) { return j.is_number(); }
  static bool fits(const nlohmann::json &j, const bool &) { return j.is_boolean(); }
  template <typename T> static bool fits(const nlohmann::json &j, const std::vector<T> &) {
    if (!j.is_array())
      return false;
    for (const auto &element : j)
      if (!fits(element, T()))
        return false;
    return true;
  }

  const nlohmann::json &json;
  std::string where;
};

template <typename V, typename T> void fields(V &v, T &m, const ManifestModel *) {
  v.field("architecture", m.architecture);
  v.field("kind", m.kind);
  v.field("pooling", m.pooling);
  v.field("normalize", m.normalize);
  v.field("parameters", m.parameters);
  v.field("layers", m.layers);
  v.field("hidden", m.hidden);
  v.field("heads", m.heads);
  v.field("kv_heads", m.kvHeads);
  v.field("head_dim", m.headDim);
  v.field("feed_forward", m.feedForward);
  v.field("experts", m.experts);
  v.field("experts_per_token", m.expertsPerToken);
  v.field("mixtures", m.mixtures);
  v.field("expert_feed_forward", m.expertFeedForward);
  v.field("vocab", m.vocab);
  v.field("context", m.context);
  v.field("max_positions", m.maxPositions);
  v.field("bos", m.bos);
  v.field("eos", m.eos);
  v.field("tokenizer", m.tokenizer);
  v.field("chat_template", m.chatTemplate);
  v.field("files", m.files);
}

template <typename V, typename T> void fields(V &v, T &s, const ManifestSettings *) {
  v.field("target", s.target);
  v.field("place", s.place);
  v.field("quant", s.quant);
  v.field("embed", s.embed);
  v.field("head", s.head);
  v.field("group", s.group);
  v.field("act", s.act);
  v.field("context", s.context);
  v.field("kv", s.kv);
  v.field("taps", s.taps);
}

template <typename V, typename T> void fields(V &v, T &l, const ManifestLibrary *) {
  v.field("triple", l.triple);
  v.field("target", l.target);
  v.field("archive", l.archive);
  v.field("shared", l.shared);
  v.field("run", l.run);
  v.field("port", l.port);
  v.field("cpu_features", l.cpuFeatures);
}

template <typename V, typename T> void fields(V &v, T &e, const ManifestEntry *) {
  v.field("name", e.name);
  v.field("kind", e.kind);
  v.field("rows", e.rows);
  v.field("launches", e.launches);
  v.field("barriers", e.barriers);
  v.field("copies", e.copies);
}

template <typename V, typename T> void fields(V &v, T &s, const ManifestSection *) {
  v.field("name", s.name);
  v.field("kind", s.kind);
  v.field("memory", s.memory);
  v.field("device", s.device);
  v.field("offset", s.offset);
  v.field("bytes", s.bytes);
}

template <typename V, typename T> void fields(V &v, T &b, const ManifestBuffer *) {
  v.field("entry", b.entry);
  v.field("value", b.value);
  v.field("device", b.device);
  v.field("offset", b.offset);
  v.field("bytes", b.bytes);
}

template <typename V, typename T> void fields(V &v, T &s, const ManifestSource *) {
  v.field("tensor", s.tensor);
  v.field("file", s.file);
  v.field("dtype", s.dtype);
  v.field("offset", s.offset);
  v.field("bytes", s.bytes);
}

template <typename V, typename T> void fields(V &v, T &w, const ManifestWeight *) {
  v.field("name", w.name);
  v.field("encoding", w.encoding);
  v.field("layout", w.layout);
  v.field("shape", w.shape);
  v.field("section", w.section);
  v.field("device", w.device);
  v.field("offset", w.offset);
  v.field("bytes", w.bytes);
  v.list("sources", w.sources);
  v.field("recipe", w.recipe);
  v.field("kernels", w.kernels);
}

template <typename V, typename T> void fields(V &v, T &s, const ManifestStored *) {
  v.field("type", s.type);
  v.field("encoding", s.encoding);
  v.field("outcome", s.outcome);
  v.field("first", s.first);
  v.field("tensors", s.tensors);
  v.field("values", s.values);
  v.field("bytes", s.bytes);
}

template <typename V, typename T> void fields(V &v, T &k, const ManifestKernel *) {
  v.field("name", k.name);
  v.field("family", k.family);
  v.field("device", k.device);
  v.field("launches", k.launches);
}

template <typename V, typename T> void fields(V &v, T &c, const ManifestCost *) {
  v.field("weight_bytes_per_token", c.weightBytesPerToken);
  v.field("kv_bytes_per_position", c.kvBytesPerPosition);
  v.field("tokens_per_second", c.tokensPerSecond);
}

template <typename V, typename T> void fields(V &v, T &c, const ManifestChecksum *) {
  v.field("file", c.file);
  v.field("bytes", c.bytes);
  v.field("xxh64", c.xxh64);
}

/// A fusion is a pair in memory and an object in JSON.
struct Fusion {
  std::string what;
  uint64_t count = 0;
};

template <typename V, typename T> void fields(V &v, T &f, const Fusion *) {
  v.field("what", f.what);
  v.field("count", f.count);
}

template <typename V, typename T> void fields(V &v, T &m, const Manifest *) {
  v.field("name", m.name);
  v.field("compiler", m.compiler);
  v.object("model", m.model);
  v.object("settings", m.settings);
  v.list("libraries", m.libraries);
  v.field("devices", m.devices);
  v.list("entries", m.entries);
  v.field("arena_bytes", m.arenaBytes);
  v.field("session_bytes", m.sessionBytes);
  v.field("weights_bytes", m.weightsBytes);
  v.list("sections", m.sections);
  v.list("buffers", m.buffers);
  v.list("weights", m.weights);
  v.list("stored", m.stored);
  v.list("kernels", m.kernels);
  v.object("cost", m.cost);
  v.list("checksums", m.checksums);
}

template <typename T> void Writer::list(const char *name, const std::vector<T> &values) {
  Json array = Json::array();
  for (const T &value : values) {
    Writer inner;
    fields(inner, value, static_cast<const T *>(nullptr));
    array.push_back(std::move(inner.json));
  }
  json[name] = std::move(array);
}

template <typename T> void Writer::object(const char *name, const T &value) {
  Writer inner;
  fields(inner, value, static_cast<const T *>(nullptr));
  json[name] = std::move(inner.json);
}

template <typename T> void Reader::list(const char *name, std::vector<T> &values) {
  const nlohmann::json *found = find(name);
  if (!found)
    return;
  if (!found->is_array())
    return fail(name, "a value of another type");
  for (const auto &element : *found) {
    Reader inner(element, where + ": " + name);
    fields(inner, values.emplace_back(), static_cast<const T *>(nullptr));
    if (problem.empty())
      problem = inner.problem;
  }
}

template <typename T> void Reader::object(const char *name, T &value) {
  const nlohmann::json *found = find(name);
  if (!found)
    return;
  Reader inner(*found, where + ": " + name);
  fields(inner, value, static_cast<const T *>(nullptr));
  problem = inner.problem;
}

} // namespace

std::string Manifest::toText() const {
  Writer writer;
  writer.field("format", uint64_t(formatVersion));
  fields(writer, *this, static_cast<const Manifest *>(nullptr));
  std::vector<Fusion> list;
  for (const auto &[what, count] : fusions)
    list.push_back({what, count});
  writer.list("fusions", list);
  return writer.json.dump(1) + "\n";
}

Result<Manifest> Manifest::parse(std::string_view text, const std::string &where) {
  auto json = parseJson(text, where);
  if (!json)
    return json.error();
  Reader reader(*json, where);
  uint64_t format = 0;
  reader.field("format", format);
  if (reader.problem.empty() && format != uint64_t(formatVersion))
    return expectedFound(where + ": field 'format'", std::to_string(formatVersion), std::to_string(format));
  Manifest manifest;
  fields(reader, manifest, static_cast<const Manifest *>(nullptr));
  std::vector<Fusion> list;
  reader.list("fusions", list);
  if (!reader.problem.empty())
    return Error(reader.problem);
  for (const Fusion &fusion : list)
    manifest.fusions.emplace_back(fusion.what, fusion.count);
  return manifest;
}

} // namespace headrace
