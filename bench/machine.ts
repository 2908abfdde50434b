/** What the machine is asked: processor time and memory of processes, and on which cores they run. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

/** The core of what is measured, and those of everything else: load, PostgreSQL, the node. */
export const serviceCore = '0';
export const otherCores = availableParallelism() > 2 ? `1-${availableParallelism() - 1}` : '1';
export const allCores = `0-${availableParallelism() - 1}`;

/** Throws where processes cannot be kept apart, for then no figure says anything. */
export function requireMachine(): void {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) {
    throw new Error('the benchmarks need Linux with taskset (util-linux) and at least two cores');
  }
  if (availableParallelism() < 2) throw new Error('the benchmarks need at least two cores');
}

/** Keeps this process, and every one that it starts from now on, on those cores. */
export function keepOn(cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)], {
    stdio: 'ignore',
  });
}

/** Keeps another process on those cores. */
export function keepProcessOn(pid: number, cores: string): void {
  execFileSync('taskset', ['--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' });
}

/** Starts Node on those cores. */
export function spawnOn(cores: string, args: string[], options: SpawnOptions): ChildProcess {
  return spawn('taskset', ['--cpu-list', cores, process.execPath, ...args], options);
}

/** Ticks of /proc in a second: the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Returns the seconds of processor time that a process and those that it started have used so far. */
export function cpuSecondsOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ownCpuSecondsOf(each), 0);
}

/** Returns the seconds of processor time that a process alone has used so far. */
export function ownCpuSecondsOf(pid: number): number {
  const [utime, stime] = statOf(pid);
  return (utime + stime) / ticksPerSecond;
}

/**
 * Returns the seconds of processor time that a server and the processes that it starts have used so far, those that have ended
 * included: their parent keeps what they used.
 */
export function cpuSecondsOfServer(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const living = children.map((each) => {
    try {
      return ownCpuSecondsOf(Number(each));
    } catch {
      // It has just ended.
      return 0;
    }
  });
  const own = statOf(pid).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond;
  return living.reduce((sum, seconds) => sum + seconds, own);
}

/** User and system time of a process in ticks, and of its children that have ended. */
function statOf(pid: number): [number, number, number, number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return [Number(fields[11]), Number(fields[12]), Number(fields[13]), Number(fields[14])];
}

/** Returns the processes that a process has started, and those that they have. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const own = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return own === '' ? [] : own.split(' ').flatMap((child) => [Number(child), ...childrenOf(Number(child))]);
  });
}

/** Returns the memory of a process and of those that it started in MiB: what they have now, and the most that they had. */
export function memoryOf(pid: number): { now: number; most: number } {
  const statuses = [pid, ...childrenOf(pid)].map((each) => readFileSync(`/proc/${each}/status`, 'utf8'));
  const mib = (name: string) =>
    statuses.reduce(
      (sum, status) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024,
      0,
    );
  return { now: mib('VmRSS'), most: mib('VmHWM') };
}

/** Ends a process in order, and waits for it. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

export function describeMachine(): string {
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}`;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
