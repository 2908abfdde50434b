import type { components, operations } from './generated/partner.js';

export type Schemas = components['schemas'];

/** The query of a route; numbers may be numbers. */
export type QueryOf<Name extends keyof operations> = {
  [Field in keyof Parameters<Name>]: Field extends 'limit' ? string | number : Parameters<Name>[Field];
};
type Parameters<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

export type Trade = Schemas['Trade'];
export type Redemption = Schemas['RedemptionWithFigures'];
/** The single record, which has the pickup code while it is ready. */
export type RedemptionWithCode = Schemas['RedemptionWithCode'];
export type Operation = Schemas['Operation'];
export type BuyQuote = Schemas['QuoteBuyResult'];
export type SellQuote = Schemas['QuoteSellResult'];
export type RedemptionQuote = Schemas['QuoteRedemptionResult'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** What the objects of events are. */
interface EventObjects {
  user: Schemas['UserWithKyc'];
  api_key: Schemas['ApiKey'];
  trade: Trade;
  operation: Operation;
  redemption: Redemption;
  partner: Omit<Schemas['Me'], 'key'>;
  purchase: Record<string, unknown>;
  sale: Record<string, unknown>;
  withdrawal: Record<string, unknown>;
  webhook_endpoint: WebhookEndpoint;
  invitation: Schemas['Invitation'] & { url: string | null };
}

type EventData = {
  [Type in Schemas['Event']['data']['object_type']]: { object_type: Type; object: EventObjects[Type] };
};

/** An event as the log, the stream and webhooks have it. */
export type KaratEvent = Omit<Schemas['Event'], 'data'> & { data: EventData[keyof EventData] };

/** Types of events: a list, or text that separates them by commas. */
export type EventTypes = readonly KaratEvent['type'][] | string;

/** An event as a webhook brings it: one of the log, or that of `webhookEndpoints.test`. */
export type WebhookEvent =
  | KaratEvent
  | (Omit<KaratEvent, 'type' | 'data'> & {
      type: 'webhook.test';
      data: { object_type: 'webhook_endpoint'; object: WebhookEndpoint };
    });
