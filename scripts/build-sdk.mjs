// Compiles the SDK into packages/sdk/dist.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Does nothing where no compiler is installed. */
export function buildSdk() {
  const compiler = findCompiler();
  if (compiler === undefined) return;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, [compiler, '-b', 'packages/sdk'], { cwd, stdio: 'inherit' });
}

function findCompiler() {
  try {
    return fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
  } catch {
    return undefined;
  }
}
