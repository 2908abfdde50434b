import { getConfigDecoder, getConfigEncoder } from '@karat/program-client';
import type { Address, TransactionSigner } from '@solana/kit';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import type { Follower } from '../../src/indexer/follower.js';
import { kitSigner, newWallet } from '../harness.js';
import { following, never } from './following.js';
import { hang, type Lie } from './lying-node.js';
import { settlingOf } from './settling.js';
import { twoNodes } from './two-nodes.js';
import { token } from './vault.js';
import { eventually, landed, memoInstruction, send, tradeInstruction } from './world.js';

const f = following();
const two = twoNodes(f);

beforeAll(() => {
  f.world.node.airdrop(f.world.trader.user.address, 1_000_000_000n);
});

/** The bytes of the program's configuration with a second service signer, of which no transaction is known. */
function configNaming(key: Address): Uint8Array {
  const account = f.world.node.getAccount(f.world.program.config);
  if (!account) throw new Error('the program has no configuration');
  const config = getConfigDecoder().decode(account.data);
  return new Uint8Array(
    getConfigEncoder().encode({ ...config, serviceSigners: [f.world.service.address, key] }),
  );
}

/** A node that shows these bytes as the program's configuration. */
function showing(bytes: Uint8Array): Lie {
  const data = [Buffer.from(bytes).toString('base64'), 'base64'];
  return async ({ method, params }, ask) => {
    const answer = await ask();
    if (method === 'getAccountInfo' && params[0] === f.world.program.config)
      return { ...answer, value: { ...answer.value, data } };
    if (method !== 'getMultipleAccounts') return answer;
    const value = answer.value.map((account: object | null, place: number) =>
      params[0][place] === f.world.program.config ? { ...account, data } : account,
    );
    return { ...answer, value };
  };
}

/** A buy that fails, signed by the user and the partner, and by a key in the service's place. */
async function failedBuy(service: TransactionSigner) {
  const { trader } = f.world;
  const [id, amountIn] = [newId('trd'), 100n * token];
  const buy = await tradeInstruction(
    { ...f.world, service: service as never },
    { id, amountIn, minAmountOut: 2n ** 62n },
  );
  const memo = memoInstruction(formatMemo({ kind: 'buy', id, amount: amountIn }), [service]);
  const signature = await send(f.world, [buy, memo], trader.user);
  await landed(f.world, signature);
  return { id, signature };
}

const names = (key: Address) =>
  eventually(async () => two.ctx.chain.program.config().serviceSigners.includes(key) || undefined);

const trusts = (follower: Follower, key: Address) =>
  follower
    .view()
    .trustedSigners(2n ** 60n)
    .has(key);

test('a service signer that one node of two names is none, and what it signs is no failed trade', async () => {
  const thief = await kitSigner(newWallet());
  f.node.lie = showing(configNaming(thief.address));
  await names(thief.address);
  const { id, signature } = await failedBuy(thief);
  const follower = f.newFollower({ unavailableAfterMs: 200, brokenAfterMs: 200 }, two.ctx);
  await f.catchUp(follower);
  expect(trusts(follower, thief.address)).toBe(false);
  expect([...follower.liveView().trustedSigners(0n)]).not.toContain(thief.address);
  expect(await f.tradeOf(id)).toBeUndefined();
  expect(await f.reasonsOf(signature)).toEqual(['transaction_unavailable']);
  const cursors = await f.ctx.sql`select from indexer_cursors where address = ${thief.address}`;
  expect(cursors).toHaveLength(0);

  f.node.lie = undefined;
  await eventually(
    async () => !two.ctx.chain.program.config().serviceSigners.includes(thief.address) || undefined,
  );
  await follower.round(never);
  await settlingOf(two.ctx, follower, { retryDeadLettersMs: 0 }).round(never);
  expect(await f.tradeOf(id)).toBeUndefined();
  expect(await f.reasonsOf(signature)).toEqual(['transaction_unavailable (settled)']);
}, 60_000);

test('a service signer of which no change is known is believed once two nodes name it, and nothing is lost until then', async () => {
  const { node, program, service } = f.world;
  const next = await kitSigner(newWallet());
  const follower = await f.catchUp(f.newFollower({}, two.ctx));
  const account = node.getAccount(program.config);
  if (!account) throw new Error('the program has no configuration');
  // The other node has yet to see it, then says nothing at all.
  two.second.lie = showing(account.data as Uint8Array);
  node.setAccount(program.config, { ...account, data: configNaming(next.address) });
  try {
    await names(next.address);
    const failed = await failedBuy(next);
    const own = await failedBuy(service);
    // A round leaves to a later one what two nodes were slow to agree on.
    const recorded = await eventually(async () => {
      await follower.round(never);
      return f.tradeOf(own.id);
    });
    expect(recorded).toMatchObject({ status: 'failed' });
    two.second.lie = async ({ method }, ask) => (method === 'getAccountInfo' ? hang : ask());
    for (let round = 0; round < 3; round += 1) await follower.round(never);
    expect(trusts(follower, next.address)).toBe(false);
    expect(await f.tradeOf(failed.id)).toBeUndefined();
    expect(await f.reasonsOf(failed.signature)).toEqual([]);
    two.second.lie = undefined;
    await f.catchUp(follower);
    expect(trusts(follower, next.address)).toBe(true);
    expect(await f.tradeOf(failed.id)).toMatchObject({ status: 'failed', txSignature: failed.signature });
  } finally {
    node.setAccount(program.config, account);
  }
}, 60_000);
