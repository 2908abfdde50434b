import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  ACCEPT_ADMIN_DISCRIMINATOR,
  ANNOUNCE_BURN_DISCRIMINATOR,
  APPLY_AUTHORITY_DISCRIMINATOR,
  APPLY_SETTINGS_DISCRIMINATOR,
  BUY_DISCRIMINATOR,
  CANCEL_ADMIN_DISCRIMINATOR,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  CANCEL_BURN_DISCRIMINATOR,
  CANCEL_SETTINGS_DISCRIMINATOR,
  CLOSE_RECEIPT_DISCRIMINATOR,
  CREATE_INTEGRATOR_DISCRIMINATOR,
  getConfigSize,
  getIntegratorSize,
  getRedemptionSize,
  getSettingsProposalSize,
  INITIALIZE_DISCRIMINATOR,
  MINT_GOLD_DISCRIMINATOR,
  PAUSE_DISCRIMINATOR,
  PROPOSE_ADMIN_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  PROPOSE_SETTINGS_DISCRIMINATOR,
  REDEEM_DISCRIMINATOR,
  REPLACE_KEY_DISCRIMINATOR,
  RESUME_DISCRIMINATOR,
  ROTATE_ACCOUNTS_DISCRIMINATOR,
  SELL_DISCRIMINATOR,
  SET_MARKET_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SUSPEND_INTEGRATOR_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  THAW_ACCOUNT_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  UPDATE_INTEGRATOR_DISCRIMINATOR,
} from '@karat/program-client';
import {
  type InstructionPlace,
  keyBytes,
  type MessageLayout,
  readLegacyMessage,
  WireError,
} from '@karat/wire';
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { newAccountFault, readNewAccount, rentOf } from './new-accounts.js';
import { guardProgram, maxGuards, memoProgram, token2022Program } from './programs.js';
import type { ReadMessage } from './read-message.js';
import { asBuffer } from './signer.js';

export type SigningRole = 'service' | 'admin' | 'operations' | 'guardian' | 'market';

/** Why the policy refuses: a closed list, for metrics and the audit log. */
export const policyRules = [
  'kill_switch',
  'malformed',
  'fee_payer',
  'instruction',
  'key_use',
  'amount',
  'expiry',
  'fee',
  'rate',
  'sol',
] as const;
export type PolicyRule = (typeof policyRules)[number];

/** A signature that the policy refuses. */
export class PolicyRefusal extends Error {
  override name = 'PolicyRefusal';
  readonly rule: PolicyRule;
  readonly detail: string;

  constructor(rule: PolicyRule, detail: string) {
    super(`The signing policy refuses this transaction (${rule}).`);
    this.rule = rule;
    this.detail = detail;
  }
}

/** What stands before the signatures of one key. */
export interface Policy {
  /** Returns if the message may be signed, and counts it. Throws a `PolicyRefusal`. */
  admit(message: Uint8Array): void;
}

/** Throws a `PolicyRefusal` while the file of the kill switch exists. */
export function requireNoKillFile(killFile: string | undefined): void {
  if (killFile !== undefined && existsSync(killFile)) {
    throw new PolicyRefusal('kill_switch', `${killFile} exists`);
  }
}

export interface PolicySettings {
  programAddress: Address;
  /** Base units that a quote may take of a user, at most. */
  maxUsdc: bigint;
  maxGold: bigint;
  /** Micro-lamports per compute unit, at most. */
  maxComputeUnitPrice: bigint;
  /** How many signatures a minute, trades not counted. */
  signaturesPerMinute: number;
  /** Lamports an hour that what is signed costs the key if it lands, fees and rent: no trades, and a hundredth of redemptions. */
  lamportsPerHour: bigint;
  /** Nothing is signed while this file exists. */
  killFile: string | undefined;
  /** Unix time in milliseconds, by which quotes expire. */
  nowMs(): number;
  /** Milliseconds of a clock that only goes forward. */
  tickMs(): number;
}

/** Quotes live for a minute and some grace; the chain takes a few seconds more. */
const maxExpirySeconds = 150n;
/** Of a transaction, as Solana allows it. */
const maxComputeUnits = 1_400_000n;
const lamportsPerSignature = 5_000n;
/** Rent of an associated token account of GOLD, which is larger than one of USDC. */
const tokenAccountRent = rentOf(170);
/** Bytes of the account that an instruction of the program makes, whose payer it names first. */
const accountBytesOf: Readonly<Record<number, number>> = {
  [CREATE_INTEGRATOR_DISCRIMINATOR]: getIntegratorSize(),
  [INITIALIZE_DISCRIMINATOR]: getConfigSize(),
  [PROPOSE_SETTINGS_DISCRIMINATOR]: getSettingsProposalSize(),
  [REDEEM_DISCRIMINATOR]: getRedemptionSize(),
};
/** Few of the redemptions that are quoted land: each quote counts that part of what it costs if it does. */
const quotesPerRedemption = 100n;

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Numbers of instructions that a role may sign, by program. */
type Allowed = Readonly<Record<string, ReadonlySet<number>>>;

const computeBudget = new Set([2, 3]);
const ofOperations = [
  CREATE_INTEGRATOR_DISCRIMINATOR,
  UPDATE_INTEGRATOR_DISCRIMINATOR,
  SUSPEND_INTEGRATOR_DISCRIMINATOR,
  ANNOUNCE_BURN_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
];
/** One change of the program's status may pause, resume and set the market, which different keys sign. */
const ofStatus = [PAUSE_DISCRIMINATOR, RESUME_DISCRIMINATOR, SET_MARKET_DISCRIMINATOR];
/** What stops something that others have begun. */
const stopping = [
  CANCEL_SETTINGS_DISCRIMINATOR,
  CANCEL_ADMIN_DISCRIMINATOR,
  CANCEL_BURN_DISCRIMINATOR,
  SUSPEND_INTEGRATOR_DISCRIMINATOR,
];
/** A pause of the treasury is ended by admin and guardian together. */
const ofGuardian = [PAUSE_DISCRIMINATOR, RESUME_DISCRIMINATOR, ...stopping];
/** Instructions of the program that may name a hot key; in others it only pays. Roles that are not listed: any. */
const ownOf: Readonly<Partial<Record<SigningRole, ReadonlySet<number>>>> = {
  market: new Set([SET_MARKET_DISCRIMINATOR]),
  guardian: new Set(ofGuardian),
  // It pays the rent of proposed settings, and gets it back.
  operations: new Set([
    ...ofOperations,
    PROPOSE_SETTINGS_DISCRIMINATOR,
    APPLY_SETTINGS_DISCRIMINATOR,
    CANCEL_SETTINGS_DISCRIMINATOR,
  ]),
};
/** What the admin signs; the operations key pays for it. */
const ofAdmin = [
  ...ofOperations,
  ...ofStatus,
  ...stopping,
  PROPOSE_SETTINGS_DISCRIMINATOR,
  APPLY_SETTINGS_DISCRIMINATOR,
  REPLACE_KEY_DISCRIMINATOR,
  PROPOSE_ADMIN_DISCRIMINATOR,
  ACCEPT_ADMIN_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  APPLY_AUTHORITY_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  ROTATE_ACCOUNTS_DISCRIMINATOR,
  MINT_GOLD_DISCRIMINATOR,
  THAW_ACCOUNT_DISCRIMINATOR,
];
/** Create, CreateIdempotent. */
const associated = new Set([0, 1]);
/** InitializeAccount3 and TransferChecked. */
const ofTokens = [18, 12];
const initializeMint2 = 20;
/**
 * What makes the mint of GOLD: SetAuthority, InitializeMint2, the metadata pointer, and what initializes the metadata, adds
 * fields and hands it over, by the first byte. In a message of the admin, only about a mint that the message itself makes.
 */
const ofNewMint = new Set([6, initializeMint2, 39, 210, 221, 215]);

function allowedOf(role: Exclude<SigningRole, 'service'>, program: Address): Allowed {
  const budget = { [COMPUTE_BUDGET_PROGRAM_ADDRESS]: computeBudget };
  switch (role) {
    case 'market':
      // The keeper closes receipts, which takes no role.
      return { ...budget, [program]: new Set([...ofStatus, CLOSE_RECEIPT_DISCRIMINATOR]) };
    case 'guardian':
      return { ...budget, [program]: new Set([...ofStatus, ...ofGuardian]) };
    case 'operations':
      return {
        ...budget,
        [program]: new Set(ofAdmin),
        [ASSOCIATED_TOKEN_PROGRAM_ADDRESS]: associated,
        // CreateAccountWithSeed, for refunds; no transfers.
        [SYSTEM_PROGRAM_ADDRESS]: new Set([3]),
        [TOKEN_PROGRAM_ADDRESS]: new Set(ofTokens),
        [token2022Program]: new Set(ofTokens),
      };
    case 'admin':
      return {
        ...budget,
        [program]: new Set([...ofAdmin, INITIALIZE_DISCRIMINATOR]),
        [ASSOCIATED_TOKEN_PROGRAM_ADDRESS]: associated,
        // CreateAccount, for mints; no transfers.
        [SYSTEM_PROGRAM_ADDRESS]: new Set([0]),
        [TOKEN_PROGRAM_ADDRESS]: new Set([...ofTokens, initializeMint2]),
        [token2022Program]: new Set([...ofTokens, ...ofNewMint]),
      };
  }
}

const knownPrograms = [
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  SYSTEM_PROGRAM_ADDRESS,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
  token2022Program,
  memoProgram,
  guardProgram,
];
const decoder = getAddressDecoder();
const encoder = getAddressEncoder();

/**
 * Stands before the signatures of one key: reads each message by itself, knows nothing of who wants it signed, and refuses
 * whatever the role never signs.
 */
export class SigningPolicy implements Policy {
  readonly #role: SigningRole;
  readonly #key: Uint8Array;
  readonly #settings: PolicySettings;
  readonly #minute = new Window(minuteMs);
  readonly #hour = new Window(hourMs);
  readonly #allowed: Allowed;
  /** The programs that the roles call. */
  readonly #known: readonly { program: Address; bytes: Uint8Array }[];

  constructor(role: SigningRole, key: Address, settings: PolicySettings) {
    this.#role = role;
    this.#key = Uint8Array.from(encoder.encode(key));
    this.#settings = settings;
    this.#allowed = role === 'service' ? {} : allowedOf(role, settings.programAddress);
    this.#known = [...knownPrograms, settings.programAddress].map((program) => ({
      program,
      bytes: Uint8Array.from(encoder.encode(program)),
    }));
  }

  admit(message: Uint8Array): void {
    requireNoKillFile(this.#settings.killFile);
    const read = this.#read(message);
    const kind = this.#role === 'service' ? this.#requireQuote(read) : this.#requireAllowed(read);
    const lamports = this.#costOf(read);
    // A machine quotes thousands of trades a second; they cost the key nothing but fees, and only if they land.
    if (kind !== 'trade') {
      this.#requireWithinLimits(kind === 'redemption' ? lamports / quotesPerRedemption : lamports);
    }
  }

  #requireWithinLimits(lamports: bigint): void {
    const { signaturesPerMinute, lamportsPerHour, tickMs } = this.#settings;
    const nowMs = tickMs();
    if (this.#minute.sum(nowMs) + 1n > BigInt(signaturesPerMinute)) {
      throw new PolicyRefusal('rate', `more than ${signaturesPerMinute} signatures a minute`);
    }
    if (this.#hour.sum(nowMs) + lamports > lamportsPerHour) {
      throw new PolicyRefusal('sol', `more than ${lamportsPerHour} lamports an hour`);
    }
    this.#minute.add(nowMs, 1n);
    this.#hour.add(nowMs, lamports);
  }

  #read(message: Uint8Array): ReadMessage {
    let layout: MessageLayout;
    try {
      layout = readLegacyMessage(message);
    } catch (error) {
      if (error instanceof WireError) throw new PolicyRefusal('malformed', error.message);
      throw error;
    }
    const bytes = asBuffer(message);
    const { accountCount, requiredSignatures } = layout;
    let key = 0;
    while (key < accountCount && !sameKey(bytes, accountAt(layout, key), this.#key, 0)) key += 1;
    if (key >= requiredSignatures) throw new PolicyRefusal('malformed', 'the key does not sign it');
    if (hasDuplicate(bytes, layout)) throw new PolicyRefusal('malformed', 'an account stands twice');
    const programs = layout.instructions.map(({ programIndex }) =>
      this.#programAt(bytes, accountAt(layout, programIndex)),
    );
    return { bytes, layout, programs, key };
  }

  #programAt(bytes: Buffer, at: number): Address {
    for (const known of this.#known) if (sameKey(bytes, at, known.bytes, 0)) return known.program;
    return decoder.decode(bytes, at);
  }

  /** Everything but quotes: each instruction is one of the role's. */
  #requireAllowed(read: ReadMessage): void {
    const { bytes, layout, programs, key } = read;
    layout.instructions.forEach((instruction, position) => {
      const program = programs[position] as Address;
      const number = numberOf(program, bytes, instruction);
      const anchors = this.#role === 'market' && program === memoProgram && isAnchor(bytes, instruction);
      if (anchors || (number !== undefined && this.#allowed[program]?.has(number))) {
        if (program === token2022Program && ofNewMint.has(number ?? 0)) requireNewMint(read, instruction);
        const named = placesOf(bytes, instruction, key) > 0;
        if (!named || this.#mayName(program, number)) return;
        throw new PolicyRefusal('key_use', `the ${this.#role} key stands in an instruction of another role`);
      }
      throw new PolicyRefusal(
        'instruction',
        `the ${this.#role} key does not sign instruction ${number ?? 'without a number'} of ${program}`,
      );
    });
    if (this.#role !== 'operations' && this.#role !== 'admin') return;
    const fault = newAccountFault(read, this.#role, this.#settings.programAddress);
    if (fault) throw new PolicyRefusal(fault.rule, fault.detail);
  }

  #mayName(program: Address, number: number | undefined): boolean {
    // The operations key pays for what the admin transfers, and owns no tokens.
    if (program === TOKEN_PROGRAM_ADDRESS || program === token2022Program) return this.#role === 'admin';
    const own = program === this.#settings.programAddress ? ownOf[this.#role] : undefined;
    return own === undefined || (number !== undefined && own.has(number));
  }

  /**
   * A trade (compute budget twice, memo, the user's token account, buy or sell) or a redemption (the same without a token
   * account), in that order, with at most four guards among them.
   */
  #requireQuote({ bytes, layout, programs, key }: ReadMessage): 'trade' | 'redemption' {
    if (key !== 0) throw new PolicyRefusal('fee_payer', 'the service signs quotes as their fee payer only');
    const own: InstructionPlace[] = [];
    const shape: string[] = [];
    for (const [position, instruction] of layout.instructions.entries()) {
      const program = programs[position] as Address;
      if (program === guardProgram) {
        requireAssertion(bytes, instruction);
        continue;
      }
      own.push(instruction);
      shape.push(this.#nameOf(program, bytes, instruction));
    }
    const guards = layout.instructions.length - own.length;
    if (guards > maxGuards) throw new PolicyRefusal('instruction', `it has ${guards} guards`);
    const isTrade = shape[4] === 'sell' ? isShape(shape, sellShape) : isShape(shape, buyShape);
    const [last, memo] = [own.at(-1), own[2]];
    if (!last || !memo || !(isTrade || isShape(shape, redemptionShape))) {
      throw new PolicyRefusal('instruction', `it is no quote: ${shape.join(' ') || 'nothing'}`);
    }
    requireKeyUse(bytes, layout, { memo, last, isTrade });
    if (isTrade) this.#requireTrade(bytes, last, memo);
    else this.#requireRedemption(bytes, last, memo);
    return isTrade ? 'trade' : 'redemption';
  }

  /** u8 number, u64 amount in, u64 least out, u64 most out, u16 fee, i64 expiry, 16 bytes id. */
  #requireTrade(bytes: Buffer, { dataAt, dataLength }: InstructionPlace, memo: InstructionPlace): void {
    if (dataLength !== 51) throw new PolicyRefusal('instruction', `a trade has 51 bytes, not ${dataLength}`);
    const buys = bytes[dataAt] === BUY_DISCRIMINATOR;
    const amount = bytes.readBigUInt64LE(dataAt + 1);
    const most = buys ? this.#settings.maxUsdc : this.#settings.maxGold;
    requireAmount(amount, most, buys ? 'USDC' : 'GOLD');
    const expireAt = bytes.readBigInt64LE(dataAt + 27);
    const now = BigInt(Math.floor(this.#settings.nowMs() / 1_000));
    if (expireAt > now + maxExpirySeconds) {
      throw new PolicyRefusal(
        'expiry',
        `it can be executed until ${expireAt}, which is ${expireAt - now} s ahead`,
      );
    }
    requireMemo(bytes, memo, { kind: buys ? 'buy' : 'sell', idAt: dataAt + 35, amount });
  }

  /** u8 number, 16 bytes id, 16 bytes partner, u64 amount. */
  #requireRedemption(bytes: Buffer, { dataAt, dataLength }: InstructionPlace, memo: InstructionPlace): void {
    if (dataLength !== 41) {
      throw new PolicyRefusal('instruction', `a redemption has 41 bytes, not ${dataLength}`);
    }
    const amount = bytes.readBigUInt64LE(dataAt + 33);
    requireAmount(amount, this.#settings.maxGold, 'GOLD');
    requireMemo(bytes, memo, { kind: 'redeem', idAt: dataAt + 1, amount });
  }

  #nameOf(program: Address, bytes: Buffer, instruction: InstructionPlace): string {
    const number = numberOf(program, bytes, instruction);
    if (program === COMPUTE_BUDGET_PROGRAM_ADDRESS && number === 2) return 'limit';
    if (program === COMPUTE_BUDGET_PROGRAM_ADDRESS && number === 3) return 'price';
    if (program === memoProgram) return 'memo';
    if (program === ASSOCIATED_TOKEN_PROGRAM_ADDRESS && number === 1) return 'account';
    if (program === this.#settings.programAddress) {
      if (number === BUY_DISCRIMINATOR) return 'buy';
      if (number === SELL_DISCRIMINATOR) return 'sell';
      if (number === REDEEM_DISCRIMINATOR) return 'redeem';
    }
    return `${program}:${number ?? ''}`;
  }

  /** Returns the lamports that the message may cost the key. Throws if it offers more for a unit than is allowed. */
  #costOf({ bytes, layout, programs, key }: ReadMessage): bigint {
    let [units, price, rent] = [maxComputeUnits, 0n, 0n];
    for (const [position, instruction] of layout.instructions.entries()) {
      const program = programs[position];
      const { accountsAt, accountCount, dataAt, dataLength } = instruction;
      const number = dataLength > 0 ? bytes[dataAt] : undefined;
      if (program === COMPUTE_BUDGET_PROGRAM_ADDRESS) {
        if (number === 2 && dataLength === 5) units = BigInt(bytes.readUInt32LE(dataAt + 1));
        else if (number === 3 && dataLength === 9) price = bytes.readBigUInt64LE(dataAt + 1);
        else throw new PolicyRefusal('fee', 'its compute budget is malformed');
      } else if (accountCount === 0 || bytes[accountsAt] !== key) {
        // Another account pays for it.
      } else if (program === ASSOCIATED_TOKEN_PROGRAM_ADDRESS) {
        rent += tokenAccountRent;
      } else if (program === SYSTEM_PROGRAM_ADDRESS) {
        rent += readNewAccount(bytes, instruction)?.lamports ?? 0n;
      } else if (program === this.#settings.programAddress) {
        rent += rentOf(accountBytesOf[number ?? -1] ?? getConfigSize());
      }
    }
    if (price > this.#settings.maxComputeUnitPrice || units > maxComputeUnits) {
      throw new PolicyRefusal('fee', `it offers ${price} micro-lamports for each of ${units} compute units`);
    }
    if (key !== 0) return rent;
    const signatures = BigInt(layout.requiredSignatures);
    return rent + signatures * lamportsPerSignature + (price * units + 999_999n) / 1_000_000n;
  }
}

/** The first account is one that the same message makes: nothing that is there already changes its name or its owner. */
function requireNewMint(
  { bytes, layout, programs }: ReadMessage,
  { accountsAt, accountCount }: InstructionPlace,
): void {
  const makesIt = layout.instructions.some(
    (made, position) =>
      programs[position] === SYSTEM_PROGRAM_ADDRESS &&
      made.accountCount > 1 &&
      bytes[made.accountsAt + 1] === bytes[accountsAt],
  );
  if (accountCount > 0 && makesIt) return;
  throw new PolicyRefusal('instruction', 'it changes a token that it does not make');
}

const buyShape = ['limit', 'price', 'memo', 'account', 'buy'];
const sellShape = ['limit', 'price', 'memo', 'account', 'sell'];
const redemptionShape = ['limit', 'price', 'memo', 'redeem'];

function isShape(found: readonly string[], shape: readonly string[]): boolean {
  return found.length === shape.length && shape.every((name, position) => found[position] === name);
}

/** Guards of wallets only look: numbers 2 to 17 are assertions. */
function requireAssertion(bytes: Buffer, { dataAt, dataLength }: InstructionPlace): void {
  const number = dataLength > 0 ? (bytes[dataAt] as number) : 0;
  if (number >= 2 && number <= 17) return;
  throw new PolicyRefusal('instruction', `instruction ${number} of the guard program is no assertion`);
}

/** The key stands only where a quote names it: as the memo's signer, as the program's service signer, as payer of a redemption. */
function requireKeyUse(
  bytes: Buffer,
  { instructions }: MessageLayout,
  quote: { memo: InstructionPlace; last: InstructionPlace; isTrade: boolean },
): void {
  const ofLast = quote.isTrade ? [2] : [0, 2];
  for (const instruction of instructions) {
    const { accountsAt, programIndex } = instruction;
    const expected = instruction === quote.memo ? [0] : instruction === quote.last ? ofLast : [];
    const isAsExpected =
      placesOf(bytes, instruction, 0) === expected.length &&
      expected.every((place) => place < instruction.accountCount && bytes[accountsAt + place] === 0);
    if (isAsExpected && programIndex !== 0) continue;
    throw new PolicyRefusal('key_use', 'it names the key of the service where a quote does not');
  }
}

/** Returns a hash that names a message in logs and audit rows. */
export function hashOfMessage(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('hex');
}

function accountAt({ accountsAt }: MessageLayout, index: number): number {
  return accountsAt + index * keyBytes;
}

function sameKey(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number): boolean {
  for (let place = 0; place < keyBytes; place += 1) if (a[aAt + place] !== b[bAt + place]) return false;
  return true;
}

function hasDuplicate(bytes: Buffer, layout: MessageLayout): boolean {
  for (let one = 1; one < layout.accountCount; one += 1) {
    const at = accountAt(layout, one);
    for (let other = 0; other < one; other += 1) {
      if (sameKey(bytes, at, bytes, accountAt(layout, other))) return true;
    }
  }
  return false;
}

/** Returns how often an instruction names an account. */
function placesOf(bytes: Buffer, { accountsAt, accountCount }: InstructionPlace, account: number): number {
  let count = 0;
  for (let at = accountsAt; at < accountsAt + accountCount; at += 1) if (bytes[at] === account) count += 1;
  return count;
}

/** The System program numbers its instructions with four bytes, the others with one. */
function numberOf(
  program: Address,
  bytes: Buffer,
  { dataAt, dataLength }: InstructionPlace,
): number | undefined {
  if (program === SYSTEM_PROGRAM_ADDRESS) return dataLength >= 4 ? bytes.readUInt32LE(dataAt) : undefined;
  if (dataLength > 0) return bytes[dataAt];
  return program === ASSOCIATED_TOKEN_PROGRAM_ADDRESS ? 0 : undefined;
}

function requireAmount(amount: bigint, most: bigint, token: string): void {
  if (amount <= most) return;
  throw new PolicyRefusal('amount', `${amount} base units of ${token} are more than ${most}`);
}

/** An anchor of the audit log, which the keeper writes by the market key. */
function isAnchor(bytes: Buffer, { dataAt, dataLength, accountCount }: InstructionPlace): boolean {
  return (
    accountCount === 0 &&
    /^karat audit \d+ [0-9a-f]{64}$/.test(bytes.toString('latin1', dataAt, dataAt + dataLength))
  );
}

/** The memo is what the indexer records: it has to be that of this very quote. */
function requireMemo(
  bytes: Buffer,
  { dataAt, dataLength }: InstructionPlace,
  { kind, idAt, amount }: { kind: 'buy' | 'sell' | 'redeem'; idAt: number; amount: bigint },
): void {
  const prefix = kind === 'redeem' ? 'red' : 'trd';
  const hex = bytes.toString('hex', idAt, idAt + 16);
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const expected = `karat|1|${kind}|${prefix}_${uuid}|${amount}`;
  if (bytes.toString('latin1', dataAt, dataAt + dataLength) === expected) return;
  throw new PolicyRefusal('instruction', 'its memo is not that of the quote');
}

/** A sum over the last so many milliseconds, kept in sixty parts. */
class Window {
  readonly #partMs: number;
  readonly #parts = new Map<number, bigint>();

  constructor(ms: number) {
    this.#partMs = ms / partsOfWindow;
  }

  sum(nowMs: number): bigint {
    const first = Math.floor(nowMs / this.#partMs) - partsOfWindow;
    let sum = 0n;
    for (const [part, amount] of this.#parts) {
      if (part <= first) this.#parts.delete(part);
      else sum += amount;
    }
    return sum;
  }

  add(nowMs: number, amount: bigint): void {
    const part = Math.floor(nowMs / this.#partMs);
    this.#parts.set(part, (this.#parts.get(part) ?? 0n) + amount);
  }
}

const partsOfWindow = 60;
