import { expect, test } from 'vitest';
import WebSocket from 'ws';
import {
  freshAddress,
  fundedSigner,
  type Json,
  makeMint,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sendTransfer,
  sign,
  startNode,
  transfer,
  until,
} from './harness.js';

// Expected is what Agave 3.0 does: `rpc/src/rpc_pubsub.rs` (parameters, errors), `rpc/src/rpc_subscriptions.rs` (what is sent
// when).

const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
node.warp({ slots: 40 });

class Client {
  readonly socket: WebSocket;
  readonly responses = new Map<number, Json>();
  readonly received: Json[] = [];
  #id = 0;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (text) => {
      const message = JSON.parse(text.toString());
      if (message.method) this.received.push(message);
      else this.responses.set(message.id, message);
    });
  }

  static async open(url = node.wsUrl): Promise<Client> {
    const client = new Client(url);
    await new Promise((resolve, reject) => client.socket.once('open', resolve).once('error', reject));
    return client;
  }

  async ask(method: string, ...params: unknown[]): Promise<Json> {
    this.#id += 1;
    const id = this.#id;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return await until(() => this.responses.get(id));
  }

  async subscribe(method: string, ...params: unknown[]): Promise<number> {
    const response = await this.ask(method, ...params);
    if (response.error) throw new Error(JSON.stringify(response.error));
    return response.result;
  }

  /** What subscriptions have received so far; a completed call is proof that nothing is under way. */
  async results(subscription: number): Promise<Json[]> {
    await this.ask('slotUnsubscribe', 0);
    return this.received
      .filter(({ params }) => params.subscription === subscription)
      .map(({ params }) => params.result);
  }
}

test('a socket on the RPC port serves as well as on the next', async () => {
  for (const url of [node.wsUrl, node.rpcUrl.replace('http', 'ws')]) {
    const client = await Client.open(url);
    const id = await client.subscribe('slotSubscribe');
    node.warp({ slots: 1 });
    const slot = await result(node, 'getSlot', { commitment: 'processed' });
    expect(await client.results(id)).toEqual([{ parent: slot - 1, root: slot - 31, slot }]);
    expect(client.received[0]).toMatchObject({ jsonrpc: '2.0', method: 'slotNotification' });
    client.socket.close();
  }
});

test('methods of HTTP are unknown on a socket, and broken text has a response', async () => {
  const client = await Client.open();
  expect((await client.ask('getSlot')).error).toEqual({ code: -32601, message: 'Method not found' });
  // But for this one (Agave `rpc_pubsub.rs`, `get_version`).
  expect((await client.ask('getVersion')).result).toEqual(await result(node, 'getVersion'));
  // A node has these two only when it was started with a flag for it, which public ones are not: `block_subscribe` and
  // `vote_subscribe` return `ErrorCode::MethodNotFound`. They are marked unstable.
  for (const method of ['voteSubscribe', 'blockSubscribe', 'blockUnsubscribe'])
    expect((await client.ask(method)).error).toEqual({ code: -32601, message: 'Method not found' });
  client.socket.send('{"broken');
  expect((await until(() => client.responses.get(null as unknown as number))).error).toMatchObject({
    code: -32700,
  });
  client.socket.close();
});

test('commitments: each is notified in its own time', async () => {
  const client = await Client.open();
  const to = await freshAddress();
  const kinds = ['processed', 'confirmed', 'finalized'];
  const config = (commitment: string) => ({ commitment, encoding: 'base64' });
  const signed = await sign(node, payer, [transfer(payer, to, SOL)]);
  const subscriptions: Record<string, number[]> = {};
  for (const commitment of kinds) {
    subscriptions[commitment] = [
      await client.subscribe('signatureSubscribe', signed.signature, { commitment }),
      await client.subscribe('accountSubscribe', to, config(commitment)),
      await client.subscribe('logsSubscribe', { mentions: [to] }, { commitment }),
    ];
  }
  const counts = async () =>
    Promise.all(
      kinds.flatMap((kind) => subscriptions[kind] ?? []).map(async (id) => (await client.results(id)).length),
    );
  await send(node, signed);
  expect(await counts()).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0]);
  node.warp({ slots: 1 });
  expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0]);
  node.warp({ slots: 29 });
  expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0]);
  node.warp({ slots: 1 });
  expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const [signature, account, logs] = await Promise.all(
    (subscriptions.finalized ?? []).map((id) => client.results(id)),
  );
  expect(signature?.[0].value).toEqual({ err: null });
  expect(account?.[0].value).toMatchObject({
    lamports: 1_000_000_000,
    data: ['', 'base64'],
    owner: SYSTEM_PROGRAM,
  });
  expect(logs?.[0].value).toEqual({
    signature: signed.signature,
    err: null,
    logs: expect.arrayContaining([`Program ${SYSTEM_PROGRAM} success`]),
  });
  client.socket.close();
});

test('the default commitment is finalized', async () => {
  const client = await Client.open();
  const id = await client.subscribe(
    'signatureSubscribe',
    await sendTransfer(node, payer, await freshAddress(), SOL),
  );
  node.warp({ slots: 30 });
  expect(await client.results(id)).toEqual([]);
  node.warp({ slots: 1 });
  expect(await client.results(id)).toHaveLength(1);
  client.socket.close();
});

test('a failed transaction is notified with its error, to signature and logs', async () => {
  const client = await Client.open();
  const to = await freshAddress();
  const signed = await sign(node, payer, [transfer(payer, to, 100_000n * SOL)]);
  const err = { InstructionError: [0, { Custom: 1 }] };
  const signature = await client.subscribe('signatureSubscribe', signed.signature, {
    commitment: 'processed',
  });
  const logs = await client.subscribe('logsSubscribe', 'all', { commitment: 'processed' });
  await send(node, signed, { skipPreflight: true });
  expect((await client.results(signature))[0].value).toEqual({ err });
  expect((await client.results(logs))[0].value).toMatchObject({ signature: signed.signature, err });
  client.socket.close();
});

test('a finished signature subscription is gone; foreign and unknown ones cannot be ended', async () => {
  const client = await Client.open();
  const gone = { code: -32602, message: 'Invalid subscription id.' };
  const signature = await sendTransfer(node, payer, await freshAddress(), SOL);
  const id = await client.subscribe('signatureSubscribe', signature, { commitment: 'processed' });
  await until(() => (client.received.length > 0 ? true : undefined));
  expect((await client.ask('signatureUnsubscribe', id)).error).toEqual(gone);
  const slot = await client.subscribe('slotSubscribe');
  const other = await Client.open();
  expect((await other.ask('slotUnsubscribe', slot)).error).toEqual(gone);
  expect((await client.ask('slotUnsubscribe', slot)).result).toBe(true);
  expect((await client.ask('slotUnsubscribe', slot)).error).toEqual(gone);
  // The method of another kind does as well (`rpc_pubsub.rs`, `unsubscribe`: the id alone decides).
  expect((await client.ask('rootUnsubscribe', await client.subscribe('slotSubscribe'))).result).toBe(true);
  node.warp({ slots: 1 });
  expect(await client.results(slot)).toEqual([]);
  client.socket.close();
  other.socket.close();
});

test('enableReceivedNotification notifies of a received signature', async () => {
  const client = await Client.open();
  const signed = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  const config = { commitment: 'confirmed', enableReceivedNotification: true };
  const id = await client.subscribe('signatureSubscribe', signed.signature, config);
  await send(node, signed);
  node.warp({ slots: 1 });
  expect((await client.results(id)).map(({ value }) => value)).toEqual(['receivedSignature', { err: null }]);
  client.socket.close();
});

test('bad subscriptions are -32602', async () => {
  const client = await Client.open();
  const to = await freshAddress();
  const bad: [string, ...unknown[]][] = [
    ['logsSubscribe', { mentions: [to, to] }],
    ['logsSubscribe', { mentions: [] }],
    ['logsSubscribe', 'some'],
    ['logsSubscribe'],
    ['accountSubscribe', 'x'],
    ['accountSubscribe', to, { commitment: 'soon' }],
    ['accountSubscribe', to, { encoding: 'hex' }],
    ['programSubscribe', to, { filters: Array(5).fill({ dataSize: 1 }) }],
    ['signatureSubscribe', 'abc'],
  ];
  for (const [method, ...params] of bad)
    expect((await client.ask(method, ...params)).error).toMatchObject({ code: -32602 });
  const message = async (method: string, ...params: unknown[]) =>
    (await client.ask(method, ...params)).error.message;
  expect(await message('accountSubscribe', 'x')).toBe('Invalid Request: Invalid pubkey provided');
  expect(await message('programSubscribe', 'x')).toBe('Invalid Request: Invalid pubkey provided');
  expect(await message('signatureSubscribe', 'x')).toBe('Invalid Request: Invalid signature provided');
  expect(await message('logsSubscribe', { mentions: ['x'] })).toBe(
    'Invalid Request: Invalid mentions provided',
  );
  expect(await message('logsSubscribe', { mentions: [to, to] })).toBe(
    'Invalid Request: Only 1 address supported',
  );
  // The error is put into another one as text, and so begins with the meaning of its code.
  expect(await message('programSubscribe', to, { filters: Array(5).fill({ dataSize: 1 }) })).toBe(
    'Invalid params: Too many filters provided; max 4',
  );
  client.socket.close();
});

test('cheats notify too; a closed account is notified with 0 lamports', async () => {
  const client = await Client.open();
  const address = await freshAddress();
  const mint = await makeMint(node, payer.address);
  const account = { lamports: 5n, owner: payer.address, data: Uint8Array.of(1), executable: false };
  const id = await client.subscribe('accountSubscribe', address, {
    commitment: 'processed',
    encoding: 'base64',
  });
  const mintId = await client.subscribe('accountSubscribe', mint, {
    commitment: 'processed',
    encoding: 'jsonParsed',
  });
  node.setAccount(address, account);
  node.setAccount(address, undefined);
  await node.setTokenBalance(payer.address, mint, 9n);
  const values = (await client.results(id)).map(({ value }) => [value.lamports, value.owner, value.data[0]]);
  expect(values).toEqual([
    [5, payer.address, 'AQ=='],
    [0, SYSTEM_PROGRAM, ''],
  ]);
  expect((await client.results(mintId))[0].value.data.parsed.info.supply).toBe('9');
  client.socket.close();
});

test('confirmed accounts: one notification a slot, with its last state', async () => {
  const client = await Client.open();
  const address = await freshAddress();
  const id = await client.subscribe('accountSubscribe', address, {
    commitment: 'confirmed',
    encoding: 'base64',
  });
  for (const lamports of [1n, 2n, 3n])
    node.setAccount(address, { lamports, owner: SYSTEM_PROGRAM, data: new Uint8Array(0), executable: false });
  node.warp({ slots: 5 });
  expect((await client.results(id)).map(({ value }) => value.lamports)).toEqual([3]);
  client.socket.close();
});

test('programSubscribe filters', async () => {
  const client = await Client.open();
  const owner = await freshAddress();
  const config = {
    commitment: 'processed',
    encoding: 'base64',
    filters: [{ memcmp: { offset: 0, bytes: '2' } }],
  };
  const id = await client.subscribe('programSubscribe', owner, config);
  const [matching, other] = [await freshAddress(), await freshAddress()];
  for (const [address, byte] of [
    [matching, 1],
    [other, 2],
  ] as const) {
    node.setAccount(address, { lamports: 5n, owner, data: Uint8Array.of(byte), executable: false });
  }
  expect((await client.results(id)).map(({ value }) => value.pubkey)).toEqual([matching]);
  client.socket.close();
});

test('data too long for base58 is notified as a text, since a notification cannot be refused', async () => {
  const client = await Client.open();
  const address = await freshAddress();
  const id = await client.subscribe('accountSubscribe', address, { commitment: 'processed' });
  node.setAccount(address, {
    lamports: 5n,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(129),
    executable: false,
  });
  expect((await client.results(id))[0].value.data).toBe('error: data too large for bs58 encoding');
  client.socket.close();
});

test('1,000 subscriptions on one socket all get notifications', async () => {
  const client = await Client.open();
  const address = await freshAddress();
  const ids = await Promise.all(
    Array.from({ length: 1_000 }, () =>
      client.subscribe('accountSubscribe', address, { commitment: 'processed', encoding: 'base64' }),
    ),
  );
  expect(new Set(ids).size).toBe(1_000);
  node.setAccount(address, {
    lamports: 5n,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(0),
    executable: false,
  });
  await client.results(0);
  expect(new Set(client.received.map(({ params }) => params.subscription))).toEqual(new Set(ids));
  client.socket.close();
});

test('a reader that stops reading is cut off, and other readers are not disturbed', async () => {
  const slow = await Client.open();
  const quick = await Client.open();
  const address = await freshAddress();
  const config = { commitment: 'processed', encoding: 'base64' };
  await slow.subscribe('accountSubscribe', address, config);
  const id = await quick.subscribe('accountSubscribe', address, config);
  slow.socket.pause();
  const rounds = 45;
  for (let i = 1; i <= rounds; i += 1) {
    node.setAccount(address, {
      lamports: BigInt(i),
      owner: SYSTEM_PROGRAM,
      data: new Uint8Array(1_000_000),
      executable: false,
    });
    await quick.results(id);
  }
  expect((await quick.results(id)).map(({ value }) => value.lamports)).toEqual(
    Array.from({ length: rounds }, (_, i) => i + 1),
  );
  slow.socket.resume();
  await until(() => (slow.socket.readyState === WebSocket.CLOSED ? true : undefined));
  expect(slow.received.length).toBeLessThan(rounds);
  quick.socket.close();
}, 180_000);

test('a caller that sends requests and does not read the responses is cut off as well', async () => {
  const slow = await Client.open();
  slow.socket.pause();
  // A response repeats the id, so each of these has almost a megabyte.
  const id = 'x'.repeat(1_000_000);
  await until(() => {
    slow.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'getVersion' }));
    return slow.socket.readyState === WebSocket.OPEN && slow.socket.bufferedAmount < 50_000_000
      ? undefined
      : true;
  });
  slow.socket.resume();
  await until(() => (slow.socket.readyState === WebSocket.CLOSED ? true : undefined));
  expect(await result(node, 'getHealth')).toBe('ok');
}, 180_000);

test('slotsUpdatesSubscribe reports the steps of slots (Agave `SlotUpdate`)', async () => {
  const client = await Client.open();
  const id = await client.subscribe('slotsUpdatesSubscribe');
  await sendTransfer(node, payer, await freshAddress(), SOL);
  const ended = await result(node, 'getSlot', { commitment: 'processed' });
  node.warp({ slots: 1 });
  const reported = await client.results(id);
  const slot = ended + 1;
  const timestamp = expect.any(Number);
  const stats = {
    maxTransactionsPerEntry: 1,
    numFailedTransactions: 0,
    numSuccessfulTransactions: 1,
    numTransactionEntries: 1,
  };
  expect(reported).toEqual([
    { slot: ended, timestamp, type: 'completed' },
    { slot: ended, stats, timestamp, type: 'frozen' },
    { slot: ended, timestamp, type: 'optimisticConfirmation' },
    { slot, timestamp, type: 'firstShredReceived' },
    { parent: ended, slot, timestamp, type: 'createdBank' },
    { slot: slot - 31, timestamp, type: 'root' },
  ]);
  expect(client.received[0].method).toBe('slotsUpdatesNotification');
  expect((await client.ask('slotsUpdatesUnsubscribe', id)).result).toBe(true);
  client.socket.close();
});

test('a transaction that only paid its fee is not notified to subscribers of logs', async () => {
  const client = await Client.open();
  const logs = await client.subscribe('logsSubscribe', 'all', { commitment: 'processed' });
  const missing = { programAddress: await freshAddress(), accounts: [] };
  const signed = await sign(node, payer, [missing]);
  const signature = await client.subscribe('signatureSubscribe', signed.signature, {
    commitment: 'processed',
  });
  await send(node, signed, { skipPreflight: true });
  expect((await client.results(signature))[0].value).toEqual({ err: 'ProgramAccountNotFound' });
  expect(await client.results(logs)).toEqual([]);
  client.socket.close();
});

test('the status of a signature is visible whenever its state is', async () => {
  const client = await Client.open();
  const to = await freshAddress();
  await client.subscribe('accountSubscribe', to, { commitment: 'processed', encoding: 'base64' });
  const signed = await sign(node, payer, [transfer(payer, to, SOL)]);
  const seen = new Promise<Json>((resolve) => {
    client.socket.on('message', () => {
      if (client.received.length > 0) resolve(result(node, 'getSignatureStatuses', [signed.signature]));
    });
  });
  await send(node, signed);
  expect((await seen).value[0]).toMatchObject({ err: null });
  client.socket.close();
});
