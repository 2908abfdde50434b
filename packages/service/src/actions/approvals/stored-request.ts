import { type Static, type TSchema, Type } from 'typebox';
import Value from 'typebox/value';
import { operatorRoles } from '../../domain/operator.js';
import { AppError } from '../../errors.js';

/** The requests of approvals as plans write them, in the fields of the API. */
export const stored = {
  onchain: Type.Object({
    wallet_address: Type.String(),
    open_fee_bps: Type.Number(),
    closed_fee_bps: Type.Number(),
    daily_limit_usdc: Type.Union([Type.Number(), Type.Literal('none')]),
    update_authority: Type.String(),
    withdrawal_authority: Type.String(),
    executive_authorities: Type.Array(Type.String()),
    status: Type.Enum(['active', 'suspended']),
  }),
  authority: Type.Object({ role: Type.String(), address: Type.String() }),
  newPartner: Type.Object({
    name: Type.String(),
    fee_percentage: Type.Number(),
    wallet_address: Type.Optional(Type.String()),
  }),
  partnerChange: Type.Object({
    name: Type.Optional(Type.String()),
    fee_percentage: Type.Optional(Type.Number()),
    fee_budget_lamports_per_hour: Type.Optional(Type.Number()),
    min_trade_usdc: Type.Optional(Type.Number()),
  }),
  partnerWallet: Type.Object({ partner_id: Type.String() }),
  denomination: Type.Object({
    id: Type.String(),
    label: Type.String(),
    weight_g: Type.Number(),
    country: Type.String(),
    city: Type.String(),
    active: Type.Boolean(),
  }),
  denominationChange: Type.Object({
    label: Type.Optional(Type.String()),
    country: Type.Optional(Type.String()),
    city: Type.Optional(Type.String()),
    active: Type.Optional(Type.Boolean()),
  }),
  operatorChange: Type.Object({
    name: Type.Optional(Type.String()),
    role: Type.Optional(Type.Enum([...operatorRoles])),
  }),
  burnCancellation: Type.Object({ reason: Type.String() }),
  collection: Type.Object({
    without_code: Type.Object({ reason: Type.String() }),
    note: Type.Union([Type.String(), Type.Null()]),
    bar_serial: Type.Union([Type.String(), Type.Null()]),
    bar_refiner: Type.Union([Type.String(), Type.Null()]),
  }),
  bars: Type.Object({
    bars: Type.Array(
      Type.Object({
        serial: Type.String(),
        refiner: Type.String(),
        fineness: Type.Number(),
        weight_g: Type.Number(),
        denomination_id: Type.String(),
        city: Type.String(),
      }),
    ),
  }),
  barChange: Type.Object({
    status: Type.Optional(Type.Enum(['in_stock', 'withdrawn'])),
    city: Type.Optional(Type.String()),
    denomination_id: Type.Optional(Type.String()),
    fineness: Type.Optional(Type.Number()),
    weight_g: Type.Optional(Type.Number()),
    reason: Type.Union([Type.String(), Type.Null()]),
  }),
  limits: Type.Object({
    user_daily_usdc: Type.Optional(Type.Number()),
    user_daily_gold: Type.Optional(Type.Number()),
    partner_daily_usdc: Type.Optional(Type.Number()),
    partner_daily_gold: Type.Optional(Type.Number()),
  }),
  statusChange: Type.Object({ reason: Type.Union([Type.String(), Type.Null()]) }),
};

/** Returns the request of an approval as one of `stored`. Throws `internal_error` when it was written as something else. */
export function readStored<Schema extends TSchema>(schema: Schema, request: unknown): Static<Schema> {
  if (Value.Check(schema, request)) return request;
  throw new AppError('internal_error', 'an approval holds a request that no plan writes');
}
