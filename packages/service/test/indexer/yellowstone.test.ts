import type { MessageTypeDefinition, PackageDefinition } from '@grpc/proto-loader';
import { getAddressDecoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/config.js';
import { Follower } from '../../src/indexer/follower.js';
import { openSource } from '../../src/indexer/open-source.js';
import type { Source } from '../../src/indexer/source.js';
import { defaultTuning } from '../../src/indexer/tuning.js';
import { geyserDefinition } from '../../src/indexer/yellowstone/geyser.js';
import { responseOf } from '../../src/indexer/yellowstone/geyser-transaction.js';
import type { Subscription } from '../../src/runtime/loop.js';
import { following } from './following.js';
import { answerOf, givenTrade } from './scene.js';
import { eventually, memoInstruction, prepared, tradeInstruction } from './world.js';
import {
  publishedDefinition,
  startYellowstone,
  updateOf,
  type YellowstoneServer,
} from './yellowstone-server.js';

const f = following();
let server: YellowstoneServer;
let source: Source;
let subscription: Subscription;
let wakes = 0;

beforeAll(async () => {
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
  server = await startYellowstone(
    (signature) => f.world.seeder.rpc.getTransaction(signature, config).send(),
    'token',
  );
});
afterAll(() => server.close());

beforeEach(async () => {
  server.bend = (update) => [update];
  await subscribe();
});
afterEach(() => subscription.stop());

async function subscribe(token = 'token') {
  // The nodes notify of nothing, so that only the stream wakes.
  const wsUrls = ['ws://127.0.0.1:1'];
  const config = { ...f.ctx.config, wsUrls, grpcUrl: server.url, grpcToken: new Secret(token) };
  source = openSource({ ...f.ctx, config });
  subscription = source.follow(f.ctx.chain.programAddress, f.ctx.log, () => {
    wakes += 1;
  });
  if (token === 'token') await eventually(async () => server.streams() === 1 || undefined);
}

/** What two sides must agree on of a field. */
interface WireField {
  number: number;
  name: string;
  label: string;
  type: string;
  typeName: string;
}

/** Returns the fields of each message; an enum is a number, as on the wire. */
const fieldsOf = (definition: PackageDefinition) =>
  new Map(
    Object.entries(definition)
      .filter(([, each]) => each.format === 'Protocol Buffer 3 DescriptorProto')
      .map(([message, each]) => {
        const { field } = (each as MessageTypeDefinition<object, object>).type as { field: WireField[] };
        const fields = field.map(({ number, name, label, type, typeName }) =>
          type === 'TYPE_ENUM'
            ? { number, name, label, type: 'TYPE_INT32', typeName: '' }
            : { number, name, label, type, typeName: typeName.split('.').at(-1) },
        );
        return [message, fields];
      }),
  );

test('every field that the indexer reads or writes is the published one', () => {
  const published = fieldsOf(publishedDefinition);
  const own = fieldsOf(geyserDefinition);
  expect(own.size).toBe(20);
  for (const [message, fields] of own)
    expect(published.get(message), message).toEqual(expect.arrayContaining(fields));
});

const fetches = () => f.node.calls.get('getTransaction') ?? 0;

/** Sends a trade, has the stream deliver it, and waits until that has come. */
async function delivered(options: Parameters<typeof f.trade>[0] = {}) {
  const sent = await f.trade(options);
  const before = wakes;
  await server.deliver(sent.signature);
  await eventually(async () => wakes > before || undefined);
  return sent;
}

async function caughtUp(): Promise<Follower> {
  const follower = new Follower(f.ctx, source, defaultTuning);
  return f.catchUp(follower);
}

test('a transaction is put together to the bytes that were signed, legacy and version 0', () => {
  const { answer } = answerOf(givenTrade());
  const update = updateOf(answer);
  expect(responseOf(update)?.transaction).toEqual(answer.transaction);
  const message = update.transaction?.transaction?.message;
  if (!message) throw new Error('no message');
  message.versioned = true;
  const table = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
  const lookup = {
    accountKey: table,
    writableIndexes: Uint8Array.of(3, 4),
    readonlyIndexes: Uint8Array.of(200),
  };
  message.addressTableLookups = [lookup];
  const [wire = ''] = responseOf(update)?.transaction ?? [];
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
  expect(getCompiledTransactionMessageDecoder().decode(messageBytes)).toMatchObject({
    version: 0,
    addressTableLookups: [
      {
        lookupTableAddress: getAddressDecoder().decode(table),
        writableIndexes: [3, 4],
        readonlyIndexes: [200],
      },
    ],
  });
});

test('the stream is of what names the program, confirmed, failures and votes left out', () => {
  const { programAddress } = f.ctx.chain;
  expect(server.requests.at(-1)).toMatchObject({
    transactions: { program: { vote: false, failed: false, accountInclude: [programAddress] } },
    commitment: 1,
  });
});

test('what the stream delivers is recorded as the nodes would have it, and not requested from them', async () => {
  const follower = await caughtUp();
  const buy = await delivered();
  const sell = await delivered({ side: 'sell', amountIn: 2_000_000n });
  const before = fetches();
  await f.catchUp(follower);
  expect(fetches()).toBe(before);
  expect(await f.tradeOf(buy.id)).toMatchObject({ status: 'confirmed', usdcAmount: 100_000_000n });
  expect(await f.tradeOf(sell.id)).toMatchObject({ status: 'confirmed', goldAmount: 2_000_000n });
  const { cursors: _streamed, ...streamed } = await f.written();
  await f.forgetEverything();
  await f.catchUp();
  const { cursors: _fetched, ...fetched } = await f.written();
  expect(streamed).toEqual(fetched);
});

test('a trade that failed is fetched from the nodes', async () => {
  const { id } = await delivered({ minAmountOut: 10n ** 12n });
  await caughtUp();
  expect(await f.tradeOf(id)).toMatchObject({ status: 'failed', reason: 'slippage_exceeded' });
});

test('what comes twice is recorded once', async () => {
  server.bend = (update) => [update, update];
  const follower = await caughtUp();
  const { id, signature } = await delivered();
  await f.catchUp(follower);
  await server.deliver(signature);
  await f.catchUp(follower);
  expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
  expect(await f.reasonsOf(signature)).toEqual([]);
});

describe('a lie', () => {
  test.each([
    [
      'about the bytes',
      (update: Update) => {
        const data = update.transaction?.transaction?.message?.instructions[0]?.data;
        if (data) data[1] = (data[1] ?? 0) ^ 1;
      },
    ],
    ['about the signatures', (update: Update) => update.transaction?.transaction?.signatures[1]?.fill(0)],
    [
      'about the slot, which the chain has not reached',
      (update: Update) => {
        update.slot = '4000000000';
      },
    ],
  ])('%s is not believed: the nodes are asked', async (_, bend) => {
    server.bend = (update) => {
      bend(update);
      return [update];
    };
    const follower = await caughtUp();
    const { id, signature } = await delivered();
    const before = fetches();
    await f.catchUp(follower);
    expect(fetches()).toBeGreaterThan(before);
    expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed', usdcAmount: 100_000_000n });
    expect(await f.reasonsOf(signature)).toEqual([]);
  });

  test('a transaction that the stream alone knows is not recorded', async () => {
    const { signature: landedOne } = await f.trade();
    const follower = await caughtUp();
    const before = await f.written();
    const call = await tradeInstruction(f.world);
    const { signature, wire } = await prepared(
      f.world,
      [call, memoInstruction('karat|1|buy', [f.world.service])],
      f.world.service,
    );
    server.bend = (update) => {
      const response = { ...responseOf(update), transaction: [wire, 'base64'] };
      return [updateOf(response as Parameters<typeof updateOf>[0])];
    };
    const woken = wakes;
    await server.deliver(landedOne);
    await eventually(async () => wakes > woken || undefined);
    await f.catchUp(follower);
    expect(await f.written()).toEqual(before);
    expect(await f.reasonsOf(signature)).toEqual([]);
  });
});

type Update = Parameters<YellowstoneServer['bend']>[0];

test('what is missed while the stream is down is recorded from the nodes, and it comes back by itself', async () => {
  const follower = await caughtUp();
  server.disconnect();
  const missed = await f.trade();
  await f.catchUp(follower);
  expect(await f.tradeOf(missed.id)).toMatchObject({ status: 'confirmed' });
  await eventually(async () => server.streams() === 1 || undefined);
  const next = await delivered();
  const before = fetches();
  await f.catchUp(follower);
  expect(fetches()).toBe(before);
  expect(await f.tradeOf(next.id)).toMatchObject({ status: 'confirmed' });
});

test('what the stream leaves out is recorded from the nodes', async () => {
  server.bend = () => [];
  const follower = await caughtUp();
  const { id, signature } = await f.trade();
  await server.deliver(signature);
  await f.catchUp(follower);
  expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
});

test('a ping is answered, and a stream that refuses the token holds up nothing', async () => {
  server.send({ ping: {} });
  await eventually(async () => server.requests.some(({ ping }) => ping !== undefined) || undefined);
  await subscription.stop();
  await subscribe('another');
  const { id } = await f.trade();
  await caughtUp();
  expect(server.streams()).toBe(0);
  expect(await f.tradeOf(id)).toMatchObject({ status: 'confirmed' });
});
