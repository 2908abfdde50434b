// Tools that scripts need and the project does not: installed when they are missing, as on a bare Debian.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

function requireRun(command, args) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** Installs packages of Debian, as root. */
export function installDebian(packages) {
  requireRun('apt-get', ['update', '-qq']);
  requireRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

/** Installs packages of Python into a virtual environment of their own; returns the folder of their commands. */
export function installPython(venv, packages) {
  if (spawnSync('python3', ['-m', 'venv', venv], { stdio: 'ignore' }).status !== 0) {
    installDebian(['python3', 'python3-venv']);
    requireRun('python3', ['-m', 'venv', '--clear', venv]);
  }
  const bin = join(venv, 'bin');
  requireRun(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  return bin;
}
