import type { Chain } from '../chain.js';
import type { Commitment } from '../commitment.js';
import { minContextSlotNotReached } from '../errors.js';
import type { Faults } from '../faults.js';
import { commitmentIn, numberIn } from './params.js';

/** What every method has at hand. */
export interface RpcContext {
  chain: Chain;
  faults: Faults;
  /** Where the node listens, `host:port`; empty until it does. */
  listening: { rpc?: string; pubsub?: string };
}

/** A method: takes the positional parameters, gives the result or throws an RpcError. */
export type Method = (context: RpcContext, params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

/** The version of Agave whose behaviour is followed. */
export const API_VERSION = '3.0.6';

/** Feature set of the Agave version that is named; clients only print it. */
export const FEATURE_SET = 3_604_001_754;

export function nodeVersion(): { 'feature-set': number; 'solana-core': string } {
  return { 'feature-set': FEATURE_SET, 'solana-core': API_VERSION };
}

/** Returns the slot of the bank that a configuration requests; -32016 if it is behind `minContextSlot`. */
export function bankSlot(
  chain: Chain,
  config: Record<string, unknown>,
  byDefault: Commitment = 'finalized',
): number {
  const slot = chain.slotAt(commitmentIn(config) ?? byDefault);
  const minimum = numberIn(config, 'minContextSlot');
  if (minimum !== undefined && slot < minimum) throw minContextSlotNotReached(slot);
  return slot;
}

/** As `bankSlot`, for methods that take a commitment alone: `minContextSlot` means nothing to them. */
export function bankSlotAt(chain: Chain, config: Record<string, unknown>): number {
  return chain.slotAt(commitmentIn(config) ?? 'finalized');
}

/** Returns `{context, value}`, the result of every method that reads a bank. */
export function withContext<T>(
  slot: number,
  value: T,
): { context: { apiVersion: string; slot: number }; value: T } {
  return { context: { apiVersion: API_VERSION, slot }, value };
}
