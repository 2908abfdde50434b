import type { Config as ProgramConfig } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { notAllowed } from '../../errors.js';
import type { AdminAct } from '../approvals/act-as-admin.js';
import { readProgramConfig, updateConfig } from '../market/update-config.js';

/** One of the two places of the program's configuration. */
export type SignerChange = { add: Address } | { remove: Address };

export interface ServiceSigners {
  /** One or two. */
  signers: Address[];
  /** Undefined when nothing had to change. */
  change: AdminAct | undefined;
}

/** Reads the service signers on chain now. Throws `service_unavailable`. */
export async function readServiceSigners(ctx: Context): Promise<ServiceSigners> {
  return { signers: signersOf(await readProgramConfig(ctx)), change: undefined };
}

/**
 * Adds a service signer or takes one away, by a transaction of the admin; everything else of the configuration stays as it
 * is. What is to be done is in the audit log before it is sent. Throws `transition_not_allowed` when both places are
 * taken or none would be, `broadcast_failed` and `service_unavailable`.
 */
export async function changeServiceSigners(
  ctx: Context,
  by: ChangedBy,
  change: SignerChange,
  feePayer?: Address,
): Promise<ServiceSigners> {
  const config = await readProgramConfig(ctx);
  const before = signersOf(config);
  const after = changed(before, change);
  if (after.length === before.length) return { signers: before, change: undefined };
  const [first = noKey, second = noKey] = after;
  const next = { ...config, serviceSigners: [first, second] };
  const states = { before: { service_signers: before }, after: { service_signers: after } };
  const input = { before: config, next, feePayer };
  const made = await updateConfig(ctx, by, input, { action: 'chain.signers', ...states });
  return { signers: made.kind === 'done' ? after : before, change: made };
}

function signersOf({ serviceSigners }: ProgramConfig): Address[] {
  return serviceSigners.filter((address) => address !== noKey);
}

function changed(before: Address[], change: SignerChange): Address[] {
  if ('remove' in change) {
    const after = before.filter((address) => address !== change.remove);
    if (after.length > 0) return after;
    throw notAllowed('This is the only service signer: add another one first.');
  }
  if (before.includes(change.add)) return before;
  if (before.length < 2) return [...before, change.add];
  throw notAllowed(`There are already two service signers, ${before.join(' and ')}: remove one first.`);
}
