/** A shorter name is within two letters of too many others. */
const leastNameLength = 4;
const maxDistance = 2;

/** Returns the name that differs from another one by the fewest letters, two at most. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const other of known) {
    if (Math.min(name.length, other.length) < leastNameLength) continue;
    if (Math.abs(name.length - other.length) > maxDistance) continue;
    const distance = distanceOf(name, other);
    if (distance <= maxDistance && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { name: other, distance };
    }
  }
  return best?.name;
}

/** Returns the question of a message about a wrong name, with a space after it; nothing where no known name is near. */
export function didYouMean(name: string, known: Iterable<string>, shown = (meant: string) => meant): string {
  const meant = nearest(name, known);
  return meant === undefined ? '' : `did you mean ${shown(meant)}? `;
}

/** Returns how many letters have to be added, removed or replaced to make one text of the other (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
