/**
 * What a chain needs before Karat can trade on it: mints and the program's configuration. Every step looks first and does
 * nothing when its work is done, so that one that was cut off in the middle is finished by running it again.
 */

import {
  type Config,
  fetchMaybeConfig,
  findConfigPda,
  findEscrowPda,
  findIntegratorPda,
  findTreasuryPda,
  getCreateIntegratorInstruction,
  getInitializeInstruction,
  type HotKeys,
  type IntegratorStatus,
  type Settings,
} from '@karat/program-client';
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Commitment,
  commitmentComparator,
  createTransactionMessage,
  fetchEncodedAccount,
  getBase64EncodedWireTransaction,
  getProgramDerivedAddress,
  type Instruction,
  pipe,
  type Rpc,
  type Signature,
  type SolanaRpcApi,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  getInitializeMint2Instruction,
  getMintSize,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { type Uuid, uuidBytes } from '../../domain/ids.js';
import { tokenDecimals } from '../../domain/money.js';
import type { Network } from '../../domain/network.js';
import { executivePlaces } from '../program/executives.js';
import { wordsOf } from '../program/program-errors.js';
import { createTokenAccount, goldOf, type Token, tokenAccountOf, usdcOf } from '../program/token-accounts.js';
import { type GoldMetadata, goldMintBytesWith, goldMintInstructions } from './gold-mint.js';
import { programDataAddress } from './loader.js';

export { type GoldStanding, readChainSeconds, readGoldStanding } from '../program/reserve.js';
export { goldOf, type Token, tokenAccountOf, tokenOf, usdcOf } from '../program/token-accounts.js';
export { noKey } from '../program/wallet.js';
export { noLimit } from '../program/window.js';
export {
  decodeTokenMetadata,
  type GoldMetadata,
  type TokenMetadata,
  updateUriInstruction,
} from './gold-mint.js';
export { programDataAddress } from './loader.js';

export const pythReceiverProgram = address('rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ');
/** Program that keeps one price account a feed at a fixed address. */
export const pythPushProgram = address('pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT');
/** Pyth's feed of US dollars per troy ounce of gold. */
export const xauUsdFeedId: Uint8Array = Buffer.from(
  '765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2',
  'hex',
);
/** Pyth's feed of US dollars per USDC. */
export const usdcUsdFeedId: Uint8Array = Buffer.from(
  'eaa020c61cc479712813461ce153894a96a6c00b21ed0cfc2798d1f9a9e9c94a',
  'hex',
);

export interface Seeder {
  rpc: Rpc<SolanaRpcApi>;
  /** Pays every fee and every rent; needs about 1 SOL. */
  payer: TransactionSigner;
  /** How sure a step must be before the next one: `processed` is enough for a node of one's own. */
  commitment: Commitment;
}

/** Sends one transaction and waits until the chain has it. Throws the node's refusal or the transaction's error. */
export async function sendInstructions(seeder: Seeder, instructions: Instruction[]): Promise<Signature> {
  const { rpc, payer, commitment } = seeder;
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  const signature = await rpc
    .sendTransaction(getBase64EncodedWireTransaction(transaction), {
      encoding: 'base64',
      preflightCommitment: 'confirmed',
    })
    .send();
  await waitFor(rpc, signature, commitment, lifetime.lastValidBlockHeight);
  return signature;
}

/**
 * Moves GOLD, base units, from one wallet to another, whose token account is made if it has none. Throws when the sender has
 * less than that.
 */
export async function sendGold(
  seeder: Seeder,
  { goldMint, from, to, amount }: { goldMint: Address; from: TransactionSigner; to: Address; amount: bigint },
): Promise<void> {
  const gold = goldOf({ goldMint });
  const [source, destination] = [tokenAccountOf(from.address, gold), tokenAccountOf(to, gold)];
  const transfer = { source, mint: goldMint, destination, authority: from, decimals: tokenDecimals, amount };
  await sendInstructions(seeder, [
    createTokenAccount(seeder.payer, to, gold),
    getTransferCheckedInstruction(transfer, { programAddress: gold.program }),
  ]);
}

async function waitFor(
  rpc: Rpc<SolanaRpcApi>,
  signature: Signature,
  commitment: Commitment,
  lastValidBlockHeight: bigint,
): Promise<void> {
  for (;;) {
    const height = await rpc.getBlockHeight({ commitment: 'confirmed' }).send();
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    const status = value[0];
    if (status?.err) throw new Error(`Transaction ${signature} failed: ${wordsOf(status.err)}`);
    if (
      status?.confirmationStatus != null &&
      commitmentComparator(status.confirmationStatus, commitment) >= 0
    ) {
      return;
    }
    if (height > lastValidBlockHeight) throw new Error(`Transaction ${signature} did not land in time`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Creates a mint of SPL Token unless it exists: 6 decimals, no freeze authority. What stands for USDC on chains of one's own. */
export async function createUsdcMint(
  seeder: Seeder,
  { mint, authority }: { mint: TransactionSigner; authority: Address },
): Promise<void> {
  if (await exists(seeder, mint.address)) return;
  const space = BigInt(getMintSize());
  const lamports = await seeder.rpc.getMinimumBalanceForRentExemption(space).send();
  await sendInstructions(seeder, [
    getCreateAccountInstruction({
      payer: seeder.payer,
      newAccount: mint,
      lamports,
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({
      mint: mint.address,
      decimals: tokenDecimals,
      mintAuthority: authority,
    }),
  ]);
}

/** Creates the mint of GOLD with its name, in one transaction, unless it exists. The admin need not sign. */
export async function createGoldMint(
  seeder: Seeder,
  input: { mint: TransactionSigner; metadata: GoldMetadata; programAddress: Address; admin: Address },
): Promise<void> {
  const { mint, metadata, admin, programAddress } = input;
  if (await exists(seeder, mint.address)) return;
  const space = BigInt(goldMintBytesWith(metadata));
  const [treasury, lamports] = await Promise.all([
    treasuryAuthorityOf(programAddress),
    seeder.rpc.getMinimumBalanceForRentExemption(space).send(),
  ]);
  const { payer } = seeder;
  await sendInstructions(seeder, goldMintInstructions({ payer, mint, metadata, treasury, admin, lamports }));
}

async function exists({ rpc }: Seeder, account: Address): Promise<boolean> {
  return (await fetchEncodedAccount(rpc, account, { commitment: 'processed' })).exists;
}

/** Creates the associated token accounts that do not exist yet. */
export async function createTokenAccounts(
  seeder: Seeder,
  wanted: { owner: Address; token: Token }[],
): Promise<void> {
  const instructions = wanted.map(({ owner, token }) => createTokenAccount(seeder.payer, owner, token));
  await sendInstructions(seeder, instructions);
}

/** Circle's USDC on each public network; its own chain has its own mint. */
const usdcMints: Readonly<Partial<Record<Network, Address>>> = {
  'mainnet-beta': address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  devnet: address('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
};

/** Returns the mint of USDC on a public network; undefined on others. */
export function usdcMintOf(network: Network): Address | undefined {
  return usdcMints[network];
}

/** Settings that name the prices. */
export type PriceSettings = Pick<
  Settings,
  'priceAccount' | 'priceOwner' | 'feedId' | 'usdcPriceAccount' | 'usdcFeedId'
>;

/** Returns where Pyth publishes the price of an ounce of gold and that of USDC. */
export async function pythPrices(): Promise<PriceSettings> {
  return {
    priceAccount: await pythPriceAccount(xauUsdFeedId),
    priceOwner: pythReceiverProgram,
    feedId: xauUsdFeedId,
    usdcPriceAccount: await pythPriceAccount(usdcUsdFeedId),
    usdcFeedId: usdcUsdFeedId,
  };
}

/** Returns the owner of the treasury's tokens, which also makes GOLD. */
export async function treasuryAuthorityOf(programAddress: Address): Promise<Address> {
  return (await findTreasuryPda({ programAddress }))[0];
}

/** Accounts that belong to the program as a whole. */
export interface ProgramAddresses {
  config: Address;
  treasuryAuthority: Address;
  treasuryUsdc: Address;
  treasuryGold: Address;
  feeUsdc: Address;
  escrowAuthority: Address;
  escrowGold: Address;
}

export async function programAddresses(input: {
  programAddress: Address;
  usdcMint: Address;
  goldMint: Address;
}): Promise<ProgramAddresses> {
  const { programAddress } = input;
  const [[config], [treasuryAuthority], [escrowAuthority]] = await Promise.all([
    findConfigPda({ programAddress }),
    findTreasuryPda({ programAddress }),
    findEscrowPda({ programAddress }),
  ]);
  return {
    config,
    treasuryAuthority,
    treasuryUsdc: tokenAccountOf(treasuryAuthority, usdcOf(input)),
    treasuryGold: tokenAccountOf(treasuryAuthority, goldOf(input)),
    feeUsdc: tokenAccountOf(config, usdcOf(input)),
    escrowAuthority,
    escrowGold: tokenAccountOf(escrowAuthority, goldOf(input)),
  };
}

/** Creates the program's token accounts and runs `initialize`, unless the configuration exists already. */
export async function initializeProgram(
  seeder: Seeder,
  input: {
    programAddress: Address;
    upgradeAuthority: TransactionSigner;
    admin: Address;
    hotKeys: HotKeys;
    usdcMint: Address;
    goldMint: Address;
    settings: Settings;
  },
): Promise<ProgramAddresses> {
  const { programAddress, usdcMint, goldMint } = input;
  const addresses = await programAddresses(input);
  const existing = await fetchMaybeConfig(seeder.rpc, addresses.config, { commitment: 'processed' });
  if (existing.exists) return addresses;
  await createTokenAccounts(seeder, [
    { owner: addresses.treasuryAuthority, token: usdcOf(input) },
    { owner: addresses.treasuryAuthority, token: goldOf(input) },
    { owner: addresses.config, token: usdcOf(input) },
    { owner: addresses.escrowAuthority, token: goldOf(input) },
  ]);
  const instruction = getInitializeInstruction(
    {
      payer: seeder.payer,
      upgradeAuthority: input.upgradeAuthority,
      config: addresses.config,
      programData: await programDataAddress(programAddress),
      usdcMint,
      goldMint,
      treasuryUsdc: addresses.treasuryUsdc,
      treasuryGold: addresses.treasuryGold,
      feeUsdc: addresses.feeUsdc,
      escrowGold: addresses.escrowGold,
      admin: input.admin,
      hotKeys: input.hotKeys,
      settings: input.settings,
    },
    { programAddress },
  );
  await sendInstructions(seeder, [instruction]);
  return addresses;
}

export interface IntegratorAddresses {
  /** The partner's account, and the central vault: owner of the two accounts below. */
  integrator: Address;
  vaultUsdc: Address;
  vaultGold: Address;
}

export async function integratorAddresses(input: {
  programAddress: Address;
  partnerId: Uuid;
  usdcMint: Address;
  goldMint: Address;
}): Promise<IntegratorAddresses> {
  const { programAddress } = input;
  const partnerId = uuidBytes(input.partnerId);
  const [integrator] = await findIntegratorPda({ partnerId }, { programAddress });
  const vaultUsdc = tokenAccountOf(integrator, usdcOf(input));
  const vaultGold = tokenAccountOf(integrator, goldOf(input));
  return { integrator, vaultUsdc, vaultGold };
}

/** What operations and admin may change of a partner on chain. */
export interface IntegratorTerms {
  status: IntegratorStatus;
  openFeeBps: number;
  closedFeeBps: number;
  /** Limit for 24 hours, in base units; `noLimit` means none. */
  dailyLimitUsdc: bigint;
}

/** Whose word a partner's instructions need, set when it is created. */
export interface IntegratorKeys {
  partnerWallet: Address;
  updateAuthority: Address;
  withdrawalAuthority: Address;
}

/** Who signs an instruction, and who pays for the accounts that it makes. */
export interface Parties {
  authority: TransactionSigner;
  payer: TransactionSigner;
}

/**
 * Puts a partner on chain: the two token accounts of its central vault, and its integrator. `executives` are 1 to 8, each
 * once.
 */
export async function createIntegratorInstructions(
  programAddress: Address,
  mints: Pick<Config, 'usdcMint' | 'goldMint'>,
  { authority, payer }: Parties,
  input: { partnerId: Uuid; terms: IntegratorTerms; keys: IntegratorKeys; executives: Address[] },
): Promise<Instruction[]> {
  const { partnerId, terms, keys, executives } = input;
  const accounts = await integratorAddresses({ programAddress, partnerId, ...mints });
  const [config] = await findConfigPda({ programAddress });
  const { integrator, vaultUsdc, vaultGold } = accounts;
  return [
    createTokenAccount(payer, integrator, usdcOf(mints)),
    createTokenAccount(payer, integrator, goldOf(mints)),
    getCreateIntegratorInstruction(
      {
        payer,
        authority,
        config,
        integrator,
        vaultUsdc,
        vaultGold,
        partnerId: uuidBytes(partnerId),
        ...terms,
        ...keys,
        executiveCount: executives.length,
        executives: executivePlaces(executives),
      },
      { programAddress },
    ),
  ];
}

/** Pyth's price account of a feed, shard 0: PDA [shard u16, feed id] of the push program. */
export async function pythPriceAccount(feedId: Uint8Array): Promise<Address> {
  const [found] = await getProgramDerivedAddress({
    programAddress: pythPushProgram,
    seeds: [new Uint8Array(2), feedId],
  });
  return found;
}
