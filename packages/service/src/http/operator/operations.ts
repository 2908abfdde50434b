import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Changed, Outcome, Plan } from '../../actions/approvals/plan.js';
import { requestOperation } from '../../actions/approvals/request-operation.js';
import type { ChangeTx } from '../../actions/change.js';
import type { Settle } from '../../actions/complete-idempotency-key.js';
import { planOnchain } from '../../actions/partners/plan-onchain.js';
import { planSettlement } from '../../actions/redemptions/plan-settlement.js';
import type { Context } from '../../context.js';
import { type SettlementKind, settlementKinds } from '../../domain/redemption.js';
import { codes } from '../openapi/conventions.js';
import { completeOnce, respondOnce } from '../server/idempotency.js';
import { choice, reference } from '../server/schemas.js';
import { changeOf, requesterOf } from './auth.js';
import { field } from './fields.js';
import { OnChainView, toOnChainView } from './on-chain-view.js';
import { operationField } from './operation-fields.js';
import { recordField } from './record-fields.js';
import { administer, closed, closedOrAbsent, fulfil } from './shapes.js';

/** What another operator has to approve first. */
export const ApprovalWaitingView = Type.Object(
  {
    approval_id: Type.String(operationField.approvalId),
    expires_at: Type.String(operationField.approvalExpiresAt),
  },
  { title: 'WaitingForApproval', examples: [operationField.waitingExample] },
);

/** What is not done yet: somebody has to approve it, or to sign it. */
export const WaitingView = Type.Union(
  [
    Type.Object(ApprovalWaitingView.properties),
    Type.Object({
      transaction: Type.String(operationField.transaction),
      signers: Type.Array(Type.String(), operationField.signers),
      expires_at: Type.String(operationField.transactionExpiresAt),
    }),
  ],
  { title: 'WaitingForApprovalOrSignature', examples: [operationField.waitingExample] },
);

/** A confirmation may take as long as that. */
export const confirmWithinMs = 30_000;

const onchainSchema = {
  operationId: 'putPartnerOnchain',
  tags: ['Partners'],
  summary: 'Put a partner on chain, or change it there',
  description:
    "If the partner is already on chain, its fees and status can be changed; its wallet and authorities stay unchanged, and only its own update authority changes its executives. 200 if the service holds the operations key or the admin's key and the chain has confirmed the change; 202 with an unsigned `transaction` if it holds neither; 202 with an `approval_id` if a second operator must approve. Without `daily_limit_usdc` the limit stays unchanged. Send the `terms_seq` that you saw as `expected_terms_seq`, so that a change that somebody else has made since then is not undone.",
  errors: codes('partner_not_found', 'invalid_wallet', 'transition_not_allowed', 'broadcast_failed'),
  params: Type.Object({ partner_id: Type.String(field.partnerId) }),
  body: closed({
    wallet_address: reference(field.onChainWallet),
    open_fee_bps: Type.Integer({ ...field.openFeeBps, minimum: 0, maximum: 10_000 }),
    closed_fee_bps: Type.Integer({ ...field.closedFeeBps, minimum: 0, maximum: 10_000 }),
    daily_limit_usdc: Type.Optional(Type.Number({ ...field.dailyLimitUsdc, minimum: 0 })),
    update_authority: reference(field.updateAuthority),
    withdrawal_authority: reference(field.withdrawalAuthority),
    executive_authorities: Type.Array(Type.String(field.executiveAuthority)),
    status: Type.Optional(choice(['active', 'suspended'], field.onChainStatus)),
    expected_terms_seq: Type.Optional(
      Type.Integer({ ...field.expectedTermsSeq, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ),
  }),
  response: {
    200: Type.Object({ tx_hash: Type.String(recordField.txHash), onchain: OnChainView }),
    202: WaitingView,
  },
};

const settlements = {
  refund: {
    operationId: 'refundRedemption',
    summary: 'Refund the tokens of a redemption',
    description:
      "Possible once, for a `cancelled` redemption whose payment is final, and while the program holds its tokens as recorded; 503 while the Solana nodes contradict each other about that. The tokens go back to the token account of the user's wallet, which is created again if it was closed. 200 if the chain has confirmed it, 202 as for `PUT /partners/{partner_id}/onchain`.",
  },
  burn: {
    operationId: 'burnRedemption',
    summary: 'Burn the tokens of a redemption',
    description:
      'Possible once, for a `collected` redemption, while the program holds its tokens as recorded; 503 while the Solana nodes contradict each other about that. 200 if the chain has confirmed it, 202 as for `PUT /partners/{partner_id}/onchain`.',
  },
} as const;

const settlementSchema = (kind: SettlementKind) => ({
  ...settlements[kind],
  tags: ['Redemptions'],
  errors: codes('redemption_not_found', 'transition_not_allowed', 'broadcast_failed'),
  params: Type.Object({ redemption_id: Type.String(recordField.redemptionId) }),
  body: closedOrAbsent({}),
  response: {
    200: Type.Object({
      redemption_id: Type.String(recordField.redemptionId),
      [`${kind}_tx_hash`]: Type.String(recordField.txHash),
    }),
    202: WaitingView,
  },
});

/** Routes of what moves value or power: refunds, burns, and partners on chain. */
export function operationRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.put(
      '/partners/:partner_id/onchain',
      {
        config: administer,
        handlerTimeout: confirmWithinMs,
        schema: onchainSchema,
      },
      async (request, reply) => {
        const { params, body } = request;
        const plan = await planOnchain(ctx, {
          partnerId: params.partner_id,
          walletAddress: body.wallet_address,
          openFeeBps: body.open_fee_bps,
          closedFeeBps: body.closed_fee_bps,
          dailyLimitUsdc: body.daily_limit_usdc,
          updateAuthority: body.update_authority,
          withdrawalAuthority: body.withdrawal_authority,
          executiveAuthorities: body.executive_authorities,
          status: body.status,
          expectedTermsSeq: body.expected_terms_seq,
        });
        return carryOutOnce(ctx, { request, reply }, plan, { done: toOnchainDoneView });
      },
    );

    for (const kind of settlementKinds) {
      app.post(
        `/redemptions/:redemption_id/${kind}`,
        {
          config: fulfil,
          handlerTimeout: confirmWithinMs,
          schema: settlementSchema(kind),
        },
        async (request, reply) => {
          const plan = await planSettlement(ctx, { kind, redemptionId: request.params.redemption_id });
          const views = { done: (done: DoneOutcome) => toSettledView(kind, plan.objectId, done) };
          return carryOutOnce(ctx, { request, reply }, plan, views);
        },
      );
    }
  };
}

/** Makes a change of one person and responds with `status` and the view of what it left. */
export function actOnce<Input, Result, View extends Record<string, unknown>>(
  ctx: Context,
  reply: FastifyReply,
  act: (change: ChangeTx, input: Input) => Promise<Result>,
  input: Input,
  toView: (result: Result) => View,
  status = 200,
): Promise<View> {
  return ctx.db.transaction(async (tx) => {
    const result = await act(changeOf(ctx, reply.request, tx), input);
    return completeOnce(tx, reply, status, toView(result));
  });
}

/** Carries a plan out and responds with 200 and the view of what is done, or with 202 and what it waits for. */
export async function carryOutOnce<Done extends Record<string, unknown>>(
  ctx: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  plan: Plan,
  views: { done: (outcome: DoneOutcome) => Done; changed?: (changed: Changed) => Done },
) {
  const act = (settle: Settle<Outcome>) => requestOperation(ctx, requesterOf(request), plan, settle);
  const toView = (outcome: Outcome) => {
    if (outcome.kind === 'done') return views.done(outcome);
    return outcome.kind === 'changed' && views.changed
      ? views.changed(outcome.changed)
      : toWaitingView(outcome);
  };
  return respondOnce(reply, statusOf, act, toView);
}

/**
 * Makes a planned change and responds with `status` and its view, or requests a second person's approval if the change
 * takes two: 202.
 */
export async function changeOnce<View extends Record<string, unknown>>(
  ctx: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  plan: Plan,
  { status = 200, toView }: { status?: 200 | 201; toView: (changed: Changed) => View },
) {
  return respondOnce(
    reply,
    (outcome: Outcome) => (outcome.kind === 'changed' ? status : 202),
    (settle) => requestOperation(ctx, requesterOf(request), plan, settle),
    (outcome) => (outcome.kind === 'changed' ? toView(outcome.changed) : toApprovalView(outcome)),
  );
}

function isOf<Kind extends string>(
  changed: Changed,
  kind: Kind,
): changed is Extract<Changed, Record<Kind, unknown>> {
  return kind in changed;
}

/** Returns the object of a change; throws when it is of another kind. */
export function changedOf<Kind extends string>(
  changed: Changed,
  kind: Kind,
): Extract<Changed, Record<Kind, unknown>>[Kind] {
  if (isOf(changed, kind)) return changed[kind];
  throw new Error(`a change of a ${kind} left something else`);
}

export type DoneOutcome = Extract<Outcome, { kind: 'done' }>;

/** Returns 200 for what is done, 202 for what waits for somebody. */
export function statusOf({ kind }: Outcome): number {
  return kind === 'done' || kind === 'changed' ? 200 : 202;
}

/** Returns the view of what waits for a second person. Throws for any other outcome, which would be a bug. */
function toApprovalView(outcome: Outcome) {
  if (outcome.kind !== 'approval') throw new Error(`what is ${outcome.kind} waits for no approval`);
  return { approval_id: outcome.approvalId, expires_at: outcome.expiresAt.toISOString() };
}

export function toWaitingView(outcome: Outcome) {
  if (outcome.kind !== 'unsigned') return toApprovalView(outcome);
  return {
    transaction: Buffer.from(outcome.transaction).toString('base64'),
    signers: outcome.signers,
    expires_at: outcome.expiresAt.toISOString(),
  };
}

export function toOnchainDoneView({ txHash, onChain }: DoneOutcome) {
  if (!onChain) throw new Error('a partner was put on chain and is not there');
  return { tx_hash: txHash, onchain: toOnChainView(onChain) };
}

export const toSettledView = (kind: SettlementKind, redemptionId: string, { txHash }: DoneOutcome) => ({
  redemption_id: redemptionId,
  [`${kind}_tx_hash`]: txHash,
});
