internal import AVFoundation
internal import Testing

@Suite struct ExportTests {
  @Test func foundationComesAlong() { #expect(URL(filePath: "/tmp").isFileURL) }
}
