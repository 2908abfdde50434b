import type { MarketState } from './market-calendar.js';

/** The pause flags of the program, by what they stop. */
export const pauseBits = { trade: 1, partner: 2, withdraw: 4 } as const;

export type Paused = Record<keyof typeof pauseBits, boolean>;

export function pausedOf(flags: number): Paused {
  const isSet = (bit: number) => (flags & bit) !== 0;
  return {
    trade: isSet(pauseBits.trade),
    partner: isSet(pauseBits.partner),
    withdraw: isSet(pauseBits.withdraw),
  };
}

export function flagsOf({ trade, partner, withdraw }: Partial<Paused>): number {
  return (
    (trade ? pauseBits.trade : 0) | (partner ? pauseBits.partner : 0) | (withdraw ? pauseBits.withdraw : 0)
  );
}

/** What a person had the guardian set, in the order in which it was written down. */
export interface StatusWord {
  /** Null: the chain was as asked. */
  txHash: string | null;
  /** Pause flags. */
  before: number;
  after: number;
  market: MarketState;
  namesMarket: boolean;
  /** Where it landed and took effect, as far as that is known. */
  slot: bigint | null;
}

/** Whether it does nothing but set pause flags: then it waited for nothing. */
export function isPause({ before, after, namesMarket }: Omit<StatusWord, 'slot'>): boolean {
  return !namesMarket && (before & ~after) === 0;
}

/**
 * Pause flags that are missing in `paused` because a word that was written earlier landed later: the program replaces all
 * of them at once. Whatever is no pause waits for the words before it and says which flags stand from then on, so that
 * only the pauses after the last of those count. `words` are the oldest first.
 */
export function overwrittenFlags(words: readonly StatusWord[], paused: number): number {
  const last = words.reduce((latest, { slot }) => (slot !== null && slot > latest ? slot : latest), -1n);
  // Of several in one slot nobody knows here which was the last: the flags of all have to stand.
  const overwriter = words.findIndex(({ slot }) => slot === last);
  const decided = words.findLastIndex((word) => !isPause(word));
  const pauses = words.slice(Math.max(overwriter, decided) + 1);
  const flags = pauses.reduce((all, { slot, after }) => (slot === null ? all : all | after), 0);
  return overwriter < 0 ? 0 : flags & ~paused;
}
