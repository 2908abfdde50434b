import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import {
  findDroppedBehind,
  requestRetry,
  resolveDeadLetter,
  resolveDeadLetters,
} from '../../actions/indexing/resolve-dead-letter.js';
import type { Context } from '../../context.js';
import { type DeadLetterCase, findDeadLetters } from '../../db/indexing/dead-letters.js';
import { asUuid } from '../../domain/ids.js';
import { asAddress, asTxSignature } from '../../domain/solana.js';
import { choice, closed, closedOrAbsent, freeObject, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { filterBy, storable } from '../server/lists.js';
import { route } from '../server/route.js';
import { countedPageOf, endOf, listQuery, readList, searchFor } from './lists.js';
import { actOnce } from './operations.js';
import { administer, Reason, read } from './shapes.js';
import { statusField as field } from './status-fields.js';

const DeadLetterView = titled('DeadLetter', {
  dead_letter_id: Type.String(field.deadLetterId),
  signature: Type.String(field.deadLetterSignature),
  slot: Type.Integer(field.slot),
  reason: Type.String(field.deadLetterReason),
  detail: freeObject(field.deadLetterDetail),
  created_at: Type.String(field.createdAt),
  resolved_at: Nullable(Type.String(), field.deadLetterResolvedAt),
  resolution: Nullable(Type.String(), field.deadLetterResolution),
  retry_requested_at: Nullable(Type.String(), field.deadLetterRetryRequestedAt),
  retried_at: Nullable(Type.String(), field.deadLetterRetriedAt),
});
const Params = Type.Object({ id: Type.String(field.deadLetterId) });

const listRoute = route(read, {
  operationId: 'listDeadLetters',
  summary: 'List the dead letters',
  description:
    'Lists transactions that the indexer could not record, and differences between the chain and the records, newest first. Money may have moved: a person must look at each open dead letter. The page on indexing explains every reason.',
  querystring: listQuery({
    q: searchFor('beginning of an id, transaction, or part of a reason', 'unknown'),

    open: choice(['true', 'false'], {
      description: 'Only open ones, or only resolved ones.',
      examples: ['true'],
    }),
    reason: Type.String({ ...field.deadLetterReason, description: 'Only of this reason.' }),
    signature: Type.String({
      ...field.deadLetterSignature,
      description: 'Only about this transaction or account.',
    }),
  }),
  response: { 200: countedPageOf('dead_letters', DeadLetterView) },
});

const retryRoute = route(administer, {
  operationId: 'retryDeadLetter',
  summary: 'Retry a dead letter',
  description:
    'The indexer reads the transaction again within seconds and sets `retried_at`. The dead letter is resolved if its reason no longer applies. A `reconciliation_difference` is checked again automatically.',
  errors: codes('not_found', 'transition_not_allowed'),
  params: Params,
  body: closedOrAbsent({}),
  response: { 202: DeadLetterView },
});

const resolveRoute = route(administer, {
  operationId: 'resolveDeadLetter',
  summary: 'Resolve a dead letter',
  description:
    'For a dead letter that a person has handled. A resolved `reconciliation_difference` counts as explained by the reason, and opens again if its figures change. Resolving `vanished` of a refund, a burn or another operator transaction allows a new request for it; this is refused until the node reports that the finalized chain does not have the transaction and that it can no longer land, and while another dead letter may hide that the same was done in another way.',
  errors: codes('not_found', 'transition_not_allowed', 'service_unavailable'),
  params: Params,
  body: closed({ reason: Reason }),
  response: { 200: DeadLetterView },
});

/** As many as a page of the list has. */
const maxResolved = 100;

const resolveManyRoute = route(administer, {
  operationId: 'resolveDeadLetters',
  summary: 'Resolve several dead letters',
  description:
    'Resolves all of these dead letters for one reason, or none of them: an unknown dead letter gives 404, one that is already resolved or is `vanished` gives 409. Each gets its own entry in the audit log. A `vanished` dead letter must be resolved on its own.',
  errors: codes('not_found', 'transition_not_allowed'),
  body: closed({
    dead_letter_ids: Type.Array(Type.String(field.deadLetterId), {
      minItems: 1,
      maxItems: maxResolved,
      uniqueItems: true,
      description: 'Ids of the dead letters to resolve, without duplicates.',
    }),
    reason: Reason,
  }),
  response: { 200: Type.Object({ dead_letters: Type.Array(DeadLetterView) }) },
});

/** Routes of what the indexer could not record, and of how people resolve it. */
export function deadLetterRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Operation');
    app.get('/dead-letters', listRoute, async ({ query }) => {
      const { rows, ...end } = await readList(
        query,
        asUuid,
        (page) =>
          findDeadLetters(
            ctx.db,
            {
              open: query.open && query.open === 'true',
              reason: filterBy(query.reason, storable),
              signature: filterBy(query.signature, (text) => asTxSignature(text) ?? asAddress(text)),
            },
            page,
          ),
        'deadLetters',
      );
      return { dead_letters: rows.map(toDeadLetterView), ...endOf(end) };
    });

    app.post('/dead-letters/:id/retry', retryRoute, async (request, reply) => {
      return actOnce(ctx, reply, requestRetry, { id: request.params.id }, toDeadLetterView, 202);
    });

    app.post('/dead-letters/resolve', resolveManyRoute, async (request, reply) => {
      const { dead_letter_ids: ids, reason } = request.body;
      return actOnce(ctx, reply, resolveDeadLetters, { ids, reason }, (deadLetters) => ({
        dead_letters: deadLetters.map(toDeadLetterView),
      }));
    });

    app.post('/dead-letters/:id/resolve', resolveRoute, async (request, reply) => {
      const { id } = request.params;
      const dropped = await findDroppedBehind(ctx, id);
      const step = { id, reason: request.body.reason, dropped };
      return actOnce(ctx, reply, resolveDeadLetter, step, toDeadLetterView);
    });
  };
}

const deadLetterView = viewOf(DeadLetterView);

const toDeadLetterView = (deadLetter: DeadLetterCase) =>
  deadLetterView({ ...deadLetter, deadLetterId: deadLetter.id });
