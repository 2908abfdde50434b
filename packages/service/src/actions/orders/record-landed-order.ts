import type { OrderCall } from '../../chain/inspect/order-call.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { type Failure, noFailure } from '../../db/failure.js';
import {
  type DeadLetter,
  type DeadLetterReason,
  resolveDeadLetters,
} from '../../db/indexing/dead-letters.js';
import {
  findExecutiveUpdate,
  findOrderByEvent,
  insertLandedOrder,
  type LandedOrder,
  landOrder,
  type OrderLanding,
} from '../../db/orders/landed-orders.js';
import { findOrder, type Order } from '../../db/orders/orders.js';
import { findPartner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';
import { type Gold, goldUnits, type Usdc, usdcUnits } from '../../domain/money.js';
import type { VaultToken } from '../../domain/order.js';
import type { TxSignature } from '../../domain/solana.js';
import { orderEvents } from '../../events/partner-events.js';
import { executivesEvents } from '../partners/read-partner-events.js';
import type { Recording } from '../recording.js';
import { orderDifferences } from './match-order.js';

/** What a call of the program executed, by its event. Amounts are base units; what does not apply is null. */
export interface OrderExecution {
  partnerId: Uuid;
  eventSeq: bigint;
  gold: Gold | null;
  usdc: Usdc | null;
  feeUsdc: Usdc | null;
  /** USD per troy ounce, a decimal. */
  price: string | null;
}

/** A call that moves tokens of a vault, or changes who may move them, as it is on chain. */
export type OrderFacts = {
  /** Of the row, if the call carries out no order of the service: the same whenever the chain is read. */
  movementId: Uuid;
  order: OrderCall;
  /** Which token a withdrawal moves. */
  token: VaultToken | null;
} & ({ executed: OrderExecution; failure?: undefined } | { failure: Failure; executed?: undefined });

type Landed = { signature: TxSignature; slot: bigint };

/** Dead letters that are moot once the row of their transaction is written. */
const resolvedByRow: DeadLetterReason[] = [
  'transaction_unavailable',
  'unsupported_version',
  'undecodable',
  'unknown_partner',
  'record_refused',
  'vanished',
];

/**
 * Records what a landed call did: as the order that it names, if it is the call of that order; else as a row of
 * its own, because every movement of a vault has its row. A call that names an order which it does not carry out, or
 * which has ended, leaves that order as it is and comes back as a dead letter, too. A call that failed moved nothing, and
 * counts only for an order that waits. The partner gets an event. Doing it again changes nothing.
 */
export async function recordLandedOrder(
  ctx: Context,
  tx: Tx,
  landed: Landed,
  facts: OrderFacts,
  recording: Recording,
): Promise<DeadLetter[]> {
  const { at } = recording;
  if (facts.executed === undefined) return failOrder(tx, landed, facts, recording);
  const { executed } = facts;
  const deadLetter = (reason: DeadLetterReason, detail: Record<string, unknown>): DeadLetter[] => [
    { ...landed, reason, detail: { ...detail, call: shown(facts.order) } },
  ];
  const { partnerId, eventSeq } = executed;
  if (!(await findPartner(tx, partnerId))) return deadLetter('unknown_partner', { partner_id: partnerId });
  const earlier = await findOrderByEvent(tx, partnerId, eventSeq);
  if (earlier) {
    if (isAsWritten(earlier, landed, executed)) return [];
    return deadLetter('conflicting_record', { order_id: earlier.id, tx: earlier.txSignature });
  }
  const landing = landingOf(landed, facts);
  const announce = async (recorded: Order) => {
    recording.events.push(...orderEvents(recorded));
    if (recorded.kind === 'executive_update')
      recording.events.push(...(await executivesEvents(ctx, tx, partnerId)));
  };
  const order = await findNamedOrder(tx, facts.order);
  const wrong = order ? differences(order, facts) : [];
  if (order && wrong.length === 0) {
    if (await landOrder(tx, order.id, landing, at)) {
      await resolveDeadLetters(tx, landed.signature, resolvedByRow, at);
      await announce({ ...order, ...landing, updatedAt: at });
      return [];
    }
    wrong.push('status');
  }
  const movement = movementOf(facts, executed, landing);
  if (!(await insertLandedOrder(tx, movement, at))) {
    return deadLetter('conflicting_record', { order_id: movement.id, event_seq: eventSeq.toString() });
  }
  await resolveDeadLetters(tx, landed.signature, resolvedByRow, at);
  const written = await findOrder(tx, movement.id);
  if (written) await announce(written);
  const named = order && (await findOrder(tx, order.id));
  if (!named) return [];
  return deadLetter('order_mismatch', {
    order_id: named.id,
    movement_id: movement.id,
    wrong,
    status: named.status,
    settled_by: named.txSignature,
  });
}

/** Records a failed transaction: it moved nothing, and matters only to the order that it would have executed. */
async function failOrder(
  tx: Tx,
  landed: Landed,
  facts: OrderFacts,
  { at, events }: Recording,
): Promise<DeadLetter[]> {
  const order = await findNamedOrder(tx, facts.order);
  if (!order || differences(order, facts).length > 0) return [];
  const landing = landingOf(landed, facts);
  if (!(await landOrder(tx, order.id, landing, at))) return [];
  await resolveDeadLetters(tx, landed.signature, resolvedByRow, at);
  events.push(...orderEvents({ ...order, ...landing, updatedAt: at }));
  return [];
}

/** Returns the order that a call names; a change of executives names none, so for it one that waits for the same change. */
function findNamedOrder(tx: Tx, call: OrderCall): Promise<Order | undefined> {
  return call.kind === 'executive_update' ? findExecutiveUpdate(tx, call) : findOrder(tx, call.orderId);
}

function differences(order: Order, { order: call, token, executed }: OrderFacts): string[] {
  return orderDifferences(order, { call, token, partnerId: executed?.partnerId });
}

function landingOf({ signature, slot }: Landed, { executed, failure }: OrderFacts): OrderLanding {
  return {
    status: executed ? 'confirmed' : 'failed',
    txSignature: signature,
    slot,
    executedGold: executed?.gold ?? null,
    executedUsdc: executed?.usdc ?? null,
    feeUsdc: executed?.feeUsdc ?? null,
    executedPrice: executed?.price ?? null,
    eventSeq: executed?.eventSeq ?? null,
    ...(failure ?? noFailure),
  };
}

/** Returns the row of a movement that was made without the service. */
function movementOf(facts: OrderFacts, executed: OrderExecution, landing: OrderLanding): LandedOrder {
  const { order, token, movementId: id } = facts;
  const { kind, signer, integrator } = order;
  const base = { ...landing, id, kind, signer, integrator, partnerId: executed.partnerId };
  switch (order.kind) {
    case 'purchase':
    case 'sale': {
      const { goldAmount, usdcLimit, treasuryLimit, maxFeeBps } = order;
      return { ...base, goldAmount, usdcLimit, treasuryLimit, maxFeeBps };
    }
    case 'withdrawal': {
      const amount =
        token === 'gold' ? { goldAmount: goldUnits(order.amount) } : { usdcAmount: usdcUnits(order.amount) };
      return { ...base, ...amount, token, destination: order.destination };
    }
    case 'executive_update':
      return { ...base, added: order.added, removed: order.removed };
  }
}

/**
 * Returns whether a row agrees with the chain, apart from the slot: until it is final, a transaction may move to
 * another.
 */
function isAsWritten(row: Order, { signature }: Landed, executed: OrderExecution): boolean {
  return (
    row.txSignature === signature &&
    row.executedGold === executed.gold &&
    row.executedUsdc === executed.usdc &&
    row.feeUsdc === executed.feeUsdc
  );
}

/** Returns a call for people, amounts in base units. */
function shown(call: OrderCall): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(call).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  );
}
