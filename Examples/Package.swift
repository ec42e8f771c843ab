// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the examples see what an application sees: the product AVFAudio, and nothing behind it.

func example(_ name: String) -> Target {
  .executableTarget(name: name, dependencies: ["ExampleSupport", .product(name: "AVFAudio", package: "martlet")])
}

let package = Package(
  name: "martlet-examples",
  dependencies: [.package(name: "martlet", path: "..")],
  targets: [
    .target(name: "ExampleSupport", dependencies: [.product(name: "AVFAudio", package: "martlet")]),
    example("PodcastPlayer"), example("OfflineRenderer"), example("ToneGenerator"), example("Recorder"),
    example("FormatConverter"), example("RingModulator"),
  ],
  swiftLanguageModes: [.v6]
)
