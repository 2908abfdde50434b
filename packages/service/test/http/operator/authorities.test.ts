import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeAuthority } from '../../../src/actions/change-authority.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid, type Uuid } from '../../../src/domain/ids.js';
import { newWallet } from '../../harness.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, send } from '../../operators.js';
import { expectStatus } from '../../redeeming.js';

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
});
afterAll(() => o.stop());

const admin = () => o.operators.by.admin.client;
const act = (partnerId: string, role: string, name: 'propose' | 'cancel' | 'apply', address: string) =>
  send(admin(), 'POST', `/partners/${partnerId}/authorities/${role}/${name}`, { address });
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
  test('is proposed, and applied when there is no delay', async () => {
    const { partnerId, terms } = await givenOnChain();
    const next = newWallet().address;
    const { body } = expectStatus(await act(partnerId, 'update', 'propose', next), 200);
    const [proposal] = body.onchain.proposed_authorities;
    expect(proposal).toEqual({ role: 'update', address: next, ready_at: expect.stringMatching(/Z$/) });
    expect(body.onchain.update_authority).toBe(terms.update_authority);
    expect(await act(partnerId, 'update', 'apply', newWallet().address)).toMatchObject(
      refused(409, 'transition_not_allowed', 'not what is proposed'),
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

  test('that is proposed is withdrawn', async () => {
    const { partnerId } = await givenOnChain();
    const next = newWallet().address;
    expectStatus(await act(partnerId, 'withdrawal', 'propose', next), 200);
    const { body } = expectStatus(await act(partnerId, 'withdrawal', 'cancel', next), 200);
    expect(body.onchain.proposed_authorities).toEqual([]);
    expect(await act(partnerId, 'withdrawal', 'cancel', next)).toMatchObject(
      refused(409, 'transition_not_allowed', 'not what is proposed'),
    );
  });

  test('is refused when it cannot be, and nothing is sent', async () => {
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
      refused(400, 'invalid_request', 'has this role already'),
    );
    expect(await act(partnerId, 'wallet', 'propose', other.wallet.address)).toMatchObject(
      refused(409, 'wallet_already_registered', other.partnerId),
    );
  });

  test('is changed by the command line, too, which leaves it unsigned without the key', async () => {
    const { partnerId } = await givenOnChain();
    const key = newWallet().address;
    const change = { partnerId: partnerId as Uuid, role: 'update', key, reason: 'lost' } as const;
    const { ctx } = o.h;
    const keyless = { ...ctx, chain: { ...ctx.chain, admin: undefined } };
    const unsigned = await changeAuthority(keyless, commandLine, { act: 'propose', ...change });
    expect(unsigned).toMatchObject({ admin: o.chain.admin.address, transaction: { txHash: undefined } });
    await expect(changeAuthority(ctx, commandLine, { act: 'apply', ...change })).rejects.toMatchObject({
      code: 'broadcast_failed',
      message: expect.stringContaining('NothingProposed'),
    });
    for (const act of ['propose', 'cancel'] as const) {
      const { transaction } = await changeAuthority(ctx, commandLine, { act, ...change });
      expect(transaction.txHash).toEqual(expect.any(String));
    }
    expect((await changesOf(o.h, 'partner', partnerId)).slice(-1)).toMatchObject([
      { action: 'authority.cancel', after: { role: 'update', address: key }, reason: 'lost' },
    ]);
  });

  test('is not applied before the delay has passed', async () => {
    const { partnerId } = await givenOnChain();
    const next = newWallet().address;
    // The last test: a delay cannot be taken back.
    await o.chain.changeSettings({ recoveryDelay: 86_400 });
    const { body } = expectStatus(await act(partnerId, 'update', 'propose', next), 200);
    const [proposal] = body.onchain.proposed_authorities;
    expect(Date.parse(proposal.ready_at) - o.chain.node.nowUnixMs()).toBeGreaterThan(86_300_000);
    expect(await act(partnerId, 'update', 'apply', next)).toMatchObject(
      refused(409, 'transition_not_allowed', `This can be applied at ${proposal.ready_at}`),
    );
  });
});
