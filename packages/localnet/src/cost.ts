import { ED25519_PRECOMPILE, SECP256K1_PRECOMPILE, SECP256R1_PRECOMPILE } from './addresses.js';
import { isWritableIndex, type LoadedAddresses, type WireMessage } from './wire.js';

/** Agave `cost-model/src/block_cost_limits.rs`, in compute units. */
const SIGNATURE_UNITS = 720;
const PRECOMPILE_UNITS: Readonly<Record<string, number>> = {
  [ED25519_PRECOMPILE]: 2_400,
  [SECP256K1_PRECOMPILE]: 6_690,
  [SECP256R1_PRECOMPILE]: 4_800,
};
const WRITE_LOCK_UNITS = 300;
const INSTRUCTION_BYTES_PER_UNIT = 4;
const PAGE_BYTES = 32 * 1024;
const PAGE_UNITS = 8;

/**
 * Returns what a transaction took of its block (Agave `cost-model/src/cost_model.rs`,
 * `calculate_cost_for_executed_transaction`): `unitsConsumed` by its programs, `loadedBytes` of account data.
 */
export function costUnits(
  message: WireMessage,
  loaded: LoadedAddresses,
  spent: { unitsConsumed: number; loadedBytes: number },
): number {
  const keys = message.staticKeys.length + loaded.writable.length;
  const locks = Array.from({ length: keys }, (_, index) => isWritableIndex(message, loaded, index));
  let signatures = message.signers * SIGNATURE_UNITS;
  let instructionBytes = 0;
  for (const { programIdIndex, data } of message.instructions) {
    signatures += (PRECOMPILE_UNITS[message.staticKeys[programIdIndex] ?? ''] ?? 0) * (data[0] ?? 0);
    instructionBytes += data.length;
  }
  return (
    signatures +
    locks.filter(Boolean).length * WRITE_LOCK_UNITS +
    Math.floor(instructionBytes / INSTRUCTION_BYTES_PER_UNIT) +
    spent.unitsConsumed +
    Math.ceil(spent.loadedBytes / PAGE_BYTES) * PAGE_UNITS
  );
}
