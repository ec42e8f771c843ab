#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift can't call: one setter per argument type.
static inline CURLcode martlet_curl_set_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode martlet_curl_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode martlet_curl_set_offset(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode martlet_curl_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode martlet_curl_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return curl_easy_setopt(h, o, v); }
typedef size_t (*martlet_curl_data_callback)(char *, size_t, size_t, void *);
static inline CURLcode martlet_curl_set_callback(CURL *h, CURLoption o, martlet_curl_data_callback v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode martlet_curl_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode martlet_curl_get_offset(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode martlet_curl_get_string(CURL *h, CURLINFO i, const char **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode martlet_curl_get_pointer(CURL *h, CURLINFO i, void **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode martlet_curl_message_result(const CURLMsg *m) { return m->data.result; }
typedef int (*martlet_curl_request_callback)(void *, char *, char *, int, int);
static inline CURLcode martlet_curl_set_request_callback(CURL *h, CURLoption o, martlet_curl_request_callback v) { return curl_easy_setopt(h, o, v); }
static inline int martlet_curl_poll(CURLM *m, int timeout_ms) { return curl_multi_poll(m, 0, 0, timeout_ms, 0); }
