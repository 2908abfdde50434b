import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { describeBadInput } from '../bad-input.js';
import { clientOf, type Harness, harness, newAddress, newWallet } from '../harness.js';

let h: Harness;
let challenge: { challenge_id: string; message: string };
beforeAll(async () => {
  h = await harness();
  const answer = await h.mintKey(h.main);
  const fresh = await clientOf(h.app, {}).post('/v1/auth/challenge', {
    wallet_address: h.main.wallet.address,
    partner_id: h.main.partnerId,
  });
  challenge = fresh.body;
  if (answer.answer.status !== 201) throw new Error('no key');
});
afterAll(() => h.close());

const sendAnonymously = (path: string) => (json: string) =>
  clientOf(h.app, {}, { remoteAddress: newAddress() }).post(path, json);

describeBadInput('POST /v1/auth/challenge', {
  harness: () => h,
  send: sendAnonymously('/v1/auth/challenge'),
  good: () => ({ wallet_address: h.main.wallet.address, partner_id: h.main.partnerId }),
  fields: [
    {
      path: 'wallet_address',
      kind: 'reference',
      malformed: { status: 400, error: 'invalid_wallet', field: 'wallet_address' },
    },
    { path: 'partner_id', kind: 'reference', malformed: { status: 404, error: 'wallet_not_found' } },
  ],
});

describeBadInput('POST /v1/auth/api-key', {
  harness: () => h,
  send: sendAnonymously('/v1/auth/api-key'),
  good: () => ({
    challenge_id: challenge.challenge_id,
    signature: h.main.wallet.sign(challenge.message),
    key_name: 'key',
  }),
  fields: [
    { path: 'challenge_id', kind: 'reference', malformed: { status: 400, error: 'invalid_challenge' } },
    {
      path: 'signature',
      kind: 'reference',
      // "nonsense" is 8 letters, hence good base64 of 6 bytes, which are no signature.
      malformed: { status: 400, error: /^invalid_(signature|request)$/, field: 'signature' },
    },
    { path: 'key_name', kind: 'label', max: 100 },
  ],
});

describeBadInput('POST /v1/users', {
  harness: () => h,
  send: (json) => h.partner.post('/v1/users', json),
  good: () => ({
    user_id: `u-${randomBytes(4).toString('hex')}`,
    wallet_address: newWallet().address,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
      kyc_data: { id_type: 'cnic', id_number: '42101-1234567-1' },
    },
  }),
  fields: [
    { path: 'user_id', kind: 'label', max: 255 },
    {
      path: 'wallet_address',
      kind: 'reference',
      malformed: { status: 400, error: 'invalid_wallet', field: 'wallet_address' },
    },
    { path: 'kyc', kind: 'object' },
    {
      path: 'kyc.country',
      kind: 'reference',
      malformed: { status: 400, error: 'invalid_request', field: 'kyc.country' },
    },
    { path: 'kyc.full_name', kind: 'label', max: 255 },
    { path: 'kyc.kyc_provider', kind: 'verbatim', max: 1_000 },
    {
      path: 'kyc.kyc_level',
      kind: 'reference',
      malformed: { status: 400, error: 'kyc_level_insufficient', field: 'kyc.kyc_level' },
    },
    {
      path: 'kyc.kyc_verified_at',
      kind: 'reference',
      malformed: { status: 400, error: 'invalid_request', field: 'kyc.kyc_verified_at' },
    },
    { path: 'kyc.kyc_data', kind: 'object', optional: true },
  ],
});
