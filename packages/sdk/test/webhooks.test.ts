import { KaratError, verifyWebhook } from '@karat/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';

describe('a webhook', () => {
  const secret = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
  const body = JSON.stringify({ id: 'evt_1', type: 'trade.confirmed' });
  const signed = (at = new Date(), by = secret) => ({
    'Webhook-Id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign('evt_1', at, body),
  });
  const refused = { code: 'signature_invalid' };

  test('a webhook is its event when it was signed with the secret, also next to another signature', async () => {
    expect(await verifyWebhook(body, signed(), secret)).toEqual(JSON.parse(body));
    expect(await verifyWebhook(Buffer.from(body), new Headers(signed()), secret)).toEqual(JSON.parse(body));
    const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    const both = {
      ...signed(),
      'webhook-signature': `${signed(new Date(), other)['webhook-signature']} ${signed()['webhook-signature']}`,
    };
    expect(await verifyWebhook(body, both, secret)).toEqual(JSON.parse(body));
  });

  test.each<[string, () => Promise<unknown>]>([
    ['another body', () => verifyWebhook(body.replace('confirmed', 'failed'), signed(), secret)],
    [
      'another secret',
      () => verifyWebhook(body, signed(), `whsec_${Buffer.alloc(24, 1).toString('base64')}`),
    ],
    ['another id', () => verifyWebhook(body, { ...signed(), 'Webhook-Id': 'evt_2' }, secret)],
    ['six minutes ago', () => verifyWebhook(body, signed(new Date(Date.now() - 360_000)), secret)],
    ['six minutes from now', () => verifyWebhook(body, signed(new Date(Date.now() + 360_000)), secret)],
    ['no headers', () => verifyWebhook(body, {}, secret)],
    ['no secret', () => verifyWebhook(body, signed(), '')],
    [
      'a signature that is no base64',
      () => verifyWebhook(body, { ...signed(), 'webhook-signature': 'v1,%%' }, secret),
    ],
  ])('a webhook with %s is refused', async (_name, verify) => {
    await expect(verify()).rejects.toBeInstanceOf(KaratError);
    await expect(verify()).rejects.toMatchObject(refused);
  });
});
