import type { Logger } from 'pino';
import { inOwnTrace, outsideRequests } from '../tracing/spans.js';
import { pause, untilAny } from './time.js';

export interface Loop {
  /** Settles after the first round, whether it succeeded or not. */
  first: Promise<void>;
  /** Starts no further round, cancels the running one and waits for it. */
  stop(): Promise<void>;
}

export interface LoopInput {
  /** For the log. */
  name: string;
  /**
   * From the end of a round to the start of the next; a function is called after each round with whether the round
   * failed.
   */
  intervalMs: number | ((failing: boolean) => number);
  /** At most so long after rounds that failed: each failure doubles the interval, with jitter. Default: it stays. */
  longestMs?: number;
  log: Logger;
  /** Whether each round is a trace; for work, not for waiting. Default: false. */
  traced?: boolean;
  /** A long round calls `works` to report that it makes progress; a round that ends without an error has worked. */
  round(signal: AbortSignal, works: () => void): Promise<void>;
}

/** Runs `round` again and again, never twice at once. Logs when it starts to fail and when it works again. */
export function startLoop(input: LoopInput): Loop {
  return outsideRequests(() => runLoop(input));
}

/** Repeats traced rounds of a leader, which end with their lead. */
export function startLedLoop(
  { log, lead }: { log: Logger; lead: AbortSignal },
  name: string,
  intervalMs: number,
  round: (signal: AbortSignal) => Promise<unknown>,
): Loop {
  const ledRound = async (signal: AbortSignal) => void (await untilAny([signal, lead], round));
  return startLoop({ name, intervalMs, log, traced: true, round: ledRound });
}

function runLoop(input: LoopInput): Loop {
  const abort = new AbortController();
  let failing = false;
  let failures = 0;
  const works = () => {
    if (failing) input.log.info({ loop: input.name }, 'works again');
    failing = false;
    failures = 0;
  };
  const once = async () => {
    try {
      const round = () => input.round(abort.signal, works);
      await (input.traced ? inOwnTrace(input.name, {}, round) : round());
      works();
    } catch (error) {
      failures += 1;
      if (abort.signal.aborted || failing) return;
      failing = true;
      input.log.warn({ loop: input.name, err: error }, 'fails and keeps trying');
    }
  };
  const first = once();
  const done = first.then(async () => {
    while (!abort.signal.aborted) {
      await pause(intervalAfter(failures, input), abort.signal);
      if (!abort.signal.aborted) await once();
    }
  });
  return {
    first,
    stop: () => {
      abort.abort();
      return done;
    },
  };
}

/** Milliseconds until the next round after so many failures in a row. */
function intervalAfter(failures: number, input: LoopInput): number {
  const intervalMs = typeof input.intervalMs === 'number' ? input.intervalMs : input.intervalMs(failures > 0);
  const { longestMs = intervalMs } = input;
  if (failures < 2 || longestMs <= intervalMs) return intervalMs;
  return Math.min(longestMs, intervalMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

export interface Subscription {
  /** Whether notifications would arrive at present, as far as one can know. */
  live(): boolean;
  stop(): Promise<void>;
}

/** Polling does without notifications meanwhile. */
const longestRetryMs = 15_000;

export interface SubscriptionInput<T> {
  name: string;
  log: Logger;
  /** From a lost connection to the next try; tries that fail in a row are made ever less often. */
  retryMs: number;
  open(signal: AbortSignal): Promise<AsyncIterable<T>>;
  take(notification: T): void;
}

/** Follows notifications of the node and connects again for as long as it takes. */
export function startSubscription<T>(input: SubscriptionInput<T>): Subscription {
  let live = false;
  const loop = startLoop({
    name: input.name,
    intervalMs: input.retryMs,
    longestMs: longestRetryMs,
    log: input.log,
    round: async (signal, works) => {
      // One controller a connection: aborting it frees the socket even when only the iteration failed.
      const connection = new AbortController();
      await untilAny([signal, connection.signal], async (end) => {
        try {
          const notifications = await input.open(end);
          live = true;
          works();
          for await (const notification of notifications) input.take(notification);
        } finally {
          live = false;
          connection.abort();
        }
      });
    },
  });
  return { live: () => live, stop: loop.stop };
}
