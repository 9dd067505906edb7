// The judge judged: the scalar kernels against double precision, the machine's own half conversions and the stated
// error bounds.
#include "targets/reference/kernels/hr_ref_layout.h"
#include "targets/reference/kernels/hr_ref_math.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

/// Deterministic values in (-1, 1).
struct Values {
  uint32_t state = 12345;
  float next() {
    state = state * 1664525u + 1013904223u;
    return float(int32_t(state)) * 0x1p-31f;
  }
  std::vector<float> rows(size_t rows, size_t cols, size_t stride) {
    std::vector<float> result(rows * stride);
    for (size_t r = 0; r < rows; ++r)
      for (size_t i = 0; i < cols; ++i)
        result[r * stride + i] = next();
    return result;
  }
};

float nearestHalf(float x) { return hr_ref_half_to_float(hr_ref_float_to_half(x)); }

} // namespace

TEST_CASE("every half widens exactly and narrows to itself") {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    float x = hr_ref_half_to_float(uint16_t(h));
    uint32_t exponent = h >> 10 & 31, mantissa = h & 1023;
    if (exponent == 31 && mantissa) {
      REQUIRE(std::isnan(x));
      continue;
    }
    double expected = exponent == 31  ? double(INFINITY)
                      : exponent == 0 ? std::ldexp(double(mantissa), -24)
                                      : std::ldexp(double(mantissa + 1024), int(exponent) - 25);
    REQUIRE(double(x) == (h & 0x8000 ? -expected : expected));
    REQUIRE(hr_ref_float_to_half(x) == h);
  }
}

TEST_CASE("floats narrow to the nearest half, ties to even") {
  // Between two neighbouring halves: just below, at and just above the midpoint.
  for (uint32_t h = 0; h < 0x7bff; ++h) {
    float low = hr_ref_half_to_float(uint16_t(h)), high = hr_ref_half_to_float(uint16_t(h + 1));
    float middle = float((double(low) + double(high)) / 2);
    REQUIRE(hr_ref_float_to_half(std::nextafterf(middle, 0.0f)) == h);
    REQUIRE(hr_ref_float_to_half(middle) == (h % 2 ? h + 1 : h));
    REQUIRE(hr_ref_float_to_half(std::nextafterf(middle, INFINITY)) == h + 1);
    REQUIRE(hr_ref_float_to_half(-middle) == ((h % 2 ? h + 1 : h) | 0x8000));
  }
  CHECK(hr_ref_float_to_half(65519.99f) == 0x7bff);
  CHECK(hr_ref_float_to_half(65520.0f) == 0x7c00);
  CHECK(hr_ref_float_to_half(-INFINITY) == 0xfc00);
}

TEST_CASE("exp stays within its stated error and saturates as stated") {
  double worst = 0;
  for (float x = -87.0f; x < 88.6f; x += 0.0037f) {
    double expected = std::exp(double(x));
    worst = std::max(worst, std::fabs(double(hr_ref_exp(x)) - expected) / expected);
  }
  CHECK(worst < 2e-7);
  CHECK(hr_ref_exp(0.0f) == 1.0f);
  CHECK(hr_ref_exp(-87.4f) == 0.0f);
  CHECK(hr_ref_exp(-INFINITY) == 0.0f);
  CHECK(hr_ref_exp(88.8f) == INFINITY);
}

TEST_CASE("activations follow their formulas") {
  for (float x = -12.0f; x < 12.0f; x += 0.011f) {
    double d = x;
    CHECK(hr_ref_silu(x) == Approx(d / (1 + std::exp(-d))).margin(1e-6));
    CHECK(hr_ref_tanh(x) == Approx(std::tanh(d)).margin(1e-6));
    CHECK(std::fabs(double(hr_ref_erf(x)) - std::erf(d)) < 5e-7);
    CHECK(hr_ref_gelu(x) == Approx(0.5 * d * (1 + std::erf(d / std::sqrt(2.0)))).margin(1e-5));
    double u = std::sqrt(2 / M_PI) * (d + 0.044715 * d * d * d);
    CHECK(hr_ref_gelu_tanh(x) == Approx(0.5 * d * (1 + std::tanh(u))).margin(1e-5));
  }
}

TEST_CASE("norm divides by the root of the mean square") {
  Values values;
  const int cols = 45, stride = 64;
  std::vector<float> x = values.rows(2, cols, stride), weight = values.rows(1, cols, stride), out(2 * stride, 7.0f);
  int32_t fault = 0;
  hr_ref_norm(x.data(), nullptr, weight.data(), nullptr, nullptr, out.data(), &fault, 3, 2, 0, 0, 2, cols, 0,
              HR_REF_RMS, 1e-5f);
  for (int r = 0; r < 2; ++r) {
    double sum = 0;
    for (int i = 0; i < cols; ++i)
      sum += double(x[r * stride + i]) * double(x[r * stride + i]);
    for (int i = 0; i < stride; ++i)
      CHECK(double(out[r * stride + i]) ==
            Approx(i < cols ? double(x[r * stride + i]) / std::sqrt(sum / cols + 1e-5) * double(weight[i]) : 0.0));
  }
  CHECK(fault == 0);
}

TEST_CASE("quantized rows give their values back within half a step, and their sums") {
  Values values;
  const int cols = 100, group = 32, stride = 128;
  std::vector<float> x = values.rows(1, cols, stride);
  std::vector<char> out(192, 99);
  int32_t fault = 0;
  hr_ref_quantize(x.data(), out.data(), &fault, 5, 1, 0, 0, 1, cols, group);
  const auto *codes = reinterpret_cast<const int8_t *>(out.data());
  for (int g = 0; g < 4; ++g) {
    float scale;
    int32_t sum, expected = 0;
    std::memcpy(&scale, out.data() + 128 + 4 * g, 4);
    std::memcpy(&sum, out.data() + 128 + 16 + 4 * g, 4);
    for (int i = g * group; i < (g + 1) * group; ++i) {
      expected += codes[i];
      CHECK(std::fabs(float(codes[i]) * scale - x[size_t(i)]) <= scale * 0.5001f);
    }
    CHECK(sum == expected);
  }
  CHECK(fault == 0);
  x[70] = NAN;
  hr_ref_quantize(x.data(), out.data(), &fault, 5, 1, 0, 0, 1, cols, group);
  CHECK(fault == 6);
}

TEST_CASE("gemv is a matrix times a vector, gated by pairs of tiles") {
  Values values;
  const int n = 40, k = 11, tiles = 2;
  std::vector<float> w(size_t(2 * tiles) * k * 32), x = values.rows(1, k, 32), out(64);
  for (int t = 0; t < 2 * tiles; ++t)
    for (int i = 0; i < k; ++i)
      for (int lane = 0; lane < 32; ++lane)
        if (t / 2 * 32 + lane < n)
          w[(size_t(t) * k + i) * 32 + lane] = values.next();
  auto product = [&](int tile, int lane) {
    double sum = 0;
    for (int i = 0; i < k; ++i)
      sum += double(w[(size_t(tile) * k + i) * 32 + lane]) * double(x[size_t(i)]);
    return sum;
  };
  hr_ref_gemv(w.data(), nullptr, x.data(), nullptr, nullptr, out.data(), 1, 0, 0, tiles, HR_REF_F32, 0, HR_REF_F32, n,
              k, HR_REF_RELU, 1, 0, 0, 0.0f);
  for (int o = 0; o < 64; ++o)
    CHECK(double(out[size_t(o)]) ==
          Approx(std::max(product(o / 32 * 2, o % 32), 0.0) * product(o / 32 * 2 + 1, o % 32)).margin(1e-6));
}

TEST_CASE("a layer norm subtracts the mean, divides by the standard deviation and adds a bias") {
  Values values;
  const int cols = 45, stride = 64;
  std::vector<float> x = values.rows(2, cols, stride), more = values.rows(2, cols, stride);
  std::vector<float> weight = values.rows(1, cols, stride), bias = values.rows(1, cols, stride);
  std::vector<float> sum(2 * stride), out(2 * stride, 7.0f);
  int32_t fault = 0;
  hr_ref_norm(x.data(), more.data(), weight.data(), bias.data(), sum.data(), out.data(), &fault, 3, 2, 0, 0, 2, cols, 0,
              HR_REF_LAYER, 1e-5f);
  for (int r = 0; r < 2; ++r) {
    std::vector<double> row;
    double mean = 0, variance = 0;
    for (int i = 0; i < cols; ++i) {
      row.push_back(double(x[size_t(r * stride + i)] + more[size_t(r * stride + i)]));
      CHECK(double(sum[size_t(r * stride + i)]) == row.back());
      mean += row.back() / cols;
    }
    for (double value : row)
      variance += (value - mean) * (value - mean) / cols;
    for (int i = 0; i < stride; ++i) {
      double y = i < cols ? (row[size_t(i)] - mean) / std::sqrt(variance + 1e-5) : 0.0;
      CHECK(double(out[size_t(r * stride + i)]) ==
            Approx(y * double(weight[size_t(i)]) + double(bias[size_t(i)])).margin(1e-6));
    }
  }
  CHECK(fault == 0);
}

TEST_CASE("embeddings are scaled and then get the learned position of their row") {
  Values values;
  const int vocab = 40, hidden = 10, pos = 2;
  std::vector<float> table(size_t(2 * hidden * 32)), positions = values.rows(5, hidden, hidden), out(3 * 32, 7.0f);
  for (float &value : table)
    value = values.next();
  const int32_t tokens[3] = {39, 0, 7};
  hr_ref_embed(table.data(), positions.data(), tokens, out.data(), 3, pos, 0, 3, HR_REF_F32, 0, vocab, hidden, 2.5f);
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < 32; ++i) {
      double entry = i < hidden ? double(table[size_t(tokens[r] / 32 * hidden * 32 + i * 32 + tokens[r] % 32)]) : 0.0;
      double position = i < hidden ? double(positions[size_t((pos + r) * hidden + i)]) : 0.0;
      CHECK(double(out[size_t(r * 32 + i)]) == Approx(entry * 2.5 + position).margin(1e-6));
    }
}

TEST_CASE("4-bit weights with minima or zero points: the same numbers meet floats, codes and the embedding") {
  const int enc = GENERATE(int(HR_REF_W4A), int(HR_REF_W4Z));
  const int k = 40, group = 32, planes = 2 * 2 * 64; // two groups; scales, then offsets
  std::vector<uint8_t> w(64 * 16 + planes);
  uint32_t state = 7;
  for (uint8_t &byte : w)
    byte = uint8_t((state = state * 1664525u + 1013904223u) >> 24);
  std::vector<uint16_t> halves(planes / 2);
  for (size_t i = 0; i < halves.size(); ++i)
    halves[i] = hr_ref_float_to_half(i < 64              ? 0.01f * float(i % 7 + 1)
                                     : enc == HR_REF_W4A ? -0.03f * float(i % 5)
                                                         : float(i % 16));
  std::memcpy(&w[64 * 16], halves.data(), planes);
  auto value = [&](int row, int i) {
    uint8_t byte = w[size_t(i / 8 * 128 + row * 4 + i % 4)];
    size_t at = size_t(i / group * 32 + row);
    double code = i % 8 < 4 ? byte % 16 : byte / 16, scale = hr_ref_half_to_float(halves[at]),
           offset = hr_ref_half_to_float(halves[64 + at]);
    return enc == HR_REF_W4A ? code * scale + offset : (code - offset) * scale;
  };
  std::vector<float> x = Values().rows(1, k, 64), out(32), row(64, 1.0f);
  std::vector<int8_t> a8(hr_ref_a8_stride(k, group));
  int32_t fault = 0;
  hr_ref_quantize(x.data(), a8.data(), &fault, 0, 1, 0, 0, 1, k, group);
  REQUIRE(fault == 0);
  auto scaleOf = [&](int g) {
    float scale;
    std::memcpy(&scale, &a8[size_t(64 + 4 * g)], 4);
    return double(scale);
  };
  for (int kind : {HR_REF_F32, HR_REF_A8}) {
    const void *rows = kind == HR_REF_F32 ? static_cast<const void *>(x.data()) : a8.data();
    hr_ref_gemv(w.data(), nullptr, rows, nullptr, nullptr, out.data(), 1, 0, 0, 1, enc, group, kind, 32, k, HR_REF_NONE,
                0, 0, 0, 0.0f);
    for (int o = 0; o < 32; ++o) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum += value(o, i) * (kind == HR_REF_F32 ? double(x[size_t(i)]) : a8[size_t(i)] * scaleOf(i / group));
      CHECK(std::fabs(out[size_t(o)] - sum) < 1e-5);
    }
  }
  const int32_t token = 9;
  hr_ref_embed(w.data(), nullptr, &token, row.data(), 1, 0, 0, 1, enc, group, 32, k, 1.0f);
  for (int i = 0; i < 64; ++i)
    CHECK(row[size_t(i)] == (i < k ? float(value(token, i)) : 0.0f));
}

TEST_CASE("a route names the greatest scores, the first of equal ones, and their shares of the softmax") {
  const std::vector<double> values = {0.5, 2.0, -1.0, 2.0, 1.25};
  std::vector<float> scores(32), out(32, 7.0f);
  std::copy(values.begin(), values.end(), scores.begin());
  double all = 0, chosen = std::exp(2.0) + std::exp(2.0) + std::exp(1.25);
  for (double value : values)
    all += std::exp(value);
  for (bool normalise : {false, true}) {
    hr_ref_route(scores.data(), out.data(), 1, 0, 0, 1, 5, 3, normalise);
    const int experts[] = {1, 3, 4};
    for (int i = 0; i < 3; ++i) {
      CHECK(double(out[size_t(i)]) ==
            Approx(std::exp(values[size_t(experts[i])]) / (normalise ? chosen : all)).epsilon(1e-6));
      CHECK(out[size_t(3 + i)] == float(experts[i]));
    }
    CHECK(std::all_of(out.begin() + 6, out.end(), [](float x) { return x == 0.0f; }));
  }
}

TEST_CASE("each row meets the expert that it chose, times its share, before the residual") {
  const int n = 32, k = 1, experts = 3, top = 2;
  std::vector<float> w(32 * experts), out(64), residual(64, 0.5f), route(64);
  for (int i = 0; i < 32 * experts; ++i)
    w[size_t(i)] = float(i);
  std::vector<float> x(64);
  x[0] = 1.0f, x[32] = 2.0f;
  const int chosen[] = {2, 1};
  for (int row = 0; row < 2; ++row) {
    route[size_t(row * 32 + 1)] = 0.25f; // choice 1
    route[size_t(row * 32 + top + 1)] = float(chosen[row]);
  }
  hr_ref_gemm(w.data(), nullptr, x.data(), route.data() + 1, residual.data(), out.data(), 2, 0, 0, 1, HR_REF_F32, 0,
              HR_REF_F32, n, k, HR_REF_NONE, 0, top, 1, 0.0f);
  for (int row = 0; row < 2; ++row)
    for (int i = 0; i < 32; ++i)
      CHECK(out[size_t(row * 32 + i)] == float(chosen[row] * 32 + i) * x[size_t(row * 32)] * 0.25f + 0.5f);
}

TEST_CASE("a softcap bends large outputs before the residual") {
  const int n = 32, k = 1;
  std::vector<float> w(32), out(32), residual(32, 0.5f);
  for (int i = 0; i < 32; ++i)
    w[size_t(i)] = float(i - 16) * 0.5f;
  const float x[32] = {1.0f};
  hr_ref_gemv(w.data(), nullptr, x, nullptr, residual.data(), out.data(), 1, 0, 0, 1, HR_REF_F32, 0, HR_REF_F32, n, k,
              HR_REF_NONE, 0, 0, 0, 3.0f);
  for (int i = 0; i < 32; ++i)
    CHECK(double(out[size_t(i)]) == Approx(3 * std::tanh(double(w[size_t(i)]) / 3) + 0.5).margin(1e-6));
}

namespace {

/// Attention as it is defined, in double: what a query sees, how scores are bent, and what q and k were made of.
struct AttentionModel {
  int heads, kvHeads, dim, rotary, window;
  double scale, softcap;
  bool causal;
  std::vector<float> before, table;
  int rows = 0, stride = 0;

  AttentionModel(int heads, int kvHeads, int dim, int rotary, int window, double scale, double softcap, bool causal)
      : heads(heads), kvHeads(kvHeads), dim(dim), rotary(rotary), window(window), scale(scale), softcap(softcap),
        causal(causal) {}
  virtual ~AttentionModel() = default;

  int columns() const { return (heads + 2 * kvHeads) * dim; }
  /// Columns first .. first + dim of row p, rotated by the angles of position p.
  virtual std::vector<double> head(int p, int first) const {
    return {before.begin() + p * stride + first, before.begin() + p * stride + first + dim};
  }
  std::vector<double> rotated(int p, int first) const {
    std::vector<double> x = head(p, first), y = x;
    for (int i = 0; i < rotary / 2; ++i) {
      double c = table[size_t(p * rotary + i)], s = table[size_t(p * rotary + rotary / 2 + i)];
      y[size_t(i)] = x[size_t(i)] * c - x[size_t(i + rotary / 2)] * s;
      y[size_t(i + rotary / 2)] = x[size_t(i + rotary / 2)] * c + x[size_t(i)] * s;
    }
    return y;
  }
  bool sees(int p, int j) const { return !causal || (j <= p && (window == 0 || p - j < window)); }
  double expected(int row, int h, int d) const {
    int keys = heads * dim + h / (heads / kvHeads) * dim, vals = keys + kvHeads * dim;
    std::vector<double> q = rotated(row, h * dim);
    double total = 0, sum = 0;
    for (int j = 0; j < rows; ++j) {
      if (!sees(row, j))
        continue;
      std::vector<double> k = rotated(j, keys);
      double s = 0;
      for (int i = 0; i < dim; ++i)
        s += q[size_t(i)] * k[size_t(i)];
      s *= scale;
      double weight = std::exp(softcap != 0 ? softcap * std::tanh(s / softcap) : s);
      total += weight;
      sum += weight * double(nearestHalf(before[size_t(j * stride + vals + d)]));
    }
    return sum / total;
  }
};

/// Random rows and a table of angles for `model`, whose sizes are set.
void fill(AttentionModel &model, int rows, int context) {
  Values values;
  model.rows = rows;
  model.stride = hr_ref_pad32(model.columns());
  model.before = values.rows(size_t(rows), size_t(model.columns()), size_t(model.stride));
  model.table.resize(size_t(context * model.rotary));
  for (int p = 0; p < context; ++p)
    for (int i = 0; i < model.rotary / 2; ++i) {
      model.table[size_t(p * model.rotary + i)] = std::cos(float(p) * (i ? 0.1f : 1.0f));
      model.table[size_t(p * model.rotary + model.rotary / 2 + i)] = std::sin(float(p) * (i ? 0.1f : 1.0f));
    }
}

/// Norms of q and k as the kernel takes them.
struct HeadNorms {
  int kind = HR_REF_NO_NORM, qSpan = 0, kSpan = 0;
  std::vector<float> q, qBias, k, kBias;
  float eps = 0;
};

/// Runs both kernels over all rows at once and holds some of the results to the model.
void checkAttention(const AttentionModel &m, const HeadNorms &norms = {}) {
  const int context = 64, outStride = hr_ref_pad32(m.heads * m.dim);
  std::vector<float> qkv = m.before, k(size_t(m.kvHeads * context * m.dim)), out(size_t(m.rows * outStride), 7.0f);
  std::vector<uint16_t> v(size_t(m.kvHeads * context * m.dim));
  auto orNull = [](const std::vector<float> &values) { return values.empty() ? nullptr : values.data(); };
  hr_ref_rope_append(qkv.data(), orNull(m.table), orNull(norms.q), orNull(norms.qBias), orNull(norms.k),
                     orNull(norms.kBias), k.data(), v.data(), m.rows, 0, 0, m.rows, m.heads, m.kvHeads, m.dim, m.rotary,
                     context, HR_REF_F32, HR_REF_F16, norms.kind, norms.qSpan, norms.kSpan, norms.eps);
  hr_ref_attend(qkv.data(), k.data(), v.data(), out.data(), m.rows, 0, 0, m.heads * m.rows, m.heads, m.kvHeads, m.dim,
                context, HR_REF_F32, HR_REF_F16, m.window, m.causal, float(m.scale), float(m.softcap));
  for (int row : {0, 1, 31, 32, m.rows - 1})
    for (int h = 0; h < m.heads; ++h)
      for (int d = 0; d < m.dim; ++d) {
        INFO("row " << row << ", head " << h << ", element " << d);
        CHECK(double(out[size_t(row * outStride + h * m.dim + d)]) == Approx(m.expected(row, h, d)).margin(4e-6));
      }
  for (int i = m.heads * m.dim; i < outStride; ++i)
    CHECK(out[size_t(i)] == 0.0f); // padding of the row
}

} // namespace

TEST_CASE("attention over an appended cache is softmax(q k) v") {
  AttentionModel model{4, 2, 6, 4, 0, 0.4, 0, true};
  fill(model, 40, 64);
  checkAttention(model);
}

TEST_CASE("a window hides all but the last positions") {
  for (int window : {1, 7, 31, 32, 33, 39, 40, 100}) {
    INFO("window " << window);
    AttentionModel model{4, 2, 6, 4, window, 0.4, 0, true};
    fill(model, 50, 64);
    checkAttention(model);
  }
}

TEST_CASE("a softcap bends scores, and a rotary of 0 leaves heads as they are") {
  AttentionModel model{4, 2, 6, 0, 0, 3.0, 1.5, true};
  fill(model, 40, 64);
  checkAttention(model);
}

TEST_CASE("without causality every row sees every row") {
  for (int rows : {33, 40, 64}) {
    AttentionModel model{4, 4, 6, 0, 0, 0.4, 0, false};
    fill(model, rows, 64);
    checkAttention(model);
  }
}

TEST_CASE("queries and keys are normalised before they are rotated") {
  struct Normalised : AttentionModel {
    using AttentionModel::AttentionModel;
    HeadNorms norms;
    std::vector<double> head(int p, int first) const override {
      std::vector<double> x = AttentionModel::head(p, first);
      if (first >= (heads + kvHeads) * dim) // a value
        return x;
      bool isKey = first >= heads * dim;
      int base = isKey ? heads * dim : 0, span = isKey ? norms.kSpan : norms.qSpan;
      int run = base + (first - base) / span * span;
      double mean = 0, square = 0;
      const float *from = &before[size_t(p * stride + run)];
      for (int i = 0; i < span; ++i)
        mean += norms.kind == HR_REF_LAYER ? double(from[i]) / span : 0.0;
      for (int i = 0; i < span; ++i)
        square += (double(from[i]) - mean) * (double(from[i]) - mean) / span;
      for (int i = 0; i < dim; ++i) {
        size_t column = size_t(first - base + i);
        const std::vector<float> &bias = isKey ? norms.kBias : norms.qBias;
        double y = (x[size_t(i)] - mean) / std::sqrt(square + double(norms.eps));
        x[size_t(i)] = y * double((isKey ? norms.k : norms.q)[column]) + (bias.empty() ? 0.0 : double(bias[column]));
      }
      return x;
    }
  };
  for (bool layer : {false, true})
    for (int qSpan : {6, 24}) {
      Normalised model{4, 2, 6, 4, 0, 0.3, 0, true};
      fill(model, 40, 64);
      Values values{77};
      model.norms = {
          layer ? HR_REF_LAYER : HR_REF_RMS, qSpan, 6, values.rows(1, 24, 32), {}, values.rows(1, 12, 32), {}, 1e-6f};
      if (layer) {
        model.norms.qBias = values.rows(1, 24, 32);
        model.norms.kBias = values.rows(1, 12, 32);
      }
      checkAttention(model, model.norms);
    }
}
