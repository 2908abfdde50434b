import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type AssignedRedemption, assignRedemption } from '../../actions/redemptions/assign-redemption.js';
import { getRedemptionCase, type RedemptionCase } from '../../actions/redemptions/get-redemption-case.js';
import { isUnderWay } from '../../actions/redemptions/settled.js';
import type { Context } from '../../context.js';
import { findRedemptionNames, type RedemptionNames } from '../../db/redemptions/redemption-names.js';
import { findRedemptions, type VisibleRedemption } from '../../db/redemptions/redemptions.js';
import { findSettlementStates, type SettlementState } from '../../db/redemptions/settlements.js';
import { asRedemptionId, asUserId, asUuid, type Uuid } from '../../domain/ids.js';
import {
  ageOf,
  operatorActions,
  type SettlementKind,
  settlementKinds,
  waitingAges,
} from '../../domain/redemption.js';
import { RedemptionStatusName, redemptionParts, redemptionShape } from '../../views/redemption-view.js';
import { choice, closed, closedOrAbsent, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { cursorBehind, filterBy, storable } from '../server/lists.js';
import { route } from '../server/route.js';
import { advanceOnce } from './advance-once.js';
import { BarView, toBarView } from './bars.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { actOnce } from './operations.js';
import { recordField as field } from './record-fields.js';
import { CustomerView, moving, Note, namedBar, readNamedBar } from './redemption-parts.js';
import { fulfil, read } from './shapes.js';

const ListedView = titled('Redemption', {
  ...redemptionShape,
  partner_id: Type.String(field.partnerId),
  service_user_id: Type.String(field.serviceUserId),
  user_id: Type.String(field.userId),
  denomination_id: Type.String(field.denominationId),
  wallet_address: Type.String(field.userWallet),
  final: Type.Boolean(field.final),
  failure_reason: Nullable(Type.String(), field.failureReason),
  refund_tx_hash: Nullable(Type.String(), field.refundTxHash),
  burn_announced_at: Nullable(Type.String(), field.burnAnnouncedAt),
  burn_due_at: Nullable(Type.String(), field.burnDueAt),
  burn_tx_hash: Nullable(Type.String(), field.burnTxHash),
  approval_id: Nullable(Type.String(), field.approvalId),
  age: Nullable(choice(waitingAges), field.age),
  assignee_id: Nullable(Type.String(), field.assigneeId),
  assignee_name: Nullable(Type.String(), field.assigneeName),
});

const HistoryEntryView = titled('StatusChange', {
  at: Type.String(field.createdAt),
  from: Nullable(RedemptionStatusName, field.historyFrom),
  to: RedemptionStatusName,
  actor: Type.String(field.actor),
  actor_name: Nullable(Type.String(), field.actorName),
  note: Nullable(Type.String(), field.note),
});

const SettlementView = titled('Settlement', {
  kind: choice(settlementKinds, field.settlementKind),
  status: choice(['pending', 'confirmed', 'failed', 'expired'], field.settlementStatus),
  amount: Type.Number(field.settlementAmount),
  tx_hash: Nullable(Type.String(), field.txHash),
  failure_reason: Nullable(Type.String(), field.failureReason),
  created_at: Type.String(field.createdAt),
  updated_at: Type.String(field.updatedAt),
});

const AssignedView = titled('AssignedRedemption', {
  redemption_id: Type.String(field.redemptionId),
  assignee_id: ListedView.properties.assignee_id,
  assignee_name: ListedView.properties.assignee_name,
});

const PickupView = titled('Pickup', {
  code_issued_at: Type.String(field.codeIssuedAt),
  attempts_left: Type.Integer(field.attemptsLeft),
  locked: Type.Boolean(field.codeLocked),
});

const CaseView = titled('RedemptionCase', {
  ...ListedView.properties,
  cancellation_reason: Nullable(Type.String(), { ...field.reason, examples: [null] }),
  history: Type.Array(HistoryEntryView),
  available_actions: Type.Array(choice(operatorActions), field.availableActions),
  assignable_to: Type.Array(
    titled('Assignable', {
      operator_id: Type.String(field.operatorId),
      name: Type.String(field.assigneeName),
    }),
    field.assignableTo,
  ),
  settlement: Nullable(SettlementView, {
    description: 'What happens to the tokens; null until that is decided.',
  }),
  customer: Nullable(CustomerView, field.customer),
  bar: Nullable(BarView, field.bar),
  pickup: Nullable(PickupView, field.pickup),
});

const { params } = moving;

const listRoute = route(read, {
  operationId: 'listRedemptions',
  summary: 'List the redemptions',
  description:
    'Lists the redemptions of all partners, oldest first, which is the order to work in. Unpaid quotes are left out. A filter for an unknown value gives an empty list.',
  querystring: listQuery(
    {
      q: searchFor(
        'beginning of an id, transaction, serial of its bar, or id or wallet of its user',
        'A123456',
      ),

      status: RedemptionStatusName,
      partner_id: Type.String(field.ofPartner),
      service_user_id: Type.String(field.ofUser),
      city: Type.String({
        ...field.city,
        description: 'Only those in this city; upper and lower case are equal.',
      }),
      settled: choice(['true', 'false'], {
        description:
          'Only `cancelled` and `collected` redemptions: with `true`, those whose tokens have left escrow or are about to; with `false`, those whose tokens wait to be refunded or burned.',
        examples: ['false'],
      }),
      assigned_to: Type.String(field.assignedTo),
      order: choice(['asc', 'desc'], field.order),
    },
    cursorBehind(field.redemptionId.examples[0] ?? ''),
  ),
  response: { 200: countedPageOf('redemptions', ListedView) },
});

const getRoute = route(read, {
  operationId: 'getRedemption',
  summary: 'Get a redemption',
  description:
    'Includes its whole history, its bar, and the actions that are possible now. `prepare` becomes possible once the payment is final. Only `fulfilment` and `admin` see the `customer`. The pickup code itself is shown to the partner alone.',
  errors: codes('redemption_not_found'),
  params,
  response: {
    200: CaseView,
  },
});

/** Moves that take nothing but a bar and a note. */
const plainMoves = [
  {
    move: 'prepare',
    errors: ['bar_not_available'],
    operationId: 'prepareRedemption',
    summary: 'Start preparing a redemption',
    description:
      'From `submitted` to `preparing`; the partner can no longer cancel it. Refused until the payment is final on chain, about 13 seconds after it landed, and while the program does not hold its tokens as recorded; 503 while the Solana nodes contradict each other about that. `bar_serial` reserves that bar, which must be in stock, of this denomination and in this city.',
  },
  {
    move: 'ready',
    errors: ['bar_required', 'bar_not_available'],
    operationId: 'readyRedemption',
    summary: 'Report the gold as ready',
    description:
      'From `preparing` to `ready`. Refused while the program does not hold its tokens as recorded, unless they are burned; 503 while the Solana nodes contradict each other about that. Needs a bar of this denomination in this city: the one that is reserved, or in its place the one that `bar_serial` names. Issues the pickup code, which the partner reads in its record and shows to the customer.',
  },
] as const;

const plainMoveSchema = ({ operationId, summary, description, errors }: (typeof plainMoves)[number]) => ({
  ...moving,
  operationId,
  summary,
  description,
  errors: codes('redemption_not_found', 'transition_not_allowed', ...errors),
  body: closedOrAbsent({ ...namedBar, note: Type.Optional(Note) }),
});

const cancelRoute = route(fulfil, {
  ...moving,
  operationId: 'cancelRedemption',
  summary: 'Agree to the cancellation of a redemption',
  description:
    'From `cancellation_requested` to `cancelled`, if no gold has been set aside: `physical_gold_committed` must be `false`. The tokens stay in escrow until they are refunded.',
  body: closed({
    physical_gold_committed: Type.Boolean(field.physicalGoldCommitted),
    note: Type.Optional(Note),
  }),
});

const assignRoute = route(fulfil, {
  operationId: 'assignRedemption',
  summary: 'Assign a redemption to an operator',
  description:
    'Says who sees to it: take it with your own id, hand it to another operator with theirs, or release it with `null`. `instead_of` names the operator who sees to it so far, so that of two who take it at once one gets 409. It keeps no other operator from moving the redemption, and stays when it has ended. Partners do not see it.',
  errors: codes('redemption_not_found', 'transition_not_allowed'),
  params,
  body: closed({
    assignee_id: Nullable(Type.String(), field.newAssigneeId),
    instead_of: Type.Optional(Nullable(Type.String(), field.insteadOf)),
  }),
  bodyExample: { assignee_id: field.newAssigneeId.examples[0] },
  response: { 200: AssignedView },
});

/** Redemptions as operators see and move them. */
export function redemptionRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Redemptions');
    app.get('/redemptions', listRoute, async ({ query, operator }) => {
      const { rows, ...end } = await readList(
        query,
        asRedemptionId,
        (page) =>
          findRedemptions(
            ctx.db,
            {
              partnerId: filterBy(query.partner_id, asUuid),
              userId: filterBy(query.service_user_id, asUserId),
              status: query.status,
              city: filterBy(query.city, storable),
              settled: query.settled && query.settled === 'true',
              assignee: filterBy(query.assigned_to, (text) => readAssignee(text, operator.personId)),
            },
            { ...page, order: query.order ?? 'asc' },
          ),
        'redemptions',
      );
      const ids = rows.map(({ id }) => id);
      const now = ctx.clock.now();
      const [states, names] = await Promise.all([
        findSettlementStates(ctx.db, ids, new Date(now)),
        findRedemptionNames(ctx.db, ids),
      ]);
      return {
        redemptions: rows.map((row) =>
          listedView(listedParts(row, { ...states.get(row.id), names: names.get(row.id), now })),
        ),
        ...endOf(end),
      };
    });

    app.get('/redemptions/:redemption_id', getRoute, async (request) => {
      const found = await getRedemptionCase(ctx, request.operator, request.params.redemption_id);
      return toCaseView(found, ctx.clock.now());
    });

    for (const plain of plainMoves) {
      const schema = plainMoveSchema(plain);
      const path = `/redemptions/:redemption_id/${plain.move}`;
      app.post(path, { config: fulfil, schema }, async (request, reply) => {
        const { redemption_id: redemptionId } = request.params;
        const bar = readNamedBar(request.body);
        return advanceOnce(ctx, reply, { move: plain.move, redemptionId, note: request.body?.note, bar });
      });
    }

    app.post('/redemptions/:redemption_id/cancel', cancelRoute, async (request, reply) => {
      const { physical_gold_committed: physicalGoldCommitted, note } = request.body;
      const { redemption_id: redemptionId } = request.params;
      return advanceOnce(ctx, reply, { move: 'cancel', redemptionId, physicalGoldCommitted, note });
    });

    app.post('/redemptions/:redemption_id/assign', assignRoute, async (request, reply) => {
      const { assignee_id: assigneeId, instead_of: insteadOf = null } = request.body;
      const assignment = { redemptionId: request.params.redemption_id, assigneeId, insteadOf };
      return actOnce(ctx, reply, assignRedemption, assignment, toAssignedView);
    });
  };
}

const listedView = viewOf(ListedView);
const caseView = viewOf(CaseView);
const historyEntryView = viewOf(HistoryEntryView);
const settlementView = viewOf(SettlementView);
const customerView = viewOf(CustomerView);
const pickupView = viewOf(PickupView);
const assignedView = viewOf(AssignedView);

const toAssignedView = (assigned: AssignedRedemption) =>
  assignedView({ ...assigned, redemptionId: assigned.id });

/** Reads whose redemptions a list is of. */
function readAssignee(text: string, me: Uuid): Uuid | 'none' | undefined {
  if (text === 'none') return text;
  return text === 'me' ? me : asUuid(text);
}

function listedParts(
  redemption: VisibleRedemption,
  {
    settlement,
    approvalId,
    burn,
    names,
    now,
  }: Partial<SettlementState> & { names: RedemptionNames | undefined; now: number },
) {
  const hashOf = (kind: SettlementKind) =>
    isUnderWay(settlement) && settlement.kind === kind ? settlement.txSignature : null;
  return {
    ...redemptionParts(redemption),
    serviceUserId: redemption.userId,
    walletAddress: redemption.userWallet,
    final: redemption.finalized,
    refundTxHash: hashOf('refund'),
    burnAnnouncedAt: burn?.announcedAt ?? null,
    burnDueAt: burn?.dueAt ?? null,
    burnTxHash: hashOf('burn'),
    approvalId: approvalId ?? null,
    age: ageOf(redemption, now),
    // Its user is never deleted.
    userId: names?.partnerUserId ?? '',
    assigneeName: names?.assigneeName ?? null,
  };
}

function toCaseView({ redemption, history, settlement, ...found }: RedemptionCase, now: number) {
  const { approvalId, burn, actions, customer, bar, pickup, names, assignableTo } = found;
  return caseView({
    ...listedParts(redemption, { settlement, approvalId, burn, names, now }),
    assignableTo: assignableTo.map(({ id, name }) => ({ operator_id: id, name })),
    history: history.map((entry) => historyEntryView(entry)),
    availableActions: actions,
    settlement: settlement ? settlementView({ ...settlement, txHash: settlement.txSignature }) : null,
    customer: customer && customerView(customer),
    bar: bar ? toBarView(bar) : null,
    pickup: pickup ? pickupView(pickup) : null,
  });
}
