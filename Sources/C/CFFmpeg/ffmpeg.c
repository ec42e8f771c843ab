#include "CFFmpeg.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static CFFmpegTable table;
static atomic_int is_loaded;
static char failure[256] = "not loaded yet";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *words = dlerror();
    snprintf(failure, sizeof failure, "%s", words ? words : name);
  }
  return library;
}

static int has_version(const char *name, unsigned loaded, unsigned compiled) {
  if (loaded >> 16 == compiled) return 1;
  snprintf(failure, sizeof failure, "%s has version %u where %u is needed", name, loaded >> 16, compiled);
  return 0;
}

// The libraries stay loaded: their code keeps state of its own, and nobody gains by unloading it.
static void load(void) {
  void *avutil = open_library("libavutil.so." TEXT(LIBAVUTIL_VERSION_MAJOR));
  if (!avutil) return;
  void *avcodec = open_library("libavcodec.so." TEXT(LIBAVCODEC_VERSION_MAJOR));
  if (!avcodec) return;
  void *avformat = open_library("libavformat.so." TEXT(LIBAVFORMAT_VERSION_MAJOR));
  if (!avformat) return;

  CFFmpegTable found;
#define LOOK_UP(library, name)                                                                                        \
  if (!(found.name = (__typeof__(found.name))dlsym(library, #name))) {                                                \
    snprintf(failure, sizeof failure, "lib" #library " lacks " #name);                                                \
    return;                                                                                                           \
  }
  CFFMPEG_FUNCTIONS(LOOK_UP)
#undef LOOK_UP

  if (!has_version("libavutil", found.avutil_version(), LIBAVUTIL_VERSION_MAJOR)) return;
  if (!has_version("libavcodec", found.avcodec_version(), LIBAVCODEC_VERSION_MAJOR)) return;
  if (!has_version("libavformat", found.avformat_version(), LIBAVFORMAT_VERSION_MAJOR)) return;

  found.av_log_set_level(AV_LOG_QUIET);
  // The most that one allocation for a hostile file may take. The index of a 30-hour audiobook needs half of it.
  found.av_max_alloc((size_t)256 << 20);
  table = found;
  atomic_store(&is_loaded, 1);
}

const CFFmpegTable *cffmpeg_table(void) {
  pthread_once(&once, load);
  return atomic_load(&is_loaded) ? &table : NULL;
}

int cffmpeg_is_loaded(void) { return atomic_load(&is_loaded); }

const char *cffmpeg_failure(void) { return failure; }
