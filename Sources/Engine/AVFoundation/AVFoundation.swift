// Code that plays and records sound imports AVFoundation as often as AVFAudio; here the one is the other.
@_exported public import AVFAudio
