import { fetchConfig } from '@karat/program-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { operatorBase, send } from '../../operators.js';

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
  // The attestor pays for what it signs.
  o.chain.node.airdrop(o.chain.attestor.address, 1_000_000_000n);
  // Each report is of a later moment than the one that the chain begins with.
  o.chain.node.warp({ seconds: 5 });
});
afterAll(() => o.stop());

const reportHash = 'c7'.repeat(32);
const prepare = (more: Record<string, unknown>, client = o.operators.by.admin.client) =>
  send(client, 'POST', '/treasury/attestation', { burned_at: 0, report_hash: reportHash, ...more });
const backing = async () =>
  expectStatus(await o.operators.by.viewer.client.get(`${operatorBase}/treasury`), 200).body.backing;
const invalid = (field: string, message: string) => ({
  status: 400,
  body: { error: 'invalid_request', field, message: expect.stringContaining(message) },
});

test('an attestation is prepared for the attestor to sign, and holds once it lands', async () => {
  const { attested } = await backing();
  // The bars are none, so it is doubted whatever it is.
  const { body } = expectStatus(await prepare({ amount: attested, confirm: attested }), 202);
  expect(body).toEqual({
    transaction: expect.any(String),
    signers: [o.chain.attestor.address],
    expires_at: expect.stringMatching(/Z$/),
    as_of: expect.stringMatching(/Z$/),
  });
  await o.chain.sendStraight(cosign(Buffer.from(body.transaction, 'base64'), [o.chain.attestor]));
  await eventually(async () => {
    const { config } = o.chain.addresses;
    const { data } = await fetchConfig(o.h.ctx.chain.rpc, config, { commitment: 'confirmed' });
    expect(Buffer.from(data.attestation.reportHash).toString('hex')).toBe(reportHash);
    expect(data.attestation.asOf).toBe(BigInt(Date.parse(body.as_of) / 1_000));
  }, 20_000);
});

describe('a doubted attestation', () => {
  test('an attestation that differs by more than 10 % is refused until it is repeated', async () => {
    o.chain.node.warp({ seconds: 5 });
    const { attested } = await backing();
    const doubt = 'differs by more than 10 % from the';
    expect(await prepare({ amount: attested * 0.89 })).toMatchObject(invalid('confirm', doubt));
    expect(await prepare({ amount: 9_000_000_000 })).toMatchObject(invalid('confirm', 'bars in the vault'));
    expect(await prepare({ amount: 12, confirm: 120 })).toMatchObject(
      invalid('confirm', 'the same as amount'),
    );
    expectStatus(await prepare({ amount: 12, confirm: 12 }), 202);
  });

  test('an attestation with a counter that the program never had is refused', async () => {
    expect(await prepare({ amount: 12, confirm: 12, burned_at: 1 })).toMatchObject(
      invalid('burned_at', 'which is burned now'),
    );
    expect(await prepare({ amount: 12, confirm: 12, as_of: 'yesterday' })).toMatchObject(
      invalid('as_of', 'must be a date and time'),
    );
    expect(await prepare({ amount: 12, confirm: 12, report_hash: 'x' })).toMatchObject(
      invalid('report_hash', ''),
    );
  });

  test('an attestation is prepared by admins alone', async () => {
    for (const role of ['viewer', 'fulfilment', 'compliance'] as const) {
      expect(await prepare({ amount: 12 }, o.operators.by[role].client)).toMatchObject({
        status: 403,
        body: { error: 'insufficient_scope' },
      });
    }
  });
});
