import { Type } from '@fastify/type-provider-typebox';
import type { PartnerTerms } from '../db/partners/partner-terms.js';
import { amountNumber, decimalNumber } from '../domain/money.js';
import { about, field, usdc } from './fields.js';
import { choice, Nullable, titled } from './schemas.js';

const fee = (when: string, example: number) =>
  Nullable(
    Type.Integer(),
    about(
      `Fee of trades while the market is ${when}, in basis points; null if you are not set up on chain.`,
      example,
    ),
  );

/** A partner as it reads itself, without the key that it uses. */
export const partnerTermsShape = {
  partner_id: Type.String(field.partnerId),
  name: Type.String(about('Name of the partner.', 'Acme Gold')),
  status: choice(
    ['active', 'suspended'],
    about('`suspended` if trades are stopped, by the service or on chain.', 'active'),
  ),
  created_at: Type.String({
    ...field.createdAt,
    description: 'Since when you are a partner; UTC, with milliseconds.',
  }),
  wallets: Type.Array(Type.String(field.partnerWallet), { description: 'Active wallets of the partner.' }),
  integrator_address: Nullable(
    Type.String(),
    about(
      "Address of the partner's account in the on-chain program; null if you are not set up on chain.",
      '8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj',
    ),
  ),
  open_fee_bps: fee('open', 50),
  closed_fee_bps: fee('closed', 150),
  fee_percentage: Type.Number(about('Fee of redemptions, as a fraction: 0.015 is 1.5 %.', 0.015)),
  limits: titled('PartnerLimits', {
    requests_per_minute: Type.Integer(
      about('Reads (GET) that a key may make in a minute, and as many writes.', 600),
    ),
    min_trade_usdc: Nullable(
      Type.Number(),
      usdc('The smallest trade that your terms allow; null for any.', 5),
    ),
    max_trade_usdc: Nullable(
      Type.Number(),
      usdc(
        'The largest trade that the on-chain program accepts; null for any, and while that is not known.',
        1_000_000,
      ),
    ),
  }),
};

export function toPartnerTermsView(terms: PartnerTerms) {
  const { partner, status, wallets, integrator, maxTradeUsdc, requestsPerMinute } = terms;
  return {
    partner_id: partner.id,
    name: partner.name,
    status,
    created_at: partner.createdAt.toISOString(),
    wallets,
    integrator_address: integrator?.address ?? null,
    open_fee_bps: integrator?.openFeeBps ?? null,
    closed_fee_bps: integrator?.closedFeeBps ?? null,
    fee_percentage: decimalNumber(partner.feePercentage),
    limits: {
      requests_per_minute: requestsPerMinute,
      min_trade_usdc: partner.minTradeUsdc === 0n ? null : amountNumber(partner.minTradeUsdc),
      max_trade_usdc: maxTradeUsdc === undefined ? null : amountNumber(maxTradeUsdc),
    },
  };
}
