import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { AccountGrantFacts } from '../actions/settle-account-grant.js';
import type { ChainTransaction } from './transaction.js';

/**
 * The token accounts that a key of the service was to pay for in a transaction, and whether it did: an account that is
 * made is made by calls of the system program, one that is there already by none.
 */
export function accountGrantsOf(
  { instructions, signers, error }: ChainTransaction,
  trusted: ReadonlySet<Address>,
): AccountGrantFacts[] {
  const grants: AccountGrantFacts[] = [];
  instructions.forEach(({ program, depth, accounts }, at) => {
    const [payer, , wallet, mint] = accounts;
    if (program !== ASSOCIATED_TOKEN_PROGRAM_ADDRESS || depth !== 1 || !payer || !wallet || !mint) return;
    if (!trusted.has(payer) || !signers.has(payer)) return;
    const rest = instructions.slice(at + 1);
    const next = rest.findIndex((instruction) => instruction.depth === 1);
    const invoked = next === -1 ? rest : rest.slice(0, next);
    const made = invoked.some((instruction) => instruction.program === SYSTEM_PROGRAM_ADDRESS);
    grants.push({ wallet, mint, paid: error === null && made });
  });
  return grants;
}
