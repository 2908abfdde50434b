import { createHash } from 'node:crypto';
import { encodeBase58 } from '@karat/wire';
import type { AccountState } from './account.js';
import { addressFromBytes } from './address-bytes.js';
import { SYSTEM_PROGRAM } from './addresses.js';
import { view } from './bytes.js';
import type { WireMessage } from './wire.js';

/**
 * Durable nonces (Agave `svm-transaction` and `nonce-account`). A transaction whose lifetime is no recent blockhash is
 * taken all the same when its first instruction advances a nonce account that holds this lifetime.
 *
 * Layout of a nonce account: version u32 (1: current), state u32 (1: initialized), authority 32, nonce 32,
 * lamports per signature u64.
 */
export const NONCE_BYTES = 80;
const NONCE_AT = 40;
/** Variant of `AdvanceNonceAccount` among the instructions of the system program, u32. */
const ADVANCE_NONCE = 4;

export interface NonceAccount {
  authority: string;
  /** Base58. */
  nonce: string;
  lamportsPerSignature: bigint;
}

/** Returns the initialized nonce account in these bytes; undefined when they hold none. */
export function decodeNonceAccount(state: AccountState | undefined): NonceAccount | undefined {
  if (state?.owner !== SYSTEM_PROGRAM || state.data.length !== NONCE_BYTES) return undefined;
  const data = view(state.data);
  if (data.readUInt32LE(0) !== 1 || data.readUInt32LE(4) !== 1) return undefined;
  return {
    authority: addressFromBytes(data.subarray(8, 40)),
    nonce: encodeBase58(data.subarray(NONCE_AT, NONCE_AT + 32)),
    lamportsPerSignature: data.readBigUInt64LE(72),
  };
}

/** Returns the nonce that is stored while `blockhash` is the newest: sha256 over "DURABLE_NONCE" and the blockhash. */
export function durableNonceOf(blockhash: Uint8Array): Buffer {
  return createHash('sha256').update('DURABLE_NONCE').update(blockhash).digest();
}

/** Returns whether a nonce account holds `nonce`. */
export function holdsNonce(state: AccountState | undefined, nonce: Uint8Array): state is AccountState {
  return (
    state?.owner === SYSTEM_PROGRAM &&
    state.data.length === NONCE_BYTES &&
    view(state.data.subarray(NONCE_AT, NONCE_AT + 32)).equals(nonce)
  );
}

/** Returns the account with another nonce in it. */
export function withNonce(state: AccountState, nonce: Uint8Array): AccountState {
  const data = Uint8Array.from(state.data);
  data.set(nonce, NONCE_AT);
  return { ...state, data };
}

/**
 * Returns the nonce account that a message advances by its first instruction, and who signs for that; undefined when
 * the first instruction is another one. The account must be writable, as on a node.
 */
export function nonceOf(message: WireMessage): { address: string; signers: string[] } | undefined {
  const [first] = message.instructions;
  if (!first || message.staticKeys[first.programIdIndex] !== SYSTEM_PROGRAM) return undefined;
  if (first.data.length < 4 || view(first.data).readUInt32LE(0) !== ADVANCE_NONCE) return undefined;
  const index = first.accounts[0] ?? message.staticKeys.length;
  // An account from a lookup table counts on no node: the nonce is looked for before tables are.
  const address = message.staticKeys[index];
  const writable =
    index < message.signers
      ? index < message.signers - message.readonlySigned
      : index < message.staticKeys.length - message.readonlyUnsigned;
  if (address === undefined || !writable) return undefined;
  const signers = [...first.accounts].flatMap((at) =>
    at < message.signers ? [message.staticKeys[at] ?? ''] : [],
  );
  return { address, signers };
}

/**
 * Returns the nonce account that gives a message its lifetime: initialized, holding that lifetime, its authority among
 * the signers of the first instruction, and not advanced within `newest` (the nonce that would be stored now).
 */
export function nonceAddressOf(
  message: WireMessage,
  newest: Uint8Array,
  getAccount: (address: string) => AccountState | undefined,
): string | undefined {
  const requested = nonceOf(message);
  if (!requested || message.lifetime === encodeBase58(newest)) return undefined;
  const account = decodeNonceAccount(getAccount(requested.address));
  const isGood = account?.nonce === message.lifetime && requested.signers.includes(account.authority);
  return isGood ? requested.address : undefined;
}
