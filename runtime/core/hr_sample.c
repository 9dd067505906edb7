/* hr_sample.c - choosing the next id. Deterministic: own generator, own exp, every sum in a stated order.
 *
 * Every operation rounds once to binary32 and nothing is fused, so that a CPU without FMA draws the same ids as any
 * other.
 */
#include "hr_internal.h"

typedef struct candidate {
  float value; /* the logit; later its probability relative to the best one's */
  int32_t id;
} candidate;

/* splitmix64 (Steele, Lea, Flood 2014). */
float hr_random_unit(hr_random *random) {
  uint64_t z = random->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (float)(int32_t)(z >> 40) * 0x1p-24f;
}

bool hr_random_reaches(uint64_t seed, uint64_t state) {
  return (state - seed) * 0xF1DE83E19937733Du <= UINT32_MAX; /* the inverse of what a draw adds */
}

static float bits_float(uint32_t bits) {
  float f;
  __builtin_memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t float_bits(float f) {
  uint32_t bits;
  __builtin_memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* exp of runtime/abi/README.md for x <= 0, each fma in two roundings. */
float hr_exp(float x) {
  if (!(x >= -87.33654f))
    return 0;
  float scaled = x * 1.44269504f;
  int32_t n =
      (int32_t)(scaled -
                0.5f); /* nearest, for scaled <= 0; which way a tie goes only moves r from one end to the other */
  float fn = (float)n;
  float r = x + fn * -0.693359375f; /* the product is exact */
  r = r + fn * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float y = p * (r * r) + r + 1.0f;
  int32_t half = n >> 1;
  return y * bits_float((uint32_t)(half + 127) << 23) * bits_float((uint32_t)(n - half + 127) << 23);
}

/* The largest logit and whether all are finite, by keys that order like floats and reduce well as integers. */
static bool scan(const float *logits, uint32_t vocab, float *largest) {
  int32_t best = INT32_MIN;
  uint32_t bad = 0;
  for (uint32_t i = 0; i < vocab; ++i) {
    uint32_t bits = float_bits(logits[i]);
    bad |= (bits & 0x7f800000u) == 0x7f800000u;
    int32_t key = (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & 0x7fffffffu));
    best = key > best ? key : best;
  }
  uint32_t bits = (uint32_t)best ^ ((uint32_t)(best >> 31) & 0x7fffffffu);
  *largest = bits_float(bits);
  return !bad;
}

static bool already(const int32_t *seen, uint32_t i) {
  for (uint32_t j = 0; j < i; ++j)
    if (seen[j] == seen[i])
      return true;
  return false;
}

/* value[id] is the logit with the penalty applied once to each seen id. */
static void penalise(candidate *c, const int32_t *seen, uint32_t n_seen, float penalty) {
  for (uint32_t i = 0; i < n_seen; ++i)
    if (!already(seen, i)) {
      float *v = &c[seen[i]].value;
      *v = *v > 0 ? *v / penalty : *v * penalty;
    }
}

static bool ranks_before(candidate a, candidate b) { return a.value > b.value || (a.value == b.value && a.id < b.id); }

/* Whether a belongs above b in a heap with the first candidate on top (best), or the last. */
static bool above(candidate a, candidate b, bool best) { return best ? ranks_before(a, b) : ranks_before(b, a); }

/* Restores a heap whose element i may be out of place. */
static void sift(candidate *c, uint32_t n, uint32_t i, bool best) {
  candidate moving = c[i];
  for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && above(c[child + 1], c[child], best))
      ++child;
    if (!above(c[child], moving, best))
      break;
    c[i] = c[child];
  }
  c[i] = moving;
}

/* Leaves the k best of n candidates in c[0 .. k), in no particular order. */
static void keep_best(candidate *c, uint32_t n, uint32_t k) {
  for (uint32_t i = k / 2; i-- > 0;)
    sift(c, k, i, false);
  for (uint32_t i = k; i < n; ++i)
    if (ranks_before(c[i], c[0])) {
      c[0] = c[i];
      sift(c, k, 0, false);
    }
}

/* Moves candidates in order to the end of the array, last first: all of them, or until their values add up to `mass` (<
 * 0: no limit). Returns how many; c[n - 1], c[n - 2] ... are then the first, second ... */
static uint32_t sort_some(candidate *c, uint32_t n, float mass) {
  for (uint32_t i = n / 2; i-- > 0;)
    sift(c, n, i, true);
  float sum = 0;
  uint32_t taken = 0;
  while (taken < n) {
    candidate top = c[0];
    uint32_t last = n - 1 - taken++;
    c[0] = c[last];
    c[last] = top;
    if (last)
      sift(c, last, 0, true);
    sum += top.value;
    if (mass >= 0 && sum >= mass)
      break;
  }
  return taken;
}

/* The candidates in the order of the draw. */
typedef struct order {
  const candidate *first;
  ptrdiff_t stride; /* 1 or -1 */
  uint32_t count;
} order;

/* From logits to probabilities relative to the best one's: that one becomes 1. */
static void to_probabilities(candidate *c, uint32_t n, float temperature) {
  float largest = c[0].value;
  for (uint32_t i = 1; i < n; ++i)
    largest = c[i].value > largest ? c[i].value : largest;
  for (uint32_t i = 0; i < n; ++i)
    c[i].value = hr_exp((c[i].value - largest) / temperature);
}

/* The most probable candidates that hold top_p of the mass. sort: in descending order in any case. */
static order choose_candidates(candidate *c, uint32_t n, float top_p, bool sort) {
  bool by_p = top_p > 0 && top_p < 1;
  if (!by_p && !sort)
    return (order){c, 1, n};
  float mass = 0;
  for (uint32_t i = 0; by_p && i < n; ++i)
    mass += c[i].value;
  uint32_t count = sort_some(c, n, by_p ? mass * top_p : -1);
  return (order){c + n - 1, -1, count};
}

static int32_t draw(order o, float min_p, hr_random *random) {
  float sum = 0, at = 0;
  int32_t id = o.first->id;
  for (int pass = 0; pass < 2; ++pass) {
    float target = pass ? hr_random_unit(random) * sum : 0;
    for (uint32_t i = 0; i < o.count; ++i) {
      candidate c = o.first[(ptrdiff_t)i * o.stride];
      if (c.value < min_p || c.value == 0)
        continue;
      if (!pass) {
        sum += c.value;
        continue;
      }
      id = c.id; /* the last possible one stays if rounding leaves the target just above the sum */
      if ((at += c.value) > target)
        return id;
    }
  }
  return id;
}

size_t hr_sample_scratch(uint32_t vocab) { return (size_t)vocab * sizeof(candidate); }

static int32_t first_equal(const candidate *c, uint32_t vocab) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < vocab; ++i)
    if (c[i].value > c[best].value)
      best = i;
  return c[best].id;
}

hr_status hr_sample(const hr_sampling *sampling, hr_random *random, const float *logits, uint32_t vocab,
                    const int32_t *seen, uint32_t n_seen, void *scratch, int32_t *id) {
  float largest;
  if (!scan(logits, vocab, &largest))
    return HR_NOT_FINITE;
  bool penalty = sampling->repetition_penalty > 0 && sampling->repetition_penalty != 1 && n_seen;
  if (sampling->temperature <= 0 && !penalty) {
    int32_t i = 0;
    while (logits[i] != largest)
      ++i;
    *id = i;
    return HR_OK;
  }
  candidate *c = scratch;
  for (uint32_t i = 0; i < vocab; ++i)
    c[i] = (candidate){logits[i], (int32_t)i};
  if (penalty)
    penalise(c, seen, n_seen, sampling->repetition_penalty);
  if (sampling->temperature <= 0) {
    *id = first_equal(c, vocab);
    return HR_OK;
  }
  bool by_k = sampling->top_k > 0 && sampling->top_k < vocab;
  uint32_t n = by_k ? sampling->top_k : vocab;
  if (by_k)
    keep_best(c, vocab, n);
  to_probabilities(c, n, sampling->temperature);
  *id = draw(choose_candidates(c, n, sampling->top_p, by_k), sampling->min_p, random);
  return HR_OK;
}
