import { getIntegratorDecoder, getIntegratorSize } from '@karat/program-client';
import type { Address, Signature } from '@solana/kit';
import { sql } from 'drizzle-orm';
import type { Chain } from '../chain/chain.js';
import { listTransactionsOf } from '../chain/node/signed-transactions.js';
import { readVaults } from '../chain/program/vault.js';
import type { Tx } from '../db/client.js';
import { type Uuid, uuidFromBytes } from '../domain/ids.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { signatureToBytes, type TxSignature } from '../domain/solana.js';
import { atMost } from '../runtime/limit.js';
import { type Broken, counted, maxNamed, type Verdict, verdictOf } from './verdict.js';

/** The newest transactions of each account of a vault that are read. */
const maxTransactions = 1_000;
const readAtOnce = 8;
const units = (amount: bigint) => formatDecimal(amount, tokenDecimals);

/** By how much one transaction changed an account of a vault. */
interface VaultMove {
  partnerId: Uuid;
  account: Address;
  token: 'gold' | 'usdc';
  signature: TxSignature;
  change: bigint;
}

/** What the chain shows of the vaults. */
export interface VaultHistory {
  accounts: number;
  moves: VaultMove[];
  /** Accounts that lost something between two transactions, or since the last one. */
  broken: Broken[];
}

/**
 * Reads the vaults of all partners and the transactions that moved them, in slots from one on up to another: no balance
 * may begin below where the last one ended. Rejects when the node fails.
 */
export async function readVaultHistory(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  range: { fromSlot: bigint; toSlot: bigint },
  signal: AbortSignal,
): Promise<VaultHistory> {
  const found = await chain.rpc
    .getProgramAccounts(chain.programAddress, {
      commitment: 'finalized',
      encoding: 'base64',
      filters: [{ dataSize: BigInt(getIntegratorSize()) }],
    })
    .send({ abortSignal: signal });
  const history: VaultHistory = { accounts: 0, moves: [], broken: [] };
  for (const { pubkey: address, account } of found) {
    const data = getIntegratorDecoder().decode(Buffer.from(account.data[0], 'base64'));
    const partnerId = uuidFromBytes(Uint8Array.from(data.partnerId));
    const [held] = await readVaults(chain, [{ address, data }]);
    for (const [token, vault] of [
      ['gold', data.vaultGold],
      ['usdc', data.vaultUsdc],
    ] as const) {
      const { moves, end } = await readMoves(chain, vault, range, signal);
      history.accounts += 1;
      history.moves.push(
        ...moves.flatMap((move) =>
          move.change === 0n || move.isLater ? [] : [{ ...move, partnerId, token, account: vault }],
        ),
      );
      history.broken.push(...gapsOf(vault, moves));
      if (end !== undefined && held && held[token] < end && !moves.some(({ isLater }) => isLater))
        history.broken.push({
          row: `vault ${vault}`,
          fault: `holds ${units(held[token])}, and its last transaction left ${units(end)}`,
        });
    }
  }
  return history;
}

interface Step {
  signature: TxSignature;
  before: bigint;
  after: bigint;
  change: bigint;
  isLater: boolean;
}

/** Reads what transactions did to an account, oldest first. */
async function readMoves(
  { rpc }: Pick<Chain, 'rpc'>,
  account: Address,
  { fromSlot, toSlot }: { fromSlot: bigint; toSlot: bigint },
  signal: AbortSignal,
): Promise<{ moves: Step[]; end: bigint | undefined }> {
  const listed = await listTransactionsOf(rpc, account, { limit: maxTransactions }, signal);
  const own = listed.filter(({ slot, failed }) => slot >= fromSlot && !failed).reverse();
  const inTurn = atMost(readAtOnce);
  const steps = await Promise.all(
    own.map(({ signature, slot }) =>
      inTurn(async (): Promise<Step | undefined> => {
        const amounts = await readAmounts({ rpc }, account, signature, signal);
        if (!amounts) return undefined;
        const [before, after] = amounts;
        return { signature, before, after, change: after - before, isLater: slot > toSlot };
      }),
    ),
  );
  const moves = steps.filter((step) => step !== undefined);
  return { moves, end: moves.at(-1)?.after };
}

/** Returns what an account held before and after a transaction; undefined where the node does not have it any more. */
async function readAmounts(
  { rpc }: Pick<Chain, 'rpc'>,
  account: Address,
  signature: Signature,
  abortSignal: AbortSignal,
): Promise<[bigint, bigint] | undefined> {
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  const found = await rpc.getTransaction(signature, config).send({ abortSignal });
  if (!found?.meta) return undefined;
  const { preTokenBalances, postTokenBalances, loadedAddresses } = found.meta;
  const { writable = [], readonly = [] } = loadedAddresses ?? {};
  const place = [...found.transaction.message.accountKeys, ...writable, ...readonly].indexOf(account);
  const amountIn = (balances: typeof preTokenBalances) =>
    BigInt(balances?.find(({ accountIndex }) => accountIndex === place)?.uiTokenAmount.amount ?? 0);
  return [amountIn(preTokenBalances), amountIn(postTokenBalances)];
}

function gapsOf(account: Address, moves: readonly Step[]): Broken[] {
  return moves.flatMap((move, index): Broken[] => {
    const last = moves[index - 1];
    if (!last || last.after <= move.before) return [];
    const fault = `held ${units(move.before)} before ${move.signature}, and the transaction before it left ${units(last.after)}`;
    return [{ row: `vault ${account}`, fault }];
  });
}

/** Compares what went out of vaults, and what orders brought, with the orders. Anybody may pay into a vault. */
export async function checkVaults(tx: Tx, { accounts, moves, broken }: VaultHistory): Promise<Verdict> {
  const all = [...broken];
  for (const { partnerId, account, token, signature, change } of moves) {
    const [row] = await tx.execute<{ due: string; names: string | null }>(sql`
      select coalesce(sum(case when kind = 'purchase' and ${token} = 'gold' or kind = 'sale' and ${token} = 'usdc' then amount else -amount end), 0)::text as due,
        string_agg('orders ' || id, ', ') as names
      from (select id, kind, coalesce(case ${token} when 'gold' then executed_gold else executed_usdc end, 0) as amount from orders
        where tx_signature = ${signatureToBytes(signature)} and partner_id = ${partnerId}::uuid and status = 'confirmed') as own`);
    const due = BigInt(row?.due ?? 0);
    // More than the orders say is a deposit.
    if (change >= due) continue;
    const fault = `changed by ${units(change)} ${token.toUpperCase()} in ${signature}; its orders say ${units(due)}`;
    all.push({ row: row?.names ? `${row.names} (vault ${account})` : `vault ${account}`, fault });
  }
  const detail = `Nothing left a vault but by an order: ${counted(moves.length, 'movement')} of ${counted(accounts, 'account')}.`;
  return verdictOf('vault_balances', detail, all.slice(0, maxNamed), all.length);
}
