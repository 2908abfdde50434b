import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import * as client from '@karat/program-client';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  type EncodedAccount,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Instruction,
  lamports,
  type MaybeEncodedAccount,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
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
export const RECEIVER_ADDRESS = 'rec5EKMGg6MxZYaMdyBfgwp4d5rB9T1VQH5pJv5LtFJ' as Address;
export const PROGRAM_ADDRESS = client.KARAT_PROGRAM_ADDRESS;

/** The chain's clock at the start, unix seconds. */
export const NOW = 1_700_000_000n;
/** One USDC, one GOLD: 10^6 base units. */
export const ONE = 1_000_000n;

/** The redemption of the scenario. */
export const REDEMPTION_ID = Uint8Array.from({ length: 16 }, (_, index) => 0xf0 + index);

/** An address that depends on its name only. */
export function addressOf(name: string): Address {
  return getAddressDecoder().decode(createHash('sha256').update(`karat test ${name}`).digest());
}

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

/** The bytes of a token account. */
export function tokenBytes(fields: TokenFields): Uint8Array {
  return new Uint8Array(
    getTokenEncoder().encode({
      mint: fields.mint,
      owner: fields.owner,
      amount: fields.amount ?? 0n,
      delegate: fields.delegate ?? null,
      state: fields.state ?? AccountState.Initialized,
      isNative: null,
      delegatedAmount: fields.delegate ? 1n : 0n,
      closeAuthority: fields.closeAuthority ?? null,
    }),
  );
}

/** The fields of a mint that tests set. */
export interface MintFields {
  mintAuthority?: Address | null;
  supply?: bigint;
  decimals?: number;
  freezeAuthority?: Address | null;
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
    this.setAccount(address, TOKEN_PROGRAM_ADDRESS, tokenBytes(fields));
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
  compile(instructions: Instruction[], feePayer: Address = addressOf('payer')): Compiled {
    const message = pipe(
      createTransactionMessage({ version: 'legacy' }),
      (empty) => setTransactionMessageFeePayer(feePayer, empty),
      (paid) => this.svm.setTransactionMessageLifetimeUsingLatestBlockhash(paid),
      (living) => appendTransactionMessageInstructions(instructions, living),
    );
    return compileTransaction(message);
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
  const [address] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
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
  const goldMint = addressOf('gold mint');
  const partnerId = new Uint8Array(16).fill(7);
  const user = addressOf('user');
  const [config] = await client.findConfigPda();
  const [treasury] = await client.findTreasuryPda();
  const [escrow] = await client.findEscrowPda();
  const [integrator] = await client.findIntegratorPda({ partnerId });
  const [vault] = await client.findVaultPda({ integrator });
  const [redemption] = await client.findRedemptionPda({ id: REDEMPTION_ID });
  const [reserve] = await client.findReservePda();
  const [programData] = await getProgramDerivedAddress({
    programAddress: LOADER_ADDRESS,
    seeds: [getAddressEncoder().encode(PROGRAM_ADDRESS)],
  });
  return {
    config,
    treasury,
    escrow,
    integrator,
    vault,
    redemption,
    reserve,
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
    priceAccount: addressOf('price'),
    withdrawOwner: addressOf('withdraw owner'),
    treasuryUsdc: await tokenAddress(treasury, usdcMint),
    treasuryGold: await tokenAddress(treasury, goldMint),
    escrowGold: await tokenAddress(escrow, goldMint),
    feeUsdc: await tokenAddress(config, usdcMint),
    vaultUsdc: await tokenAddress(vault, usdcMint),
    vaultGold: await tokenAddress(vault, goldMint),
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

/** The settings that the scenario starts with. */
export function settingsOf(at: ScenarioAddresses) {
  return {
    guardian: at.guardian,
    serviceSigners: [at.serviceSigner, at.spareSigner],
    priceAccount: at.priceAccount,
    priceOwner: RECEIVER_ADDRESS,
    feedId: FEED_ID,
    minPriceE8: 1_000_00000000n,
    maxPriceE8: 10_000_00000000n,
    maxTradeUsdc: 1_000_000n * ONE,
    maxAgeOpen: 60,
    maxAgeClosed: 0,
    maxConfBps: 100,
    maxFeeBps: 200,
    operations: at.operations,
    market: at.market,
    attestor: at.attestor,
    withdrawOwners: [at.admin, at.withdrawOwner, ZERO_ADDRESS, ZERO_ADDRESS],
    recoveryDelay: 0,
    maxAttestationAge: 86_400,
    dailyOutflowUsdc: 0n,
    dailyOutflowGold: 0n,
  };
}

/** The partner's terms that the scenario starts with. */
export function termsOf() {
  return { status: client.IntegratorStatus.Active, openFeeBps: 50, closedFeeBps: 150, dailyLimitUsdc: 0n };
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

/** Derived once: one test chain seldom has more orders, and those that were used can be used again. */
const orderPool: Promise<FreshOrder[]> = Promise.all(
  Array.from({ length: 128 }, async (_, index) => {
    const id = new Uint8Array(16).fill(0xa0);
    id[0] = index;
    const [receipt] = await client.findReceiptPda({ id });
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
    this.setMint(at.goldMint, { mintAuthority: at.treasury });
    this.setProgramData(at.upgradeAuthority);
    const { usdcMint, goldMint } = at;
    this.setToken(at.treasuryUsdc, { mint: usdcMint, owner: at.treasury, amount: 10_000_000n * ONE });
    this.setToken(at.treasuryGold, { mint: goldMint, owner: at.treasury, amount: 100_000n * ONE });
    this.setToken(at.escrowGold, { mint: goldMint, owner: at.escrow, amount: 20n * ONE });
    this.setToken(at.feeUsdc, { mint: usdcMint, owner: at.config, amount: 1_000n * ONE });
    this.setToken(at.vaultUsdc, { mint: usdcMint, owner: at.vault, amount: 100_000n * ONE });
    this.setToken(at.vaultGold, { mint: goldMint, owner: at.vault, amount: 50n * ONE });
    this.setToken(at.withdrawalUsdc, { mint: usdcMint, owner: at.withdrawalAuthority });
    this.setToken(at.withdrawalGold, { mint: goldMint, owner: at.withdrawalAuthority });
    this.setToken(at.adminUsdc, { mint: usdcMint, owner: at.admin });
    this.setToken(at.adminGold, { mint: goldMint, owner: at.admin });
    this.setToken(at.userUsdc, { mint: usdcMint, owner: at.user, amount: 100_000n * ONE });
    this.setToken(at.userGold, { mint: goldMint, owner: at.user, amount: 50n * ONE });
    this.setPrice();
  }

  /** A chain where nothing is initialized yet. */
  static async blank(): Promise<Scenario> {
    return new Scenario(await scenarioAddresses(), await orderPool);
  }

  /** A chain with a config and no partner yet; nothing is paused, the market is open, and the gold of the token accounts is the supply. */
  static async configured(): Promise<Scenario> {
    const scenario = await Scenario.blank();
    scenario.mustSend([scenario.initialize()]);
    scenario.setGoldSupply(1_000_000n * ONE);
    scenario.mustSend([scenario.resume()]);
    scenario.mustSend([scenario.setMarket(client.MarketState.Open)]);
    return scenario;
  }

  /** A chain with config, attested gold, partner, user, funds and a fresh price. */
  static async create(): Promise<Scenario> {
    const scenario = await Scenario.configured();
    scenario.mustSend([scenario.createIntegrator()]);
    scenario.mustSend([scenario.attest()]);
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

  /** Writes fields of the integrator as if an instruction had. */
  setIntegrator(change: Partial<client.IntegratorArgs>, address: Address = this.at.integrator): void {
    const data = client.getIntegratorEncoder().encode({ ...this.integrator(), ...change });
    this.setAccount(address, PROGRAM_ADDRESS, new Uint8Array(data));
  }

  reserve(): client.Reserve {
    return client.getReserveDecoder().decode(this.account(this.at.reserve).data);
  }

  /** Writes fields of the reserve as if an instruction had. */
  setReserve(change: Partial<client.ReserveArgs>): void {
    const data = client.getReserveEncoder().encode({ ...this.reserve(), ...change });
    this.setAccount(this.at.reserve, PROGRAM_ADDRESS, new Uint8Array(data));
  }

  /** How much GOLD there is, base units. */
  goldSupply(): bigint {
    return getMintDecoder().decode(this.account(this.at.goldMint).data).supply;
  }

  setGoldSupply(supply: bigint): void {
    this.setMint(this.at.goldMint, { mintAuthority: this.at.treasury, supply });
  }

  initialize(args: Partial<client.InitializeInstructionDataArgs> = {}): Instruction {
    const { at } = this;
    return client.getInitializeInstruction({
      ...at,
      payer: signer(at.payer),
      upgradeAuthority: signer(at.upgradeAuthority),
      admin: at.admin,
      ...settingsOf(at),
      ...args,
    });
  }

  updateConfig(args: Partial<client.UpdateConfigInstructionDataArgs> = {}): Instruction {
    const { at } = this;
    return client.getUpdateConfigInstruction({
      config: at.config,
      admin: signer(at.admin),
      expectedSeq: this.seq(),
      ...settingsOf(at),
      ...args,
    });
  }

  rotateAccounts(
    accounts: Partial<Record<'treasuryUsdc' | 'treasuryGold' | 'feeUsdc', Address>> = {},
    expectedSeq = this.seq(),
  ): Instruction {
    const { config, admin, treasuryUsdc, treasuryGold, feeUsdc } = this.at;
    const all = { treasuryUsdc, treasuryGold, feeUsdc, ...accounts };
    return client.getRotateAccountsInstruction({ config, admin: signer(admin), ...all, expectedSeq });
  }

  /** Number of events of the config; 0 when another account stands there. */
  private seq(): bigint {
    const account = this.svm.getAccount(this.at.config);
    return account.exists && account.data.length === client.getConfigSize() ? this.config().seq : 0n;
  }

  proposeAdmin(newAdmin: Address): Instruction {
    return client.getProposeAdminInstruction({
      config: this.at.config,
      admin: signer(this.at.admin),
      newAdmin,
    });
  }

  acceptAdmin(pendingAdmin: Address): Instruction {
    return client.getAcceptAdminInstruction({ config: this.at.config, pendingAdmin: signer(pendingAdmin) });
  }

  pause(mask: number, authority = this.at.guardian): Instruction {
    return client.getPauseInstruction({ config: this.at.config, authority: signer(authority), mask });
  }

  /** Clears every pause bit, unless given otherwise. */
  resume(mask = 31, expectedSeq = this.seq()): Instruction {
    const { config, admin } = this.at;
    return client.getResumeInstruction({ config, admin: signer(admin), mask, expectedSeq });
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
      destination: at.treasuryGold,
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
      payer: signer(at.payer),
      attestor,
      config: at.config,
      reserve: at.reserve,
      amount: 2_000_000n * ONE,
      asOf: NOW,
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
      reserve: at.reserve,
      treasuryAuthority: at.treasury,
      treasuryGold: at.treasuryGold,
      goldMint: at.goldMint,
      amount,
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

  /** Signed by the withdrawal authority, unless given otherwise. */
  cancelAuthority(role: client.AuthorityRole, key: Address, authority?: TransactionSigner): Instruction {
    const { at } = this;
    const signs = authority ?? signer(at.withdrawalAuthority);
    return client.getCancelAuthorityInstruction({ ...at, authority: signs, role, key });
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
