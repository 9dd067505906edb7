/* hr_bundle.c - is this a whole, undamaged bundle, and do its two halves belong together?
 *
 * weights.bin is input: nothing in it is believed before it is checked, and nothing is read past `weight_bytes`. The
 * library is code, trusted like the program itself; what is checked of it are its version and that it fits the blob.
 */
#include "hr_internal.h"

HR_SMALL_BEGIN

/* Records the problem (the caller may not want to know) and passes the status on. */
static hr_status refuse(hr_problem *problem, hr_status status, const char *what, int32_t section, uint64_t expected,
                        uint64_t found) {
  if (problem)
    *problem = (hr_problem){what, expected, found, section, 0};
  return status;
}

static hr_status refuse_hex(hr_problem *problem, hr_status status, const char *what, int32_t section, uint64_t expected,
                            uint64_t found) {
  refuse(problem, status, what, section, expected, found);
  if (problem)
    problem->hex = 1;
  return status;
}

const hr_blob_section *hr_blob_sections(const void *weights) {
  return (const hr_blob_section *)((const uint8_t *)weights + sizeof(hr_blob_header));
}

static uint64_t table_hash(const hr_blob_header *header) {
  hr_blob_header head = *header;
  head.table_hash = 0;
  return hr_hash64_pair(&head, sizeof head, hr_blob_sections(header), header->section_count * sizeof(hr_blob_section),
                        0);
}

static hr_status check_header(const void *weights, size_t weight_bytes, hr_problem *problem) {
  static const char magic[] = HR_BLOB_MAGIC;
  const hr_blob_header *h = weights;
  if (weight_bytes < sizeof *h)
    return refuse(problem, HR_BAD_BUNDLE, "bytes of the header", -1, sizeof *h, weight_bytes);
  uint64_t want, have;
  __builtin_memcpy(&want, magic, sizeof want);
  __builtin_memcpy(&have, h->magic, sizeof have);
  if (want != have)
    return refuse_hex(problem, HR_BAD_BUNDLE, "magic number", -1, want, have);
  if (h->version != HR_ABI_VERSION)
    return refuse(problem, HR_BAD_BUNDLE, "version", -1, HR_ABI_VERSION, h->version);
  if (h->header_bytes != sizeof *h)
    return refuse(problem, HR_BAD_BUNDLE, "header size", -1, sizeof *h, h->header_bytes);
  if (h->file_bytes != weight_bytes)
    return refuse(problem, HR_BAD_BUNDLE, "file size", -1, h->file_bytes, weight_bytes);
  if (h->section_count > HR_MAX_SECTIONS)
    return refuse(problem, HR_BAD_BUNDLE, "most sections", -1, HR_MAX_SECTIONS, h->section_count);
  if (sizeof *h + h->section_count * sizeof(hr_blob_section) > weight_bytes)
    return refuse(problem, HR_BAD_BUNDLE, "bytes of header and section table", -1,
                  sizeof *h + h->section_count * sizeof(hr_blob_section), weight_bytes);
  uint64_t hash = table_hash(h);
  if (hash != h->table_hash)
    return refuse_hex(problem, HR_BAD_BUNDLE, "hash of header and section table", -1, h->table_hash, hash);
  for (int i = 0; i < 7; ++i)
    if (h->reserved[i])
      return refuse(problem, HR_BAD_BUNDLE, "reserved header word", -1, 0, h->reserved[i]);
  return HR_OK;
}

/* `from` is the end of what lies before this section. */
static hr_status check_section(const hr_blob_section *s, int32_t i, uint64_t from, uint64_t file_bytes,
                               hr_problem *problem) {
  if (s->kind < HR_SECTION_WEIGHTS || s->kind > HR_SECTION_TEMPLATE)
    return refuse(problem, HR_BAD_BUNDLE, "highest section kind", i, HR_SECTION_TEMPLATE, s->kind);
  if (s->device >= HR_MAX_DEVICES)
    return refuse(problem, HR_BAD_BUNDLE, "highest section device", i, HR_MAX_DEVICES - 1, s->device);
  if (s->memory > HR_MEMORY_FLASH)
    return refuse(problem, HR_BAD_BUNDLE, "highest memory kind", i, HR_MEMORY_FLASH, s->memory);
  if (s->reserved)
    return refuse(problem, HR_BAD_BUNDLE, "reserved section word", i, 0, s->reserved);
  if (s->offset % HR_SECTION_ALIGN)
    return refuse(problem, HR_BAD_BUNDLE, "section offset", i,
                  (s->offset + HR_SECTION_ALIGN - 1) & ~(uint64_t)(HR_SECTION_ALIGN - 1), s->offset);
  if (s->offset < from)
    return refuse(problem, HR_BAD_BUNDLE, "lowest section offset", i, from, s->offset);
  if (s->offset > file_bytes || s->bytes > file_bytes - s->offset)
    return refuse(problem, HR_BAD_BUNDLE, "most section bytes", i, s->offset > file_bytes ? 0 : file_bytes - s->offset,
                  s->bytes);
  if (s->name[sizeof s->name - 1])
    return refuse(problem, HR_BAD_BUNDLE, "last byte of the section name", i, 0, (uint8_t)s->name[sizeof s->name - 1]);
  return HR_OK;
}

hr_status hr_blob_check(const void *weights, size_t weight_bytes, hr_problem *problem) {
  if (problem)
    *problem = (hr_problem){"", 0, 0, -1, 0};
  hr_status status = check_header(weights, weight_bytes, problem);
  if (status)
    return status;
  const hr_blob_header *h = weights;
  const hr_blob_section *s = hr_blob_sections(weights);
  uint64_t from = sizeof *h + h->section_count * sizeof *s;
  for (uint32_t i = 0; i < h->section_count; ++i) {
    if ((status = check_section(&s[i], (int32_t)i, from, h->file_bytes, problem)))
      return status;
    from = s[i].offset + s[i].bytes;
  }
  return HR_OK;
}

/* A library of another version, or one whose entries cannot be run here. */
static hr_status check_library(const hr_library *l, hr_problem *problem) {
  if (l->abi_version != HR_ABI_VERSION)
    return refuse(problem, HR_BAD_BUNDLE, "abi version of the library", -1, HR_ABI_VERSION, l->abi_version);
  if (l->bytes != sizeof *l)
    return refuse(problem, HR_BAD_BUNDLE, "descriptor size of the library", -1, sizeof *l, l->bytes);
  if (l->device_count > HR_MAX_DEVICES)
    return refuse(problem, HR_BAD_BUNDLE, "most devices of the library", -1, HR_MAX_DEVICES, l->device_count);
  for (uint32_t i = 0; i < l->device_count; ++i)
    if (!hr_device_find(l->devices[i].kind))
      return refuse(problem, HR_UNSUPPORTED, "device kind", -1, HR_DEVICE_CPU, l->devices[i].kind);
  if (l->model_kind > HR_MODEL_ENCODER)
    return refuse(problem, HR_UNSUPPORTED, "highest model kind", -1, HR_MODEL_ENCODER, l->model_kind);
  if (l->pooling > HR_POOLING_CLS)
    return refuse(problem, HR_UNSUPPORTED, "highest pooling", -1, HR_POOLING_CLS, l->pooling);
  if (!hr_find_entry(l, HR_ENTRY_BODY, 1))
    return refuse(problem, HR_BAD_BUNDLE, "body entries of the library", -1, 1, 0);
  if (l->model_kind == HR_MODEL_DECODER && !hr_find_entry(l, HR_ENTRY_HEAD, 1))
    return refuse(problem, HR_BAD_BUNDLE, "head entries of the library", -1, 1, 0);
  return HR_OK;
}

static hr_status check_bases(const hr_library *l, const void *weights, hr_problem *problem) {
  const hr_blob_header *h = weights;
  const hr_blob_section *sections = hr_blob_sections(weights);
  for (uint32_t i = 0; i < l->base_count; ++i) {
    const hr_base *b = &l->bases[i];
    if (b->kind != HR_BASE_SECTION)
      continue;
    if (b->section >= h->section_count)
      return refuse(problem, HR_MISMATCH, "fewest sections", -1, (uint64_t)b->section + 1, h->section_count);
    const hr_blob_section *s = &sections[b->section];
    int32_t row = (int32_t)b->section;
    if (s->kind != HR_SECTION_WEIGHTS || s->device != b->device)
      return refuse(problem, HR_MISMATCH, "device of the weight section", row, b->device, s->device);
    if (b->offset > s->bytes || s->bytes - b->offset < b->bytes)
      return refuse(problem, HR_MISMATCH, "fewest section bytes", row, b->offset + b->bytes, s->bytes);
    const hr_device_row *device = hr_device_find(l->devices[b->device].kind);
    if (!(device->memory_kinds >> s->memory & 1))
      return refuse(problem, HR_UNSUPPORTED, "memory kind of the section", row, HR_MEMORY_FILE_MAP, s->memory);
    uint64_t address = (uintptr_t)weights + s->offset + b->offset;
    if (b->align && address % b->align)
      return refuse(problem, HR_INVALID_ARGUMENT, "alignment of the mapped section", row, b->align, address % b->align);
  }
  return HR_OK;
}

hr_status hr_check_bundle(const hr_library *library, const void *weights, size_t weight_bytes, hr_problem *problem) {
  if (problem)
    *problem = (hr_problem){"", 0, 0, -1, 0};
  if (!library || (!weights && weight_bytes))
    return HR_INVALID_ARGUMENT;
  if (weight_bytes < sizeof(hr_blob_header)) /* an empty file is mapped to no place, or to any */
    return refuse(problem, HR_BAD_BUNDLE, "bytes of the header", -1, sizeof(hr_blob_header), weight_bytes);
  if ((uintptr_t)weights % _Alignof(hr_blob_header))
    return refuse(problem, HR_INVALID_ARGUMENT, "alignment of the mapped file", -1, _Alignof(hr_blob_header),
                  (uintptr_t)weights % _Alignof(hr_blob_header));
  hr_status status = check_library(library, problem);
  if (!status)
    status = hr_blob_check(weights, weight_bytes, problem);
  if (status)
    return status;
  const hr_blob_header *h = weights;
  if (h->table_hash != library->blob_hash)
    return refuse_hex(problem, HR_MISMATCH, "hash that the library was compiled for", -1, library->blob_hash,
                      h->table_hash);
  if (h->file_bytes != library->blob_bytes)
    return refuse(problem, HR_MISMATCH, "size that the library was compiled for", -1, library->blob_bytes,
                  h->file_bytes);
  return check_bases(library, weights, problem);
}

/* First non-zero byte of [from, to), or to. */
static uint64_t skip_zeros(const uint8_t *weights, uint64_t from, uint64_t to) {
  while (from < to && !weights[from])
    ++from;
  return from;
}

hr_status hr_check_payload(const hr_library *library, const void *weights, size_t weight_bytes, hr_problem *problem) {
  hr_status status = hr_check_bundle(library, weights, weight_bytes, problem);
  if (status)
    return status;
  const hr_blob_header *h = weights;
  const hr_blob_section *s = hr_blob_sections(weights);
  const uint8_t *bytes = weights;
  uint64_t from = sizeof *h + h->section_count * sizeof *s;
  for (uint32_t i = 0; i <= h->section_count; ++i) {
    uint64_t to = i < h->section_count ? s[i].offset : h->file_bytes, at = skip_zeros(bytes, from, to);
    if (at != to)
      return refuse(problem, HR_BAD_BUNDLE, "filling before the section, a byte", (int32_t)i, 0, bytes[at]);
    if (i == h->section_count)
      break;
    uint64_t hash = hr_hash64(bytes + s[i].offset, (size_t)s[i].bytes, 0);
    if (hash != s[i].hash)
      return refuse_hex(problem, HR_BAD_BUNDLE, "hash of the section", (int32_t)i, s[i].hash, hash);
    from = s[i].offset + s[i].bytes;
  }
  return HR_OK;
}

HR_SMALL_END
