import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAuthority } from '../../../src/actions/partners/change-authority.js';
import { withdrawTreasury } from '../../../src/actions/treasury/move-treasury.js';
import type { AuthorityAct } from '../../../src/chain/program/authorities.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid, type Uuid } from '../../../src/domain/ids.js';
import { expectStatus, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, operatorBase, send } from '../../operators.js';

const folder = mkdtempSync(join(tmpdir(), 'karat-list-'));
const file = join(folder, 'list.csv');
const use = async (...wallets: string[]) => {
  writeFileSync(file, ['address', unused, ...wallets].join('\n'));
  await o?.h.ctx.screening.refresh();
};
const unused = newWallet().address;
let o: Operating;
beforeAll(async () => {
  await use();
  o = await startOperating({ sanctionsList: file });
  // A real delay is a day at least.
  await o.chain.changeSettings({ recoveryDelay: 0 });
});
afterAll(async () => {
  await o.stop();
  rmSync(folder, { recursive: true });
});

const admin = () => o.operators.by.admin.client;
const act = (partnerId: string, role: string, name: AuthorityAct, address: string, headers = {}) =>
  send(admin(), 'POST', `/partners/${partnerId}/authorities/${role}/${name}`, { address }, headers);
const refused = (status: number, code: string, message: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message) },
});

async function givenOnChain() {
  const found = await o.givenTerms();
  expectStatus(await send(admin(), 'PUT', found.path, found.terms), 200);
  return found;
}

describe('an authority of a partner', () => {
  test('an authority of a partner is proposed, and applied when there is no delay', async () => {
    const { partnerId, terms } = await givenOnChain();
    const next = newWallet().address;
    const { body } = expectStatus(await act(partnerId, 'update', 'propose', next), 200);
    const [proposal] = body.onchain.proposed_authorities;
    expect(proposal).toEqual({ role: 'update', address: next, ready_at: expect.stringMatching(/Z$/) });
    expect(body.onchain.update_authority).toBe(terms.update_authority);
    expect(await act(partnerId, 'update', 'apply', newWallet().address)).toMatchObject(
      refused(409, 'transition_not_allowed', 'not the key that is proposed'),
    );
    const applied = expectStatus(await act(partnerId, 'update', 'apply', next), 200).body;
    expect(applied.onchain).toMatchObject({ update_authority: next, proposed_authorities: [] });
    const rows = await changesOf(o.h, 'partner', partnerId);
    expect(rows.slice(-1)).toMatchObject([
      {
        action: 'authority.apply',
        before: { role: 'update', address: terms.update_authority, proposed_address: next },
        after: { role: 'update', address: next, tx_hash: applied.tx_hash },
      },
    ]);
  });

  test('an authority of a partner that is proposed is withdrawn', async () => {
    const { partnerId } = await givenOnChain();
    const next = newWallet().address;
    expectStatus(await act(partnerId, 'withdrawal', 'propose', next), 200);
    const { body } = expectStatus(await act(partnerId, 'withdrawal', 'cancel', next), 200);
    expect(body.onchain.proposed_authorities).toEqual([]);
    expect(await act(partnerId, 'withdrawal', 'cancel', next)).toMatchObject(
      refused(409, 'transition_not_allowed', 'not the key that is proposed'),
    );
  });

  test('an authority of a partner is refused when it cannot be, and nothing is sent', async () => {
    const { partnerId, terms } = await givenOnChain();
    const other = await o.h.givenPartner();
    const next = newWallet().address;
    expect(await act(newUuid(), 'update', 'propose', next)).toMatchObject(
      refused(404, 'partner_not_found', 'no partner'),
    );
    expect(await act(other.partnerId, 'update', 'propose', next)).toMatchObject(
      refused(409, 'transition_not_allowed', 'not on chain'),
    );
    expect(await act(partnerId, 'executive', 'propose', next)).toMatchObject(
      refused(404, 'not_found', 'wallet, update or withdrawal'),
    );
    expect(await act(partnerId, 'update', 'propose', 'x')).toMatchObject(
      refused(400, 'invalid_wallet', 'not a valid public key'),
    );
    expect(await act(partnerId, 'update', 'propose', o.chain.admin.address)).toMatchObject(
      refused(400, 'invalid_wallet', 'a key of the service'),
    );
    expect(await act(partnerId, 'update', 'propose', terms.update_authority)).toMatchObject(
      refused(400, 'invalid_request', 'already has this role'),
    );
    expect(await act(partnerId, 'wallet', 'propose', other.wallet.address)).toMatchObject(
      refused(409, 'wallet_already_registered', other.partnerId),
    );
  });

  test('an authority of a partner is changed by the command line, too, which leaves it unsigned without the key', async () => {
    const { partnerId } = await givenOnChain();
    const key = newWallet().address;
    const change = { partnerId: partnerId as Uuid, role: 'update', key, reason: 'lost' } as const;
    const { ctx } = o.h;
    const keyless = { ...ctx, chain: { ...ctx.chain, admin: undefined } };
    const unsigned = await changeAuthority(keyless, commandLine, { act: 'propose', ...change });
    expect(unsigned).toMatchObject({ kind: 'unsigned', signers: [o.chain.admin.address] });
    await expect(changeAuthority(ctx, commandLine, { act: 'apply', ...change })).rejects.toMatchObject({
      code: 'broadcast_failed',
      message: expect.stringContaining('NothingProposed'),
    });
    for (const act of ['propose', 'cancel'] as const) {
      const made = await changeAuthority(ctx, commandLine, { act, ...change });
      expect(made).toEqual({ kind: 'done', txHash: expect.any(String) });
    }
    expect((await changesOf(o.h, 'partner', partnerId)).slice(-1)).toMatchObject([
      { action: 'authority.cancel', after: { role: 'update', address: key }, reason: 'lost' },
    ]);
  });
});

describe.each(['propose', 'cancel', 'apply'] as const)('%s an authority, in trouble', (name) => {
  const kind = `${name}_authority`;
  const again = name === 'propose' ? 'is already proposed for this role' : 'not the key that is proposed';

  /** A partner of whom it can be done, and how that is asked for. */
  async function given() {
    const { partnerId, terms } = await givenOnChain();
    const address = newWallet().address;
    if (name !== 'propose') expectStatus(await act(partnerId, 'update', 'propose', address), 200);
    const onChain = async () => {
      const { onchain } = expectStatus(await admin().get(`${operatorBase}/partners/${partnerId}`), 200).body;
      const proposed = onchain.proposed_authorities.map((each: { address: string }) => each.address);
      return { update: onchain.update_authority, proposed };
    };
    const update = terms.update_authority;
    return {
      ask: (headers = {}) => act(partnerId, 'update', name, address, headers),
      onChain,
      effect: {
        propose: { update, proposed: [address] },
        cancel: { update, proposed: [] },
        apply: { update: address, proposed: [] },
      }[name],
      rows: () => o.rows((row) => row.partnerId === partnerId && row.kind === kind),
      audited: async () =>
        (await changesOf(o.h, 'partner', partnerId)).filter(({ action }) => action === `authority.${name}`),
    };
  }
  type Given = Awaited<ReturnType<typeof given>>;
  const rowBecomes = ({ rows }: Given, wanted: object) =>
    eventually(async () => expect((await rows()).at(-1)).toMatchObject(wanted), 20_000);
  const expectOnce = async ({ rows, audited, onChain, effect }: Given) => {
    expect(await onChain()).toEqual(effect);
    expect([(await rows()).length, (await audited()).length]).toEqual([1, 1]);
  };

  test('twins with one Idempotency-Key have one effect and one response, also later', async () => {
    const requested = await given();
    const key = { 'idempotency-key': newUuid() };
    const twins = await Promise.all([1, 2, 3].map(() => requested.ask(key)));
    const [first, ...others] = twins.filter(({ status }) => status === 200);
    for (const { body } of others) expect(body).toEqual(first?.body);
    const refusals = twins.filter(({ status }) => status !== 200).map(({ body }) => body.error);
    expect(new Set([...refusals, 'idempotency_conflict'])).toEqual(new Set(['idempotency_conflict']));
    expect(await requested.ask(key)).toMatchObject({
      status: 200,
      body: first?.body,
      headers: { 'idempotency-replayed': 'true' },
    });
    await expectOnce(requested);
  });

  test('an unwritten change is never sent', async () => {
    const requested = await given();
    const before = await requested.onChain();
    for (const table of ['operator_transactions', 'audit_log']) {
      const mend = await o.failing(table, 'insert');
      expect((await requested.ask()).status).toBeGreaterThanOrEqual(500);
      await mend();
      expect([await requested.rows(), await requested.audited()]).toEqual([[], []]);
      expect(await requested.onChain()).toEqual(before);
    }
    expectStatus(await requested.ask(), 200);
    await expectOnce(requested);
  });

  test('a written change that was never sent can be done again once it can no longer land', async () => {
    const requested = await given();
    const key = { 'idempotency-key': newUuid() };
    const before = await requested.onChain();
    await o.chain.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const lost = requested.ask(key);
    await rowBecomes(requested, { status: 'pending' });
    await o.moveOn();
    expect(await lost).toMatchObject(refused(503, 'service_unavailable', 'did not land in time'));
    await rowBecomes(requested, { status: 'expired' });
    expect(await requested.onChain()).toEqual(before);
    expectStatus(await requested.ask(key), 200);
    expect(await requested.onChain()).toEqual(requested.effect);
    await rowBecomes(requested, { status: 'confirmed' });
    expect((await requested.rows()).map(({ status }) => status)).toEqual(['expired', 'confirmed']);
  });

  test('a change that happened does not happen again, although its response could not be kept', async () => {
    const requested = await given();
    const key = { 'idempotency-key': newUuid() };
    const mend = await o.failing('idempotency_keys', 'update');
    expect((await requested.ask(key)).status).toBeGreaterThanOrEqual(500);
    await mend();
    await expectOnce(requested);
    expect(await requested.ask(key)).toMatchObject(refused(409, 'transition_not_allowed', again));
    await rowBecomes(requested, { status: 'confirmed' });
    await expectOnce(requested);
  });
});

test('an authority of a partner is not applied before the delay has passed', async () => {
  const { partnerId } = await givenOnChain();
  const next = newWallet().address;
  await o.chain.changeSettings({ recoveryDelay: 86_400 });
  const { body } = expectStatus(await act(partnerId, 'update', 'propose', next), 200);
  const [proposal] = body.onchain.proposed_authorities;
  expect(Date.parse(proposal.ready_at) - o.chain.node.nowUnixMs()).toBeGreaterThan(86_300_000);
  expect(await act(partnerId, 'update', 'apply', next)).toMatchObject(
    refused(409, 'transition_not_allowed', `This cannot be applied before ${proposal.ready_at}`),
  );
});

describe('a listed wallet', () => {
  const notAllowed = refused(403, 'wallet_not_allowed', 'cannot be used with the service');

  test('a listed wallet does not become an authority of a partner, neither proposed before nor after', async () => {
    const { partnerId } = await givenOnChain();
    const next = newWallet().address;
    await use(next);
    expect(await act(partnerId, 'withdrawal', 'propose', next)).toMatchObject(notAllowed);
    await use();
    expectStatus(await act(partnerId, 'withdrawal', 'propose', next), 200);
    await use(next);
    expect(await act(partnerId, 'withdrawal', 'apply', next)).toMatchObject(notAllowed);
    expectStatus(await act(partnerId, 'withdrawal', 'cancel', next), 200);
    await use();
  });

  test('a partner with a listed wallet is neither put on chain nor resumed there, and can be suspended', async () => {
    const { path, terms } = await o.givenTerms();
    const put = (status?: string) => send(admin(), 'PUT', path, { ...terms, ...(status && { status }) });
    const [executive = ''] = terms.executive_authorities;
    await use(executive);
    expect(await put()).toMatchObject(notAllowed);
    await use();
    expectStatus(await put(), 200);
    await use(terms.withdrawal_authority);
    expectStatus(await put('suspended'), 200);
    expect(await put('active')).toMatchObject(notAllowed);
    await use();
    expectStatus(await put('active'), 200);
  });

  test('the treasury is not withdrawn to a listed wallet', async () => {
    const to = newWallet().address;
    await use(to);
    const withdrawal = { from: 'usdc', amount: 1n, to } as const;
    await expect(withdrawTreasury(o.h.ctx, commandLine, withdrawal)).rejects.toMatchObject({
      code: 'wallet_not_allowed',
    });
    await use();
  });
});
