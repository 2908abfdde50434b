/** Every event that a partner gets, in the order of the documentation: a closed list. */
export const eventTypes = [
  'user.created',
  'user.suspended',
  'user.resumed',
  'user.kyc_level_changed',
  'api_key.created',
  'api_key.revoked',
  'trade.submitted',
  'trade.confirmed',
  'trade.failed',
  'trade.expired',
  'trade.reverted',
  'redemption.submitted',
  'redemption.preparing',
  'redemption.ready',
  'redemption.collected',
  'redemption.cancellation_requested',
  'redemption.cancelled',
  'redemption.failed',
  'redemption.refunded',
  'redemption.burned',
  'purchase.confirmed',
  'purchase.failed',
  'purchase.expired',
  'sale.confirmed',
  'sale.failed',
  'sale.expired',
  'withdrawal.confirmed',
  'withdrawal.failed',
  'withdrawal.expired',
  'executives.changed',
  'partner.suspended',
  'partner.resumed',
  'webhook_endpoint.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

/** What an event is about. */
export const eventObjectTypes = [
  'user',
  'api_key',
  'trade',
  'operation',
  'redemption',
  'purchase',
  'sale',
  'withdrawal',
  'partner',
  'webhook_endpoint',
] as const;

export type EventObjectType = (typeof eventObjectTypes)[number];

/** Returns `text` as a type of events, or undefined. */
export function asEventType(text: string): EventType | undefined {
  return eventTypes.find((type) => type === text);
}

/** Events are kept this long, by the clock of the service. */
export const eventsKeptMs = 90 * 24 * 60 * 60_000;
