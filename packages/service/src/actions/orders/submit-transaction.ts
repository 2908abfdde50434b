import type { Address, TransactionError } from '@solana/kit';
import { causeOf, type FailedTransaction, ofOrder } from '../../chain/failure/cause.js';
import {
  type InspectedOrder,
  inspectOrder,
  UnsupportedTransaction,
} from '../../chain/inspect/inspect-order.js';
import type { OrderCall } from '../../chain/inspect/order-call.js';
import { TransactionDifference } from '../../chain/inspect/transaction-view.js';
import type { Flight, SubmissionOutcome, TokenChange } from '../../chain/node/submissions.js';
import type { Context } from '../../context.js';
import { findOrderToSubmit, type Order, prolongOrder } from '../../db/orders/orders.js';
import { unlessHung } from '../../db/outage.js';
import { findPartner, type Partner } from '../../db/partners/partners.js';
import { type Uuid, uuidOfSignature } from '../../domain/ids.js';
import { nodeShares } from '../../domain/limits.js';
import type { TxSignature } from '../../domain/solana.js';
import { AppError, broadcastFailed, nodeUnavailable, partnerSuspended } from '../../errors.js';
import { takeNodeCalls } from '../limits/take-node-calls.js';
import { screeningRefusal } from '../screening/require-allowed-wallets.js';
import { serviceSignersOf, signedTxBytes } from '../trades/signed-transaction.js';
import { orderDifferences, tokenOf } from './match-order.js';

/** By how much somebody's tokens changed, base units. */
export interface OwnerChange {
  gold: bigint;
  usdc: bigint;
}

/** A transaction as it came. */
export interface SubmittedText {
  /** Base64. */
  signedTransaction: string;
  /** Of the caller, whose share of the calls to the nodes it takes where it does not carry out a waiting order. */
  network: string;
}

export interface SubmittedTransaction {
  status: 'confirmed' | 'pending';
  /** The order that it carries out; one made from the signature for a transaction that carries out none. */
  transactionId: Uuid;
  /** Base58. */
  signature: TxSignature;
  /** By owner of the changed token accounts; empty while it is pending. */
  tokenBalanceChange: Map<Address, OwnerChange>;
}

/**
 * Sends a transaction that carries out an order to the chain, once, and waits until it is confirmed or `signal` aborts.
 * All that it writes is how long the order waits. The same bytes get the same result, in any process and also
 * after they landed. A transaction that has not landed is not sent if it names an order that it does not carry out as
 * it was built. Throws `invalid_request` (no base64), `transaction_not_supported`, `broadcast_failed` (no valid
 * transaction, refused by the node, or failed on chain), `partner_suspended` (not for a change of executives),
 * `wallet_not_allowed` (its signer, the account that receives a withdrawal or an added executive is on the sanctions list),
 * `rate_limited` (there is no room for its calls to the nodes) or `service_unavailable`.
 * @param field what to blame for text that is no base64.
 */
export async function submitTransaction(
  ctx: Context,
  { signedTransaction, network }: SubmittedText,
  signal: AbortSignal,
  field = 'signedTransaction',
): Promise<SubmittedTransaction> {
  const transaction = signedTxBytes(signedTransaction, field);
  const order = inspect(ctx, transaction);
  const { signature } = order;
  // Needed for the response: without it nothing is sent.
  const { goldMint, usdcMint } = ctx.chain.program.config();
  const mints = { goldMint, usdcMint };
  const judgement = await judge(ctx, order, mints);
  const { transactionId, refusal } = judgement;
  const sending = { ...{ transaction, order, mints, judgement }, caller: judgement.partnerId ?? network };
  const outcome = await ctx.chain.submissions.share(
    { signature, permitted: refusal === undefined },
    (flight) => send(ctx, sending, flight),
    signal,
  );
  const submitted = { transactionId, signature };
  switch (outcome.kind) {
    case 'confirmed':
      return { status: 'confirmed', ...submitted, tokenBalanceChange: byOwner(outcome.changes, mints) };
    case 'pending':
      return { status: 'pending', ...submitted, tokenBalanceChange: new Map() };
    case 'reverted': {
      const cause = causeOf(failedOrder(order, outcome.error), ctx.chain.programAddress);
      throw broadcastFailed(ofOrder(cause), `The transaction ${signature} failed on chain: `);
    }
    case 'unsent':
      throw refusal;
    case 'refused':
      throw broadcastFailed(ofOrder(outcome.cause));
    case 'unreachable':
      throw nodeUnavailable(
        'The Solana node does not respond; send the same signedTransaction again. It counts as submitted, since it may have arrived.',
        outcome.cause,
      );
  }
}

interface Mints {
  goldMint: Address;
  usdcMint: Address;
}

interface Sending {
  transaction: Uint8Array;
  order: InspectedOrder;
  mints: Mints;
  judgement: Judgement;
  /** Whose share of the calls to the nodes it takes. */
  caller: string;
}

/** Sends a transaction unless the chain knows it or it was refused, and follows it until it is confirmed or the flight ends. */
async function send(
  ctx: Context,
  { transaction, order, mints, judgement, caller }: Sending,
  flight: Flight,
): Promise<SubmissionOutcome> {
  const { submissions } = ctx.chain;
  const { signature, blockhash } = order;
  const use = judgement.partnerId === undefined ? 'open' : 'trade';
  const calls = callsOfSubmit[use];
  const taken = await takeNodeCalls(ctx, { caller, use, calls }, AbortSignal.timeout(roomFor[use]));
  if (flight.end.aborted) taken.spare(calls);
  flight.depart();
  const seen = await submissions.look(signature);
  if (seen && 'cause' in seen) return seen;
  if (!seen) {
    if (judgement.refusal) return { kind: 'unsent' };
    // The partner may have been suspended meanwhile, or the order have ended.
    const { refusal } = taken.waited ? await judge(ctx, order, mints) : judgement;
    if (refusal) throw refusal;
    // The signer may have signed it again with any blockhash.
    const lifetime = ctx.chain.blockhash.lifetimeOf(blockhash);
    if (!lifetime) throw nodeUnavailable('No Solana node has responded yet. Nothing was sent.', undefined);
    const { lastValidBlockHeight } = lifetime;
    if (judgement.orderId) await keepWaiting(ctx, judgement.orderId, lastValidBlockHeight);
    const sent = await submissions.send({ transaction, txHash: signature, lastValidBlockHeight });
    if (sent.kind !== 'accepted') return sent;
  }
  return submissions.followed(signature, seen, flight.end);
}

/**
 * Calls for one submission: looking up its status, sending it and reading what it changed; a refusal takes one more.
 * That one is not counted for a waiting order: only its signer can have made the transaction, and refusals are rare.
 */
const callsOfSubmit = { open: 4, trade: 3 };
/** For how long each waits for room, milliseconds. */
const roomFor = { open: nodeShares.waitMs, trade: nodeShares.orderWaitMs };

function inspect(ctx: Context, transaction: Uint8Array): InspectedOrder {
  try {
    const { programAddress } = ctx.chain;
    return inspectOrder(transaction, programAddress, serviceSignersOf(ctx));
  } catch (error) {
    if (error instanceof UnsupportedTransaction) {
      throw new AppError('transaction_not_supported', `Only orders are submitted here. ${error.message}`);
    }
    if (error instanceof TransactionDifference) {
      throw new AppError('broadcast_failed', error.message, { reason: error.reason });
    }
    throw error;
  }
}

interface Judgement {
  /** The order that the indexer would make of it, if the chain had it now. */
  transactionId: Uuid;
  /** The order that waits for it. */
  orderId?: Uuid;
  /** Whose order that is, as long as it waits for its first transaction: only its signer can have made that. */
  partnerId?: Uuid;
  /** Why it is not sent, if the chain does not know it yet. */
  refusal: AppError | undefined;
}

/** Returns what would become of a transaction, whose wallets are screened as those of every order. */
async function judge(ctx: Context, order: InspectedOrder, mints: Mints): Promise<Judgement> {
  const judgement = await match(ctx, order, mints);
  if (judgement.refusal) return judgement;
  const { call } = order;
  const partnerId = ctx.chain.program.partnerOf(call.integrator) ?? null;
  const refusal = await screeningRefusal(ctx, { wallets: walletsOf(call), stage: 'submit', partnerId });
  return { ...judgement, refusal };
}

/** Returns who signs an order, and who gets something by it. The program takes no destination but the signer's own. */
function walletsOf(call: OrderCall): Address[] {
  switch (call.kind) {
    case 'withdrawal':
      return [call.signer, call.destination];
    case 'executive_update':
      return [call.signer, ...call.added];
    default:
      return [call.signer];
  }
}

/**
 * Returns what would become of a transaction, by the rules of the indexer. One that carries out no order is recorded
 * under its own signature and cannot be taken for another one.
 */
async function match(ctx: Context, { call, signature }: InspectedOrder, mints: Mints): Promise<Judgement> {
  const own = uuidOfSignature(signature);
  const found = call.orderId && (await unlessHung(findOrderToSubmit(ctx.db, call.orderId)));
  if (!found) {
    // The program takes it whatever the partner's status is: a lost key of an executive can be replaced at any time.
    if (call.kind === 'executive_update') return { transactionId: own, refusal: undefined };
    const partnerId = ctx.chain.program.partnerOf(call.integrator);
    const partner = partnerId && (await unlessHung(findPartner(ctx.db, partnerId)));
    return { transactionId: own, refusal: refusalOfPartner(partner?.status) };
  }
  const { order, partnerStatus } = found;
  const wrong = orderDifferences(order, { call, token: tokenOf(call, mints) });
  if (wrong.length > 0) {
    const text = `It names the order ${order.id}, but does not match it: ${wrong.join(', ')}.`;
    return { transactionId: own, refusal: unsupported(text) };
  }
  if (order.status === 'pending_signature' || order.txSignature === signature) {
    const waiting = order.status === 'pending_signature' && { partnerId: order.partnerId };
    return {
      transactionId: order.id,
      orderId: order.id,
      ...waiting,
      refusal: refusalOfPartner(partnerStatus),
    };
  }
  // Whatever else lands for an order that has ended is recorded under its own signature.
  return { transactionId: own, refusal: refusalOf(order) };
}

/**
 * Keeps an order waiting in the records for as long as what is about to be sent for it may land, so that it does not
 * expire before that, even if this process dies. The chain itself executes an order once, whatever is sent
 * for it and by whom.
 */
async function keepWaiting(ctx: Context, orderId: Uuid, lastValidBlockHeight: bigint): Promise<void> {
  await unlessHung(ctx.db.transaction((tx) => prolongOrder(tx, orderId, lastValidBlockHeight)));
}

/** Returns the refusal of what moves a suspended partner's vault; undefined for a partner that is not suspended. */
function refusalOfPartner(status: Partner['status'] | undefined): AppError | undefined {
  if (status !== 'suspended') return undefined;
  return partnerSuspended('This partner is suspended. Nothing was sent.');
}

/** Returns the refusal of a transaction of an order that has ended. */
function refusalOf({ id, status, txSignature }: Order): AppError {
  if (status !== 'expired') {
    return unsupported(`The order ${id} is already ${status}, by the transaction ${txSignature}.`);
  }
  // The node refuses its transaction with this code even before the record shows it, so the same bytes keep their code.
  const message = `The order ${id} has expired; place a new one. Nothing was sent.`;
  return new AppError('broadcast_failed', message, { reason: 'quote_expired' });
}

/** Returns a refusal with the code `transaction_not_supported`. */
function unsupported(text: string): AppError {
  return new AppError('transaction_not_supported', `${text} Nothing was sent.`);
}

/** Returns the changes of GOLD and USDC by owner: an order moves no other token. */
function byOwner(changes: TokenChange[], { goldMint, usdcMint }: Mints): Map<Address, OwnerChange> {
  const owners = new Map<Address, OwnerChange>();
  for (const { owner, mint, change } of changes) {
    if (mint !== goldMint && mint !== usdcMint) continue;
    const token = mint === goldMint ? 'gold' : 'usdc';
    owners.set(owner, { ...(owners.get(owner) ?? { gold: 0n, usdc: 0n }), [token]: change });
  }
  return owners;
}

/** Returns an order's transaction that failed on chain, as far as it is known without another call to the node. */
function failedOrder({ instructions, call }: InspectedOrder, error: TransactionError): FailedTransaction {
  const called = instructions.map((instruction) => ({ ...instruction, depth: 1 }));
  return { error, feePayer: call.signer, instructions: called, logs: [], balances: new Map() };
}
