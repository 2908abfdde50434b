export const watchStatuses = ['ok', 'warning', 'critical'] as const;
export type WatchStatus = (typeof watchStatuses)[number];

/** Everything that the keeper watches; units last. */
export const watchNames = [
  'node',
  'market',
  'market_holidays',
  'paused',
  'price_age_seconds',
  'usdc_peg',
  'service_signer_sol',
  'guardian_sol',
  'operations_sol',
  'market_sol',
  'admin_sol',
  'treasury_usdc',
  'treasury_gold',
  'escrow_surplus_gold',
  'burn_overdue_seconds',
  'burns_uncollected',
  'redemption_age_seconds',
  'attested_surplus_gold',
  'bars_surplus_gold',
  'attestation_age_seconds',
  'reconciliation_differences',
] as const;
export type WatchName = (typeof watchNames)[number];

/** What the keeper saw when it last looked at one thing. */
export interface KeeperReport {
  name: WatchName;
  status: WatchStatus;
  /** Decimal text in the unit that the name ends in; null where there is no number, or none is known. */
  value: string | null;
  detail: string;
}
