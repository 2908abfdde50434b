import { type Config, findConfigPda, getConfigDecoder } from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { Chain } from '../chain.js';
import { toNodeAccount } from '../node/agreed.js';
import { NoConfigError, readConfig } from './keeper-view.js';
import { attestationOf, reserveAddressOf, supplyOf } from './reserve.js';
import { noKey, tokenAmountOf } from './wallet.js';

export type TreasuryAccountName = 'treasury_usdc' | 'treasury_gold' | 'fee_usdc' | 'escrow_gold';

/** What a treasury token account holds. */
export interface TreasuryAccountBalance {
  role: TreasuryAccountName;
  account: Address;
  /** Base units; 0 for an account that does not exist. */
  balance: bigint;
}

/** the treasury accounts, read together. */
export interface TreasurySnapshot {
  /** The slot that the node names. */
  slot: bigint;
  /** No transaction in a later slot is in the balances: some nodes respond with more than the slot that they name. */
  upTo: bigint;
  /** The keys that sign quotes, by the program's configuration. */
  serviceSigners: Address[];
  balances: TreasuryAccountBalance[];
  goldMint: Address;
  /** The program's configuration, read just before. */
  config: Config;
  /** Base units of GOLD, all holders together. */
  supply: bigint;
  /** Base units of GOLD that may exist; 0 before the first attestation. */
  attested: bigint;
  /** Unix seconds: the moment that the attestation is about; undefined before the first. */
  attestedAsOf: bigint | undefined;
}

/** Reads what the treasury accounts hold, at commitment `confirmed`. Rejects when the node fails. */
export async function readTreasurySnapshot(
  chain: Chain,
  abortSignal: AbortSignal,
): Promise<TreasurySnapshot> {
  const config = await readConfig(chain, 'confirmed', abortSignal);
  const accounts: [TreasuryAccountName, Address][] = [
    ['treasury_usdc', config.treasuryUsdc],
    ['treasury_gold', config.treasuryGold],
    ['fee_usdc', config.feeUsdc],
    ['escrow_gold', config.escrowGold],
  ];
  const reserve = await reserveAddressOf(chain);
  const [configAddress] = await findConfigPda({ programAddress: chain.programAddress });
  const tokens = accounts.map(([, account]) => account);
  const addresses = [configAddress, ...tokens, config.goldMint, reserve];
  const { context, value } = await chain.rpc
    .getMultipleAccounts(addresses, { commitment: 'confirmed', encoding: 'base64' })
    .send({ abortSignal });
  const [own] = value;
  if (own?.owner !== chain.programAddress) throw new NoConfigError();
  const [mint, attested] = value.slice(1 + accounts.length);
  const attestation = attestationOf(toNodeAccount(attested), chain.programAddress);
  const newest = await chain.rpc.getSlot({ commitment: 'processed' }).send({ abortSignal });
  return {
    slot: context.slot,
    upTo: newest > context.slot ? newest : context.slot,
    serviceSigners: config.serviceSigners.filter((signer) => signer !== noKey),
    balances: accounts.map(([role, account], index) => ({
      role,
      account,
      balance: tokenAmountOf(value[1 + index]) ?? 0n,
    })),
    goldMint: config.goldMint,
    config: getConfigDecoder().decode(Buffer.from(own.data[0], 'base64')),
    supply: supplyOf(toNodeAccount(mint)),
    attested: attestation?.attested ?? 0n,
    attestedAsOf: attestation?.asOf,
  };
}
