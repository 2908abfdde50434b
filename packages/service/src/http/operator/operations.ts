import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import {
  landOperation,
  makeChange,
  readyOperation,
  writeOperation,
} from '../../actions/approvals/carry-out.js';
import { findVoidApproval, whilePending } from '../../actions/approvals/decide-approval.js';
import type { ChainPlan } from '../../actions/approvals/operations.js';
import type {
  Changed,
  DatabasePlan,
  Done,
  Objects,
  Outcome,
  PlanFacts,
} from '../../actions/approvals/plan.js';
import { needsApproval, requestApproval } from '../../actions/approvals/request-approval.js';
import type { ChangeTx } from '../../actions/change.js';
import { planOnchain } from '../../actions/partners/plan-onchain.js';
import { positiveAmount } from '../../actions/trades/quote-trade.js';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { takesPeople } from '../../domain/approval.js';
import { choice, closed, reference, titled } from '../../views/schemas.js';
import { codes } from '../openapi/conventions.js';
import { requireSession } from '../people/surface.js';
import { completeOnce, holdOnce } from '../server/idempotency.js';
import { changeOf, consoleSurface, requesterOf } from './auth.js';
import { field } from './fields.js';
import { OnChainView, toOnChainView } from './on-chain-view.js';
import { operationField } from './operation-fields.js';
import { recordField } from './record-fields.js';
import { administer, Limit } from './shapes.js';

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

/** A partner as a change left it on chain. */
export const PartnerOnChainView = titled('ChangedPartnerOnChain', {
  tx_hash: Type.String(recordField.txHash),
  onchain: OnChainView,
});

const onchainSchema = {
  operationId: 'putPartnerOnchain',
  tags: ['Partners'],
  summary: 'Put a partner on chain, or change it there',
  description:
    "If the partner is already on chain, its fees and status can be changed; its wallet and authorities stay unchanged, and only its own update authority changes its executives. 200 if the service holds the operations key or the admin's key and the chain has confirmed the change; 202 with an unsigned `transaction` if it holds neither; 202 with an `approval_id` if a second operator must approve. Without `daily_limit_usdc` the limit stays unchanged; that of a new partner is the treasury's. It cannot be above the treasury's, nor fees outside the bounds of the program's settings. Send the `terms_seq` that you saw as `expected_terms_seq`, so that a change that somebody else has made since then is not undone.",
  errors: codes(
    'partner_not_found',
    'invalid_wallet',
    'wallet_not_allowed',
    'transition_not_allowed',
    'broadcast_failed',
  ),
  params: Type.Object({ partner_id: Type.String(field.partnerId) }),
  body: closed({
    wallet_address: reference(field.onChainWallet),
    open_fee_bps: Type.Integer({ ...field.openFeeBps, minimum: 0, maximum: 10_000 }),
    closed_fee_bps: Type.Integer({ ...field.closedFeeBps, minimum: 0, maximum: 10_000 }),
    daily_limit_usdc: Type.Optional(Limit(field.dailyLimitUsdc)),
    update_authority: reference(field.updateAuthority),
    withdrawal_authority: reference(field.withdrawalAuthority),
    executive_authorities: Type.Array(Type.String(field.executiveAuthority)),
    status: Type.Optional(choice(['active', 'suspended'], field.onChainStatus)),
    expected_terms_seq: Type.Optional(
      Type.Integer({ ...field.expectedTermsSeq, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ),
  }),
  response: {
    200: PartnerOnChainView,
    202: WaitingView,
  },
};

/** Routes of partners on chain. */
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
        const { daily_limit_usdc: limit } = body;
        if (typeof limit === 'number') positiveAmount(limit, 'daily_limit_usdc');
        const plan = await planOnchain(ctx, {
          partnerId: params.partner_id,
          walletAddress: body.wallet_address,
          openFeeBps: body.open_fee_bps,
          closedFeeBps: body.closed_fee_bps,
          dailyLimitUsdc: limit,
          updateAuthority: body.update_authority,
          withdrawalAuthority: body.withdrawal_authority,
          executiveAuthorities: body.executive_authorities,
          status: body.status,
          expectedTermsSeq: body.expected_terms_seq,
        });
        return operateOnce(ctx, reply, plan, toOnchainDoneView);
      },
    );
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

/**
 * Makes a change of the database and responds with `status` and the view of what it left; or requests its approval, if it needs
 * one, and responds with 202 and `also`. Throws as `requestOnce` and `makeChange` do.
 */
export async function changeOnce<
  Name extends keyof Objects,
  View extends Record<string, unknown>,
  Also extends Record<string, unknown> = Record<never, never>,
>(
  ctx: Context,
  reply: FastifyReply,
  plan: DatabasePlan<Name>,
  toView: (changed: Changed<Name>) => View,
  { status = 200, also }: { status?: 200 | 201; also?: Also } = {},
) {
  const waiting = await requestOnce(ctx, reply, plan, also);
  if (waiting) return waiting;
  await whilePending(ctx, plan.approved, Promise.resolve(plan.look?.()));
  return ctx.db.transaction(async (tx) => {
    const changed = await makeChange(changeOf(ctx, reply.request, tx), plan);
    return completeOnce(tx, reply, status, toView(changed));
  });
}

/**
 * Sends a transaction to the chain and responds with 200 and the view of what is done; or requests its approval, if it needs
 * one, and responds with 202. It is written down before it is sent, and the response is completed only once the chain has
 * confirmed it. Throws as `requestOnce` and the three steps of `carry-out.ts` do.
 */
export async function operateOnce<View extends Record<string, unknown>>(
  ctx: Context,
  reply: FastifyReply,
  plan: ChainPlan,
  toView: (done: Done) => View,
) {
  const waiting = await requestOnce(ctx, reply, plan);
  if (waiting) return waiting;
  const complete = (tx: Tx, outcome: Outcome): Promise<View | ReturnType<typeof toUnsignedView>> =>
    outcome.kind === 'done'
      ? completeOnce(tx, reply, 200, toView(outcome))
      : completeOnce(tx, reply, 202, toUnsignedView(outcome));
  const ready = await readyOperation(ctx, plan);
  const written = await ctx.db.transaction(async (tx) => {
    const outcome = await writeOperation(ctx, changeOf(ctx, reply.request, tx), ready);
    if (outcome.kind !== 'begun') return { view: await complete(tx, outcome) };
    await holdOnce(tx, reply.request);
    return outcome;
  });
  if ('view' in written) return written.view;
  const done = await landOperation(ctx, plan, written.signed);
  return ctx.db.transaction((tx) => complete(tx, done));
}

/**
 * Requests the approval of a plan, and responds with 202; undefined where it needs none. Throws `forbidden` for a token that
 * requests what people alone may.
 */
async function requestOnce<Also extends Record<string, unknown> = Record<never, never>>(
  ctx: Context,
  reply: FastifyReply,
  plan: PlanFacts,
  also?: Also,
) {
  const { request } = reply;
  if (!(await needsApproval(ctx, requesterOf(request), plan))) return undefined;
  if (takesPeople(plan.action)) requireSession(consoleSurface, request);
  const voided = await findVoidApproval(ctx, plan);
  return ctx.db.transaction(async (tx) => {
    const { approvalId, expiresAt } = await requestApproval(changeOf(ctx, request, tx), plan, voided);
    const view = { approval_id: approvalId, expires_at: expiresAt.toISOString(), ...(also as Also) };
    return completeOnce(tx, reply, 202, view);
  });
}

function toUnsignedView({ transaction, signers, expiresAt }: Extract<Outcome, { kind: 'unsigned' }>) {
  return {
    transaction: Buffer.from(transaction).toString('base64'),
    signers,
    expires_at: expiresAt.toISOString(),
  };
}

/** Returns the id of the transaction of what was done. Throws where there was nothing to send, which would be a bug. */
export function sentHash({ txHash }: Done) {
  if (txHash === null) throw new Error('nothing was sent to the chain');
  return txHash;
}

export function toOnchainDoneView(done: Done) {
  if (!done.onChain) throw new Error('a partner was put on chain and is not there');
  return { tx_hash: sentHash(done), onchain: toOnChainView(done.onChain) };
}
