/* hr_template_float.c - Python's floats for templates: doubles as bit patterns, worked with by integers alone.
 *
 * A core without a double-precision unit has no double arithmetic, and a template needs little of it: numbers of a
 * context that are printed as they came, a sum here and there. Everything is exact first, a f64_ratio of two big
 * integers times a power of two, and is rounded once, half to even, which is what IEEE 754 asks of each operation.
 */
#include "hr_template_internal.h"

HR_SMALL_BEGIN

#define LIMBS 100 /* 3200 bits: 400 digits times 10^325, or 2^1074 times 10^17 times 2^1100 */
#define EXPONENT_BIAS 1075
#define INFINITE 0x7ff0000000000000u
#define NOT_A_NUMBER 0x7ff8000000000000u
#define SIGN 0x8000000000000000u

typedef struct big {
  uint32_t limb[LIMBS]; /* little endian */
  uint32_t n;           /* limbs in use; the top one is not 0 */
} big;

static void big_trim(big *b) {
  while (b->n && !b->limb[b->n - 1])
    --b->n;
}

static void big_set(big *b, uint64_t x) {
  b->limb[0] = (uint32_t)x;
  b->limb[1] = (uint32_t)(x >> 32);
  b->n = 2;
  big_trim(b);
}

static uint32_t big_bits(const big *b) { return b->n ? 32 * b->n - (uint32_t)__builtin_clz(b->limb[b->n - 1]) : 0; }

/* b = b * factor + f64_add */
static void big_scale(big *b, uint32_t factor, uint32_t f64_add) {
  uint64_t carry = f64_add;
  for (uint32_t i = 0; i < b->n; ++i) {
    carry += (uint64_t)b->limb[i] * factor;
    b->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry && b->n < LIMBS)
    b->limb[b->n++] = (uint32_t)carry;
}

static void big_shift(big *b, uint32_t bits) {
  uint32_t words = bits / 32, rest = bits % 32;
  if (!b->n || b->n + words + 1 > LIMBS)
    return;
  for (uint32_t i = b->n; i-- > 0;)
    b->limb[i + words] = b->limb[i];
  for (uint32_t i = 0; i < words; ++i)
    b->limb[i] = 0;
  b->n += words;
  if (rest)
    big_scale(b, 1u << rest, 0);
}

static void big_ten_to(big *b, uint32_t power) {
  for (; power >= 9; power -= 9)
    big_scale(b, 1000000000u, 0);
  for (; power; --power)
    big_scale(b, 10, 0);
}

static int big_order(const big *a, const big *b) {
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (uint32_t i = a->n; i-- > 0;)
    if (a->limb[i] != b->limb[i])
      return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

/* a -= b, a >= b */
static void big_subtract(big *a, const big *b) {
  uint64_t borrow = 0;
  for (uint32_t i = 0; i < a->n; ++i) {
    uint64_t take = (i < b->n ? b->limb[i] : 0u) + borrow;
    borrow = a->limb[i] < take;
    a->limb[i] = (uint32_t)(a->limb[i] - take);
  }
  big_trim(a);
}

static void big_add(big *a, const big *b) {
  uint64_t carry = 0;
  uint32_t n = a->n > b->n ? a->n : b->n;
  for (uint32_t i = 0; i < n; ++i) {
    carry += (uint64_t)(i < a->n ? a->limb[i] : 0) + (i < b->n ? b->limb[i] : 0);
    a->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  a->n = n;
  if (carry && n < LIMBS)
    a->limb[a->n++] = (uint32_t)carry;
}

/* Quotient below 2^64 of num / den; num becomes the remainder. */
static uint64_t big_divide(big *num, const big *den) {
  uint64_t quotient = 0;
  for (int bit = 63; bit >= 0; --bit) {
    big part = *den;
    if (big_bits(den) + (uint32_t)bit > big_bits(num))
      continue;
    big_shift(&part, (uint32_t)bit);
    if (big_order(&part, num) <= 0) {
      big_subtract(num, &part);
      quotient |= (uint64_t)1 << bit;
    }
  }
  return quotient;
}

/* sign * (mantissa + a bit more, if `more`) * 2^exponent, rounded half to even. */
static uint64_t f64_pack(uint64_t sign, uint64_t mantissa, bool more, int32_t exponent) {
  if (!mantissa)
    return sign;
  int32_t up = __builtin_clzll(mantissa);
  mantissa <<= up;
  exponent -= up;
  int32_t drop = 11;
  if (exponent + drop < 1 - EXPONENT_BIAS) /* denormal */
    drop = 1 - EXPONENT_BIAS - exponent;
  if (drop > 64)
    return sign;
  uint64_t kept = drop == 64 ? 0 : mantissa >> drop;
  uint64_t rest = drop == 64 ? mantissa : mantissa << (64 - drop), half = (uint64_t)1 << 63;
  if (rest > half || (rest == half && (more || (kept & 1))))
    ++kept;
  exponent += drop;
  if (kept >> 53) {
    kept >>= 1;
    ++exponent;
  }
  if (!(kept >> 52))
    return sign | kept;
  if (exponent + EXPONENT_BIAS > 2046)
    return sign | INFINITE;
  return sign | ((uint64_t)(exponent + EXPONENT_BIAS) << 52) | (kept & 0xfffffffffffffu);
}

/* num / den * 2^exponent; both are used up. */
static uint64_t f64_ratio(uint64_t sign, big *num, big *den, int32_t exponent) {
  if (!num->n)
    return sign;
  int32_t shift = 63 - ((int32_t)big_bits(num) - (int32_t)big_bits(den));
  if (shift > 0)
    big_shift(num, (uint32_t)shift);
  else
    big_shift(den, (uint32_t)-shift);
  uint64_t quotient = big_divide(num, den);
  return f64_pack(sign, quotient, num->n != 0, exponent - shift);
}

typedef struct f64_parts {
  uint64_t sign, mantissa;
  int32_t exponent;
} f64_parts;

static bool is_finite(uint64_t bits) { return (bits & INFINITE) != INFINITE; }
static bool is_nan(uint64_t bits) { return (bits & ~SIGN) > INFINITE; }
static bool is_zero(uint64_t bits) { return !(bits & ~SIGN); }

static f64_parts take_apart(uint64_t bits) {
  uint32_t e = bits >> 52 & 0x7ffu;
  uint64_t m = bits & 0xfffffffffffffu;
  return (f64_parts){bits & SIGN, e ? m | (uint64_t)1 << 52 : m, (int32_t)(e ? e : 1) - EXPONENT_BIAS};
}

static uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

uint64_t hr_f64_from_int(int64_t x) { return f64_pack(x < 0 ? SIGN : 0, magnitude(x), false, 0); }

bool hr_f64_to_int(uint64_t bits, int64_t *x) {
  f64_parts p = take_apart(bits);
  if (!is_finite(bits) || p.exponent > 10)
    return false;
  uint64_t m = p.exponent >= 0 ? p.mantissa << p.exponent : p.exponent > -64 ? p.mantissa >> -p.exponent : 0;
  if (m > INT64_MAX)
    return false;
  *x = p.sign ? -(int64_t)m : (int64_t)m;
  return true;
}

uint64_t hr_f64_divide_ints(int64_t a, int64_t b) {
  big num, den;
  big_set(&num, magnitude(a));
  big_set(&den, magnitude(b));
  return f64_ratio((a < 0) != (b < 0) ? SIGN : 0, &num, &den, 0);
}

int hr_f64_order(uint64_t a, uint64_t b) {
  if (is_nan(a) || is_nan(b))
    return 2;
  if (is_zero(a) && is_zero(b))
    return 0;
  if ((a ^ b) & SIGN)
    return a & SIGN ? -1 : 1;
  int order = a < b ? -1 : a > b;
  return a & SIGN ? -order : order;
}

/* Magnitudes of both at the same power of two, which is returned. */
static int32_t f64_align(const f64_parts *a, const f64_parts *b, big *x, big *y) {
  int32_t low = a->exponent < b->exponent ? a->exponent : b->exponent;
  big_set(x, a->mantissa);
  big_set(y, b->mantissa);
  big_shift(x, (uint32_t)(a->exponent - low));
  big_shift(y, (uint32_t)(b->exponent - low));
  return low;
}

static uint64_t f64_add(uint64_t a, uint64_t b) {
  if (!is_finite(a) || !is_finite(b)) {
    if (!is_finite(a) && !is_finite(b) && a != b)
      return NOT_A_NUMBER;
    return is_finite(a) ? b : a;
  }
  if (is_zero(a) && is_zero(b))
    return a & b;
  f64_parts p = take_apart(a), q = take_apart(b);
  big x, y, one;
  int32_t exponent = f64_align(&p, &q, &x, &y);
  big_set(&one, 1);
  if (p.sign == q.sign) {
    big_add(&x, &y);
    return f64_ratio(p.sign, &x, &one, exponent);
  }
  int order = big_order(&x, &y);
  if (order == 0)
    return 0;
  if (order > 0) {
    big_subtract(&x, &y);
    return f64_ratio(p.sign, &x, &one, exponent);
  }
  big_subtract(&y, &x);
  return f64_ratio(q.sign, &y, &one, exponent);
}

static uint64_t f64_multiply(uint64_t a, uint64_t b) {
  uint64_t sign = (a ^ b) & SIGN;
  if (is_nan(a) || is_nan(b))
    return NOT_A_NUMBER;
  if (!is_finite(a) || !is_finite(b))
    return is_zero(a) || is_zero(b) ? NOT_A_NUMBER : sign | INFINITE;
  f64_parts p = take_apart(a), q = take_apart(b);
  big x, y, one;
  big_set(&x, p.mantissa);
  y = x;
  big_scale(&x, (uint32_t)(q.mantissa >> 32), 0);
  big_trim(&x);
  big_shift(&x, 32);
  big_scale(&y, (uint32_t)q.mantissa, 0);
  big_trim(&y);
  big_add(&x, &y);
  big_set(&one, 1);
  return f64_ratio(sign, &x, &one, p.exponent + q.exponent);
}

/* b is not zero */
static uint64_t f64_divide(uint64_t a, uint64_t b) {
  uint64_t sign = (a ^ b) & SIGN;
  if (is_nan(a) || is_nan(b) || (!is_finite(a) && !is_finite(b)))
    return NOT_A_NUMBER;
  if (!is_finite(a) || !is_finite(b))
    return is_finite(a) ? sign : sign | INFINITE;
  f64_parts p = take_apart(a), q = take_apart(b);
  big x, y;
  big_set(&x, p.mantissa);
  big_set(&y, q.mantissa);
  return f64_ratio(sign, &x, &y, p.exponent - q.exponent);
}

/* With the sign of b, as Python does; b is not zero. */
static uint64_t f64_modulo(uint64_t a, uint64_t b) {
  if (!is_finite(a) || is_nan(b))
    return NOT_A_NUMBER;
  if (!is_finite(b))
    return is_zero(a) || !((a ^ b) & SIGN) ? a : b;
  f64_parts p = take_apart(a), q = take_apart(b);
  big x, y, one;
  int32_t exponent = f64_align(&p, &q, &x, &y);
  while (big_order(&x, &y) >= 0) {
    big part = y;
    uint32_t bits = big_bits(&x) - big_bits(&y);
    big_shift(&part, bits);
    if (big_order(&part, &x) > 0) {
      part = y;
      big_shift(&part, bits - 1);
    }
    big_subtract(&x, &part);
  }
  if (!x.n)
    return b & SIGN;
  if (p.sign != q.sign) {
    big_subtract(&y, &x);
    x = y;
  }
  big_set(&one, 1);
  return f64_ratio(q.sign, &x, &one, exponent);
}

uint64_t hr_f64_whole(uint64_t bits, bool up) {
  f64_parts p = take_apart(bits);
  if (!is_finite(bits) || p.exponent >= 0 || is_zero(bits))
    return bits;
  uint64_t whole = p.exponent > -64 ? p.mantissa >> -p.exponent : 0;
  bool more = p.exponent <= -64 || whole << -p.exponent != p.mantissa;
  if (more && up == !p.sign)
    ++whole;
  return f64_pack(p.sign, whole, false, 0);
}

static uint64_t floor_divide(uint64_t a, uint64_t b) {
  uint64_t mod = f64_modulo(a, b), div = f64_divide(f64_add(a, mod ^ SIGN), b);
  if (is_zero(div) || !is_finite(div))
    return is_finite(div) ? (a ^ b) & SIGN : div;
  uint64_t whole = hr_f64_whole(div, false), half = 0x3fe0000000000000u;
  if (hr_f64_order(f64_add(div, whole ^ SIGN), half) == 1)
    whole = f64_add(whole, half + ((uint64_t)1 << 52));
  return whole;
}

uint64_t hr_f64_calculate(enum hr_f64_op op, uint64_t a, uint64_t b) {
  switch (op) {
  case HR_F64_ADD:
    return f64_add(a, b);
  case HR_F64_SUB:
    return f64_add(a, b ^ SIGN);
  case HR_F64_MUL:
    return f64_multiply(a, b);
  case HR_F64_DIV:
    return f64_divide(a, b);
  case HR_F64_FLOORDIV:
    return floor_divide(a, b);
  default:
    return f64_modulo(a, b);
  }
}

/* ---- decimal ---- */
/* sign * digits * 10^power */
static uint64_t from_decimal(uint64_t sign, big *digits, int32_t power) {
  big one;
  big_set(&one, 1);
  if (!digits->n || power < -760)
    return sign;
  if (power > 320)
    return sign | INFINITE;
  if (power >= 0)
    big_ten_to(digits, (uint32_t)power);
  else
    big_ten_to(&one, (uint32_t)-power);
  return f64_ratio(sign, digits, &one, 0);
}

static uint32_t skip_digits(const uint8_t *text, uint32_t at, uint32_t n) {
  while (at < n && text[at] >= '0' && text[at] <= '9')
    ++at;
  return at;
}

static bool parse_exponent(const uint8_t *text, uint32_t n, int32_t *exponent) {
  uint32_t at = n && (text[0] == '+' || text[0] == '-'), first = at;
  int32_t value = 0;
  for (; at < n && text[at] >= '0' && text[at] <= '9'; ++at)
    value = value < 100000 ? value * 10 + text[at] - '0' : value;
  *exponent = n && text[0] == '-' ? -value : value;
  return at == n && at > first;
}

#define MAX_DIGITS 400u /* more make no difference but that there are some */

bool hr_f64_parse(const uint8_t *text, size_t size, uint64_t *bits) {
  uint32_t n = size < UINT32_MAX ? (uint32_t)size : 0, at = n && (text[0] == '+' || text[0] == '-');
  uint64_t sign = n && text[0] == '-' ? SIGN : 0;
  uint32_t whole = skip_digits(text, at, n), end = whole;
  if (whole < n && text[whole] == '.')
    end = skip_digits(text, whole + 1, n);
  if (end - at - (end > whole) == 0)
    return false;
  int32_t power = 0;
  if (end < n && ((text[end] | 32) != 'e' || !parse_exponent(text + end + 1, n - end - 1, &power)))
    return false;
  big digits;
  big_set(&digits, 0);
  uint32_t taken = 0;
  int64_t exponent = power;
  for (uint32_t i = at; i < end; ++i) {
    if (text[i] == '.')
      continue;
    bool fraction = i > whole;
    if (!taken && text[i] == '0') { /* leading */
      exponent -= fraction;
    } else if (taken < MAX_DIGITS) {
      if (digits.n)
        big_scale(&digits, 10, (uint32_t)(text[i] - '0'));
      else
        big_set(&digits, (uint64_t)(text[i] - '0'));
      ++taken;
      exponent -= fraction;
    } else {
      digits.limb[0] |= text[i] != '0';
      exponent += !fraction;
    }
  }
  exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
  *bits = from_decimal(sign, &digits, (int32_t)exponent);
  return true;
}

/* value = num / den * 10^*power with 1 <= num / den < 10; bits is finite and not zero. */
static void normalize(uint64_t bits, big *num, big *den, int32_t *power) {
  f64_parts p = take_apart(bits);
  big_set(num, p.mantissa);
  big_set(den, 1);
  if (p.exponent >= 0)
    big_shift(num, (uint32_t)p.exponent);
  else
    big_shift(den, (uint32_t)-p.exponent);
  *power = 0;
  for (; big_order(num, den) >= 0; ++*power)
    big_scale(den, 10, 0);
  for (; big_order(num, den) < 0; --*power)
    big_scale(num, 10, 0);
}

/* `count` digits (at most 17), rounded half to even; returns them as a number and the power of ten of the first. */
static uint64_t digits_of(uint64_t bits, uint32_t count, int32_t *power) {
  big num, den;
  uint64_t digits = 0;
  normalize(bits, &num, &den, power);
  for (uint32_t i = 0; i < count; ++i) {
    digits = digits * 10 + big_divide(&num, &den);
    big_scale(&num, 10, 0);
    big_trim(&num);
  }
  big_scale(&den, 5, 0); /* num was multiplied by ten: compares the rest with a half */
  int order = big_order(&num, &den);
  if (order > 0 || (order == 0 && (digits & 1)))
    ++digits;
  uint64_t limit = 1;
  for (uint32_t i = 0; i < count; ++i)
    limit *= 10;
  if (digits == limit) {
    digits /= 10;
    ++*power;
  }
  return digits;
}

/* The fewest digits that give the same double. */
static uint32_t shortest(uint64_t bits, char digits[17], int32_t *power) {
  uint64_t value = 0;
  uint32_t count = 0;
  bool same = false;
  while (!same && count < 17) {
    value = digits_of(bits, ++count, power);
    big number;
    big_set(&number, value);
    same = from_decimal(0, &number, *power - (int32_t)count + 1) == bits;
  }
  for (uint32_t i = count; i-- > 0; value /= 10)
    digits[i] = (char)('0' + value % 10);
  while (count > 1 && digits[count - 1] == '0')
    --count;
  return count;
}

static uint32_t repr_special(uint64_t bits, char *out) {
  const char *text = is_nan(bits) ? "nan" : is_finite(bits) ? "0.0" : "inf";
  for (int i = 0; i < 3; ++i)
    out[i] = text[i];
  return 3;
}

uint32_t hr_f64_repr(uint64_t bits, char text[HR_F64_TEXT]) {
  uint32_t at = 0;
  if ((bits & SIGN) && !is_nan(bits))
    text[at++] = '-';
  bits &= ~SIGN;
  if (is_zero(bits) || !is_finite(bits))
    return at + repr_special(bits, text + at);
  char digits[17];
  int32_t power;
  uint32_t n = shortest(bits, digits, &power);
  bool scientific = power < -4 || power >= 16;
  int32_t point = scientific ? 1 : power + 1; /* digits before it */
  if (point <= 0)
    text[at++] = '0';
  for (int32_t i = 0; i < point; ++i)
    text[at++] = i < (int32_t)n ? digits[i] : '0';
  if (!scientific || n > 1)
    text[at++] = '.';
  for (int32_t i = point; i < 0; ++i)
    text[at++] = '0';
  for (int32_t i = point > 0 ? point : 0; i < (int32_t)n; ++i)
    text[at++] = digits[i];
  if (!scientific) {
    if (point >= (int32_t)n)
      text[at++] = '0';
    return at;
  }
  text[at++] = 'e';
  text[at++] = power < 0 ? '-' : '+';
  uint32_t e = (uint32_t)(power < 0 ? -power : power);
  if (e >= 100)
    text[at++] = (char)('0' + e / 100);
  text[at++] = (char)('0' + e / 10 % 10);
  text[at++] = (char)('0' + e % 10);
  return at;
}

/* round(|value| * 10^digits), half to even, as a big integer. */
static void f64_scaled(uint64_t bits, int32_t digits, big *whole) {
  f64_parts p = take_apart(bits);
  big num, den, ten;
  big_set(&num, p.mantissa);
  big_set(&den, 1);
  if (p.exponent >= 0)
    big_shift(&num, (uint32_t)p.exponent);
  else
    big_shift(&den, (uint32_t)-p.exponent);
  big_ten_to(digits >= 0 ? &num : &den, (uint32_t)(digits < 0 ? -digits : digits));
  big_trim(&num);
  big_set(whole, 0);
  while (big_order(&num, &den) >= 0) { /* bit by bit */
    uint32_t shift = big_bits(&num) - big_bits(&den);
    big part = den;
    big_shift(&part, shift);
    if (big_order(&part, &num) > 0) {
      part = den;
      big_shift(&part, --shift);
    }
    big_subtract(&num, &part);
    big_set(&ten, 1);
    big_shift(&ten, shift);
    big_add(whole, &ten);
  }
  big_scale(&num, 2, 0);
  big_trim(&num);
  int order = big_order(&num, &den);
  big_set(&ten, 1);
  if (order > 0 || (order == 0 && whole->n && (whole->limb[0] & 1)))
    big_add(whole, &ten);
}

uint64_t hr_f64_round(uint64_t bits, int32_t digits) {
  if (!is_finite(bits) || is_zero(bits) || digits > 323)
    return bits;
  if (digits < -308)
    return bits & SIGN;
  big whole;
  f64_scaled(bits, digits, &whole);
  return from_decimal(bits & SIGN, &whole, -digits);
}

void hr_f64_put_fixed(hr_tpl_machine *m, uint64_t bits, int32_t digits) {
  if ((bits & SIGN) && !is_nan(bits))
    hr_tpl_put_text(m, "-");
  bits &= ~SIGN;
  if (!is_finite(bits)) {
    hr_tpl_put_text(m, is_nan(bits) ? "nan" : "inf");
    return;
  }
  char text[400]; /* 309 digits before the point, 60 behind it */
  uint32_t n = 0;
  big whole;
  digits = digits < 0 ? 6 : digits > HR_F64_PLACES ? HR_F64_PLACES : digits;
  f64_scaled(bits, digits, &whole);
  while (whole.n || n <= (uint32_t)digits) {
    uint64_t rest = 0;
    for (uint32_t i = whole.n; i-- > 0;) {
      rest = rest << 32 | whole.limb[i];
      whole.limb[i] = (uint32_t)(rest / 10);
      rest %= 10;
    }
    big_trim(&whole);
    text[n++] = (char)('0' + rest);
  }
  while (n-- > 0) {
    hr_tpl_put(m, &text[n], 1);
    if (n && n == (uint32_t)digits)
      hr_tpl_put_text(m, ".");
  }
}

HR_SMALL_END
