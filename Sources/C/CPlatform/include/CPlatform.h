#pragma once
// What Glibc's Swift overlay leaves out: items that need _GNU_SOURCE, are variadic, or are macros.

/// Names the calling thread, as `ps -L` and debuggers show it (15 bytes at most; longer names are cut).
void martlet_thread_set_name(const char *name);
/// Asks for round-robin real-time scheduling of the calling thread. Returns 0, or errno where the system refuses.
int martlet_thread_set_realtime(int priority);
/// Makes denormal numbers count as zero on the calling thread: they cost a hundred times a normal operation.
void martlet_thread_flush_denormals(void);
/// open(2) for reading with O_CLOEXEC; -1 and errno on failure.
int martlet_open_for_reading(const char *path);
/// open(2), created or emptied, with O_CLOEXEC and the given mode; -1 and errno on failure.
int martlet_open_for_writing(const char *path, unsigned mode);
/// A new eventfd(2), close-on-exec and non-blocking; -1 and errno on failure.
int martlet_eventfd(void);
/// pipe2(2) with O_CLOEXEC; -1 and errno on failure.
int martlet_pipe(int ends[2]);
/// accept4(2) with SOCK_CLOEXEC and SOCK_NONBLOCK; -1 and errno on failure.
int martlet_accept(int listener);
/// mkostemp(3) with O_CLOEXEC; -1 and errno on failure.
int martlet_temporary_file(char *pattern);
/// Has a child that posix_spawn(3) makes close every descriptor from `first` on, and begin with all signals at their
/// defaults and none held back. `newSession` makes it the leader of a session. Returns 0, or an error number. A C library
/// without posix_spawn_file_actions_addclosefrom_np (glibc before 2.34) leaves the descriptors to their own flags.
/// `actions` is a posix_spawn_file_actions_t, `attributes` a posix_spawnattr_t.
int martlet_spawn_apart(void *actions, void *attributes, int first, int newSession);
