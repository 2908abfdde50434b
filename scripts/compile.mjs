// Compiles a package of this repository, with those it needs, into their folders `dist`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Each checker of a project works out its types for itself: four of them, the default, take a third more processor time together. */
const oneChecker = ['--checkers', '1'];

/** What fits to the sources already is not compiled again. Returns whether it compiled; nothing is done where no compiler is installed. */
export function compile(project) {
  const compiler = findCompiler();
  if (compiler === undefined) return true;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return (
    spawnSync(process.execPath, [compiler, '-b', project, ...oneChecker], { cwd, stdio: 'inherit' })
      .status === 0
  );
}

function findCompiler() {
  try {
    return fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
  } catch {
    return undefined;
  }
}
