// What code written for Apple's AVFAudio has in scope after `import AVFAudio`.
@_exported public import CoreAudioTypes
@_exported public import Foundation
