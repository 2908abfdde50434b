import { createSigner } from '@karat/signer';
import { createSolanaRpc } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anchorAuditLog } from '../../src/actions/audit-anchors.js';
import { settleDueBurns } from '../../src/actions/redemptions/settle-burns.js';
import { reconcile } from '../../src/actions/treasury/reconcile.js';
import { readTreasurySnapshot } from '../../src/chain/program/program-snapshot.js';
import { goldOf, tokenAccountOf } from '../../src/chain/program/token-accounts.js';
import { planDeliveries } from '../../src/db/webhooks/webhook-deliveries.js';
import { type Invariant, invariants, type Verdict } from '../../src/verify/verdict.js';
import { verify } from '../../src/verify/verify.js';
import { cosign } from '../chain/signed-trade.js';
import { callKarat } from '../cli/run-karat.js';
import { clientOf, expectStatus, newAddress } from '../harness.js';
import { never } from '../indexer/following.js';
import type { Treasury } from '../karat.js';
import { eventually, finalize } from '../karat-chain.js';
import { type Operating, startOperating } from '../operating.js';
import { send } from '../operators.js';
import { base64, ordered, paths } from '../ordering.js';
import { pickupCodeOf, tola } from '../redeeming.js';

let o: Operating;
let vault: Treasury;

const options = { waitMs: 30_000, againMs: 200 };
const look = (): Promise<Verdict[]> => verify(o.h.ctx, options, never);
const step = async (id: string, action: string, body?: object) =>
  expectStatus(
    await send(o.operators.by.fulfilment.client, 'POST', `/redemptions/${id}/${action}`, body),
    200,
  );

/** A day of everything: trades both ways, orders of a vault, redemptions in each state and settled both ways, and what proves it. */
beforeAll(async () => {
  o = await startOperating();
  vault = await o.given.treasury();
  await o.given.bars(150);
  await o.h.ctx.sql`
    insert into webhook_endpoints (id, partner_id, url, status, secret, planned_sequence, created_at, updated_at)
    values (gen_random_uuid(), ${o.partner.partnerId}, 'https://shop.example/', 'active', 'secret', 0, now(), now())`;
  for (const side of [o.buy, o.sell]) await trade(side);
  const [burned, refunded, ready] = [await paid(), await paid(), await paid()];
  await paid();
  for (const id of [burned, ready]) {
    await step(id, 'prepare');
    const serial = `of ${id}`;
    await o.given.bars(1, { serial, denominationId: tola.id, weightG: tola.weightG, city: tola.city });
    await step(id, 'ready', { bar_serial: serial });
  }
  await step(burned, 'collect', { pickup_code: await pickupCodeOf(o.h, burned) });
  await step(burned, 'burn');
  expectStatus(await o.partner.client.post(`/v1/redemptions/${refunded}/cancel`), 200);
  await step(refunded, 'cancel', { physical_gold_committed: false });
  await step(refunded, 'refund');
  o.chain.node.warp({ seconds: 86_400 });
  await o.ready();
  await eventually(async () => expect(await settleDueBurns(o.h.ctx, never)).toBe(1), 20_000);
  await trade(o.buy);
  await order(vault.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 1_000_000 });
  await order(vault.executive, paths.sales, { goldAmount: 1, minimumUsdcAmount: 1 });
  await order(vault.withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' });
  await o.given.statement();
  const { ctx } = o.h;
  const market = createSigner(Uint8Array.from(o.chain.market.secretKey));
  await anchorAuditLog({ ...ctx, chain: { ...ctx.chain, market } }, undefined, never);
  await planDeliveries(ctx.db, new Date(ctx.clock.now()));
  await finalize(o.chain, ctx);
  await compareBalances();
}, 240_000);
afterAll(() => o.stop());

async function trade(side: Operating['buy']): Promise<void> {
  const { tradeId, transaction } = await side.quoted();
  expectStatus(await side.submit(tradeId, o.signed(transaction)), 200);
}

/** A redemption of a new user that is paid on chain, and final. */
async function paid(): Promise<string> {
  const user = await o.h.givenUser(o.partner.partnerId);
  await o.chain.node.setTokenBalance(user.wallet.address, o.chain.goldMint, 1_000_000n);
  const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
  const quoted = expectStatus(await o.partner.client.post('/v1/redemptions', body), 201).body;
  const { redemption_id: id, partially_signed_transaction: transaction } = quoted;
  const signed = base64(cosign(Buffer.from(transaction, 'base64'), [user.wallet]));
  expectStatus(await o.partner.client.post(`/v1/redemptions/${id}/submit`, { signed_tx: signed }), 200);
  await o.redemptions.visible(id);
  await finalize(o.chain, o.h.ctx);
  await eventually(
    async () => expect(await o.redemptions.row(id)).toMatchObject({ finalized: true }),
    20_000,
  );
  return id;
}

async function order(...[client, path, body]: Parameters<typeof ordered>): Promise<void> {
  const { signed } = await ordered(client, path, body);
  const open = clientOf(o.h.app, {}, { remoteAddress: newAddress() });
  expectStatus(await open.post('/api/transactions/submit', { signedTransaction: base64(signed) }), 200);
}

/** What the keeper does: what accounts held before the indexer saw them counts from then on. */
async function compareBalances(): Promise<void> {
  const { ctx } = o.h;
  const snapshot = await readTreasurySnapshot(ctx.chain, never);
  const parts = { doubts: new Map(), recordDeposits: async () => {} };
  await eventually(
    async () => expect(await reconcile(ctx, snapshot, parts, never)).toMatchObject({ differences: 0 }),
    30_000,
  );
}

const reds = (verdicts: readonly Verdict[]) => verdicts.filter(({ verdict }) => verdict !== 'green');

test('verify: after a day of everything every invariant holds', { timeout: 60_000 }, async () => {
  expect(reds(await look())).toEqual([]);
});

test('verify: what happened a moment ago, and is not final, breaks no invariant', {
  timeout: 60_000,
}, async () => {
  await trade(o.buy);
  await order(vault.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 1_000_000 });
  await eventually(async () => {
    const [newest] = await o.h.ctx.sql`select status from orders order by created_at desc limit 1`;
    expect(newest).toEqual({ status: 'confirmed' });
  }, 20_000);
  const [{ slot } = {}] = await o.h.ctx.sql`select max(slot)::int as slot from orders`;
  expect(slot).toBeGreaterThan(Number(await o.h.ctx.chain.rpc.getSlot({ commitment: 'finalized' }).send()));
  expect(reds(await look())).toEqual([]);
});

test('verify: records that are older than --since are not compared one by one', {
  timeout: 60_000,
}, async () => {
  const verdicts = await verify(o.h.ctx, { ...options, since: new Date(o.h.ctx.clock.now() + 1_000) }, never);
  expect(reds(verdicts)).toEqual([]);
  const detailOf = (name: Invariant) => verdicts.find(({ invariant }) => invariant === name)?.detail;
  expect(detailOf('one_record_each')).toContain(': 0 transactions.');
  expect(detailOf('landed_on_chain')).toContain(': 0 records.');
});

test('verify: while the node is away, what needs it is pending and not red', {
  timeout: 60_000,
}, async () => {
  const { ctx } = o.h;
  const rpc = createSolanaRpc('http://127.0.0.1:1');
  const verdicts = await verify({ ...ctx, chain: { ...ctx.chain, rpc, witnesses: [rpc] } }, options, never);
  expect(verdicts.filter(({ verdict }) => verdict === 'red')).toEqual([]);
  const pending = verdicts.filter(({ verdict }) => verdict === 'pending').map(({ invariant }) => invariant);
  expect(pending).toEqual([
    ...['gold_supply', 'treasury_balances', 'vault_balances', 'escrow', 'backing', 'program_events'],
    ...['one_record_each', 'recorded_amounts', 'landed_on_chain', 'audit_anchors'],
  ]);
});

/** Changes rows as the owner of the tables may, without triggers; the tables are as before once `during` has ended. */
async function changed<T>(sql: string, tables: string[], during: () => Promise<T>): Promise<T> {
  const asOwner = (statements: string[]) =>
    o.h.ctx.sql.begin(async (tx) => {
      await tx.unsafe('set local session_replication_role = replica');
      for (const statement of statements) await tx.unsafe(statement);
    });
  await asOwner([...tables.map((table) => `create table kept_${table} as table ${table}`), sql]);
  try {
    return await during();
  } finally {
    await asOwner(
      tables.flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} overriding system value select * from kept_${table}`,
        `drop table kept_${table}`,
      ]),
    );
  }
}

const some = (table: string, where = 'true') =>
  `(select id from ${table} where ${where} order by id limit 1)`;

interface Break {
  invariant: Invariant;
  how: string;
  tables: string[];
  sql: string;
  /** What the first row that it names begins with, and what is wrong with it. */
  names: RegExp;
}

const breaks: Break[] = [
  {
    invariant: 'escrow',
    how: 'an open redemption that needs more than was paid',
    tables: ['redemptions'],
    sql: `update redemptions set tokens_required = tokens_required + 1 where id = ${some('redemptions', "status = 'submitted'")}`,
    names:
      /^escrow \w+ holds \d+ base units; open redemptions need 761250 by the program and 761251 by the records$/,
  },
  {
    invariant: 'backing',
    how: 'a burn of less than the program counted',
    tables: ['operator_transactions'],
    sql: "update operator_transactions set amount = amount - 1 where kind = 'burn'",
    names: /^operator_transactions have 380624 base units burned, and the program has counted 380625$/,
  },
  {
    invariant: 'backing',
    how: 'bars that hold less than the tokens',
    tables: ['bars'],
    sql: 'update bars set weight_g = 1',
    names: /^bars hold [\d.]+ oz, and [\d.]+ GOLD are outstanding$/,
  },
  {
    invariant: 'vault_balances',
    how: 'an order that took less from a vault than left it',
    tables: ['orders'],
    sql: "update orders set executed_usdc = executed_usdc - 1 where kind = 'withdrawal'",
    names: /^orders [0-9a-f-]+ \(vault \w+\) changed by -2 USDC in \w+; its orders say -1\.999999$/,
  },
  {
    invariant: 'program_events',
    how: 'an event of the program that is not recorded',
    tables: ['chain_effects'],
    sql: "delete from chain_effects where seq = 3 and partner_id <> '00000000-0000-0000-0000-000000000000'",
    names:
      /^program_events of partner [0-9a-f-]+ 3 is not recorded; the program has counted \d+ of these events, and \d+ are recorded$/,
  },
  {
    invariant: 'program_events',
    how: 'an event that the program never counted',
    tables: ['chain_effects'],
    sql: "update chain_effects set seq = 999 where seq = 3 and partner_id <> '00000000-0000-0000-0000-000000000000'",
    names: /^program_events of partner [0-9a-f-]+ 999 is recorded; the program has counted \d+$/,
  },
  {
    invariant: 'one_record_each',
    how: 'a trade that landed and has no record',
    tables: ['trades'],
    sql: `delete from trades where id = ${some('trades')}`,
    names: /^transaction \w+ has no record$/,
  },
  {
    invariant: 'one_record_each',
    how: 'an order that never landed',
    tables: ['orders'],
    sql: `insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'event_seq', 999,
        'tx_signature', '\\x' || repeat('ab', 64)))).* from orders o where kind = 'purchase' limit 1`,
    names: /^orders [0-9a-f-]+ \(transaction \w+\) is recorded without an event of the program$/,
  },
  {
    invariant: 'recorded_amounts',
    how: 'a trade of more than was moved',
    tables: ['trades'],
    sql: `update trades set usdc_amount = usdc_amount + 1 where id = ${some('trades')}`,
    names: /^trades trd_[0-9a-f-]+ \(transaction \w+\) moved another amount than is recorded$/,
  },
  {
    invariant: 'landed_on_chain',
    how: 'a record with a transaction that the chain does not have',
    tables: ['orders'],
    sql: "update orders set tx_signature = decode(repeat('ab', 64), 'hex') where kind = 'sale'",
    names: /^orders [0-9a-f-]+ \(transaction \w+\) is recorded, and the chain does not have its transaction$/,
  },
  {
    invariant: 'landed_on_chain',
    how: 'a payment that succeeded and is recorded as failed',
    tables: ['redemptions'],
    sql: `update redemptions set status = 'failed', reclaimable_at = null, failure_reason = 'x', reason = 'unknown'
      where id = ${some('redemptions', "status = 'submitted'")}`,
    names: /^redemptions red_[0-9a-f-]+ \(transaction \w+\) is recorded as failed and succeeded$/,
  },
  {
    invariant: 'transitions',
    how: 'a redemption that went where none may go',
    tables: ['redemption_history', 'redemptions'],
    sql: `update redemption_history set from_status = 'submitted' where to_status = 'collected'`,
    names: /^redemptions red_[0-9a-f-]+ went from submitted to collected$/,
  },
  {
    invariant: 'transitions',
    how: 'a redemption that went on from where it was not',
    tables: ['redemption_history'],
    sql: "update redemption_history set from_status = 'ready' where to_status = 'preparing'",
    names: /^redemptions red_[0-9a-f-]+ went on from ready after it had become submitted$/,
  },
  {
    invariant: 'transitions',
    how: 'a bar that changed without an entry in the audit log',
    tables: ['bars'],
    sql: "update bars set status = 'withdrawn', reason = 'x', redemption_id = null where status = 'handed_over'",
    names: /^bars [0-9a-f-]+ is withdrawn; by the audit log it became handed_over$/,
  },
  {
    invariant: 'transitions',
    how: 'a submission that landed without a trade',
    tables: ['trades'],
    sql: `delete from trades where id = ${some('trades')}`,
    names: /^submissions trd_[0-9a-f-]+ is landed, and its trade is not recorded$/,
  },
  {
    invariant: 'transitions',
    how: 'a status without a move',
    tables: ['redemptions'],
    sql: `update redemptions set status = 'preparing' where id = ${some('redemptions', "status = 'submitted'")}`,
    names: /^redemptions red_[0-9a-f-]+ is preparing; its last move was to submitted$/,
  },
  {
    invariant: 'transitions',
    how: 'a bar that comes back to the vault',
    tables: ['bars', 'redemptions'],
    sql: `update bars set status = 'in_stock', redemption_id = null where status = 'handed_over'`,
    names: /^bars [0-9a-f-]+ is in_stock; by the audit log it became handed_over$/,
  },
  {
    invariant: 'event_numbers',
    how: 'an event that is gone',
    tables: ['events'],
    sql: 'delete from events where sequence = 3',
    names: /^events [0-9a-f-]+ 3 is missing; the next one is 4$/,
  },
  {
    invariant: 'event_numbers',
    how: 'a counter that counts too few',
    tables: ['event_counters'],
    sql: 'update event_counters set last = last - 1',
    names: /^event_counters [0-9a-f-]+ counts \d+ events; the last one is \d+$/,
  },
  {
    invariant: 'event_objects',
    how: 'an event about nothing',
    tables: ['events'],
    sql: "update events set object_id = gen_random_uuid() where type = 'redemption.ready'",
    names: /^events [0-9a-f-]+ \d+ redemption\.ready is about redemption [0-9a-f-]+, which is not there$/,
  },
  {
    invariant: 'events_of_records',
    how: 'a trade that its partner never heard of',
    tables: ['events'],
    sql: "update events set type = 'partner.resumed', object_type = 'partner', object_id = partner_id, object = '{}' where type = 'trade.confirmed'",
    names: /^trades trd_[0-9a-f-]+ trade\.confirmed was reported 0 times$/,
  },
  {
    invariant: 'events_of_records',
    how: 'a trade that was reported as confirmed and as expired',
    tables: ['events'],
    sql: "update events set type = 'trade.expired', object = '{}' where type = 'trade.submitted'",
    names: /^trades trd_[0-9a-f-]+ was reported as confirmed and as expired$/,
  },
  {
    invariant: 'events_of_records',
    how: 'a trade that its partner heard of twice',
    tables: ['events'],
    sql: "update events set type = 'trade.submitted', object = '{}' where type = 'trade.confirmed'",
    names: /^submissions trd_[0-9a-f-]+ trade\.submitted was reported 2 times$/,
  },
  {
    invariant: 'deliveries',
    how: 'a delivery of an event that is not there',
    tables: ['webhook_deliveries'],
    sql: 'update webhook_deliveries set sequence = 999 where sequence = 1',
    names: /^webhook_deliveries dlv_[0-9a-f-]+ is of event 999, which is not there or another one$/,
  },
  {
    invariant: 'deliveries',
    how: 'an event that was left out',
    tables: ['webhook_deliveries'],
    sql: 'delete from webhook_deliveries where sequence = (select max(sequence) from webhook_deliveries)',
    names: /^webhook_endpoints we_[0-9a-f-]+ was not given event \d+$/,
  },
  {
    invariant: 'deliveries',
    how: 'an endpoint that is further than its log',
    tables: ['webhook_endpoints'],
    sql: 'update webhook_endpoints set planned_sequence = planned_sequence + 100',
    names: /^webhook_endpoints we_[0-9a-f-]+ was given events up to \d+, and there are \d+$/,
  },
  {
    invariant: 'settled_once',
    how: 'a refund of gold that was handed over',
    tables: ['operator_transactions'],
    sql: "update operator_transactions set kind = 'refund' where kind = 'burn'",
    names: /^redemptions red_[0-9a-f-]+ is collected, and its tokens were refunded$/,
  },
  {
    invariant: 'settled_once',
    how: 'a refund of less than was paid',
    tables: ['operator_transactions'],
    sql: "update operator_transactions set amount = amount - 1 where kind = 'refund'",
    names: /^redemptions red_[0-9a-f-]+ took \d+ base units, and \d+ were settled$/,
  },
  {
    invariant: 'settled_once',
    how: 'a settlement without its mark',
    tables: ['redemptions'],
    sql: 'update redemptions set settled = false where settled',
    names: /^redemptions red_[0-9a-f-]+ is settled and not marked so$/,
  },
  {
    invariant: 'settled_once',
    how: 'a mark that nothing settles',
    tables: ['redemptions'],
    sql: "update redemptions set settled = true where status = 'ready'",
    names: /^redemptions red_[0-9a-f-]+ is marked as settled, and nothing settles it$/,
  },
  {
    invariant: 'settled_once',
    how: 'an announcement that is written down twice',
    tables: ['operator_transactions'],
    sql: `insert into operator_transactions (id, kind, status, redemption_id, partner_id, tx_signature, last_valid_block_height, created_at, updated_at)
      select gen_random_uuid(), kind, 'expired', redemption_id, partner_id, tx_signature, 1, now(), now() from operator_transactions where kind = 'announce_burn'`,
    names: /^operator_transactions [0-9a-f-]+ is written down 2 times$/,
  },
  {
    invariant: 'bars',
    how: 'a bar that was handed over for a redemption that was refunded',
    tables: ['bars'],
    sql: `update bars set status = 'handed_over', redemption_id = ${some('redemptions', "status = 'cancelled'")} where id = ${some('bars', "status = 'in_stock'")}`,
    names: /^bars [0-9a-f-]+ is handed_over for redemption red_[0-9a-f-]+, which is cancelled$/,
  },
  {
    invariant: 'bars',
    how: 'gold that is ready without a bar',
    tables: ['bars'],
    sql: "update bars set status = 'in_stock', redemption_id = null where status = 'reserved'",
    names: /^redemptions red_[0-9a-f-]+ is ready and has no bar of its kind$/,
  },
  {
    invariant: 'statements',
    how: 'a statement whose text was changed',
    tables: ['reserve_statements'],
    sql: "update reserve_statements set body = replace(body, 'COVERED', 'covered')",
    names: /^reserve_statements rs_[0-9a-f-]+ has another hash than its text$/,
  },
  {
    invariant: 'statements',
    how: 'a statement by another key',
    tables: ['reserve_statements'],
    sql: "update reserve_statements set public_key = decode(repeat('ab', 32), 'hex')",
    names: /^reserve_statements rs_[0-9a-f-]+ has a signature that is not valid$/,
  },
  {
    invariant: 'audit_log',
    how: 'an entry that was changed',
    tables: ['audit_log'],
    sql: "update audit_log set reason = 'another' where seq = 2",
    names: /^audit_log 2 is not as it was written, or is missing$/,
  },
  {
    invariant: 'audit_anchors',
    how: 'an entry that was replaced with its hash',
    tables: ['audit_log'],
    sql: "update audit_log set hash = decode(repeat('ab', 32), 'hex')",
    names:
      /^audit_log \d+ is not the entry that \w+ keeps on chain: entries up to it were rewritten or cut off$/,
  },
  {
    invariant: 'daily_limits',
    how: 'a user for whom nothing counts',
    tables: ['velocity_usage'],
    sql: 'update velocity_usage set usdc = array_fill(0::bigint, array[24])',
    names:
      /^velocity_usage [0-9a-f-]+ has 0 base units of USDC and \d+ of GOLD in an hour in which \d+ and \d+ were traded$/,
  },
];

const namedIn = (verdicts: readonly Verdict[], name: Invariant) =>
  verdicts.flatMap(({ invariant, broken }) =>
    invariant === name ? broken.map(({ row, fault }) => `${row} ${fault}`) : [],
  );

/** Breaks that change other tables are looked at together. */
const groups: Break[][] = [];
for (const each of breaks) {
  const isFree = (group: Break[]) =>
    !group.some(({ tables }) => tables.some((table) => each.tables.includes(table)));
  const group = groups.find(isFree);
  if (group) group.push(each);
  else groups.push([each]);
}

const found = new Map<Break[], Promise<Verdict[]>>();

async function lookWith(group: Break[]): Promise<Verdict[]> {
  const sql = group.map((each) => each.sql).join(';');
  const tables = group.flatMap((each) => each.tables);
  return changed(sql, tables, look);
}

const named = groups.flatMap((group) =>
  group.map((each) => [each.invariant, each.how, each.names, group] as const),
);

test.each(named)('verify: %s names %s', { timeout: 90_000 }, async (invariant, _, names, group) => {
  const looking = found.get(group) ?? lookWith(group);
  found.set(group, looking);
  expect(namedIn(await looking, invariant)).toContainEqual(expect.stringMatching(names));
});

/** Those that are broken on the chain, by the tests below. */
const onChain: Invariant[] = ['treasury_balances', 'gold_supply'];

test('verify: each invariant is broken by hand in one of these tests', () => {
  const broken = new Set([...breaks.map(({ invariant }) => invariant), ...onChain]);
  expect(invariants.filter((name) => !broken.has(name))).toEqual([]);
});

test('verify: after all of that every invariant holds again', { timeout: 60_000 }, async () => {
  expect(reds(await look())).toEqual([]);
});

test('verify: a balance that changed without a transaction is named', { timeout: 60_000 }, async () => {
  const { node, addresses, usdcMint, goldMint, balance } = o.chain;
  const { treasuryAuthority } = addresses;
  const held = await balance(treasuryAuthority, usdcMint);
  const inVault = await balance(vault.vault, goldMint);
  await node.setTokenBalance(treasuryAuthority, usdcMint, held - 5n);
  await node.setTokenBalance(vault.vault, goldMint, inVault - 1n);
  const verdicts = await look();
  await node.setTokenBalance(treasuryAuthority, usdcMint, held);
  await node.setTokenBalance(vault.vault, goldMint, inVault);
  expect(namedIn(verdicts, 'treasury_balances')).toEqual([
    expect.stringMatching(/^account \w+ \(treasury_usdc\) holds [\d.]+, and its movements lead to [\d.]+$/),
  ]);
  const vaultGold = tokenAccountOf(vault.vault, goldOf(o.chain));
  expect(namedIn(verdicts, 'vault_balances')).toEqual([
    expect.stringMatching(
      new RegExp(`^vault ${vaultGold} holds [\\d.]+, and its last transaction left [\\d.]+$`),
    ),
  ]);
});

test('verify: GOLD that is in no account is named', { timeout: 60_000 }, async () => {
  const { node, goldMint } = o.chain;
  const mint = node.getAccount(goldMint);
  if (!mint) throw new Error('there is no mint');
  const data = Buffer.from(mint.data);
  data.writeBigUInt64LE(data.readBigUInt64LE(36) + 1n, 36);
  node.setAccount(goldMint, { ...mint, data });
  const verdicts = await look();
  node.setAccount(goldMint, mint);
  expect(namedIn(verdicts, 'gold_supply')).toEqual([
    expect.stringMatching(
      new RegExp(`^mint ${goldMint} has a supply of [\\d.]+ GOLD, and its accounts hold [\\d.]+$`),
    ),
  ]);
});

test('verify: the command prints a line for each invariant, and exits with 1 when one is broken', {
  timeout: 120_000,
}, async () => {
  const env = {
    DATABASE_URL: o.h.databaseUrl,
    KARAT_RPC_URL: o.chain.node.rpcUrl,
    KARAT_WS_URL: o.chain.node.wsUrl,
    KARAT_PROGRAM_ID: o.chain.config.programId,
  };
  const { code, stdout, stderr } = await callKarat(['verify'], env);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('All 20 invariants hold.');
  expect(stdout).toMatch(/^green {4}bars {16,}\d+ ms Every bar is in one place, .*: 15\d bars\.$/m);
  await changed('delete from events where sequence = 3', ['events'], async () => {
    const text = await callKarat(['verify'], env);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(
      /^RED {6}event_numbers {7,}\d+ ms Broken by 1:\n {37}-> events \S+ 3 is missing; the next one is 4$/m,
    );
    const json = await callKarat(['verify', '--output', 'json'], env);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, red: 3, pending: 0, green: 17 });
  });
  expect(await callKarat(['verify', '--since', 'yesterday'], env)).toMatchObject({
    code: 2,
    stderr: '--since must be a time such as 2026-03-01T00:00:00Z, not "yesterday"\n',
  });
});
