import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { landOperation, readyPlan, writePlan } from '../../actions/approvals/carry-out.js';
import { type Approved, findVoidApproval } from '../../actions/approvals/decide-approval.js';
import type { Changed, Outcome, Plan } from '../../actions/approvals/plan.js';
import { needsApproval, requestApproval } from '../../actions/approvals/request-approval.js';
import type { ChangeTx } from '../../actions/change.js';
import { planOnchain } from '../../actions/partners/plan-onchain.js';
import { positiveAmount } from '../../actions/trades/quote-trade.js';
import type { Context } from '../../context.js';
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
        return operateOnce(ctx, { request, reply }, plan, operationViews({ done: toOnchainDoneView }));
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

/** How the outcome of a plan is shown. */
interface OutcomeViews<View> {
  statusOf(outcome: Outcome): number;
  toView(outcome: Outcome): View;
}

/** Shows what is done with 200, and what it waits for with 202. */
export function operationViews<Done extends Record<string, unknown>>(views: {
  done: (outcome: DoneOutcome) => Done;
  changed?: (changed: Changed) => Done;
}) {
  const toView = (outcome: Outcome) => {
    if (outcome.kind === 'done') return views.done(outcome);
    return outcome.kind === 'changed' && views.changed
      ? views.changed(outcome.changed)
      : toWaitingView(outcome);
  };
  return { statusOf, toView };
}

/** Shows a change with `status`, and the approval that it waits for with 202. */
export function changeViews<View extends Record<string, unknown>>({
  status = 200,
  toView,
}: {
  status?: 200 | 201;
  toView: (changed: Changed) => View;
}) {
  return {
    statusOf: ({ kind }: Outcome) => (kind === 'changed' ? status : 202),
    toView: (outcome: Outcome) =>
      outcome.kind === 'changed' ? toView(outcome.changed) : toApprovalView(outcome),
  };
}

/**
 * Requests the approval of a plan, or carries it out at once where it needs none. Throws `forbidden` for a token that requests what
 * people alone may.
 */
export async function operateOnce<View extends Record<string, unknown>>(
  ctx: Context,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  plan: Plan,
  views: OutcomeViews<View>,
): Promise<View> {
  if (!(await needsApproval(ctx, requesterOf(request), plan))) return executeOnce(ctx, reply, plan, views);
  if (takesPeople(plan.action)) requireSession(consoleSurface, request);
  const voided = await findVoidApproval(ctx, plan);
  return ctx.db.transaction(async (tx) => {
    const outcome = await requestApproval(changeOf(ctx, request, tx), plan, voided);
    return completeOnce(tx, reply, views.statusOf(outcome), views.toView(outcome));
  });
}

/**
 * Carries a plan out. What is sent to the chain is written down before, and the response is completed only once the chain has
 * confirmed it.
 */
export async function executeOnce<View extends Record<string, unknown>>(
  ctx: Context,
  reply: FastifyReply,
  plan: Plan,
  { statusOf, toView }: OutcomeViews<View>,
  approved?: Approved,
): Promise<View> {
  const ready = await readyPlan(ctx, plan, approved);
  const written = await ctx.db.transaction(async (tx) => {
    const outcome = await writePlan(changeOf(ctx, reply.request, tx), ready, approved);
    if (outcome.kind === 'begun') {
      await holdOnce(tx, reply.request);
      return outcome;
    }
    return {
      kind: 'complete' as const,
      view: await completeOnce(tx, reply, statusOf(outcome), toView(outcome)),
    };
  });
  if (written.kind === 'complete') return written.view;
  const done = await landOperation(ctx, written);
  return ctx.db.transaction((tx) => completeOnce(tx, reply, statusOf(done), toView(done)));
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
export function toApprovalView(outcome: Outcome) {
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
