#include "test/conformance/Cases.h"

namespace headrace {
namespace {

struct Epilogue {
  bool bias, gated, residual;
  Activation act;
};

class CaseList {
public:
  std::vector<KernelSpec> cases;

  void matmul(Encoding enc, int64_t group, int64_t n, int64_t k, Epilogue e) {
    for (Family family : {Family::Gemv, Family::Gemm}) {
      KernelSpec spec = make(family, "_" + stringify(enc).str() + "g" + std::to_string(group) + "_n" +
                                         std::to_string(n) + "_k" + std::to_string(k));
      spec.enc = enc;
      spec.group = group;
      spec.n = n;
      spec.k = k;
      spec.bias = e.bias;
      spec.gated = e.gated;
      spec.residual = e.residual;
      spec.act = e.act;
      spec.name += std::string(e.bias ? "_bias" : "") + "_" + stringify(e.act).str() + (e.gated ? "_gated" : "") +
                   (e.residual ? "_res" : "");
      cases.push_back(spec);
    }
  }

  void embed(Encoding enc, int64_t group, int64_t n, int64_t k) {
    KernelSpec spec =
        make(Family::Embed, "_" + stringify(enc).str() + "g" + std::to_string(group) + "_k" + std::to_string(k));
    spec.enc = enc;
    spec.group = group;
    spec.n = n;
    spec.k = k;
    cases.push_back(spec);
  }

  void norm(int64_t cols, bool residual, int64_t group) {
    KernelSpec spec =
        make(Family::Norm, "_c" + std::to_string(cols) + (residual ? "_res" : "") + "_g" + std::to_string(group));
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
    for (Family family : {Family::RopeAppend, Family::Attend}) {
      KernelSpec spec =
          make(family, "_h" + std::to_string(heads) + "_kv" + std::to_string(kvHeads) + "_d" + std::to_string(dim) +
                           "_r" + std::to_string(rotary) + "_" + stringify(kType).str() + "_" + stringify(vType).str());
      spec.heads = heads;
      spec.kvHeads = kvHeads;
      spec.headDim = dim;
      spec.rotary = rotary;
      spec.context = 320;
      spec.kType = kType;
      spec.vType = vType;
      spec.scale = 0.17f;
      cases.push_back(spec);
    }
  }

private:
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
  for (Encoding enc : {Encoding::W8, Encoding::W4})
    for (int64_t group : {32, 64, 128}) {
      list.matmul(enc, group, 45, 172, plain);
      list.matmul(enc, group, 64, 256, {true, false, true, Activation::None});
      list.matmul(enc, group, 100, 20, gated);
      list.matmul(enc, group, 40, 416, all);
    }
  for (Activation act : {Activation::Silu, Activation::Relu, Activation::Tanh, Activation::Gelu, Activation::GeluTanh})
    list.matmul(Encoding::F32, 0, 64, 8, {true, false, false, act});
}

} // namespace

std::vector<KernelSpec> conformanceCases() {
  CaseList list;
  addMatrices(list);
  for (int64_t k : {20, 172, 256}) {
    list.embed(Encoding::F32, 0, 70, k);
    list.embed(Encoding::F16, 0, 70, k);
    for (int64_t group : {32, 64, 128}) {
      list.embed(Encoding::W8, group, 70, k);
      list.embed(Encoding::W4, group, 70, k);
    }
  }
  for (int64_t cols : {20, 64, 172, 576}) {
    list.columns(Family::Add, cols, 0);
    for (int64_t group : {32, 64, 128})
      list.columns(Family::Quantize, cols, group);
    for (bool residual : {false, true})
      for (int64_t group : {0, 32, 64, 128})
        list.norm(cols, residual, group);
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
  return list.cases;
}

std::vector<KernelSpec> benchmarkCases() {
  CaseList list;
  constexpr Epilogue plain = {false, false, false, Activation::None};
  for (Encoding enc : {Encoding::F32, Encoding::F16, Encoding::W8, Encoding::W4}) {
    list.matmul(enc, 64, 576, 1536, plain);
    list.matmul(enc, 64, 8192, 2048, plain);
  }
  list.matmul(Encoding::W4, 32, 8192, 2048, plain);
  list.matmul(Encoding::W4, 128, 8192, 2048, plain);
  list.matmul(Encoding::W4, 64, 98304, 2048, plain); // larger than a last-level cache
  list.matmul(Encoding::W4, 64, 1536, 576, {false, true, false, Activation::Silu});
  list.attention(9, 3, 64, 64, Encoding::F16, Encoding::F16);
  list.norm(576, true, 64);
  list.columns(Family::Quantize, 1536, 64);
  return list.cases;
}

} // namespace headrace
