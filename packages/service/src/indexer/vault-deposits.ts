import type { IntegratorEntry } from '../chain/program/integrator.js';
import type { Context } from '../context.js';
import { findOrderSignatures } from '../db/papers/statement-lines.js';
import type { VaultDeposit } from '../db/papers/vault-books.js';
import { uuidFromBytes } from '../domain/ids.js';
import { chunksOf } from '../runtime/chunks.js';
import { Source } from './source.js';

const fetchedAtOnce = 25;

/**
 * Returns what came into a partner's vault behind the slot `floor` past the program, which no listing of the program shows: both
 * accounts are listed themselves. Rejects when the nodes fail.
 */
export async function findVaultDeposits(
  { db, chain, clock }: Pick<Context, 'db' | 'chain' | 'clock'>,
  { data }: IntegratorEntry,
  floor: bigint,
  signal: AbortSignal,
): Promise<VaultDeposit[]> {
  const source = new Source(chain);
  const partnerId = uuidFromBytes(data.partnerId);
  const { vaultGold, vaultUsdc } = data;
  const listed = new Set<Parameters<Source['fetch']>[0][number]>();
  for (const address of [vaultGold, vaultUsdc])
    for await (const page of source.history({ floor }, signal, { address }))
      for (const { signature, failed } of page) if (!failed) listed.add(signature);
  const deposits: VaultDeposit[] = [];
  for (const some of chunksOf([...listed], fetchedAtOnce)) {
    const known = await findOrderSignatures(db, partnerId, some);
    const fetched = await source.fetch(
      some.filter((signature) => !known.has(signature)),
      signal,
    );
    for (const each of fetched) {
      if (each.kind === 'unknown' || each.kind === 'broken')
        throw new Error('the nodes do not have a transaction that they listed');
      if (each.kind !== 'found' || each.transaction.error !== null) continue;
      const { signature, slot, tokenChanges, landedMs } = each.transaction;
      const [gold, usdc] = [tokenChanges.get(vaultGold) ?? 0n, tokenChanges.get(vaultUsdc) ?? 0n];
      if (gold === 0n && usdc === 0n) continue;
      const at = new Date(landedMs ?? clock.now());
      deposits.push({ partnerId, txSignature: signature, slot, at, gold, usdc });
    }
  }
  return deposits;
}
