import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { findNumberedEvents, findSequences } from '../../db/events/events.js';
import { lockPartner } from '../../db/partners/partners.js';
import {
  claimResend,
  deleteDeliveries,
  findDelivery,
  hasPendingDeliveries,
  maxResent,
  resendEvents,
  type WebhookDelivery,
} from '../../db/webhooks/webhook-deliveries.js';
import {
  countEndpoints,
  deleteEndpoint,
  findEndpoint,
  findNewestSequence,
  insertEndpoint,
  lockEndpoint,
  updateEndpoint,
  type WebhookEndpoint,
} from '../../db/webhooks/webhook-endpoints.js';
import { isStorable } from '../../domain/encoding.js';
import { asEventType, type EventType } from '../../domain/event.js';
import {
  asDeliveryId,
  asEndpointId,
  asEventId,
  type EndpointId,
  type EventId,
  newId,
  type Uuid,
} from '../../domain/ids.js';
import { requireOwn } from '../../domain/ownership.js';
import { parseTimestamp } from '../../domain/timestamp.js';
import { maxEndpoints, maxUrlLength, secretDigest } from '../../domain/webhook.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import { RefusedDestination, resolveDestination } from '../../events/delivery/destination.js';
import { disableEndpoint } from '../../events/delivery/disable-endpoint.js';
import { shownEventBody } from '../../events/partner-events.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { type PartnerRequest, recordMemberChange } from '../members/record-member-change.js';

/** What a partner requests of an endpoint. */
export interface EndpointRequest {
  url: string;
  types: readonly string[] | null;
  description: string | null;
}

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

/** An endpoint whose address was resolved, in canonical form. */
export interface CheckedEndpoint extends EndpointRequest {
  types: EventType[] | null;
}

/** Throws `invalid_request` for an address to which nothing may be sent and for unknown types. */
export async function checkEndpoint(ctx: Context, request: EndpointRequest): Promise<CheckedEndpoint> {
  const types = readTypes(request.types);
  return { ...request, url: await readUrl(ctx, request.url), types };
}

/**
 * Registers where a partner's events go, from the next one on. Throws `invalid_request` for a description that is no text and
 * `endpoint_limit_reached` for the eleventh.
 */
export async function createEndpoint(
  ctx: Context,
  tx: Tx,
  request: PartnerRequest,
  { url, types, description }: CheckedEndpoint,
): Promise<WebhookEndpoint> {
  const { partnerId } = request.principal;
  const at = new Date(ctx.clock.now());
  // Those who come at the same time wait here.
  await lockPartner(tx, partnerId);
  if ((await countEndpoints(tx, partnerId)) >= maxEndpoints) {
    const message = `You have ${maxEndpoints} webhook endpoints already: delete one first.`;
    throw new AppError('endpoint_limit_reached', message);
  }
  const endpoint: WebhookEndpoint = {
    id: newId('we'),
    partnerId,
    url,
    types,
    description: readDescription(description),
    status: 'active',
    secret: newSecret(),
    previousSecret: null,
    previousUntil: null,
    plannedSequence: await findNewestSequence(tx, partnerId),
    failingSince: null,
    createdAt: at,
    updatedAt: at,
  };
  await insertEndpoint(tx, endpoint);
  await recordMemberChange(tx, request, { operation: 'createWebhookEndpoint', endpoint_id: endpoint.id }, at);
  return endpoint;
}

export type EndpointChange = Partial<EndpointRequest & { status: WebhookEndpoint['status'] }>;

/**
 * Changes an endpoint of a partner. One that is disabled is sent nothing, not even later; one that is active again is sent
 * what comes from now on. Throws `endpoint_not_found`, `partner_mismatch`, what `checkEndpoint` throws, and
 * `transition_not_allowed` while what was to be sent to a disabled one is still being ended.
 */
export async function changeEndpoint(
  ctx: Context,
  request: PartnerRequest,
  { id, ...change }: EndpointChange & { id: string },
): Promise<WebhookEndpoint> {
  const { principal, requestId } = request;
  const types = change.types === undefined ? undefined : readTypes(change.types);
  const url = change.url === undefined ? undefined : await readUrl(ctx, change.url);
  const { partnerId } = principal;
  const at = new Date(ctx.clock.now());
  const facts = { operation: 'changeWebhookEndpoint', endpoint_id: id, fields: Object.keys(change) };
  return ctx.db.transaction(async (tx) => {
    const found = await getEndpointForChange(tx, partnerId, id);
    const changed: WebhookEndpoint = {
      ...found,
      url: url ?? found.url,
      types: types === undefined ? found.types : types,
      description: change.description === undefined ? found.description : readDescription(change.description),
      updatedAt: at,
    };
    if (change.status === 'disabled' && found.status === 'active') {
      await recordMemberChange(tx, request, facts, at);
      return disableEndpoint(tx, changed, { at, requestId });
    }
    if (change.status === 'active' && found.status === 'disabled') {
      // It must not be sent after all.
      if (await hasPendingDeliveries(tx, found.id))
        throw notAllowed('What was still to be sent is being ended; try again in a few seconds.');
      changed.status = 'active';
      changed.failingSince = null;
      changed.plannedSequence = await findNewestSequence(tx, partnerId);
    }
    await updateEndpoint(tx, found.id, changed);
    await recordMemberChange(tx, request, facts, at);
    return changed;
  });
}

/**
 * Disables an endpoint of any partner, by an operator. Throws `endpoint_not_found`, and `transition_not_allowed` for one that is
 * disabled already.
 */
export async function disableAnyEndpoint(
  { tx, by, at }: ChangeTx,
  { id, reason }: { id: string; reason: string },
): Promise<WebhookEndpoint> {
  const endpoint = await getEndpointForChange(tx, undefined, id);
  if (endpoint.status === 'disabled') throw notAllowed('The endpoint is already disabled.');
  const facts = { partner_id: endpoint.partnerId, url: endpoint.url };
  const change = {
    action: 'webhook_endpoint.disable' as const,
    objectId: endpoint.id,
    before: { ...facts, status: 'active' },
    after: { ...facts, status: 'disabled' },
    reason,
  };
  await recordChange(tx, by, change, at);
  return disableEndpoint(tx, endpoint, { at, requestId: by.requestId });
}

/** Deletes all that is known of the deliveries of an endpoint that is to be deleted. Throws `endpoint_not_found`, `partner_mismatch`. */
export async function clearEndpoint(ctx: Context, partnerId: Uuid, text: string): Promise<EndpointId> {
  const { id } = await getEndpoint(ctx.db, partnerId, text);
  // There may be many: in parts, of which those that are done stay done.
  while (await ctx.db.transaction((tx) => deleteDeliveries(tx, id)));
  return id;
}

/** Deletes an endpoint that was cleared. Throws `endpoint_not_found`. */
export async function removeEndpoint(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  request: PartnerRequest,
  id: EndpointId,
): Promise<void> {
  if (!(await deleteEndpoint(tx, id))) throw endpointNotFound();
  const facts = { operation: 'deleteWebhookEndpoint', endpoint_id: id };
  await recordMemberChange(tx, request, facts, new Date(ctx.clock.now()));
}

/** Gives an endpoint another secret; the one before signs, too, for some hours. Throws `endpoint_not_found`. */
export async function rotateSecret(
  ctx: Context,
  tx: Tx,
  request: PartnerRequest,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<WebhookEndpoint> {
  const nowMs = ctx.clock.now();
  const found = await getEndpointForChange(tx, request.principal.partnerId, id);
  const overlaps = overlapHours > 0;
  const rotated: WebhookEndpoint = {
    ...found,
    secret: newSecret(),
    previousSecret: overlaps ? found.secret : null,
    previousUntil: overlaps ? new Date(nowMs + overlapHours * 3_600_000) : null,
    updatedAt: new Date(nowMs),
  };
  await updateEndpoint(tx, found.id, rotated);
  const facts = { operation: 'rotateWebhookSecret', endpoint_id: found.id };
  await recordMemberChange(tx, request, facts, rotated.updatedAt);
  return rotated;
}

/**
 * Returns the secret of an endpoint that has this digest, for a repetition of the request which made it. Throws
 * `idempotency_conflict` when the endpoint has other ones by now, or was deleted.
 */
export async function findSecret(
  ctx: Context,
  partnerId: Uuid,
  { id, digest }: { id: string; digest: string },
): Promise<string> {
  const endpointId = asEndpointId(id);
  const endpoint = endpointId && (await findEndpoint(ctx.db, endpointId));
  const secrets = endpoint?.partnerId === partnerId ? [endpoint.secret, endpoint.previousSecret] : [];
  const found = secrets.find((secret) => secret !== null && secretDigest(secret) === digest);
  if (found) return found;
  const message = 'The secret that this request made has been replaced, or its endpoint deleted.';
  throw new AppError('idempotency_conflict', message);
}

/** Which events are sent again: one or several, or those between two times. */
export interface ResendRequest {
  eventId: string | undefined;
  eventIds: readonly string[] | undefined;
  from: string | undefined;
  to: string | undefined;
}

/**
 * Has events sent to an endpoint again, whether it got them or not. Returns how many. Throws `endpoint_not_found`,
 * `transition_not_allowed` for a disabled one, `rate_limited` while another request of the partner does the same, and
 * `invalid_request` for what names no events.
 */
export async function resend(
  ctx: Context,
  tx: Tx,
  by: PartnerRequest,
  { id, ...request }: ResendRequest & { id: string },
): Promise<number> {
  const wanted = readResend(request);
  const { partnerId } = by.principal;
  // Before anything waits: it writes thousands of rows, and those behind it would hold connections that all need.
  if (!(await claimResend(tx, partnerId))) throw resendUnderWay();
  const endpoint = await getEndpointForChange(tx, partnerId, id);
  if (endpoint.status === 'disabled') throw notAllowed('The endpoint is disabled: make it active first.');
  const which = 'ids' in wanted ? { sequences: await findOwn(tx, partnerId, wanted) } : wanted;
  const at = new Date(ctx.clock.now());
  const resent = await resendEvents(tx, endpoint, which, at);
  await recordMemberChange(tx, by, { operation: 'resendWebhookEvents', endpoint_id: endpoint.id }, at);
  if (resent !== undefined) return resent;
  const message = `More than ${maxResent} events lie between from and to: choose a shorter time.`;
  throw invalidField('from', message);
}

function resendUnderWay(): AppError {
  const message = 'Another request to send events again is in progress; try again once it has completed.';
  return new AppError('rate_limited', message, { retryAfterSeconds: 5 });
}

/** Events that a request names, in the field that names them. */
interface NamedEvents {
  ids: EventId[];
  field: 'event_id' | 'event_ids';
}

async function findOwn(tx: Tx, partnerId: Uuid, { ids, field }: NamedEvents): Promise<bigint[]> {
  const sequences = await findSequences(tx, partnerId, ids);
  return sequences.map((sequence, index) => {
    if (sequence === undefined) throw noEvent(field, ids[index]);
    return sequence;
  });
}

function readResend({ eventId, eventIds, from, to }: ResendRequest): NamedEvents | { from: Date; to: Date } {
  const field = eventIds === undefined ? 'event_id' : 'event_ids';
  const texts = eventIds ?? (eventId === undefined ? undefined : [eventId]);
  if (texts !== undefined) {
    if (from !== undefined || to !== undefined || (eventIds !== undefined && eventId !== undefined)) {
      throw invalidField(field, 'Send one of event_id, event_ids, and from with to.');
    }
    return { ids: texts.map((text) => asEventId(text) ?? throwNoEvent(field, text)), field };
  }
  if (from === undefined && to === undefined) {
    throw invalidField('event_id', 'event_id or event_ids is required, or from and to.');
  }
  const [fromTime, toTime] = [readTime('from', from), readTime('to', to)];
  if (fromTime > toTime) throw invalidField('to', 'to must not be before from.');
  return { from: fromTime, to: toTime };
}

function readTime(field: string, text: string | undefined): Date {
  const time = text === undefined ? undefined : parseTimestamp(text);
  if (time) return time;
  throw invalidField(field, `${field} must be an ISO 8601 date and time with an offset.`);
}

function noEvent(field: NamedEvents['field'], text = ''): AppError {
  const what = field === 'event_id' ? field : `event_ids has "${text.slice(0, 64)}", which`;
  return invalidField(field, `${what} is no event of your log: it is unknown, or older than 90 days.`);
}

function throwNoEvent(field: NamedEvents['field'], text: string): never {
  throw noEvent(field, text);
}

export const endpointNotFound = () =>
  new AppError('endpoint_not_found', 'There is no such webhook endpoint.');

/** Returns an endpoint of a partner, or of any. Throws `endpoint_not_found`, and `partner_mismatch` for another partner's. */
export async function getEndpoint(
  db: Db | Tx,
  partnerId: Uuid | undefined,
  text: string,
): Promise<WebhookEndpoint> {
  const id = asEndpointId(text);
  return requireEndpoint(partnerId, id && (await findEndpoint(db, id)));
}

/**
 * Returns a delivery to an endpoint of a partner, with the body that each of its attempts sends; null when the event is no longer kept.
 * Throws `endpoint_not_found`, `partner_mismatch`, and `not_found` for what is no delivery to this endpoint.
 */
export async function getDelivery(
  { db }: Context,
  partnerId: Uuid,
  { endpointId, id: text }: { endpointId: string; id: string },
): Promise<{ delivery: WebhookDelivery; body: string | null }> {
  const endpoint = await getEndpoint(db, partnerId, endpointId);
  const id = asDeliveryId(text);
  const delivery = id && (await findDelivery(db, endpoint.id, id));
  if (!delivery) throw new AppError('not_found', 'There is no such delivery to this endpoint.');
  const [event] = (await findNumberedEvents(db, [{ partnerId, sequence: delivery.sequence }])).values();
  return { delivery, body: event ? shownEventBody(event) : null };
}

async function getEndpointForChange(
  tx: Tx,
  partnerId: Uuid | undefined,
  text: string,
): Promise<WebhookEndpoint> {
  const id = asEndpointId(text);
  return requireEndpoint(partnerId, id && (await lockEndpoint(tx, id)));
}

function requireEndpoint(
  partnerId: Uuid | undefined,
  endpoint: WebhookEndpoint | undefined,
): WebhookEndpoint {
  if (!endpoint) throw endpointNotFound();
  if (partnerId !== undefined) requireOwn({ partnerId }, endpoint, 'webhook endpoint');
  return endpoint;
}

function readTypes(names: readonly string[] | null): EventType[] | null {
  if (names === null) return null;
  const unknown = names.find((name) => !asEventType(name));
  if (unknown !== undefined) {
    throw invalidField('types', `types has "${unknown.slice(0, 64)}", which is no type of events.`);
  }
  if (names.length === 0)
    throw invalidField('types', 'types must name at least one type; leave it out for all.');
  return [...new Set(names.flatMap((name) => asEventType(name) ?? []))];
}

function readDescription(text: string | null): string | null {
  if (text !== null && !isStorable(text)) throw invalidField('description', 'description is no text.');
  return text;
}

/** Returns the canonical form of a URL. Throws `invalid_request` for one to which nothing may be sent. */
async function readUrl({ config }: Context, text: string): Promise<string> {
  if (!isStorable(text)) throw invalidField('url', 'url must be a URL that begins with https://.');
  try {
    const { url } = await resolveDestination(text, { allowLocal: config.webhooksAllowLocal });
    if (url.href.length <= maxUrlLength) return url.href;
  } catch (error) {
    if (error instanceof RefusedDestination) throw invalidField('url', `url ${error.message}.`);
    throw error;
  }
  throw invalidField('url', `url must have at most ${maxUrlLength} characters, written in ASCII.`);
}
