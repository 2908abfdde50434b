import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../../../scripts/compile.mjs';

export const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** Builds the package and returns the folder of the build. */
export function build(): string {
  if (!compile(packageFolder)) throw new Error('the package does not compile');
  return join(packageFolder, 'dist');
}
