import { getUpdateConfigInstructionAsync, type Config as ProgramConfig } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { sendAndWait, signAlone } from '../chain/admin-transactions.js';
import { readConfig } from '../chain/keeper-view.js';
import type { Signer } from '../chain/signer.js';
import { noKey } from '../chain/wallet.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';

/** One of the two places of the program's configuration. */
export type SignerChange = { add: Address } | { remove: Address };

export interface ServiceSigners {
  /** One or two. */
  signers: Address[];
  /** Of the change; null when nothing had to change. */
  txHash: string | null;
}

const readWithinMs = 3_000;
const waitMs = 30_000;

/** The service signers on chain now. Throws `service_unavailable`. */
export async function readServiceSigners(ctx: Context): Promise<ServiceSigners> {
  return { signers: signersOf(await readNow(ctx)), txHash: null };
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
): Promise<ServiceSigners> {
  const config = await readNow(ctx);
  const before = signersOf(config);
  const after = changed(before, change);
  if (after.length === before.length) return { signers: before, txHash: null };
  const { chain } = ctx;
  const admin = adminOf(ctx, config);
  const [first, second = noKey] = after;
  const instruction = await getUpdateConfigInstructionAsync(
    {
      ...config,
      admin: createNoopSigner(admin.address),
      serviceSigners: [first ?? noKey, second],
    },
    { programAddress: chain.programAddress },
  );
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const signed = await asked(signAlone(chain, admin, [instruction], computeUnitPrice));
  await ctx.db.transaction((tx) => {
    const what = { action: 'chain.signers', objectType: 'chain', objectId: chain.programAddress };
    const states = {
      before: { service_signers: before },
      after: { service_signers: after, tx_hash: signed.txHash },
    };
    return recordChange(tx, by, { ...what, ...states }, new Date(ctx.clock.now()));
  });
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return { signers: after, txHash: signed.txHash };
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${signed.txHash}: ${landing.reason}`);
  }
  throw unavailable(`The change ${signed.txHash} is not confirmed yet; look at the signers and ask again.`);
}

function signersOf({ serviceSigners }: ProgramConfig): Address[] {
  return serviceSigners.filter((address) => address !== noKey);
}

function changed(before: Address[], change: SignerChange): Address[] {
  if ('remove' in change) {
    const after = before.filter((address) => address !== change.remove);
    if (after.length > 0) return after;
    throw new AppError('transition_not_allowed', 'This is the only service signer: add another one before.');
  }
  if (before.includes(change.add)) return before;
  if (before.length < 2) return [...before, change.add];
  const message = `There are two service signers already, ${before.join(' and ')}: remove one before.`;
  throw new AppError('transition_not_allowed', message);
}

function adminOf({ chain: { admin } }: Context, config: ProgramConfig): Signer {
  if (admin?.address === config.admin) return admin;
  throw unavailable(
    admin
      ? "The admin key of this process is not the program's admin."
      : 'This process does not hold the admin key.',
  );
}

function readNow(ctx: Context): Promise<ProgramConfig> {
  return asked(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs)));
}

async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw unavailable('The Solana node does not tell the state of the program; try again shortly.', cause);
  }
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('service_unavailable', message, { cause });
}
