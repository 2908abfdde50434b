import type { Address } from '@solana/kit';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { formatDecimal } from '../../domain/money.js';

/** What the system program logs when an account cannot pay the rent of another one. */
const shortLog = /Transfer: insufficient lamports (\d+), need (\d+)/;
const sol = (lamports: bigint) => `${formatDecimal(lamports, 9)} SOL`;

/**
 * Returns which wallet lacks how much SOL, when that is why `refused` failed: a node itself calls it
 * `custom program error: 0x1`, as it calls many things. Undefined when `logs` do not say so.
 */
export function describeMissingSol(
  refused: { program: Address; accounts: readonly (Address | undefined)[] } | undefined,
  feePayer: Address | undefined,
  logs: readonly string[],
): string | undefined {
  const [, held, needed] = logs.map((log) => shortLog.exec(log)).find((found) => found !== null) ?? [];
  if (held === undefined || needed === undefined) return undefined;
  // A token account is paid by the first account of its instruction, and the rest by the wallet that pays the fee.
  const makesTokenAccount = refused?.program === ASSOCIATED_TOKEN_PROGRAM_ADDRESS;
  const payer = makesTokenAccount ? refused.accounts[0] : feePayer;
  const rent = `${sol(BigInt(needed))} for the rent of ${makesTokenAccount ? 'a token account' : 'an account'}`;
  return `The wallet ${payer} holds ${sol(BigInt(held))} and needs ${rent}: send SOL to it.`;
}
