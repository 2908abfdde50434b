import { createSigner } from '@karat/signer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLink } from '../../../assets/verify/verify.js';
import { issueRequested } from '../../../src/actions/papers/issue-papers.js';
import { type Harness, harness, newWallet } from '../../harness.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

let h: Harness;
beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
});
afterAll(() => h.close());

test('the receipt of a hand-over has the bar in its code and no name of a person, and is signed once', async () => {
  const user = await h.givenUser(h.main.partnerId);
  const id = await givenRedemption(h, { partner: h.main, user }, { status: 'collected', bar: true });
  const get = () =>
    h.app.inject({ url: `/v1/redemptions/${id}/receipt`, headers: { 'x-api-key': h.main.apiKey } });
  const linkOf = async (pdf: Buffer) => {
    const [, link = ''] = /\/URI \((http[^)]*)\)/.exec(pdf.toString('latin1')) ?? [];
    return readLink(new URL(link.replaceAll('\\', '')).hash);
  };
  const unsigned = await get();
  expect([unsigned.statusCode, unsigned.headers['content-type']]).toEqual([200, 'application/pdf']);
  expect((await linkOf(unsigned.rawPayload)).signature).toBeUndefined();
  await issueRequested(h.ctx, createSigner(new Uint8Array(newWallet().secretKey)));
  const [first, second] = [await get(), await get()];
  expect(first.rawPayload.equals(second.rawPayload)).toBe(true);
  const { paper, text, signature } = await linkOf(first.rawPayload);
  expect(signature).toHaveLength(64);
  expect(paper).toMatchObject({ kind: 'redemption', redemption_id: id, bar: { serial: expect.any(String) } });
  expect(text).not.toContain('full_name');
  expect(text).not.toContain('Khan');
});
