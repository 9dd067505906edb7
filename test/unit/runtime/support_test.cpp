// support_test.cpp - the functions that compilers call, under other names.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

extern "C" {
void *test_memcpy(void *to, const void *from, size_t n);
void *test_memmove(void *to, const void *from, size_t n);
void *test_memset(void *to, int value, size_t n);
int test_memcmp(const void *a, const void *b, size_t n);
float test___gnu_h2f_ieee(uint16_t half);
uint16_t test___gnu_f2h_ieee(float value);
uint64_t test___aeabi_dadd(uint64_t a, uint64_t b);
int test___aeabi_dcmpgt(uint64_t a, uint64_t b);
}

TEST_CASE("memory functions do what C says") {
  std::mt19937 generator(3);
  for (int round = 0; round < 4000; ++round) {
    std::vector<uint8_t> a(200), b;
    for (uint8_t &x : a)
      x = static_cast<uint8_t>(generator());
    b = a;
    const size_t from = generator() % 100, to = generator() % 100, n = generator() % 100;
    CHECK(test_memmove(a.data() + to, a.data() + from, n) == a.data() + to);
    std::memmove(b.data() + to, b.data() + from, n);
    CHECK(a == b);
    test_memset(a.data() + to, static_cast<int>(from), n);
    std::memset(b.data() + to, static_cast<int>(from), n);
    CHECK(a == b);
    std::vector<uint8_t> c(200, 1), d(200, 1);
    test_memcpy(c.data() + to, a.data() + from, n);
    std::memcpy(d.data() + to, a.data() + from, n);
    CHECK(c == d);
    const int ours = test_memcmp(c.data(), a.data(), n), theirs = std::memcmp(c.data(), a.data(), n);
    CHECK(((ours > 0) - (ours < 0)) == ((theirs > 0) - (theirs < 0)));
  }
}

static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void checkDoubles(double a, double b) {
  INFO(a << " and " << b);
  double sum = a + b;
  uint64_t ours = test___aeabi_dadd(bitsOf(a), bitsOf(b));
  if (std::isnan(sum))
    CHECK((ours & ~(1ull << 63)) > 0x7ffull << 52);
  else
    CHECK(ours == bitsOf(sum));
  CHECK((test___aeabi_dcmpgt(bitsOf(a), bitsOf(b)) != 0) == (a > b));
}

TEST_CASE("doubles are added and compared as the hardware does") {
  std::mt19937_64 generator(5);
  const double special[] = {0.0,  -0.0,      1.0,       -1.0,       4.9e-324, -4.9e-324, 2.2250738585072014e-308, 2.2250738585072009e-308,
                            1e308, -1e308, 1.7976931348623157e308, INFINITY, -INFINITY, NAN, 9007199254740993.0, 0.1};
  for (double a : special)
    for (double b : special)
      checkDoubles(a, b);
  for (int i = 0; i < 200000; ++i) {
    uint64_t a = generator(), b = generator();
    if (i % 2) // exponents close to each other, so that all bits count
      b = (b & ~(0x7ffull << 52)) | ((((a >> 52 & 0x7ff) + generator() % 120) % 0x7ff) << 52);
    if (i % 16 == 0)
      b = a ^ (generator() & 7) ^ 1ull << 63;
    double x, y;
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    checkDoubles(x, y);
    checkDoubles(y, x);
  }
}

static double halfValue(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return h & 0x8000 ? -magnitude : magnitude;
}

TEST_CASE("every half widens exactly, and narrows back") {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float wide = test___gnu_h2f_ieee(static_cast<uint16_t>(h));
    if ((h & 0x7c00) == 0x7c00) {
      CHECK((h & 0x3ff ? std::isnan(wide) : std::isinf(wide)));
    } else {
      CHECK(wide == halfValue(static_cast<uint16_t>(h)));
      CHECK(std::signbit(wide) == bool(h & 0x8000));
    }
    if ((h & 0x7c00) != 0x7c00 || !(h & 0x3ff))
      CHECK(test___gnu_f2h_ieee(wide) == h);
  }
}

TEST_CASE("narrowing rounds to nearest even") {
  // Between neighbours: just below, at, and just above the midpoint.
  for (uint16_t h = 0; h < 0x7bff; ++h) {
    const double low = halfValue(h), high = halfValue(static_cast<uint16_t>(h + 1));
    const float middle = static_cast<float>((low + high) / 2); // exact
    CHECK(test___gnu_f2h_ieee(middle) == (h & 1 ? h + 1 : h));
    CHECK(test___gnu_f2h_ieee(std::nextafterf(middle, 0)) == h);
    CHECK(test___gnu_f2h_ieee(std::nextafterf(middle, 1e9f)) == h + 1);
  }
  CHECK(test___gnu_f2h_ieee(65519.996f) == 0x7bff);
  CHECK(test___gnu_f2h_ieee(65520.0f) == 0x7c00);
  CHECK(test___gnu_f2h_ieee(-1e30f) == 0xfc00);
  CHECK(test___gnu_f2h_ieee(1e-30f) == 0);
  CHECK((test___gnu_f2h_ieee(NAN) & 0x7e00) == 0x7e00);
}
