#define _GNU_SOURCE
#include "CAllocationGuard.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define MARTLET_SANITIZED
#endif
#endif

#if defined(MARTLET_SANITIZED) || !defined(__GLIBC__) && !defined(__linux__)

void martlet_guard_begin(void) {}
martlet_guard_counts martlet_guard_end(void) { return (martlet_guard_counts){0, 0, 0, 0}; }
int martlet_guard_is_available(void) { return 0; }

#else

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stddef.h>

// initial-exec: reaching the variables must not itself allocate.
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))
PER_THREAD int counting;
PER_THREAD martlet_guard_counts counts;

void martlet_guard_begin(void) {
  counts = (martlet_guard_counts){0, 0, 0, 0};
  counting = 1;
}

martlet_guard_counts martlet_guard_end(void) {
  counting = 0;
  return counts;
}

int martlet_guard_is_available(void) { return 1; }

// MARK: Memory. glibc exports its own allocator under these names too.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  counts.allocations += counting;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  counts.allocations += counting;
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  counts.allocations += counting;
  if (block != NULL) counts.frees += counting;
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  counts.allocations += counting;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  counts.allocations += counting;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  counts.allocations += counting;
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *fresh = __libc_memalign(alignment, size);
  if (fresh == NULL) return ENOMEM;
  *block = fresh;
  return 0;
}

void free(void *block) {
  if (block != NULL) counts.frees += counting;
  __libc_free(block);
}

// MARK: Locks, handed on to the C library's own.

#define HAND_ON(name, parameters, arguments)                                                                          \
  int name parameters {                                                                                               \
    static int(*next) parameters;                                                                                     \
    int(*call) parameters = __atomic_load_n(&next, __ATOMIC_RELAXED);                                                 \
    if (call == NULL) {                                                                                               \
      call = (int(*) parameters)dlsym(RTLD_NEXT, #name);                                                              \
      __atomic_store_n(&next, call, __ATOMIC_RELAXED);                                                                \
    }                                                                                                                 \
    counts.locks += counting;                                                                                         \
    return call arguments;                                                                                            \
  }

HAND_ON(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
HAND_ON(pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
HAND_ON(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *time), (mutex, time))
HAND_ON(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
HAND_ON(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
HAND_ON(pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
HAND_ON(sem_wait, (sem_t * semaphore), (semaphore))
HAND_ON(sem_timedwait, (sem_t * semaphore, const struct timespec *time), (semaphore, time))
HAND_ON(sem_post, (sem_t * semaphore), (semaphore))

// The conditions have two versions in old C libraries, of which dlsym finds the older: asked for by version.
#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION "GLIBC_2.17"
#endif
#define HAND_ON_CONDITION(name, parameters, arguments)                                                                \
  int name parameters {                                                                                               \
    static int(*next) parameters;                                                                                     \
    int(*call) parameters = __atomic_load_n(&next, __ATOMIC_RELAXED);                                                 \
    if (call == NULL) {                                                                                               \
      call = (int(*) parameters)dlvsym(RTLD_NEXT, #name, CONDITION_VERSION);                                          \
      __atomic_store_n(&next, call, __ATOMIC_RELAXED);                                                                \
    }                                                                                                                 \
    counts.locks += counting;                                                                                         \
    return call arguments;                                                                                            \
  }

HAND_ON_CONDITION(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
HAND_ON_CONDITION(
    pthread_cond_timedwait, (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *time),
    (condition, mutex, time))
HAND_ON_CONDITION(pthread_cond_signal, (pthread_cond_t * condition), (condition))
HAND_ON_CONDITION(pthread_cond_broadcast, (pthread_cond_t * condition), (condition))

long syscall(long number, ...) {
  static long (*next)(long, ...);
  long (*call)(long, ...) = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (call == NULL) {
    call = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    __atomic_store_n(&next, call, __ATOMIC_RELAXED);
  }
  counts.system_calls += counting;
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  return call(number, a, b, c, d, e, f);
}

#endif
