import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** Builds the package and returns the folder of the build. */
export function build(): string {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json'));
  execFileSync(process.execPath, [tsc.replace('package.json', 'bin/tsc'), '-b', packageFolder], {
    stdio: 'inherit',
  });
  return join(packageFolder, 'dist');
}
