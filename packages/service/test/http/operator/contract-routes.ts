import { newId, newUuid } from '../../../src/domain/ids.js';
import type { OperatorRole } from '../../../src/domain/operator.js';
import { newWallet } from '../../harness.js';

/**
 * Every route of the operator API, as the contract lists them, with who may use it and a body that it takes. Written by
 * hand on purpose: the tests hold the application's own routes against it.
 */
export interface ContractRoute {
  /** `METHOD path` below the base, with `:variables`. */
  name: string;
  may: readonly OperatorRole[];
  /** A body that the route takes; without one, the route takes none, or every field may be left out. */
  good?: () => Record<string, unknown>;
  /** Fields that it takes in place of others of `good`. */
  instead?: readonly string[];
  /** Whether it takes a session, and no token. */
  session?: boolean;
  /** Whether the response does not end by itself. */
  endless?: boolean;
  /** Its fields that may be left out; default: none. */
  optional?: readonly string[];
}

const everyone = ['viewer', 'fulfilment', 'compliance', 'admin'] as const;
const fulfilment = ['fulfilment', 'admin'] as const;
const compliance = ['compliance', 'admin'] as const;
const deciding = ['fulfilment', 'compliance', 'admin'] as const;
const admin = ['admin'] as const;

const reason = () => ({ reason: 'Asked for by the partner' });
/** A second factor that comes with a request. */
const fresh = {
  good: () => ({ second_factor: { token: 'f'.repeat(64), totp_code: '492039' } }),
  optional: ['second_factor'],
};
/** A second factor, or the password in place of the first one. */
const freshOrPassword = {
  good: () => ({ ...fresh.good(), current_password: 'correct horse battery staple' }),
  optional: ['second_factor', 'current_password'],
};
const allLimits = {
  user_daily_usdc: 1_000_000_000,
  user_daily_gold: 1_000_000_000,
  partner_daily_usdc: 1_000_000_000,
  partner_daily_gold: 1_000_000_000,
};
const limits = { good: () => allLimits, optional: Object.keys(allLimits) };
let made = 0;

/** A tola bar that is not recorded. */
export function newBar(more: Record<string, unknown> = {}) {
  made += 1;
  return {
    serial: `A${process.pid}-${made}`,
    refiner: 'Valcambi',
    fineness: 999.9,
    weight_g: 11.6638038,
    denomination_id: 'pk_tola_1',
    city: 'Karachi',
    ...more,
  };
}

export const contractRoutes: ContractRoute[] = [
  { name: 'DELETE /session', may: everyone },
  { name: 'GET /me', may: everyone },
  {
    name: 'PUT /me/password',
    may: everyone,
    // The password of all operators of a test, so that no operator is locked out.
    good: () => ({
      current_password: 'correct horse battery staple',
      new_password: 'correct horse battery staple',
    }),
  },

  { name: 'GET /me/second-factor', may: everyone },
  {
    name: 'POST /me/second-factor/challenges',
    may: everyone,
    session: true,
    good: () => ({ purpose: 'account' }),
    instead: ['approval_id'],
  },
  {
    name: 'POST /me/second-factor/confirm',
    may: everyone,
    session: true,
    good: () => ({ token: 'f'.repeat(64), totp_code: '492039' }),
    optional: ['totp_code'],
    instead: ['passkey', 'recovery_code'],
  },
  { name: 'GET /me/sessions', may: everyone },
  { name: 'POST /me/sessions/:session_id/end', may: everyone },
  { name: 'POST /me/sessions/end-others', may: everyone },
  { name: 'POST /me/passkeys/options', may: everyone, session: true, ...freshOrPassword },
  {
    name: 'POST /me/passkeys',
    may: everyone,
    session: true,
    good: () => ({ token: 'f'.repeat(64), name: 'Laptop', passkey: { id: 'x' } }),
  },
  {
    name: 'PATCH /me/passkeys/:passkey_id',
    may: everyone,
    session: true,
    good: () => ({ name: 'Laptop' }),
  },
  { name: 'POST /me/passkeys/:passkey_id/remove', may: everyone, session: true, ...fresh },
  { name: 'POST /me/totp', may: everyone, session: true, ...freshOrPassword },
  { name: 'POST /me/totp/confirm', may: everyone, session: true, good: () => ({ totp_code: '492039' }) },
  { name: 'POST /me/totp/remove', may: everyone, session: true, ...fresh },
  { name: 'POST /me/recovery-codes', may: everyone, session: true, ...fresh },

  { name: 'GET /summary', may: everyone },
  { name: 'GET /stream', may: everyone, endless: true },

  { name: 'GET /operators', may: everyone },
  {
    name: 'POST /operators',
    may: admin,
    good: () => {
      made += 1;
      const email = `new-${made}-${newUuid()}@karat.test`;
      return { email, name: 'Sana Malik', role: 'viewer', password: 'correct horse battery' };
    },
  },
  {
    name: 'PATCH /operators/:operator_id',
    may: admin,
    good: () => ({ name: 'Sana', role: 'viewer' }),
    optional: ['name', 'role'],
  },
  { name: 'POST /operators/:operator_id/disable', may: admin, good: reason },
  { name: 'POST /operators/:operator_id/enable', may: admin, good: reason, optional: ['reason'] },
  { name: 'POST /operators/:operator_id/reset-second-factor', may: admin, good: reason },
  { name: 'GET /operators/:operator_id/tokens', may: everyone },
  { name: 'POST /operator-tokens/:token_id/revoke', may: admin, good: reason, optional: ['reason'] },
  { name: 'GET /operators/:operator_id/sessions', may: admin },
  { name: 'POST /operators/:operator_id/end-sessions', may: admin, good: reason, optional: ['reason'] },
  { name: 'POST /operator-sessions/:session_id/end', may: admin, good: reason, optional: ['reason'] },

  { name: 'GET /partners', may: everyone },
  { name: 'GET /partners/:partner_id', may: everyone },
  {
    name: 'POST /partners',
    optional: ['wallet_address'],
    may: admin,
    good: () => ({ name: 'Initech', fee_percentage: 0.01, wallet_address: newWallet().address }),
  },
  {
    name: 'PATCH /partners/:partner_id',
    optional: ['name', 'fee_percentage', 'fee_budget_lamports_per_hour', 'min_trade_usdc'],
    may: admin,
    good: () => ({
      name: 'Initech',
      fee_percentage: 0.01,
      fee_budget_lamports_per_hour: 500_000_000,
      min_trade_usdc: 5,
    }),
  },
  { name: 'POST /partners/:partner_id/suspend', may: admin, good: reason },
  { name: 'POST /partners/:partner_id/resume', may: admin, good: reason, optional: ['reason'] },
  {
    name: 'POST /partners/:partner_id/invitations',
    may: admin,
    good: () => ({ email: `${newUuid()}@karat.test` }),
  },
  {
    name: 'POST /partners/:partner_id/wallets',
    may: admin,
    good: () => ({ wallet_address: newWallet().address }),
  },
  {
    name: 'POST /partners/:partner_id/wallets/:wallet_address/revoke',
    may: admin,
    good: reason,
    optional: ['reason'],
  },
  {
    name: 'PUT /partners/:partner_id/onchain',
    optional: ['status', 'daily_limit_usdc', 'expected_terms_seq'],
    may: admin,
    good: () => ({
      wallet_address: newWallet().address,
      open_fee_bps: 50,
      closed_fee_bps: 100,
      update_authority: newWallet().address,
      withdrawal_authority: newWallet().address,
      executive_authorities: [newWallet().address],
      status: 'active',
      daily_limit_usdc: 1_000,
      expected_terms_seq: 0,
    }),
  },
  ...['propose', 'cancel', 'apply'].map((act) => ({
    name: `POST /partners/:partner_id/authorities/:role/${act}`,
    may: admin,
    good: () => ({ address: newWallet().address }),
  })),

  { name: 'GET /api-keys', may: everyone },
  { name: 'GET /partners/:partner_id/api-keys', may: everyone },
  { name: 'POST /api-keys/:key_id/revoke', may: compliance, good: reason, optional: ['reason'] },
  { name: 'GET /webhook-endpoints', may: everyone },
  { name: 'GET /webhook-endpoints/:endpoint_id', may: everyone },
  { name: 'GET /webhook-endpoints/:endpoint_id/deliveries', may: everyone },
  { name: 'POST /webhook-endpoints/:endpoint_id/disable', may: admin, good: reason },

  { name: 'GET /countries', may: everyone },
  { name: 'PUT /countries/:code', may: admin, good: () => ({ name: 'Türkiye', active: true }) },
  { name: 'GET /countries/:code/id-types', may: everyone },
  {
    name: 'PUT /countries/:code/id-types/:id_type',
    may: admin,
    good: () => ({ pattern: '[0-9]{11}', example: '12345678901' }),
    optional: ['example'],
    instead: ['expected'],
  },
  { name: 'DELETE /countries/:code/id-types/:id_type', may: admin },

  { name: 'GET /denominations', may: everyone },
  {
    name: 'POST /denominations',
    may: admin,
    good: () => {
      made += 1;
      const place = { country: 'PK', city: 'Karachi', active: true };
      return { id: `bar_${made}`, label: '5 g bar', weight_g: 5, ...place };
    },
  },
  {
    name: 'PATCH /denominations/:id',
    optional: ['label', 'country', 'city', 'active'],
    may: admin,
    good: () => ({ label: '5 g bar', country: 'PK', city: 'Karachi', active: true }),
  },

  { name: 'GET /users', may: everyone },
  { name: 'GET /users/:service_user_id', may: everyone },
  {
    name: 'POST /users/search',
    may: compliance,
    good: () => ({ full_name: 'Khan', ...reason() }),
    optional: ['full_name'],
    instead: ['id_number'],
  },
  { name: 'POST /users/:service_user_id/suspend', may: compliance, good: reason },
  { name: 'POST /users/:service_user_id/resume', may: compliance, good: reason, optional: ['reason'] },
  {
    name: 'POST /users/:service_user_id/kyc-level',
    may: compliance,
    good: () => ({ kyc_level: 'lapsed', ...reason() }),
  },

  { name: 'GET /limits', may: everyone },
  { name: 'PUT /limits', may: compliance, ...limits },
  { name: 'GET /partners/:partner_id/limits', may: everyone },
  { name: 'PUT /partners/:partner_id/limits', may: compliance, ...limits },
  { name: 'GET /users/:service_user_id/limits', may: everyone },
  {
    name: 'PUT /users/:service_user_id/limits',
    may: compliance,
    good: () => ({ user_daily_usdc: 100, user_daily_gold: 1 }),
    optional: ['user_daily_usdc', 'user_daily_gold'],
  },

  { name: 'GET /views', may: everyone },
  {
    name: 'POST /views',
    may: everyone,
    good: () => ({ list: 'redemptions', name: 'Mine', filter: { assigned_to: 'me' } }),
  },
  { name: 'DELETE /views/:view_id', may: everyone },
  { name: 'GET /redemptions', may: everyone },
  { name: 'GET /redemptions/:redemption_id', may: everyone },
  {
    name: 'POST /redemptions/:redemption_id/assign',
    may: fulfilment,
    good: () => ({ assignee_id: newUuid(), instead_of: newUuid() }),
    optional: ['instead_of'],
  },
  {
    name: 'POST /redemptions/:redemption_id/prepare',
    may: fulfilment,
    good: () => ({ bar_serial: 'A1', bar_refiner: 'Valcambi', note: 'Bar 7' }),
    optional: ['bar_serial', 'bar_refiner', 'note'],
  },
  {
    name: 'POST /redemptions/:redemption_id/ready',
    may: fulfilment,
    good: () => ({ bar_serial: 'A1', bar_refiner: 'Valcambi', note: 'Bar 7' }),
    optional: ['bar_serial', 'bar_refiner', 'note'],
  },
  {
    name: 'POST /redemptions/:redemption_id/collect',
    may: fulfilment,
    good: () => ({ pickup_code: '04711338', bar_serial: 'A1', bar_refiner: 'Valcambi', note: 'Bar 7' }),
    optional: ['pickup_code', 'bar_serial', 'bar_refiner', 'note'],
    instead: ['without_code'],
  },
  {
    name: 'POST /redemptions/:redemption_id/reissue-code',
    may: fulfilment,
    good: reason,
    optional: ['reason'],
  },
  { name: 'POST /redemptions/:redemption_id/reveal-identity', may: compliance, good: reason },
  { name: 'GET /redemptions/:redemption_id/receipt', may: fulfilment },
  {
    name: 'POST /redemptions/:redemption_id/cancel',
    optional: ['note'],
    may: fulfilment,
    good: () => ({ physical_gold_committed: false, note: 'Bar 7' }),
  },
  { name: 'POST /redemptions/:redemption_id/refund', may: fulfilment },
  { name: 'POST /redemptions/:redemption_id/burn', may: fulfilment },
  { name: 'POST /redemptions/:redemption_id/burn/cancel', may: fulfilment, good: reason },

  { name: 'GET /bars', may: everyone },
  { name: 'GET /bars/:bar_id', may: everyone },
  { name: 'POST /bars', may: fulfilment, good: () => ({ bars: [newBar()] }) },
  { name: 'POST /bars/check', may: fulfilment, good: () => ({ bars: [newBar()] }) },
  {
    name: 'PATCH /bars/:bar_id',
    may: fulfilment,
    good: () => ({
      city: 'Karachi',
      denomination_id: 'pk_tola_1',
      fineness: 999.9,
      weight_g: 11.6638038,
      status: 'withdrawn',
      ...reason(),
    }),
    optional: ['city', 'denomination_id', 'fineness', 'weight_g', 'status', 'reason'],
  },
  { name: 'GET /stock', may: everyone },

  { name: 'GET /approvals', may: everyone },
  { name: 'POST /approvals/:approval_id/approve', may: deciding, ...fresh },
  { name: 'POST /approvals/:approval_id/reject', may: deciding, good: reason },

  { name: 'GET /trades', may: everyone },
  { name: 'GET /trades/:trade_id', may: everyone },
  { name: 'GET /orders', may: everyone },
  { name: 'GET /orders/:id', may: everyone },

  { name: 'GET /audit', may: everyone },
  { name: 'GET /audit/verify', may: everyone },

  { name: 'GET /chain/status', may: everyone },
  {
    name: 'PUT /chain/status',
    optional: ['paused', 'market', 'reason'],
    may: admin,
    good: () => ({
      paused: { trade: false, partner: false, withdraw: false },
      market: 'auto',
      ...reason(),
    }),
  },

  { name: 'GET /chain/settings', may: everyone },
  {
    name: 'POST /chain/settings',
    optional: ['reason'],
    may: admin,
    good: () => ({ settings: { max_age_open: 59 }, ...reason() }),
  },
  { name: 'POST /chain/settings/apply', may: admin, good: reason, optional: ['reason'] },
  { name: 'POST /chain/settings/cancel', may: admin, good: reason, optional: ['reason'] },

  { name: 'GET /price', may: everyone },
  { name: 'GET /price/history', may: everyone },
  { name: 'GET /indexer', may: everyone },
  { name: 'GET /treasury', may: everyone },
  {
    name: 'POST /treasury/attestation',
    optional: ['as_of', 'confirm'],
    may: admin,
    good: () => ({
      ...{ amount: 1_000, burned_at: 0, as_of: '2026-03-01T12:00:00Z', confirm: 1_000 },
      report_hash: 'c7'.repeat(32),
    }),
  },
  { name: 'GET /dead-letters', may: everyone },
  { name: 'POST /dead-letters/:id/retry', may: admin },
  { name: 'POST /dead-letters/:id/resolve', may: admin, good: reason },
  {
    name: 'POST /dead-letters/resolve',
    may: admin,
    good: () => ({ dead_letter_ids: [newUuid()], ...reason() }),
  },
];

/** Values of path variables that nothing has, but that are well-formed. */
export const unknownIds: Record<string, () => string> = {
  code: () => 'ZZ',
  id_type: () => 'cnic',
  id: () => newUuid(),
  service_user_id: () => newId('gu'),
  redemption_id: () => newId('red'),
  trade_id: () => newId('trd'),
  wallet_address: () => newWallet().address,
  operator_id: newUuid,
  token_id: newUuid,
  partner_id: newUuid,
  role: () => 'update',
  key_id: newUuid,
  endpoint_id: () => newId('we'),
  approval_id: newUuid,
  bar_id: newUuid,
  passkey_id: newUuid,
  session_id: newUuid,
  view_id: newUuid,
};

export function methodOf({ name }: ContractRoute): 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' {
  return name.split(' ')[0] as 'GET';
}

/** Path below the base with its variables filled in; those that are not given are unknown ids. */
export function pathOf({ name }: ContractRoute, ids: Record<string, string> = {}): string {
  const path = name.slice(name.indexOf(' ') + 1);
  return path.replace(/:(\w+)/g, (_, variable: string) => {
    const value = ids[variable] ?? unknownIds[variable]?.();
    if (value === undefined) throw new Error(`no value for ${variable}`);
    return value;
  });
}

/** Names of the variables in the path. */
export function variablesOf({ name }: ContractRoute): string[] {
  return [...name.matchAll(/:(\w+)/g)].map(([, variable]) => variable ?? '');
}
