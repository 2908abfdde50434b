import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Done } from '../../actions/approvals/plan.js';
import { readChainStatus } from '../../actions/market/build-chain-status.js';
import { planChainStatus } from '../../actions/market/plan-chain-status.js';
import type { Context } from '../../context.js';
import type { ChainStatus } from '../../domain/program-status.js';
import { choice, closed, Nullable, titled } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { operationField as field } from './operation-fields.js';
import { confirmWithinMs, operateOnce, WaitingView } from './operations.js';
import { administer, Reason, read } from './shapes.js';

const flags = {
  trade: Type.Boolean(field.pausedTrade),
  partner: Type.Boolean(field.pausedPartner),
  withdraw: Type.Boolean(field.pausedWithdraw),
  redeem: Type.Boolean(field.pausedRedeem),
  settle: Type.Boolean(field.pausedSettle),
  treasury: Type.Boolean(field.pausedTreasury),
};
const status = {
  paused: Type.Object(flags),
  market: choice(['open', 'closed'], field.market),
  market_override: Nullable(
    Type.Object({
      market: choice(['open', 'closed'], field.market),
      until: Nullable(Type.String(), field.overrideUntil),
    }),
    field.override,
  ),
};
const StatusView = titled('ChainStatus', status);
export const ChangedStatusView = titled('ChangedChainStatus', {
  ...status,
  tx_hash: Nullable(Type.String(), field.statusTxHash),
});

const getRoute = route(read, {
  operationId: 'getChainStatus',
  summary: 'Get the pauses and the state of the market',
  description: 'Reads the current state from the chain.',
  response: { 200: StatusView },
});

const putSchema = {
  operationId: 'putChainStatus',
  summary: 'Pause, resume, open or close the market',
  description:
    "Omitted fields stay unchanged; an empty request is refused. The guardian signs a pause, the admin a resumption, and the market's own key a change of the market: 200 if the service holds the keys and the chain has confirmed the change, 202 with an unsigned `transaction` if the admin's key is elsewhere. The program refuses a resumption that was decided on before a pause. A pause of `treasury` ends by itself after seven days, unless it is set again; resuming it before takes the guardian's signature as well. The keeper does not change pauses, and does not change the market while a `market` that was set here is in force. Resuming needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`. Pausing never does, so that it is not delayed; with that setting, one request cannot do both.",
  errors: codes('broadcast_failed', 'transition_not_allowed'),
  body: closed({
    paused: Type.Optional(Type.Partial(Type.Object(flags), { additionalProperties: false })),
    market: Type.Optional(choice(['open', 'closed', 'auto'], field.marketSetting)),
    reason: Type.Optional(Reason),
  }),
  response: { 200: ChangedStatusView, 202: WaitingView },
};

/** Routes of the pauses and of the state of the market. */
export function chainStatusRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Chain');
    app.get('/chain/status', getRoute, async () => toStatusView(await readChainStatus(ctx)));

    app.put(
      '/chain/status',
      {
        config: administer,
        handlerTimeout: confirmWithinMs,
        schema: putSchema,
      },
      async (request, reply) => {
        const plan = await planChainStatus(ctx, request.body);
        return operateOnce(ctx, reply, plan, toStatusDoneView);
      },
    );
  };
}

export function toStatusDoneView({ status, txHash }: Done) {
  if (!status) throw new Error('a status was set and is not there');
  return { ...toStatusView(status), tx_hash: txHash };
}

function toStatusView({ paused, market, override }: ChainStatus) {
  const until = override?.untilMs === undefined ? null : new Date(override.untilMs).toISOString();
  return {
    paused,
    market,
    market_override: override ? { market: override.market, until } : null,
  };
}
