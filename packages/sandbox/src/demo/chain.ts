import type { Address, createSolanaRpc } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

export type SolanaRpc = ReturnType<typeof createSolanaRpc>;

export interface Balances {
  /** Base units; 0 when there is no account. */
  usdc: bigint;
  gold: bigint;
}

/** Returns USDC and GOLD of a wallet, as a node reports them. */
export async function balancesOf(
  rpc: SolanaRpc,
  owner: Address,
  mints: { usdc: Address; gold: Address },
): Promise<Balances> {
  const [usdc, gold] = await Promise.all([
    balanceOf(rpc, owner, mints.usdc),
    balanceOf(rpc, owner, mints.gold),
  ]);
  return { usdc, gold };
}

async function balanceOf(rpc: SolanaRpc, owner: Address, mint: Address): Promise<bigint> {
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const { value } = await rpc.getAccountInfo(account, { encoding: 'base64', commitment: 'confirmed' }).send();
  if (!value) return 0n;
  // SPL token account: mint 32, owner 32, amount u64.
  return Buffer.from(value.data[0], 'base64').readBigUInt64LE(64);
}

/** Calls one of the node's own methods that exist only in a sandbox. */
export async function cheat(rpcUrl: string, method: string, ...params: unknown[]): Promise<void> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const parsed = (await response.json()) as { error?: { message: string } };
  if (parsed.error) throw new Error(`${method}: ${parsed.error.message}`);
}
