/**
 * Returns a text as texts are compared: NFC, with full case folding (`ß`, `ẞ` and `SS` are `ss`), and with the dotted and
 * the dotless i of Turkish as one letter, because their capitals say nothing of the language. Accents are kept.
 */
export function caseFolded(text: string): string {
  // There and back: `ẞ` has no capital but itself, and `ß` has two letters in capitals.
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('i\u0307', 'i').normalize('NFC');
}
