#include "CCoreAudio.h"
