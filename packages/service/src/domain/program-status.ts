import type { MarketOverride, MarketState } from './market-calendar.js';
import type { TxSignature } from './solana.js';
/** The pause flags of the program, by what they stop. */
export const pauseBits = { trade: 1, partner: 2, withdraw: 4, redeem: 8, settle: 16, treasury: 32 } as const;

export type PauseName = keyof typeof pauseBits;
export type Paused = Record<PauseName, boolean>;

export const pauseNames = Object.keys(pauseBits) as PauseName[];

/** What of the program is paused: that of the treasury ends by itself. */
export interface PauseState {
  paused: number;
  /** Unix seconds. */
  treasuryPausedUntil: bigint;
}

/** Returns the flags that pause something at `nowMs`: the flag of the treasury stays set when its time is over, and means nothing then. */
export function pauseFlags({ paused, treasuryPausedUntil }: PauseState, nowMs: number): number {
  const holds = BigInt(Math.floor(nowMs / 1_000)) < treasuryPausedUntil;
  return holds ? paused : paused & ~pauseBits.treasury;
}

/** Returns what flags of the program pause. */
export function pausedOf(flags: number): Paused {
  const is = (name: PauseName) => (flags & pauseBits[name]) !== 0;
  return {
    trade: is('trade'),
    partner: is('partner'),
    withdraw: is('withdraw'),
    redeem: is('redeem'),
    settle: is('settle'),
    treasury: is('treasury'),
  };
}

/** Returns the flags of those names that are `value`. */
export function flagsOf(paused: { [name in PauseName]?: boolean | undefined }, value = true): number {
  return pauseNames.reduce((flags, name) => (paused[name] === value ? flags | pauseBits[name] : flags), 0);
}

const texts: Record<PauseName, string> = {
  trade: 'trades of users',
  partner: 'trades of partners',
  withdraw: 'withdrawals',
  redeem: 'redemptions',
  settle: 'refunds and burns',
  treasury: 'withdrawals of the treasury and mints',
};

/** Returns a sentence about those of the named flags that pause the program; undefined if none does. */
export function describePauses(flags: number, names: readonly PauseName[] = pauseNames): string | undefined {
  const paused = names.filter((name) => (flags & pauseBits[name]) !== 0).map((name) => texts[name]);
  return paused.length === 0 ? undefined : `Paused: ${paused.join(', ')}.`;
}

/** What of the program is paused, and the state of its market. */
export interface ChainStatus {
  paused: Paused;
  market: MarketState;
  /** An operator's setting that stands against the calendar. */
  override: MarketOverride | undefined;
  /** Transaction of the change; null if the chain was already as requested. */
  txHash: TxSignature | null;
}
