import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followScreening } from '../../../src/actions/screening/follow-screening.js';
import { goldOf, tokenAccountOf } from '../../../src/chain/program/token-accounts.js';
import { createContext } from '../../../src/create-context.js';
import { newUuid } from '../../../src/domain/ids.js';
import type { Address } from '../../../src/domain/solana.js';
import { run } from '../../../src/run.js';
import { cosign } from '../../chain/signed-trade.js';
import { clientOf, expectStatus, newAddress, newWallet, testConfig, type Wallet } from '../../harness.js';
import { userBody } from '../../http/surfaces/world.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { changesOf } from '../../operators.js';
import { ordered, paths, signedBy, transactionOf } from '../../ordering.js';
import { mintKeyOf } from '../../tradebook.js';

const folder = mkdtempSync(join(tmpdir(), 'karat-list-'));
const file = join(folder, 'list.csv');
const listed = newWallet().address;
const write = (...lines: string[]) => writeFileSync(file, ['address', listed, ...lines].join('\n'));

let t: Karat;
beforeAll(async () => {
  write();
  t = await startKarat({ config: { sanctionsList: file } });
});
afterAll(async () => {
  await t.stop();
  rmSync(folder, { recursive: true });
});

const use = async (...wallets: Address[]) => {
  write(...wallets);
  await t.service.ctx.screening.refresh();
};
const refused = {
  status: 403,
  body: {
    error: 'wallet_not_allowed',
    message: 'This wallet cannot be used with the service.',
    reason: 'wallet_not_allowed',
  },
};
const shown = async (name: string) =>
  (await t.service.ctx.metrics.text()).split('\n').filter((line) => line.startsWith(name));

describe('a wallet on the list', () => {
  test('a wallet on the list is not registered, quoted or submitted for, and the response does not reveal why', async () => {
    const register = await t.partner.client.post('/v1/users', userBody({ wallet_address: listed }));
    expect(register).toMatchObject({ ...refused, body: { ...refused.body, field: 'wallet_address' } });
    expect(register.text).not.toMatch(/sanction|list|screen/i);
    const user = await t.given.user();
    const quote = () => t.buy.quote({ service_user_id: user.id });
    const { body } = expectStatus(await quote(), 200);
    const bytes = Buffer.from(body.partially_signed_transaction, 'base64');
    const signed = cosign(bytes, [t.partner.wallet, user.wallet]);
    await use(user.wallet.address);
    expect(await t.buy.submit(body.trade_id, signed)).toMatchObject(refused);
    expect(await quote()).toMatchObject(refused);
    expect(await t.sell.quote({ service_user_id: user.id })).toMatchObject(refused);
    // Taken off again.
    await use();
    expectStatus(await quote(), 200);
    expectStatus(await t.buy.submit(body.trade_id, signed), 200);
  });

  test('a listed wallet that belongs to the partner stops the partner’s quotes for everyone', async () => {
    await use(t.partner.wallet.address);
    expect(await t.buy.quote()).toMatchObject(refused);
    await use();
    expectStatus(await t.buy.quote(), 200);
  });

  test('a wallet on the list is counted each time, and is in the audit log once a day with the list', async () => {
    await t.avoidMidnight();
    const user = await t.given.user();
    const { address } = user.wallet;
    await use(address);
    const quote = () => t.buy.quote({ service_user_id: user.id });
    const [before = ''] = await shown('karat_screening_hits_total{stage="quote"}');
    for (let tries = 0; tries < 3; tries += 1) expect(await quote()).toMatchObject(refused);
    const [after = ''] = await shown('karat_screening_hits_total{stage="quote"}');
    expect(Number(after.split(' ')[1])).toBe(Number(before.split(' ')[1]) + 3);
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    const row = {
      action: 'screening.refuse',
      before: null,
      after: { stage: 'quote', partner_id: t.partner.partnerId, list_sha256: sha256 },
      reason: null,
      operatorId: null,
    };
    await eventually(
      async () => expect(await changesOf(t.service, 'wallet', address)).toEqual([row]),
      10_000,
    );
    // Another process, which remembers nothing of it.
    const other = await createContext({ ...t.service.ctx.config }, { clock: t.service.ctx.clock });
    const { after: reported } = row;
    const note = (stage: string, partnerId: string) => {
      const distinctBy = { stage, partner_id: partnerId };
      const decision = {
        action: 'screening.refuse' as const,
        objectType: 'wallet',
        objectId: address,
        distinctBy,
      };
      other.decisions.note({ ...decision, after: { ...reported, ...distinctBy } });
    };
    note('quote', t.partner.partnerId);
    await other.decisions.written();
    expect(await quote()).toMatchObject(refused);
    expect(await changesOf(t.service, 'wallet', address)).toEqual([row]);
    // At another stage, and of another partner, it is another decision.
    const stranger = newUuid();
    for (let tries = 0; tries < 2; tries += 1) {
      note('submit', t.partner.partnerId);
      note('quote', stranger);
    }
    await other.close();
    const rows = (await changesOf(t.service, 'wallet', address)).map(({ after }) => after);
    expect(rows).toHaveLength(3);
    expect(rows).toEqual(
      expect.arrayContaining([
        reported,
        { ...reported, stage: 'submit' },
        { ...reported, partner_id: stranger },
      ]),
    );
    await use();
  });
});

describe('a listed wallet at the tradebook', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await t.given.treasury();
  });
  const { error: code, ...words } = refused.body;
  const refusedOrder = { status: 403, body: { success: false, error: { code, ...words } } };
  const executives = async (add: Address) => {
    const { partnerId, update } = treasury;
    const response = expectStatus(await update.put(paths.executives(partnerId), { add: [add] }), 200);
    return signedBy(transactionOf(response), update.wallet);
  };

  test('an order placed before its signer was listed is not submitted', async () => {
    const { executive, withdrawal } = treasury;
    const purchase = await ordered(executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 1_000_000 });
    const withdrawn = await ordered(withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' });
    await use(executive.wallet.address, withdrawal.wallet.address);
    const hits = async () =>
      Number((await shown('karat_screening_hits_total{stage="submit"}'))[0]?.split(' ')[1]);
    const before = await hits();
    expect(await t.tradebook.submit(purchase.signed)).toMatchObject(refusedOrder);
    expect(await t.tradebook.submit(withdrawn.signed)).toMatchObject(refusedOrder);
    expect(await hits()).toBe(before + 2);
    await use();
    expectStatus(await t.tradebook.submit(purchase.signed), 200);
    expectStatus(await t.tradebook.submit(withdrawn.signed), 200);
    // What the chain has already is no secret.
    await use(executive.wallet.address);
    expectStatus(await t.tradebook.submit(purchase.signed), 200);
    await use();
  });

  test('a withdrawal to a listed token account is not submitted', async () => {
    const { signed } = await ordered(treasury.withdrawal, paths.withdrawals, {
      amount: 2,
      tokenType: 'gold',
    });
    const destination = tokenAccountOf(treasury.withdrawal.wallet.address, goldOf(t.chain));
    await use(destination);
    expect(await t.tradebook.submit(signed)).toMatchObject(refusedOrder);
    await use();
    expectStatus(await t.tradebook.submit(signed), 200);
  });

  test('a change that adds a listed executive is not submitted', async () => {
    const added = newWallet().address;
    const signed = await executives(added);
    await use(added);
    expect(await t.tradebook.submit(signed)).toMatchObject(refusedOrder);
    await use();
    expectStatus(await t.tradebook.submit(signed), 200);
    // One who is listed can be taken away.
    await use(added);
    const { partnerId, update } = treasury;
    const gone = expectStatus(await update.put(paths.executives(partnerId), { remove: [added] }), 200);
    expectStatus(await t.tradebook.submit(signedBy(transactionOf(gone), update.wallet)), 200);
    await use();
  });

  test('a key of the tradebook is not minted for a listed wallet', async () => {
    const { executive, partnerId } = treasury;
    const mint = () => mintKeyOf(t.service, executive.wallet, { keyType: 'PARTNER', partnerId });
    await use(executive.wallet.address);
    expect(await mint()).toMatchObject(refusedOrder);
    await use(t.chain.admin.address);
    expect(await mintKeyOf(t.service, t.chain.admin, { keyType: 'ADMIN' })).toMatchObject(refusedOrder);
    await use();
    expectStatus(await mint(), 201);
  });
});

test('a key of the partner API is not minted for a listed wallet', async () => {
  const { partnerId, wallet } = t.partner;
  await use(wallet.address);
  expect(await mintPartnerKey(partnerId, wallet)).toMatchObject(refused);
  await use();
  expectStatus(await mintPartnerKey(partnerId, wallet), 201);
});

/** Walks both steps; the wallet may be listed between them. */
async function mintPartnerKey(partnerId: string, wallet: Wallet) {
  const client = clientOf(t.service.app, {}, { remoteAddress: newAddress() });
  const named = { wallet_address: wallet.address, partner_id: partnerId };
  const { body } = expectStatus(await client.post('/v1/auth/challenge', named), 200);
  const signature = wallet.sign(body.message);
  return client.post('/v1/auth/api-key', { challenge_id: body.challenge_id, signature, key_name: 'k' });
}

describe('the file of the list', () => {
  test('the file of the list stays in use as it was when a new one is broken or missing, which shows in the metrics', async () => {
    const { ctx } = t.service;
    const blocks = async () => expect(await ctx.screening.blocked([listed])).toEqual([listed]);
    await use();
    const source = ctx.screening.source();
    for (const spoil of [
      () => writeFileSync(file, ''),
      () => writeFileSync(file, `${listed}\n0xabc`),
      () => rmSync(file),
    ]) {
      spoil();
      await ctx.screening.refresh();
      await blocks();
      expect(ctx.screening.source()).toEqual(source);
      expect(await shown('karat_sanctions_list_usable')).toEqual(['karat_sanctions_list_usable 0']);
    }
    await use(newWallet().address);
    await blocks();
    expect(await shown('karat_sanctions_list_usable')).toEqual(['karat_sanctions_list_usable 1']);
    expect(await shown('karat_sanctions_list_addresses')).toEqual(['karat_sanctions_list_addresses 2']);
    await use();
  });

  test('the file of the list is usable again once it is back as it was', async () => {
    const { ctx } = t.service;
    await use();
    const aside = `${file}.aside`;
    renameSync(file, aside);
    await ctx.screening.refresh();
    expect(await shown('karat_sanctions_list_usable')).toEqual(['karat_sanctions_list_usable 0']);
    renameSync(aside, file);
    await ctx.screening.refresh();
    expect(await shown('karat_sanctions_list_usable')).toEqual(['karat_sanctions_list_usable 1']);
  });

  test('the file of the list is opened only by processes that serve', async () => {
    const config = { ...t.service.ctx.config, sanctionsList: join(folder, 'none.csv') };
    const running = await run(new Set(['deliver']), config);
    await running.stop();
    await expect(run(new Set(['serve-partners']), config)).rejects.toThrow('KARAT_SANCTIONS_LIST');
  });

  test('the file of the list is in the audit log by its hash whenever another comes into use, once for all processes', async () => {
    const { ctx } = t.service;
    const rows = async () =>
      (await changesOf(t.service, 'sanctions_list', 'list')).map(({ action, after }) => ({ action, after }));
    const loops = [followScreening(ctx), followScreening({ ...ctx })];
    await Promise.all(loops.map(({ first }) => first));
    const first = { action: 'screening.list', after: { ...ctx.screening.source() } };
    expect(await rows()).toEqual([first]);
    await Promise.all(loops.map((loop) => loop.stop()));
    await use(newWallet().address);
    const later = followScreening(ctx);
    await later.first;
    await later.stop();
    expect(await rows()).toEqual([first, { action: 'screening.list', after: { ...ctx.screening.source() } }]);
    expect(ctx.screening.source()).toMatchObject({ addresses: 2 });
    await use();
  });

  test.each([
    ['missing', undefined, 'it cannot be read'],
    ['empty', '', 'it has no address'],
    ['of another chain', '0xabc\n', 'line 1 does not begin with an address of Solana'],
  ])('the file of the list keeps a process from starting when it is %s', async (_what, text, message) => {
    const path = join(folder, 'first.csv');
    if (text !== undefined) writeFileSync(path, text);
    const config = { ...testConfig(t.service.databaseUrl), sanctionsList: path };
    await expect(createContext(config)).rejects.toThrow(
      `KARAT_SANCTIONS_LIST does not name a usable list of wallets: ${message}`,
    );
  });
});
