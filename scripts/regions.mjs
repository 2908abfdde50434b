// Regions of programs: what stands between `#region name` and `#endregion name` in a comment, as pages show it.

const marker = /^\s*(?:\/\/ #|# )(end)?region ([\w-]+)$/;

/** Returns the names of the regions of a program, in their order. */
export function regionNames(program) {
  const names = program.split('\n').flatMap((line) => {
    const [, end, name] = marker.exec(line) ?? [];
    return name === undefined || end ? [] : [name];
  });
  return [...new Set(names)];
}

/**
 * Returns the code of a region: all places that have its name, without its indentation and without the markers of others in it.
 * Throws if the program has none.
 */
export function regionOf(program, name) {
  const places = [];
  let isInside = false;
  for (const line of program.split('\n')) {
    const [, end, found] = marker.exec(line) ?? [];
    if (found === name && !end) places.push([]);
    if (found === name) isInside = !end;
    else if (isInside && found === undefined) places.at(-1).push(line);
  }
  if (places.length === 0 || isInside) throw new Error(`There is no region ${name} that ends.`);
  return places.map(dedented).join('\n\n');
}

function dedented(lines) {
  const text = lines.join('\n').trimEnd();
  const [indentation = ''] = /^[ \t]+/.exec(text) ?? [];
  return text.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
}
