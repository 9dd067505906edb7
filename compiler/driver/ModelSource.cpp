#include "compiler/driver/ModelSource.h"

#include "compiler/import/folder/ModelFolder.h"
#include "compiler/import/gguf/GgufModel.h"
#include "compiler/import/keep/KeepEncodings.h"
#include "compiler/import/template/TemplateSource.h"
#include "compiler/import/tokenizer/Tokenizer.h"
#include "compiler/support/ErrorText.h"
#include "runtime/abi/hr_tokenizer_format.h"

#include <cstring>

namespace headrace {

/// Options that the request leaves open; and with "keep" the encodings of the weights, where --no-fallback refuses to
/// round what is quantized.
static Result<void> settleEncodings(const CompileRequest &request, const Checkpoint &checkpoint, ModelSource &source) {
  source.quant = !request.quant.empty() ? request.quant : source.spec.isQuantized ? "keep" : "w4";
  bool keep = source.quant == "keep";
  source.group = request.group ? request.group : keep ? 32 : 64;
  if (!keep)
    return {};
  // Else as those options say.
  source.stored = keepEncodings(source.spec, checkpoint, {request.embed.empty(), request.head.empty()});
  for (const ManifestStored &row : source.stored)
    if (request.noFallback && !row.isExact())
      return expectedFound("--quant keep with --no-fallback", "weights whose encoding the target has",
                           row.text() + ", " + std::to_string(row.tensors) + " tensors, first " + row.first);
  return {};
}

/// A template that cannot be compiled is left out, with a warning; under --no-fallback, and where it was asked for by
/// name, it is an error.
static Result<void> readTemplate(const CompileRequest &request, const Result<std::optional<TemplateSource>> &found,
                                 ModelSource &source) {
  if (found && !*found)
    return request.chatTemplate.empty()
               ? Result<void>()
               : expectedFound(fileNameOf(request.model), "a chat template named " + inQuotes(request.chatTemplate),
                               "none");
  Result<std::vector<uint8_t>> section = found ? compileTemplate(**found) : found.error();
  if (section)
    source.chatTemplate.assign(section->begin(), section->end());
  else if (request.noFallback || !request.chatTemplate.empty())
    return section.error();
  else
    source.notes.push_back("warning: " + section.error().message() + "; the bundle has no chat template");
  if (found)
    for (const std::string &name : (*found)->others)
      source.notes.push_back("chat template " + inQuotes(name) + ": not in the bundle; --chat-template chooses it");
  return {};
}

static Result<void> readFolder(const CompileRequest &request, ModelSource &source) {
  Result<ModelFolder> folder = openModelFolder(request.model);
  if (!folder)
    return folder.error();
  source.spec = std::move(folder->spec);
  HR_TRY(settleEncodings(request, folder->checkpoint, source));
  HR_TRY(readTemplate(request, templateOfFolder(request.model, request.chatTemplate), source));
  // A folder without a tokenizer compiles and runs on token ids.
  std::string path = request.model + "/tokenizer.json";
  if (!pathExists(path)) {
    source.notes.push_back("tokenizer.json: none; the bundle runs on token ids");
    return {};
  }
  auto section = compileTokenizer(path);
  if (!section)
    return section.error();
  source.tokenizer.assign(section->begin(), section->end());
  return {};
}

static Result<void> readGguf(const CompileRequest &request, ModelSource &source) {
  Result<GgufFile> file = openGguf(request.model);
  if (!file)
    return file.error();
  Result<ModelSpec> spec = describeGguf(*file);
  if (!spec)
    return spec.error();
  source.spec = spec.take();
  HR_TRY(settleEncodings(request, file->checkpoint, source));
  HR_TRY(readTemplate(request, templateOfGguf(file->metadata, request.chatTemplate), source));
  if (!file->metadata.has("tokenizer.ggml.model")) {
    source.notes.push_back(file->metadata.fileName() + ": no tokenizer; the bundle runs on token ids");
    return {};
  }
  auto section = compileTokenizerFromGguf(file->metadata);
  if (!section)
    return section.error();
  source.tokenizer.assign(section->begin(), section->end());
  return {};
}

/// Ids that the model has no row for: a text that holds one is refused at run time.
static void noteIdsBeyondVocabulary(ModelSource &source) {
  hr_tok_header header;
  if (source.tokenizer.size() < sizeof(header))
    return;
  std::memcpy(&header, source.tokenizer.data(), sizeof(header));
  if (int64_t(header.token_count) > source.spec.vocab)
    source.notes.push_back("warning: tokenizer: expected ids below " + std::to_string(source.spec.vocab) +
                           " (vocab_size), found ids up to " + std::to_string(header.token_count - 1) +
                           "; texts that need those are refused");
}

static bool isGguf(const std::string &path) {
  const std::string ending = ".gguf";
  bool named = path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  return named || looksLikeGguf(path);
}

Result<ModelSource> readModelSource(const CompileRequest &request) {
  ModelSource source;
  HR_TRY(isGguf(request.model) ? readGguf(request, source) : readFolder(request, source));
  noteIdsBeyondVocabulary(source);
  source.notes.insert(source.notes.begin(), source.spec.warnings.begin(), source.spec.warnings.end());
  return source;
}

} // namespace headrace
