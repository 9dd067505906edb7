// The table of kernel families. Normative text: runtime/abi/README.md.
#include "dialects/tile/KernelFamilies.h"

#include "dialects/enc/Enc.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace headrace::tile {
namespace {
constexpr llvm::StringLiteral kEncodings = "f32|f16|w8|w4|w4a|w4z";
constexpr llvm::StringLiteral kActs = "none|silu|relu|tanh|gelu|gelu_tanh";
constexpr llvm::StringLiteral kKvTypes = "f32|f16";

const ParamInfo kEmbed[] = {{"enc", ParamKind::String, kEncodings},
                            {"group", ParamKind::Int},
                            {"n", ParamKind::Int},
                            {"k", ParamKind::Int},
                            {"positions", ParamKind::Bool, "", "false"},
                            {"scale", ParamKind::Float, "", "1"}};
const ParamInfo kNorm[] = {{"cols", ParamKind::Int},
                           {"eps", ParamKind::Float},
                           {"residual", ParamKind::Bool},
                           {"out", ParamKind::String, "f32|a8"},
                           {"group", ParamKind::Int},
                           {"kind", ParamKind::String, "rms|layer", "rms"},
                           {"bias", ParamKind::Bool, "", "false"}};
const ParamInfo kQuantize[] = {{"cols", ParamKind::Int}, {"group", ParamKind::Int}};
const ParamInfo kMatmul[] = {{"enc", ParamKind::String, kEncodings},
                             {"group", ParamKind::Int},
                             {"n", ParamKind::Int},
                             {"k", ParamKind::Int},
                             {"bias", ParamKind::Bool},
                             {"act", ParamKind::String, kActs},
                             {"gated", ParamKind::Bool},
                             {"residual", ParamKind::Bool},
                             {"softcap", ParamKind::Float, "", "0"},
                             {"x", ParamKind::String, "a8|f32", "a8"},
                             {"experts", ParamKind::Int, "", "0"},
                             {"top", ParamKind::Int, "", "0"},
                             {"weighted", ParamKind::Bool, "", "false"}};
const ParamInfo kRoute[] = {{"experts", ParamKind::Int}, {"top", ParamKind::Int}, {"normalise", ParamKind::Bool}};
const ParamInfo kRope[] = {{"heads", ParamKind::Int},
                           {"kv_heads", ParamKind::Int},
                           {"head_dim", ParamKind::Int},
                           {"rotary", ParamKind::Int},
                           {"context", ParamKind::Int},
                           {"k_type", ParamKind::String, kKvTypes},
                           {"v_type", ParamKind::String, kKvTypes},
                           {"qk_norm", ParamKind::String, "none|rms|layer", "none"},
                           {"q_span", ParamKind::Int, "", "0"},
                           {"k_span", ParamKind::Int, "", "0"},
                           {"eps", ParamKind::Float, "", "0"},
                           {"qk_bias", ParamKind::Bool, "", "false"}};
const ParamInfo kAttend[] = {{"heads", ParamKind::Int},
                             {"kv_heads", ParamKind::Int},
                             {"head_dim", ParamKind::Int},
                             {"context", ParamKind::Int},
                             {"k_type", ParamKind::String, kKvTypes},
                             {"v_type", ParamKind::String, kKvTypes},
                             {"scale", ParamKind::Float},
                             {"window", ParamKind::Int, "", "0"},
                             {"softcap", ParamKind::Float, "", "0"},
                             {"causal", ParamKind::Bool, "", "true"}};
const ParamInfo kAdd[] = {{"cols", ParamKind::Int}};

//                         name           params     site   per row
const Family kFamilies[] = {
    {"embed", kEmbed, false, true},   {"norm", kNorm, true, true},     {"quantize", kQuantize, true, true},
    {"gemv", kMatmul, false, false},  {"gemm", kMatmul, false, false}, {"rope_append", kRope, false, true},
    {"attend", kAttend, false, true}, {"add", kAdd, false, true},      {"route", kRoute, false, true}};

bool isQuantized(llvm::StringRef enc) { return enc != "f32" && enc != "f16"; }

/// Kernel generators read parameters without asking, so a wrong type must not get past here.
LogicalResult verifyKind(const ParamInfo &info, Attribute value, function_ref<InFlightDiagnostic()> emitError) {
  switch (info.kind) {
  case ParamKind::Int:
    if (auto i = dyn_cast<IntegerAttr>(value); i && i.getType().isInteger(64))
      return i.getInt() >= 0
                 ? success()
                 : (emitError() << "parameter '" << info.key << "': expected at least 0, found " << i.getInt());
    return emitError() << "parameter '" << info.key << "': expected an i64, found " << value;
  case ParamKind::Float:
    if (auto f = dyn_cast<FloatAttr>(value); f && f.getType().isF32())
      return success();
    return emitError() << "parameter '" << info.key << "': expected an f32, found " << value;
  case ParamKind::Bool:
    if (isa<BoolAttr>(value))
      return success();
    return emitError() << "parameter '" << info.key << "': expected true or false, found " << value;
  case ParamKind::String: {
    auto s = dyn_cast<StringAttr>(value);
    SmallVector<StringRef> allowed;
    info.allowed.split(allowed, '|');
    if (s && llvm::is_contained(allowed, s.getValue()))
      return success();
    return emitError() << "parameter '" << info.key << "': expected one of " << info.allowed << ", found " << value;
  }
  }
  return failure();
}

/// The value as ParamInfo::neutral spells it.
std::string spelled(Attribute value) {
  if (auto i = dyn_cast<IntegerAttr>(value); i && !isa<BoolAttr>(value))
    return std::to_string(i.getInt());
  if (auto f = dyn_cast<FloatAttr>(value))
    return f.getValue().isZero() ? "0" : f.getValue().isExactlyValue(1.0) ? "1" : "";
  if (auto b = dyn_cast<BoolAttr>(value))
    return b.getValue() ? "true" : "false";
  return cast<StringAttr>(value).str();
}

/// What only some models have: a scale and a cap that are numbers, parts that belong together.
LogicalResult verifyOptional(const Family &family, DictionaryAttr params,
                             function_ref<InFlightDiagnostic()> emitError) {
  for (StringRef key : {"scale", "softcap"})
    if (auto value = params.getAs<FloatAttr>(key); value && !value.getValue().isFinite())
      return emitError() << "parameter '" << key << "': expected a finite number, found " << value;
  if (floatParam(params, "softcap") < 0)
    return emitError() << "parameter 'softcap': expected at least 0, found " << params.get("softcap");
  if (family.name == "norm" && boolParam(params, "bias") && stringParam(params, "kind") != "layer")
    return emitError() << "parameter 'bias': expected false unless kind is layer, found true";
  if (params.contains("causal") && params.contains("window"))
    return emitError() << "parameter 'window': expected 0 unless causal, found " << intParam(params, "window");
  if (boolParam(params, "qk_bias") && stringParam(params, "qk_norm") != "layer")
    return emitError() << "parameter 'qk_bias': expected false unless qk_norm is layer, found true";
  for (auto [key, heads] : {std::pair("q_span", "heads"), std::pair("k_span", "kv_heads")}) {
    int64_t span = intParam(params, key), cols = intParam(params, heads) * intParam(params, "head_dim");
    if (!params.contains("qk_norm") && span != 0)
      return emitError() << "parameter '" << key << "': expected 0 without qk_norm, found " << span;
    if (params.contains("qk_norm") && (span == 0 || cols % span != 0))
      return emitError() << "parameter '" << key << "': expected a divisor of " << cols << ", found " << span;
  }
  return success();
}

/// Experts: some to choose from, and shares of choices alone.
LogicalResult verifyExperts(const Family &family, DictionaryAttr params, function_ref<InFlightDiagnostic()> emitError) {
  bool route = family.name == "route", mixed = route || params.contains("experts");
  int64_t experts = intParam(params, "experts"), top = intParam(params, "top");
  if (mixed ? top < 1 || top > experts : top != 0)
    return emitError() << "parameter 'top': expected " << (mixed ? "1 to experts = " : "0 with experts = ") << experts
                       << ", found " << top;
  if (!mixed && boolParam(params, "weighted"))
    return emitError() << "parameter 'weighted': expected false without experts, found true";
  if (!route && mixed && boolParam(params, "bias"))
    return emitError() << "parameter 'bias': expected false with experts, found true";
  return success();
}

/// Relations between parameters: a group exactly where something is quantized, heads that divide.
LogicalResult verifyRelations(const Family &family, DictionaryAttr params,
                              function_ref<InFlightDiagnostic()> emitError) {
  for (StringRef key : {"n", "k", "cols", "heads", "kv_heads", "head_dim", "context"})
    if (params.contains(key) && intParam(params, key) < 1)
      return emitError() << "parameter '" << key << "': expected at least 1, found " << intParam(params, key);
  if (params.contains("group")) {
    bool quantized = family.name == "quantize" || (family.name == "norm" && stringParam(params, "out") == "a8") ||
                     (params.contains("enc") && isQuantized(stringParam(params, "enc")));
    int64_t group = intParam(params, "group");
    if (quantized ? !enc::isAllowedGroup(group) : group != 0)
      return emitError() << "parameter 'group': expected " << (quantized ? "32, 64 or 128" : "0 for a float encoding")
                         << ", found " << group;
  }
  if (params.contains("x") && !isQuantized(stringParam(params, "enc")))
    return emitError() << "parameter 'x': expected to be absent for a float encoding, found "
                       << stringParam(params, "x");
  if (params.contains("context") && intParam(params, "context") % 32 != 0)
    return emitError() << "parameter 'context': expected a multiple of 32, found " << intParam(params, "context");
  if (params.contains("heads") && intParam(params, "heads") % intParam(params, "kv_heads") != 0)
    return emitError() << "parameter 'kv_heads': expected a divisor of heads = " << intParam(params, "heads")
                       << ", found " << intParam(params, "kv_heads");
  if (params.contains("rotary") &&
      (intParam(params, "rotary") % 2 != 0 || intParam(params, "rotary") > intParam(params, "head_dim")))
    return emitError() << "parameter 'rotary': expected an even number up to head_dim = "
                       << intParam(params, "head_dim") << ", found " << intParam(params, "rotary");
  return failed(verifyOptional(family, params, emitError)) ? failure() : verifyExperts(family, params, emitError);
}

/// Columns of a qkv row: q heads, k heads, v heads, without padding between them.
int64_t qkvCols(DictionaryAttr p) {
  return (intParam(p, "heads") + 2 * intParam(p, "kv_heads")) * intParam(p, "head_dim");
}

/// "w4g64", "w4g64_xf32", "f32": the encoding in a kernel's name, and float rows where codes are usual.
std::string encodingPart(DictionaryAttr p) {
  StringRef enc = stringParam(p, "enc");
  if (!isQuantized(enc))
    return enc.str();
  return (enc + "g" + Twine(intParam(p, "group")) + (p.contains("x") ? "_xf32" : "")).str();
}

SmallVector<OperandInfo> matmulOperands(const Family &family, DictionaryAttr p) {
  int64_t n = intParam(p, "n"), k = intParam(p, "k"), group = intParam(p, "group");
  StringRef enc = stringParam(p, "enc");
  int64_t experts = intParam(p, "experts"), top = intParam(p, "top");
  int64_t rows = (boolParam(p, "gated") ? 2 : 1) * pad32(n) * std::max<int64_t>(1, experts);
  bool codes = isQuantized(enc) && !p.contains("x");
  int64_t xRow = codes ? a8RowBytes(k, group) : f32RowBytes(k);
  SmallVector<OperandInfo> ops{{"w", Access::Read, 0, t32Bytes(enc, group, rows, k), false}};
  if (boolParam(p, "bias"))
    ops.push_back({"bias", Access::Read, 0, rows * 4, false});
  ops.push_back({"x", Access::Read, xRow, 0, false});
  if (experts) // from the share of the choice to the number of its expert
    ops.push_back({"route", Access::Read, f32RowBytes(2 * top), 0, false, 4 * (top + 1)});
  if (boolParam(p, "residual"))
    ops.push_back({"residual", Access::Read, f32RowBytes(n), 0, false});
  ops.push_back({"out", Access::Write, f32RowBytes(n), 0, false});
  return ops;
}

SmallVector<OperandInfo> normOperands(DictionaryAttr p) {
  int64_t cols = intParam(p, "cols");
  bool residual = boolParam(p, "residual");
  int64_t outRow = stringParam(p, "out") == "a8" ? a8RowBytes(cols, intParam(p, "group")) : f32RowBytes(cols);
  SmallVector<OperandInfo> ops{{"x", Access::Read, f32RowBytes(cols), 0, true}};
  if (residual)
    ops.push_back({"residual", Access::Read, f32RowBytes(cols), 0, true});
  ops.push_back({"weight", Access::Read, 0, f32RowBytes(cols), false});
  if (boolParam(p, "bias"))
    ops.push_back({"bias", Access::Read, 0, f32RowBytes(cols), false});
  if (residual)
    ops.push_back({"sum", Access::Write, f32RowBytes(cols), 0, true});
  ops.push_back({"out", Access::Write, outRow, 0, true});
  return ops;
}

SmallVector<OperandInfo> embedOperands(DictionaryAttr p) {
  int64_t table = t32Bytes(stringParam(p, "enc"), intParam(p, "group"), pad32(intParam(p, "n")), intParam(p, "k"));
  SmallVector<OperandInfo> ops{{"table", Access::Read, 0, table, false}};
  if (boolParam(p, "positions"))
    ops.push_back({"positions", Access::Read, 0, -1, false});
  ops.push_back({"tokens", Access::Read, 4, 0, true});
  ops.push_back({"out", Access::Write, f32RowBytes(intParam(p, "k")), 0, true});
  return ops;
}

SmallVector<OperandInfo> ropeOperands(DictionaryAttr p, int64_t kBytes, int64_t vBytes) {
  SmallVector<OperandInfo> ops{{"qkv", Access::ReadWrite, f32RowBytes(qkvCols(p)), 0, true}};
  if (intParam(p, "rotary"))
    ops.push_back({"table", Access::Read, 0, -1, false});
  auto vectors = [&](StringRef norm, StringRef bias, StringRef heads) {
    int64_t bytes = f32RowBytes(intParam(p, heads) * intParam(p, "head_dim"));
    ops.push_back({norm, Access::Read, 0, bytes, false});
    if (boolParam(p, "qk_bias"))
      ops.push_back({bias, Access::Read, 0, bytes, false});
  };
  if (p.contains("qk_norm")) {
    vectors("q_norm", "q_bias", "heads");
    vectors("k_norm", "k_bias", "kv_heads");
  }
  ops.push_back({"kcache", Access::Write, 0, kBytes, false});
  ops.push_back({"vcache", Access::Write, 0, vBytes, false});
  return ops;
}
} // namespace

ArrayRef<Family> allFamilies() { return kFamilies; }

const Family *lookupFamily(StringRef name) {
  const Family *it = llvm::find_if(kFamilies, [&](const Family &f) { return f.name == name; });
  return it == std::end(kFamilies) ? nullptr : it;
}

LogicalResult verifyParams(const Family &family, DictionaryAttr params, function_ref<InFlightDiagnostic()> emitError) {
  for (const ParamInfo &info : family.params) {
    Attribute value = params.get(info.key);
    if (!value && !info.neutral.empty())
      continue;
    if (!value)
      return emitError() << "expected parameter '" << info.key << "' of family " << family.name;
    if (failed(verifyKind(info, value, emitError)))
      return failure();
    if (!info.neutral.empty() && spelled(value) == info.neutral)
      return emitError() << "parameter '" << info.key << "': expected to be absent when it is " << info.neutral;
  }
  for (NamedAttribute attr : params)
    if (llvm::none_of(family.params, [&](const ParamInfo &i) { return i.key == attr.getName().getValue(); }))
      return emitError() << "family " << family.name << " has no parameter '" << attr.getName().getValue() << "'";
  return verifyRelations(family, params, emitError);
}

SmallVector<OperandInfo> operandsOf(const Family &family, DictionaryAttr p) {
  if (family.name == "embed")
    return embedOperands(p);
  if (family.name == "norm")
    return normOperands(p);
  if (family.name == "quantize")
    return {{"x", Access::Read, f32RowBytes(intParam(p, "cols")), 0, true},
            {"out", Access::Write, a8RowBytes(intParam(p, "cols"), intParam(p, "group")), 0, true}};
  if (family.name == "gemv" || family.name == "gemm")
    return matmulOperands(family, p);
  if (family.name == "route")
    return {{"scores", Access::Read, f32RowBytes(intParam(p, "experts")), 0, true},
            {"out", Access::Write, f32RowBytes(2 * intParam(p, "top")), 0, true}};
  if (family.name == "add") {
    int64_t row = f32RowBytes(intParam(p, "cols"));
    return {{"a", Access::Read, row, 0, true}, {"b", Access::Read, row, 0, true}, {"out", Access::Write, row, 0, true}};
  }
  int64_t kv = intParam(p, "kv_heads"), dim = intParam(p, "head_dim"), context = intParam(p, "context");
  int64_t kBytes = kvBytes(kv, dim, context, stringParam(p, "k_type"));
  int64_t vBytes = kvBytes(kv, dim, context, stringParam(p, "v_type"));
  if (family.name == "rope_append")
    return ropeOperands(p, kBytes, vBytes);
  return {{"qkv", Access::Read, f32RowBytes(qkvCols(p)), 0, false},
          {"kcache", Access::Read, 0, kBytes, false},
          {"vcache", Access::Read, 0, vBytes, false},
          {"out", Access::Write, f32RowBytes(intParam(p, "heads") * dim), 0, false}};
}

int64_t tilesOf(const Family &family, DictionaryAttr params) {
  if (family.name == "gemv" || family.name == "gemm")
    return pad32(intParam(params, "n")) / 32;
  return family.name == "attend" ? intParam(params, "heads") : 1;
}

/// What only some models have, behind all that every kernel of the family has.
static void appendOptional(llvm::raw_ostream &os, DictionaryAttr p) {
  if (boolParam(p, "positions"))
    os << "_pos";
  if (p.contains("enc") && p.contains("k") && p.contains("scale"))
    os << "_scaled";
  if (p.contains("qk_norm"))
    os << "_qk" << stringParam(p, "qk_norm") << intParam(p, "q_span") << (boolParam(p, "qk_bias") ? "_bias" : "");
  if (p.contains("window"))
    os << "_w" << intParam(p, "window");
  if (p.contains("softcap"))
    os << "_cap";
  if (p.contains("causal"))
    os << "_all";
  if (p.contains("experts"))
    os << "_e" << intParam(p, "experts") << "_top" << intParam(p, "top")
       << (boolParam(p, "weighted") ? "_weighted" : "") << (boolParam(p, "normalise") ? "_norm" : "");
}

std::string kernelName(const Family &family, DictionaryAttr p) {
  std::string name = family.name.str();
  llvm::raw_string_ostream os(name);
  if (p.contains("enc"))
    os << "_" << encodingPart(p) << "_n" << intParam(p, "n") << "_k" << intParam(p, "k");
  if (p.contains("heads"))
    os << "_h" << intParam(p, "heads") << "_kv" << intParam(p, "kv_heads") << "_d" << intParam(p, "head_dim");
  if (p.contains("rotary"))
    os << "_r" << intParam(p, "rotary");
  if (p.contains("context"))
    os << "_c" << intParam(p, "context") << "_" << stringParam(p, "k_type") << "_" << stringParam(p, "v_type");
  if (p.contains("cols"))
    os << "_c" << intParam(p, "cols");
  if (p.contains("kind"))
    os << "_" << stringParam(p, "kind");
  if (p.contains("bias") && boolParam(p, "bias"))
    os << "_bias";
  if (p.contains("act") && stringParam(p, "act") != "none")
    os << "_" << stringParam(p, "act");
  if (p.contains("gated") && boolParam(p, "gated"))
    os << "_gated";
  if (p.contains("residual") && boolParam(p, "residual"))
    os << "_res";
  if (p.contains("out"))
    os << "_" << stringParam(p, "out");
  if (!p.contains("enc") && p.contains("group") && intParam(p, "group"))
    os << (p.contains("out") ? "g" : "_g") << intParam(p, "group");
  appendOptional(os, p);
  return name;
}

int64_t intParam(DictionaryAttr params, StringRef key) {
  auto value = params.getAs<IntegerAttr>(key);
  return value ? value.getInt() : 0;
}
bool boolParam(DictionaryAttr params, StringRef key) {
  auto value = params.getAs<BoolAttr>(key);
  return value && value.getValue();
}
StringRef stringParam(DictionaryAttr params, StringRef key) {
  auto value = params.getAs<StringAttr>(key);
  return value ? value.getValue() : StringRef();
}
float floatParam(DictionaryAttr params, StringRef key) {
  auto value = params.getAs<FloatAttr>(key);
  return value ? value.getValue().convertToFloat() : 0.0f;
}

int64_t t32ElementBytes(StringRef enc, int64_t k) {
  if (!isQuantized(enc))
    return k * 32 * (enc == "f32" ? 4 : 2);
  return pad32(k) * 32 / (enc == "w8" ? 1 : 2);
}

int64_t t32Bytes(StringRef enc, int64_t group, int64_t rows, int64_t k) {
  int64_t tiles = pad32(rows) / 32, elements = t32ElementBytes(enc, k);
  if (!isQuantized(enc))
    return tiles * elements;
  int64_t planes = enc == "w4a" || enc == "w4z" ? 2 : 1; // of halves: scales, offsets
  return tiles * roundUp(elements + planes * ((k + group - 1) / group) * 32 * 2, 128);
}

int64_t kvBytes(int64_t kvHeads, int64_t headDim, int64_t context, StringRef type) {
  return kvHeads * pad32(context) * headDim * (type == "f32" ? 4 : 2);
}

} // namespace headrace::tile
