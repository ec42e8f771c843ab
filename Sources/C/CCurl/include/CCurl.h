#pragma once
// libcurl as a table of functions that is filled when first needed: linked in the usual way, its 30 libraries would be
// loaded for every local file. The headers give the types; calling a function of theirs directly does not link, which is
// meant so.

#include <curl/curl.h>

// Every function in use.
#define CCURL_FUNCTIONS(F)                                                                                            \
  F(curl_global_init)                                                                                                 \
  F(curl_easy_init)                                                                                                   \
  F(curl_easy_cleanup)                                                                                                \
  F(curl_easy_pause)                                                                                                  \
  F(curl_easy_strerror)                                                                                               \
  F(curl_multi_init)                                                                                                  \
  F(curl_multi_add_handle)                                                                                            \
  F(curl_multi_remove_handle)                                                                                         \
  F(curl_multi_info_read)                                                                                             \
  F(curl_multi_perform)                                                                                               \
  F(curl_multi_wakeup)                                                                                                \
  F(curl_slist_append)                                                                                                \
  F(curl_slist_free_all)

// Functions with a variable number of arguments, or pointers that Swift can't make, which it can't call.
#define CCURL_HIDDEN_FUNCTIONS(F)                                                                                     \
  F(curl_easy_setopt)                                                                                                 \
  F(curl_easy_getinfo)                                                                                                \
  F(curl_version_info)                                                                                                \
  F(curl_multi_poll)

/// The functions, under their own names.
typedef struct {
#define CCURL_FIELD(name) __typeof__(name) *_Nonnull name;
  CCURL_FUNCTIONS(CCURL_FIELD)
  CCURL_HIDDEN_FUNCTIONS(CCURL_FIELD)
#undef CCURL_FIELD
} CCurlTable;

/// The table. Loads libcurl at the first call, from whichever thread it comes; later calls cost nothing.
/// @return NULL where the library is missing or lacks a function.
const CCurlTable *_Nullable ccurl_table(void);

/// Whether libcurl has been loaded. Does not load it.
int ccurl_is_loaded(void);

/// What went wrong when ``ccurl_table`` answered NULL: the dynamic linker's words, or ours. Never NULL.
const char *_Nonnull ccurl_failure(void);

// One setter and getter per type of argument.
typedef size_t (*ccurl_data_callback)(char *_Nullable, size_t, size_t, void *_Nullable);
typedef int (*ccurl_request_callback)(void *_Nullable, char *_Nullable, char *_Nullable, int, int);
CURLcode ccurl_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nonnull value);
CURLcode ccurl_set_long(CURL *_Nonnull handle, CURLoption option, long value);
CURLcode ccurl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value);
CURLcode ccurl_set_list(CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable value);
CURLcode ccurl_set_callback(CURL *_Nonnull handle, CURLoption option, ccurl_data_callback _Nonnull value);
CURLcode ccurl_set_request_callback(CURL *_Nonnull handle, CURLoption option, ccurl_request_callback _Nonnull value);
CURLcode ccurl_get_offset(CURL *_Nonnull handle, CURLINFO info, curl_off_t *_Nonnull value);
CURLcode ccurl_get_string(CURL *_Nonnull handle, CURLINFO info, const char *_Nullable *_Nonnull value);
CURLcode ccurl_message_result(const CURLMsg *_Nonnull message);
int ccurl_poll(CURLM *_Nonnull handles, int milliseconds);
