import { randomFillSync } from 'node:crypto';
import { v5, v7 } from 'uuid';
import type { TxSignature } from './solana.js';

/** Prefixes of the identifiers that callers see: user, trade, redemption, challenge, event, webhook endpoint, delivery, statement, request. */
export type Prefix = 'gu' | 'trd' | 'red' | 'ch' | 'evt' | 'we' | 'dlv' | 'rs' | 'req';

export type Id<P extends Prefix> = `${P}_${string}` & { readonly __id: P };
export type UserId = Id<'gu'>;
export type TradeId = Id<'trd'>;
export type RedemptionId = Id<'red'>;
export type ChallengeId = Id<'ch'>;
export type EventId = Id<'evt'>;
export type EndpointId = Id<'we'>;
export type DeliveryId = Id<'dlv'>;
export type StatementId = Id<'rs'>;
export type RequestId = Id<'req'>;

/** Partners, wallets, keys and operators have plain UUIDs. */
export type Uuid = string & { readonly __uuid: true };

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const uuidPattern = new RegExp(`^${uuid}$`);
const idPattern: Record<Prefix, RegExp> = {
  gu: new RegExp(`^gu_${uuid}$`),
  trd: new RegExp(`^trd_${uuid}$`),
  red: new RegExp(`^red_${uuid}$`),
  ch: new RegExp(`^ch_${uuid}$`),
  evt: new RegExp(`^evt_${uuid}$`),
  we: new RegExp(`^we_${uuid}$`),
  dlv: new RegExp(`^dlv_${uuid}$`),
  rs: new RegExp(`^rs_${uuid}$`),
  req: new RegExp(`^req_${uuid}$`),
};

/** Returns a new identifier: prefix and a UUIDv7 in lower case, so that ids sort by the time they were made. */
export function newId<P extends Prefix>(prefix: P): Id<P> {
  return `${prefix}_${newUuid()}` as Id<P>;
}

/** Returns the identifier of that kind with a UUID in lower case. */
export function prefixedId<P extends Prefix>(prefix: P, uuid: string): Id<P> {
  return `${prefix}_${uuid}` as Id<P>;
}

/** Returns a new UUIDv7 in lower case. Those of one process are ordered as they were made. */
export function newUuid(): Uuid {
  const random = nextRandom();
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = random.readUInt32LE(0) >>> 1;
  } else {
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) lastMs += 1;
  }
  return v7({ random, msecs: lastMs, seq: sequence }) as Uuid;
}

/** The time of the last UUIDv7, Unix milliseconds, and what orders those of one millisecond. */
let lastMs = 0;
let sequence = 0;

/** Random bytes for many UUIDs: getting them one by one takes longer than all the rest. */
const randomPool = Buffer.alloc(16 * 256);
let randomAt = randomPool.length;

function nextRandom(): Buffer {
  if (randomAt === randomPool.length) {
    randomFillSync(randomPool);
    randomAt = 0;
  }
  randomAt += 16;
  return randomPool.subarray(randomAt - 16, randomAt);
}

/** `text` as an identifier of that kind, in lower case, or undefined: a malformed id is an unknown id. Capitals are taken. */
export function asId<P extends Prefix>(prefix: P, text: string): Id<P> | undefined {
  const lower = text.toLowerCase();
  return idPattern[prefix].test(lower) ? (lower as Id<P>) : undefined;
}

export const asUserId = (text: string) => asId('gu', text);
export const asTradeId = (text: string) => asId('trd', text);
export const asRedemptionId = (text: string) => asId('red', text);
export const asEventId = (text: string) => asId('evt', text);
export const asEndpointId = (text: string) => asId('we', text);
export const asDeliveryId = (text: string) => asId('dlv', text);
export const asStatementId = (text: string) => asId('rs', text);
export const asRequestId = (text: string) => asId('req', text);

export function uuidOf<P extends Prefix>(id: Id<P>): Uuid {
  return id.slice(id.indexOf('_') + 1) as Uuid;
}

/** `text` as a UUID in lower case, or undefined. Capitals are taken: UUIDs are compared without case (RFC 9562). */
export function asUuid(text: string): Uuid | undefined {
  const lower = text.toLowerCase();
  return uuidPattern.test(lower) ? (lower as Uuid) : undefined;
}

/** How much of a UUID has to be there before others are found by it: less would find nearly all. */
const minUuidBeginning = 4;

/** Returns the lowest and the highest UUID that begin as `text` does, or undefined where `text` begins none or is too short. */
export function uuidsBeginning(text: string): [lowest: Uuid, highest: Uuid] | undefined {
  const lower = text.toLowerCase();
  const filled = (digit: string) =>
    asUuid(lower + '00000000-0000-0000-0000-000000000000'.slice(lower.length).replaceAll('0', digit));
  const [lowest, highest] = [filled('0'), filled('f')];
  return lower.length >= minUuidBeginning && lowest && highest ? [lowest, highest] : undefined;
}

/** Returns the 16 bytes of a redemption's UUID, as the on-chain program keeps them. */
export function redemptionBytes(id: RedemptionId): Uint8Array {
  return uuidBytes(uuidOf(id));
}

export function redemptionFromBytes(bytes: ArrayLike<number>): RedemptionId {
  return `red_${uuidFromBytes(bytes)}` as RedemptionId;
}

export function uuidBytes(id: Uuid): Uint8Array {
  return Uint8Array.from(Buffer.from(id.replaceAll('-', ''), 'hex'));
}

/** Writes the 16 bytes of a UUID at a place. */
export function writeUuid(into: Buffer, id: Uuid, at: number): void {
  into.write(id.slice(0, 8), at, 4, 'hex');
  into.write(id.slice(9, 13), at + 4, 2, 'hex');
  into.write(id.slice(14, 18), at + 6, 2, 'hex');
  into.write(id.slice(19, 23), at + 8, 2, 'hex');
  into.write(id.slice(24), at + 10, 6, 'hex');
}

export function uuidFromBytes(bytes: ArrayLike<number>): Uuid {
  const whole =
    bytes instanceof Uint8Array
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : Buffer.from(Uint8Array.from(bytes));
  const hex = whole.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid;
}

/** Namespace of the ids that are made from signatures: a random UUID of our own. */
const signatureNamespace = 'd2b1f6c4-6f0a-4f57-8a43-0f6f5b7f0e19';

/**
 * Returns the UUID (version 5) of a transaction, and of each of its calls behind the first, whose place is 0: always
 * the same for the same transaction.
 */
export function uuidOfSignature(txSignature: TxSignature, place = 0): Uuid {
  return v5(place === 0 ? txSignature : `${txSignature} ${place}`, signatureNamespace) as Uuid;
}
