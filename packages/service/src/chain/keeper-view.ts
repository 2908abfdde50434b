import { type Config, decodeConfig, findConfigPda } from '@karat/program-client';
import { type Address, parseBase64RpcAccount } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Chain } from './chain.js';
import type { PriceAccount } from './price.js';
import { noKey } from './wallet.js';

/** What the keeper looks at, as the node says it is at one slot. */
export interface KeeperView {
  config: Config;
  /** Undefined: the account does not exist. */
  price: PriceAccount | undefined;
  /** Base units; undefined: the token account does not exist. */
  treasuryUsdc: bigint | undefined;
  treasuryGold: bigint | undefined;
  escrowGold: bigint | undefined;
  /** Lamports of the keys that were asked for, and of the program's service signers. */
  lamports: ReadonlyMap<Address, bigint>;
}

/** The program has no configuration on this chain. */
export class NoConfigError extends Error {
  override name = 'NoConfigError';
}

/**
 * Reads the program's configuration anew, past everything that is kept in memory. Rejects when the node fails or has not
 * seen the slot `minContextSlot`.
 */
export async function readConfig(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  commitment: 'processed' | 'confirmed',
  abortSignal: AbortSignal,
  minContextSlot = 0n,
): Promise<Config> {
  const [address] = await findConfigPda({ programAddress: chain.programAddress });
  const { value } = await chain.rpc
    .getAccountInfo(address, {
      commitment,
      encoding: 'base64',
      // There are nodes that refuse it.
      ...(minContextSlot > 0n ? { minContextSlot } : {}),
    })
    .send({ abortSignal });
  if (value?.owner !== chain.programAddress)
    throw new NoConfigError('The program has no configuration on this chain.');
  return decodeConfig(parseBase64RpcAccount(address, value)).data;
}

/** Reads everything that the keeper watches, with the SOL of `keys` and of the service signers. Rejects when the node fails. */
export async function readKeeperView(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  keys: Address[],
  abortSignal: AbortSignal,
): Promise<KeeperView> {
  const config = await readConfig(chain, 'confirmed', abortSignal);
  const { priceAccount, treasuryUsdc, treasuryGold, escrowGold } = config;
  const payers = [...new Set([...keys, ...config.serviceSigners.filter((key) => key !== noKey)])];
  const { value } = await chain.rpc
    .getMultipleAccounts([priceAccount, treasuryUsdc, treasuryGold, escrowGold, ...payers], {
      commitment: 'confirmed',
      encoding: 'base64',
    })
    .send({ abortSignal });
  const [price, usdc, gold, escrow, ...signers] = value.map(
    (account) =>
      account && {
        owner: account.owner,
        lamports: account.lamports as bigint,
        data: Buffer.from(account.data[0], 'base64'),
      },
  );
  return {
    config,
    price: price ?? undefined,
    treasuryUsdc: amountOf(usdc),
    treasuryGold: amountOf(gold),
    escrowGold: amountOf(escrow),
    lamports: new Map(payers.map((key, index) => [key, signers[index]?.lamports ?? 0n])),
  };
}

/** SPL token account: mint [32], owner [32], amount u64. */
function amountOf(account: { owner: Address; data: Buffer } | null | undefined): bigint | undefined {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length < 72) return undefined;
  return account.data.readBigUInt64LE(64);
}
