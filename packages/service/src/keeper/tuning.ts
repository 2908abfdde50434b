/** Times of the keeper, in milliseconds of real time. */
export interface KeeperTuning {
  /** From the end of a round to the start of the next, at most; the calendar's next change may come earlier. */
  pollMs: number;
  /** Between two tries to become the leader, and between two proofs of still being it. */
  electionMs: number;
  /** What a round may take before the lead is given up: something has stalled. */
  stallMs: number;
  /** From the end of a comparison of chain and records to the beginning of the next. */
  reconcileMs: number;
  /** From the end of closing receipts of orders to the next time. */
  receiptsMs: number;
  /** From the end of keeping the parts of the logs of events and requests to the next time. */
  logsMs: number;
  /** From the end of comparing tokens with what backs them to the next time; an alert about it comes within two minutes. */
  backingMs: number;
  /** From the end of burning what is due to the next time. */
  burnsMs: number;
  /** From the end of looking whether proposed settings are ready to the next time. */
  settingsMs: number;
  /** From the end of looking whether a statement of the reserves is due to the next time. */
  reservesMs: number;
  /** From the end of reading the vaults and issuing the statements that are due to the next time. */
  statementsMs: number;
  /** From the end of issuing the papers that callers requested to the next look; they wait for it. */
  papersMs: number;
  /** From the end of keeping the end of the audit log on chain to the next time. */
  anchorsMs: number;
}

export const defaultKeeperTuning: KeeperTuning = {
  pollMs: 2_500,
  electionMs: 1_000,
  stallMs: 60_000,
  reconcileMs: 60_000,
  receiptsMs: 600_000,
  logsMs: 3_600_000,
  backingMs: 60_000,
  burnsMs: 10_000,
  settingsMs: 30_000,
  reservesMs: 10_000,
  statementsMs: 60_000,
  papersMs: 500,
  anchorsMs: 3_600_000,
};
