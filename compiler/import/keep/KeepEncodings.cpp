#include "compiler/import/keep/KeepEncodings.h"
#include "compiler/bundle/Blocks.h"
#include "compiler/bundle/Grouped.h"
#include "compiler/bundle/Half.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace headrace {

namespace {

/// An encoding, smallest first.
struct Choice {
  Storage storage;
  const char *name;
  int64_t group; // 0: floats
};
const Choice kChoices[] = {
    {Storage::W4, "w4", 128},  {Storage::W4, "w4", 64},   {Storage::W4, "w4", 32},   {Storage::W4Z, "w4z", 128},
    {Storage::W4Z, "w4z", 64}, {Storage::W4Z, "w4z", 32}, {Storage::W4A, "w4a", 32}, {Storage::W8, "w8", 128},
    {Storage::W8, "w8", 64},   {Storage::W8, "w8", 32},   {Storage::F16, "f16", 0},  {Storage::F32, "f32", 0},
};
const Choice &choiceOf(Storage storage, int64_t group) {
  return *std::find_if(std::begin(kChoices), std::end(kChoices),
                       [&](const Choice &c) { return c.storage == storage && (c.group == group || c.group == 0); });
}

unsigned bitsOf(Storage storage) {
  switch (storage) {
  case Storage::F32:
    return 32;
  case Storage::F16:
    return 16;
  case Storage::W8:
    return 8;
  case Storage::W4:
  case Storage::W4A:
  case Storage::W4Z:
    break;
  }
  return 4;
}

bool allHalf(const CheckpointTensor &tensor) {
  for (uint64_t at = 0; at + 2 <= tensor.entry.bytes; at += 2) {
    uint16_t bits;
    std::memcpy(&bits, tensor.data + at, 2);
    float value = bfloat16ToFloat(bits);
    if (!(halfToFloat(floatToHalf(value)) == value))
      return false;
  }
  return true;
}

bool allRecoded(const CheckpointTensor &tensor, const BlockType &type, Storage storage, bool &exact) {
  int8_t codes[32];
  GroupNumbers numbers;
  for (uint64_t at = 0; at < tensor.entry.bytes; at += type.bytes)
    for (size_t group = 0; group != type.elements / 32; ++group)
      if (!recodeGroup(type, tensor.data + at, group, storage, codes, numbers, exact))
        return false;
  return true;
}

/// Whether an encoding has all codes of a stored tensor; `exact` becomes false when a scale or a minimum must be
/// rounded for it.
bool holds(const CheckpointTensor &tensor, const Choice &choice, bool &exact) {
  switch (tensor.entry.type) {
  case ElementType::F32:
    return choice.storage == Storage::F32;
  case ElementType::F16:
    return choice.storage == Storage::F32 || choice.storage == Storage::F16;
  case ElementType::BF16:
    return choice.storage == Storage::F32 || (choice.storage == Storage::F16 && allHalf(tensor));
  default:
    break;
  }
  const BlockType *type = findBlockType(tensor.entry.typeName);
  return type && choice.group == 32 && canHold(*type, choice.storage) &&
         allRecoded(tensor, *type, choice.storage, exact);
}

/// Whether an encoding has all codes of a matrix; `exact` becomes false when a scale must be rounded for it.
bool holds(const GroupedMatrix &matrix, const Choice &choice, bool &exact) {
  if (choice.group == 0 || !matrix.isGroupedBy(size_t(choice.group)))
    return false;
  T32Shape shape{choice.storage, matrix.n, matrix.k, size_t(choice.group)};
  CodedRows rows(shape, 1);
  for (size_t output = 0; output != matrix.n; ++output)
    if (!matrix.recode(shape, output, 0, rows, exact))
      return false;
  return true;
}

/// What is nearest to a type that no encoding of ours holds.
Storage nearest(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::BF16:
    return Storage::F32;
  case ElementType::F16:
    return Storage::F16;
  case ElementType::Q4_0:
    return Storage::W4;
  case ElementType::Q4_1:
  case ElementType::Q2_K:
  case ElementType::Q3_K:
  case ElementType::Q4_K:
    return Storage::W4A;
  default:
    return Storage::W8;
  }
}

/// A tensor, or the tensors of one grouped matrix, that a weight is made of.
struct Leaf {
  const CheckpointTensor *tensor; // of a grouped matrix, its codes
  bool isGrouped;
  GroupedMatrix matrix;

  bool hasCodes() const { return isGrouped || isBlockType(tensor->entry.type); }
  std::string type() const {
    return isGrouped ? "grouped codes of " + std::to_string(matrix.bits) + " bits" : tensor->entry.typeName;
  }
  /// Bits of a stored number, scales not counted.
  unsigned bits() const {
    if (isGrouped)
      return matrix.bits;
    const BlockType *block = findBlockType(tensor->entry.typeName);
    return block ? block->bits() : unsigned(8 * elementBytes(tensor->entry.type));
  }
  uint64_t values() const {
    if (isGrouped)
      return uint64_t(matrix.n) * matrix.k;
    uint64_t count = 1;
    for (int64_t size : tensor->entry.shape)
      count *= uint64_t(size);
    return count;
  }
  uint64_t bytes() const {
    return isGrouped ? matrix.codeBytes() + matrix.scaleBytes() + (matrix.zeros ? matrix.zeroBytes() : 0)
                     : tensor->entry.bytes;
  }
};

class Keeper {
public:
  Keeper(ModelSpec &spec, const Checkpoint &checkpoint) : spec(spec), checkpoint(checkpoint) {}
  std::vector<ManifestStored> run(KeptTables tables);

private:
  /// The leaves below; false when a step computes with their values.
  bool leaves(const TensorExpr &expr, std::vector<Leaf> &found) const;
  GroupedMatrix matrixOf(const TensorExpr &expr) const;
  enum class Held { No, Rounded, Exactly };
  Held held(const Leaf &leaf, const Choice &choice);
  const Choice *firstThatHolds(const std::vector<Leaf> &all, Held least);
  const Choice &nearestOf(const std::vector<Leaf> &all);
  void decide(std::vector<LinearSpec *> together);
  void note(const Leaf &leaf, const Choice &choice, Held how);

  ModelSpec &spec;
  const Checkpoint &checkpoint;
  std::map<std::pair<const CheckpointTensor *, const Choice *>, Held> known;
  std::set<const CheckpointTensor *> noted;
  std::map<std::string, ManifestStored> rows; // by their texts
};

GroupedMatrix Keeper::matrixOf(const TensorExpr &expr) const {
  const GroupedTensor &from = expr.groups();
  auto data = [&](const GroupedTensor::Part &part) {
    return part.tensor.name.empty() ? nullptr : checkpoint.find(part.tensor.name)->data;
  };
  ElementType scale = from.scales.tensor.type;
  GroupedMatrix made = {};
  made.layout = from.layout;
  made.bits = from.bits;
  made.n = size_t(expr.shape()[0]);
  made.k = size_t(expr.shape()[1]);
  made.group = size_t(from.group);
  made.zeroShift = from.zeroShift;
  made.scaleType = scale == ElementType::F32   ? ScaleType::F32
                   : scale == ElementType::F16 ? ScaleType::F16
                                               : ScaleType::BF16;
  made.codes = data(from.codes);
  made.scales = data(from.scales);
  made.zeros = data(from.zeros);
  made.order = data(from.order);
  return made;
}

bool Keeper::leaves(const TensorExpr &expr, std::vector<Leaf> &found) const {
  using Op = TensorExpr::Op;
  if (expr.op() == Op::Stored || expr.op() == Op::Grouped) {
    bool grouped = expr.op() == Op::Grouped;
    found.push_back({checkpoint.find(expr.firstSource()->name), grouped, grouped ? matrixOf(expr) : GroupedMatrix()});
    return true;
  }
  bool moves = expr.op() == Op::Take || expr.op() == Op::SwapRows || expr.op() == Op::Concat;
  for (const TensorExpr &input : expr.inputs())
    moves = leaves(input, found) && moves;
  return moves;
}

Keeper::Held Keeper::held(const Leaf &leaf, const Choice &choice) {
  auto [entry, isNew] = known.try_emplace({leaf.tensor, &choice}, Held::No);
  if (!isNew)
    return entry->second;
  bool exact = true, fits = leaf.isGrouped ? holds(leaf.matrix, choice, exact) : holds(*leaf.tensor, choice, exact);
  return entry->second = !fits ? Held::No : exact ? Held::Exactly : Held::Rounded;
}

/// Floats hold codes only where others are floats: by themselves codes are never widened that far.
const Choice *Keeper::firstThatHolds(const std::vector<Leaf> &all, Held least) {
  bool anyFloats = std::any_of(all.begin(), all.end(), [](const Leaf &leaf) { return !leaf.hasCodes(); });
  for (const Choice &choice : kChoices) {
    bool holdsCodes = anyFloats && choice.storage == Storage::F32;
    if (std::all_of(all.begin(), all.end(),
                    [&](const Leaf &leaf) { return (holdsCodes && leaf.hasCodes()) || held(leaf, choice) >= least; }))
      return &choice;
  }
  return nullptr;
}

/// What rounds least: the nearest of each, or 8 bits when those differ.
const Choice &Keeper::nearestOf(const std::vector<Leaf> &all) {
  auto nearestTo = [](const Leaf &leaf) { return leaf.isGrouped ? Storage::W8 : nearest(leaf.tensor->entry.type); };
  Storage storage = nearestTo(all.front());
  for (const Leaf &leaf : all)
    if (nearestTo(leaf) != storage)
      storage = Storage::W8;
  return choiceOf(storage, 32);
}

void Keeper::note(const Leaf &leaf, const Choice &choice, Held how) {
  if (!noted.insert(leaf.tensor).second)
    return;
  ManifestStored row;
  row.type = leaf.type();
  row.encoding = choice.name + (choice.group ? " g" + std::to_string(choice.group) : std::string());
  bool widened = leaf.hasCodes() && leaf.bits() < bitsOf(choice.storage);
  row.outcome = how == Held::No        ? "requantized"
                : how == Held::Rounded ? "kept, scales rounded to f16"
                : widened              ? "kept, widened"
                                       : "kept";
  row.first = leaf.tensor->entry.name;
  ManifestStored &sum = rows.try_emplace(row.text(), row).first->second;
  sum.tensors += 1;
  sum.values += leaf.values();
  sum.bytes += leaf.bytes();
}

void Keeper::decide(std::vector<LinearSpec *> together) {
  together.erase(std::remove_if(together.begin(), together.end(), [](LinearSpec *one) { return !one->weight; }),
                 together.end());
  std::vector<Leaf> all;
  bool moves = true;
  for (LinearSpec *linear : together)
    moves = leaves(linear->weight, all) && moves;
  if (all.empty())
    return;
  Held how = Held::Exactly;
  const Choice *choice = moves ? firstThatHolds(all, how) : nullptr;
  if (moves && !choice)
    choice = firstThatHolds(all, how = Held::Rounded);
  if (!choice) {
    choice = &nearestOf(all);
    how = choice->storage == Storage::F32 ? Held::Exactly : Held::No;
  }
  bool hasCodes = std::any_of(all.begin(), all.end(), [](const Leaf &leaf) { return leaf.hasCodes(); });
  for (LinearSpec *linear : together) {
    linear->encoding = choice->name;
    linear->group = choice->group;
    linear->codes = !hasCodes              ? ""
                    : how == Held::No      ? "requantized"
                    : how == Held::Rounded ? "codes kept, scales rounded"
                    : choice->group        ? "codes kept"
                                           : "values kept";
  }
  for (const Leaf &leaf : all)
    note(leaf, *choice, how == Held::Rounded ? held(leaf, *choice) : how);
}

std::vector<ManifestStored> Keeper::run(KeptTables tables) {
  bool tied = !spec.head.weight;
  if (tables.embedding || (tied && tables.head))
    decide({&spec.embedding});
  if (tables.head)
    decide({&spec.head});
  decide({&spec.headProjection});
  for (BlockSpec &block : spec.blocks) {
    decide({&block.attention.q, &block.attention.k, &block.attention.v});
    decide({&block.attention.o});
    decide({&block.mlp.experts.router});
    decide({&block.mlp.gate, &block.mlp.up});
    decide({&block.mlp.down});
  }
  std::vector<ManifestStored> all;
  for (auto &[text, row] : rows)
    all.push_back(std::move(row));
  return all;
}

} // namespace

std::vector<ManifestStored> keepEncodings(ModelSpec &spec, const Checkpoint &checkpoint, KeptTables tables) {
  return Keeper(spec, checkpoint).run(tables);
}

} // namespace headrace
