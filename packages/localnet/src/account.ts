import { addressFromBytes, requireAddressBytes } from './base58.js';
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

const CHANGE_HEAD_BYTES = 32 + 8 + 1 + 32 + 4;

/** Layout of one change: address 32, lamports u64, executable u8, owner 32, data length u32, data. Zero lamports: gone. */
export function encodeChanges(changes: readonly AccountChange[]): Buffer {
  const parts: Uint8Array[] = [];
  const count = Buffer.alloc(4);
  count.writeUInt32LE(changes.length);
  parts.push(count);
  for (const { address, state } of changes) {
    const head = Buffer.alloc(CHANGE_HEAD_BYTES);
    head.set(requireAddressBytes(address), 0);
    if (state) {
      head.writeBigUInt64LE(state.lamports, 32);
      head[40] = state.executable ? 1 : 0;
      head.set(requireAddressBytes(state.owner), 41);
      head.writeUInt32LE(state.data.length, 73);
    }
    parts.push(head);
    if (state) parts.push(state.data);
  }
  return Buffer.concat(parts);
}

/** Reads what `encodeChanges` wrote, from `at` on. */
export function decodeChanges(bytes: Buffer, at = 0): AccountChange[] {
  const changes: AccountChange[] = [];
  let offset = at + 4;
  for (let count = bytes.readUInt32LE(at); count > 0; count -= 1) {
    const address = addressFromBytes(bytes.subarray(offset, offset + 32));
    const lamports = bytes.readBigUInt64LE(offset + 32);
    const executable = bytes[offset + 40] === 1;
    const owner = addressFromBytes(bytes.subarray(offset + 41, offset + 73));
    const dataStart = offset + CHANGE_HEAD_BYTES;
    offset = dataStart + bytes.readUInt32LE(offset + 73);
    const data = new Uint8Array(bytes.subarray(dataStart, offset));
    changes.push({ address, state: lamports === 0n ? undefined : { lamports, owner, data, executable } });
  }
  return changes;
}
