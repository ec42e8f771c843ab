// The structures and constants of Core Audio that appear in AVFAudio's interface, as C so that C callbacks can take them.
// Layouts, names and values follow Apple's CoreAudioTypes; the code is our own.
#ifndef CCOREAUDIO_H
#define CCOREAUDIO_H

#include "CoreAudioBase.h"
#include "CoreAudioStreams.h"
#include "CoreAudioFormats.h"
#include "CoreAudioTime.h"
#include "CoreAudioChannels.h"
#include "CoreAudioLayoutTags.h"
#include "CoreAudioUnits.h"
#include "CoreAudioErrors.h"

#endif
