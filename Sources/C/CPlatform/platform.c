#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

void martlet_thread_set_name(const char *name) {
  char cut[16] = {0};
  strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
}

int martlet_thread_set_realtime(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_RR, &parameters);
}

void martlet_thread_flush_denormals(void) {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
#elif defined(__aarch64__)
  unsigned long long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  __asm__ volatile("msr fpcr, %0" ::"r"(control | (1ull << 24)));
#endif
}

int martlet_open_for_reading(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

int martlet_open_for_writing(const char *path, unsigned mode) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
}

int martlet_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int martlet_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int martlet_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int martlet_temporary_file(char *pattern) { return mkostemp(pattern, O_CLOEXEC); }

int martlet_spawn_apart(void *actions, void *attributes, int first, int newSession) {
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setsigmask(attributes, &none);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#if defined(POSIX_SPAWN_SETSID)
  if (newSession) flags |= POSIX_SPAWN_SETSID;
#else
  if (newSession) return ENOTSUP;
#endif
  int result = posix_spawnattr_setflags(attributes, flags);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
  (void)actions, (void)first;
#endif
  return result;
}
