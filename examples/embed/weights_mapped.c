/* The weights as a file beside the program: mapped, so that they cost no memory until they are read. */
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

const void *load_weights(size_t *bytes) {
  struct stat info;
  int file = open(WEIGHTS_FILE, O_RDONLY);
  if (file < 0 || fstat(file, &info) != 0)
    return 0;
  *bytes = (size_t)info.st_size;
  void *address = mmap(0, *bytes, PROT_READ, MAP_SHARED, file, 0);
  return address == MAP_FAILED ? 0 : address;
}
