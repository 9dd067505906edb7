#include "compiler/bundle/Weights.h"

#include "compiler/bundle/Pack.h"
#include "compiler/bundle/Recipe.h"
#include "compiler/bundle/RecipeCodes.h"
#include "compiler/support/ErrorText.h"
#include "compiler/support/Parallel.h"
#include "dialects/plan/Plan.h"
#include "headrace.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace headrace {
namespace {

uint64_t alignSection(uint64_t bytes) { return (bytes + HR_SECTION_ALIGN - 1) / HR_SECTION_ALIGN * HR_SECTION_ALIGN; }

std::optional<Storage> storageOf(enc::Encoding encoding) {
  return llvm::StringSwitch<std::optional<Storage>>(encoding.getSpelling())
      .Case("f32", Storage::F32)
      .Case("f16", Storage::F16)
      .Case("w8", Storage::W8)
      .Case("w4", Storage::W4)
      .Case("w4a", Storage::W4A)
      .Case("w4z", Storage::W4Z)
      .Default(std::nullopt);
}

/// The file being written. Pieces are written from many threads, each at its own place; the first failure is kept.
class OutputFile {
public:
  explicit OutputFile(const std::string &path)
      : handle(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (handle < 0)
      problem = errno;
  }
  ~OutputFile() {
    if (handle >= 0)
      close(handle);
  }
  void resize(uint64_t bytes) {
    if (!problem && ftruncate(handle, off_t(bytes)) != 0)
      problem = errno;
  }
  void write(uint64_t offset, const void *data, size_t bytes) {
    auto *at = static_cast<const char *>(data);
    while (bytes != 0 && !problem) {
      ssize_t written = pwrite(handle, at, bytes, off_t(offset));
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        problem = written < 0 ? errno : ENOSPC;
      else
        at += written, offset += uint64_t(written), bytes -= size_t(written);
    }
  }
  /// XXH64 of a range that has been written.
  uint64_t hash(uint64_t offset, uint64_t bytes) {
    if (problem || bytes == 0)
      return hr_hash64(nullptr, 0, 0);
    void *map = mmap(nullptr, size_t(bytes), PROT_READ, MAP_SHARED, handle, off_t(offset));
    if (map == MAP_FAILED) {
      problem = errno;
      return 0;
    }
    uint64_t result = hr_hash64(map, size_t(bytes), 0);
    munmap(map, size_t(bytes));
    return result;
  }
  int error() const { return problem; }

private:
  int handle;
  std::atomic<int> problem = 0;
};

/// The checkpoint's tensors in a weight of several, " (a, b)", at most four; of one, the location says which it is.
std::string madeOf(model::WeightOp weight) {
  std::string names;
  int count = 0;
  weight.walk([&](recipe::RangeOp op) {
    if (count++ < 4)
      names += (count > 1 ? ", " : "") + op.getTensor().str();
  });
  return count > 4   ? " (" + names + " and " + std::to_string(count - 4) + " more)"
         : count > 1 ? " (" + names + ")"
                     : "";
}

/// " in row 3, column 5 of 'x'": the place in the checkpoint's tensor if it is known, else in the weight, which is then
/// said to be made of several.
std::string placeOf(model::WeightOp weight, int64_t row, size_t column) {
  std::optional<TensorRow> origin = originOf(weight, row);
  std::string of = origin ? " of '" + origin->tensor.getTensor().str() + "'" : madeOf(weight);
  return " in row " + std::to_string(origin ? origin->row : row) + ", column " + std::to_string(column) + of;
}

/// The first value, counted by rows, that cannot be stored; whichever thread meets it.
class FirstUnstorable {
public:
  /// Looks at values [index, index + count) of a weight.
  void check(Storage storage, size_t index, const float *values, size_t count) {
    size_t bad = firstUnstorable(storage, values, count);
    if (bad == count)
      return;
    size_t seen = at.load();
    while (index + bad < seen && !at.compare_exchange_weak(seen, index + bad)) {
    }
  }
  LogicalResult report(model::WeightOp weight, Storage storage, const RecipeReader &reader) const {
    size_t rows = size_t(weight.getTensorType().getDimSize(0)),
           size = size_t(weight.getTensorType().getNumElements()) / std::max<size_t>(1, rows);
    if (at.load() == SIZE_MAX)
      return success();
    std::vector<float> row(size);
    reader.read(int64_t(at.load() / size), 1, row.data());
    char expected[32], found[32];
    std::snprintf(expected, sizeof expected, "%g", double(largestStorable(storage)));
    std::snprintf(found, sizeof found, "%g", double(row[at.load() % size]));
    return weight.emitError() << "weight '" << weight.getSymName() << "': expected values up to " << expected
                              << " in magnitude, found " << found
                              << placeOf(weight, int64_t(at.load() / size), at.load() % size);
  }

private:
  std::atomic<size_t> at = SIZE_MAX;
};

/// Packs one tile of the checkpoint's own codes; false when one of them does not fit: then the values are encoded.
bool packCodes(const RecipeCodes &codes, const T32Shape &shape, size_t first, size_t count, uint8_t *out) {
  CodedRows rows(shape, 32);
  if (codes.read(shape, int64_t(first), int64_t(count), rows) != int64_t(first + count))
    return false;
  packTile(shape, rows, out);
  return true;
}

class WeightsWriter {
public:
  WeightsWriter(const WeightsInput &input, const std::string &path)
      : input(input), module(input.module), files(input.checkpointFolder), out(path) {}
  FailureOr<WeightsResult> run();

private:
  LogicalResult layOut();
  LogicalResult writeWeight(model::WeightOp weight);
  LogicalResult writeMatrix(model::WeightOp weight, uint64_t offset);
  LogicalResult writeRows(model::WeightOp weight, uint64_t offset, uint64_t bytes);
  void finish();
  uint64_t placeOf(model::WeightOp weight) {
    uint32_t device = uint32_t(weight.getDevice().value_or(0));
    for (const hr_blob_section &section : result.sections)
      if (section.kind == HR_SECTION_WEIGHTS && section.device == device)
        return section.offset + uint64_t(*weight.getOffset());
    llvm_unreachable("layOut has checked it");
  }

  const WeightsInput &input;
  ModuleOp module;
  CheckpointFiles files;
  OutputFile out;
  WeightsResult result;
};

hr_blob_section makeSection(uint32_t kind, uint32_t device, uint64_t offset, uint64_t bytes, llvm::StringRef name) {
  hr_blob_section section = {};
  section.kind = kind;
  section.device = device;
  section.memory = HR_MEMORY_FILE_MAP;
  section.offset = offset;
  section.bytes = bytes;
  std::memcpy(section.name, name.data(), std::min(name.size(), sizeof section.name - 1));
  return section;
}

LogicalResult WeightsWriter::layOut() {
  uint32_t count = (input.tokenizer ? 1 : 0) + (input.chatTemplate ? 1 : 0);
  for (auto base : module.getOps<plan::BaseOp>())
    count += base.getKind() == "section";
  uint64_t end = alignSection(sizeof(hr_blob_header) + count * sizeof(hr_blob_section));
  for (auto base : module.getOps<plan::BaseOp>()) {
    if (base.getKind() != "section")
      continue;
    if (int64_t(base.getSection().value_or(-1)) != int64_t(result.sections.size()))
      return base.emitError() << "expected section " << result.sections.size() << ", found "
                              << base.getSection().value_or(-1);
    result.sections.push_back(makeSection(HR_SECTION_WEIGHTS, base.getDevice(), end, uint64_t(base.getBytes()),
                                          ("weights" + llvm::Twine(base.getDevice())).str()));
    end = alignSection(end + uint64_t(base.getBytes()));
  }
  if (input.tokenizer) {
    result.sections.push_back(makeSection(HR_SECTION_TOKENIZER, 0, end, input.tokenizer->size(), "tokenizer"));
    end = alignSection(end + input.tokenizer->size());
  }
  if (input.chatTemplate) {
    result.sections.push_back(makeSection(HR_SECTION_TEMPLATE, 0, end, input.chatTemplate->size(), "template"));
    end += input.chatTemplate->size();
  }
  result.fileBytes = alignSection(end);
  out.resize(result.fileBytes);
  for (auto weight : module.getOps<model::WeightOp>())
    if (!weight.getOffset() || !weight.getBytes() || !weight.getLayout() || !weight.getEnc())
      return weight.emitError() << "weight '" << weight.getSymName() << "': expected a place, an encoding and a layout";
  return success();
}

LogicalResult WeightsWriter::writeMatrix(model::WeightOp weight, uint64_t offset) {
  RankedTensorType type = weight.getTensorType();
  std::optional<Storage> storage = storageOf(*weight.getEnc());
  if (!storage)
    return weight.emitError() << "weight '" << weight.getSymName() << "': expected an encoding of layout t32, found "
                              << *weight.getEnc();
  T32Shape shape = {*storage, size_t(type.getDimSize(0)), size_t(type.getDimSize(1)),
                    size_t(std::max<int64_t>(1, weight.getEnc()->getGroupSize()))};
  if (shape.bytes() != uint64_t(*weight.getBytes()))
    return weight.emitError() << "weight '" << weight.getSymName() << "': expected " << shape.bytes()
                              << " bytes, found " << *weight.getBytes();
  RecipeReader reader(files, weight);
  RecipeCodes codes(files, weight);
  bool hasCodes = codes.hold(shape);
  FirstUnstorable unstorable;
  parallelFor(input.threads, shape.tiles(), [&](size_t tile) {
    std::vector<uint8_t> packed(shape.tileBytes());
    size_t first = tile * 32, valid = std::min<size_t>(32, shape.n - first);
    if (hasCodes && packCodes(codes, shape, first, valid, packed.data())) {
      out.write(offset + tile * packed.size(), packed.data(), packed.size());
      return;
    }
    std::vector<float> rows(32 * shape.k, 0.0f);
    reader.read(int64_t(first), int64_t(valid), rows.data());
    unstorable.check(*storage, first * shape.k, rows.data(), valid * shape.k);
    packTile(shape, rows.data(), packed.data());
    out.write(offset + tile * packed.size(), packed.data(), packed.size());
  });
  return unstorable.report(weight, *storage, reader);
}

/// Layouts "vector" and "rows": f32 as it is; the zeros behind it are the file's.
LogicalResult WeightsWriter::writeRows(model::WeightOp weight, uint64_t offset, uint64_t bytes) {
  RankedTensorType type = weight.getTensorType();
  int64_t rows = type.getDimSize(0), size = type.getNumElements() / std::max<int64_t>(1, rows);
  int64_t block = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, size));
  if (uint64_t(type.getNumElements()) * 4 > bytes)
    return weight.emitError() << "weight '" << weight.getSymName() << "': expected a place of "
                              << type.getNumElements() * 4 << " bytes, found " << bytes;
  RecipeReader reader(files, weight);
  FirstUnstorable unstorable;
  parallelFor(input.threads, size_t((rows + block - 1) / block), [&](size_t index) {
    int64_t first = int64_t(index) * block, count = std::min(block, rows - first);
    std::vector<float> values(size_t(count * size));
    reader.read(first, count, values.data());
    unstorable.check(Storage::F32, size_t(first * size), values.data(), values.size());
    out.write(offset + uint64_t(first * size) * 4, values.data(), values.size() * 4);
  });
  return unstorable.report(weight, Storage::F32, reader);
}

LogicalResult WeightsWriter::writeWeight(model::WeightOp weight) {
  uint64_t offset = placeOf(weight);
  if (*weight.getLayout() == "t32")
    return writeMatrix(weight, offset);
  if (*weight.getLayout() != "vector" && *weight.getLayout() != "rows")
    return weight.emitError() << "weight '" << weight.getSymName() << "': expected layout t32, vector or rows, found '"
                              << *weight.getLayout() << "'";
  return writeRows(weight, offset, uint64_t(*weight.getBytes()));
}

/// Hashes, then the header and the table.
void WeightsWriter::finish() {
  for (const hr_blob_section &section : result.sections)
    if (section.kind != HR_SECTION_WEIGHTS) {
      const auto &bytes = section.kind == HR_SECTION_TOKENIZER ? *input.tokenizer : *input.chatTemplate;
      out.write(section.offset, bytes.data(), bytes.size());
    }
  for (hr_blob_section &section : result.sections)
    section.hash = out.hash(section.offset, section.bytes);
  hr_blob_header header = {};
  std::memcpy(header.magic, HR_BLOB_MAGIC, sizeof header.magic);
  header.version = HR_ABI_VERSION;
  header.header_bytes = sizeof header;
  header.file_bytes = result.fileBytes;
  header.section_count = uint32_t(result.sections.size());
  std::vector<uint8_t> table(sizeof header + result.sections.size() * sizeof(hr_blob_section));
  std::memcpy(table.data(), &header, sizeof header);
  std::memcpy(table.data() + sizeof header, result.sections.data(), table.size() - sizeof header);
  header.table_hash = result.tableHash = hr_hash64(table.data(), table.size(), 0);
  std::memcpy(table.data(), &header, sizeof header);
  out.write(0, table.data(), table.size());
}

FailureOr<WeightsResult> WeightsWriter::run() {
  if (failed(layOut()))
    return failure();
  uint64_t done = 0;
  for (auto weight : module.getOps<model::WeightOp>()) {
    if (failed(files.open(weight)) || failed(writeWeight(weight)))
      return failure();
    files.release(weight);
    done += uint64_t(*weight.getBytes());
    if (input.progress)
      input.progress(double(done) / double(result.fileBytes));
  }
  finish();
  if (out.error())
    return module.emitError() << "weights.bin: expected to write " << result.fileBytes << " bytes, found "
                              << systemErrorText(out.error());
  return result;
}

} // namespace

FailureOr<WeightsResult> writeWeights(const WeightsInput &input, const std::string &path) {
  return WeightsWriter(input, path).run();
}

} // namespace headrace
