import { type Config, decodeConfig, findConfigPda, getConfigDecoder } from '@karat/program-client';
import { type Address, parseBase64RpcAccount } from '@solana/kit';
import type { Chain } from '../chain.js';
import { toNodeAccount } from '../node/agreed.js';
import { asOf } from '../node/as-of.js';
import type { PriceAccount } from './price.js';
import { attestationOf } from './reserve.js';
import { supplyOf, tokenAmountOf } from './token-accounts.js';
import { noKey } from './wallet.js';

type Readable = Pick<Chain, 'rpc' | 'programAddress'>;

/** What the keeper watches, as the node reports it at one slot. */
export interface KeeperView {
  config: Config;
  /** Undefined: the account does not exist. */
  price: PriceAccount | undefined;
  usdcPrice: PriceAccount | undefined;
  /** Base units of GOLD, all holders together. */
  supply: bigint;
  /** Base units; undefined: the token account does not exist. */
  treasuryUsdc: bigint | undefined;
  treasuryGold: bigint | undefined;
  escrowGold: bigint | undefined;
  /** Lamports of the requested keys, and of the program's service signers. */
  lamports: ReadonlyMap<Address, bigint>;
}

export type TreasuryAccountName = 'treasury_usdc' | 'treasury_gold' | 'fee_usdc' | 'escrow_gold';

/** What a treasury token account holds. */
export interface TreasuryAccountBalance {
  role: TreasuryAccountName;
  account: Address;
  /** Base units; 0 for an account that does not exist. */
  balance: bigint;
}

/** The treasury accounts, as the node reports them at one slot. */
export interface TreasurySnapshot {
  /** The slot that the node names. */
  slot: bigint;
  /** The keys that sign quotes, by the program's configuration. */
  serviceSigners: Address[];
  balances: TreasuryAccountBalance[];
  goldMint: Address;
  config: Config;
  /** Base units of GOLD, all holders together. */
  supply: bigint;
  /** Base units of GOLD that may exist; 0 before the first attestation. */
  attested: bigint;
  /** Unix seconds: the moment that the attestation is about; undefined before the first. */
  attestedAsOf: bigint | undefined;
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
  chain: Readable,
  commitment: 'processed' | 'confirmed' | 'finalized',
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
 * Reads the configuration and the accounts that it names, all at one slot: by one call when they are those that `known`, an
 * earlier configuration, names. Rejects when the node fails or has not seen the slot `minSlot`.
 */
export async function readNamed(
  chain: Readable,
  named: (config: Config) => Address[],
  abortSignal: AbortSignal,
  options: { known?: Config | undefined; minSlot?: bigint; commitment?: 'confirmed' | 'finalized' } = {},
) {
  const { known, minSlot = 0n, commitment = 'confirmed' } = options;
  const expected = known ?? (await readConfig(chain, commitment, abortSignal, minSlot));
  const [configAddress] = await findConfigPda({ programAddress: chain.programAddress });
  const addresses = named(expected);
  const { context, value } = await asOf(minSlot, (least) =>
    chain.rpc
      .getMultipleAccounts([configAddress, ...addresses], { commitment, encoding: 'base64', ...least })
      .send({ abortSignal }),
  );
  const [own, ...accounts] = value;
  if (own?.owner !== chain.programAddress) throw new NoConfigError();
  const config = getConfigDecoder().decode(Buffer.from(own.data[0], 'base64'));
  if (String(named(config)) === String(addresses)) return { slot: context.slot, config, accounts };
  return readNamed(chain, named, abortSignal, { ...options, known: config });
}

/**
 * Reads everything that the keeper watches, with the SOL of `keys` and of the service signers, as `readNamed` does.
 */
export async function readKeeperView(
  chain: Readable,
  keys: Address[],
  abortSignal: AbortSignal,
  options: { known?: Config | undefined; minSlot?: bigint } = {},
): Promise<KeeperView> {
  const { config, accounts } = await readNamed(
    chain,
    (named) => [
      named.settings.priceAccount,
      named.settings.usdcPriceAccount,
      named.goldMint,
      named.treasuryUsdc,
      named.treasuryGold,
      named.escrowGold,
      ...payersOf(named, keys),
    ],
    abortSignal,
    options,
  );
  const [price, usdcPrice, mint, usdc, gold, escrow, ...payers] = accounts;
  return {
    config,
    price: toNodeAccount(price),
    usdcPrice: toNodeAccount(usdcPrice),
    supply: supplyOf(toNodeAccount(mint)),
    treasuryUsdc: tokenAmountOf(usdc),
    treasuryGold: tokenAmountOf(gold),
    escrowGold: tokenAmountOf(escrow),
    lamports: new Map(payersOf(config, keys).map((key, index) => [key, payers[index]?.lamports ?? 0n])),
  };
}

function payersOf({ hotKeys }: Config, keys: Address[]): Address[] {
  return [...new Set([...keys, ...hotKeys.serviceSigners.filter((key) => key !== noKey)])];
}

/** Reads what the treasury accounts hold, by default at commitment `confirmed`. Rejects when the node fails. */
export async function readTreasurySnapshot(
  chain: Readable,
  abortSignal: AbortSignal,
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<TreasurySnapshot> {
  const { slot, config, accounts } = await readNamed(
    chain,
    (named) => [named.goldMint, ...treasuryOf(named).map(([, account]) => account)],
    abortSignal,
    { commitment },
  );
  const [mint, ...tokens] = accounts;
  return {
    slot,
    serviceSigners: config.hotKeys.serviceSigners.filter((signer) => signer !== noKey),
    balances: treasuryOf(config).map(([role, account], index) => ({
      role,
      account,
      balance: tokenAmountOf(tokens[index]) ?? 0n,
    })),
    goldMint: config.goldMint,
    config,
    supply: supplyOf(toNodeAccount(mint)),
    attested: config.attestation.amount,
    attestedAsOf: attestationOf(config)?.asOf,
  };
}

function treasuryOf(config: Config): [TreasuryAccountName, Address][] {
  return [
    ['treasury_usdc', config.treasuryUsdc],
    ['treasury_gold', config.treasuryGold],
    ['fee_usdc', config.feeUsdc],
    ['escrow_gold', config.escrowGold],
  ];
}
