#pragma once
#include <opus_multistream.h>
