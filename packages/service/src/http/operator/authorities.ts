import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { planAuthority } from '../../actions/partners/plan-authority.js';
import type { Context } from '../../context.js';
import { closed, reference } from '../../views/schemas.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { field } from './fields.js';
import {
  confirmWithinMs,
  operateOnce,
  PartnerOnChainView,
  toOnchainDoneView,
  WaitingView,
} from './operations.js';
import { administer } from './shapes.js';

const acts = {
  propose: {
    operationId: 'proposeAuthority',
    summary: 'Propose another wallet or authority of a partner',
    description:
      "For a partner that has lost a key; a partner that still has the key hands it over on chain itself. The proposal can be applied after the recovery delay of the program, and the partner's update or withdrawal authority can cancel it until then. 200 if the service holds the admin's key and the chain has confirmed the proposal, 202 as for `PUT /partners/{partner_id}/onchain`.",
  },
  cancel: {
    operationId: 'cancelAuthority',
    summary: 'Withdraw a proposed wallet or authority',
    description:
      'Needs no second operator. The partner can do the same on chain, with its update or withdrawal authority.',
  },
  apply: {
    operationId: 'applyAuthority',
    summary: 'Apply a proposed wallet or authority',
    description:
      'Possible after the recovery delay. A new wallet is registered with the partner as soon as it is on chain, and the old one is revoked.',
  },
} as const;

/** Routes by which the admin replaces keys that partners lost. */
export function authorityRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Partners');
    for (const act of ['propose', 'cancel', 'apply'] as const) {
      app.post(
        `/partners/:partner_id/authorities/:role/${act}`,
        {
          config: administer,
          handlerTimeout: confirmWithinMs,
          schema: {
            ...acts[act],
            errors: codes(
              'not_found',
              'partner_not_found',
              'invalid_wallet',
              'wallet_not_allowed',
              'wallet_already_registered',
              'transition_not_allowed',
              'broadcast_failed',
            ),
            params: Type.Object({
              partner_id: Type.String(field.partnerId),
              role: Type.String(field.authorityRole),
            }),
            body: closed({ address: reference(field.proposedAuthority) }),
            response: {
              200: PartnerOnChainView,
              202: WaitingView,
            },
          },
        },
        async (request, reply) => {
          const { partner_id: partnerId, role } = request.params;
          const plan = await planAuthority(ctx, { partnerId, act, role, address: request.body.address });
          return operateOnce(ctx, reply, plan, toOnchainDoneView);
        },
      );
    }
  };
}
