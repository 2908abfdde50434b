import { addressFromBytes, requireAddressBytes } from './address-bytes.js';
import { view } from './bytes.js';

/** An account as it is stored: `lamports` above zero, `owner` in base58. */
export interface AccountState {
  lamports: bigint;
  owner: string;
  data: Uint8Array;
  executable: boolean;
}

/** What became of one account; `state` is undefined when it is gone. */
export interface AccountChange {
  address: string;
  state: AccountState | undefined;
}

/** What a transaction made of one account, and what it was before. */
export interface AccountTransition extends AccountChange {
  before: AccountState | undefined;
}

/** The rent epoch of every account on a network where rent is no longer collected. */
export const RENT_EPOCH_NEVER = 18446744073709551615n;

export function sameAccount(one: AccountState | undefined, other: AccountState | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.lamports === other.lamports &&
    one.owner === other.owner &&
    one.executable === other.executable &&
    view(one.data).equals(other.data)
  );
}

/** Layout of a state: lamports u64, executable u8, owner 32, data. */
export function encodeState({ lamports, executable, owner, data }: AccountState): Buffer {
  const bytes = Buffer.allocUnsafe(41 + data.length);
  bytes.writeBigUInt64LE(lamports, 0);
  bytes[8] = executable ? 1 : 0;
  bytes.set(requireAddressBytes(owner), 9);
  bytes.set(data, 41);
  return bytes;
}

/** Reads what `encodeState` wrote. */
export function decodeState(bytes: Buffer): AccountState {
  return {
    lamports: bytes.readBigUInt64LE(0),
    owner: addressFromBytes(bytes.subarray(9, 41)),
    data: new Uint8Array(bytes.subarray(41)),
    executable: bytes[8] === 1,
  };
}
