import { BUILTIN_PROGRAMS, COMPUTE_BUDGET_PROGRAM, PRECOMPILES } from './addresses.js';
import { view } from './bytes.js';
import type { WireMessage } from './wire.js';

export const LAMPORTS_PER_SIGNATURE = 5_000n;
const UNITS_MAX = 1_400_000;
const UNITS_PER_INSTRUCTION = 200_000;
const UNITS_PER_BUILTIN = 3_000;

/** How many bytes of account data a transaction may load, unless it requests less. */
const LOADED_BYTES_MAX = 64 * 1024 * 1024;

interface ComputeBudget {
  unitLimit: number;
  microLamportsPerUnit: bigint;
  loadedBytesMax: number;
}

/** Reads the compute-budget instructions of a message. Layout: discriminator u8, then u32 or u64. */
function computeBudget(message: WireMessage): ComputeBudget {
  let requested: number | undefined;
  let price = 0n;
  let loadedBytesMax = LOADED_BYTES_MAX;
  let byDefault = 0;
  for (const { programIdIndex, data } of message.instructions) {
    const program = message.staticKeys[programIdIndex] ?? '';
    byDefault += BUILTIN_PROGRAMS.has(program) ? UNITS_PER_BUILTIN : UNITS_PER_INSTRUCTION;
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    if (data[0] === 2 && data.length >= 5) requested = view(data).readUInt32LE(1);
    if (data[0] === 4 && data.length >= 5)
      loadedBytesMax = Math.min(LOADED_BYTES_MAX, view(data).readUInt32LE(1));
    if (data[0] === 3 && data.length >= 9) price = view(data).readBigUInt64LE(1);
  }
  return {
    unitLimit: Math.min(requested ?? byDefault, UNITS_MAX),
    microLamportsPerUnit: price,
    loadedBytesMax,
  };
}

function precompileSignatures(message: WireMessage): number {
  return message.instructions.reduce((sum, { programIdIndex, data }) => {
    return PRECOMPILES.has(message.staticKeys[programIdIndex] ?? '') ? sum + (data[0] ?? 0) : sum;
  }, 0);
}

/**
 * Returns the fee of a message in lamports: 5,000 for each signature, those that precompiles check included, plus
 * ceil(unit limit x price / 10^6) (Agave `fee/src/lib.rs`, `calculate_fee`).
 */
export function feeOf(message: WireMessage): bigint {
  const { unitLimit, microLamportsPerUnit } = computeBudget(message);
  const priority = (BigInt(unitLimit) * microLamportsPerUnit + 999_999n) / 1_000_000n;
  return BigInt(message.signers + precompileSignatures(message)) * LAMPORTS_PER_SIGNATURE + priority;
}

/** Returns how many bytes of account data a message may load. */
export function loadedBytesMaxOf(message: WireMessage): number {
  return computeBudget(message).loadedBytesMax;
}

/** Returns the priority price of a message in micro-lamports per compute unit. */
export function unitPriceOf(message: WireMessage): bigint {
  return computeBudget(message).microLamportsPerUnit;
}
