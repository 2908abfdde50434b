import { findConfigPda, getUpdateExecutivesInstruction, IntegratorStatus } from '@karat/program-client';
import { readLegacyTransaction } from '@karat/wire';
import type { Address } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { integratorAddresses } from '../../../src/chain/admin/seed.js';
import { createChain } from '../../../src/chain/create-chain.js';
import { executivePlaces } from '../../../src/chain/program/executives.js';
import { noKey } from '../../../src/chain/program/wallet.js';
import { deadLetters } from '../../../src/db/schema.js';
import { newUuid, type Uuid } from '../../../src/domain/ids.js';
import { operatorRoles } from '../../../src/domain/operator.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus, newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type OnchainTerms, type Operating, startOperating } from '../../operating.js';
import { changesOf, type Operators, operatorBase, send } from '../../operators.js';

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
});
afterEach(() => o.chain.clearFaults());
afterAll(() => o.stop());

const admin = () => o.operators.by.admin.client;
const put = ({ path }: Pick<OnchainTerms, 'path'>, body: unknown, client = admin()) =>
  send(client, 'PUT', path, body);
const partnerOf = async (id: string) =>
  expectStatus(await admin().get(`${operatorBase}/partners/${id}`), 200).body;
const rowsOf = (partnerId: Uuid) => o.rows((row) => row.partnerId === partnerId);
const rowBecomes = (partnerId: Uuid, wanted: object) =>
  eventually(async () => expect((await rowsOf(partnerId)).at(-1)).toMatchObject(wanted), 20_000);
const auditOf = (partnerId: string) => changesOf(o.h, 'partner', partnerId);
const error = (status: number, code: string, message: string, field?: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message), ...(field ? { field } : {}) },
});

/** A partner that is on chain, and how. */
async function givenOnChain(changes: Partial<OnchainTerms['terms']> = {}): Promise<OnchainTerms> {
  const found = await o.givenTerms();
  const terms = { ...found.terms, ...changes };
  expectStatus(await put(found, terms), 200);
  return { ...found, terms };
}

describe('a partner', () => {
  test('a partner gets a limit for 24 hours, which stays when it is not named and ends with none', async () => {
    const { path, terms, partnerId } = await givenOnChain();
    const limitOf = async () => (await partnerOf(partnerId)).onchain;
    expectStatus(await put({ path }, { ...terms, daily_limit_usdc: 2_500.5 }), 200);
    expect(await limitOf()).toMatchObject({ daily_limit_usdc: 2_500.5, daily_volume_usdc: 0 });
    expectStatus(await put({ path }, { ...terms, open_fee_bps: 1 }), 200);
    expect(await limitOf()).toMatchObject({ daily_limit_usdc: 2_500.5, open_fee_bps: 1 });
    expectStatus(await put({ path }, { ...terms, daily_limit_usdc: 'none' }), 200);
    expect(await limitOf()).toMatchObject({ daily_limit_usdc: 'none' });
    for (const [daily_limit_usdc, text] of [
      [-1, 'daily_limit_usdc'],
      [0.0000001, 'at most 6 decimals'],
    ] as const)
      expect(await put({ path }, { ...terms, daily_limit_usdc })).toMatchObject(
        error(400, 'invalid_request', text),
      );
  });

  test('a partner is put on chain with its vault, and trades from then on', async () => {
    const partner = await o.h.givenPartner();
    const { partnerId } = partner;
    const user = await o.h.givenUser(partnerId);
    await o.chain.fund(user.wallet.address, 1_000_000_000n);
    const buy = () => partner.client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 100 });
    expect(await buy()).toMatchObject(error(400, 'onchain_config_missing', ''));

    const roles = { update_authority: newWallet().address, withdrawal_authority: newWallet().address };
    const terms = {
      wallet_address: partner.wallet.address,
      open_fee_bps: 0,
      closed_fee_bps: 1_000,
      ...roles,
      executive_authorities: Array.from({ length: 8 }, () => newWallet().address),
    };
    const path = `/partners/${partnerId}/onchain`;
    const { body } = expectStatus(await put({ path }, terms), 200);
    const { programId: programAddress } = o.chain.config;
    const { usdcMint, goldMint } = o.chain;
    const { integrator } = await integratorAddresses({
      programAddress,
      partnerId,
      usdcMint,
      goldMint,
    });
    const onchain = {
      ...terms,
      status: 'active',
      terms_seq: 1,
      integrator_address: integrator,
      central_vault_address: integrator,
      daily_limit_usdc: 'none',
      daily_volume_usdc: 0,
      proposed_authorities: [],
      balances: { gold: 0, usdc: 0 },
    };
    expect(body).toEqual({ tx_hash: expect.any(String), onchain });
    expect((await partnerOf(partnerId)).onchain).toEqual(onchain);
    const buyBecomes = (wanted: object) =>
      eventually(async () => expect((await buy()).body).toMatchObject(wanted), 10_000);
    await buyBecomes({ quote: { fee_bps: 0 } });
    // What the response has is known here from then on.
    const known = () => o.h.ctx.chain.program.integrator(partnerId)?.data;
    expectStatus(await put({ path }, { ...terms, status: 'suspended' }), 200);
    expect(known()).toMatchObject({ status: IntegratorStatus.Suspended });
    await buyBecomes({ error: 'partner_suspended' });
    expectStatus(await put({ path }, { ...terms, open_fee_bps: 70, status: 'active' }), 200);
    expect(known()).toMatchObject({ openFeeBps: 70 });
    await buyBecomes({ quote: { fee_bps: 70 } });

    const { operatorId } = o.operators.by.admin;
    const [first, ...later] = await auditOf(partnerId);
    expect(later.map(({ before, after }) => [before?.status, after?.status])).toEqual([
      ['active', 'suspended'],
      ['suspended', 'active'],
    ]);
    expect([first]).toEqual([
      {
        action: 'partner.onchain',
        before: null,
        after: { ...terms, status: 'active', daily_limit_usdc: 'none', tx_hash: body.tx_hash },
        reason: null,
        operatorId,
      },
    ]);
    await eventually(async () => {
      expect((await rowsOf(partnerId))[0]).toMatchObject({
        kind: 'create_integrator',
        status: 'confirmed',
        txSignature: body.tx_hash,
        operatorId,
      });
    }, 10_000);
  });

  test('a partner on chain has its fees changed, is suspended and resumed, and keeps its keys', async () => {
    const { partnerId, path, terms } = await givenOnChain();
    const wallet = newWallet();
    const own = `/partners/${partnerId}/wallets`;
    expectStatus(await send(admin(), 'POST', own, { wallet_address: wallet.address }), 201);
    for (const field of ['wallet_address', 'update_authority', 'withdrawal_authority']) {
      expect(await put({ path }, { ...terms, [field]: wallet.address })).toMatchObject(
        error(400, 'invalid_request', `${field} of a partner on chain cannot be changed`, field),
      );
    }
    const changed = { ...terms, open_fee_bps: 1_000, closed_fee_bps: 0 };
    const { body } = expectStatus(await put({ path }, { ...changed, status: 'suspended' }), 200);
    expect(body.onchain).toMatchObject({ ...changed, status: 'suspended' });
    expect((await partnerOf(partnerId)).onchain).toEqual(body.onchain);
    // Left out, the status stays as it is.
    expect((await put({ path }, terms)).body.onchain).toMatchObject({ ...terms, status: 'suspended' });
    expect((await put({ path }, { ...terms, status: 'active' })).body.onchain).toMatchObject({
      ...terms,
      status: 'active',
    });
    const entries = (await auditOf(partnerId)).filter(({ action }) => action === 'partner.onchain');
    expect(entries.map(({ before, after }) => [before?.status, before?.open_fee_bps, after?.status])).toEqual(
      [
        [undefined, undefined, 'active'],
        ['active', 50, 'suspended'],
        ['suspended', 1_000, 'suspended'],
        ['suspended', 50, 'active'],
      ],
    );
    expect(entries[1]?.before).toEqual({ ...terms, status: 'active', daily_limit_usdc: 'none' });
    await eventually(async () => {
      const rows = (await rowsOf(partnerId)).map(({ kind, status }) => [kind, status]);
      expect(rows).toEqual([
        ['create_integrator', 'confirmed'],
        ...Array(3).fill(['update_integrator', 'confirmed']),
      ]);
    }, 10_000);
  });

  test('a partner keeps a change made since the requested one was decided on', async () => {
    const found = await o.givenTerms();
    const stale = error(409, 'transition_not_allowed', 'check it again', 'expected_terms_seq');
    const seen = async () => (await partnerOf(found.partnerId)).onchain?.terms_seq ?? 0;
    expect(await put(found, { ...found.terms, expected_terms_seq: 1 })).toMatchObject(stale);
    expectStatus(await put(found, { ...found.terms, expected_terms_seq: await seen() }), 200);
    // To put on chain what somebody else has put there would undo that, too.
    expect(await put(found, { ...found.terms, expected_terms_seq: 0 })).toMatchObject(stale);
    const expected_terms_seq = await seen();
    expectStatus(await put(found, { ...found.terms, status: 'suspended', expected_terms_seq }), 200);
    const late = { ...found.terms, open_fee_bps: 60, status: 'active', expected_terms_seq };
    expect(await put(found, late)).toMatchObject(stale);
    expect((await partnerOf(found.partnerId)).onchain).toMatchObject({
      open_fee_bps: 50,
      status: 'suspended',
      terms_seq: 2,
    });
    expectStatus(await put(found, { ...late, expected_terms_seq: await seen() }), 200);
  });

  test('a partner keeps a change that this process does not know of yet', async () => {
    const found = await givenOnChain();
    const created = await o.givenTerms();
    const behind = await createChain({ config: o.h.ctx.config, clock: o.chain.clock, log: o.h.ctx.log });
    await behind.start();
    await behind.stop();
    const { client } = (await o.otherwise({ program: behind.program })).by.admin;
    const stale = (field?: string) => error(409, 'transition_not_allowed', 'check it again', field);
    expectStatus(await put(found, { ...found.terms, status: 'suspended' }), 200);
    expectStatus(await put(created, created.terms), 200);

    const late = { ...found.terms, open_fee_bps: 60, status: 'active' };
    const seen = { expected_terms_seq: 1 };
    expect(await put(found, { ...late, ...seen }, client)).toMatchObject(stale('expected_terms_seq'));
    const response = await put(found, late, client);
    expect(response).toMatchObject(stale());
    expect(response.body).not.toHaveProperty('field');
    const other = { ...created.terms, open_fee_bps: 60, expected_terms_seq: 0 };
    expect(await put(created, other, client)).toMatchObject(stale('expected_terms_seq'));
    expect((await partnerOf(found.partnerId)).onchain).toMatchObject({
      open_fee_bps: 50,
      status: 'suspended',
      terms_seq: 2,
    });
  });

  test('a partner keeps a change made since another one was requested, though the terms are the same again', async () => {
    const found = await givenOnChain();
    const two = await o.otherwise({ config: { approvals: 2 } });
    const waiting = await put(found, { ...found.terms, open_fee_bps: 60 }, two.by.admin.client);
    for (const status of ['suspended', 'active'])
      expectStatus(await put(found, { ...found.terms, status }), 200);
    const { approval_id } = expectStatus(waiting, 202).body;
    const approver = await two.givenOperator('admin');
    expect(await send(approver.client, 'POST', `/approvals/${approval_id}/approve`)).toMatchObject(
      error(409, 'transition_not_allowed', 'has changed since the approval was requested'),
    );
  });

  test('a partner can be put on chain suspended', async () => {
    const found = await o.givenTerms();
    const { body } = expectStatus(await put(found, { ...found.terms, status: 'suspended' }), 200);
    expect(body.onchain).toMatchObject({ status: 'suspended' });
    await eventually(async () => {
      const reported = await o.h.ctx.sql`
        select type, object ->> 'status' as status from events where partner_id = ${found.partnerId}`;
      expect([...reported].at(-1)).toEqual({ type: 'partner.suspended', status: 'suspended' });
    }, 10_000);
  });

  test('a partner keeps its executives: only its update authority changes those', async () => {
    const { partnerId, path, terms, update } = await givenOnChain();
    const [first = noKey] = terms.executive_authorities as Address[];
    const added = newWallet().address;
    for (const desired of [[added], [first, added]]) {
      expect(await put({ path }, { ...terms, executive_authorities: desired })).toMatchObject(
        error(400, 'invalid_request', "partner's own update authority", 'executive_authorities'),
      );
    }
    o.chain.node.airdrop(update.address, 1_000_000_000n);
    const integrator = await o.h.ctx.chain.program.integratorAddress(partnerId);
    const [config] = await findConfigPda({ programAddress: o.chain.config.programId });
    await o.sendAs(update, (updateAuthority) => [
      getUpdateExecutivesInstruction(
        {
          ...{ config, integrator, updateAuthority, removeCount: 0, remove: executivePlaces([]) },
          ...{ addCount: 1, add: executivePlaces([added]) },
        },
        { programAddress: o.chain.config.programId },
      ),
    ]);
    const both = { ...terms, executive_authorities: [added, first] };
    await eventually(
      async () => expectStatus(await put({ path }, { ...both, open_fee_bps: 1 }), 200),
      10_000,
    );
    expect((await partnerOf(partnerId)).onchain).toMatchObject({
      open_fee_bps: 1,
      executive_authorities: [first, added],
    });
    expect(await put({ path }, terms)).toMatchObject(
      error(400, 'invalid_request', '', 'executive_authorities'),
    );
  });

  test('a partner is created once by all concurrent requests', async () => {
    const found = await o.givenTerms();
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => put(found, found.terms)));
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    const outcomes = responses.map(({ status, body }) => `${status} ${body.message ?? ''}`);
    for (const outcome of outcomes) {
      expect(outcome).toMatch(/^200 $|^409 (The same |Somebody else )|^503 /);
    }
    expect((await partnerOf(found.partnerId)).onchain).toMatchObject(found.terms);
    // What the node refused was never sent, and ends with its blockhash.
    await o.moveOn();
    await eventually(async () => {
      const created = (await rowsOf(found.partnerId)).filter(({ kind }) => kind === 'create_integrator');
      expect(created.filter(({ status }) => status === 'confirmed')).toHaveLength(1);
      expect(created.map(({ status }) => status)).not.toContain('pending');
    }, 10_000);
  });
});

describe('a request for a change on chain', () => {
  let given: OnchainTerms;
  beforeAll(async () => {
    given = await o.givenTerms();
  });
  const offCurve = () => o.chain.addresses.treasuryAuthority;
  const nine = () => Array.from({ length: 9 }, () => newWallet().address);

  test('a request for a change on chain is refused with the field that is wrong, and nothing is written', async () => {
    const [one = ''] = given.terms.executive_authorities;
    const other = await o.h.givenPartner();
    const cases: [object, string, string, string?][] = [
      [{ open_fee_bps: 1_001 }, 'open_fee_bps', 'above 1000, the highest fee that the program allows'],
      [{ closed_fee_bps: 1_001 }, 'closed_fee_bps', 'above 1000'],
      [{ open_fee_bps: 10_001 }, 'open_fee_bps', ''],
      [{ open_fee_bps: -1 }, 'open_fee_bps', ''],
      [{ closed_fee_bps: 1.5 }, 'closed_fee_bps', ''],
      [{ closed_fee_bps: '5' }, 'closed_fee_bps', ''],
      [{ wallet_address: newWallet().address }, 'wallet_address', 'not an active wallet of this partner'],
      [{ wallet_address: other.wallet.address }, 'wallet_address', 'not an active wallet of this partner'],
      [{ executive_authorities: [] }, 'executive_authorities', '1 to 8'],
      [{ executive_authorities: nine() }, 'executive_authorities', '1 to 8'],
      [{ executive_authorities: [one, newWallet().address, one] }, 'executive_authorities.2', 'named twice'],
      [{ executive_authorities: one }, 'executive_authorities', ''],
      [{ executive_authorities: [null] }, 'executive_authorities.0', ''],
      [{ status: 'closed' }, 'status', ''],
      [{ expected_terms_seq: -1 }, 'expected_terms_seq', ''],
      [{ expected_terms_seq: '1' }, 'expected_terms_seq', ''],
      [{ role: 'admin' }, 'role', 'not a known field'],
      [{ partner_id: other.partnerId }, 'partner_id', 'not a known field'],
      // Too long for a key even after one of the few addresses of 43 or 42 characters.
      ...['x', `${one}xxx`, 'I'.repeat(44), offCurve(), noKey].flatMap(
        (wrong): [object, string, string, string][] => [
          [{ wallet_address: wrong }, 'wallet_address', 'not a valid public key', 'invalid_wallet'],
          [{ update_authority: wrong }, 'update_authority', 'not a valid public key', 'invalid_wallet'],
          [{ withdrawal_authority: wrong }, 'withdrawal_authority', 'not a valid', 'invalid_wallet'],
          [{ executive_authorities: [one, wrong] }, 'executive_authorities.1', 'not a', 'invalid_wallet'],
        ],
      ),
    ];
    for (const [change, field, message, code = 'invalid_request'] of cases) {
      const response = await put(given, { ...given.terms, ...change });
      expect([change, response]).toMatchObject([change, error(400, code, message, field)]);
    }
    for (const field of Object.keys(given.terms)) {
      const { [field as 'wallet_address']: _, ...rest } = given.terms;
      expect(await put(given, rest)).toMatchObject(error(400, 'invalid_request', 'required', field));
    }
    expect(await rowsOf(given.partnerId)).toEqual([]);
    expect(await auditOf(given.partnerId)).toEqual([]);
    expect((await partnerOf(given.partnerId)).onchain).toBeNull();
  });

  test('a request for a change on chain is for admins, of partners that exist', async () => {
    for (const role of operatorRoles) {
      if (role === 'admin') continue;
      expect(await put(given, given.terms, o.operators.by[role].client)).toMatchObject(
        error(403, 'insufficient_scope', role),
      );
    }
    for (const id of [newUuid(), 'x', '%00']) {
      expect(await put({ path: `/partners/${id}/onchain` }, given.terms)).toMatchObject(
        error(404, 'partner_not_found', 'There is no partner with this id.'),
      );
    }
  });

  test('a request for a change on chain is not done with a wallet that was revoked', async () => {
    const found = await o.givenTerms();
    const wallet = `/partners/${found.partnerId}/wallets/${found.terms.wallet_address}/revoke`;
    expectStatus(await send(admin(), 'POST', wallet), 200);
    expect(await put(found, found.terms)).toMatchObject(
      error(400, 'invalid_request', 'not an active wallet', 'wallet_address'),
    );
  });
});

test('a change on chain is left to the admin where there is no operations key', async () => {
  const found = await o.givenTerms();
  const process = await o.otherwise({ keys: { operations: undefined } });
  expectStatus(await put(found, found.terms, process.by.admin.client), 200);
});

describe('a service that lacks the keys of operations and admin', () => {
  let keyless: Operators;
  beforeAll(async () => {
    keyless = await o.otherwise({ keys: { admin: undefined, operations: undefined } });
  });

  test('an unsigned transaction is handed out, and known when its signer sends it', async () => {
    const found = await o.givenTerms();
    const { partnerId, terms } = found;
    const key = { 'idempotency-key': 'unsigned' };
    const ask = (body: object, headers = {}) =>
      send(keyless.by.admin.client, 'PUT', found.path, body, headers);
    const { body } = expectStatus(await ask(terms, key), 202);
    expect(body).toMatchObject({ signers: [o.chain.operations.address], expires_at: expect.any(String) });
    expect(await ask(terms, key)).toMatchObject({
      status: 202,
      body,
      headers: { 'idempotency-replayed': 'true' },
    });
    const create = Buffer.from(body.transaction, 'base64');
    expect(readLegacyTransaction(create).signatures).toHaveLength(1);
    expect((await partnerOf(partnerId)).onchain).toBeNull();
    expect(await auditOf(partnerId)).toMatchObject([{ action: 'partner.onchain', after: { tx_hash: null } }]);
    const created = await o.chain.sendStraight(cosign(create, [o.chain.operations]));
    await rowBecomes(partnerId, { kind: 'create_integrator', status: 'confirmed', txSignature: created });
    await eventually(async () => expect((await partnerOf(partnerId)).onchain).toMatchObject(terms), 10_000);

    const change = expectStatus(await ask({ ...terms, open_fee_bps: 7 }), 202).body;
    const changed = await o.chain.sendStraight(
      cosign(Buffer.from(change.transaction, 'base64'), [o.chain.operations]),
    );
    await rowBecomes(partnerId, { kind: 'update_integrator', status: 'confirmed', txSignature: changed });
    await eventually(
      async () => expect((await partnerOf(partnerId)).onchain).toMatchObject({ open_fee_bps: 7 }),
      10_000,
    );
  });

  test('an unsigned transaction that is not signed in time ends', async () => {
    const found = await o.givenTerms();
    expectStatus(await send(keyless.by.admin.client, 'PUT', found.path, found.terms), 202);
    await o.moveOn();
    await rowBecomes(found.partnerId, { status: 'expired' });
    expectStatus(await put(found, found.terms), 200);
  });
});

describe('changes on chain in trouble', () => {
  test("a key that is not the program's operations key signs nothing", async () => {
    const found = await o.givenTerms();
    const wrong = await o.otherwise({ keys: { admin: undefined, operations: o.h.ctx.chain.guardian } });
    expect(await put(found, found.terms, wrong.by.admin.client)).toMatchObject(
      error(503, 'service_unavailable', "not the program's operations"),
    );
    expect(await rowsOf(found.partnerId)).toEqual([]);
  });

  test('an operations key that cannot pay is reported by the chain, before anything is begun', async () => {
    const found = await o.givenTerms();
    const { node, operations: wallet } = o.chain;
    const account = node.getAccount(wallet.address);
    if (!account) throw new Error('no account');
    node.setAccount(wallet.address, { ...account, lamports: 2_000_000n });
    expect(await put(found, found.terms)).toMatchObject(error(400, 'broadcast_failed', 'would reject'));
    node.setAccount(wallet.address, account);
    expect(await rowsOf(found.partnerId)).toEqual([]);
    expect(await auditOf(found.partnerId)).toEqual([]);
    expectStatus(await put(found, found.terms), 200);
  });

  test('a node that is silent is a reason to try again', async () => {
    const found = await o.givenTerms();
    await o.chain.injectFault({ method: 'simulateTransaction', mode: 'error', times: 1 });
    expect(await put(found, found.terms)).toMatchObject(
      error(503, 'service_unavailable', 'does not respond'),
    );
    expect(await rowsOf(found.partnerId)).toEqual([]);
    expectStatus(await put(found, found.terms), 200);
  });

  test('an unsent change can be done again once it can no longer land', async () => {
    const found = await givenOnChain();
    await o.chain.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const lost = put(found, { ...found.terms, status: 'suspended' });
    await rowBecomes(found.partnerId, { kind: 'suspend_integrator', status: 'pending' });
    await o.moveOn();
    expect(await lost).toMatchObject(error(503, 'service_unavailable', 'did not land in time'));
    await rowBecomes(found.partnerId, { status: 'expired' });
    const integrator = () => o.h.ctx.chain.program.integrator(found.partnerId)?.data.status;
    expect(integrator()).toBe(IntegratorStatus.Active);
    expectStatus(await put(found, { ...found.terms, status: 'suspended' }), 200);
    expect(integrator()).toBe(IntegratorStatus.Suspended);
  });

  test('changes on chain leave no dead letter and an intact audit log', async () => {
    expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
    expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
  });
});
