// The judge judged: the scalar kernels against double precision, the machine's own half conversions and the stated
// error bounds.
#include "targets/reference/kernels/hr_ref.h"
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
  hr_ref_norm(x.data(), nullptr, weight.data(), nullptr, out.data(), &fault, 3, 2, 0, 0, 2, cols, 0, 1e-5f);
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
  hr_ref_gemv(w.data(), nullptr, x.data(), nullptr, out.data(), 1, 0, 0, tiles, HR_REF_F32, 0, n, k, HR_REF_RELU, 1);
  for (int o = 0; o < 64; ++o)
    CHECK(double(out[size_t(o)]) ==
          Approx(std::max(product(o / 32 * 2, o % 32), 0.0) * product(o / 32 * 2 + 1, o % 32)).margin(1e-6));
}

TEST_CASE("attention over an appended cache is softmax(q k) v") {
  Values values;
  const int heads = 4, kvHeads = 2, dim = 6, rotary = 4, context = 64, rows = 40;
  const int cols = (heads + 2 * kvHeads) * dim, stride = 64, outStride = 32;
  std::vector<float> qkv = values.rows(rows, cols, stride), before = qkv, table(context * rotary);
  for (int p = 0; p < context; ++p)
    for (int i = 0; i < rotary / 2; ++i) {
      table[size_t(p * rotary + i)] = std::cos(float(p) * (i ? 0.1f : 1.0f));
      table[size_t(p * rotary + rotary / 2 + i)] = std::sin(float(p) * (i ? 0.1f : 1.0f));
    }
  std::vector<float> k(kvHeads * context * dim), out(rows * outStride);
  std::vector<uint16_t> v(kvHeads * context * dim);
  hr_ref_rope_append(qkv.data(), table.data(), k.data(), v.data(), rows, 0, 0, rows, heads, kvHeads, dim, rotary,
                     context, HR_REF_F32, HR_REF_F16);
  const float scale = 0.4f;
  hr_ref_attend(qkv.data(), k.data(), v.data(), out.data(), rows, 0, 0, heads * rows, heads, kvHeads, dim, context,
                HR_REF_F32, HR_REF_F16, scale);
  // x rotated by the angles of position p, element i of a head
  auto rotated = [&](int p, int first, int i) {
    const float *x = &before[size_t(p * stride + first)];
    if (i >= rotary)
      return double(x[i]);
    int pair = i % (rotary / 2);
    double c = table[size_t(p * rotary + pair)], s = table[size_t(p * rotary + rotary / 2 + pair)];
    double a = x[pair], b = x[pair + rotary / 2];
    return i < rotary / 2 ? a * c - b * s : b * c + a * s;
  };
  for (int row : {0, 1, 31, 32, 39})
    for (int h = 0; h < heads; ++h) {
      int keys = heads * dim + h / 2 * dim, vals = keys + kvHeads * dim;
      std::vector<double> weight;
      double total = 0;
      for (int j = 0; j <= row; ++j) {
        double s = 0;
        for (int d = 0; d < dim; ++d)
          s += rotated(row, h * dim, d) * rotated(j, keys, d);
        weight.push_back(std::exp(s * scale));
        total += weight.back();
      }
      for (int d = 0; d < dim; ++d) {
        double expected = 0;
        for (int j = 0; j <= row; ++j)
          expected += weight[size_t(j)] / total * double(nearestHalf(before[size_t(j * stride + vals + d)]));
        CHECK(double(out[size_t(row * outStride + h * dim + d)]) == Approx(expected).margin(2e-6));
      }
    }
  CHECK(out[24] == 0.0f); // padding of the row
}
