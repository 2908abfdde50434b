import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { operationStatuses } from '../../db/trades/operation.js';
import { toInteger } from '../../domain/integer.js';
import { invalidField } from '../../errors.js';
import { about, field } from '../../views/fields.js';
import { OperationView, toOperationView } from '../../views/operation-view.js';
import { choice } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { longestWaitSeconds, type OperationWaits } from '../server/operation-waits.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

/** Its work besides the waiting. */
const responseMs = 4_500;

const getRoute = route(reading, {
  operationId: 'getOperation',
  summary: 'Find out where a transaction is',
  description:
    'Says what has become of the transaction of a trade or redemption, also before the chain confirms it and when it was sent directly to a node. An id that was never submitted here and is not on chain has status `unknown`. With `wait` the response comes as soon as the status is another than `status`, which you know, or after that many seconds; at once if it is `finalized`, `failed` or `expired`, which are ends: `failed` and `expired` are reported once the finalized chain shows it, and until then it is `submitted`. A partner may have 100 requests waiting at once in each process; a further one is 429. One that the node refused at submit stays `submitted`, with the `reason`, because the same bytes may be sent again until they expire.',
  errors: codes('trade_not_found', 'redemption_not_found', 'partner_mismatch'),
  params: Type.Object({
    operation_id: Type.String(about('Id of the trade or redemption.', field.tradeId.examples[0])),
  }),
  querystring: Type.Partial(
    Type.Object({
      wait: Type.String({
        description: `Seconds to wait for a change, 0 to ${longestWaitSeconds}; default 0.`,
        examples: ['5'],
      }),
      status: choice(operationStatuses, {
        description:
          'With `wait`, the status that you know: the response comes at once if it is another by now. Default: the status when the request arrives, so that a change just before is not seen.',
        examples: ['submitted'],
      }),
    }),
  ),
  response: { 200: OperationView },
});

/** Where the transactions of trades and redemptions are. */
export function operationRoutes(waits: OperationWaits): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Transactions');
    const handlerTimeout = longestWaitSeconds * 1_000 + responseMs;
    app.get('/v1/operations/:operation_id', { ...getRoute, handlerTimeout }, async (request, reply) => {
      const { principal, params, query } = request;
      const seconds = readWait(query.wait);
      const { status } = query;
      return toOperationView(await waits.get({ principal, id: params.operation_id, seconds, status }, reply));
    });
  };
}

/** Throws `invalid_request` for anything but a whole number of seconds. */
function readWait(text: string | undefined): number {
  if (text === undefined) return 0;
  const seconds = /^\d{1,2}$/.test(text) ? toInteger(text) : Number.POSITIVE_INFINITY;
  if (seconds <= longestWaitSeconds) return seconds;
  throw invalidField('wait', `wait must be a whole number of seconds from 0 to ${longestWaitSeconds}.`);
}
