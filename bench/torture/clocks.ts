/** Clocks of processes, which jump where libfaketime is installed. The monotonic clock goes on as it does: no machine moves that. */
import { existsSync, writeFileSync } from 'node:fs';

/** Where Debian and Ubuntu have it, `apt install libfaketime`. */
const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

export const canMoveClocks = existsSync(library);

/** Has the process that reads this file see another time than the machine has, within a second. */
export function setClock(file: string, bySeconds: number): void {
  writeFileSync(file, `${bySeconds < 0 ? '' : '+'}${bySeconds}\n`);
}

/** The environment of a process whose clock follows a file; nothing where clocks cannot be moved. */
export const clockEnvOf = (file: string): Record<string, string> =>
  canMoveClocks
    ? {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
    : {};
