import { goldOf, type Token, tokenAccountOf, usdcOf } from '@karat/service/seed';
import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';

export type SolanaRpc = Rpc<SolanaRpcApi>;

export interface Balances {
  /** Base units; 0 when there is no account. */
  usdc: bigint;
  gold: bigint;
}

/** The mints of a sandbox. */
export interface Mints {
  usdcMint: Address;
  goldMint: Address;
}

/** Returns USDC and GOLD of a wallet, as a node reports them. */
export async function balancesOf(rpc: SolanaRpc, owner: Address, mints: Mints): Promise<Balances> {
  const [usdc, gold] = await Promise.all([
    balanceOf(rpc, owner, usdcOf(mints)),
    balanceOf(rpc, owner, goldOf(mints)),
  ]);
  return { usdc, gold };
}

async function balanceOf(rpc: SolanaRpc, owner: Address, token: Token): Promise<bigint> {
  const account = tokenAccountOf(owner, token);
  const { value } = await rpc.getAccountInfo(account, { encoding: 'base64', commitment: 'confirmed' }).send();
  if (!value) return 0n;
  // Token account: mint 32, owner 32, amount u64.
  return Buffer.from(value.data[0], 'base64').readBigUInt64LE(64);
}

/** Calls one of the node's own methods that exist only in a sandbox, and returns its result. */
export async function cheat<T = unknown>(rpcUrl: string, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const parsed = (await response.json()) as { result: T; error?: { message: string } };
  if (parsed.error) throw new Error(`${method}: ${parsed.error.message}`);
  return parsed.result;
}
