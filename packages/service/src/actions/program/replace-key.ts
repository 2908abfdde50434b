import {
  getReplaceKeyInstructionAsync,
  HotKeyRole,
  type Config as ProgramConfig,
} from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { HotKeyName } from '../../domain/hot-key.js';
import { AppError, notAllowed } from '../../errors.js';
import { actAsAdmin } from '../approvals/act-as-admin.js';
import type { Outcome } from '../approvals/plan.js';
import { readProgramConfig } from './read-program-config.js';

const roles: Record<HotKeyName, HotKeyRole> = {
  operations: HotKeyRole.Operations,
  market: HotKeyRole.Market,
  compliance: HotKeyRole.Compliance,
  service: HotKeyRole.ServiceSigner,
};

export interface KeyReplacement {
  role: HotKeyName;
  /** The key that has the role now; `noKey`: its place is empty. Default: the one that has it, of roles with one key. */
  old?: Address | undefined;
  /** `noKey` leaves the place empty. */
  replacement: Address;
  /** Pays in place of the operations key. */
  feePayer?: Address | undefined;
  /** For the audit log; at most 1,000 characters. */
  reason?: string | undefined;
}

/** The hot keys of the program; null for an empty place. */
export interface HotKeys {
  operations: Address | null;
  market: Address | null;
  compliance: Address | null;
  /** One or two. */
  serviceSigners: Address[];
}

/** Reads the hot keys on chain now. Throws `service_unavailable`. */
export async function readHotKeys(ctx: Context): Promise<HotKeys> {
  const { hotKeys } = await readProgramConfig(ctx);
  return {
    operations: keyOrNull(hotKeys.operations),
    market: keyOrNull(hotKeys.market),
    compliance: keyOrNull(hotKeys.compliance),
    serviceSigners: hotKeys.serviceSigners.filter((key) => key !== noKey),
  };
}

/**
 * Replaces a hot key, as `actAsAdmin` does. It depends on nothing but that the old key has the role, so that a multisig may take
 * its time to sign. Throws `transition_not_allowed` for a key that does not have it, for no change, and for a program that would
 * be left without a service signer.
 */
export async function replaceKey(
  ctx: Context,
  by: ChangedBy,
  { role, old: named, replacement, feePayer, reason }: KeyReplacement,
): Promise<Outcome> {
  const config = await readProgramConfig(ctx);
  const present = keysOf(config, role);
  const old = named ?? (present.length === 1 ? present[0] : undefined);
  if (old === undefined) throw notAllowed(`Name which of ${present.join(' and ')} is to be replaced.`);
  if (!present.includes(old)) throw notAllowed(`${old} is no ${role} key of the program.`);
  if (old === replacement) throw notAllowed('The key and its replacement are the same.');
  const left = present.map((key) => (key === old ? replacement : key));
  if (role === 'service' && left.every((key) => key === noKey)) {
    throw notAllowed('This is the only service signer: add another one first.');
  }
  const { programAddress } = ctx.chain;
  const admin = createNoopSigner(config.admin);
  const input = { admin, role: roles[role], old, new: replacement };
  return actAsAdmin(ctx, by, {
    config,
    instructions: async () => [await getReplaceKeyInstructionAsync(input, { programAddress })],
    feePayer,
    change: {
      action: 'chain.key',
      objectId: programAddress,
      before: { role, key: keyOrNull(old) },
      after: { role, key: keyOrNull(replacement) },
      reason,
    },
    look: 'the keys of the program',
  }).catch((error: unknown) => {
    throw error instanceof AppError && error.programErrorName === 'KeyNotInRole'
      ? notAllowed(`${old} is no ${role} key of the program any more.`, { cause: error })
      : error;
  });
}

function keysOf({ hotKeys }: ProgramConfig, role: HotKeyName): Address[] {
  return role === 'service' ? hotKeys.serviceSigners : [hotKeys[role]];
}

const keyOrNull = (key: Address) => (key === noKey ? null : key);
