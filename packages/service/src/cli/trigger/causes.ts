import { signBytes } from '@solana/kit';
import { newUuid } from '../../domain/ids.js';
import { newCustomer } from './customer.js';
import { changeExecutives, order } from './order.js';
import { failRedemption, moveRedemption, redeem } from './redemption.js';
import { clientOf, type Sandbox } from './sandbox.js';
import { buy, expireBuy, failBuy } from './trade.js';
import type { TriggeredType } from './types.js';

/** Makes something happen in the sandbox, and returns the id of the object that the event is about. */
type Cause = (sandbox: Sandbox, redemption?: string) => Promise<string>;

const reason = 'karat trigger';

/** What makes each event happen, for real. */
export const causes: Record<TriggeredType, Cause> = {
  'user.created': async (sandbox) => (await newCustomer(sandbox)).id,
  'user.suspended': (sandbox) => changeUser(sandbox, ['suspend', { reason }]),
  'user.resumed': (sandbox) => changeUser(sandbox, ['suspend', { reason }], ['resume', {}]),
  'user.kyc_level_changed': (sandbox) => changeUser(sandbox, ['kyc-level', { kyc_level: 'lapsed', reason }]),
  'api_key.created': mintKey,
  'api_key.revoked': async (sandbox) => {
    const id = await mintKey(sandbox);
    await sandbox.api('POST', `/v1/partner/api-keys/${id}/revoke`);
    return id;
  },
  'trade.submitted': buy,
  'trade.confirmed': buy,
  'trade.failed': failBuy,
  'trade.expired': expireBuy,
  'redemption.submitted': redeem,
  'redemption.preparing': (sandbox, id) => moveRedemption(sandbox, 'preparing', id),
  'redemption.ready': (sandbox, id) => moveRedemption(sandbox, 'ready', id),
  'redemption.collected': (sandbox, id) => moveRedemption(sandbox, 'collected', id),
  'redemption.cancellation_requested': (sandbox, id) => moveRedemption(sandbox, 'cancellation_requested', id),
  'redemption.cancelled': (sandbox, id) => moveRedemption(sandbox, 'cancelled', id),
  'redemption.failed': failRedemption,
  'redemption.refunded': (sandbox, id) => moveRedemption(sandbox, 'refunded', id),
  'redemption.burned': (sandbox, id) => moveRedemption(sandbox, 'burned', id),
  'purchase.confirmed': (sandbox) => order(sandbox, 'purchase', 'confirmed'),
  'purchase.failed': (sandbox) => order(sandbox, 'purchase', 'failed'),
  'purchase.expired': (sandbox) => order(sandbox, 'purchase', 'expired'),
  'sale.confirmed': (sandbox) => order(sandbox, 'sale', 'confirmed'),
  'sale.failed': (sandbox) => order(sandbox, 'sale', 'failed'),
  'sale.expired': (sandbox) => order(sandbox, 'sale', 'expired'),
  'withdrawal.confirmed': (sandbox) => order(sandbox, 'withdrawal', 'confirmed'),
  'withdrawal.failed': (sandbox) => order(sandbox, 'withdrawal', 'failed'),
  'withdrawal.expired': (sandbox) => order(sandbox, 'withdrawal', 'expired'),
  'executives.changed': changeExecutives,
  'partner.suspended': suspendForAMoment,
  'partner.resumed': suspendForAMoment,
  'webhook_endpoint.disabled': disableEndpoint,
  'member.invited': inviteMember,
};

/** Has an operator change a new customer. */
async function changeUser(sandbox: Sandbox, ...changes: [path: string, body: object][]): Promise<string> {
  const { id } = await newCustomer(sandbox);
  for (const [path, body] of changes) {
    sandbox.note(`operator: ${path} ${id}`);
    await sandbox.operate('POST', `/users/${id}/${path}`, body);
  }
  return id;
}

async function mintKey(sandbox: Sandbox): Promise<string> {
  const { info, partner, note } = sandbox;
  const wallet = await sandbox.key(partner.wallet_keypair);
  const open = clientOf(info.partner_api_url, note);
  const desired = { wallet_address: wallet.address, partner_id: partner.partner_id };
  const challenge = await open<{ challenge_id: string; message: string }>(
    'POST',
    '/v1/auth/challenge',
    desired,
  );
  const signature = await signBytes(wallet.keyPair.privateKey, Buffer.from(challenge.message));
  const proof = {
    challenge_id: challenge.challenge_id,
    signature: Buffer.from(signature).toString('base64'),
    key_name: reason,
  };
  const { key_id: id } = await open<{ key_id: string }>('POST', '/v1/auth/api-key', proof);
  return id;
}

/** Has an operator invite an owner who does not exist. */
async function inviteMember({ partner, operate, note }: Sandbox): Promise<string> {
  note('operator: invite an owner');
  const path = `/partners/${partner.partner_id}/invitations`;
  const invited = await operate<{ invitation_id: string }>('POST', path, {
    email: `${newUuid()}@karat.test`,
  });
  return invited.invitation_id;
}

/** A suspended partner gets no responses: it is resumed at once, so that the event can be read. */
async function suspendForAMoment({ partner, operate, note }: Sandbox): Promise<string> {
  const { partner_id: id } = partner;
  note('operator: suspend the partner, and resume it');
  await operate('POST', `/partners/${id}/suspend`, { reason });
  await operate('POST', `/partners/${id}/resume`);
  return id;
}

/** Creates an endpoint at which nothing listens, disables it and deletes it. */
async function disableEndpoint({ api }: Sandbox): Promise<string> {
  const { endpoint_id: id } = await api<{ endpoint_id: string }>('POST', '/v1/webhook-endpoints', {
    url: 'http://127.0.0.1:1024/hook',
    types: ['webhook_endpoint.disabled'],
    description: reason,
  });
  await api('PATCH', `/v1/webhook-endpoints/${id}`, { status: 'disabled' });
  await api('DELETE', `/v1/webhook-endpoints/${id}`);
  return id;
}
