import { fromBase64, toBase58 } from './bytes.js';
import { KaratError } from './errors.js';
import type { BuyQuote, RedemptionQuote, Schemas, SellQuote } from './types.js';

/** What a transaction is for: addresses, as `GET /v1/network` names them. */
export interface Network {
  program_id: string;
  usdc_mint: string;
  gold_mint: string;
  /** Who pays for the transactions of quotes: one of these. */
  service_signers: readonly string[];
}

/** A quote with the request that it was made for. */
export type Quoted =
  | { kind: 'buy'; request: Schemas['QuoteBuyRequest']; quote: BuyQuote }
  | { kind: 'sell'; request: Schemas['QuoteSellRequest']; quote: SellQuote }
  | { kind: 'redemption'; request: RedemptionRequest; quote: RedemptionQuote };

export type RedemptionRequest = Schemas['QuoteRedemptionRequest'] & {
  /** Most GOLD that the redemption may take, with its fee; default: what the quote requires. */
  max_tokens?: number;
};

/** Whose signatures the transaction needs beside the service's. */
export interface Parties {
  user_wallet: string;
  /** Wallets of which one must be the partner's; empty: any that signs. */
  partner_wallets?: readonly string[];
  /** Whose customer pays for a redemption: a UUID; undefined: any. */
  partner_id?: string;
}

/** What of a transaction is not as it must be. `docs/transactions.md` explains each. */
export type Difference =
  | 'malformed'
  | 'version'
  | 'fee_payer'
  | 'signers'
  | 'instructions'
  | 'program'
  | 'compute_budget'
  | 'memo'
  | 'token_account'
  | 'accounts'
  | 'partner'
  | 'user'
  | 'mint'
  | 'id'
  | 'amount'
  | 'minimum'
  | 'maximum'
  | 'fee';

const computeBudget = 'ComputeBudget111111111111111111111111111111';
const memo = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const tokenAccounts = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const systemProgram = '11111111111111111111111111111111';
const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

const maxTransactionBytes = 1_232;
const defaultSlippageBps = 50;

interface Instruction {
  program: string;
  accounts: string[];
  data: Uint8Array;
}

interface Message {
  signers: string[];
  instructions: Instruction[];
}

function fail(difference: Difference, text: string): never {
  const message = `This is not the transaction of the request: ${text}. Nothing was signed.`;
  throw new KaratError('transaction_unexpected', { message, field: difference });
}

function requireEqual(difference: Difference, is: unknown, must: unknown, what: string): void {
  if (is !== must) fail(difference, `${what} is ${is}, and must be ${must}`);
}

/**
 * Returns if a transaction (base64) is the one of a quote, on this network and between these parties, to the byte where it
 * matters; throws `transaction_unexpected` with the `Difference` as `field` if it is any other.
 */
export function checkTransaction(
  transaction: string,
  quoted: Quoted,
  network: Network,
  parties: Parties,
): void {
  try {
    check(transaction, quoted, network, parties);
  } catch (error) {
    if (error instanceof KaratError) throw error;
    // A response that is not of the API lacks what is read of it.
    fail('malformed', `it cannot be read (${error})`);
  }
}

function check(transaction: string, quoted: Quoted, network: Network, parties: Parties): void {
  const { signers, instructions } = readMessage(transaction);
  const [service = ''] = signers;
  if (!network.service_signers.includes(service))
    fail('fee_payer', `its fee payer ${service} is no service signer of the network`);
  const [limit, price, note, ...rest] = instructions;
  const isTrade = quoted.kind !== 'redemption';
  const programs = [computeBudget, computeBudget, memo, ...(isTrade ? [tokenAccounts] : [])];
  requireEqual('instructions', instructions.length, programs.length + 1, 'the number of its instructions');
  programs.forEach((program, at) => {
    requireEqual('instructions', instructions[at]?.program, program, `the program of instruction ${at + 1}`);
  });
  const call = rest.at(-1) as Instruction;
  requireEqual('program', call.program, network.program_id, 'the program that it calls');
  requireShape('compute_budget', limit as Instruction, 2, 5);
  requireShape('compute_budget', price as Instruction, 3, 9);
  const terms = isTrade
    ? checkTrade(call, rest[0] as Instruction, quoted, { network, parties, signers })
    : checkRedemption(call, quoted, { network, parties, signers });
  const { accounts, data } = note as Instruction;
  requireEqual('memo', accounts.join(), service, 'the signer of its memo');
  requireEqual(
    'memo',
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(data),
    `karat|1|${terms}`,
    'its memo',
  );
}

interface Places {
  network: Network;
  parties: Parties;
  signers: string[];
}

function requireShape(
  difference: Difference,
  { accounts, data }: Instruction,
  first: number,
  length: number,
) {
  requireEqual(difference, accounts.length, 0, 'the number of accounts of a compute budget instruction');
  requireEqual(
    difference,
    `${data[0]} (${data.length} bytes)`,
    `${first} (${length} bytes)`,
    'the compute budget',
  );
}

/** Returns the end of the memo that goes with a trade. */
function checkTrade(
  { program, accounts, data }: Instruction,
  tokenAccount: Instruction,
  { kind, quote, request }: Exclude<Quoted, { kind: 'redemption' }>,
  { network, parties, signers }: Places,
): string {
  const isBuy = kind === 'buy';
  requireEqual('accounts', accounts.length, isBuy ? 18 : 17, 'the number of accounts of the trade');
  const [, , service, partner = '', user, userUsdc, userGold] = accounts;
  const [usdcMint, goldMint, , ...programs] = accounts.slice(11);
  // A partner who trades for itself is both.
  requireEqual('signers', signers.length, partner === user ? 2 : 3, 'the number of its signers');
  requireEqual('accounts', service, signers[0], 'the service signer of the trade');
  requireEqual('user', user, parties.user_wallet, "the user's wallet");
  const partners = parties.partner_wallets ?? [];
  if (!signers.includes(partner) || (partners.length > 0 && !partners.includes(partner)))
    fail('partner', `its partner wallet is ${partner}, which is none of the partner's that sign`);
  if (!signers.includes(user as string)) fail('signers', `it is not for ${user} to sign`);
  requireEqual('mint', usdcMint, network.usdc_mint, 'the mint of USDC');
  requireEqual('mint', goldMint, network.gold_mint, 'the mint of GOLD');
  requireEqual('accounts', programs[0], tokenProgram, 'the token program of USDC');
  requireEqual('accounts', programs[1], token2022, 'the token program of GOLD');
  requireEqual('accounts', programs.at(-1), program, 'the last account of the trade');
  const made = isBuy ? [userGold, user, goldMint] : [userUsdc, user, usdcMint];
  // A user who made several accounts within a day pays for the next.
  const payer = tokenAccount.accounts[0] === user ? user : partner;
  const makes = [payer, ...made, systemProgram, isBuy ? token2022 : tokenProgram];
  requireEqual('token_account', tokenAccount.accounts.join(), makes.join(), 'the account that it creates');
  requireEqual('token_account', tokenAccount.data.join(), '1', 'the instruction that creates the account');

  requireEqual(
    'instructions',
    `${data[0]} (${data.length} bytes)`,
    `${isBuy ? 20 : 21} (51 bytes)`,
    'the trade',
  );
  const [amount, minimum, maximum] = [u64(data, 1), u64(data, 9), u64(data, 17)];
  checkAmounts(
    { amount, minimum, maximum },
    isBuy ? buyTerms(request, quote as BuyQuote) : sellTerms(request, quote as SellQuote),
  );
  requireEqual('fee', (data[25] ?? 0) + 256 * (data[26] ?? 0), quote.quote.fee_bps, 'the highest fee');
  requireEqual('id', uuidOf(data, 35), quote.trade_id.slice(4), 'the id of the trade');
  return `${kind}|${quote.trade_id}|${amount}`;
}

/** What a request names of a trade, and what its quote makes of it, base units. */
interface Terms {
  /** What goes in, where the request names it. */
  amountIn: bigint | undefined;
  /** What comes out, where the request names that instead. */
  amountOut: bigint | undefined;
  floor: bigint | undefined;
  slippageBps: bigint;
  quoted: { amountIn: bigint; amountOut: bigint; floor: bigint };
  /** What the smallest amount that goes in is worth at most. */
  grain: bigint;
}

/** A request names one of them. */
type NamedAmounts = { usdc_amount?: number; gold_amount?: number };

const buyTerms = (
  request: Omit<Schemas['QuoteBuyRequest'], keyof NamedAmounts> & NamedAmounts,
  { quote }: BuyQuote,
): Terms => ({
  amountIn: units(request.usdc_amount),
  amountOut: units(request.gold_amount),
  floor: floorUnits(request.min_gold_out),
  slippageBps: BigInt(request.slippage_bps ?? defaultSlippageBps),
  quoted: {
    amountIn: toUnits(quote.usdc_amount),
    amountOut: toUnits(quote.gold_amount),
    floor: toUnits(quote.min_gold_out),
  },
  grain: 10n,
});

const sellTerms = (
  request: Omit<Schemas['QuoteSellRequest'], keyof NamedAmounts> & NamedAmounts,
  { quote }: SellQuote,
): Terms => ({
  amountIn: units(request.gold_amount),
  amountOut: units(request.usdc_amount),
  floor: floorUnits(request.min_usdc_out),
  slippageBps: BigInt(request.slippage_bps ?? defaultSlippageBps),
  quoted: {
    amountIn: toUnits(quote.gold_amount),
    amountOut: toUnits(quote.usdc_amount),
    floor: toUnits(quote.min_usdc_out),
  },
  grain: 100_000n,
});

/**
 * The amount is the one requested. The least that comes out is the one requested, or the slippage below what was quoted, which
 * is no less than what was requested; the most is at most a tenth above what was requested, if that was named.
 */
function checkAmounts(
  { amount, minimum, maximum }: Record<'amount' | 'minimum' | 'maximum', bigint>,
  { amountIn, amountOut, floor, slippageBps, quoted, grain }: Terms,
): void {
  if (amountIn === undefined && amountOut === undefined) fail('amount', 'the request names no amount');
  requireEqual('amount', amount, amountIn ?? quoted.amountIn, 'the amount');
  requireEqual('minimum', minimum, quoted.floor, 'the least that comes out');
  requireEqual(
    'minimum',
    minimum,
    floor ?? (quoted.amountOut * (10_000n - slippageBps)) / 10_000n,
    'the least that comes out',
  );
  if (maximum < quoted.amountOut) fail('maximum', `at most ${maximum} comes out, less than was quoted`);
  if (amountOut === undefined) return;
  if (quoted.amountOut < amountOut) fail('minimum', `${quoted.amountOut} was quoted, less than ${amountOut}`);
  const most = (amountOut * 11n) / 10n + grain;
  if (maximum > most) fail('maximum', `up to ${maximum} may be traded, far more than ${amountOut}`);
}

/** Returns the end of the memo that goes with a redemption. */
function checkRedemption(
  { program, accounts, data }: Instruction,
  { quote, request }: Extract<Quoted, { kind: 'redemption' }>,
  { network, parties, signers }: Places,
): string {
  requireEqual('accounts', accounts.length, 11, 'the number of accounts of the redemption');
  const [payer, , service, user, , , goldMint, , ...programs] = accounts;
  requireEqual('signers', signers.length, 2, 'the number of its signers');
  requireEqual('accounts', payer, signers[0], 'who pays the rent of the redemption');
  requireEqual('accounts', service, signers[0], 'the service signer of the redemption');
  requireEqual('user', user, parties.user_wallet, "the user's wallet");
  requireEqual('signers', signers[1], user, 'the second signer');
  requireEqual('mint', goldMint, network.gold_mint, 'the mint of GOLD');
  requireEqual(
    'accounts',
    programs.join(),
    [token2022, systemProgram, program].join(),
    'the programs of the redemption',
  );
  requireEqual('instructions', `${data[0]} (${data.length} bytes)`, '26 (41 bytes)', 'the redemption');
  const amount = u64(data, 33);
  const { partner_id } = parties;
  if (partner_id !== undefined)
    requireEqual('partner', uuidOf(data, 17), partner_id, 'the partner of the redemption');
  requireEqual('amount', amount, toUnits(quote.quote.tokens_required), 'the amount');
  const most = units(request.max_tokens);
  if (most !== undefined && amount > most) fail('maximum', `it takes ${amount}, more than ${most}`);
  requireEqual('id', uuidOf(data, 1), quote.redemption_id.slice(4), 'the id of the redemption');
  return `redeem|${quote.redemption_id}|${amount}`;
}

/** Returns an amount in base units, of which there are a million; numbers are as exact as JSON has them. */
function toUnits(amount: number | string): bigint {
  const text = typeof amount === 'number' ? amount.toFixed(6) : amount;
  return /^\d+\.\d{6}$/.test(text) ? BigInt(text.replace('.', '')) : fail('amount', `${amount} is no amount`);
}

/** Null means absent, as for the service. */
const units = (amount: number | null | undefined) => (amount == null ? undefined : toUnits(amount));

/** The same of the least that comes out, which may have more decimals: the service rounds it up. */
function floorUnits(amount: number | null | undefined): bigint | undefined {
  const nearest = units(amount);
  return nearest !== undefined && Number(nearest) / 1e6 < (amount as number) ? nearest + 1n : nearest;
}

function u64(data: Uint8Array, at: number): bigint {
  return new DataView(data.buffer, data.byteOffset).getBigUint64(at, true);
}

function uuidOf(data: Uint8Array, at: number): string {
  const hex = Array.from(data.subarray(at, at + 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Reads a legacy transaction to its last byte, as strictly as nodes do: what reads differently elsewhere is refused. One with
 * lookup tables, whose addresses are not in it, is another version.
 */
function readMessage(transaction: string): Message {
  const bytes = fromBase64Strictly(transaction);
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) fail('malformed', 'its bytes end too early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const byte = () => take(1)[0] as number;
  /** In the short form of wire transactions; no count of a transaction is beyond two bytes. */
  const count = (): number => {
    const low = byte();
    if (low < 0x80) return low;
    const high = byte();
    if (high === 0 || high >= 0x80) fail('malformed', 'a count is not in its shortest form');
    return (low & 0x7f) + 128 * high;
  };
  const signatures = count();
  take(64 * signatures);
  if ((bytes[at] ?? 0) >= 0x80) fail('version', 'it is of another version than the legacy one');
  const [required, readonlySigned, readonlyUnsigned] = [byte(), byte(), byte()];
  const keys = Array.from({ length: count() }, () => toBase58(take(32)));
  if (signatures !== required || readonlySigned >= required || required + readonlyUnsigned > keys.length)
    fail('malformed', 'its header contradicts its signatures and accounts');
  if (new Set(keys).size !== keys.length) fail('malformed', 'it names an account twice');
  take(32);
  const key = (index: number) => keys[index] ?? fail('malformed', 'it uses an account that it does not name');
  const instructions = Array.from({ length: count() }, () => {
    const program = key(byte());
    const accounts = Array.from(take(count()), key);
    return { program, accounts, data: take(count()) };
  });
  if (at !== bytes.length) fail('malformed', 'bytes follow its end');
  return { signers: keys.slice(0, required), instructions };
}

function fromBase64Strictly(text: string): Uint8Array {
  try {
    const bytes = fromBase64(text);
    if (bytes.length <= maxTransactionBytes) return bytes;
  } catch {
    // As below.
  }
  return fail('malformed', 'it is no base64 of a transaction');
}
