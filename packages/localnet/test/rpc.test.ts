import { request } from 'node:http';
import { expect, test } from 'vitest';
import { call, failure, freshAddress, post, result, startNode } from './harness.js';

const node = await startNode({
  methods: {
    greet: (params) => `hello ${params[0]}`,
    break: () => {
      throw new Error('a secret detail');
    },
  },
});

async function json(body: string): Promise<unknown> {
  return await (await post(node, body)).json();
}

test('broken JSON is -32700, a broken request -32600, both with status 200', async () => {
  const response = await post(node, '{"jsonrpc":');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    error: { code: -32700, message: 'Parse error' },
    id: null,
  });
  const invalid = { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: null };
  expect(await json('{"jsonrpc":"1.0","id":1,"method":"getSlot"}')).toEqual(invalid);
  expect(await json('{"jsonrpc":"2.0","id":1}')).toEqual(invalid);
  expect(await json('"getSlot"')).toEqual(invalid);
  expect(await json('[]')).toEqual(invalid);
});

test('an unknown method is -32601', async () => {
  expect(await failure(node, 'getNothing')).toEqual({ code: -32601, message: 'Method not found' });
  expect(await failure(node, 'toString')).toMatchObject({ code: -32601 });
  expect(await failure(node, '__proto__')).toMatchObject({ code: -32601 });
});

test('a batch is answered in order, without its notifications', async () => {
  const batch = [
    { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
    { jsonrpc: '2.0', method: 'getHealth' },
    { jsonrpc: '2.0', id: 7, method: 'getNothing' },
    5,
  ];
  expect(await json(JSON.stringify(batch))).toEqual([
    { jsonrpc: '2.0', result: 'ok', id: 'a' },
    { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 7 },
    { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: null },
  ]);
});

test('a notification gets an empty body', async () => {
  const response = await post(node, '{"jsonrpc":"2.0","method":"getHealth"}');
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

test('parameters: missing, of a wrong type, named', async () => {
  expect(await failure(node, 'getBalance')).toEqual({
    code: -32602,
    message: '`params` should have at least 1 argument(s)',
  });
  expect(await failure(node, 'getBalance', 5)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('expected a string'),
  });
  expect(await failure(node, 'getBalance', 'abc')).toEqual({
    code: -32602,
    message: 'Invalid param: WrongSize',
  });
  expect(await failure(node, 'getBalance', '0OIl')).toEqual({
    code: -32602,
    message: 'Invalid param: Invalid',
  });
  expect(await failure(node, 'getSlot', { commitment: 'soon' })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('unknown variant `soon`'),
  });
  const named = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{"commitment":"processed"}}';
  expect(await json(named)).toMatchObject({ error: { code: -32602 } });
});

test('browsers may call it: CORS on answers and preflight requests', async () => {
  const preflight = await fetch(node.rpcUrl, {
    method: 'OPTIONS',
    headers: { origin: 'http://explorer.test' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toBe('*');
  const answer = await post(node, '{"jsonrpc":"2.0","id":1,"method":"getHealth"}');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
});

test('bodies up to 1 MiB are read, larger ones are 413', async () => {
  const filler = (bytes: number) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth', params: ['x'.repeat(bytes)] });
  const overhead = filler(0).length;
  expect((await post(node, filler(1024 * 1024 - overhead))).status).toBe(200);
  expect((await post(node, filler(1024 * 1024 - overhead + 1))).status).toBe(413);
  expect((await post(node, filler(2 * 1024 * 1024))).status).toBe(413);
});

test('other HTTP methods and content types are refused, GET /health is ok', async () => {
  expect((await fetch(node.rpcUrl)).status).toBe(405);
  expect((await post(node, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
  expect(await (await fetch(`${node.rpcUrl}/health`)).text()).toBe('ok');
});

test('an interrupted request harms nobody', async () => {
  await new Promise<void>((resolve) => {
    const broken = request(node.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 100 },
    });
    broken.on('error', () => resolve());
    broken.write('{"json', () => broken.destroy());
    broken.on('close', () => resolve());
  });
  expect(await result(node, 'getHealth')).toBe('ok');
});

test('extra methods are answered; what they throw unforeseen is -32603 without the detail', async () => {
  expect(await result(node, 'greet', 'you')).toBe('hello you');
  expect(await failure(node, 'break')).toEqual({ code: -32603, message: 'Internal error' });
});

test('without cheats their methods are unknown', async () => {
  const strict = await startNode({ cheats: false });
  for (const method of [
    'karat_warp',
    'karat_setAccount',
    'karat_setTokenBalance',
    'karat_injectFault',
    'karat_clearFaults',
  ]) {
    expect(await failure(strict, method, {})).toMatchObject({ code: -32601 });
  }
});

test('two nodes run side by side, and a taken port is refused', async () => {
  const other = await startNode();
  expect(other.rpcPort).not.toBe(node.rpcPort);
  expect(other.wsPort).toBe(other.rpcPort + 1);
  expect(await result(other, 'getGenesisHash')).not.toBe(await result(node, 'getGenesisHash'));
  await expect(startNode({ rpcPort: node.rpcPort })).rejects.toThrow('EADDRINUSE');
});

test('WebSocket stays on the RPC port when the next one is taken', async () => {
  const { createServer } = await import('node:net');
  const probe = await startNode();
  const port = probe.rpcPort;
  await probe.stop();
  const squatter = createServer().listen(port + 1, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  const squeezed = await startNode({ rpcPort: port });
  expect(squeezed.wsUrl).toBe(`ws://127.0.0.1:${port}`);
  await squeezed.stop();
  squatter.close();
});

test('who the node is', async () => {
  expect(await result(node, 'getVersion')).toEqual({
    'feature-set': expect.any(Number),
    'solana-core': expect.any(String),
  });
  expect(await result(node, 'getIdentity')).toEqual({
    identity: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/),
  });
  expect((await call(node, 'getMinimumBalanceForRentExemption', 165)).result).toBe(2_039_280);
  expect(await failure(node, 'getMinimumBalanceForRentExemption', -1)).toMatchObject({ code: -32602 });
  expect((await result(node, 'getBalance', await freshAddress())).context).toEqual({
    apiVersion: expect.any(String),
    slot: expect.any(Number),
  });
});

test('versions and shapes that are no JSON-RPC 2.0 are -32600, in batches too', async () => {
  const invalid = { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: null };
  for (const broken of [
    '{"id":1,"method":"getSlot"}',
    '{"jsonrpc":2.0,"id":1,"method":"getSlot"}',
    '{"jsonrpc":"2.1","id":1,"method":"getSlot"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":{},"method":"getSlot"}',
    'null',
    '7',
  ]) {
    expect(await json(broken)).toEqual(invalid);
    expect(await json(`[${broken}]`)).toEqual([invalid]);
  }
});

test('an id comes back as it was: number, text, null, 0', async () => {
  for (const id of [7, 0, -1, 1.5, 'abc', '', null])
    expect(await json(JSON.stringify({ jsonrpc: '2.0', id, method: 'getHealth' }))).toEqual({
      jsonrpc: '2.0',
      result: 'ok',
      id,
    });
});

test('a batch of notifications alone gets an empty body', async () => {
  const response = await post(node, '[{"jsonrpc":"2.0","method":"getHealth"}]');
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('bytes that are no UTF-8, and JSON with a mark at its start, are -32700', async () => {
  const response = await fetch(node.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Uint8Array.of(0xff, 0xfe, 0x7b),
  });
  expect(await response.json()).toMatchObject({ error: { code: -32700 } });
});

test('a content type with a charset is taken', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  const response = await post(node, body, { 'content-type': 'application/json; charset=utf-8' });
  expect(await response.json()).toMatchObject({ result: 'ok' });
});

test('rentEpoch is exactly u64 max in the text of an answer', async () => {
  const address = 'SysvarC1ock11111111111111111111111111111111';
  const params = JSON.stringify([address, { encoding: 'base64' }]);
  const body = `{"jsonrpc":"2.0","id":1,"method":"getAccountInfo","params":${params}}`;
  expect(await (await post(node, body)).text()).toContain('"rentEpoch":18446744073709551615,');
});

test('every method that a node has and this one leaves out is -32601', async () => {
  for (const method of [
    'getBlockCommitment',
    'getBlockProduction',
    'getLargestAccounts',
    'getStakeMinimumDelegation',
    'getMaxRetransmitSlot',
    'getMaxShredInsertSlot',
    // Gone from nodes themselves since 2.0.
    'getRecentBlockhash',
    'getConfirmedTransaction',
    'confirmTransaction',
  ])
    expect(await failure(node, method)).toEqual({ code: -32601, message: 'Method not found' });
});

test('getMinimumBalanceForRentExemption: 6,960 lamports a byte and 128 bytes over; more than 10 MiB is refused', async () => {
  expect(await result(node, 'getMinimumBalanceForRentExemption', 0)).toBe(890_880);
  expect(await result(node, 'getMinimumBalanceForRentExemption', 82)).toBe(1_461_600);
  expect(await result(node, 'getMinimumBalanceForRentExemption', 10 * 1024 * 1024)).toBe(
    (10 * 1024 * 1024 + 128) * 6_960,
  );
  expect(await failure(node, 'getMinimumBalanceForRentExemption', 10 * 1024 * 1024 + 1)).toMatchObject({
    code: -32600,
  });
});
