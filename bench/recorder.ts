/** The recording of the indexer, without a node: in a process of its own, which has the transactions in memory. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { allCores, end, spawnOn } from './machine.js';
import { builtService, type World } from './world.js';

const path = fileURLToPath(new URL('processes/record.mjs', import.meta.url));

export interface RecordJob {
  databaseUrl: string;
  /** As many as arrive in a second, in batches; default: all at once. */
  perSecond?: number;
  /** Only writes what was decoded before. */
  decoded?: boolean;
  /** Only the transactions of one half of the partners. */
  half?: 0 | 1;
}

export interface Recorded {
  trades: number;
  seconds: number;
  /** Trades a second, and by each second of the process's own time. */
  rate: number;
  perCpuSecond: number;
  /** Of all its threads, and of the one that decodes and writes. */
  cpuSeconds: number;
  mainSeconds: number;
  /** Of a trade that is only decoded. */
  decodedPerSecond: number;
  /** How long each batch of a job with `perSecond` waited for its commit, ms. */
  waits: number[];
}

export type RecordProcess = Awaited<ReturnType<typeof startRecorder>>;

/** Starts a process that has read so many of the world's trades. `databaseUrl` is read while they are, no more. */
export async function startRecorder(world: World, databaseUrl: string, trades: number) {
  const child = spawnOn(allCores, [path, String(trades), builtService], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: world.envOf(databaseUrl, { KARAT_LOG_LEVEL: 'error' }),
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the process that records has ended');
  });
  ended.catch(() => {});
  const receive = async <T>() => ((await Promise.race([once(child, 'message'), ended])) as [T])[0];
  await receive();
  return {
    /** Records them once. `measured` is called before it begins, and again when all is written and the connections are open still. */
    async record(job: RecordJob, measured: () => void | Promise<void> = () => {}): Promise<Recorded> {
      child.send(job);
      await receive();
      await measured();
      child.send('go');
      const result = await receive<Omit<Recorded, 'rate' | 'perCpuSecond'>>();
      await measured();
      child.send('close');
      await receive();
      const { trades: count, seconds, cpuSeconds } = result;
      return { ...result, rate: count / seconds, perCpuSecond: count / cpuSeconds };
    },
    stop: () => end(child),
  };
}
