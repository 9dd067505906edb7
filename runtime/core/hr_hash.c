/* hr_hash.c - XXH64, written from the xxHash specification (version 0.1.1, section "XXH64 algorithm"). */
#include "hr_internal.h"

static const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu, prime3 = 0x165667B19E3779F9u,
                      prime4 = 0x85EBCA77C2B2AE63u, prime5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

/* The blob is little endian, and so are all targets. */
static uint64_t load64(const uint8_t *p) {
  uint64_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

static uint32_t load32(const uint8_t *p) {
  uint32_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

static uint64_t round64(uint64_t lane, uint64_t input) { return rotate(lane + input * prime2, 31) * prime1; }

static uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ round64(0, lane)) * prime1 + prime4; }

static uint64_t hash_tail(uint64_t hash, const uint8_t *p, size_t left) {
  for (; left >= 8; p += 8, left -= 8)
    hash = rotate(hash ^ round64(0, load64(p)), 27) * prime1 + prime4;
  if (left >= 4) {
    hash = rotate(hash ^ load32(p) * prime1, 23) * prime2 + prime3;
    p += 4, left -= 4;
  }
  for (; left; ++p, --left)
    hash = rotate(hash ^ *p * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

/* Takes whole stripes of 32 bytes into the four lanes; returns how many bytes were taken. */
static size_t take_stripes(uint64_t lane[4], const uint8_t *p, size_t bytes) {
  uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
  size_t taken = 0;
  for (; bytes - taken >= 32; taken += 32) {
    a = round64(a, load64(p + taken));
    b = round64(b, load64(p + taken + 8));
    c = round64(c, load64(p + taken + 16));
    d = round64(d, load64(p + taken + 24));
  }
  lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d;
  return taken;
}

uint64_t hr_hash64_pair(const void *head, size_t head_bytes, const void *data, size_t bytes, uint64_t seed) {
  const uint8_t *p = data;
  uint64_t hash = seed + prime5, total = (uint64_t)head_bytes + bytes;
  if (total >= 32) {
    uint64_t lane[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
    take_stripes(lane, head, head_bytes);
    size_t taken = take_stripes(lane, p, bytes);
    p += taken, bytes -= taken;
    hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (int i = 0; i < 4; ++i)
      hash = merge(hash, lane[i]);
  }
  return hash_tail(hash + total, p, bytes);
}

uint64_t hr_hash64(const void *data, size_t bytes, uint64_t seed) { return hr_hash64_pair(data, 0, data, bytes, seed); }
