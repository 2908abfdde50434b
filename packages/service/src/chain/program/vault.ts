import type { Address } from '@solana/kit';
import { unavailable } from '../../errors.js';
import { chunksOf } from '../../runtime/chunks.js';
import { withDeadline } from '../../runtime/time.js';
import type { Chain } from '../chain.js';
import { type Nodes, readOfEach } from '../node/agreed.js';
import { accountsPerCall } from '../node/node.js';
import type { IntegratorEntry } from './integrator.js';
import { tokenAmountOf } from './token-accounts.js';

/** What a vault holds, in base units. */
export interface VaultBalances {
  usdc: bigint;
  gold: bigint;
}

/** What vaults hold at one finalized slot, in the order of their integrators. */
export interface FinalVaults {
  slot: bigint;
  balances: VaultBalances[];
}

/** A request does not wait longer for this. */
const timeoutMs = 2_000;

/** Reads what a partner's vault holds now, as `readVaults` does. */
export async function readVault(
  chain: Pick<Chain, 'rpc'>,
  integrator: IntegratorEntry,
): Promise<VaultBalances> {
  const [balances] = await readVaults(chain, [integrator]);
  return balances ?? { usdc: 0n, gold: 0n };
}

/**
 * Reads what partners' vaults hold, in their order, from the node at commitment `confirmed`: a balance that is a second old
 * may be spent. Throws `service_unavailable` when the node does not respond.
 */
export async function readVaults(
  { rpc }: Pick<Chain, 'rpc'>,
  integrators: IntegratorEntry[],
): Promise<VaultBalances[]> {
  const accounts = integrators.flatMap(({ data }) => [data.vaultUsdc, data.vaultGold]);
  const read = async (some: Address[]): Promise<bigint[]> => {
    const { value } = await withDeadline(timeoutMs, undefined, (abortSignal) =>
      rpc.getMultipleAccounts(some, { commitment: 'confirmed', encoding: 'base64' }).send({ abortSignal }),
    );
    return value.map((account) => tokenAmountOf(account) ?? 0n);
  };
  try {
    const amounts = (await Promise.all(chunksOf(accounts, accountsPerCall).map(read))).flat();
    return integrators.map((_, i) => ({ usdc: amounts[2 * i] ?? 0n, gold: amounts[2 * i + 1] ?? 0n }));
  } catch (cause) {
    const message = 'The Solana node does not report what the vault holds; try again shortly.';
    throw unavailable(message, { reason: 'node_unavailable', cause });
  }
}

/**
 * Reads what partners' vaults hold at a finalized slot, at most as many as fit in one call. All nodes that respond have to agree,
 * and at least two where so many are configured. Rejects when they do not, or fail.
 */
export async function readFinalVaults(
  chain: Pick<Nodes, 'witnesses'>,
  integrators: readonly IntegratorEntry[],
  signal: AbortSignal,
): Promise<FinalVaults> {
  const accounts = integrators.flatMap(({ data }) => [data.vaultUsdc, data.vaultGold]);
  const reported = await readOfEach(
    chain,
    async (rpc) => {
      const { context, value } = await rpc
        .getMultipleAccounts(accounts, { commitment: 'finalized', encoding: 'base64' })
        .send({ abortSignal: signal });
      return { slot: context.slot, amounts: value.map((account) => tokenAmountOf(account) ?? 0n) };
    },
    signal,
  );
  const [first, ...others] = reported.map(({ value }) => value);
  if (!first || others.some(({ amounts }) => String(amounts) !== String(first.amounts)))
    throw new Error('the Solana nodes do not agree on what the vaults hold');
  const { amounts } = first;
  // What all of them hold has not changed in between.
  const slot = others.reduce((least, other) => (other.slot < least ? other.slot : least), first.slot);
  return {
    slot,
    balances: integrators.map((_, i) => ({ usdc: amounts[2 * i] ?? 0n, gold: amounts[2 * i + 1] ?? 0n })),
  };
}
