#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static CCurlTable table;
static atomic_int is_loaded;
static char failure[256] = "not loaded yet";
static pthread_once_t once = PTHREAD_ONCE_INIT;

// 7.85, the first that can be told by name which protocols are allowed.
static const unsigned oldest = 0x075500;

static void *look_up(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) snprintf(failure, sizeof failure, "libcurl lacks %s", name);
  return found;
}

// The library stays loaded: it keeps state of its own, and nobody gains by unloading it. Debian builds it with OpenSSL,
// and with GnuTLS under another name.
static void load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *words = dlerror();
    snprintf(failure, sizeof failure, "%s", words ? words : "libcurl is not there");
    return;
  }
  CCurlTable found;
#define LOOK_UP(name)                                                                                                 \
  if (!(found.name = (__typeof__(found.name))look_up(library, #name))) return;
  CCURL_FUNCTIONS(LOOK_UP)
  CCURL_HIDDEN_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  const curl_version_info_data *version = found.curl_version_info(CURLVERSION_NOW);
  if (version->version_num < oldest) {
    snprintf(failure, sizeof failure, "libcurl %s is too old", version->version);
    return;
  }
  if (found.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    snprintf(failure, sizeof failure, "libcurl can't be set up");
    return;
  }
  table = found;
  atomic_store(&is_loaded, 1);
}

const CCurlTable *ccurl_table(void) {
  pthread_once(&once, load);
  return atomic_load(&is_loaded) ? &table : NULL;
}

int ccurl_is_loaded(void) { return atomic_load(&is_loaded); }

const char *ccurl_failure(void) { return failure; }

// curl.h makes macros of these, which check the types of the arguments.
#undef curl_easy_setopt
#undef curl_easy_getinfo

CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return table.curl_easy_setopt(handle, option, value);
}
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return table.curl_easy_setopt(handle, option, value);
}
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return table.curl_easy_setopt(handle, option, value);
}
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return table.curl_easy_setopt(handle, option, value);
}
CURLcode ccurl_set_callback(CURL *handle, CURLoption option, ccurl_data_callback value) {
  return table.curl_easy_setopt(handle, option, value);
}
CURLcode ccurl_set_request_callback(CURL *handle, CURLoption option, ccurl_request_callback value) {
  return table.curl_easy_setopt(handle, option, value);
}
CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return table.curl_easy_getinfo(handle, info, value);
}
CURLcode ccurl_get_string(CURL *handle, CURLINFO info, const char **value) {
  return table.curl_easy_getinfo(handle, info, value);
}
CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
int ccurl_poll(CURLM *handles, int milliseconds) { return table.curl_multi_poll(handles, NULL, 0, milliseconds, NULL); }
