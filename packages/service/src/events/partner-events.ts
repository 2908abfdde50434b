/**
 * The events of partners, for their logs: `data.object` is what a GET of the object returns, made by the views of
 * the routes.
 */

import type { Context } from '../context.js';
import type { Tx } from '../db/client.js';
import { type Event, keepObject, type NewEvent, type StoredEvent } from '../db/events/events.js';
import type { ApiKey } from '../db/keys/api-keys.js';
import type { Order } from '../db/orders/orders.js';
import type { PartnerTerms } from '../db/partners/partner-terms.js';
import type { Invitation } from '../db/people/invitations.js';
import type { VisibleRedemption } from '../db/redemptions/redemptions.js';
import { submittedOperation } from '../db/trades/operation.js';
import type { Submission } from '../db/trades/submissions.js';
import type { Trade } from '../db/trades/trades.js';
import { findKycOf, type SealedKyc, type User } from '../db/users.js';
import type { WebhookEndpoint } from '../db/webhooks/webhook-endpoints.js';
import type { EventType } from '../domain/event.js';
import { asUserId, type UserId } from '../domain/ids.js';
import type { Kyc } from '../domain/kyc.js';
import type { SettlementKind, VisibleRedemptionStatus } from '../domain/redemption.js';
import { toApiKeyView, toTradebookApiKeyView } from '../views/api-key-view.js';
import { toEventView } from '../views/event-view.js';
import { toInvitationView } from '../views/member-view.js';
import { toOperationView } from '../views/operation-view.js';
import { toPurchaseView, toSaleView, toWithdrawalView } from '../views/order-view.js';
import { toPartnerTermsView } from '../views/partner-terms-view.js';
import { toRedemptionView } from '../views/redemption-view.js';
import { toTradeView } from '../views/trade-view.js';
import { toKycView, toListedUserView } from '../views/user-view.js';
import { toWebhookEndpointView } from '../views/webhook-view.js';

type KycReader = Pick<Context, 'db' | 'kyc' | 'log' | 'metrics'>;

type TypeOf<Object extends string> = Extract<EventType, `${Object}.${string}`>;

/**
 * Returns the event of a change of a user. Of the KYC record it has the level at that moment alone: who the user is never
 * changes and is added by `withObjects` when the event is read.
 */
export function userEvent(
  type: TypeOf<'user'>,
  { user, kyc }: { user: User; kyc: Pick<Kyc, 'kycLevel'> | null },
  requestId: string | null,
): NewEvent {
  const { id, partnerId } = user;
  const object = { ...toListedUserView(user), ...(kyc && { kyc: { kyc_level: kyc.kycLevel } }) };
  return { type, partnerId, requestId, objectType: 'user', objectId: id, object };
}

/**
 * Returns events as they are shown: with the trades that they are about, and the KYC records of the users in them. A user
 * who was erased since then has none. Of a record that cannot be read, only the level is there: it must not hold up the
 * other events of the partner.
 */
export async function withObjects(ctx: KycReader, events: readonly StoredEvent[]): Promise<Event[]> {
  return withKyc(ctx, events.map(withTrade));
}

function withTrade({ trade, object, ...event }: StoredEvent): Event {
  if (object) return { ...event, object };
  if (!trade) throw new Error(`the event ${event.id} has lost the trade that it is about`);
  return { ...event, object: toTradeView(trade) };
}

async function withKyc(ctx: KycReader, events: readonly Event[]): Promise<Event[]> {
  const ids = events.flatMap((event) => userOf(event) ?? []);
  if (ids.length === 0) return [...events];
  const records = await findKycOf(ctx.db, [...new Set(ids)]);
  return Promise.all(
    events.map(async (event) => {
      const id = userOf(event);
      if (!id) return event;
      const { kyc: kept, ...user } = event.object;
      const sealed = records.get(id);
      if (!sealed) return { ...event, object: user };
      const kyc = { ...(await openForEvent(ctx, sealed)), ...(kept as { kyc_level: string }) };
      return { ...event, object: { ...user, kyc } };
    }),
  );
}

async function openForEvent(ctx: KycReader, sealed: SealedKyc) {
  try {
    return toKycView(await ctx.kyc.open(sealed));
  } catch (err) {
    ctx.metrics.kycUnreadable.inc();
    ctx.log.error({ err, user_id: sealed.userId }, 'an event is shown without the KYC record of its user');
    return undefined;
  }
}

/** Returns the user whose KYC record belongs into an event; undefined if none does. */
function userOf({ objectType, objectId, object }: Event): UserId | undefined {
  return objectType === 'user' && 'kyc' in object ? asUserId(objectId) : undefined;
}

/** Returns the event of a change of a key at a time; none for a key of the program's admin, who is no partner. */
export function apiKeyEvents(
  type: TypeOf<'api_key'>,
  key: ApiKey,
  { at, requestId }: { at: Date; requestId: string | null },
): NewEvent[] {
  const { id, partnerId, surface } = key;
  if (partnerId === null) return [];
  const object = surface === 'partner' ? toApiKeyView(key) : toTradebookApiKeyView(key, at.getTime());
  return [{ type, partnerId, requestId, objectType: 'api_key', objectId: id, object }];
}

/**
 * Returns the event of a trade that the chain carries, or does not carry after all. As long as it does, the record shows
 * what the event is about.
 */
export function tradeEvent(
  type: 'trade.confirmed' | 'trade.failed' | 'trade.reverted',
  trade: Trade,
): NewEvent {
  const { id, partnerId } = trade;
  const object = type === 'trade.reverted' ? toTradeView(trade) : null;
  return { type, partnerId, requestId: null, objectType: 'trade', objectId: id, object };
}

/** Keeps what the events about a trade show, because its record goes. */
export const keepTradeEvents = (tx: Tx, trade: Trade): Promise<void> =>
  keepObject(tx, trade, toTradeView(trade));

export function partnerEvent(
  type: TypeOf<'partner'> | 'executives.changed',
  terms: PartnerTerms,
  requestId: string | null,
): NewEvent {
  const partnerId = terms.partner.id;
  const object = toPartnerTermsView(terms);
  return { type, partnerId, requestId, objectType: 'partner', objectId: partnerId, object };
}

/** Returns the event of a trade that was sent to the chain, or can no longer land. */
export function submissionEvent(
  type: 'trade.submitted' | 'trade.expired',
  submission: Submission,
  requestId: string | null,
): NewEvent {
  const { partnerId } = submission;
  const object = toOperationView(submittedOperation(submission));
  return { type, partnerId, requestId, objectType: 'operation', objectId: object.id, object };
}

/** What becomes of a redemption, or of its tokens. */
const redemptionTypes: Record<VisibleRedemptionStatus | SettlementKind, TypeOf<'redemption'>> = {
  submitted: 'redemption.submitted',
  preparing: 'redemption.preparing',
  ready: 'redemption.ready',
  collected: 'redemption.collected',
  cancellation_requested: 'redemption.cancellation_requested',
  cancelled: 'redemption.cancelled',
  failed: 'redemption.failed',
  refund: 'redemption.refunded',
  burn: 'redemption.burned',
};

/** Returns the event of a redemption that has come to its status, or whose tokens were settled so. */
export function redemptionEvent(
  redemption: VisibleRedemption,
  requestId: string | null,
  settled?: SettlementKind,
): NewEvent {
  const { id, partnerId, status } = redemption;
  const type = redemptionTypes[settled ?? status];
  const object = toRedemptionView(redemption);
  return { type, partnerId, requestId, objectType: 'redemption', objectId: id, object };
}

const orderViews = { purchase: toPurchaseView, sale: toSaleView, withdrawal: toWithdrawalView };

/** Returns the event of an order that has ended; none for a change of executives, which has no record to get. */
export function orderEvents(order: Order): NewEvent[] {
  const { id, partnerId, kind, status } = order;
  if (kind === 'executive_update' || status === 'pending_signature') return [];
  const object = orderViews[kind](order);
  return [{ type: `${kind}.${status}`, partnerId, requestId: null, objectType: kind, objectId: id, object }];
}

/** Returns the event of a webhook endpoint that is sent nothing any more. */
export function endpointDisabledEvent(endpoint: WebhookEndpoint, requestId: string | null): NewEvent {
  const { id, partnerId } = endpoint;
  const object = toWebhookEndpointView(endpoint);
  const type = 'webhook_endpoint.disabled';
  return { type, partnerId, requestId, objectType: 'webhook_endpoint', objectId: id, object };
}

/**
 * Returns the event of an invitation. It carries the link, so that the partner's own system can send it, unless the invitation is
 * that of an owner: webhooks and keys, which read events, must not make one.
 */
export function memberInvitedEvent(
  { invitation, url }: { invitation: Invitation; url: string },
  requestId: string | null,
): NewEvent {
  const { id, partnerId, role } = invitation;
  const object = { ...toInvitationView(invitation), url: role === 'owner' ? null : url };
  const type = 'member.invited';
  return { type, partnerId, requestId, objectType: 'invitation', objectId: id, object };
}

/** Whether an event has the link of an invitation, which makes a member. */
const hasLink = ({ type, object }: Event): boolean => type === 'member.invited' && object.url !== null;

/** Returns an event without what only the partner's own systems may see: the link of an invitation. */
export function withoutSecrets(event: Event): Event {
  return hasLink(event) ? { ...event, object: { ...event.object, url: null } } : event;
}

/** Returns what an event has that may not be kept readable, in words; undefined for one that has nothing of that. */
export function unkeptOf(event: Event): string | undefined {
  if ('kyc' in event.object) return 'KYC data';
  return hasLink(event) ? 'the link of an invitation' : undefined;
}

/** Returns an event as webhooks carry it: as it is in the log. */
export const eventBody = (event: Event): string => JSON.stringify(toEventView(event));

/** Returns the same for people to look at: without secrets, and without what it held of a customer's KYC record. */
export function shownEventBody(stored: StoredEvent): string {
  const event = withoutSecrets(withTrade(stored));
  if (!('kyc' in event.object)) return eventBody(event);
  return eventBody({ ...event, object: { ...event.object, kyc: '[redacted]' } });
}
