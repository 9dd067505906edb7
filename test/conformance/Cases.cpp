#include "test/conformance/Cases.h"

namespace headrace {
namespace {

struct Epilogue {
  bool bias, gated, residual;
  Activation act;
  float softcap = 0;
};

/// What only some models have of attention; names follow KernelSpec.
struct AttentionParts {
  NormForm qkNorm = NormForm::None;
  int64_t qSpan = 0, kSpan = 0;
  bool qkBias = false;
  int64_t window = 0;
  float softcap = 0;
  bool causal = true;
};

class CaseList {
public:
  std::vector<KernelSpec> cases;

  /// Codes meet codes and floats meet floats, unless `widened`: codes that meet floats.
  void matmul(Encoding enc, int64_t group, int64_t n, int64_t k, Epilogue e, bool widened = false) {
    for (Family family : {Family::Gemv, Family::Gemm}) {
      KernelSpec spec = make(family, std::string(widened ? "_xf32_" : "_") + stringify(enc).str() + "g" +
                                         std::to_string(group) + "_n" + std::to_string(n) + "_k" + std::to_string(k));
      spec.enc = enc;
      spec.x = spec.isQuantized() && !widened ? Encoding::A8 : Encoding::F32;
      spec.group = group;
      spec.n = n;
      spec.k = k;
      spec.bias = e.bias;
      spec.gated = e.gated;
      spec.residual = e.residual;
      spec.act = e.act;
      spec.softcap = e.softcap;
      spec.name += std::string(e.bias ? "_bias" : "") + "_" + stringify(e.act).str() + (e.gated ? "_gated" : "") +
                   (e.residual ? "_res" : "") + (e.softcap != 0 ? "_cap" : "");
      cases.push_back(spec);
    }
  }

  /// As matmul, of `count` experts of which a row takes `top`.
  void experts(Encoding enc, int64_t group, int64_t n, int64_t k, int64_t count, int64_t top, Epilogue e, bool weighted,
               bool widened = false) {
    size_t first = cases.size();
    matmul(enc, group, n, k, e, widened);
    for (KernelSpec &spec : llvm::MutableArrayRef(cases).drop_front(first)) {
      spec.experts = count;
      spec.top = top;
      spec.weighted = weighted;
      spec.name += "_e" + std::to_string(count) + (weighted ? "_weighted" : "");
    }
  }

  void route(int64_t experts, int64_t top, bool normalise) {
    KernelSpec spec =
        make(Family::Route, "_e" + std::to_string(experts) + "_top" + std::to_string(top) + (normalise ? "_norm" : ""));
    spec.experts = experts;
    spec.top = top;
    spec.normalise = normalise;
    cases.push_back(spec);
  }

  void embed(Encoding enc, int64_t group, int64_t n, int64_t k, bool positions = false, float scale = 1) {
    KernelSpec spec =
        make(Family::Embed, "_" + stringify(enc).str() + "g" + std::to_string(group) + "_k" + std::to_string(k) +
                                (positions ? "_pos" : "") + (scale != 1 ? "_scaled" : ""));
    spec.positions = positions;
    spec.scale = scale;
    spec.enc = enc;
    spec.group = group;
    spec.n = n;
    spec.k = k;
    cases.push_back(spec);
  }

  void norm(int64_t cols, bool residual, int64_t group, NormForm kind = NormForm::Rms, bool bias = false) {
    KernelSpec spec =
        make(Family::Norm, "_c" + std::to_string(cols) + (kind == NormForm::Layer ? "_layer" : "") +
                               (bias ? "_bias" : "") + (residual ? "_res" : "") + "_g" + std::to_string(group));
    spec.kind = kind;
    spec.bias = bias;
    spec.cols = cols;
    spec.residual = residual;
    spec.eps = 1e-5f;
    spec.out = group ? Encoding::A8 : Encoding::F32;
    spec.group = group;
    cases.push_back(spec);
  }

  void columns(Family family, int64_t cols, int64_t group) {
    KernelSpec spec = make(family, "_c" + std::to_string(cols) + "_g" + std::to_string(group));
    spec.cols = cols;
    spec.group = group;
    cases.push_back(spec);
  }

  void attention(int64_t heads, int64_t kvHeads, int64_t dim, int64_t rotary, Encoding kType, Encoding vType) {
    for (Family family : {Family::RopeAppend, Family::Attend})
      attention(family, heads, kvHeads, dim, rotary, kType, vType, {});
  }

  void attention(Family family, int64_t heads, int64_t kvHeads, int64_t dim, int64_t rotary, Encoding kType,
                 Encoding vType, const AttentionParts &parts) {
    KernelSpec spec = make(family, "_h" + std::to_string(heads) + "_kv" + std::to_string(kvHeads) + "_d" +
                                       std::to_string(dim) + "_r" + std::to_string(rotary) + "_" +
                                       stringify(kType).str() + "_" + stringify(vType).str() + nameOf(parts));
    spec.heads = heads;
    spec.kvHeads = kvHeads;
    spec.headDim = dim;
    spec.rotary = rotary;
    spec.context = 320;
    spec.kType = kType;
    spec.vType = vType;
    spec.scale = 0.17f;
    spec.qkNorm = parts.qkNorm;
    spec.qSpan = parts.qSpan;
    spec.kSpan = parts.kSpan;
    spec.qkBias = parts.qkBias;
    spec.eps = parts.qkNorm == NormForm::None ? 0.0f : 1e-6f;
    spec.window = parts.window;
    spec.softcap = parts.softcap;
    spec.causal = parts.causal;
    cases.push_back(spec);
  }

private:
  static std::string nameOf(const AttentionParts &parts) {
    std::string name;
    if (parts.qkNorm != NormForm::None)
      name += "_qk" + stringify(parts.qkNorm).str() + std::to_string(parts.qSpan) + (parts.qkBias ? "_bias" : "");
    if (parts.window)
      name += "_w" + std::to_string(parts.window);
    return name + (parts.softcap != 0 ? "_cap" : "") + (parts.causal ? "" : "_all");
  }

  static KernelSpec make(Family family, const std::string &suffix) {
    KernelSpec spec;
    spec.family = family;
    spec.name = "k_" + stringify(family).str() + suffix;
    return spec;
  }
};

void addMatrices(CaseList &list) {
  constexpr Epilogue plain = {false, false, false, Activation::None};
  constexpr Epilogue gated = {false, true, false, Activation::Silu};
  constexpr Epilogue all = {true, true, true, Activation::GeluTanh};
  for (Encoding enc : {Encoding::F32, Encoding::F16}) {
    list.matmul(enc, 0, 45, 37, plain);
    list.matmul(enc, 0, 320, 64, {true, false, true, Activation::None});
    list.matmul(enc, 0, 100, 3, gated);
    list.matmul(enc, 0, 160, 50, all);
  }
  for (Encoding enc : {Encoding::W8, Encoding::W4, Encoding::W4A, Encoding::W4Z})
    for (int64_t group : {32, 64, 128}) {
      list.matmul(enc, group, 45, 172, plain);
      list.matmul(enc, group, 64, 256, {true, false, true, Activation::None});
      list.matmul(enc, group, 100, 20, gated);
      list.matmul(enc, group, 40, 416, all);
      list.matmul(enc, group, 90, 171, gated, /*widened=*/true);
      list.matmul(enc, group, 160, 256, all, /*widened=*/true);
    }
  for (Activation act : {Activation::Silu, Activation::Relu, Activation::Tanh, Activation::Gelu, Activation::GeluTanh})
    list.matmul(Encoding::F32, 0, 64, 8, {true, false, false, act});
  list.matmul(Encoding::F32, 0, 45, 37, {false, false, false, Activation::None, 0.75f});
  list.matmul(Encoding::F16, 0, 40, 8, {true, true, true, Activation::GeluTanh, 30.0f});
  list.matmul(Encoding::W4, 64, 100, 172, {true, false, true, Activation::None, 5.0f});
  list.matmul(Encoding::W8, 32, 64, 64, {false, false, false, Activation::Silu, 30.0f});
}

/// Experts with every kind of tail, as gate and up and as the weighted product after them.
void addExperts(CaseList &list) {
  for (Encoding enc : {Encoding::F32, Encoding::F16, Encoding::W8, Encoding::W4, Encoding::W4A, Encoding::W4Z}) {
    int64_t group = enc == Encoding::F32 || enc == Encoding::F16 ? 0 : 32;
    list.experts(enc, group, 48, 172, 5, 2, {false, true, false, Activation::Silu}, false);
    list.experts(enc, group, 45, 48, 5, 2, {false, false, true, Activation::None}, true);
  }
  list.experts(Encoding::W4, 64, 160, 128, 3, 3, {false, false, false, Activation::None}, true, /*widened=*/true);
  for (bool normalise : {false, true})
    for (auto [experts, top] : {std::pair(4, 2), std::pair(8, 8), std::pair(60, 4), std::pair(128, 17)})
      list.route(experts, top, normalise);
}

/// Norms of heads whose last elements fill no register of some variant, and more than 32 of which lie in one run.
void addHeadNorms(CaseList &list) {
  constexpr Encoding f32 = Encoding::F32, f16 = Encoding::F16;
  auto rope = [&](int64_t heads, int64_t kvHeads, int64_t dim, int64_t rotary, Encoding type, NormForm kind,
                  int64_t qSpan, int64_t kSpan, bool bias) {
    AttentionParts parts;
    parts.qkNorm = kind;
    parts.qSpan = qSpan;
    parts.kSpan = kSpan;
    parts.qkBias = bias;
    list.attention(Family::RopeAppend, heads, kvHeads, dim, rotary, type, f16, parts);
  };
  rope(4, 2, 64, 64, f16, NormForm::Rms, 64, 64, false);   // a head each
  rope(2, 1, 80, 32, f32, NormForm::Rms, 80, 80, false);   // half a run at the end
  rope(3, 1, 22, 12, f16, NormForm::Layer, 22, 22, false); // less than a run
  rope(7, 1, 5, 4, f32, NormForm::Rms, 5, 5, false);       // less than a register
  rope(2, 2, 37, 36, f16, NormForm::Layer, 37, 37, true);  // a run and five
  rope(6, 2, 32, 32, f16, NormForm::Rms, 192, 64, false);  // all heads together
  rope(3, 3, 45, 0, f32, NormForm::Layer, 135, 45, true);  // and without a rotation
  list.attention(Family::RopeAppend, 4, 2, 8, 0, f32, f16, {});
  list.attention(Family::RopeAppend, 3, 1, 64, 0, f16, f16, {});
}

/// Windows around the 32 positions of a tile, with heads that share a kv head and with one alone.
void addWindows(CaseList &list) {
  constexpr Encoding f32 = Encoding::F32, f16 = Encoding::F16;
  auto attend = [&](int64_t heads, int64_t kvHeads, int64_t dim, Encoding type, int64_t window, float softcap,
                    bool causal) {
    AttentionParts parts;
    parts.window = window;
    parts.softcap = softcap;
    parts.causal = causal;
    list.attention(Family::Attend, heads, kvHeads, dim, dim / 2 * 2, type, f16, parts);
  };
  for (int64_t window : {1, 2, 31, 32, 33, 40, 64, 95, 96, 200})
    attend(6, 2, 32, f16, window, 0, true);
  attend(9, 3, 64, f16, 50, 0, true);
  attend(2, 2, 22, f32, 33, 0, true);
  attend(7, 1, 5, f32, 7, 2.0f, true);
  attend(2, 1, 128, f16, 129, 50.0f, true);
  attend(4, 2, 24, f16, 0, 0.5f, true);
  attend(3, 1, 80, f32, 0, 50.0f, true);
  attend(4, 4, 32, f16, 0, 0, false);
  attend(6, 2, 22, f32, 0, 0, false);
  attend(2, 1, 5, f16, 0, 30.0f, false);
}

} // namespace

std::vector<KernelSpec> conformanceCases() {
  CaseList list;
  addMatrices(list);
  addExperts(list);
  for (int64_t k : {20, 173, 256}) {
    list.embed(Encoding::F32, 0, 70, k);
    list.embed(Encoding::F16, 0, 70, k);
    for (int64_t group : {32, 64, 128})
      for (Encoding enc : {Encoding::W8, Encoding::W4, Encoding::W4A, Encoding::W4Z})
        list.embed(enc, group, 70, k);
  }
  for (int64_t cols : {20, 64, 172, 576}) {
    list.columns(Family::Add, cols, 0);
    for (int64_t group : {32, 64, 128})
      list.columns(Family::Quantize, cols, group);
    for (bool residual : {false, true})
      for (int64_t group : {0, 32, 64, 128})
        list.norm(cols, residual, group);
  }
  for (int64_t cols : {7, 20, 37, 64, 172, 312})
    for (bool residual : {false, true})
      for (int64_t group : {0, 32, 64, 128})
        list.norm(cols, residual, group, NormForm::Layer, cols % 8 != 4);
  for (Encoding enc : {Encoding::F32, Encoding::F16, Encoding::W8, Encoding::W4}) {
    int64_t group = enc == Encoding::W8 ? 32 : enc == Encoding::W4 ? 64 : 0;
    list.embed(enc, group, 70, 172, true, 1);
    list.embed(enc, group, 70, 37, true, 13.85f);
    list.embed(enc, group, 70, 256, false, 0.3f);
  }
  list.attention(4, 2, 8, 8, Encoding::F32, Encoding::F32);
  list.attention(3, 1, 16, 8, Encoding::F16, Encoding::F16);
  list.attention(2, 2, 22, 12, Encoding::F16, Encoding::F32);
  list.attention(6, 2, 32, 32, Encoding::F32, Encoding::F16);
  list.attention(9, 3, 64, 64, Encoding::F16, Encoding::F16);
  list.attention(7, 1, 5, 4, Encoding::F32, Encoding::F16);
  list.attention(4, 1, 24, 24, Encoding::F16, Encoding::F16);
  list.attention(2, 1, 80, 20, Encoding::F32, Encoding::F32);
  list.attention(2, 1, 128, 128, Encoding::F16, Encoding::F16);
  addHeadNorms(list);
  addWindows(list);
  return list.cases;
}

std::vector<KernelSpec> benchmarkCases() {
  CaseList list;
  constexpr Epilogue plain = {false, false, false, Activation::None};
  for (Encoding enc : {Encoding::F32, Encoding::F16, Encoding::W8, Encoding::W4, Encoding::W4A, Encoding::W4Z}) {
    list.matmul(enc, 64, 576, 1536, plain);
    list.matmul(enc, 64, 8192, 2048, plain);
  }
  list.matmul(Encoding::W4, 32, 8192, 2048, plain);
  list.matmul(Encoding::W4, 128, 8192, 2048, plain);
  list.matmul(Encoding::W4A, 32, 8192, 2048, plain);
  list.matmul(Encoding::W4Z, 32, 8192, 2048, plain);
  list.matmul(Encoding::W4A, 64, 98304, 2048, plain);
  list.matmul(Encoding::W4, 64, 8192, 2048, plain, /*widened=*/true);
  list.matmul(Encoding::W4, 64, 98304, 2048, plain); // larger than a last-level cache
  list.matmul(Encoding::W4, 64, 1536, 576, {false, true, false, Activation::Silu});
  list.attention(9, 3, 64, 64, Encoding::F16, Encoding::F16);
  AttentionParts window, cap;
  window.window = 64;
  cap.softcap = 50;
  for (const AttentionParts &parts : {window, cap})
    list.attention(Family::Attend, 9, 3, 64, 64, Encoding::F16, Encoding::F16, parts);
  list.norm(576, true, 64);
  list.columns(Family::Quantize, 1536, 64);
  return list.cases;
}

} // namespace headrace
