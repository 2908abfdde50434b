import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/**
 * Returns how many milliseconds of processor time this process spends on `work`; others on the machine change it little.
 * Garbage of before is collected first, because V8's threads count too.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  collect();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
