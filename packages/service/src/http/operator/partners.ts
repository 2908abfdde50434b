import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type ChangeTx, inChange } from '../../actions/change.js';
import { inviteOwner } from '../../actions/members/invite-member.js';
import { type PartnerStatusStep, setPartnerStatus } from '../../actions/partners/change-partner.js';
import { getPartner, type KnownPartner, withWallets } from '../../actions/partners/get-partner.js';
import {
  planNewPartner,
  planPartnerChange,
  planPartnerResumption,
  planPartnerWallet,
} from '../../actions/partners/plan-partner-change.js';
import { type OnChainReading, readOnChain, readOnChainOf } from '../../actions/partners/read-on-chain.js';
import { type RevokedWallet, revokePartnerWallet } from '../../actions/partners/revoke-partner-wallet.js';
import { requireConfirmation } from '../../actions/people/confirm.js';
import type { Context } from '../../context.js';
import { findWalletsOf, type PartnerWallet } from '../../db/partners/partner-wallets.js';
import { findPartners } from '../../db/partners/partners.js';
import { asUuid } from '../../domain/ids.js';
import { toInteger } from '../../domain/integer.js';
import { feeBudget } from '../../domain/limits.js';
import { amountNumber, parseDecimal } from '../../domain/money.js';
import { IssuedInvitationView, memberField, toIssuedInvitationView } from '../../views/member-view.js';
import { choice, closed, closedOrAbsent, Name, Nullable, reference, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';

import { route } from '../server/route.js';
import { changedBy, requesterOf } from './auth.js';
import { field } from './fields.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { onChainParts, toOnChainParts } from './on-chain-view.js';
import { ApprovalWaitingView, actOnce, changeOnce } from './operations.js';
import { administer, Reason, read } from './shapes.js';

const WalletParts = Type.Object({
  wallet_address: Type.String(field.partnerWallet),
  status: choice(['active', 'revoked'], field.walletStatus),
  created_at: Type.String(field.createdAt),
  revoked_at: Nullable(Type.String(), field.walletRevokedAt),
});

export const WalletView = titled('Wallet', {
  partner_id: Type.String(field.partnerId),
  ...WalletParts.properties,
});

const RevokedWalletView = titled('RevokedWallet', {
  ...WalletView.properties,
  revoked_api_keys: Type.Array(
    Type.Object({
      key_id: Type.String(field.keyId),
      key_name: Type.String(field.keyName),
      surface: choice(['partner', 'tradebook'], field.keySurface),
    }),
    { description: 'Keys that the wallet minted, and that no longer work.' },
  ),
});

const feeMeaning = 'Fee of redemptions as a fraction, from 0 to 0.5, at most 6 decimals: 0.015 is 1.5 %.';
const Fee = Type.Number({ description: feeMeaning, examples: [0.015] });

const FeeBudget = Type.Integer({
  description:
    'Lamports that the service may pay to the network for what lands of the partner within an hour (by UTC, from the full hour on), failures included, less the fees that it earns by trades, of which a USDC makes up for 1,000,000 lamports. Beyond that, quotes are 429 `rate_limited` with the reason `fee_budget_used`.',
  examples: [toInteger(feeBudget.usualLamports)],
  minimum: 0,
  maximum: toInteger(feeBudget.maxLamports),
});
const MinTrade = Type.Number({
  description: 'The smallest trade of its users in USDC, at most 6 decimals; 0 for any.',
  examples: [0],
  minimum: 0,
});

export const PartnerView = titled('Partner', {
  partner_id: Type.String(field.partnerId),
  name: Type.String(field.partnerName),
  status: choice(['active', 'suspended'], field.partnerStatus),
  fee_percentage: Fee,
  fee_budget_lamports_per_hour: FeeBudget,
  min_trade_usdc: MinTrade,
  wallets: Type.Array(WalletParts),
  ...onChainParts,
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
});

const PartnerParams = Type.Object({ partner_id: Type.String(field.partnerId) });
const WalletParams = Type.Object({
  partner_id: Type.String(field.partnerId),
  wallet_address: Type.String(field.partnerWallet),
});

const listRoute = route(read, {
  operationId: 'listPartners',
  summary: 'List the partners',
  description:
    'Newest first, with their state on chain. If that is unknown, `onchain_fault` gives the reason.',
  querystring: listQuery({
    q: searchFor('beginning of an id, or part of a name', 'acme'),

    status: choice(['active', 'suspended'], {
      ...field.partnerStatus,
      description: 'Only partners in this status.',
    }),
  }),
  response: { 200: countedPageOf('partners', PartnerView) },
});

const getRoute = route(read, {
  operationId: 'getPartner',
  summary: 'Get a partner',
  description: 'Includes the state on chain. If that is unknown, `onchain_fault` gives the reason.',
  errors: codes('partner_not_found'),
  params: PartnerParams,
  response: { 200: PartnerView },
});

const inviteRoute = route({ auth: 'operator', permission: 'administer' } as const, {
  operationId: 'inviteOwner',
  summary: 'Invite an owner of a partner',
  description:
    'Returns the link by which a person becomes an owner of the partner in its portal: pass it on, since Karat sends no mail. It works once, within 72 hours, and is never shown again. Takes no `Idempotency-Key`, because the link may not be stored. An operator with a second factor confirms the session: 403 `second_factor_required`.',
  errors: codes('partner_not_found', 'already_exists', 'second_factor_required'),
  params: PartnerParams,
  body: closed({ email: reference(memberField.email) }),
  response: { 201: IssuedInvitationView },
});

const createRoute = route(administer, {
  operationId: 'createPartner',
  summary: 'Create a partner',
  description:
    'The partner is active from the start. A first wallet may be registered with it, which needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes(
    'invalid_wallet',
    'wallet_not_allowed',
    'wallet_already_registered',
    'transition_not_allowed',
  ),
  body: closed({
    name: Name(255, field.partnerName),
    fee_percentage: Fee,
    wallet_address: Type.Optional(reference(field.partnerWallet)),
  }),
  bodyExample: { name: 'Initech Bullion', fee_percentage: 0.015 },
  response: { 201: PartnerView, 202: ApprovalWaitingView },
});

const changeRoute = route(administer, {
  operationId: 'changePartner',
  summary: 'Change a partner',
  description:
    'Omitted fields stay unchanged. New terms apply to quotes from now on. Another fee, a larger budget and a lower smallest trade need a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes('partner_not_found', 'invalid_request', 'transition_not_allowed'),
  params: PartnerParams,
  body: closed({
    name: Type.Optional(Name(255, field.partnerName)),
    fee_percentage: Type.Optional(Fee),
    fee_budget_lamports_per_hour: Type.Optional(FeeBudget),
    min_trade_usdc: Type.Optional(MinTrade),
  }),
  response: { 200: PartnerView, 202: ApprovalWaitingView },
});

const suspendRoute = route(administer, {
  operationId: 'suspendPartner',
  summary: 'Suspend a partner',
  description:
    'Takes effect immediately: its keys get 403 `partner_suspended`, no new keys are minted, and none of its orders are sent. Transactions that were quoted and signed before can still land if they are sent to a node directly, because the chain does not know about the suspension.',
  errors: codes('partner_not_found', 'transition_not_allowed'),
  params: PartnerParams,
  body: closed({ reason: Reason }),
  response: { 200: PartnerView },
});

const resumeRoute = route(administer, {
  operationId: 'resumePartner',
  summary: 'Resume a partner',
  description:
    'Lifts a suspension: its keys work again. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes('partner_not_found', 'transition_not_allowed'),
  params: PartnerParams,
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: PartnerView, 202: ApprovalWaitingView },
});

const addWalletRoute = route(administer, {
  operationId: 'addPartnerWallet',
  summary: 'Register a wallet of a partner',
  description:
    'The wallet may mint keys and co-sign trades. It belongs to this partner permanently, revoked or not. Needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.',
  errors: codes(
    'partner_not_found',
    'invalid_wallet',
    'wallet_not_allowed',
    'wallet_already_registered',
    'transition_not_allowed',
  ),
  params: PartnerParams,
  body: closed({
    wallet_address: reference({
      ...field.partnerWallet,
      examples: ['F8ygFE7UDSmJQxdJ9zCgQqPwWZRLwzGucYqG1fhuPC1e'],
    }),
  }),
  response: { 201: WalletView, 202: ApprovalWaitingView },
});

const revokeWalletRoute = route(administer, {
  operationId: 'revokePartnerWallet',
  summary: 'Revoke a wallet of a partner',
  description:
    'Takes effect immediately and permanently, and needs no second operator. The wallet gets no more challenges or keys, and no quotes of trades if the partner has it on chain. The keys that it minted, of both APIs, are revoked with it, and the response lists them.',
  errors: codes('partner_not_found', 'wallet_not_found', 'already_revoked'),
  params: WalletParams,
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response: { 200: RevokedWalletView },
});

/** Partners: who they are, whether they may work, and with which wallets. */
export function partnerRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Partners');
    app.get('/partners', listRoute, async ({ query }) => {
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) => findPartners(ctx.db, { status: query.status }, page),
        'partners',
      );
      const ids = rows.map(({ id }) => id);
      const [known, readings] = await Promise.all([withWallets(ctx.db, rows), readOnChain(ctx, ids)]);
      const views = known.map((partner, i) => toPartnerView(partner, readings[i] ?? notOnChain));
      return { partners: views, ...endOf(end) };
    });

    app.get('/partners/:partner_id', getRoute, async ({ params }) => {
      const partner = await getPartner(ctx.db, params.partner_id);
      const wallets = await findWalletsOf(ctx.db, [partner.id]);
      return toPartnerView({ partner, wallets }, await readOnChainOf(ctx, params.partner_id));
    });

    app.post('/partners', createRoute, async (request, reply) => {
      const { name, fee_percentage: feePercentage, wallet_address: walletAddress } = request.body;
      const plan = await planNewPartner(ctx, { name, feePercentage, walletAddress });
      return changeOnce(ctx, reply, plan, ({ partner }) => toPartnerView(partner, notOnChain), {
        status: 201,
      });
    });

    app.post('/partners/:partner_id/invitations', inviteRoute, async (request, reply) => {
      await requireConfirmation(ctx, requesterOf(request));
      const input = { partnerId: request.params.partner_id, email: request.body.email };
      const issued = await inChange(ctx, changedBy(request), (tx) => inviteOwner(ctx, tx, input));
      reply.code(201);
      return toIssuedInvitationView(issued);
    });

    app.patch('/partners/:partner_id', changeRoute, async (request, reply) => {
      const { partner_id: partnerId } = request.params;
      const { name, fee_percentage: feePercentage } = request.body;
      const { fee_budget_lamports_per_hour: feeBudgetLamports, min_trade_usdc: minTradeUsdc } = request.body;
      const changes = { partnerId, name, feePercentage, feeBudgetLamports, minTradeUsdc };
      const plan = await planPartnerChange(ctx, changes);
      const reading = await readOnChainOf(ctx, partnerId);
      return changeOnce(ctx, reply, plan, ({ partner }) => toPartnerView(partner, reading));
    });

    app.post('/partners/:partner_id/suspend', suspendRoute, async (request, reply) => {
      const { partner_id: partnerId } = request.params;
      const { reason } = request.body;
      const reading = await readOnChainOf(ctx, partnerId);
      const toView = (partner: KnownPartner) => toPartnerView(partner, reading);
      const suspend = (change: ChangeTx, step: PartnerStatusStep) => setPartnerStatus(ctx, change, step);
      return actOnce(ctx, reply, suspend, { partnerId, status: 'suspended', reason }, toView);
    });

    app.post('/partners/:partner_id/resume', resumeRoute, async (request, reply) => {
      const { partner_id: partnerId } = request.params;
      const step = { partnerId, reason: request.body?.reason };
      const plan = await planPartnerResumption(ctx, step);
      const reading = await readOnChainOf(ctx, partnerId);
      return changeOnce(ctx, reply, plan, ({ partner }) => toPartnerView(partner, reading));
    });

    app.post('/partners/:partner_id/wallets', addWalletRoute, async (request, reply) => {
      const input = {
        partnerId: request.params.partner_id,
        walletAddress: request.body.wallet_address,
      };
      const plan = await planPartnerWallet(ctx, input);
      return changeOnce(ctx, reply, plan, ({ wallet }) => toWalletView(wallet), { status: 201 });
    });

    app.post(
      '/partners/:partner_id/wallets/:wallet_address/revoke',
      revokeWalletRoute,
      async (request, reply) => {
        const { partner_id: partnerId, wallet_address: walletAddress } = request.params;
        const input = { partnerId, walletAddress, reason: request.body?.reason };
        return actOnce(ctx, reply, revokePartnerWallet, input, toRevokedWalletView);
      },
    );
  };
}

export const notOnChain: OnChainReading = { onChain: null };

const partnerView = viewOf(PartnerView);
const walletView = viewOf(WalletView);
const revokedWalletView = viewOf(RevokedWalletView);
const walletParts = viewOf(WalletParts);

/** The chain is read before anything is changed, so that no transaction waits for the node. */
export function toPartnerView({ partner, wallets }: KnownPartner, reading: OnChainReading) {
  return partnerView({
    ...partner,
    ...toOnChainParts(reading),
    partnerId: partner.id,
    feePercentage: amountNumber(parseDecimal(partner.feePercentage, 6) ?? 0n),
    feeBudgetLamportsPerHour: toInteger(partner.feeBudgetLamports),
    wallets: wallets.map(walletParts),
  });
}

export const toWalletView = (wallet: PartnerWallet) => walletView(wallet);

const toRevokedWalletView = ({ wallet, keys }: RevokedWallet) =>
  revokedWalletView({
    ...wallet,
    revokedApiKeys: keys.map(({ id, name, surface }) => ({ key_id: id, key_name: name, surface })),
  });
