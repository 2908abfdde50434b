import { decodeConfig } from '@karat/program-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { deadLetters } from '../../../src/db/schema.js';
import { operatorRoles } from '../../../src/domain/operator.js';
import { type Client, expectStatus, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, type Operators, operatorBase, send } from '../../operators.js';

let o: Operating;
/** A process that holds neither the admin's key nor the guardian's. */
let keyless: Operators;
beforeAll(async () => {
  o = await startOperating();
  keyless = await o.otherwise({ keys: { admin: undefined, guardian: undefined } });
});
beforeEach(async () => {
  if ((await read()).pending !== null) expectStatus(await cancel(), 200);
});
afterAll(() => o.stop());

const admin = () => o.operators.by.admin.client;
const read = async (client: Client = o.operators.by.viewer.client) =>
  expectStatus(await client.get(`${operatorBase}/chain/settings`), 200).body;
const propose = (settings: unknown, { client = admin(), reason = 'as agreed' } = {}) =>
  send(client, 'POST', '/chain/settings', { settings, reason });
const apply = (client = admin()) => send(client, 'POST', '/chain/settings/apply');
const cancel = (client = admin()) => send(client, 'POST', '/chain/settings/cancel', { reason: 'a mistake' });
const audited = () => changesOf(o.h, 'chain', o.chain.config.programId);
const notAllowed = (message: string) => ({
  status: 409,
  body: { error: 'transition_not_allowed', message: expect.stringContaining(message) },
});
const rows = () => o.rows(({ kind }) => kind.endsWith('_settings'));

/** What the program has, read past the service. */
function onChain() {
  const address = o.chain.addresses.config;
  const account = o.chain.node.getAccount(address);
  if (!account) throw new Error('no configuration');
  return decodeConfig({ ...account, address } as never).data.settings;
}

/** Moves the chain on by the change delay. */
async function wait() {
  o.chain.node.warp({ seconds: onChain().changeDelay });
  await o.ready();
}

test('settings are proposed, in part, and applied once the change delay is over', async () => {
  const { settings } = await read();
  const before = (await audited()).length;
  const { body } = expectStatus(await propose({ max_trade_usdc: 5_000.5, min_fee_bps: 7 }), 200);
  const wanted = { ...settings, max_trade_usdc: 5_000.5, min_fee_bps: 7 };
  expect(body).toEqual({
    settings,
    pending: {
      settings: wanted,
      proposed_at: expect.stringMatching(/Z$/),
      ready_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      cancellable_by: ['guardian', 'admin'],
    },
    tx_hash: expect.any(String),
  });
  const { proposed_at: proposedAt, ready_at: readyAt, expires_at: expiresAt } = body.pending;
  expect(Date.parse(readyAt) - Date.parse(proposedAt)).toBe(settings.change_delay * 1_000);
  expect(Date.parse(expiresAt) - Date.parse(readyAt)).toBe(14 * 86_400_000);
  const { tx_hash: _, ...shown } = body;
  expect(await read()).toEqual(shown);
  expect(onChain().minFeeBps).toBe(settings.min_fee_bps);

  expect(await apply()).toMatchObject(notAllowed(`cannot be applied before ${readyAt}`));
  expect(await propose({ max_age_open: 50 })).toMatchObject(notAllowed('Other settings are proposed'));
  await wait();
  // It takes no key that has a role in this.
  const applied = expectStatus(await apply(keyless.by.admin.client), 200).body;
  expect(applied).toEqual({ settings: wanted, pending: null, tx_hash: expect.any(String) });
  expect(onChain()).toMatchObject({ maxTradeUsdc: 5_000_500_000n, minFeeBps: 7 });
  const { operatorId } = o.operators.by.admin;
  const old = { max_trade_usdc: settings.max_trade_usdc, min_fee_bps: settings.min_fee_bps };
  const next = { max_trade_usdc: 5_000.5, min_fee_bps: 7 };
  expect((await audited()).slice(before)).toMatchObject([
    {
      action: 'settings.propose',
      before: old,
      after: { ...next, tx_hash: body.tx_hash },
      reason: 'as agreed',
      operatorId,
    },
    { action: 'settings.apply', before: old, after: { ...next, tx_hash: applied.tx_hash } },
  ]);
  await eventually(async () => {
    const known = await rows();
    expect(known.slice(-2)).toMatchObject([
      { kind: 'propose_settings', status: 'confirmed', txSignature: body.tx_hash },
      { kind: 'apply_settings', status: 'confirmed', txSignature: applied.tx_hash },
    ]);
  }, 20_000);
  expect(await apply()).toMatchObject(notAllowed('No settings are proposed.'));
});

test('settings that change nothing are not sent', async () => {
  const { settings } = await read();
  const written = (await rows()).length;
  expect(expectStatus(await propose({ max_age_open: settings.max_age_open }), 200).body).toEqual({
    settings,
    pending: null,
    tx_hash: null,
  });
  expect(await rows()).toHaveLength(written);
});

test('proposed settings are cancelled by the guardian, and expire after 14 days', async () => {
  const { settings } = await read();
  expectStatus(await propose({ max_age_open: 30 }), 200);
  const guardianOnly = await o.otherwise({ keys: { admin: undefined } });
  expect(expectStatus(await cancel(guardianOnly.by.admin.client), 200).body).toEqual({
    settings,
    pending: null,
    tx_hash: expect.any(String),
  });
  expect((await audited()).at(-1)).toMatchObject({ action: 'settings.cancel', reason: 'a mistake' });
  expect(await cancel()).toMatchObject(notAllowed('No settings are proposed.'));

  const { body } = expectStatus(await propose({ max_age_open: 31 }), 200);
  await wait();
  o.chain.node.warp({ seconds: 14 * 86_400 + 1 });
  await o.ready();
  expect(await apply()).toMatchObject(notAllowed(`expired at ${body.pending.expires_at}`));
  // Another proposal takes its place.
  const again = expectStatus(await propose({ max_age_open: 32 }), 200).body;
  expect(again.pending.settings.max_age_open).toBe(32);
});

test('another guardian is proposed alone, and the present one cannot cancel it', async () => {
  const guardian = newWallet().address;
  expect(await propose({ guardian, max_age_open: 30 })).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', field: 'guardian' },
  });
  const { body } = expectStatus(await propose({ guardian }), 200);
  expect(body.pending).toMatchObject({ settings: { guardian }, cancellable_by: ['admin'] });
  const guardianOnly = await o.otherwise({ keys: { admin: undefined } });
  const left = expectStatus(await cancel(guardianOnly.by.admin.client), 202).body;
  expect(left.signers).toEqual([o.chain.admin.address]);
  expect((await read()).pending).not.toBeNull();
});

test('a proposal is handed out unsigned by a process without the key of the admin', async () => {
  const { settings } = await read();
  const { body } = expectStatus(
    await propose({ max_age_open: 33 }, { client: keyless.by.admin.client }),
    202,
  );
  expect(body).toEqual({
    transaction: expect.any(String),
    signers: [o.chain.admin.address],
    expires_at: expect.any(String),
  });
  expect(await read()).toEqual({ settings, pending: null });
});

describe('a proposal of settings', () => {
  test.each([
    [undefined, 'settings'],
    [null, 'settings'],
    [[], 'settings'],
    [{ guardians: 1 }, 'settings.guardians'],
    [{ guardian: 'x' }, 'settings.guardian'],
    [{ guardian: '11111111111111111111111111111111' }, 'settings.guardian'],
    [{ attestor: '' }, 'settings.attestor'],
    [{ feed_id: 'ABC' }, 'settings.feed_id'],
    [{ min_price: 0 }, 'settings.min_price'],
    [{ min_price: 1.123456789 }, 'settings.min_price'],
    [{ min_usdc_price: 1.01 }, 'settings.min_usdc_price'],
    [{ max_trade_usdc: 0 }, 'settings.max_trade_usdc'],
    [{ max_trade_usdc: 'unlimited' }, 'settings.max_trade_usdc'],
    [{ daily_mint: 0.0000001 }, 'settings.daily_mint'],
    [{ daily_outflow_gold: -1 }, 'settings.daily_outflow_gold'],
    [{ withdraw_owners: ['x'] }, 'settings.withdraw_owners.0'],
    [{ withdraw_owners: Array(5).fill('x') }, 'settings.withdraw_owners'],
    [{ max_age_open: 0 }, 'settings.max_age_open'],
    [{ max_age_open: 1.5 }, 'settings.max_age_open'],
    [{ change_delay: 86_399 }, 'settings.change_delay'],
    [{ recovery_delay: 2_592_001 }, 'settings.recovery_delay'],
    [{ max_attestation_age: 7_948_801 }, 'settings.max_attestation_age'],
    [{ max_fee_bps: 1_001 }, 'settings.max_fee_bps'],
    [{ require_backing: 1 }, 'settings.require_backing'],
  ])('a proposal of settings as %j is refused with its field', async (settings, field) => {
    const written = (await rows()).length;
    expect(await propose(settings)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', field },
    });
    expect(await rows()).toHaveLength(written);
  });

  test.each([
    [() => ({ min_price: 60_000 }), 'InvalidArgument'],
    [() => ({ min_fee_bps: 900, max_fee_bps: 800 }), 'InvalidArgument'],
    [() => ({ attestor: o.chain.admin.address }), 'RoleConflict'],
  ])(
    'a proposal of settings that the program does not take is refused before it is sent (%#)',
    async (make, name) => {
      const written = (await rows()).length;
      expect(await propose(make())).toMatchObject({
        status: 400,
        body: { error: 'broadcast_failed', message: expect.stringContaining(name) },
      });
      expect(await rows()).toHaveLength(written);
    },
  );

  test('a proposal of settings is for admins; all may look', async () => {
    for (const role of operatorRoles) {
      const { client } = o.operators.by[role];
      expect(await read(client)).toMatchObject({ pending: null });
      if (role === 'admin') continue;
      for (const response of [
        await propose({ max_age_open: 30 }, { client }),
        await apply(client),
        await cancel(client),
      ]) {
        expect(response).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
      }
    }
  });

  test('settings: exactly one of 5 concurrent proposals is there', async () => {
    const responses = await Promise.all(
      [20, 21, 22, 23, 24].map((max_age_open) => propose({ max_age_open })),
    );
    const done = responses.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    expect((await read()).pending.settings).toEqual(done[0]?.body.pending.settings);
  });
});

test('settings leave no dead letter and an intact audit log', async () => {
  expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
  expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
});
