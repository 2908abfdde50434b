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

/** The bank that a configuration asks for: its slot; -32016 when it is behind `minContextSlot`. */
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

/** `{context, value}`, the answer of every method that reads a bank. */
export function withContext<T>(
  slot: number,
  value: T,
): { context: { apiVersion: string; slot: number }; value: T } {
  return { context: { apiVersion: API_VERSION, slot }, value };
}
