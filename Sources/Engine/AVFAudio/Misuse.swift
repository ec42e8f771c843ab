/// Ends the program with a sentence where a call is wrong: what raises an exception on Apple's systems.
///
/// Unlike `precondition`, it says the sentence in builds that are optimised, too.
func require(
  _ condition: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { fatalError(sentence(), file: file, line: line) }
}
