import { type ChainRecord, emptyRecord } from '../../actions/indexing/record-chain.js';
import type { Dust } from '../../db/indexing/dead-letters.js';
import type { TreasuryMovementFacts } from '../../db/treasury/treasury-movements.js';
import { isDust } from '../../domain/dust.js';
import { failureText } from './failure.js';
import { decodeOperations, decodeTermsChanges, decodeWalletChanges } from './operation.js';
import { decodeOrders } from './order.js';
import { callsOf, eventFacts, readEvents } from './program-calls.js';
import { decodeRedemption } from './redemption.js';
import { Refusal } from './refusal.js';
import { decodeTrade } from './trade.js';
import type { ChainTransaction } from './transaction.js';
import { treasuryMovementsOf } from './treasury-movements.js';
import type { DecodeView } from './view.js';

/**
 * Decodes a transaction from its instruction bytes, the transfers that the program made, and the program's own
 * events, each checked against the others. Never throws for anything a transaction may hold: what cannot be taken comes
 * as dead letters, next to the events that could be read.
 */
export async function decodeTransaction(
  transaction: ChainTransaction,
  view: DecodeView,
): Promise<ChainRecord> {
  const { signature, slot, error } = transaction;
  const record = emptyRecord(signature, slot);
  const refuse = (cause: unknown) => {
    const { reason, detail } =
      cause instanceof Refusal ? cause : new Refusal('undecodable', { message: String(cause) });
    if (!record.deadLetters.some((deadLetter) => deadLetter.reason === reason)) {
      record.deadLetters.push({ signature, slot, reason, detail });
    }
  };
  const calls = callsOf(transaction, view.programAddress);
  if (error === null) {
    readEvents(transaction, view.programAddress, calls, refuse);
    for (const call of calls) if (call.event) record.events.push(eventFacts(call.event, call));
    record.operations = decodeOperations(transaction, calls, refuse);
    record.wallets = decodeWalletChanges(calls);
    record.terms = decodeTermsChanges(calls);
  } else if (calls.length > 0) {
    record.failure = failureText(error, transaction.instructions, view.programAddress);
  }
  try {
    record.redemption = decodeRedemption(transaction, view, calls);
    if (!record.redemption) record.trade = await decodeTrade(transaction, view, calls);
  } catch (cause) {
    refuse(cause);
  }
  const { orders, unread } = await decodeOrders(transaction, view, calls, refuse);
  record.orders = orders;
  // While it is unknown what the chain executed, those orders must not end as if nothing had been.
  if (unread.length > 0)
    for (const deadLetter of record.deadLetters) deadLetter.detail.unread_orders = unread;
  record.cost = costOf(transaction, view);
  record.movements = treasuryMovementsOf(transaction, calls, view.treasury);
  record.dust = dustOf(transaction, record);
  if (record.dust) {
    record.movements = record.movements.map((movement) =>
      strayOf(movement) === 0n ? movement : { ...movement, dust: true },
    );
    return record;
  }
  const escrow = record.movements.find(({ role }) => role === 'escrow_gold');
  const stray = escrow ? strayOf(escrow) : 0n;
  if (stray > 0n) refuse(new Refusal('escrow_unmatched', { amount: stray.toString() }));
  return record;
}

/** Returns what a transaction cost the service, where a key of it paid. */
function costOf({ signers: [payer], slot, paid, landedMs }: ChainTransaction, view: DecodeView) {
  if (payer === undefined || !view.trustedSigners(slot).has(payer)) return undefined;
  return { lamports: paid, landedMs };
}

/** Returns how much a movement brought past the calls of the program; negative: took. */
function strayOf({ change, due, byAdmin = 0n }: TreasuryMovementFacts): bigint {
  return change - due - byAdmin;
}

/**
 * Returns what a transaction brings to treasury accounts past its calls of the program, if that is only a little and all of
 * these calls can be recorded. Undefined for any other, and next to what no stranger can add to: a redemption, which the
 * service signs, and calls of the admin.
 */
function dustOf(
  { signers: [sender] }: ChainTransaction,
  { movements, deadLetters, redemption }: ChainRecord,
): Dust | undefined {
  const strays = movements.flatMap((movement) => {
    const stray = strayOf(movement);
    return stray === 0n ? [] : [[movement.role, stray] as const];
  });
  const isOwn = redemption !== undefined || movements.some(({ byAdmin = 0n }) => byAdmin !== 0n);
  if (!sender || strays.length === 0 || deadLetters.length > 0 || isOwn) return undefined;
  return strays.every(([role, stray]) => isDust(role, stray))
    ? { sender, amounts: Object.fromEntries(strays) }
    : undefined;
}
