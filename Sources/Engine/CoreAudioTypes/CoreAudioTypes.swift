@_exported public import CCoreAudio
