// Words that the other headers share.
#ifndef CCOREAUDIO_BASE_H
#define CCOREAUDIO_BASE_H

#include <stdint.h>

#define MARTLET_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define MARTLET_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
/// Constants of a type that is not an enumeration in Swift: `enum MARTLET_CONSTANTS(uint32_t) { … }`.
#define MARTLET_CONSTANTS(type) __attribute__((enum_extensibility(open))) : type
/// A set of bits, an `OptionSet` in Swift.
#define MARTLET_OPTIONS __attribute__((flag_enum, enum_extensibility(open)))
/// An enumeration in Swift.
#define MARTLET_ENUM __attribute__((enum_extensibility(open)))
#define MARTLET_NAME(name) __attribute__((swift_name(#name)))

/// The result of a call: 0 (`noErr`), or a code, often four letters.
typedef int32_t OSStatus;
/// Four letters as a number, the first one in the highest byte.
typedef uint32_t FourCharCode;
typedef FourCharCode OSType;

#endif
