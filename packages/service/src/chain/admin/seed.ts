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
  findVaultPda,
  getCreateIntegratorInstruction,
  getInitializeInstruction,
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
  fetchEncodedAccounts,
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
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { type Uuid, uuidBytes } from '../../domain/ids.js';
import { tokenDecimals } from '../../domain/money.js';
import type { Network } from '../../domain/network.js';
import { executivePlaces } from '../program/executives.js';
import { wordsOf } from '../program/program-errors.js';
import { noKey, tokenAccountOf } from '../program/wallet.js';
import { programDataAddress } from './loader.js';

export { type GoldStanding, readChainSeconds, readGoldStanding } from '../program/reserve.js';
export { noKey } from '../program/wallet.js';
export { programDataAddress } from './loader.js';
export { tokenAccountOf };

export const pythReceiverProgram = address('rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ');
/** Program that keeps one price account a feed at a fixed address. */
export const pythPushProgram = address('pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT');
/** Pyth's feed of US dollars per troy ounce of gold. */
export const xauUsdFeedId: Uint8Array = Buffer.from(
  '765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2',
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

export interface NewMint {
  mint: TransactionSigner;
  authority: Address;
}

/** Creates those of the mints that do not exist yet: 6 decimals, no freeze authority. */
export async function createMints(seeder: Seeder, mints: NewMint[]): Promise<void> {
  const space = BigInt(getMintSize());
  const found = await fetchEncodedAccounts(
    seeder.rpc,
    mints.map(({ mint }) => mint.address),
    { commitment: 'processed' },
  );
  const missing = mints.filter((_, index) => found[index]?.exists !== true);
  if (missing.length === 0) return;
  const lamports = await seeder.rpc.getMinimumBalanceForRentExemption(space).send();
  const instructions = missing.flatMap(({ mint: newAccount, authority: mintAuthority }) => [
    getCreateAccountInstruction({
      payer: seeder.payer,
      newAccount,
      lamports,
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({
      mint: newAccount.address,
      decimals: tokenDecimals,
      mintAuthority,
    }),
  ]);
  await sendInstructions(seeder, instructions);
}

/** Creates the associated token accounts that do not exist yet. */
export async function createTokenAccounts(
  seeder: Seeder,
  wanted: { owner: Address; mint: Address }[],
): Promise<Address[]> {
  const addresses = wanted.map(({ owner, mint }) => tokenAccountOf(owner, mint));
  const instructions = wanted.map(({ owner, mint }, index) =>
    getCreateAssociatedTokenIdempotentInstruction({
      payer: seeder.payer,
      ata: addresses[index] ?? noKey,
      owner,
      mint,
    }),
  );
  await sendInstructions(seeder, instructions);
  return addresses;
}

/** Settings of the program, in the units of its `Config` account, without the keys that have commands of their own. */
export type ProgramSettings = Omit<Settings, 'guardian' | 'serviceSigners'>;

/** Circle's USDC on each public network; its own chain has its own mint. */
const usdcMints: Readonly<Partial<Record<Network, Address>>> = {
  'mainnet-beta': address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  devnet: address('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
};

/** Returns the mint of USDC on a public network; undefined on others. */
export function usdcMintOf(network: Network): Address | undefined {
  return usdcMints[network];
}

/** Returns where Pyth publishes the price of an ounce of gold. */
export async function pythGold(): Promise<Pick<ProgramSettings, 'priceAccount' | 'priceOwner' | 'feedId'>> {
  return {
    priceAccount: await pythPriceAccount(xauUsdFeedId),
    priceOwner: pythReceiverProgram,
    feedId: xauUsdFeedId,
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
  const { programAddress, usdcMint, goldMint } = input;
  const [[config], [treasuryAuthority], [escrowAuthority]] = await Promise.all([
    findConfigPda({ programAddress }),
    findTreasuryPda({ programAddress }),
    findEscrowPda({ programAddress }),
  ]);
  return {
    config,
    treasuryAuthority,
    treasuryUsdc: tokenAccountOf(treasuryAuthority, usdcMint),
    treasuryGold: tokenAccountOf(treasuryAuthority, goldMint),
    feeUsdc: tokenAccountOf(config, usdcMint),
    escrowAuthority,
    escrowGold: tokenAccountOf(escrowAuthority, goldMint),
  };
}

/** Creates the program's token accounts and runs `initialize`, unless the configuration exists already. */
export async function initializeProgram(
  seeder: Seeder,
  input: {
    programAddress: Address;
    upgradeAuthority: TransactionSigner;
    admin: Address;
    guardian: Address;
    serviceSigner: Address;
    usdcMint: Address;
    goldMint: Address;
    settings: ProgramSettings;
  },
): Promise<ProgramAddresses> {
  const { programAddress, usdcMint, goldMint } = input;
  const addresses = await programAddresses(input);
  const existing = await fetchMaybeConfig(seeder.rpc, addresses.config, { commitment: 'processed' });
  if (existing.exists) return addresses;
  await createTokenAccounts(seeder, [
    { owner: addresses.treasuryAuthority, mint: usdcMint },
    { owner: addresses.treasuryAuthority, mint: goldMint },
    { owner: addresses.config, mint: usdcMint },
    { owner: addresses.escrowAuthority, mint: goldMint },
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
      guardian: input.guardian,
      serviceSigners: [input.serviceSigner, noKey],
      ...input.settings,
    },
    { programAddress },
  );
  await sendInstructions(seeder, [instruction]);
  return addresses;
}

export interface IntegratorAddresses {
  integrator: Address;
  /** The central vault: owner of the two accounts below. */
  vault: Address;
  vaultUsdc: Address;
  vaultGold: Address;
}

export async function integratorAddresses(input: {
  programAddress: Address;
  partnerId: Uuid;
  usdcMint: Address;
  goldMint: Address;
}): Promise<IntegratorAddresses> {
  const { programAddress, usdcMint, goldMint } = input;
  const partnerId = uuidBytes(input.partnerId);
  const [integrator] = await findIntegratorPda({ partnerId }, { programAddress });
  const [vault] = await findVaultPda({ integrator }, { programAddress });
  const vaultUsdc = tokenAccountOf(vault, usdcMint);
  const vaultGold = tokenAccountOf(vault, goldMint);
  return { integrator, vault, vaultUsdc, vaultGold };
}

/** What operations and admin may change of a partner on chain. */
export interface IntegratorTerms {
  status: IntegratorStatus;
  openFeeBps: number;
  closedFeeBps: number;
  /** Limit for 24 hours, in base units; 0 means no limit. */
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
  { usdcMint, goldMint }: Pick<Config, 'usdcMint' | 'goldMint'>,
  { authority, payer }: Parties,
  input: { partnerId: Uuid; terms: IntegratorTerms; keys: IntegratorKeys; executives: Address[] },
): Promise<Instruction[]> {
  const { partnerId, terms, keys, executives } = input;
  const accounts = await integratorAddresses({ programAddress, partnerId, usdcMint, goldMint });
  const [config] = await findConfigPda({ programAddress });
  const { vault: owner, vaultUsdc, vaultGold } = accounts;
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: vaultUsdc, owner, mint: usdcMint }),
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: vaultGold, owner, mint: goldMint }),
    getCreateIntegratorInstruction(
      {
        payer,
        authority,
        config,
        integrator: accounts.integrator,
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
