import { memoProgram } from '@karat/signer';
import { createSolanaRpc } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordChange, verifyAuditLog } from '../../src/actions/audit.js';
import { anchorAuditLog, verifyAuditAnchors } from '../../src/actions/audit-anchors.js';

import { createContext, type OwnedContext } from '../../src/create-context.js';
import { findAuditHead } from '../../src/db/operators/audit-log.js';
import { anchorText, commandLine } from '../../src/domain/audit.js';
import { startKeeper } from '../../src/keeper/index.js';
import { kitSigner, newWallet } from '../harness.js';
import { never } from '../indexer/following.js';
import { type Lie, Refused, startLyingNode } from '../indexer/lying-node.js';
import { type Karat, startKarat } from '../karat.js';
import { eventually, sendAnew } from '../karat-chain.js';

let t: Karat;
let ctx: OwnedContext;
beforeAll(async () => {
  t = await startKarat();
  const config = { ...t.service.ctx.config, marketSignerUrl: t.chain.keyFile(t.chain.market) };
  ctx = await createContext(config, { clock: t.chain.clock, log: t.service.ctx.log });
});
afterAll(async () => {
  await ctx.close();
  await t.stop();
});

const change = (objectId: string) => ({
  action: 'country.create' as const,
  objectType: 'country',
  objectId,
  before: null,
});
const write = (objectId: string) =>
  ctx.db.transaction((tx) => recordChange(tx, commandLine, { ...change(objectId), after: {} }, new Date()));
const verify = () => verifyAuditAnchors(ctx, t.chain.market.address, never);
const headOf = async () => {
  const head = await findAuditHead(ctx.db);
  if (!head) throw new Error('the log has no head');
  return head;
};

test('the end of the log is kept on chain once, and the log agrees with it', async () => {
  await write('TR');
  const first = await anchorAuditLog(ctx, undefined, never);
  expect(first).toEqual(await headOf());
  expect(await anchorAuditLog(ctx, first, never)).toBe(first);
  await write('QA');
  await write('OM');
  const second = await anchorAuditLog(ctx, first, never);
  expect(second?.seq).toBe((first?.seq ?? 0) + 2);
  expect(await verify()).toMatchObject({ anchors: 2, newest: second, broken: undefined });
});

test('an anchor that the market key did not sign proves nothing', async () => {
  const stranger = newWallet();
  t.chain.node.airdrop(stranger.address, 1_000_000_000n);
  const payer = await kitSigner(stranger);
  const { seq } = await headOf();
  const before = await verify();
  await write('KW');
  for (const anchor of [
    { seq, hash: new Uint8Array(32) },
    { seq: seq + 99, hash: new Uint8Array(32) },
    await headOf(),
  ]) {
    const mention = getTransferSolInstruction({
      source: payer,
      destination: t.chain.market.address,
      amount: 1_000_000n,
    });
    const memo = { programAddress: memoProgram, data: Buffer.from(anchorText(anchor)) };
    const seeder = { rpc: createSolanaRpc(t.chain.node.rpcUrl), payer, commitment: 'confirmed' } as const;
    await sendAnew(seeder, mention, memo);
  }
  expect(await verify()).toEqual(before);
});

test('an anchor that a node lists and no longer gives is skipped, and no other', async () => {
  const { newest, anchors } = await verify();
  const node = await startLyingNode(t.chain.node.rpcUrl);
  const chain = { ...ctx.chain, rpc: createSolanaRpc(node.url) };
  const verifyThere = () => verifyAuditAnchors({ db: ctx.db, chain }, t.chain.market.address, never);
  const lies = (instead: () => Promise<null>): Lie => {
    return ({ method, params }, ask) =>
      method === 'getTransaction' && params[0] === newest?.txHash ? instead() : ask();
  };
  try {
    node.lie = lies(async () => null);
    const found = await verifyThere();
    expect(found).toMatchObject({ anchors: anchors - 1, broken: undefined });
    expect(found.newest?.seq).toBeLessThan(newest?.seq ?? 0);
    node.lie = lies(async () => {
      throw new Refused(-32_603, 'Internal error');
    });
    await expect(verifyThere()).rejects.toThrow('Internal error');
  } finally {
    await node.close();
  }
});

test('entries that were cut off and written again with their hashes are found', async () => {
  const latest = await anchorAuditLog(ctx, undefined, never);
  const { seq } = await headOf();
  const before = await verify();
  const { db } = t.service.ctx;
  const triggers = async (which: string) => {
    for (const name of ['audit_log', 'audit_head'])
      await db.execute(sql.raw(`alter table ${name} ${which} trigger all`));
  };
  // As the owner of the tables can.
  await triggers('disable');
  await db.execute(sql`delete from audit_log where seq = ${seq}`);
  await db.execute(
    sql`update audit_head set (seq, hash) = (select seq, hash from audit_log where seq = ${seq - 1})`,
  );
  await triggers('enable');
  expect(await verifyAuditLog(ctx.db)).toMatchObject({ ok: true, rows: seq - 1 });
  await expect(anchorAuditLog(ctx, latest, never)).rejects.toThrow(`no longer contains entry ${seq}`);
  expect(await verify()).toMatchObject({ anchors: 2, broken: { seq, txHash: before.newest?.txHash } });
  await write('AE');
  expect(await verifyAuditLog(ctx.db)).toMatchObject({ ok: true, rows: seq });
  expect(await verify()).toMatchObject({ anchors: 2, broken: { seq, txHash: before.newest?.txHash } });
});

test('the keeper anchors the audit log by itself', async () => {
  await write('SA');
  const keeper = startKeeper(ctx, { anchorsMs: 100, electionMs: 100 });
  const head = await headOf();
  await eventually(async () => expect((await verify()).newest).toMatchObject(head), 15_000);
  await keeper.stop();
});
