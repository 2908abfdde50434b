import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import * as client from '@karat/program-client';
import { decodeBase58, encodeBase58, keyBytes, locateMessage, MessageTemplate } from '@karat/wire';
import {
  AccountRole,
  type Address,
  createNoopSigner,
  type EncodedAccount,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Instruction,
  lamports,
  type MaybeEncodedAccount,
  type SignatureBytes,
  type Transaction,
  type TransactionSigner,
} from '@solana/kit';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintEncoder,
  getTokenDecoder,
  getTokenEncoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { type FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm';
import { U64_MAX } from './numbers.js';

// A chain with the program, two mints, a price, a config, a partner and a user with funds. Signatures are not verified, so that any
// address can be made to sign or not to sign: what the program sees of a signature is the flag.

/** The program under test; another build of it may be named in the environment. */
export const PROGRAM_FILE =
  process.env.KARAT_PROGRAM_SO ?? fileURLToPath(new URL('../karat.so', import.meta.url));
export const LOADER_ADDRESS = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address;
export const SYSTEM_ADDRESS = '11111111111111111111111111111111' as Address;
export const ZERO_ADDRESS = SYSTEM_ADDRESS;
export const TOKEN_2022_PROGRAM_ADDRESS = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
export const RECEIVER_ADDRESS = 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ' as Address;
export const PROGRAM_ADDRESS = client.KARAT_PROGRAM_ADDRESS;

/** The chain's clock at the start, unix seconds. */
export const NOW = 1_700_000_000n;
/** One USDC, one GOLD: 10^6 base units. */
export const ONE = 1_000_000n;

/** The redemption of the scenario. */
export const REDEMPTION_ID = Uint8Array.from({ length: 16 }, (_, index) => 0xf0 + index);

/** The partner of the scenario. */
export const PARTNER_ID = new Uint8Array(16).fill(7);

/** An address that depends on its name only. */
export function addressOf(name: string): Address {
  return encodeBase58(createHash('sha256').update(`karat test ${name}`).digest()) as Address;
}

const payer = addressOf('payer');

/** A signer whose signature nobody makes or checks. */
export function signer(address: Address): TransactionSigner {
  return createNoopSigner(address);
}

/** A Pyth `PriceUpdateV2` account's fields. */
export interface PriceUpdate {
  discriminator: Uint8Array;
  verification: number;
  feedId: Uint8Array;
  price: bigint;
  confidence: bigint;
  exponent: number;
  publishTime: bigint;
}

/** The bytes of a `PriceUpdateV2`, 134 like the receiver program's. */
export function priceUpdateBytes(update: PriceUpdate): Uint8Array {
  const bytes = new Uint8Array(134);
  const view = new DataView(bytes.buffer);
  bytes.set(update.discriminator, 0);
  bytes[40] = update.verification;
  bytes.set(update.feedId, 41);
  view.setBigInt64(73, update.price, true);
  view.setBigUint64(81, update.confidence, true);
  view.setInt32(89, update.exponent, true);
  view.setBigInt64(93, update.publishTime, true);
  return bytes;
}

/** What came of a transaction. `error` is the program's name for it, or the runtime's own text. */
export interface Outcome {
  error: string | undefined;
  logs: string[];
  computeUnits: bigint;
  events: client.KaratEvent[];
  /** The events as they were written, each with the body that follows it; none when the transaction failed. */
  eventBytes: Buffer[];
}

const errorNames = new Map(
  Object.entries(client)
    .filter(([name]) => name.startsWith('KARAT_ERROR__'))
    .map(([name, code]) => [
      code as number,
      name
        .slice('KARAT_ERROR__'.length)
        .toLowerCase()
        .replaceAll(/(^|_)(.)/g, (_match, _before, deadLetter: string) => deadLetter.toUpperCase()),
    ]),
);

function errorName(failed: FailedTransactionMetadata): string {
  const error = failed.err();
  if (typeof error === 'object' && 'err' in error) {
    const cause = error.err();
    if (typeof cause === 'object' && 'code' in cause)
      return errorNames.get(cause.code) ?? `code ${cause.code}`;
  }
  return failed.toString();
}

function isFailure(
  result: TransactionMetadata | FailedTransactionMetadata,
): result is FailedTransactionMetadata {
  return 'err' in result;
}

/** The bytes of the events that the transaction emitted: the data of the program's calls of itself, without the discriminator. */
function eventBytesOf(metadata: TransactionMetadata): Buffer[] {
  return metadata
    .innerInstructions()
    .flat()
    .map((inner) => Buffer.from(inner.instruction().data()))
    .filter((data) => data[0] === client.EVENT_DISCRIMINATOR && data.length >= EVENT_BYTES)
    .map((data) => data.subarray(1));
}

/** The event with its bytes as numbers, to compare. */
export function plainEvent(event: client.KaratEvent | undefined) {
  if (!event) throw new Error('no event');
  return { ...event, partnerId: [...event.partnerId], id: [...event.id] };
}

/** Length of the data of `event` without a body. */
const EVENT_BYTES = client.getEventInstructionDataEncoder().fixedSize;

/** The fields of a token account that tests set. */
export interface TokenFields {
  mint: Address;
  owner: Address;
  amount?: bigint;
  state?: AccountState;
  delegate?: Address;
  closeAuthority?: Address;
}

/** The mint of GOLD in every scenario; any other one is of SPL Token. */
const GOLD_MINT = addressOf('gold mint');

/** The token program of a mint. */
export function tokenProgramOf(mint: Address): Address {
  return mint === GOLD_MINT ? TOKEN_2022_PROGRAM_ADDRESS : TOKEN_PROGRAM_ADDRESS;
}

/** What follows an associated account of Token-2022: its type, and that its owner never changes. */
const TOKEN_2022_EXTENSIONS = Uint8Array.of(2, 7, 0, 0, 0);

/** The bytes of a token account, with the extensions that the program of its mint gives an associated one. */
export function tokenBytes(fields: TokenFields): Uint8Array {
  const extensions = fields.mint === GOLD_MINT ? TOKEN_2022_EXTENSIONS : new Uint8Array();
  return Uint8Array.of(
    ...getTokenEncoder().encode({
      mint: fields.mint,
      owner: fields.owner,
      amount: fields.amount ?? 0n,
      delegate: fields.delegate ?? null,
      state: fields.state ?? AccountState.Initialized,
      isNative: null,
      delegatedAmount: fields.delegate ? 1n : 0n,
      closeAuthority: fields.closeAuthority ?? null,
    }),
    ...extensions,
  );
}

/** The fields of a mint that tests set. */
export interface MintFields {
  mintAuthority?: Address | null;
  supply?: bigint;
  decimals?: number;
  freezeAuthority?: Address | null;
}

/** An extension of a mint: its type, its length, its value. */
function extension(type: number, value: number[]): number[] {
  return [type & 0xff, type >> 8, value.length & 0xff, value.length >> 8, ...value];
}

function text(value: string): number[] {
  const encoded = [...new TextEncoder().encode(value)];
  return [encoded.length, 0, 0, 0, ...encoded];
}

const addressBytes = (address: Address): number[] => [...getAddressEncoder().encode(address)];

/** What can be wrong with the metadata of a mint. */
export interface MetadataFields {
  pointerAuthority: Address;
  pointsTo: Address;
  updateAuthority: Address;
  mint: Address;
  /** Extensions behind the two that must be there. */
  more: number[];
}

/** The extensions of a mint of GOLD: a pointer to the mint itself, and its name. */
export function goldExtensions(mint: Address, change: Partial<MetadataFields> = {}): number[] {
  const metadata = {
    pointerAuthority: ZERO_ADDRESS,
    pointsTo: mint,
    updateAuthority: addressOf('admin'),
    mint,
    more: [],
    ...change,
  };
  return [
    ...extension(18, [...addressBytes(metadata.pointerAuthority), ...addressBytes(metadata.pointsTo)]),
    ...extension(19, [
      ...addressBytes(metadata.updateAuthority),
      ...addressBytes(metadata.mint),
      ...text('Karat Gold'),
      ...text('GOLD'),
      ...text('https://karat.example/token/gold.json'),
      ...[0, 0, 0, 0],
    ]),
    ...metadata.more,
  ];
}

/** A transaction to which signatures are still to be added. */
type Compiled = Pick<Transaction, 'messageBytes' | 'signatures'>;

/** A chain with helpers to change it and to send to it. */
export class Chain {
  readonly svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n);
  private sent = 0;

  constructor(programFile: string = PROGRAM_FILE) {
    this.svm.addProgramFromFile(PROGRAM_ADDRESS, programFile);
    this.setTime(NOW);
  }

  /** Sets the clock, unix seconds. */
  setTime(seconds: bigint): void {
    const clock = this.svm.getClock();
    clock.unixTimestamp = seconds;
    this.svm.setClock(clock);
  }

  /** Writes an account; `programAddress` is its owner. */
  setAccount(address: Address, programAddress: Address, data: Uint8Array, balance = 1_000_000_000n): void {
    const account = {
      address,
      programAddress,
      data,
      executable: false,
      lamports: lamports(balance),
      space: BigInt(data.length),
    };
    this.svm.setAccount(account);
  }

  setToken(address: Address, fields: TokenFields): void {
    this.setAccount(address, tokenProgramOf(fields.mint), tokenBytes(fields));
  }

  setMint(address: Address, fields: MintFields = {}): void {
    const mint = {
      mintAuthority: addressOf('mint authority'),
      supply: 0n,
      decimals: 6,
      isInitialized: true,
      freezeAuthority: null,
      ...fields,
    };
    this.setAccount(address, TOKEN_PROGRAM_ADDRESS, new Uint8Array(getMintEncoder().encode(mint)));
  }

  /** A mint of Token-2022, with these extensions. */
  setGoldMint(address: Address, fields: MintFields = {}, extensions = goldExtensions(address)): void {
    this.setMint(address, fields);
    const base = new Uint8Array(166);
    base.set(this.account(address).data);
    base[165] = 1;
    this.setAccount(address, TOKEN_2022_PROGRAM_ADDRESS, Uint8Array.of(...base, ...extensions));
  }

  /** The account, which must exist. */
  account(address: Address): EncodedAccount {
    const account: MaybeEncodedAccount = this.svm.getAccount(address);
    if (!account.exists) throw new Error(`no account ${address}`);
    return account;
  }

  /** Changes bytes of an account in place. */
  patch(address: Address, change: (data: Uint8Array) => void): void {
    const account = this.account(address);
    const data = new Uint8Array(account.data);
    change(data);
    this.svm.setAccount({ ...account, data });
  }

  /** The balance of a token account, base units. */
  balance(address: Address): bigint {
    return getTokenDecoder().decode(this.account(address).data).amount;
  }

  /** As `send`; throws with the logs when the transaction fails. */
  mustSend(instructions: Instruction[], feePayer?: Address): Outcome {
    const outcome = this.send(instructions, feePayer);
    if (outcome.error) throw new Error(`${outcome.error}\n${outcome.logs.join('\n')}`);
    return outcome;
  }

  /** Sends the instructions in one transaction, whatever its size, with every signature that they ask for. */
  send(instructions: Instruction[], feePayer?: Address): Outcome {
    return this.sendCompiled(this.compile(instructions, feePayer));
  }

  /** The instructions as one transaction, not signed yet. */
  compile(instructions: Instruction[], feePayer: Address = payer): Compiled {
    // The same bytes as those of the Solana library, for a fifth of its time: compiling is most of what a test does.
    const message = new MessageTemplate(feePayer, instructions, { slots: [], open: [] }).fill([]);
    const blockhash = decodeBase58(this.svm.latestBlockhash(), keyBytes);
    if (!message || !blockhash) throw new Error('no message');
    const messageBytes = message.write(blockhash, []);
    const { requiredSignatures, accountsAt } = locateMessage(messageBytes);
    const signers = Array.from({ length: requiredSignatures }, (_, index) => {
      const at = accountsAt + index * keyBytes;
      return encodeBase58(messageBytes.subarray(at, at + keyBytes));
    });
    const signatures = Object.fromEntries(signers.map((address) => [address, null]));
    return { messageBytes: messageBytes as unknown as Compiled['messageBytes'], signatures };
  }

  /** As `send`, for a transaction that is compiled already. */
  sendCompiled(compiled: Compiled): Outcome {
    this.sent += 1;
    const signature = new Uint8Array(64);
    new DataView(signature.buffer).setUint32(0, this.sent);
    const signatures = Object.fromEntries(
      Object.keys(compiled.signatures).map((address) => [address, signature as SignatureBytes]),
    );
    const result = this.svm.sendTransaction({ ...compiled, signatures });
    const metadata = isFailure(result) ? result.meta() : result;
    const logs = metadata.logs();
    const eventBytes = isFailure(result) ? [] : eventBytesOf(metadata);
    return {
      error: isFailure(result) ? errorName(result) : undefined,
      logs,
      computeUnits: metadata.computeUnitsConsumed(),
      eventBytes,
      get events() {
        return eventBytes.map((bytes) => client.getKaratEventDecoder().decode(bytes));
      },
    };
  }
}

/** The instruction with one account replaced. */
export function replaceAccount(instruction: Instruction, from: Address, to: Address): Instruction {
  const accounts = instruction.accounts ?? [];
  if (!accounts.some((meta) => meta.address === from))
    throw new Error(`the instruction has no account ${from}`);
  return {
    ...instruction,
    accounts: accounts.map((meta) => (meta.address === from ? { role: meta.role, address: to } : meta)),
  };
}

/** The instruction with one account that no longer signs. */
export function withoutSignature(instruction: Instruction, address: Address): Instruction {
  const accounts = (instruction.accounts ?? []).map((meta) => {
    if (meta.address !== address) return meta;
    const writable = meta.role === AccountRole.WRITABLE_SIGNER;
    return { address, role: writable ? AccountRole.WRITABLE : AccountRole.READONLY };
  });
  return { ...instruction, accounts };
}

/** The instruction with its last account left out. */
export function withoutLastAccount(instruction: Instruction): Instruction {
  return { ...instruction, accounts: (instruction.accounts ?? []).slice(0, -1) };
}

/** The instruction with other data. */
export function withData(instruction: Instruction, data: Uint8Array): Instruction {
  return { ...instruction, data };
}

/** The associated token account of `owner`. */
export async function tokenAddress(owner: Address, mint: Address): Promise<Address> {
  const [address] = await findAssociatedTokenPda({ owner, mint, tokenProgram: tokenProgramOf(mint) });
  return address;
}

/** One of the two tokens, as the names of the scenario's accounts end. */
export type Token = 'Usdc' | 'Gold';

function mintOf(at: Pick<ScenarioAddresses, 'usdcMint' | 'goldMint'>, token: Token): Address {
  return token === 'Usdc' ? at.usdcMint : at.goldMint;
}

/** A list of addresses as the program takes it. */
export function eight(addresses: Address[]): Address[] {
  return [...addresses, ...Array<Address>(8 - addresses.length).fill(ZERO_ADDRESS)];
}

/** Every address of the scenario. */
export async function scenarioAddresses() {
  const usdcMint = addressOf('usdc mint');
  const goldMint = GOLD_MINT;
  const partnerId = PARTNER_ID;
  const user = addressOf('user');
  const [config] = await client.findConfigPda();
  const [treasury] = await client.findTreasuryPda();
  const [escrow] = await client.findEscrowPda();
  const [integrator] = await client.findIntegratorPda({ partnerId });
  const [redemption] = await client.findRedemptionPda({ id: REDEMPTION_ID });
  const [settingsProposal] = await client.findSettingsProposalPda();
  const [programData] = await getProgramDerivedAddress({
    programAddress: LOADER_ADDRESS,
    seeds: [getAddressEncoder().encode(PROGRAM_ADDRESS)],
  });
  return {
    config,
    treasury,
    escrow,
    integrator,
    redemption,
    settingsProposal,
    programData,
    usdcMint,
    goldMint,
    partnerId,
    user,
    upgradeAuthority: addressOf('upgrade authority'),
    admin: addressOf('admin'),
    guardian: addressOf('guardian'),
    operations: addressOf('operations'),
    market: addressOf('market'),
    attestor: addressOf('attestor'),
    serviceSigner: addressOf('service signer'),
    spareSigner: addressOf('spare service signer'),
    partnerWallet: addressOf('partner wallet'),
    updateAuthority: addressOf('update authority'),
    withdrawalAuthority: addressOf('withdrawal authority'),
    executive: addressOf('executive'),
    payer: addressOf('payer'),
    compliance: addressOf('compliance'),
    priceAccount: addressOf('price'),
    usdcPriceAccount: addressOf('price of USDC'),
    withdrawOwner: addressOf('withdraw owner'),
    treasuryUsdc: await tokenAddress(treasury, usdcMint),
    treasuryGold: await tokenAddress(treasury, goldMint),
    escrowGold: await tokenAddress(escrow, goldMint),
    feeUsdc: await tokenAddress(config, usdcMint),
    vaultUsdc: await tokenAddress(integrator, usdcMint),
    vaultGold: await tokenAddress(integrator, goldMint),
    userUsdc: await tokenAddress(user, usdcMint),
    userGold: await tokenAddress(user, goldMint),
    withdrawalUsdc: await tokenAddress(addressOf('withdrawal authority'), usdcMint),
    withdrawalGold: await tokenAddress(addressOf('withdrawal authority'), goldMint),
    adminUsdc: await tokenAddress(addressOf('admin'), usdcMint),
    adminGold: await tokenAddress(addressOf('admin'), goldMint),
  };
}

export type ScenarioAddresses = Awaited<ReturnType<typeof scenarioAddresses>>;

const FEED_ID = new Uint8Array(createHash('sha256').update('XAU/USD').digest());
const USDC_FEED_ID = new Uint8Array(createHash('sha256').update('USDC/USD').digest());

/** A day, seconds. */
export const DAY = 86_400;

/** The settings that the scenario starts with: nothing is limited, and every delay is as short as it may be. */
export function settingsOf(at: ScenarioAddresses): client.SettingsArgs {
  return {
    guardian: at.guardian,
    attestor: at.attestor,
    priceAccount: at.priceAccount,
    priceOwner: RECEIVER_ADDRESS,
    feedId: FEED_ID,
    usdcPriceAccount: at.usdcPriceAccount,
    usdcFeedId: USDC_FEED_ID,
    minPriceE8: 1_000_00000000n,
    maxPriceE8: 10_000_00000000n,
    minUsdcPriceE8: 98_000_000n,
    maxTradeUsdc: 1_000_000n * ONE,
    dailyOutflowUsdc: U64_MAX,
    dailyOutflowGold: U64_MAX,
    dailyMint: U64_MAX,
    withdrawOwners: [at.admin, at.withdrawOwner, ZERO_ADDRESS, ZERO_ADDRESS],
    maxAgeOpen: 60,
    maxAgeClosed: 0,
    recoveryDelay: DAY,
    changeDelay: DAY,
    burnDelay: 3_600,
    redemptionTimeout: 30 * DAY,
    oppositeSideSeconds: 0,
    maxAttestationAge: DAY,
    maxConfBps: 100,
    minFeeBps: 0,
    maxFeeBps: 200,
    requireBacking: 1,
    freezeEnabled: 1,
  };
}

/** The hot keys that the scenario starts with. */
export function hotKeysOf(at: ScenarioAddresses): client.HotKeysArgs {
  const { operations, market, compliance } = at;
  return { operations, market, compliance, serviceSigners: [at.serviceSigner, at.spareSigner] };
}

/** The partner's terms that the scenario starts with. */
export function termsOf() {
  return {
    status: client.IntegratorStatus.Active,
    openFeeBps: 50,
    closedFeeBps: 150,
    dailyLimitUsdc: U64_MAX,
  };
}

/** The partner's keys. */
export function keysOf(at: ScenarioAddresses) {
  return {
    partnerWallet: at.partnerWallet,
    updateAuthority: at.updateAuthority,
    withdrawalAuthority: at.withdrawalAuthority,
  };
}

/** Accounts of an order that tests replace. */
interface OrderOverrides {
  payer?: TransactionSigner;
  receipt?: Address;
}

/** What trades accept, unless given otherwise. */
const limits = { maxFeeBps: 10_000, expireAt: NOW + 60n };

/** An order that was not executed yet, and where its receipt will be. */
export interface FreshOrder {
  id: Uint8Array;
  receipt: Address;
}

/** Where the receipt of an order of the scenario's partner is. */
export async function receiptOf(id: Uint8Array) {
  const [integrator] = await client.findIntegratorPda({ partnerId: PARTNER_ID });
  return client.findReceiptPda({ integrator, id });
}

/** Derived once: one test chain seldom has more orders, and those that were used can be used again. */
const orderPool: Promise<FreshOrder[]> = Promise.all(
  Array.from({ length: 128 }, async (_, index) => {
    const id = new Uint8Array(16).fill(0xa0);
    id[0] = index;
    const [receipt] = await receiptOf(id);
    return { id, receipt };
  }),
);

/** What the admin can take out: where it is, and whose it is. */
export const inventory = {
  Usdc: { authority: 'treasury', account: 'treasuryUsdc', token: 'Usdc' },
  Gold: { authority: 'treasury', account: 'treasuryGold', token: 'Gold' },
  Fees: { authority: 'config', account: 'feeUsdc', token: 'Usdc' },
} as const;
export type Inventory = keyof typeof inventory;

/** A chain ready to trade on, with builders of every instruction that take overrides of accounts and arguments. */
export class Scenario extends Chain {
  private readonly snapshots: MaybeEncodedAccount[] = [];

  readonly at: ScenarioAddresses;

  private readonly orders: FreshOrder[];
  private ordered = 0;

  private constructor(at: ScenarioAddresses, orders: FreshOrder[]) {
    super();
    this.at = at;
    this.orders = orders;
    this.svm.airdrop(at.payer, lamports(1_000_000_000_000n));
    this.setMint(at.usdcMint, { supply: 10_000_000_000n * ONE });
    this.setGoldSupply(0n);
    this.setProgramData(at.upgradeAuthority);
    const { usdcMint, goldMint } = at;
    this.setToken(at.treasuryUsdc, { mint: usdcMint, owner: at.treasury, amount: 10_000_000n * ONE });
    this.setToken(at.treasuryGold, { mint: goldMint, owner: at.treasury, amount: 100_000n * ONE });
    this.setToken(at.escrowGold, { mint: goldMint, owner: at.escrow, amount: 20n * ONE });
    this.setToken(at.feeUsdc, { mint: usdcMint, owner: at.config, amount: 1_000n * ONE });
    this.setToken(at.vaultUsdc, { mint: usdcMint, owner: at.integrator, amount: 100_000n * ONE });
    this.setToken(at.vaultGold, { mint: goldMint, owner: at.integrator, amount: 50n * ONE });
    this.setToken(at.withdrawalUsdc, { mint: usdcMint, owner: at.withdrawalAuthority });
    this.setToken(at.withdrawalGold, { mint: goldMint, owner: at.withdrawalAuthority });
    this.setToken(at.adminUsdc, { mint: usdcMint, owner: at.admin });
    this.setToken(at.adminGold, { mint: goldMint, owner: at.admin });
    this.setToken(at.userUsdc, { mint: usdcMint, owner: at.user, amount: 100_000n * ONE });
    this.setToken(at.userGold, { mint: goldMint, owner: at.user, amount: 50n * ONE });
    this.setPrice();
    this.setUsdcPrice();
  }

  /** A chain where nothing is initialized yet. */
  static async blank(): Promise<Scenario> {
    return new Scenario(await scenarioAddresses(), await orderPool);
  }

  /** A chain with a config and no partner yet: nothing is paused, the market is open, gold is attested, user and prices are there. */
  static async configured(): Promise<Scenario> {
    const scenario = await Scenario.blank();
    scenario.mustSend([scenario.initialize()]);
    scenario.setGoldSupply(1_000_000n * ONE);
    scenario.mustSend([scenario.resume()]);
    scenario.mustSend([scenario.setMarket(client.MarketState.Open)]);
    scenario.mustSend([scenario.attest({ asOf: NOW - 1n })]);
    return scenario;
  }

  /** As `configured`, with a partner. */
  static async create(): Promise<Scenario> {
    const scenario = await Scenario.configured();
    scenario.mustSend([scenario.createIntegrator()]);
    scenario.snapshot();
    return scenario;
  }

  /** Remembers the accounts of the scenario, for `reset`. */
  snapshot(): void {
    const addresses = Object.values(this.at).filter((value) => typeof value === 'string');
    this.snapshots.length = 0;
    for (const address of addresses) this.snapshots.push(this.svm.getAccount(address));
  }

  /** Puts every account of the scenario, and the clock, back to what they were. */
  reset(): void {
    for (const account of this.snapshots) {
      if (account.exists) this.svm.setAccount(account);
      else this.setAccount(account.address, SYSTEM_ADDRESS, new Uint8Array(), 0n);
    }
    this.rewindOrders();
    this.setTime(NOW);
  }

  /** The id and the receipt of the next order; those of orders long ago are used again. */
  nextOrder(): FreshOrder {
    const order = this.orders[this.ordered % this.orders.length];
    if (!order) throw new Error('no orders');
    this.ordered += 1;
    this.setAccount(order.receipt, SYSTEM_ADDRESS, new Uint8Array(), 0n);
    return order;
  }

  /** Begins with the first order again. */
  rewindOrders(): void {
    this.ordered = 0;
  }

  /** Gives the program the upgrade authority that `initialize` asks for; `null` for none. */
  setProgramData(authority: Address | null): void {
    const elf = this.account(this.at.programData).data.subarray(45);
    const header = new Uint8Array(45 + elf.length);
    header.set(elf, 45);
    header[0] = 3;
    header[12] = authority ? 1 : 0;
    if (authority) header.set(getAddressEncoder().encode(authority), 13);
    this.setAccount(this.at.programData, LOADER_ADDRESS, header, 10_000_000_000n);
  }

  /** Publishes a price: 4,100.00 USD with a confidence of 0.80, now, unless given otherwise. */
  setPrice(
    change: Partial<PriceUpdate> & { owner?: Address; address?: Address; length?: number } = {},
  ): void {
    const { owner = RECEIVER_ADDRESS, address = this.at.priceAccount, length, ...fields } = change;
    const bytes = priceUpdateBytes({
      discriminator: Uint8Array.of(0x22, 0xf1, 0x23, 0x63, 0x9d, 0x7e, 0xf4, 0xcd),
      verification: 1,
      feedId: FEED_ID,
      price: 4_100_00000000n,
      confidence: 80000000n,
      exponent: -8,
      publishTime: NOW,
      ...fields,
    });
    this.setAccount(address, owner, length === undefined ? bytes : bytes.slice(0, length));
  }

  /** As `setPrice`, of USDC: 1.00 USD, unless given otherwise. */
  setUsdcPrice(change: Parameters<Scenario['setPrice']>[0] = {}): void {
    const usdc = { feedId: USDC_FEED_ID, price: 100_000_000n, confidence: 50_000n };
    this.setPrice({ address: this.at.usdcPriceAccount, ...usdc, ...change });
  }

  config(): client.Config {
    return client.getConfigDecoder().decode(this.account(this.at.config).data);
  }

  integrator(address: Address = this.at.integrator): client.Integrator {
    return client.getIntegratorDecoder().decode(this.account(address).data);
  }

  /** Writes fields of the config as if an instruction had. */
  setConfig(change: Partial<client.ConfigArgs>): void {
    const data = client.getConfigEncoder().encode({ ...this.config(), ...change });
    this.setAccount(this.at.config, PROGRAM_ADDRESS, new Uint8Array(data));
  }

  /** Writes fields of the settings as if an instruction had. */
  setSettings(change: Partial<client.SettingsArgs>): void {
    this.setConfig({ settings: { ...this.config().settings, ...change } });
  }

  /** Writes hot keys as if an instruction had. */
  setHotKeys(change: Partial<client.HotKeysArgs>): void {
    this.setConfig({ hotKeys: { ...this.config().hotKeys, ...change } });
  }

  /** Writes fields of the attestation as if an instruction had. */
  setAttestation(change: Partial<client.AttestationArgs>): void {
    this.setConfig({ attestation: { ...this.config().attestation, ...change } });
  }

  /** Writes fields of the integrator as if an instruction had. */
  setIntegrator(change: Partial<client.IntegratorArgs>, address: Address = this.at.integrator): void {
    const data = client.getIntegratorEncoder().encode({ ...this.integrator(), ...change });
    this.setAccount(address, PROGRAM_ADDRESS, new Uint8Array(data));
  }

  /** How much GOLD there is, base units. */
  goldSupply(): bigint {
    return getMintDecoder().decode(this.account(this.at.goldMint).data).supply;
  }

  setGoldSupply(supply: bigint): void {
    const { goldMint, treasury } = this.at;
    this.setGoldMint(goldMint, { mintAuthority: treasury, freezeAuthority: treasury, supply });
  }

  initialize(args: Partial<client.InitializeInstructionDataArgs> = {}): Instruction {
    const { at } = this;
    return client.getInitializeInstruction({
      ...at,
      payer: signer(at.payer),
      upgradeAuthority: signer(at.upgradeAuthority),
      admin: at.admin,
      hotKeys: hotKeysOf(at),
      settings: settingsOf(at),
      ...args,
    });
  }

  /** The present settings with a change. */
  proposeSettings(
    change: Partial<client.SettingsArgs>,
    args: Partial<client.ProposeSettingsInstructionDataArgs> = {},
  ): Instruction {
    const { at } = this;
    const { settings, settingsSeq } = this.config();
    return client.getProposeSettingsInstruction({
      ...at,
      payer: signer(at.payer),
      admin: signer(at.admin),
      expectedSettingsSeq: settingsSeq,
      settings: { ...settings, ...change },
      ...args,
    });
  }

  /** What the payer of the scenario has proposed. */
  applySettings(): Instruction {
    return client.getApplySettingsInstruction({ ...this.at, rentPayer: this.at.payer });
  }

  cancelSettings(authority = this.at.guardian): Instruction {
    const { at } = this;
    return client.getCancelSettingsInstruction({
      ...at,
      authority: signer(authority),
      rentPayer: at.payer,
    });
  }

  settingsProposal(): client.SettingsProposal {
    const { data } = this.account(this.at.settingsProposal);
    return client.getSettingsProposalDecoder().decode(data);
  }

  rotateAccounts(
    accounts: Partial<Record<'treasuryUsdc' | 'treasuryGold' | 'feeUsdc', Address>> = {},
    expectedSettingsSeq = this.counters().settingsSeq,
  ): Instruction {
    const { config, admin, treasuryUsdc, treasuryGold, feeUsdc } = this.at;
    const all = { treasuryUsdc, treasuryGold, feeUsdc, ...accounts };
    return client.getRotateAccountsInstruction({
      config,
      admin: signer(admin),
      ...all,
      expectedSettingsSeq,
    });
  }

  /** What instructions compare; 0 when another account stands in the config's place. */
  private counters(): Pick<client.Config, 'settingsSeq' | 'pauseSeq'> {
    const account = this.svm.getAccount(this.at.config);
    const isConfig = account.exists && account.data.length === client.getConfigSize();
    return isConfig ? this.config() : { settingsSeq: 0n, pauseSeq: 0n };
  }

  replaceKey(role: client.HotKeyRole, old: Address, replacement: Address): Instruction {
    return client.getReplaceKeyInstruction({
      config: this.at.config,
      admin: signer(this.at.admin),
      role,
      old,
      new: replacement,
    });
  }

  proposeAdmin(newAdmin: Address): Instruction {
    return client.getProposeAdminInstruction({
      config: this.at.config,
      admin: signer(this.at.admin),
      newAdmin,
    });
  }

  acceptAdmin(newAdmin: Address): Instruction {
    return client.getAcceptAdminInstruction({ config: this.at.config, newAdmin: signer(newAdmin) });
  }

  cancelAdmin(authority = this.at.guardian): Instruction {
    return client.getCancelAdminInstruction({ config: this.at.config, authority: signer(authority) });
  }

  pause(mask: number, authority = this.at.guardian): Instruction {
    return client.getPauseInstruction({ config: this.at.config, authority: signer(authority), mask });
  }

  /** Clears every pause bit but that of the treasury, unless given otherwise; for that one, the guardian signs too. */
  resume(mask = 31, expectedPauseSeq = this.counters().pauseSeq): Instruction {
    const { config, admin, guardian } = this.at;
    const second = mask & 32 ? { guardian: signer(guardian) } : {};
    return client.getResumeInstruction({ config, admin: signer(admin), ...second, mask, expectedPauseSeq });
  }

  setMarket(marketState: client.MarketState, authority = this.at.market): Instruction {
    return client.getSetMarketInstruction({
      config: this.at.config,
      authority: signer(authority),
      marketState,
    });
  }

  createIntegrator(args: Partial<client.CreateIntegratorInstructionDataArgs> = {}): Instruction {
    const { at } = this;
    return client.getCreateIntegratorInstruction({
      payer: signer(at.payer),
      authority: signer(at.operations),
      config: at.config,
      integrator: at.integrator,
      vaultUsdc: at.vaultUsdc,
      vaultGold: at.vaultGold,
      partnerId: at.partnerId,
      ...termsOf(),
      ...keysOf(at),
      executiveCount: 1,
      executives: eight([at.executive]),
      ...args,
    });
  }

  updateIntegrator(args: Partial<client.UpdateIntegratorInstructionDataArgs> = {}): Instruction {
    const { at } = this;
    return client.getUpdateIntegratorInstruction({
      authority: signer(at.operations),
      config: at.config,
      integrator: at.integrator,
      expectedTermsSeq: this.integrator().termsSeq,
      ...termsOf(),
      ...args,
    });
  }

  suspendIntegrator(authority = this.at.guardian): Instruction {
    const { config, integrator } = this.at;
    return client.getSuspendIntegratorInstruction({ authority: signer(authority), config, integrator });
  }

  /** 100 USDC at any output, unless given otherwise. */
  buy(args: Partial<client.BuyInstructionDataArgs> = {}): Instruction {
    const outputs = { minGoldOut: 0n, maxGoldOut: U64_MAX };
    const trade = { usdcIn: 100n * ONE, ...outputs, ...limits, id: new Uint8Array(16), ...args };
    return client.getBuyInstruction({ ...this.tradeAccounts(), ...trade });
  }

  /** One GOLD at any output, unless given otherwise. */
  sell(args: Partial<client.SellInstructionDataArgs> = {}): Instruction {
    const outputs = { minUsdcOut: 0n, maxUsdcOut: U64_MAX };
    const trade = { goldIn: ONE, ...outputs, ...limits, id: new Uint8Array(16), ...args };
    return client.getSellInstruction({ ...this.tradeAccounts(), ...trade });
  }

  /** One GOLD for the vault at any price, unless given otherwise. */
  partnerPurchase(
    args: Partial<client.PartnerPurchaseInstructionDataArgs> &
      OrderOverrides & { executive?: TransactionSigner } = {},
  ): Instruction {
    const inputs = { maxUsdcIn: U64_MAX, minUsdcIn: 0n };
    const trade = { goldOut: ONE, ...inputs, ...limits, ...this.nextOrder(), ...args };
    return client.getPartnerPurchaseInstruction({ ...this.tradeAccounts(), ...trade });
  }

  /** One GOLD of the vault at any output, unless given otherwise. */
  partnerSale(args: Partial<client.PartnerSaleInstructionDataArgs> & OrderOverrides = {}): Instruction {
    const outputs = { minUsdcOut: 0n, maxUsdcOut: U64_MAX };
    const trade = { goldIn: ONE, ...outputs, ...limits, ...this.nextOrder(), ...args };
    return client.getPartnerSaleInstruction({ ...this.tradeAccounts(), ...trade });
  }

  /** Removes and adds executives, signed by the update authority. */
  updateExecutives(
    change: { remove?: Address[]; add?: Address[] },
    args: Partial<client.UpdateExecutivesInstructionDataArgs> = {},
  ): Instruction {
    const { remove = [], add = [] } = change;
    return client.getUpdateExecutivesInstruction({
      config: this.at.config,
      integrator: this.at.integrator,
      updateAuthority: signer(this.at.updateAuthority),
      removeCount: remove.length,
      remove: eight(remove),
      addCount: add.length,
      add: eight(add),
      ...args,
    });
  }

  /** One token of the vault to its withdrawal authority, unless given otherwise. */
  partnerWithdraw(
    token: Token,
    amount = ONE,
    args: Partial<client.PartnerWithdrawInstructionDataArgs> & OrderOverrides = {},
  ): Instruction {
    const { at } = this;
    return client.getPartnerWithdrawInstruction({
      ...at,
      payer: signer(at.payer),
      expireAt: limits.expireAt,
      ...this.nextOrder(),
      withdrawalAuthority: signer(at.withdrawalAuthority),
      tokenProgram: tokenProgramOf(mintOf(at, token)),
      vaultToken: at[`vault${token}`],
      destination: at[`withdrawal${token}`],
      mint: mintOf(at, token),
      amount,
      ...args,
    });
  }

  /** Closes the receipt of an order whose rent the payer has paid. */
  closeReceipt({ receipt }: Pick<FreshOrder, 'receipt'>, payer = this.at.payer): Instruction {
    return client.getCloseReceiptInstruction({ receipt, payer });
  }

  /** One token of the treasury, or of the fees, to the admin, unless given otherwise. */
  treasuryWithdraw(from: Inventory, amount = ONE, destination?: Address): Instruction {
    const { at } = this;
    const { authority, account, token } = inventory[from];
    return client.getTreasuryWithdrawInstruction({
      config: at.config,
      admin: signer(at.admin),
      treasuryAuthority: at[authority],
      treasuryToken: at[account],
      destination: destination ?? at[`admin${token}`],
      mint: mintOf(at, token),
      tokenProgram: tokenProgramOf(mintOf(at, token)),
      amount,
    });
  }

  /** One GOLD of the user into escrow, unless given otherwise. */
  redeem(args: Partial<client.RedeemInput> = {}): Instruction {
    const { at } = this;
    return client.getRedeemInstruction({
      ...at,
      payer: signer(at.payer),
      serviceSigner: signer(at.serviceSigner),
      user: signer(at.user),
      id: REDEMPTION_ID,
      amount: ONE,
      ...args,
    });
  }

  redemption(address: Address = this.at.redemption): client.Redemption {
    return client.getRedemptionDecoder().decode(this.account(address).data);
  }

  /** Writes fields of the redemption as if an instruction had. */
  setRedemption(change: Partial<client.RedemptionArgs>): void {
    const data = client.getRedemptionEncoder().encode({ ...this.redemption(), ...change });
    this.setAccount(this.at.redemption, PROGRAM_ADDRESS, new Uint8Array(data));
  }

  announceBurn(operations = this.at.operations): Instruction {
    const { config, redemption } = this.at;
    return client.getAnnounceBurnInstruction({
      config,
      operations: signer(operations),
      redemption,
      id: REDEMPTION_ID,
    });
  }

  cancelBurn(authority = this.at.guardian): Instruction {
    const { config, redemption } = this.at;
    return client.getCancelBurnInstruction({
      config,
      authority: signer(authority),
      redemption,
      id: REDEMPTION_ID,
    });
  }

  /** The redemption of the scenario, back to its user. */
  reclaimRedemption(args: Partial<client.ReclaimRedemptionInput> = {}): Instruction {
    const { at } = this;
    return client.getReclaimRedemptionInstruction({
      ...at,
      user: signer(at.user),
      rentPayer: at.payer,
      escrowAuthority: at.escrow,
      destination: at.userGold,
      id: REDEMPTION_ID,
      ...args,
    });
  }

  /** The redemption of the scenario, to where the mode sends its gold, unless given otherwise. */
  settleRedemption(
    mode: client.SettlementMode,
    args: Partial<client.SettleRedemptionInput> = {},
  ): Instruction {
    const { at } = this;
    return client.getSettleRedemptionInstruction({
      ...at,
      operations: signer(at.operations),
      rentPayer: at.payer,
      escrowAuthority: at.escrow,
      destination: mode === client.SettlementMode.Burn ? at.escrowGold : at.userGold,
      id: REDEMPTION_ID,
      mode,
      ...args,
    });
  }

  /** One GOLD of the surplus in escrow to the treasury, unless given otherwise. */
  sweepEscrow(args: Partial<client.SweepEscrowInput> = {}): Instruction {
    const { at } = this;
    return client.getSweepEscrowInstruction({
      ...at,
      admin: signer(at.admin),
      escrowAuthority: at.escrow,
      amount: ONE,
      ...args,
    });
  }

  /** Two million GOLD by a report of this moment, unless given otherwise. */
  attest(
    args: Partial<client.AttestInstructionDataArgs> = {},
    attestor = signer(this.at.attestor),
  ): Instruction {
    const { at } = this;
    return client.getAttestInstruction({
      attestor,
      config: at.config,
      amount: 2_000_000n * ONE,
      asOf: NOW,
      burnedAtAsOf: this.config().burnedTotal,
      reportHash: new Uint8Array(32).fill(9),
      ...args,
    });
  }

  /** One GOLD, unless given otherwise. */
  mintGold(amount = ONE): Instruction {
    const { at } = this;
    return client.getMintGoldInstruction({
      config: at.config,
      admin: signer(at.admin),
      treasuryAuthority: at.treasury,
      treasuryGold: at.treasuryGold,
      goldMint: at.goldMint,
      amount,
    });
  }

  /** The user's account of GOLD, unless given otherwise. */
  freezeAccount(args: Partial<client.FreezeAccountInput> = {}): Instruction {
    const { at } = this;
    return client.getFreezeAccountInstruction({
      ...at,
      compliance: signer(at.compliance),
      account: at.userGold,
      owner: at.user,
      treasuryAuthority: at.treasury,
      reasonHash: new Uint8Array(32).fill(5),
      ...args,
    });
  }

  /** The user's account of GOLD, unless given otherwise. */
  thawAccount(args: Partial<client.ThawAccountInput> = {}): Instruction {
    const { at } = this;
    return client.getThawAccountInstruction({
      ...at,
      authority: signer(at.compliance),
      account: at.userGold,
      treasuryAuthority: at.treasury,
      ...args,
    });
  }

  /** Signed by the one who has the role, unless given otherwise. */
  handOverAuthority(role: client.AuthorityRole, key: Address, holder?: TransactionSigner): Instruction {
    const { at } = this;
    const present = [at.partnerWallet, at.updateAuthority, at.withdrawalAuthority][role] ?? at.user;
    return client.getHandOverAuthorityInstruction({ ...at, holder: holder ?? signer(present), role, key });
  }

  proposeAuthority(role: client.AuthorityRole, key: Address): Instruction {
    const { at } = this;
    return client.getProposeAuthorityInstruction({ ...at, admin: signer(at.admin), role, key });
  }

  /** Signed by the one who has the role and another authority of the partner, unless given otherwise. */
  cancelAuthority(
    role: client.AuthorityRole,
    key: Address,
    signers: { authority?: TransactionSigner; second?: TransactionSigner } = {},
  ): Instruction {
    const { at } = this;
    const keys = [at.partnerWallet, at.updateAuthority, at.withdrawalAuthority];
    const authority = signer(keys[role] ?? at.user);
    const second = signer(keys[(role + 1) % 3] ?? at.user);
    const both = signers.authority ? signers : { authority, second };
    return client.getCancelAuthorityInstruction({ ...at, authority, ...both, role, key });
  }

  applyAuthority(role: client.AuthorityRole, key: Address): Instruction {
    const { at } = this;
    return client.getApplyAuthorityInstruction({ ...at, admin: signer(at.admin), role, key });
  }

  private tradeAccounts() {
    const { at } = this;
    return {
      ...at,
      treasuryAuthority: at.treasury,
      serviceSigner: signer(at.serviceSigner),
      partnerWallet: signer(at.partnerWallet),
      user: signer(at.user),
      executive: signer(at.executive),
      payer: signer(at.payer),
    };
  }
}
