import {
  MINT_GOLD_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
} from '@karat/program-client';
import { token2022Program } from '@karat/signer';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import type { Cause, Reason } from '../../reasons.js';
import { describeFailure, instructionFailureOf, memberOf } from '../program/program-errors.js';
import { isTokenProgram } from '../program/token-accounts.js';
import { nameError } from './error-names.js';
import { describeMissingSol } from './missing-sol.js';
import { type Payment, paymentOf } from './payment.js';
import { describeUnmeetable } from './unmeetable-floor.js';

/** An instruction of a failed transaction. */
export interface FailedInstruction {
  program: Address;
  accounts: readonly (Address | undefined)[];
  data: ReadonlyUint8Array;
  /** 1 for an instruction of the message itself, more for one that a program invoked. */
  depth: number;
}

/** A transaction that a node refused, or that failed on chain. */
export interface FailedTransaction {
  /** As nodes report it: a text, or an object with one field. */
  error: unknown;
  /** The node's own text, where it gave one. */
  words?: string;
  feePayer: Address | undefined;
  /** In order of execution; those that programs invoked may be left out. */
  instructions: readonly FailedInstruction[];
  /** What the programs logged; empty where that is not known. */
  logs: readonly string[];
  /** What token accounts held before, base units; undefined: the account does not exist. Those not in it are not known. */
  balances: ReadonlyMap<Address, bigint | undefined>;
}

/** Reasons of the program's errors; all others are `program_error`. */
const reasonsOfErrors: Readonly<Record<string, Reason>> = {
  MissingSignature: 'signature_missing',
  Paused: 'trading_paused',
  IntegratorSuspended: 'partner_suspended',
  Expired: 'quote_expired',
  TradeTooLarge: 'limit_exceeded',
  DailyLimitExceeded: 'limit_exceeded',
  SlippageExceeded: 'slippage_exceeded',
  PriceMoved: 'price_moved',
  InsufficientLiquidity: 'treasury_short',
  OracleInvalidAccount: 'price_unavailable',
  OracleNotVerified: 'price_unavailable',
  OracleFeedMismatch: 'price_unavailable',
  OraclePriceInvalid: 'price_unavailable',
  OracleExponent: 'price_unavailable',
  OracleStale: 'price_unavailable',
  OracleFuture: 'price_unavailable',
  OracleConfidence: 'price_unavailable',
  OracleOutOfBand: 'price_unavailable',
  MarketClosed: 'market_closed',
  UsdcOffPeg: 'usdc_off_peg',
  NotBacked: 'not_backed',
  AttestationStale: 'not_backed',
  OppositeSideTooEarly: 'opposite_side_too_early',
};

/** Instructions whose pause is that of the treasury, which ends by itself. */
const treasuryInstructions: ReadonlySet<number | undefined> = new Set([
  TREASURY_WITHDRAW_DISCRIMINATOR,
  MINT_GOLD_DISCRIMINATOR,
  SWEEP_ESCROW_DISCRIMINATOR,
]);

/** What to do next about a reason, in a sentence that stands behind what happened. */
const advice: Partial<Record<Reason, string>> = {
  quote_expired: 'The quote has expired: request a new quote.',
  slippage_exceeded: 'The price is beyond what the quote accepts: request a new quote.',
  price_moved:
    "The price has moved in the customer's favour by more than the quote allows: request a new quote.",
  signature_missing: 'Have every signer sign the same bytes, and submit them again.',
  signature_invalid: 'Sign the bytes of the quote exactly as they came, with each of its wallets.',
  transaction_altered: 'Sign the bytes of the quote exactly as they came.',
  other_quote: 'Submit each transaction to the path of its own quote, with a key of its own partner.',
  malformed: 'Send the base64 of the whole signed transaction.',
  trading_paused: 'Try again when trading is resumed.',
  market_closed: 'Request a new quote when the market opens.',
  price_unavailable: 'The price cannot be used at present: request a new quote shortly.',
  limit_exceeded: 'Request a new quote for less, or wait until the limit has room again.',
  partner_suspended: 'Contact the operators of the service.',
  treasury_short: 'Request a new quote for less, or try again later.',
  usdc_off_peg: 'Try again when USDC is worth a dollar again: selling is not affected.',
  not_backed: 'Try again when the gold has been attested again: selling is not affected.',
  opposite_side_too_early: 'Request a new quote a few minutes after the last trade of the vault.',
  treasury_paused: 'Wait until the pause of the treasury has ended, or have admin and guardian end it.',
};

/** A wallet can give its associated account of USDC to another owner; the address stays, and no quote gets around it. */
const accountGivenAway =
  'The token account of the wallet belongs to another wallet: have its owner give it back or close it, or use another wallet.';

/** What to do next about errors that have no reason of their own. */
const adviceOfErrors: Readonly<Record<string, string>> = {
  FeeTooHigh: 'The fee has changed since the quote: request a new quote.',
  TokenAccountFrozen: 'The issuer of the token has to unfreeze it before the wallet can trade.',
  AccountFrozen: 'The issuer of the token has to unfreeze it first.',
  InvalidTokenOwner: accountGivenAway,
  InvalidOwner: accountGivenAway,
  NotExecutive: 'Sign with a wallet that has the role.',
  Unauthorized: 'Sign with a wallet that has the role.',
  OrderExecuted: 'It is done: nothing is left to send.',
  AlreadyProcessed: 'It has landed: nothing is left to send.',
  AlreadyInitialized: 'It is done: nothing is left to send.',
  ExpiryTooFar: 'Let it expire within 24 hours.',
  FeeTooLow: 'The lowest fee has changed: set one that the settings allow.',
  LimitTooHigh: 'Set a limit that the settings of the treasury allow.',
  StaleSequence: 'Look at what has changed, and decide again.',
  KeyNotInRole: 'Look up which key has the role.',
  ProposalPending: 'Apply or cancel the settings that are proposed.',
  ProposalExpired: 'Propose or announce it again.',
  NotReady: 'Try again when its time has come.',
  BurnNotAnnounced: 'Announce the burn, and wait for its delay.',
  BurnAnnouncedBefore:
    'If its gold was handed out, settle that with its user: the tokens cannot be burned any more.',
  BurnAnnounced: 'It can be reclaimed unless it is burned, or when the announcement has lapsed.',
};

const newQuote = 'Request a new quote.';

/** Returns why a transaction failed, for programs and for people, whichever program or part of the network refused it. */
export function causeOf(failed: FailedTransaction, programAddress: Address): Cause {
  const failure = instructionFailureOf(failed.error);
  if (!failure) return causeOfNetwork(failed);
  const { message, ...cause } = causeOfInstruction(failed, failure, programAddress);
  // A node's text of it holds no more than numbers.
  return {
    ...cause,
    message: failed.words === undefined ? message : `Transaction simulation failed: ${message}`,
  };
}

function causeOfInstruction(
  failed: FailedTransaction,
  failure: NonNullable<ReturnType<typeof instructionFailureOf>>,
  programAddress: Address,
): Cause {
  const { cause, code } = failure;
  const group = groupAt(failed.instructions, failure.index);
  const program = culpritOf(failed, group, code, programAddress);
  const named = code === undefined ? builtIn(cause) : nameError(program, code, programAddress);
  const name = named?.name ?? `Custom${code}`;
  const who = program === programAddress ? '' : `${programName(program)}: `;
  const text = named?.meaning ? `${name}: ${named.meaning}` : name;
  const short = shortfallOf(failed, group, { name, program, programAddress });
  if (short) return { ...short, programErrorName: name, message: `${text} ${short.message}` };
  const missingSol = describeMissingSol(group[0], failed.feePayer, failed.logs);
  if (missingSol !== undefined)
    return { reason: 'program_error', programErrorName: name, message: missingSol };
  const reason =
    name === 'Paused' && treasuryInstructions.has(group[0]?.data[0])
      ? 'treasury_paused'
      : reasonOf(name, program === programAddress);
  const unmeetable = reason === 'slippage_exceeded' ? describeUnmeetable(group[0]?.data) : undefined;
  const next = unmeetable ?? adviceOfErrors[name] ?? advice[reason] ?? newQuote;
  return { reason, programErrorName: name, message: `${who}${ended(text)} ${next}` };
}

/**
 * Returns the cause of a failure of which nothing but the error is known and, where they are given, the transaction's own
 * instructions; without advice. Otherwise the transaction is one that calls the program alone.
 */
export function causeOfCall(
  error: unknown,
  programAddress: Address,
  given?: readonly Omit<FailedInstruction, 'depth'>[],
): Cause {
  const index = instructionFailureOf(error)?.index ?? 0;
  const called = { program: programAddress, accounts: [], data: new Uint8Array() };
  const own = given ?? Array.from({ length: index + 1 }, () => called);
  const instructions = own.map((instruction) => ({ ...instruction, depth: 1 }));
  const failed = { error, feePayer: undefined, instructions, logs: [], balances: new Map() };
  return { ...causeOf(failed, programAddress), message: describeFailure(error) };
}

/** Returns a cause in the words of the tradebook, where nothing is quoted: orders are placed. */
export function ofOrder({ message, ...cause }: Cause): Cause {
  const placed = message.replace(/\brequest a new quote\b/g, 'place a new order');
  return {
    ...cause,
    message: placed
      .replace(/\bRequest a new quote\b/g, 'Place a new order')
      .replace(/\b(the|its own) quote\b/gi, '$1 order'),
  };
}

/** Returns a cause with the advice that goes with its reason. */
export function advised(reason: Reason, text: string): Cause {
  return { reason, programErrorName: null, message: `${ended(text)} ${advice[reason] ?? newQuote}` };
}

/**
 * Returns the token account whose balance the cause of a failure depends on; undefined where it depends on none, or the
 * balance is known already.
 */
export function unknownPayer(failed: FailedTransaction, programAddress: Address): Address | undefined {
  const failure = instructionFailureOf(failed.error);
  const called = failure && groupAt(failed.instructions, failure.index)[0];
  const payment = called?.program === programAddress ? paymentOf(called) : undefined;
  return payment && !failed.balances.has(payment.account) ? payment.account : undefined;
}

/** Errors of a transaction as a whole that mean that its bytes are no transaction a block could hold. */
const malformedErrors = new Set([
  'SanitizeFailure',
  'InvalidAccountIndex',
  'AccountLoadedTwice',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'TooManyAccountLocks',
]);

/** What the network, not a program, refuses a transaction for. */
function causeOfNetwork({ error, words }: FailedTransaction): Cause {
  const name = nameOf(error);
  const of = (reason: Reason, text: string) => advised(reason, words ?? text);
  if (name === 'BlockhashNotFound') return of('quote_expired', 'Blockhash not found.');
  if (name === 'SignatureFailure') return of('signature_invalid', 'A signature is not valid.');
  if (name === 'MissingSignatureForFee') return of('signature_missing', 'A signature is missing.');
  if (malformedErrors.has(name)) return of('malformed', `The network cannot read the transaction: ${name}.`);
  const refused = `${words ?? `The network refused the transaction: ${name}`}`;
  const next = adviceOfErrors[name] ?? newQuote;
  return { reason: 'program_error', programErrorName: name, message: `${ended(refused)} ${next}` };
}

/** `InsufficientFundsForFee` of that text, and `InsufficientFundsForRent` of `{InsufficientFundsForRent: {…}}`. */
function nameOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const [name] = typeof error === 'object' && error !== null ? Object.keys(error) : [];
  return name ?? 'Unknown';
}

/** An instruction of the message with what it invoked. */
type Group = readonly FailedInstruction[];

function groupAt(instructions: readonly FailedInstruction[], index: number): Group {
  const starts = instructions.flatMap(({ depth }, at) => (depth === 1 ? [at] : []));
  const start = starts[index];
  return start === undefined ? [] : instructions.slice(start, starts[index + 1]);
}

const failedLog = /^Program (\w+) failed: /;

/**
 * Returns the program whose error it is: the first that logged its failure, for what a program invokes fails before it. Without logs,
 * the codes tell the program's own errors from those of what it invoked, which was the last that ran.
 */
function culpritOf(
  { logs }: FailedTransaction,
  group: Group,
  code: number | undefined,
  programAddress: Address,
): Address | undefined {
  const logged = logs.map((log) => failedLog.exec(log)?.[1]).find((found) => found !== undefined);
  if (logged !== undefined) return logged as Address;
  const [called] = group;
  if (code === undefined || nameError(called?.program, code, programAddress)) return called?.program;
  return group.at(-1)?.program;
}

/** Returns a failure that the runtime itself names, such as `MissingRequiredSignature`. */
function builtIn(cause: unknown): { name: string; meaning: string } {
  return { name: nameOf(cause), meaning: '' };
}

function reasonOf(name: string, isOwn: boolean): Reason {
  if (name === 'MissingRequiredSignature') return 'signature_missing';
  return (isOwn ? reasonsOfErrors[name] : undefined) ?? 'program_error';
}

function programName(program: Address | undefined): string {
  if (program === TOKEN_PROGRAM_ADDRESS) return 'SPL Token';
  if (program === token2022Program) return 'Token-2022';
  if (program === ASSOCIATED_TOKEN_PROGRAM_ADDRESS) return 'The associated token program';
  if (program === SYSTEM_PROGRAM_ADDRESS) return 'The system program';
  return program === undefined ? 'A program' : `The program ${program}`;
}

/** Returns a failure that comes from what the payer holds: too little, or not even an account for it. */
function shortfallOf(
  { balances }: FailedTransaction,
  group: Group,
  error: { name: string; program: Address | undefined; programAddress: Address },
): Pick<Cause, 'reason' | 'message'> | undefined {
  const [called] = group;
  if (called?.program !== error.programAddress) return undefined;
  const payment = paymentOf(called);
  if (!payment) return undefined;
  const { wallet, token, account } = payment;
  const held = balances.get(account);
  const isOwn = error.program === error.programAddress;
  if (error.name === 'InsufficientFunds' && (isOwn || paysLast(group, account))) {
    const reason = token === 'USDC' ? 'insufficient_usdc' : 'insufficient_gold';
    return { reason, message: shortText(payment, held) };
  }
  if (isOwn && error.name === 'InvalidAccountOwner' && held === undefined) {
    const text = `The wallet ${wallet} has no token account for ${token}: send ${token} to it, then request a new quote.`;
    return { reason: 'token_account_missing', message: text };
  }
  return undefined;
}

/** Returns whether the last instruction that ran took tokens from that account. */
function paysLast(group: Group, account: Address): boolean {
  const last = group.at(-1);
  return last && isTokenProgram(last.program) ? last.accounts[0] === account : true;
}

function shortText({ wallet, token, amount }: Payment, held: bigint | undefined): string {
  const shown = (units: bigint) => `${formatDecimal(units, tokenDecimals)} ${token}`;
  const next = `send ${token} to it, then request a new quote.`;
  if (amount === undefined || held === undefined || held >= amount) {
    const needs = amount === undefined ? `enough ${token}` : `the ${shown(amount)} that it has to pay`;
    return `The wallet ${wallet} does not hold ${needs}: ${next}`;
  }
  return `The wallet ${wallet} holds ${shown(held)} and has to pay ${shown(amount)}, so ${shown(amount - held)} are missing: ${next}`;
}

const ended = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Returns the error in the words of a node that gives no more than words; undefined where they name none. */
export function errorInWords(message: string): unknown {
  if (/blockhash not found/i.test(message)) return 'BlockhashNotFound';
  if (/already been processed/i.test(message)) return 'AlreadyProcessed';
  const custom = /Error processing Instruction (\d+): custom program error: (0x[0-9a-f]+)/i.exec(message);
  if (!custom) return undefined;
  return { InstructionError: [custom[1], { Custom: custom[2] }] };
}

/** Returns the error of a node's response; for one without, what its words say. */
export function errorOfResponse(data: unknown, message: string): unknown {
  return memberOf(data, 'err') ?? errorInWords(message);
}
