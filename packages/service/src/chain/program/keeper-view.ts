import { type Config, decodeConfig, findConfigPda, getConfigDecoder } from '@karat/program-client';
import { type Address, parseBase64RpcAccount } from '@solana/kit';
import type { Chain } from '../chain.js';
import { asOf } from '../node/as-of.js';
import type { PriceAccount } from './price.js';
import { noKey, tokenAmountOf } from './wallet.js';

/** What the keeper watches, as the node reports it at one slot. */
export interface KeeperView {
  config: Config;
  /** Undefined: the account does not exist. */
  price: PriceAccount | undefined;
  /** Base units; undefined: the token account does not exist. */
  treasuryUsdc: bigint | undefined;
  treasuryGold: bigint | undefined;
  escrowGold: bigint | undefined;
  /** Lamports of the requested keys, and of the program's service signers. */
  lamports: ReadonlyMap<Address, bigint>;
}

/** The program has no configuration on this chain. */
export class NoConfigError extends Error {
  override name = 'NoConfigError';

  constructor() {
    super('The program has no configuration on this chain.');
  }
}

/**
 * Reads the program's configuration again, past everything that is kept in memory. Rejects when the node fails or has not
 * seen the slot `minSlot`.
 */
export async function readConfig(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  commitment: 'processed' | 'confirmed',
  abortSignal: AbortSignal,
  minSlot = 0n,
): Promise<Config> {
  const [address] = await findConfigPda({ programAddress: chain.programAddress });
  const { value } = await asOf(minSlot, (least) =>
    chain.rpc.getAccountInfo(address, { commitment, encoding: 'base64', ...least }).send({ abortSignal }),
  );
  if (value?.owner !== chain.programAddress) throw new NoConfigError();
  return decodeConfig(parseBase64RpcAccount(address, value)).data;
}

/**
 * Reads everything that the keeper watches, with the SOL of `keys` and of the service signers: by one call when the
 * addresses are those of `known`, the configuration of an earlier view. Rejects when the node fails or has not seen the slot
 * `minSlot`.
 */
export async function readKeeperView(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  keys: Address[],
  abortSignal: AbortSignal,
  { known, minSlot = 0n }: { known?: Config | undefined; minSlot?: bigint } = {},
): Promise<KeeperView> {
  const expected = known ?? (await readConfig(chain, 'confirmed', abortSignal, minSlot));
  const [configAddress] = await findConfigPda({ programAddress: chain.programAddress });
  const payers = payersOf(expected, keys);
  const addresses = [configAddress, ...ownAccountsOf(expected), ...payers];
  const { value } = await asOf(minSlot, (least) =>
    chain.rpc
      .getMultipleAccounts(addresses, { commitment: 'confirmed', encoding: 'base64', ...least })
      .send({ abortSignal }),
  );
  const [own, price, usdc, gold, escrow, ...signers] = value;
  if (own?.owner !== chain.programAddress) throw new NoConfigError();
  const config = getConfigDecoder().decode(Buffer.from(own.data[0], 'base64'));
  const named = [...ownAccountsOf(config), ...payersOf(config, keys)];
  if (String(named) !== String(addresses.slice(1))) {
    return readKeeperView(chain, keys, abortSignal, { known: config, minSlot });
  }
  return {
    config,
    price: price ? { owner: price.owner, data: Buffer.from(price.data[0], 'base64') } : undefined,
    treasuryUsdc: tokenAmountOf(usdc),
    treasuryGold: tokenAmountOf(gold),
    escrowGold: tokenAmountOf(escrow),
    lamports: new Map(payers.map((key, index) => [key, signers[index]?.lamports ?? 0n])),
  };
}

function ownAccountsOf({ priceAccount, treasuryUsdc, treasuryGold, escrowGold }: Config): Address[] {
  return [priceAccount, treasuryUsdc, treasuryGold, escrowGold];
}

function payersOf({ serviceSigners }: Config, keys: Address[]): Address[] {
  return [...new Set([...keys, ...serviceSigners.filter((key) => key !== noKey)])];
}
