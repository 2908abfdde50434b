// Prints the folder of Go's commands, with a compiler of C for its race detector. Installs what this machine lacks: Debian's
// packages as root, Go into .tools.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findGo, installDebian } from './install-tools.mjs';

if (spawnSync('cc', ['--version']).status !== 0) installDebian(['gcc', 'libc6-dev']);
console.log(findGo(join(import.meta.dirname, '..', '.tools', 'go')));
