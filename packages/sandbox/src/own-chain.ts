/** What the sandbox and tests do with a chain of their own, beyond what `karat chain init` does. */
import { createHash } from 'node:crypto';
import {
  fetchConfig,
  fetchMaybeIntegrator,
  findConfigPda,
  getAttestInstructionAsync,
  getResumeInstruction,
  getSetMarketInstruction,
  IntegratorStatus,
  MarketState,
  type Settings,
} from '@karat/program-client';
import { formatDecimal, tokenDecimals, type Uuid } from '@karat/service/domain';
import {
  createIntegratorInstructions,
  type GoldMetadata,
  type GoldStanding,
  type IntegratorAddresses,
  type IntegratorKeys,
  integratorAddresses,
  noKey,
  noLimit,
  pythPrices,
  pythReceiverProgram,
  readChainSeconds,
  readGoldStanding,
  type Seeder,
  sendInstructions,
} from '@karat/service/seed';
import { type Address, getAddressCodec, type TransactionSigner } from '@solana/kit';

const day = 86_400;
/** Until a vault may trade in the other direction. */
export const oppositeSideSeconds = 300;

/**
 * Settings of a sandbox but for the guardian: trades up to 1,000,000 USDC, trading on while closed, nothing limited by the
 * day, no attestor, a day until what was announced or proposed is done, and a month until a redemption can be reclaimed.
 */
export async function sandboxSettings(): Promise<Omit<Settings, 'guardian'>> {
  return {
    ...(await pythPrices()),
    attestor: noKey,
    minPriceE8: 500n * 10n ** 8n,
    maxPriceE8: 50_000n * 10n ** 8n,
    minUsdcPriceE8: 98n * 10n ** 6n,
    maxTradeUsdc: 1_000_000n * 10n ** 6n,
    dailyOutflowUsdc: noLimit,
    dailyOutflowGold: noLimit,
    dailyMint: noLimit,
    withdrawOwners: [noKey, noKey, noKey, noKey],
    maxAgeOpen: 60,
    maxAgeClosed: 3 * day,
    recoveryDelay: day,
    changeDelay: day,
    burnDelay: day,
    redemptionTimeout: 30 * day,
    oppositeSideSeconds,
    maxAttestationAge: 90 * day,
    maxConfBps: 100,
    minFeeBps: 0,
    maxFeeBps: 1_000,
    requireBacking: 1,
    freezeEnabled: 0,
  };
}

/** What the GOLD of a chain of one's own is called; the document behind the uri has its logo. */
export function ownGoldMetadata(uri: string): GoldMetadata {
  return { name: 'Karat Gold', symbol: 'GOLD', uri, issuer: 'Karat sandbox' };
}

/** Returns how much GOLD there is on the seeder's node, and how much of it is attested. */
export function goldStandingOn(
  { rpc }: Seeder,
  { programAddress, goldMint }: { programAddress: Address; goldMint: Address },
): Promise<GoldStanding> {
  const node = { witnesses: [rpc], noteDisagreement: () => {}, programAddress };
  return readGoldStanding(node, { goldMint }, AbortSignal.timeout(10_000));
}

/** Returns the report of an attestor who counted so much gold, in base units of GOLD. */
export function attestorReport(amount: bigint): Buffer {
  const ounces = formatDecimal(amount, tokenDecimals);
  return Buffer.from(
    `Report of the attestor\n\nCounted in the vaults of this sandbox: ${ounces} troy ounces of fine gold.\nNothing here is worth anything.\n`,
  );
}

/** Attests so much GOLD, base units, as of now, unless that is attested already. */
export async function attestReserve(
  seeder: Seeder,
  input: { programAddress: Address; goldMint: Address; attestor: TransactionSigner; amount: bigint },
): Promise<void> {
  const { programAddress, attestor, amount } = input;
  const { attestation, burnedTotal } = await goldStandingOn(seeder, input);
  if (attestation?.amount === amount) return;
  const asOf = await readChainSeconds(seeder);
  const reportHash = createHash('sha256').update(attestorReport(amount)).digest();
  const instruction = await getAttestInstructionAsync(
    { attestor, amount, asOf, burnedAtAsOf: burnedTotal, reportHash },
    { programAddress },
  );
  await sendInstructions(seeder, [instruction]);
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
  const { paused, marketState, pauseSeq: expectedPauseSeq } = data;
  const instructions = [
    ...(paused === 0
      ? []
      : [getResumeInstruction({ config, admin, mask: paused, expectedPauseSeq }, target)]),
    ...(marketState === MarketState.Open
      ? []
      : [getSetMarketInstruction({ config, authority: market, marketState: MarketState.Open }, target)]),
  ];
  if (instructions.length > 0) await sendInstructions(seeder, instructions);
}

/** Puts a partner on chain as active, unless its integrator exists already. */
export async function createIntegrator(
  seeder: Seeder,
  input: IntegratorKeys & {
    programAddress: Address;
    /** The operations key or the admin. */
    authority: TransactionSigner;
    partnerId: Uuid;
    usdcMint: Address;
    goldMint: Address;
    openFeeBps: number;
    closedFeeBps: number;
    /** Base units in 24 hours; default: no limit. */
    dailyLimitUsdc?: bigint;
    /** 1 to 8, each once. */
    executives: Address[];
  },
): Promise<IntegratorAddresses> {
  const { programAddress, authority, partnerId, executives } = input;
  const { openFeeBps, closedFeeBps, dailyLimitUsdc = noLimit } = input;
  const { partnerWallet, updateAuthority, withdrawalAuthority } = input;
  const addresses = await integratorAddresses(input);
  const existing = await fetchMaybeIntegrator(seeder.rpc, addresses.integrator, { commitment: 'processed' });
  if (existing.exists) return addresses;
  const terms = { status: IntegratorStatus.Active, openFeeBps, closedFeeBps, dailyLimitUsdc };
  const parties = { authority, payer: seeder.payer };
  const keys = { partnerWallet, updateAuthority, withdrawalAuthority };
  const partner = { partnerId, terms, keys, executives };
  await sendInstructions(seeder, await createIntegratorInstructions(programAddress, input, parties, partner));
  return addresses;
}

export interface PriceUpdate {
  feedId: ArrayLike<number>;
  /** `price x 10^exponent` US dollars per troy ounce, or per USDC. */
  price: bigint;
  confidence: bigint;
  exponent: number;
  publishTimeSeconds: bigint;
  postedSlot: bigint;
}

/**
 * Returns the bytes of a fully verified Pyth `PriceUpdateV2` account (pyth-solana-receiver): 8 discriminator, 32 write
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

/** One US dollar for one USDC, as the sandbox and tests publish it. */
export const usdcAtPar = { price: 100_000_000n, confidence: 50_000n, exponent: -8 };
