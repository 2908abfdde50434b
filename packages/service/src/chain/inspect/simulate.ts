import type { Address, Base64EncodedDataResponse, Base64EncodedWireTransaction } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { Chain } from '../chain.js';
import { accountsPerCall } from '../node/node.js';
import { decodeTokenAccount } from '../program/token-accounts.js';

/** By how much somebody's tokens or SOL change, base units or lamports; negative for a decrease. */
export interface BalanceChange {
  owner: Address;
  token: 'GOLD' | 'USDC' | 'SOL';
  change: bigint;
}

/** What a node makes of a transaction that it tries out. */
export interface Simulation {
  /** As nodes report it; null when it succeeds. */
  error: unknown;
  logs: readonly string[];
  /** Empty when it fails. */
  changes: BalanceChange[];
  /** What token accounts hold before, base units; undefined: the account does not exist. */
  balances: Map<Address, bigint | undefined>;
  /** Mints of the token accounts that it writes to. */
  mints: Map<Address, Address>;
}

interface AccountState {
  owner: Address;
  lamports: bigint;
  data: Base64EncodedDataResponse;
}

/**
 * Tries a transaction out at the node, however it is signed, and compares the accounts that it writes to before and after. Rejects
 * when the node does not respond.
 */
export async function simulate(
  { rpc }: Pick<Chain, 'rpc'>,
  transaction: Uint8Array,
  writable: readonly Address[],
  tokens: ReadonlyMap<Address, 'GOLD' | 'USDC'>,
  abortSignal: AbortSignal,
): Promise<Simulation> {
  const wire = Buffer.from(transaction).toString('base64') as Base64EncodedWireTransaction;
  const addresses = writable.slice(0, accountsPerCall);
  const before = await rpc
    .getMultipleAccounts(addresses, { commitment: 'confirmed', encoding: 'base64' })
    .send({ abortSignal });
  const { value } = await rpc
    .simulateTransaction(wire, {
      encoding: 'base64',
      commitment: 'confirmed',
      sigVerify: false,
      replaceRecentBlockhash: false,
      accounts: { addresses, encoding: 'base64' },
    })
    .send({ abortSignal });
  const after: readonly (AccountState | null)[] = value.accounts ?? [];
  const pairs = addresses.map((address, at) => ({
    address,
    was: before.value[at] ?? null,
    is: after[at] ?? null,
  }));
  return {
    error: value.err,
    logs: value.logs ?? [],
    changes: value.err === null ? changesOf(pairs, tokens) : [],
    balances: new Map(pairs.map(({ address, was }) => [address, tokenOf(was)?.amount])),
    mints: new Map(
      pairs.flatMap(({ address, was, is }) => {
        const mint = (tokenOf(was) ?? tokenOf(is))?.mint;
        return mint ? [[address, mint] as const] : [];
      }),
    ),
  };
}

interface Pair {
  address: Address;
  was: AccountState | null;
  is: AccountState | null;
}

function changesOf(pairs: Pair[], tokens: ReadonlyMap<Address, 'GOLD' | 'USDC'>): BalanceChange[] {
  const changes = new Map<string, BalanceChange>();
  const add = (owner: Address, token: BalanceChange['token'], change: bigint) => {
    const key = `${owner} ${token}`;
    changes.set(key, { owner, token, change: (changes.get(key)?.change ?? 0n) + change });
  };
  for (const { address, was, is } of pairs) {
    for (const [state, sign] of [
      [was, -1n],
      [is, 1n],
    ] as const) {
      const held = tokenOf(state);
      const token = held && tokens.get(held.mint);
      if (held && token) add(held.owner, token, sign * held.amount);
    }
    if (isWallet(was) && isWallet(is)) add(address, 'SOL', (is?.lamports ?? 0n) - (was?.lamports ?? 0n));
  }
  return [...changes.values()].filter(({ change }) => change !== 0n);
}

/** An account without data of the system program, or one that does not exist: its SOL is that of its address. */
function isWallet(state: AccountState | null): boolean {
  return state === null || (state.owner === SYSTEM_PROGRAM_ADDRESS && state.data[0] === '');
}

function tokenOf(state: AccountState | null): { mint: Address; owner: Address; amount: bigint } | undefined {
  return state ? decodeTokenAccount(state.owner, Buffer.from(state.data[0], 'base64')) : undefined;
}
