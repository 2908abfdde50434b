import {
  AuthorityRole,
  getApplyAuthorityInstructionAsync,
  getCancelAuthorityInstructionAsync,
  getProposeAuthorityInstructionAsync,
  type Integrator,
} from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import type { Chain } from '../chain.js';
import { noKey } from './wallet.js';

/** Roles of a partner that are one key each. */
export const authorityNames = ['wallet', 'update', 'withdrawal'] as const;
export type AuthorityName = (typeof authorityNames)[number];

/** What the admin does about a key that a partner lost. */
export const authorityActs = ['propose', 'cancel', 'apply'] as const;
export type AuthorityAct = (typeof authorityActs)[number];

const roles: Record<AuthorityName, AuthorityRole> = {
  wallet: AuthorityRole.Wallet,
  update: AuthorityRole.Update,
  withdrawal: AuthorityRole.Withdrawal,
};

/** An authority that is proposed, and from when it can be applied. */
export interface ProposedAuthority {
  role: AuthorityName;
  address: Address;
  readyAtSeconds: bigint;
}

export function proposedAuthorities({ proposals }: Pick<Integrator, 'proposals'>): ProposedAuthority[] {
  return authorityNames.flatMap((role) => {
    const { key: address, readyAt: readyAtSeconds } = proposals[roles[role]] ?? { key: noKey, readyAt: 0n };
    return address === noKey ? [] : [{ role, address, readyAtSeconds }];
  });
}

/** Returns the key that a role has now. */
export function authorityOf(integrator: Integrator, role: AuthorityName): Address {
  if (role === 'wallet') return integrator.partnerWallet;
  return role === 'update' ? integrator.updateAuthority : integrator.withdrawalAuthority;
}

/** Proposes, cancels or applies an authority of a partner; the admin signs. */
export function authorityInstruction(
  { programAddress }: Pick<Chain, 'programAddress'>,
  act: AuthorityAct,
  input: { admin: Address; integrator: Address; role: AuthorityName; key: Address },
): Promise<Instruction> {
  const { integrator, key } = input;
  const admin = createNoopSigner(input.admin);
  const named = { integrator, key, role: roles[input.role] };
  if (act === 'propose') return getProposeAuthorityInstructionAsync({ ...named, admin }, { programAddress });
  if (act === 'apply') return getApplyAuthorityInstructionAsync({ ...named, admin }, { programAddress });
  return getCancelAuthorityInstructionAsync({ ...named, authority: admin }, { programAddress });
}
