import { about, field as partnerField } from '../../views/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

/** Fields of the own account, its session and its second factors, with their meaning and an example. */
export const field = {
  password: about('12 to 1000 characters; only its argon2id hash is kept.', 'correct horse battery staple'),
  createdAt: partnerField.createdAt,
  factorRequired: about('Whether sessions of your role need a second factor here.', true),
  passkeyId: about('Id of the passkey, a UUID.', uuid),
  passkeyName: about('A name for the passkey.', 'Laptop at the counter'),
  passkeyHost: about('The host where the passkey was created and works.', 'ops.karat.example'),
  passkeyLastUsedAt: about('When the passkey was last used; null if it never was.', null),
  hasTotp: about('Whether you have an authenticator app.', false),
  totpAvailable: about('Whether authenticator apps can be added here: `KARAT_TOTP_SECRET` is set.', true),
  hasPassword: about('Whether you have a password, which adding the first second factor takes.', true),
  recoveryCodesLeft: about('How many of your recovery codes are unused.', 10),
  recoveryCodes: about('Ten codes, each of which signs in once.', ['ABCD-EFGH-2345-6723']),
  newRecoveryCodes: about(
    'With the first second factor: ten codes, each of which signs in once. Otherwise null.',
    ['ABCD-EFGH-2345-6723'],
  ),
  challengePurpose: about('`account`, `confirmation`, or `approval` with `approval_id`.', 'account'),
  challengeApprovalId: about('Id of the request to approve.', uuid),
  challengeToken: about(
    'Identifies the challenge.',
    '9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071',
  ),
  challengeExpiresAt: about('When the challenge expires.', '2026-02-14T09:35:00.000Z'),
  confirmation: about(
    'The value of `x-karat-confirmation`; never shown again.',
    '9f2c4b7e0d1a385660b1f2e3c4d5a6978897a6b5c4d3e2f10a1b2c3d4e5f6071',
  ),
  confirmationExpiresAt: about('When the confirmation expires.', '2026-02-14T09:35:00.000Z'),
  creationOptions: about(
    '`PublicKeyCredentialCreationOptions` as JSON, for `navigator.credentials.create`.',
    {
      challenge: 'mKp0…',
      rp: { name: 'Karat', id: 'ops.karat.example' },
    },
  ),
  registration: about('The result of `navigator.credentials.create`, as JSON.', {
    id: 'q2fD…',
    rawId: 'q2fD…',
    type: 'public-key',
    response: {},
    clientExtensionResults: {},
  }),
  totpKey: about('The key in base32, to type into the app.', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
  totpUri: about(
    'The key as an `otpauth:` address, to show as a QR code.',
    'otpauth://totp/Karat:ops%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Karat',
  ),
  totpCode: about('Six digits that the app shows.', '492039'),
};
