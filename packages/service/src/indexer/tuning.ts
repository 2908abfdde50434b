/** Times and sizes of the indexer. Times are milliseconds of real time. */
export interface Tuning {
  /** Between two rounds while there is something to do. */
  pollMs: number;
  /** Between two rounds while the node's notifications arrive and nothing happens. */
  idlePollMs: number;
  /** Between two rounds while nothing happens and nothing would wake it. */
  deafPollMs: number;
  /** How often the recorded events are compared with the program's own numbers. */
  completeMs: number;
  /** Lines of a listing's first page. */
  firstPage: number;
  /** Lines of the pages behind it; 1,000 is what nodes give at most. */
  laterPages: number;
  /** Pages that are listed in one round; what is longer is read page by page, beside what is new. */
  pages: number;
  /** Requests for transactions under way at the same time, at most. */
  concurrency: number;
  /** Transactions in one such request, where the node takes several. */
  fetchSize: number;
  /** Transactions recorded in one database transaction. */
  batchSize: number;
  /** When what failed is tried first, after it was listed: it is final about 13 s after it landed, and not recorded earlier. */
  finalAfterMs: number;
  /** How long a listed transaction may be unknown before it is a dead letter. */
  unavailableAfterMs: number;
  /** How long the node may fail to return one transaction before it becomes a dead letter. */
  brokenAfterMs: number;
  /** How often rows that are not final are looked at. */
  finalizeMs: number;
  /** How often quotes, orders and transactions of operators are ended that can no longer land. */
  lapseMs: number;
  /** How often transactions that are dead letters because no node returned them are requested again. */
  retryDeadLettersMs: number;
  /** Between two tries to become the leader, and between two proofs of still being it. */
  electionMs: number;
  /** A write that takes longer stalled: the database ends statements itself after 4 s. */
  stallMs: number;
  /** A leader without a complete round for so long is at fault. */
  faultAfterMs: number;
}

export const defaultTuning: Tuning = {
  pollMs: 400,
  idlePollMs: 5_000,
  deafPollMs: 1_500,
  completeMs: 10_000,
  firstPage: 50,
  laterPages: 1_000,
  pages: 4,
  concurrency: 16,
  fetchSize: 25,
  batchSize: 500,
  finalAfterMs: 10_000,
  unavailableAfterMs: 60_000,
  brokenAfterMs: 600_000,
  finalizeMs: 2_000,
  lapseMs: 5_000,
  retryDeadLettersMs: 15_000,
  electionMs: 1_000,
  stallMs: 30_000,
  faultAfterMs: 10_000,
};
