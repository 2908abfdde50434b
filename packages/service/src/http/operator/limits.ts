import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox';
import type { Changed } from '../../actions/approvals/plan.js';
import { planLimits } from '../../actions/limits/plan-limits.js';
import { type KnownLimits, type LimitsOf, readLimits } from '../../actions/limits/read-limits.js';
import type { Context } from '../../context.js';
import type { VelocityAmounts, VelocityLimits } from '../../domain/velocity.js';
import { closed, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { field } from './fields.js';
import { ApprovalWaitingView, changeOnce } from './operations.js';
import { recordField } from './record-fields.js';
import { comply, read } from './shapes.js';

const amount = Type.Number({ minimum: 0 });
const LimitValues = titled('VelocityLimitValues', {
  user_daily_usdc: Nullable(amount, field.userDailyUsdc),
  user_daily_gold: Nullable(amount, field.userDailyGold),
  partner_daily_usdc: Nullable(amount, field.partnerDailyUsdc),
  partner_daily_gold: Nullable(amount, field.partnerDailyGold),
});
const ofUsers = {
  user_daily_usdc: Type.Optional(Type.Number({ ...field.userDailyUsdc, minimum: 0 })),
  user_daily_gold: Type.Optional(Type.Number({ ...field.userDailyGold, minimum: 0 })),
};
const ofAll = {
  ...ofUsers,
  partner_daily_usdc: Type.Optional(Type.Number({ ...field.partnerDailyUsdc, minimum: 0 })),
  partner_daily_gold: Type.Optional(Type.Number({ ...field.partnerDailyGold, minimum: 0 })),
};
const UsedView = titled('VelocityUsed', {
  usdc: Type.Number(field.usedUsdc),
  gold: Type.Number(field.usedGold),
});

export const LimitsView = titled('VelocityLimits', {
  own: LimitValues,
  effective: LimitValues,
  used: Nullable(UsedView, field.limitsUsed),
});

const meaning =
  'What can be moved within 24 hours, by users and by all users of a partner together; trades count with both amounts, redemptions with their GOLD. `own` is what is set here, `effective` what holds together with the limits above: those of the service, and for a user those of the partner.';
const changing =
  'Replaces all limits that are set here; one that is left out is left to the limits above. Lower limits take effect immediately. Anything that lets more through than before needs a second operator while `KARAT_APPROVALS=2`: 202 with an `approval_id`.';

const responses = { 200: LimitsView, 202: ApprovalWaitingView };
const partnerParams = Type.Object({ partner_id: Type.String(field.partnerId) });
const userParams = Type.Object({ service_user_id: Type.String(recordField.serviceUserId) });

const getService = route(read, {
  operationId: 'getLimits',
  summary: 'Get the velocity limits of the service',
  description: meaning,
  response: { 200: LimitsView },
});
const putService = route(comply, {
  operationId: 'putLimits',
  summary: 'Set the velocity limits of the service',
  description: changing,
  errors: codes('transition_not_allowed'),
  body: closed(ofAll),
  response: responses,
});
const getPartner = route(read, {
  operationId: 'getPartnerLimits',
  summary: 'Get the velocity limits of a partner',
  description: meaning,
  errors: codes('partner_not_found'),
  params: partnerParams,
  response: { 200: LimitsView },
});
const putPartner = route(comply, {
  operationId: 'putPartnerLimits',
  summary: 'Set the velocity limits of a partner',
  description: changing,
  errors: codes('partner_not_found', 'transition_not_allowed'),
  params: partnerParams,
  body: closed(ofAll),
  response: responses,
});
const getUser = route(read, {
  operationId: 'getUserLimits',
  summary: 'Get the velocity limits of a user',
  description: meaning,
  errors: codes('user_not_found'),
  params: userParams,
  response: { 200: LimitsView },
});
const putUser = route(comply, {
  operationId: 'putUserLimits',
  summary: 'Set the velocity limits of a user',
  description: changing,
  errors: codes('user_not_found', 'transition_not_allowed'),
  params: userParams,
  body: closed(ofUsers),
  response: responses,
});

/** Routes of the limits of what users and partners may move within 24 hours. */
export function limitRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const read = async (of: LimitsOf) => toLimitsView(await readLimits(ctx, of));
  const toView = ({ limits }: Changed<'limits'>) => toLimitsView(limits);
  return async (app) => {
    tagRoutes(app, 'Limits');
    app.get('/limits', getService, () => read({ kind: 'service' }));
    app.put('/limits', putService, async (request, reply) => {
      const plan = await planLimits(ctx, { kind: 'service' }, request.body);
      return changeOnce(ctx, reply, plan, toView);
    });

    app.get('/partners/:partner_id/limits', getPartner, ({ params }) =>
      read({ kind: 'partner', id: params.partner_id }),
    );
    app.put('/partners/:partner_id/limits', putPartner, async (request, reply) => {
      const of = { kind: 'partner', id: request.params.partner_id } as const;
      return changeOnce(ctx, reply, await planLimits(ctx, of, request.body), toView);
    });

    app.get('/users/:service_user_id/limits', getUser, ({ params }) =>
      read({ kind: 'user', id: params.service_user_id }),
    );
    app.put('/users/:service_user_id/limits', putUser, async (request, reply) => {
      const of = { kind: 'user', id: request.params.service_user_id } as const;
      return changeOnce(ctx, reply, await planLimits(ctx, of, request.body), toView);
    });
  };
}

const values = viewOf(LimitValues);
const usedView = viewOf(UsedView);

function toValues({ userUsdc, userGold, partnerUsdc, partnerGold }: VelocityLimits) {
  return values({
    userDailyUsdc: userUsdc,
    userDailyGold: userGold,
    partnerDailyUsdc: partnerUsdc,
    partnerDailyGold: partnerGold,
  });
}

const toUsed = (used: VelocityAmounts) => usedView(used);

export function toLimitsView({ own, effective, used }: KnownLimits): Static<typeof LimitsView> {
  return { own: toValues(own), effective: toValues(effective), used: used ? toUsed(used) : null };
}
