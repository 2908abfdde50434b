import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import {
  getApproval,
  getRejectable,
  ifPossible,
  planApproved,
  rejectOperation,
  requireApprovable,
} from '../../actions/approvals/decide-approval.js';
import type { Changed, Done } from '../../actions/approvals/plan.js';
import { type OnChainReading, readOnChainOf } from '../../actions/partners/read-on-chain.js';
import type { Context } from '../../context.js';
import { type Approval, findApprovals, type NamedApproval } from '../../db/approvals/approvals.js';
import { decisions, decisionsOf, takesPeople } from '../../domain/approval.js';
import { asUuid } from '../../domain/ids.js';
import { choice, closed, closedOrAbsent, freeObject, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { FreshFactor, requireFreshFactor } from '../people/factor-proof.js';
import { requireSession } from '../people/surface.js';
import { completeOnce } from '../server/idempotency.js';
import { route } from '../server/route.js';
import { changeOf, consoleSurface } from './auth.js';
import { AddedBarsView, BarView, toAddedBarsView, toBarView } from './bars.js';
import { ChangedStatusView, toStatusDoneView } from './chain-status.js';
import { DenominationView, toDenominationView } from './denominations.js';
import { IssuedCodeView, toIssuedCodeView } from './hand-over.js';
import { LimitsView, toLimitsView } from './limits.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { operationField as field } from './operation-fields.js';
import {
  changeOnce,
  confirmWithinMs,
  operateOnce,
  PartnerOnChainView,
  toOnchainDoneView,
  WaitingView,
} from './operations.js';
import { AccountView, toAccountView } from './operators.js';
import { notOnChain, PartnerView, toPartnerView, toWalletView, WalletView } from './partners.js';
import { recordField } from './record-fields.js';
import { MovedView, toMovedView } from './redemption-parts.js';
import { BurnView, RefundView, toBurnView, toRefundView } from './settlements.js';
import { decide, Reason, read } from './shapes.js';

const statuses = ['pending', 'approved', 'rejected', 'expired'] as const;
const params = Type.Object({ approval_id: Type.String(field.approvalId) });

const ApprovalView = titled('Approval', {
  approval_id: Type.String(field.approvalId),
  action: Type.String(field.action),
  object_type: Type.String(field.objectType),
  object_id: Type.String(field.objectId),
  request: freeObject(field.request),
  before: Nullable(freeObject(field.request), field.before),
  status: choice(statuses, field.approvalStatus),
  requested_by: Type.String(field.requestedBy),
  requested_by_name: Type.String(field.operatorName),
  decided_by: Nullable(Type.String(), field.decidedBy),
  decided_by_name: Nullable(Type.String(), field.decidedBy),
  reason: Nullable(Type.String(), field.decisionReason),
  created_at: Type.String(recordField.createdAt),
  expires_at: Type.String(field.approvalExpiresAt),
  decided_at: Nullable(Type.String(), field.decidedAt),
  available_actions: Type.Array(choice(decisions), field.decisions),
});

const listRoute = route(read, {
  operationId: 'listApprovals',
  summary: 'List the approvals',
  description:
    'Lists requests that wait or waited for a second operator, newest first. `request` is exactly what will be done, `before` what it replaces.',
  querystring: listQuery({
    status: choice(statuses, field.ofStatus),
    q: searchFor('object, or part of an action', 'refund'),
  }),
  response: { 200: countedPageOf('approvals', ApprovalView) },
});

const approveRoute = route(decide, {
  operationId: 'approve',
  summary: 'Approve the request of another operator',
  description:
    'Executes the request immediately, and returns the response that the request itself would have had. The operator who made the request cannot approve it. Nor can an operator whose account may belong to the same person, because one of the two opened the other or a third operator opened both (403 `forbidden`; see `opened_by` in the list of operators), nor one whose role could not have made the request (403 `insufficient_scope`). Possible within 24 hours, and only while the object is unchanged since the request. In a session, an operator who has a second factor must send a fresh one for a challenge of this approval: a passkey, or a code from the app if there is no passkey. Without it, the response is 403 `second_factor_required`. Where roles need a second factor, a token cannot approve, and nowhere a change of the bars (403 `forbidden`).',
  errors: codes(
    'not_found',
    'forbidden',
    'transition_not_allowed',
    'wallet_not_allowed',
    'broadcast_failed',
    'second_factor_required',
    'second_factor_wrong',
    'invalid_challenge',
    'rate_limited',
  ),
  params,
  body: closedOrAbsent({ second_factor: Type.Optional(FreshFactor) }),
  response: {
    200: Type.Union(
      [
        PartnerView,
        WalletView,
        DenominationView,
        AccountView,
        MovedView,
        BarView,
        AddedBarsView,
        IssuedCodeView,
        LimitsView,
        ChangedStatusView,
        RefundView,
        BurnView,
        PartnerOnChainView,
      ],
      { examples: [field.approvedExample] },
    ),
    202: WaitingView,
  },
});

const rejectRoute = route(decide, {
  operationId: 'reject',
  summary: 'Reject the request of another operator',
  description: 'The request is not executed, and can be made again.',
  errors: codes('not_found', 'forbidden', 'transition_not_allowed'),
  params,
  body: closed({ reason: Reason }),
  response: {
    200: Type.Object({
      approval_id: Type.String(field.approvalId),
      status: Type.Literal('rejected'),
    }),
  },
});

/** Routes of the requests that one operator makes and another one decides. */
export function approvalRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Approvals');
    app.get('/approvals', listRoute, async ({ query, operator }) => {
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) => findApprovals(ctx.db, { status: query.status, now: new Date(ctx.clock.now()) }, page),
        'approvals',
      );
      const toView = (approval: NamedApproval) =>
        approvalView({
          ...approval,
          approvalId: approval.id,
          availableActions: decisionsOf(operator, approval, ctx.clock.now()),
        });
      return { approvals: rows.map(toView), ...endOf(end) };
    });

    app.post(
      '/approvals/:approval_id/approve',
      { ...approveRoute, handlerTimeout: confirmWithinMs },
      async (request, reply) => {
        const { operator: approver } = request;
        const approval = await getApproval(ctx, request.params.approval_id);
        await requireApprovable(ctx, approver, approval);
        if (takesPeople(approval.action)) requireSession(consoleSurface, request);
        const confirmed = { purpose: 'approval', subject: approval.id } as const;
        await requireFreshFactor(ctx, consoleSurface, request, {
          confirmed,
          proof: request.body?.second_factor,
        });
        const plan = await planApproved(ctx, { approver, approval });
        if (plan.in === 'chain')
          return ifPossible(operateOnce(ctx, reply, plan, (done) => toDoneView(approval, done)));
        const reading = partnerChanges.has(approval.action)
          ? await readOnChainOf(ctx, approval.objectId)
          : notOnChain;
        return ifPossible(changeOnce(ctx, reply, plan, (changed) => toChangedView(changed, reading)));
      },
    );

    app.post('/approvals/:approval_id/reject', rejectRoute, async (request, reply) => {
      const { reason } = request.body;
      const { operator: approver } = request;
      const approval = await getRejectable(ctx, approver, request.params.approval_id);
      return ctx.db.transaction(async (tx) => {
        await rejectOperation(changeOf(ctx, request, tx), { approver, approval, reason });
        return completeOnce(tx, reply, 200, { approval_id: approval.id, status: 'rejected' as const });
      });
    });
  };
}

/** The chain is read for the view of a partner before anything is changed. */
const partnerChanges: ReadonlySet<string> = new Set(['partner.create', 'partner.change', 'partner.resume']);

function toChangedView(changed: Changed, reading: OnChainReading) {
  if ('partner' in changed) return toPartnerView(changed.partner, reading);
  if ('wallet' in changed) return toWalletView(changed.wallet);
  if ('denomination' in changed) return toDenominationView(changed.denomination);
  if ('operator' in changed) return toAccountView(changed.operator);
  if ('redemption' in changed) return toMovedView(changed.redemption);
  if ('bar' in changed) return toBarView(changed.bar);
  if ('bars' in changed) return toAddedBarsView(changed.bars);
  if ('pickup' in changed) return toIssuedCodeView(changed.pickup);
  return toLimitsView(changed.limits);
}

/** The response that the request itself would have had. */
function toDoneView({ action, objectId }: Approval, done: Done) {
  if (action === 'redemption.refund') return toRefundView(objectId, done);
  if (action === 'redemption.burn' || action === 'redemption.cancel_burn') return toBurnView(objectId, done);
  if (action === 'chain.status') return toStatusDoneView(done);
  return toOnchainDoneView(done);
}

const approvalView = viewOf(ApprovalView);
