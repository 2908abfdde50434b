import type { AccountState } from '@karat/localnet';
import { getReceiptDecoder, getReceiptEncoder } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readReceipts } from '../../src/chain/program/receipts.js';
import { createContext, type OwnedContext } from '../../src/create-context.js';
import { deadLetters } from '../../src/db/schema.js';
import { startIndexer } from '../../src/indexer/index.js';
import { startKeeper } from '../../src/keeper/index.js';
import { closeReceipts } from '../../src/keeper/receipts.js';
import { expectStatus } from '../harness.js';
import { never } from '../indexer/following.js';
import { type Karat, startKarat, type Treasury } from '../karat.js';
import { eventually } from '../karat-chain.js';
import { ordersOf } from '../ordering.js';

/** Rent of a receipt, lamports. */
const rent = 1_224_960n;
const systemProgram = '11111111111111111111111111111111' as Address;

let t: Karat;
let treasury: Treasury;
let ctx: OwnedContext;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
  const config = { ...t.service.ctx.config, marketSignerUrl: t.chain.keyFile(t.chain.market) };
  ctx = await createContext(config, { clock: t.chain.clock, log: t.service.ctx.log });
});
afterAll(async () => {
  await ctx.close();
  await t.stop();
});

const { purchase, withdrawal } = ordersOf(() => treasury);
const lamportsOf = (address: string) => t.chain.node.getAccount(address as never)?.lamports ?? 0n;

test('receipts are closed once their orders are over for an hour, and the rent goes back to who paid it', async () => {
  for (const { signed } of [await purchase(), await withdrawal(), await withdrawal()]) {
    expectStatus(await t.tradebook.submit(signed), 200);
  }
  expect(await readReceipts(ctx.chain, never)).toHaveLength(3);
  expect(await closeReceipts(ctx, never)).toBe(0);
  const [executive, authority] = [treasury.executive, treasury.withdrawal].map(
    ({ wallet }) => wallet.address,
  );
  const before = lamportsOf(authority ?? '');
  t.chain.node.warp({ seconds: 3_600 + 120 });
  await t.ready();
  // One that is not over yet stays.
  expectStatus(await t.tradebook.submit((await purchase()).signed), 200);
  const paid = lamportsOf(executive ?? '');
  expect(await closeReceipts(ctx, never)).toBe(3);
  expect(await readReceipts(ctx.chain, never)).toHaveLength(1);
  expect(lamportsOf(executive ?? '') - paid).toBe(rent);
  expect(lamportsOf(authority ?? '') - before).toBe(2n * rent);
});

test('receipts that the node refuses keep no others open', async () => {
  t.chain.node.warp({ seconds: 3_600 + 120 });
  await t.ready();
  for (let at = 0; at < 12; at += 1) expectStatus(await t.tradebook.submit((await withdrawal()).signed), 200);
  t.chain.node.warp({ seconds: 3_600 + 120 });
  await t.ready();
  const receipts = await readReceipts(ctx.chain, never);
  expect(receipts).toHaveLength(13);
  // One whose rent cannot be withdrawn.
  const address = receipts[0]?.address as Address;
  const account = t.chain.node.getAccount(address) as AccountState;
  const receipt = getReceiptDecoder().decode(account.data);
  const data = new Uint8Array(getReceiptEncoder().encode({ ...receipt, payer: systemProgram }));
  t.chain.node.setAccount(address, { ...account, data });
  await expect(closeReceipts(ctx, never)).rejects.toThrow(address);
  expect(await readReceipts(ctx.chain, never)).toMatchObject([{ address }]);
  t.chain.node.setAccount(address, account);
  expect(await closeReceipts(ctx, never)).toBe(1);
});

test('the indexer knows what closes a receipt, and that it has no event', async () => {
  const { response, signed } = await purchase();
  expectStatus(await t.tradebook.submit(signed), 200);
  const quickly = { pollMs: 50, idlePollMs: 100, finalizeMs: 200, lapseMs: 300, electionMs: 100 };
  const indexer = startIndexer(t.service.ctx, quickly);
  // The newest transaction: once it is recorded, the ones that closed receipts are.
  const path = `/api/trading/purchases/${response.body.data.purchaseId}`;
  await eventually(
    async () => expect((await treasury.update.get(path)).body.data.status).toBe('confirmed'),
    15_000,
  );
  await indexer.stop();
  const deadLetterRows = await t.service.ctx.db.select().from(deadLetters);
  expect(deadLetterRows).toEqual([]);
});

test('the keeper closes receipts by itself, though the database knows of no order', async () => {
  await t.service.ctx.sql`delete from orders`;
  t.chain.node.warp({ seconds: 3_600 + 120 });
  await t.ready();
  const keeper = startKeeper(ctx, { pollMs: 50, electionMs: 100, receiptsMs: 100 });
  await eventually(async () => expect(await readReceipts(ctx.chain, never)).toEqual([]), 15_000);
  await keeper.stop();
});
