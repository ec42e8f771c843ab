/// Finds the word that was probably meant.
package enum Suggestion {
  /// The candidate with the fewest differences; `nil` when none is near: at most a third of the letters may differ.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    guard word.utf8.count <= 64 else { return nil }
    let rated = candidates.map { (name: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
    guard let best = rated.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, max(word.utf8.count, best.name.utf8.count) / 3) ? best.name : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other (the restricted
  /// Damerau–Levenshtein distance).
  package static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
