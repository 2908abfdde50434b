import { WireError } from '@karat/wire';
import type { Address } from '@solana/kit';
import { causeOf } from '../../chain/failure/cause.js';
import {
  type AnyTransaction,
  type LoadedAccounts,
  loadAccounts,
  readAnyTransaction,
} from '../../chain/inspect/any-transaction.js';
import {
  type DescribedInstruction,
  describeInstructions,
  type ResolvedInstruction,
} from '../../chain/inspect/describe-instruction.js';
import { inspectRedemption } from '../../chain/inspect/inspect-redemption.js';
import { inspectTrade } from '../../chain/inspect/inspect-trade.js';
import { type BalanceChange, type Simulation, simulate } from '../../chain/inspect/simulate.js';
import { TransactionDifference } from '../../chain/inspect/transaction-view.js';
import type { Context } from '../../context.js';
import { findRedemption } from '../../db/redemptions/redemptions.js';
import { base64Fault, decodeBase64 } from '../../domain/encoding.js';
import { asRedemptionId, asTradeId } from '../../domain/ids.js';
import { expiresAtMsOf } from '../../domain/lifetime.js';
import { parseMemo } from '../../domain/memo.js';
import type { Principal } from '../../domain/principal.js';
import { AppError, invalidField, nodeUnavailable } from '../../errors.js';
import type { Cause, Reason } from '../../reasons.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';
import { rulesOf } from './signed-transaction.js';

/** What a transaction of the service does; null for any other. */
export type TransactionKind = (typeof transactionKinds)[number];
export const transactionKinds = [
  'buy',
  'sell',
  'redemption',
  'purchase',
  'sale',
  'withdrawal',
  'executive_update',
] as const;

/** A signer, by what it is to the transaction. */
export interface InspectedSigner {
  address: Address;
  role: string;
  signed: boolean;
}

export interface Problem {
  reason: Reason;
  message: string;
}

/** A transaction, explained to somebody who is to sign or to send it. */
export interface InspectedTransaction {
  kind: TransactionKind | null;
  /** Of the trade, redemption or order. */
  id: string | null;
  summary: string;
  signers: InspectedSigner[];
  feePayer: Address;
  expiresAtMs: number | null;
  instructions: DescribedInstruction[];
  problems: Problem[];
  simulation: { ok: boolean; reason: Reason | undefined; changes: BalanceChange[] };
}

const deadlineMs = 4_000;

/**
 * Explains any transaction, signed or not, without signing or sending it: what it does, what submit would refuse it for, and what it
 * would move, as the node that tries it out says. Throws `invalid_request`, reason `malformed`, for what is no transaction,
 * `rate_limited` when there is no room for its calls to the nodes, and `service_unavailable`, reason `node_unavailable`, when the
 * node does not respond.
 */
export async function inspectTransaction(
  ctx: Context,
  principal: Principal,
  text: string,
): Promise<InspectedTransaction> {
  const bytes = decodeBase64(text);
  if (!bytes || bytes.length === 0)
    throw malformed(`transaction must be base64: standard alphabet, padded; ${base64Fault(text)}.`);
  const { view, resolved, writable, simulation } = await readAndTry(ctx, principal, bytes);
  const { programAddress } = ctx.chain;
  const mints = mintsOf(ctx);
  const tokenAt = (address: Address) => mints.get(simulation.mints.get(address) ?? address);
  const instructions = describeInstructions(resolved, programAddress, tokenAt);
  const call = onlyCall(instructions);
  const signers = view.signers.map(({ address }, index) => ({ address, role: roleOf(address, index, call) }));
  const verdictOf = (index: number) => view.signers[index]?.verdict ?? 'missing';
  const cause = causeOfSimulation(simulation, resolved, writable, view.signers[0]?.address, programAddress);
  const problems = [
    ...(await differencesOf(
      ctx,
      principal,
      bytes,
      call && { ...call, quoteId: quoteIdOf(call, instructions) },
    )),
    ...signers.flatMap((signer, index) => signatureProblem(signer, verdictOf(index))),
    ...(cause ? [{ reason: cause.reason, message: cause.message }] : []),
  ];
  const feePayer = view.signers[0]?.address;
  if (feePayer === undefined) throw new Error('a transaction that was read has no signer');
  return {
    kind: call?.kind ?? null,
    id: call ? textOf(call.fields.id) : null,
    summary: summaryOf(call, instructions),
    signers: signers.map((signer, index) => ({ ...signer, signed: verdictOf(index) === 'valid' })),
    feePayer,
    expiresAtMs: ctx.chain.blockhash.expiryOf(view.blockhash) ?? expiryOf(call),
    instructions,
    problems,
    simulation: { ok: cause === undefined, reason: cause?.reason, changes: simulation.changes },
  };
}

function malformed(message: string): AppError {
  return invalidField('transaction', message, 'malformed');
}

/** Reads a transaction, with what it takes from tables, and has the node try it out. */
async function readAndTry(ctx: Context, { partnerId }: Principal, bytes: Uint8Array) {
  const signal = AbortSignal.timeout(deadlineMs);
  const rpc = ctx.chain.callers.look;
  try {
    const view = readAnyTransaction(bytes);
    const calls = view.lookups.length === 0 ? 2 : 3;
    await takeNodeCalls(ctx, { caller: partnerId, use: 'look', calls });
    const loaded = await loadAccounts(rpc, view.lookups, signal);
    const writable = [...view.writable, ...loaded.writable];
    const simulation = await simulate({ rpc }, bytes, writable, mintsOf(ctx), signal);
    return { view, resolved: resolve(view, loaded), writable, simulation };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof WireError) throw malformed(`This is not a transaction: ${error.message}.`);
    throw nodeUnavailable('The Solana node does not respond; try again shortly.', error);
  }
}

function mintsOf({ chain }: Context): ReadonlyMap<Address, 'GOLD' | 'USDC'> {
  const config = chain.program.lastConfig();
  return new Map(config ? [[config.goldMint, 'GOLD'] as const, [config.usdcMint, 'USDC'] as const] : []);
}

function resolve({ accounts, instructions }: AnyTransaction, loaded: LoadedAccounts): ResolvedInstruction[] {
  const all = [...accounts, ...loaded.writable, ...loaded.readonly];
  const at = (index: number): Address => {
    const found = all[index];
    if (found === undefined) throw new WireError('an instruction names an account that does not exist');
    return found;
  };
  return instructions.map(({ programIndex, accountIndexes, data }) => ({
    program: at(programIndex),
    accounts: Array.from(accountIndexes, at),
    data,
  }));
}

/** A call of the program that carries out a trade, a redemption or an order. */
interface Call {
  kind: TransactionKind;
  fields: Record<string, unknown>;
}

const kinds: Record<string, TransactionKind> = {
  buy: 'buy',
  sell: 'sell',
  redeem: 'redemption',
  partner_purchase: 'purchase',
  partner_sale: 'sale',
  partner_withdraw: 'withdrawal',
  update_executives: 'executive_update',
};

function onlyCall(instructions: DescribedInstruction[]): Call | undefined {
  const calls = instructions.flatMap(({ program, name, fields }) => {
    const kind = program === 'karat' && name !== null ? kinds[name] : undefined;
    return kind ? [{ kind, fields }] : [];
  });
  return calls.length === 1 ? calls[0] : undefined;
}

const roles: Record<string, string> = {
  service_signer: 'service',
  partner_wallet: 'partner',
  user: 'user',
  executive: 'executive',
  withdrawal_authority: 'withdrawal_authority',
  update_authority: 'update_authority',
};

function roleOf(address: Address, index: number, call: Call | undefined): string {
  const field = Object.keys(roles).find((name) => call?.fields[name] === address);
  return (field && roles[field]) ?? (index === 0 ? 'fee_payer' : 'signer');
}

/** Returns the quote that a transaction claims to be of: by the memo of the service, else by the call itself. */
function quoteIdOf(call: Call, instructions: DescribedInstruction[]): string {
  const memos = instructions.flatMap(({ program, fields }) =>
    program === 'memo' ? (parseMemo(textOf(fields.text) ?? '')?.id ?? []) : [],
  );
  return memos[0] ?? textOf(call.fields.id) ?? '';
}

/** Returns what of a quote is not as the service made it, as submit would say. */
async function differencesOf(
  ctx: Context,
  principal: Principal,
  bytes: Uint8Array,
  call: (Call & { quoteId: string }) | undefined,
): Promise<Problem[]> {
  if (call?.kind === 'buy' || call?.kind === 'sell') {
    const tradeId = asTradeId(call.quoteId);
    if (!tradeId) return [];
    const integrator = await ctx.chain.program.integratorAddress(principal.partnerId);
    const { kind: side } = call;
    return differenceOf(() => inspectTrade(bytes, { side, tradeId, integrator, ...rulesOf(ctx) }));
  }
  if (call?.kind !== 'redemption') return [];
  const redemptionId = asRedemptionId(call.quoteId);
  const redemption = redemptionId && (await findRedemption(ctx.db, redemptionId));
  if (!redemption || redemption.partnerId !== principal.partnerId) {
    return [
      { reason: 'other_quote', message: 'It is the payment of a redemption that is not one of yours.' },
    ];
  }
  return differenceOf(() =>
    inspectRedemption(bytes, {
      redemptionId: redemption.id,
      amount: redemption.tokensRequired,
      user: redemption.userWallet,
      escrowGold: redemption.escrowAccount,
      lastValidBlockHeight: redemption.lastValidBlockHeight,
      ...rulesOf(ctx),
    }),
  );
}

/** Names each signer whose signature is missing or invalid. */
function differenceOf(inspect: () => unknown): Problem[] {
  try {
    inspect();
    return [];
  } catch (error) {
    if (!(error instanceof TransactionDifference)) throw error;
    const { reason, message } = error;
    return reason === 'signature_missing' || reason === 'signature_invalid' ? [] : [{ reason, message }];
  }
}

function signatureProblem(
  { address, role }: Omit<InspectedSigner, 'signed'>,
  verdict: 'valid' | 'missing' | 'invalid',
): Problem[] {
  const who = `the ${role.replaceAll('_', ' ')} (${address})`;
  if (verdict === 'missing') {
    return [{ reason: 'signature_missing', message: `The signature of ${who} is missing.` }];
  }
  // The service signed what was changed since; that is reported as a change, and guards are no problem.
  if (verdict === 'valid' || role === 'service') return [];
  return [{ reason: 'signature_invalid', message: `The signature of ${who} is not valid for this message.` }];
}

function causeOfSimulation(
  { error, logs, balances }: Simulation,
  instructions: ResolvedInstruction[],
  writable: readonly Address[],
  feePayer: Address | undefined,
  programAddress: Address,
): Cause | undefined {
  if (error === null) return undefined;
  const called = instructions.map((instruction) => ({ ...instruction, depth: 1 }));
  const known = new Map(writable.map((address) => [address, balances.get(address)]));
  return causeOf({ error, feePayer, instructions: called, logs, balances: known }, programAddress);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

/** Returns when the program itself would refuse a call as too late; null where it has no such time. */
function expiryOf(call: Call | undefined): number | null {
  const moment = textOf(call?.fields.expire_at);
  return moment === null ? null : expiresAtMsOf(Date.parse(moment));
}

function summaryOf(call: Call | undefined, instructions: DescribedInstruction[]): string {
  if (!call) {
    const names = instructions.map(({ program, name }) => (name === null ? program : `${program} (${name})`));
    return names.length === 0 ? 'Does nothing.' : `Calls ${[...new Set(names)].join(', ')}.`;
  }
  const { fields } = call;
  switch (call.kind) {
    case 'buy':
      return `Buys at least ${fields.min_gold_out} GOLD for ${fields.usdc_in} USDC of ${fields.user}.`;
    case 'sell':
      return `Sells ${fields.gold_in} GOLD of ${fields.user} for at least ${fields.min_usdc_out} USDC.`;
    case 'redemption':
      return `Pays ${fields.amount} GOLD of ${fields.user} into escrow for a bar.`;
    case 'purchase':
      return `Buys ${fields.gold_out} GOLD for the vault ${fields.vault} for at most ${fields.max_usdc_in} USDC.`;
    case 'sale':
      return `Sells ${fields.gold_in} GOLD of the vault ${fields.vault} for at least ${fields.min_usdc_out} USDC.`;
    case 'withdrawal':
      return `Withdraws ${fields.amount} tokens from the vault ${fields.vault} to ${fields.destination}.`;
    case 'executive_update':
      return `Changes who may trade for the vault: adds ${listOf(fields.add)}, removes ${listOf(fields.remove)}.`;
  }
}

function listOf(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.join(', ') : 'nobody';
}
