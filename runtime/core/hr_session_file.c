/* hr_session_file.c - a session as bytes: what is needed to go on without computing anything again.
 *
 *   0     session_header
 *   64    int32 ids[length]
 *   ...   for each cache K, then V: for each head the filled positions, as they lie in memory (runtime/abi/README.md);
 *         of K's last tile only the filled lanes
 *   end   uint64: the hash of all before it
 *
 * Little endian. No padding, nothing that depends on the arena, the target or the number of threads: equal sessions
 * give equal bytes, and any library of the same weights.bin with the same caches reads them.
 */
#include "hr_internal.h"

HR_SMALL_BEGIN

#define SESSION_MAGIC "HRSESS\0\1" /* 8 bytes */
enum { key_tile = 32 /* positions of a tile of K */ };

typedef struct session_header {
  char magic[8];
  uint32_t version;      /* HR_ABI_VERSION */
  uint32_t header_bytes; /* sizeof(session_header) */
  uint64_t blob_hash;    /* of the weights.bin that the cache was computed with */
  uint64_t cache_hash;   /* of the sizes and types of the caches */
  uint32_t context;
  uint32_t length;      /* positions */
  int32_t pending;      /* hr_session_ids, -1: none */
  uint32_t reserved;    /* zero */
  uint64_t draws;       /* where the draws go on */
  uint64_t header_hash; /* of all before it */
} session_header;
_Static_assert(sizeof(session_header) == 64, "the file's layout");

/* Something done with every range of bytes of the file in turn. */
typedef struct visitor {
  hr_status (*visit)(struct visitor *self, void *data, size_t bytes);
  hr_write_fn write;
  hr_read_fn read;
  void *user;
  uint64_t bytes, hash; /* so far */
} visitor;

static hr_status visit_count(visitor *v, void *data, size_t bytes) {
  (void)data;
  v->bytes += bytes;
  return HR_OK;
}

static hr_status visit_write(visitor *v, void *data, size_t bytes) {
  v->hash = hr_hash64(data, bytes, v->hash);
  return v->write(v->user, data, bytes);
}

static hr_status visit_read(visitor *v, void *data, size_t bytes) {
  hr_status status = v->read(v->user, data, bytes);
  if (!status)
    v->hash = hr_hash64(data, bytes, v->hash);
  return status;
}

static size_t element_bytes(uint32_t type) { return type == HR_KV_F16 ? 2 : 4; }

/* K: elem[kv_heads][C/32][head_dim][32 positions]. */
static hr_status visit_keys(visitor *v, uint8_t *at, const hr_kv *kv, uint32_t context, uint32_t length) {
  const size_t element = element_bytes(kv->k_type), row = key_tile * element,
               whole = length / key_tile * (kv->head_dim * row);
  for (uint32_t head = 0; head < kv->kv_heads; ++head, at += (size_t)context * kv->head_dim * element) {
    hr_status status = whole ? v->visit(v, at, whole) : HR_OK;
    for (uint32_t d = 0; !status && length % key_tile && d < kv->head_dim; ++d)
      status = v->visit(v, at + whole + d * row, length % key_tile * element);
    if (status)
      return status;
  }
  return HR_OK;
}

/* V: elem[kv_heads][C][head_dim]. */
static hr_status visit_values(visitor *v, uint8_t *at, const hr_kv *kv, uint32_t context, uint32_t length) {
  const size_t position = kv->head_dim * element_bytes(kv->v_type);
  for (uint32_t head = 0; length && head < kv->kv_heads; ++head, at += context * position) {
    hr_status status = v->visit(v, at, length * position);
    if (status)
      return status;
  }
  return HR_OK;
}

/* Ids and caches of `length` positions. */
static hr_status visit_positions(visitor *v, const hr_session *session, uint32_t length) {
  const hr_library *l = session->model->library;
  hr_status status = length ? v->visit(v, session->ids, length * sizeof(int32_t)) : HR_OK;
  for (uint32_t i = 0; !status && i < l->kv_count; ++i) {
    uint8_t *base = session->base[l->kv[i].base];
    status = visit_keys(v, base + l->kv[i].k_offset, &l->kv[i], l->context, length);
    if (!status)
      status = visit_values(v, base + l->kv[i].v_offset, &l->kv[i], l->context, length);
  }
  return status;
}

static uint64_t cache_hash(const hr_library *l) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < l->kv_count; ++i) {
    const hr_kv *kv = &l->kv[i];
    const uint32_t facts[] = {kv->k_type, kv->v_type, kv->kv_heads, kv->head_dim, kv->window};
    hash = hr_hash64(facts, sizeof facts, hash);
  }
  return hash;
}

static session_header session_header_of(const hr_session *session) {
  const hr_library *l = session->model->library;
  session_header h = {.version = HR_ABI_VERSION,
                      .header_bytes = sizeof h,
                      .blob_hash = l->blob_hash,
                      .cache_hash = cache_hash(l),
                      .context = l->context,
                      .length = session->length,
                      .pending = session->pending ? session->ids[session->length] : -1,
                      .draws = session->draws};
  __builtin_memcpy(h.magic, SESSION_MAGIC, sizeof h.magic);
  h.header_hash = hr_hash64(&h, offsetof(session_header, header_hash), 0);
  return h;
}

uint64_t hr_session_file_bytes(const hr_session *session) {
  visitor v = {.visit = visit_count};
  visit_positions(&v, session, session->length);
  return sizeof(session_header) + v.bytes + sizeof v.hash;
}

hr_status hr_session_save(const hr_session *session, hr_write_fn write, void *user) {
  if (!session || !write)
    return HR_INVALID_ARGUMENT;
  visitor v = {.visit = visit_write, .write = write, .user = user};
  session_header header = session_header_of(session);
  hr_status status = visit_write(&v, &header, sizeof header);
  if (!status)
    status = visit_positions(&v, session, session->length);
  return status ? status : write(user, &v.hash, sizeof v.hash);
}

static hr_status session_differs(hr_problem *problem, hr_status status, const char *what, uint64_t expected,
                                 uint64_t found, uint32_t hex) {
  if (problem)
    *problem = (hr_problem){what, expected, found, -1, hex};
  return status;
}

static hr_status check_session_header(const session_header *h, const hr_library *l, hr_problem *problem) {
  uint64_t want, have, hash = hr_hash64(h, offsetof(session_header, header_hash), 0);
  __builtin_memcpy(&want, SESSION_MAGIC, sizeof want);
  __builtin_memcpy(&have, h->magic, sizeof have);
  if (want != have)
    return session_differs(problem, HR_BAD_SESSION, "magic number", want, have, 1);
  if (h->version != HR_ABI_VERSION)
    return session_differs(problem, HR_BAD_SESSION, "version", HR_ABI_VERSION, h->version, 0);
  if (h->header_hash != hash || h->header_bytes != sizeof *h || h->reserved)
    return session_differs(problem, HR_BAD_SESSION, "hash of the header", h->header_hash, hash, 1);
  if (h->blob_hash != l->blob_hash)
    return session_differs(problem, HR_MISMATCH, "hash of weights.bin", l->blob_hash, h->blob_hash, 1);
  if (h->context != l->context)
    return session_differs(problem, HR_MISMATCH, "positions of the context", l->context, h->context, 0);
  if (h->cache_hash != cache_hash(l))
    return session_differs(problem, HR_MISMATCH, "hash of the caches' types and sizes", cache_hash(l), h->cache_hash,
                           1);
  if (h->length > l->max_positions)
    return session_differs(problem, HR_BAD_SESSION, "most positions", l->max_positions, h->length, 0);
  if (h->pending < -1 || h->pending >= (int64_t)l->vocab_size)
    return session_differs(problem, HR_BAD_SESSION, "ids below", l->vocab_size, (uint32_t)h->pending, 0);
  return HR_OK;
}

static hr_status check_session_ids(const hr_session *session, uint32_t length, hr_problem *problem) {
  uint32_t vocab = session->model->library->vocab_size;
  for (uint32_t i = 0; i < length; ++i)
    if ((uint32_t)session->ids[i] >= vocab)
      return session_differs(problem, HR_BAD_SESSION, "ids below", vocab, (uint32_t)session->ids[i], 0);
  return HR_OK;
}

hr_status hr_session_load(hr_session *session, hr_read_fn read, void *user, hr_problem *problem) {
  session_differs(problem, HR_OK, "", 0, 0, 0);
  if (!session || !read)
    return HR_INVALID_ARGUMENT;
  visitor v = {.visit = visit_read, .read = read, .user = user};
  session_header header;
  hr_status status = visit_read(&v, &header, sizeof header);
  if (!status)
    status = check_session_header(&header, session->model->library, problem);
  if (status)
    return status;
  hr_session_rewind(session, 0); /* what follows overwrites the cache */
  status = visit_positions(&v, session, header.length);
  uint64_t hash = 0;
  if (!status)
    status = read(user, &hash, sizeof hash);
  if (!status && hash != v.hash)
    status = session_differs(problem, HR_BAD_SESSION, "hash of the session", hash, v.hash, 1);
  if (!status)
    status = check_session_ids(session, header.length, problem);
  if (status)
    return status;
  session->length = header.length;
  session->draws = header.draws;
  session->pending = header.pending >= 0;
  if (session->pending)
    session->ids[session->length] = header.pending;
  return HR_OK;
}

HR_SMALL_END
