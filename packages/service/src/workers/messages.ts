import type { CallGrant, CallRequest } from '../chain/node/caller-budget.js';
import type { ChainNews } from '../chain/program/chain-news.js';
import type { MetricValues } from '../metrics/metrics.js';

/** Names the process that started a worker, in its environment: workers of other process managers have none. */
export const primaryVariable = 'PRIMARY_OF_KARAT';

/** Where a process serves; undefined: nowhere. */
export interface Served {
  url: string | undefined;
  operatorUrl: string | undefined;
}

/** What a worker sends to its primary. */
export type FromWorker =
  /** It is ready for what the primary knows of the chain. */
  | { about: 'follow' }
  /** Quotes are requested of it. */
  | { about: 'demand' }
  /** It wants calls to the nodes for a caller. */
  | { about: 'calls'; number: number; request: CallRequest }
  /** Calls that were granted to it at that time were not made. */
  | { about: 'spare calls'; granted: CallRequest & { atMs: number } }
  /** What this worker measured, as the primary asked with that number. */
  | { about: 'metrics'; number: number; values: MetricValues }
  /** The metrics of this worker were requested; those of all are shown. */
  | { about: 'all metrics'; number: number }
  | { about: 'serving'; served: Served }
  /** It cannot start, and why. */
  | { about: 'refusal'; message: string };

/** What the primary sends to a worker. */
export type FromPrimary =
  | { about: 'chain'; news: ChainNews }
  /** What the primary knew when it was asked has been sent. */
  | { about: 'known' }
  /** Whether the calls that it wanted may be made, or when. */
  | { about: 'calls'; number: number; grant: CallGrant }
  | { about: 'metrics'; number: number }
  | { about: 'all metrics'; number: number; text: string }
  | { about: 'stop' };
