#pragma once
// Counts what a real-time thread must not do, by standing in for the C library's functions in the process that links
// this. Nothing is counted outside begin…end, nor on other threads than the one that called begin.

/// Calls between begin and end.
typedef struct {
  /// malloc, calloc, realloc, memalign, aligned_alloc, posix_memalign.
  long allocations;
  /// free, and realloc of a block that exists.
  long frees;
  /// Mutexes, read-write locks, conditions and semaphores: each call, whether it had to wait or not.
  long locks;
  /// System calls by syscall(2): a futex that is waited for without the C library's locks, for one.
  long system_calls;
} martlet_guard_counts;

/// Begins to count on the calling thread, from 0.
void martlet_guard_begin(void);
/// Ends it.
martlet_guard_counts martlet_guard_end(void);
/// 0 where a sanitizer needs the functions for itself: then nothing is ever counted.
int martlet_guard_is_available(void);
