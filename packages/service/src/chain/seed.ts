/**
 * What a chain needs before Karat can trade on it: mints, the program's configuration, one integrator a partner, and a
 * price account. Used by the sandbox and by tests. Every step looks first and does nothing when its work is done, so
 * that a seeding that was cut off in the middle is finished by running it again.
 */
import { createHash } from 'node:crypto';
import {
  fetchConfig,
  fetchMaybeConfig,
  fetchMaybeIntegrator,
  findConfigPda,
  findEscrowPda,
  findIntegratorPda,
  findTreasuryPda,
  findVaultPda,
  getAttestInstructionAsync,
  getCreateIntegratorInstruction,
  getInitializeInstruction,
  getMintGoldInstructionAsync,
  getResumeInstruction,
  getSetMarketInstruction,
  IntegratorStatus,
  MarketState,
} from '@karat/program-client';
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Commitment,
  commitmentComparator,
  createTransactionMessage,
  fetchEncodedAccounts,
  getAddressCodec,
  getBase64EncodedWireTransaction,
  getProgramDerivedAddress,
  type Instruction,
  pipe,
  type ReadonlyUint8Array,
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
import { tokenDecimals } from '../domain/money.js';
import { executivePlaces } from './executives.js';
import { readGoldStanding } from './reserve.js';
import { noKey, tokenAccountOf } from './wallet.js';

export { tokenAccountOf };

/** Program that owns the accounts of Pyth prices. */
export const pythReceiverProgram = address('rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ');
/** Program that keeps one price account a feed at a fixed address. */
export const pythPushProgram = address('pythWSnswVUd12oZpeFP8e9CVaEqJg25g1Vtc2biRsT');
/** Pyth's feed of US dollars per troy ounce of gold. */
export const xauUsdFeedId: Uint8Array = Buffer.from(
  '765d2ba906dbc32ca17cc11f5310a89e9ee1f6420508c63861f2f8ba4ee34bb2',
  'hex',
);
const loaderV3 = address('BPFLoaderUpgradeab1e11111111111111111111111');

const readWithinMs = 3_000;

/** Who sends the transactions of a seeding. */
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
    if (status?.err) throw new Error(`Transaction ${signature} failed: ${inspectError(status.err)}`);
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

function inspectError(error: unknown): string {
  return JSON.stringify(error, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
}

/** A mint to create, and who makes its tokens. */
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
  const addresses = await Promise.all(wanted.map(({ owner, mint }) => tokenAccountOf(owner, mint)));
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

/** Limits of the program, in the units of its `Config` account. */
export interface ProgramSettings {
  priceAccount: Address;
  priceOwner: Address;
  feedId: ReadonlyUint8Array;
  /** US dollars per troy ounce x 10^8, inclusive. */
  minPriceE8: bigint;
  maxPriceE8: bigint;
  /** Base units. */
  maxTradeUsdc: bigint;
  /** Seconds. */
  maxAgeOpen: number;
  /** Seconds; 0: no trading while the market is closed. */
  maxAgeClosed: number;
  maxConfBps: number;
  maxFeeBps: number;
  /** `noKey`: nobody has the role. */
  operations: Address;
  market: Address;
  attestor: Address;
  /** Four slots; `noKey`: an empty one. */
  withdrawOwners: Address[];
  /** Seconds. */
  recoveryDelay: number;
  /** Seconds. */
  maxAttestationAge: number;
  /** Base units in 24 hours; 0: no limit. */
  dailyOutflowUsdc: bigint;
  dailyOutflowGold: bigint;
}

/** Settings with which nobody but admin, guardian and service signers has a role, and nothing is limited by the day. */
export const noRoles = {
  operations: noKey,
  market: noKey,
  attestor: noKey,
  withdrawOwners: [noKey, noKey, noKey, noKey],
  recoveryDelay: 0,
  maxAttestationAge: 0,
  dailyOutflowUsdc: 0n,
  dailyOutflowGold: 0n,
} satisfies Partial<ProgramSettings>;

/** Where Pyth publishes the price of an ounce of gold. */
export async function pythGold(): Promise<Pick<ProgramSettings, 'priceAccount' | 'priceOwner' | 'feedId'>> {
  return {
    priceAccount: await pythPriceAccount(xauUsdFeedId),
    priceOwner: pythReceiverProgram,
    feedId: xauUsdFeedId,
  };
}

/** Settings of a sandbox: one XAU/USD price account, trades up to 1,000,000 USDC, and trading on while closed. */
export async function sandboxSettings(): Promise<ProgramSettings> {
  return {
    ...(await pythGold()),
    minPriceE8: 500n * 10n ** 8n,
    maxPriceE8: 50_000n * 10n ** 8n,
    maxTradeUsdc: 1_000_000n * 10n ** 6n,
    maxAgeOpen: 60,
    maxAgeClosed: 72 * 3600,
    maxConfBps: 100,
    maxFeeBps: 1_000,
    ...noRoles,
    maxAttestationAge: 90 * 86_400,
  };
}

/** The owner of the treasury's tokens, which also makes GOLD. */
export async function treasuryAuthorityOf(programAddress: Address): Promise<Address> {
  return (await findTreasuryPda({ programAddress }))[0];
}

/** Attests so much GOLD, base units, as of now, unless that is attested already. */
export async function attestReserve(
  seeder: Seeder,
  input: { programAddress: Address; goldMint: Address; attestor: TransactionSigner; amount: bigint },
): Promise<void> {
  const { programAddress, attestor, amount } = input;
  const chain = { rpc: seeder.rpc, programAddress };
  const { attestation, nowSeconds } = await readGoldStanding(chain, input, AbortSignal.timeout(readWithinMs));
  if (attestation?.attested === amount) return;
  const reportHash = createHash('sha256').update(`${amount} base units of GOLD`).digest();
  const instruction = await getAttestInstructionAsync(
    { payer: seeder.payer, attestor, amount, asOf: nowSeconds, reportHash },
    { programAddress },
  );
  await sendInstructions(seeder, [instruction]);
}

/** Mints GOLD into the treasury until there is so much of it, base units, as far as it is attested. */
export async function mintGoldUpTo(
  seeder: Seeder,
  input: {
    programAddress: Address;
    goldMint: Address;
    treasuryGold: Address;
    admin: TransactionSigner;
    supply: bigint;
  },
): Promise<void> {
  const { programAddress, goldMint, treasuryGold, admin } = input;
  const chain = { rpc: seeder.rpc, programAddress };
  const { supply } = await readGoldStanding(chain, input, AbortSignal.timeout(readWithinMs));
  const amount = input.supply - supply;
  if (amount <= 0n) return;
  const accounts = { admin, treasuryGold, goldMint };
  await sendInstructions(seeder, [
    await getMintGoldInstructionAsync({ ...accounts, amount }, { programAddress }),
  ]);
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

/** Derives the accounts of the program; `feeOwner` is the wallet that collects the fees. */
export async function programAddresses(input: {
  programAddress: Address;
  usdcMint: Address;
  goldMint: Address;
  feeOwner: Address;
}): Promise<ProgramAddresses> {
  const { programAddress, usdcMint, goldMint, feeOwner } = input;
  const [[config], [treasuryAuthority], [escrowAuthority]] = await Promise.all([
    findConfigPda({ programAddress }),
    findTreasuryPda({ programAddress }),
    findEscrowPda({ programAddress }),
  ]);
  const [treasuryUsdc, treasuryGold, feeUsdc, escrowGold] = await Promise.all([
    tokenAccountOf(treasuryAuthority, usdcMint),
    tokenAccountOf(treasuryAuthority, goldMint),
    tokenAccountOf(feeOwner, usdcMint),
    tokenAccountOf(escrowAuthority, goldMint),
  ]);
  return { config, treasuryAuthority, treasuryUsdc, treasuryGold, feeUsdc, escrowAuthority, escrowGold };
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
    feeOwner: Address;
    usdcMint: Address;
    goldMint: Address;
    settings: ProgramSettings;
  },
): Promise<ProgramAddresses> {
  const { programAddress, usdcMint, goldMint, feeOwner } = input;
  const addresses = await programAddresses(input);
  const existing = await fetchMaybeConfig(seeder.rpc, addresses.config, { commitment: 'processed' });
  if (existing.exists) return addresses;
  await createTokenAccounts(seeder, [
    { owner: addresses.treasuryAuthority, mint: usdcMint },
    { owner: addresses.treasuryAuthority, mint: goldMint },
    { owner: feeOwner, mint: usdcMint },
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

/** Ends what a program starts with: everything paused, and the market closed. */
export async function openProgram(
  seeder: Seeder,
  input: { programAddress: Address; admin: TransactionSigner; market: TransactionSigner },
): Promise<void> {
  const { programAddress, admin, market } = input;
  const target = { programAddress };
  const [config] = await findConfigPda(target);
  const { data } = await fetchConfig(seeder.rpc, config, { commitment: 'processed' });
  const { paused, marketState, seq: expectedSeq } = data;
  const instructions = [
    ...(paused === 0 ? [] : [getResumeInstruction({ config, admin, mask: paused, expectedSeq }, target)]),
    ...(marketState === MarketState.Open
      ? []
      : [getSetMarketInstruction({ config, authority: market, marketState: MarketState.Open }, target)]),
  ];
  if (instructions.length > 0) await sendInstructions(seeder, instructions);
}

/** Accounts of one partner. */
export interface IntegratorAddresses {
  integrator: Address;
  /** The central vault: owner of the two accounts below. */
  vault: Address;
  vaultUsdc: Address;
  vaultGold: Address;
}

/** Derives the accounts of a partner from its UUID. */
export async function integratorAddresses(input: {
  programAddress: Address;
  partnerId: string;
  usdcMint: Address;
  goldMint: Address;
}): Promise<IntegratorAddresses> {
  const { programAddress, usdcMint, goldMint } = input;
  const partnerId = uuidBytes(input.partnerId);
  const [integrator] = await findIntegratorPda({ partnerId }, { programAddress });
  const [vault] = await findVaultPda({ integrator }, { programAddress });
  const [vaultUsdc, vaultGold] = await Promise.all([
    tokenAccountOf(vault, usdcMint),
    tokenAccountOf(vault, goldMint),
  ]);
  return { integrator, vault, vaultUsdc, vaultGold };
}

/** Creates a partner's vault accounts and runs `create_integrator`, unless the integrator exists already. */
export async function createIntegrator(
  seeder: Seeder,
  input: {
    programAddress: Address;
    /** The operations key or the admin. */
    authority: TransactionSigner;
    partnerId: string;
    usdcMint: Address;
    goldMint: Address;
    openFeeBps: number;
    closedFeeBps: number;
    /** Base units in 24 hours; default: no limit. */
    dailyLimitUsdc?: bigint;
    partnerWallet: Address;
    updateAuthority: Address;
    withdrawalAuthority: Address;
    /** 1 to 8, each once. */
    executives: Address[];
  },
): Promise<IntegratorAddresses> {
  const { programAddress, usdcMint, goldMint } = input;
  const addresses = await integratorAddresses(input);
  const existing = await fetchMaybeIntegrator(seeder.rpc, addresses.integrator, { commitment: 'processed' });
  if (existing.exists) return addresses;
  await createTokenAccounts(seeder, [
    { owner: addresses.vault, mint: usdcMint },
    { owner: addresses.vault, mint: goldMint },
  ]);
  const [config] = await findConfigPda({ programAddress });
  const instruction = getCreateIntegratorInstruction(
    {
      payer: seeder.payer,
      authority: input.authority,
      config,
      integrator: addresses.integrator,
      vaultUsdc: addresses.vaultUsdc,
      vaultGold: addresses.vaultGold,
      partnerId: uuidBytes(input.partnerId),
      status: IntegratorStatus.Active,
      openFeeBps: input.openFeeBps,
      closedFeeBps: input.closedFeeBps,
      dailyLimitUsdc: input.dailyLimitUsdc ?? 0n,
      partnerWallet: input.partnerWallet,
      updateAuthority: input.updateAuthority,
      withdrawalAuthority: input.withdrawalAuthority,
      executiveCount: input.executives.length,
      executives: executivePlaces(input.executives),
    },
    { programAddress },
  );
  await sendInstructions(seeder, [instruction]);
  return addresses;
}

/** The 16 bytes of a UUID, as the program keeps it. */
export function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Address of the account in which loader v3 keeps a program's code and its upgrade authority. */
export async function programDataAddress(programAddress: Address): Promise<Address> {
  const [found] = await getProgramDerivedAddress({
    programAddress: loaderV3,
    seeds: [getAddressCodec().encode(programAddress)],
  });
  return found;
}

/** Pyth's price account of a feed, shard 0: PDA [shard u16, feed id] of the push program. */
export async function pythPriceAccount(feedId: Uint8Array): Promise<Address> {
  const [found] = await getProgramDerivedAddress({
    programAddress: pythPushProgram,
    seeds: [new Uint8Array(2), feedId],
  });
  return found;
}

export interface PriceUpdate {
  feedId: Uint8Array;
  /** `price x 10^exponent` US dollars per troy ounce. */
  price: bigint;
  confidence: bigint;
  exponent: number;
  publishTimeSeconds: bigint;
  postedSlot: bigint;
}

/**
 * The bytes of a fully verified Pyth `PriceUpdateV2` account (pyth-solana-receiver): 8 discriminator, 32 write
 * authority, 1 verification level, the price message, 8 posted slot; padded to 134, the size that the receiver allots.
 */
export function priceAccountData(update: PriceUpdate): Uint8Array {
  const data = Buffer.alloc(134);
  data.set(Buffer.from('22f123639d7ef4cd', 'hex'), 0);
  data.set(getAddressCodec().encode(pythReceiverProgram), 8);
  data.writeUInt8(1, 40);
  data.set(update.feedId, 41);
  data.writeBigInt64LE(update.price, 73);
  data.writeBigUInt64LE(update.confidence, 81);
  data.writeInt32LE(update.exponent, 89);
  data.writeBigInt64LE(update.publishTimeSeconds, 93);
  data.writeBigInt64LE(update.publishTimeSeconds - 1n, 101);
  data.writeBigInt64LE(update.price, 109);
  data.writeBigUInt64LE(update.confidence, 117);
  data.writeBigUInt64LE(update.postedSlot, 125);
  return data;
}
