// Puts AVFAudio's engine to the test: EngineBench soak SECONDS | mix SECONDS | resample FROM TO SECONDS | convert FROM TO |
// stretch MODE RATE|@SCRIPT CENTS|- IN.wav OUT.wav.
// Prints what it measured as JSON; `convert` changes the rate of mono Float32 from standard input to standard output, and
// `stretch` makes a file that is measured by others.

internal import AVFAudio

func fail(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  exit(64)
}

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "stretch", words.count == 6 {
  try stretch(mode: words[1], rate: words[2], cents: words[3], from: words[4], to: words[5])
  exit(0)
}
switch (words.first, words.dropFirst().compactMap(Double.init)) {
case ("soak", let numbers) where numbers.count == 1: try soak(seconds: numbers[0])
case ("mix", let numbers) where numbers.count == 1: try mix(seconds: numbers[0])
case ("resample", let numbers) where numbers.count == 3:
  try resample(from: numbers[0], to: numbers[1], seconds: numbers[2])
case ("convert", let numbers) where numbers.count == 2: try convert(from: numbers[0], to: numbers[1])
default:
  fail(
    """
    usage: EngineBench soak SECONDS | mix SECONDS | resample FROM TO SECONDS | convert FROM TO |
      stretch MODE RATE|@SCRIPT CENTS|- IN.wav OUT.wav
    """)
}
