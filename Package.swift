// swift-tools-version: 6.2
import PackageDescription

// Targets stand in layer order, and folders under `Sources/` repeat it: a target may depend on its own layer
// and on those above it in this file, never on a later one. ARCHITECTURE.md explains the layers.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ layer: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["MartletTestSupport"], path: "Tests/\(name)", swiftSettings: strict)
}

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

let pulse = Target.Dependency.target(name: "PulseOutput", condition: .when(traits: ["Pulse"]))
let alsa = Target.Dependency.target(name: "ALSAOutput", condition: .when(traits: ["ALSA"]))
let ffmpeg = Target.Dependency.target(name: "FFmpegAdapter", condition: .when(traits: ["FFmpeg"]))

// Swift's own libraries go into the program's file: they are not to be found by name on a listener's machine, and loading
// them would be half of the time that the program takes to start. Sanitizers need them shared: else C libraries allocate
// by one allocator and we free by another.
let swiftLibraries: [LinkerSetting] =
  Context.environment["MARTLET_SANITIZE"] == nil ? [.unsafeFlags(["-static-stdlib"])] : []

let package = Package(
  name: "martlet",
  products: [
    .library(
      name: "Martlet",
      targets: [
        "Martlet", "Media", "Playlists", "Containers", "Codecs", "ByteSource", "HTTPSource", "AudioOutput",
        "AudioModel",
      ]),
    .library(name: "AVFAudio", targets: ["AVFAudio", "AVFoundation", "CoreAudioTypes"]),
    .library(name: "MartletTestSupport", targets: ["MartletTestSupport"]),
    .executable(name: "martlet", targets: ["Executable"]),
  ],
  traits: [
    .trait(name: "Pulse", description: "Output to PulseAudio, and to PipeWire through its PulseAudio socket"),
    .trait(name: "ALSA", description: "Output to ALSA"),
    .trait(name: "FFmpeg", description: "Formats that have no decoder of their own, by FFmpeg's libraries"),
    .default(enabledTraits: ["Pulse", "ALSA", "FFmpeg"]),
  ],
  targets: [
    // MARK: 0 · C libraries: module maps and constants, no logic
    system("CMPG123", "libmpg123", "libmpg123-dev"),
    system("CFLAC", "flac", "libflac-dev"),
    system("CVorbis", "vorbis", "libvorbis-dev"),
    system("COpus", "opus", "libopus-dev"),
    system("CALSA", "alsa", "libasound2-dev"),
    system("CZlib", "zlib", "zlib1g-dev"),
    // Its pkg-config file has flags that SwiftPM refuses; nothing of it is needed.
    .systemLibrary(name: "CKissFFT", path: "Sources/C/CKissFFT", providers: [.apt(["libkissfft-dev"])]),
    system("CEBUR128", "libebur128", "libebur128-dev"),
    .target(name: "CCurl", path: "Sources/C/CCurl", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CPulse", path: "Sources/C/CPulse", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CFFmpeg", path: "Sources/C/CFFmpeg", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CPlatform", path: "Sources/C/CPlatform"),
    .target(name: "CKernels", path: "Sources/C/CKernels"),
    .target(name: "CCoreAudio", path: "Sources/C/CCoreAudio"),

    // MARK: 1 · Foundations: words, real-time tools, signal processing
    library("Foundations", "AudioModel"),
    library("Foundations", "Platform", ["CPlatform"]),
    library("Foundations", "Realtime", ["AudioModel"]),
    library("Foundations", "Transforms", ["AudioModel", "CKissFFT", "CEBUR128"]),
    library("Foundations", "DSP", ["AudioModel", "Transforms", "CKernels"]),

    // MARK: 2 · Media: bytes to packets to PCM
    library("Media", "ByteSource", ["AudioModel", "Platform"]),
    library("Media", "HTTPSource", ["ByteSource", "AudioModel", "Platform", "CCurl"]),
    library("Media", "Containers", ["AudioModel", "CZlib"]),
    library("Media", "Playlists", ["AudioModel"]),
    library("Media", "Codecs", ["AudioModel", "CMPG123", "CFLAC", "CVorbis", "COpus"]),
    library("Media", "FFmpegAdapter", ["AudioModel", "ByteSource", "Containers", "Codecs", "CFFmpeg"]),
    library(
      "Media", "Media", ["AudioModel", "DSP", "ByteSource", "Containers", "Playlists", "Codecs", "Platform", ffmpeg]),

    // MARK: 3 · Engine: render plan and devices
    library("Engine", "RenderGraph", ["AudioModel", "Platform", "Realtime", "DSP"]),
    library("Engine", "AudioOutput", ["AudioModel", "Realtime", "Platform"]),
    library("Engine", "PulseOutput", ["AudioModel", "Platform", "Realtime", "AudioOutput", "CPulse"]),
    library("Engine", "ALSAOutput", ["AudioModel", "Platform", "Realtime", "AudioOutput", "CALSA"]),

    library(
      "Engine", "GraphHost",
      ["AudioModel", "Platform", "Realtime", "DSP", "RenderGraph", "AudioOutput", pulse, alsa]),
    library("Engine", "CoreAudioTypes", ["CCoreAudio"]),
    library(
      "Engine", "AVFAudio",
      [
        "AudioModel", "Platform", "Realtime", "Transforms", "DSP", "ByteSource", "Containers", "Codecs", "Media",
        "RenderGraph", "AudioOutput", "GraphHost", "CoreAudioTypes",
      ]),
    library("Engine", "AVFoundation", ["AVFAudio"]),

    // MARK: 4 · Playback: the player
    library("Playback", "PlaybackLogic", ["AudioModel"]),
    library(
      "Playback", "Martlet",
      [
        "AudioModel", "Platform", "Realtime", "DSP", "ByteSource", "HTTPSource", "Containers", "Codecs", "Media",
        "RenderGraph", "AudioOutput", "GraphHost", "PlaybackLogic",
      ]),

    // MARK: 5 · Program: people and scripts
    library("Program", "Commands", ["AudioModel"]),
    library("Program", "Terminal", ["AudioModel", "Platform", "Martlet", "Commands"]),
    library("Program", "Remote", ["AudioModel", "Platform", "Martlet", "Commands"]),
    library(
      "Program", "MartletProgram",
      [
        "AudioModel", "Platform", "Realtime", "DSP", "ByteSource", "HTTPSource", "Containers", "Playlists", "Codecs",
        "Media", "RenderGraph", "AudioOutput", "GraphHost", "PlaybackLogic", "Martlet", "Commands", "Terminal",
        "Remote",
        pulse, alsa, ffmpeg,
      ]),
    .executableTarget(
      name: "Executable", dependencies: ["MartletProgram"], path: "Sources/Program/Executable", swiftSettings: strict,
      linkerSettings: swiftLibraries),

    // MARK: Test kit: a product too, applications test with it
    .target(name: "CAllocationGuard", path: "Sources/C/CAllocationGuard", linkerSettings: [.linkedLibrary("dl")]),
    library(
      "TestSupport", "MartletTestSupport",
      [
        "AudioModel", "Platform", "Realtime", "ByteSource", "AudioOutput", "Martlet", "CAllocationGuard",
      ]),

    tests("FoundationsTests", ["AudioModel", "Platform", "Realtime", "Transforms", "DSP"]),
    tests("SourceTests", ["AudioModel", "Platform", "ByteSource", "HTTPSource"]),
    tests(
      "MediaTests",
      ["AudioModel", "Platform", "DSP", "ByteSource", "Containers", "Playlists", "Codecs", "Media", ffmpeg]),
    tests("EngineTests", ["AudioModel", "Platform", "Realtime", "DSP", "RenderGraph", "AudioOutput", pulse, alsa]),
    tests(
      "AVFAudioTests",
      [
        "AudioModel", "Platform", "Realtime", "DSP", "Media", "RenderGraph", "AudioOutput", "GraphHost",
        "CoreAudioTypes", "AVFAudio", "AVFoundation", pulse, alsa,
      ]),
    tests(
      "PlaybackTests",
      [
        "AudioModel", "Platform", "Realtime", "ByteSource", "HTTPSource", "Media", "RenderGraph", "AudioOutput",
        "PlaybackLogic", "Martlet", pulse,
      ]),
    tests(
      "ProgramTests",
      [
        "AudioModel", "Platform", "ByteSource", "HTTPSource", "Martlet", "Commands", "Terminal", "Remote",
        "MartletProgram",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// Fuzzers link with a run-time library of their own, so they are part of the package only when scripts/fuzz asks.
if Context.environment["MARTLET_FUZZ"] != nil {
  package.targets += [
    .target(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .executableTarget(
      name: "MartletFuzz",
      dependencies: [
        "AudioModel", "ByteSource", "HTTPSource", "Containers", "Playlists", "Media", "Commands", "CFuzzer",
      ],
      path: "Fuzz/MartletFuzz", swiftSettings: strict),
  ]
}

// Measure the parsers and the engine by themselves; part of the package only when the benchmarks ask, since they reach what
// is `package`. The parsers' flags are the program's: the difference would be measured.
if Context.environment["MARTLET_BENCH"] != nil {
  package.targets += [
    .executableTarget(
      name: "MartletParseBench", dependencies: ["AudioModel", "ByteSource", "Containers", "Media"],
      path: "Benchmarks/ParseBench", swiftSettings: strict, linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .executableTarget(
      name: "MartletEngineBench", dependencies: ["AudioModel", "DSP", "GraphHost", "AVFAudio"],
      path: "Benchmarks/EngineBench", swiftSettings: strict),
  ]
}
