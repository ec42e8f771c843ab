#include "CPulse.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static CPulseTable table;
static atomic_int is_loaded;
static char failure[256] = "not loaded yet";
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The library stays loaded: it keeps state of its own, and nobody gains by unloading it.
static void load(void) {
  void *library = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *words = dlerror();
    snprintf(failure, sizeof failure, "%s", words ? words : "libpulse is not there");
    return;
  }
  CPulseTable found;
#define LOOK_UP(name)                                                                                                 \
  if (!(found.name = (__typeof__(found.name))dlsym(library, #name))) {                                                \
    snprintf(failure, sizeof failure, "libpulse lacks " #name);                                                       \
    return;                                                                                                           \
  }
  CPULSE_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  table = found;
  atomic_store(&is_loaded, 1);
}

const CPulseTable *cpulse_table(void) {
  pthread_once(&once, load);
  return atomic_load(&is_loaded) ? &table : NULL;
}

const char *cpulse_failure(void) { return failure; }
