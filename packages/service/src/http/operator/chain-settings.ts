import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Done } from '../../actions/approvals/plan.js';
import {
  planSettings,
  planSettingsApply,
  planSettingsCancellation,
} from '../../actions/program/plan-settings.js';
import { readSettings, toSettingsStateView } from '../../actions/program/settings.js';
import { readSettingsChange } from '../../actions/program/settings-change.js';
import type { Context } from '../../context.js';
import { closed, closedOrAbsent } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { confirmWithinMs, operateOnce, WaitingView } from './operations.js';
import { settingsField as field } from './settings-fields.js';
import {
  ChangedSettingsView,
  SettingsChange,
  SettingsStateView,
  toChangedSettingsView,
} from './settings-view.js';
import { administer, Reason, read } from './shapes.js';

const getRoute = route(read, {
  operationId: 'getChainSettings',
  summary: "Get the program's settings, and those that are proposed",
  description:
    'Reads the current state from the chain. `pending` is complete: compare it with `settings` to see what it changes.',
  response: { 200: SettingsStateView },
});

const response = { 200: ChangedSettingsView, 202: WaitingView };
const errors = codes('broadcast_failed', 'transition_not_allowed');

const proposeSchema = {
  operationId: 'proposeChainSettings',
  summary: 'Propose other settings of the program',
  description:
    "The admin proposes; the settings can be applied once the change delay is over, within 14 days, and until then the guardian and the admin can cancel them. 409 while others are proposed. What the program would refuse is refused at once. 200 if the service holds the admin's key and the chain has confirmed the proposal, 202 with an unsigned `transaction` if the key is elsewhere. Nothing is sent if nothing would change.",
  errors,
  body: closed({ settings: { ...SettingsChange, ...field.change }, reason: Type.Optional(Reason) }),
  bodyExample: { settings: { max_trade_usdc: 500_000 }, reason: 'Smaller trades over the holidays' },
  response,
};

const steps = {
  apply: {
    operationId: 'applyChainSettings',
    summary: 'Apply the proposed settings of the program',
    description:
      'Possible from `ready_at` to `expires_at` of the proposal; 409 before and after. It takes no role on chain: the operations key, or else the admin, only pays.',
  },
  cancel: {
    operationId: 'cancelChainSettings',
    summary: 'Cancel the proposed settings of the program',
    description:
      'By the guardian, or by the admin: 200 if the service holds one of the two keys, else 202 with an unsigned `transaction`. The guardian cannot cancel the proposal of another guardian. The present settings stay as they are.',
  },
} as const;

const stepSchema = (step: keyof typeof steps) => ({
  ...steps[step],
  errors,
  body: closedOrAbsent({ reason: Type.Optional(Reason) }),
  response,
});

/** Routes of the settings of the program: proposed, then applied after a delay in which they can be cancelled. */
export function chainSettingsRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  const plans = { apply: planSettingsApply, cancel: planSettingsCancellation };
  return async (app) => {
    tagRoutes(app, 'Chain');
    app.get('/chain/settings', getRoute, async () => toSettingsStateView(await readSettings(ctx)));

    app.post(
      '/chain/settings',
      { config: administer, handlerTimeout: confirmWithinMs, schema: proposeSchema },
      async (request, reply) => {
        const { settings, reason } = request.body;
        const plan = await planSettings(ctx, { changes: readSettingsChange(settings), reason });
        return operateOnce(ctx, reply, plan, toDoneView);
      },
    );

    for (const step of ['apply', 'cancel'] as const) {
      app.post(
        `/chain/settings/${step}`,
        { config: administer, handlerTimeout: confirmWithinMs, schema: stepSchema(step) },
        async (request, reply) => {
          const plan = await plans[step](ctx, { reason: request.body?.reason });
          return operateOnce(ctx, reply, plan, toDoneView);
        },
      );
    }
  };
}

function toDoneView({ settings, txHash }: Done) {
  if (!settings) throw new Error('settings were changed and are not there');
  return toChangedSettingsView(settings, txHash);
}
