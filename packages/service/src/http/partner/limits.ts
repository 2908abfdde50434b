import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import {
  limitUnits,
  type RequestBudgets,
  readPartnerLimits,
} from '../../actions/limits/read-partner-limits.js';
import type { Context } from '../../context.js';
import { about } from '../../views/fields.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { reading } from './settings.js';

const LimitView = titled('Limit', {
  name: Type.String(
    about(
      'Which limit it is, as refusals name it: `partner_daily_usdc`, `partner_daily_gold`, `user_daily_usdc`, `user_daily_gold`, `chain_daily_usdc`, `fee_budget`, `partner_reads`, `partner_writes`, `key_reads`, `key_writes`, `member_reads`, `member_writes`, `webhook_endpoints`, `partner_streams`, `key_streams` or `member_streams`; those of a member are for sessions.',
      'partner_daily_gold',
    ),
  ),
  unit: choice(limitUnits, about('What is counted.', 'GOLD')),
  period_seconds: Nullable(
    Type.Integer(),
    about('How long what is used counts; null for what counts as long as it is there.', 86_400),
  ),
  used: Nullable(Type.Number(), about('What counts now; null for a limit of each user.', 12.5)),
  reserved: Type.Number(about('What open quotes may still move; 0 where quotes do not count.', 0.5)),
  limit: Nullable(Type.Number(), about('The most; null if there is no limit.', 100)),
  left: Nullable(Type.Number(), about('What is left; null if there is no limit, or it is of each user.', 87)),
  resets_at: Nullable(
    Type.String(),
    about(
      'When what was used first is free again, and for `fee_budget` all of it; null if nothing is used, or it does not end by itself.',
      '2026-03-02T09:00:00.000Z',
    ),
  ),
});

const limitsRoute = route(reading, {
  operationId: 'listLimits',
  summary: 'List your limits',
  description:
    'Returns every limit that can stop you, with what is used and what is left: what you and your customers may move within 24 hours, what the service pays to the network for you within an hour, requests within a minute, webhook endpoints, and open streams of events.',
  response: { 200: Type.Object({ limits: Type.Array(LimitView) }) },
});

/** Route of the limits of the caller's partner. */
export function limitRoutes(ctx: Context, budgets: () => RequestBudgets): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Discovery');
    app.get('/v1/limits', limitsRoute, async ({ principal }) => {
      const limits = await readPartnerLimits(ctx, principal, budgets());
      return { limits: limits.map(toLimitView) };
    });
  };
}

const toLimitView = viewOf(LimitView);
