import type { Schemas as Operator } from '../api/operator';
import type { ChallengeRequest, Factors, Offer, Passkey, Permit, Proof } from '../api/surface';
import type { paths as described } from '../generated/partner';

/** Routes of sessions and members, until the description of the API has them. */
type Json<Body> = { content: { 'application/json': Body } };
type Operation<Out, Body, Path, Query> = {
  parameters: { query?: Query; header?: never; cookie?: never } & ([Path] extends [never]
    ? { path?: never }
    : { path: Path });
  responses: { 200: { headers: Record<string, unknown> } & Json<Out> };
} & ([Body] extends [never] ? { requestBody?: never } : { requestBody: Json<Body> });
type Get<Out, Path = never, Query = never> = Operation<Out, never, Path, Query>;
type Send<Body, Out, Path = never> = Operation<Out, Body, Path, never>;

export type Role = 'owner' | 'developer' | 'finance' | 'viewer';
export type Permission =
  | 'read'
  | 'read_requests'
  | 'read_bodies'
  | 'read_statements'
  | 'manage_keys'
  | 'manage_webhooks'
  | 'manage_members'
  | 'trade';

export interface SignedInMember {
  member_id: string;
  email: string | null;
  name: string;
  role: Role;
  partner_id: string;
  permissions: Permission[];
  expires_at: string;
  second_factor_required: boolean;
  second_factor_enrolled: boolean;
}
export interface Member {
  member_id: string;
  email: string | null;
  name: string;
  role: Role;
  status: 'active' | 'removed';
  last_seen_at: string | null;
}
export interface Invitation {
  invitation_id: string;
  email: string;
  role: Role;
  expires_at: string;
  created_at: string;
}
export interface MadeInvitation {
  invitation_id: string;
  url: string;
  expires_at: string;
}

export interface MemberEntry {
  seq: number;
  at: string;
  action: string;
  member_name: string | null;
  object_type: string;
  object_id: string;
}

interface Members {
  '/v1/session': {
    get: Get<SignedInMember>;
    post: Send<
      { email: string; password: string } | { challenge_id: string; signature: string },
      SignedInMember | Offer
    >;
    delete: Send<never, object>;
  };
  '/v1/session/challenge': {
    post: Send<
      { wallet_address: string; partner_id: string },
      { challenge_id: string; message: string; expires_at: string }
    >;
  };
  '/v1/session/confirm': {
    post: Send<{ challenge_id: string; signature: string }, { confirmation: string }>;
  };
  '/v1/session/second-factor': { post: Send<Proof, SignedInMember> };
  '/v1/session/password': { put: Send<{ current_password: string; new_password: string }, object> };
  '/v1/session/factors': { get: Get<Factors> };
  '/v1/session/factors/challenges': { post: Send<ChallengeRequest, Offer> };
  '/v1/session/factors/confirm': { post: Send<Proof, { confirmation: string }> };
  '/v1/session/passkeys/options': { post: Send<Permit, Operator['StartPasskeyResult']> };
  '/v1/session/passkeys': {
    post: Send<{ token: string; name: string; passkey: Record<string, unknown> }, object>;
  };
  '/v1/session/passkeys/{passkey_id}': { patch: Send<{ name: string }, Passkey, { passkey_id: string }> };
  '/v1/session/passkeys/{passkey_id}/remove': { post: Send<Permit, object, { passkey_id: string }> };
  '/v1/session/totp': { post: Send<Permit, Operator['StartTotpResult']> };
  '/v1/session/totp/confirm': { post: Send<{ totp_code: string }, object> };
  '/v1/session/totp/remove': { post: Send<Permit, object> };
  '/v1/session/recovery-codes': { post: Send<Permit, object> };
  '/v1/members': { get: Get<{ members: Member[] }> };
  '/v1/members/{member_id}': {
    patch: Send<{ role?: Role; name?: string }, Member, { member_id: string }>;
    delete: Send<never, object, { member_id: string }>;
  };
  '/v1/members/invitations': {
    get: Get<{ invitations: Invitation[] }>;
    post: Send<{ email: string; role: Role }, MadeInvitation>;
  };
  '/v1/members/invitations/{invitation_id}': { delete: Send<never, object, { invitation_id: string }> };
  '/v1/members/invitations/accept': {
    post: Send<{ token: string; name: string; password: string }, { email: string }>;
  };
  '/v1/members/audit': {
    get: Get<
      { entries: MemberEntry[]; next_cursor: string | null },
      never,
      { limit?: string; cursor?: string }
    >;
  };
}

export type paths = described & Members;
