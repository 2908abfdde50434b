import { fetchMaybeIntegrator } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { responseOf } from '../../chain/node/landing.js';
import {
  type AuthorityAct,
  type AuthorityName,
  authorityInstruction,
  authorityOf,
} from '../../chain/program/authorities.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { Uuid } from '../../domain/ids.js';
import { AppError } from '../../errors.js';
import { actAsAdmin } from '../approvals/act-as-admin.js';
import type { Outcome } from '../approvals/plan.js';
import { readProgramConfig } from '../program/read-program-config.js';

/**
 * Proposes, cancels or applies an authority of a partner, by a transaction of the admin, as `actAsAdmin` does. No
 * second operator has to approve it: it takes the admin's key. Throws `partner_not_found` for a partner that is not on
 * chain.
 */
export async function changeAuthority(
  ctx: Context,
  by: ChangedBy,
  input: {
    act: AuthorityAct;
    partnerId: Uuid;
    role: AuthorityName;
    key: Address;
    feePayer?: Address | undefined;
    reason?: string | undefined;
  },
): Promise<Outcome> {
  const { chain } = ctx;
  const { act, partnerId, role, key, feePayer, reason } = input;
  const config = await readProgramConfig(ctx);
  const { admin } = config;
  const integrator = await chain.program.integratorAddress(partnerId);
  const found = await responseOf(fetchMaybeIntegrator(chain.rpc, integrator, { commitment: 'confirmed' }));
  if (!found.exists) throw new AppError('partner_not_found', 'There is no partner with this id on chain.');
  const change = {
    action: `authority.${act}` as const,
    objectId: partnerId,
    before: { role, address: authorityOf(found.data, role) },
    after: { role, address: key },
    reason,
  };
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () => [await authorityInstruction(chain, act, { admin, integrator, role, key })],
    feePayer,
    change,
    look: 'the partner',
  });
}
