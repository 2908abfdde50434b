import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
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

// Where a text is cited: jsonrpc-core 18 (`types/request.rs`, `types/error.rs`, `io.rs`), jsonrpc-derive 18
// (`to_delegate.rs`) and jsonrpc-http-server 18 (`handler.rs`, `response.rs`), which Agave's `rpc_service.rs` is built on.
const PARSE_ERROR = { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null };
const invalid = (id: unknown) => ({
  jsonrpc: '2.0',
  error: { code: -32600, message: 'Invalid request' },
  id,
});

test('broken JSON is -32700, a broken request -32600, both with status 200', async () => {
  const response = await post(node, '{"jsonrpc":');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual(PARSE_ERROR);
  expect(await json('{"jsonrpc":"1.0","id":1,"method":"getSlot"}')).toEqual(invalid(1));
  expect(await json('{"jsonrpc":"2.0","id":"a"}')).toEqual(invalid('a'));
  expect(await json('{}')).toEqual(invalid(null));
});

test('an empty batch gets an empty response (io.rs: outputs_as_batch)', async () => {
  const response = await post(node, '[]');
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('an unknown method is -32601', async () => {
  expect(await failure(node, 'getNothing')).toEqual({ code: -32601, message: 'Method not found' });
  expect(await failure(node, 'toString')).toMatchObject({ code: -32601 });
  expect(await failure(node, '__proto__')).toMatchObject({ code: -32601 });
});

test('a batch has its responses in order, without its notifications', async () => {
  const batch = [
    { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
    { jsonrpc: '2.0', method: 'getHealth' },
    { jsonrpc: '2.0', id: 7, method: 'getNothing' },
    { id: 8 },
  ];
  expect(await json(JSON.stringify(batch))).toEqual([
    { jsonrpc: '2.0', result: 'ok', id: 'a' },
    { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 7 },
    invalid(8),
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
  expect(await json(named)).toMatchObject({
    error: { code: -32602, message: '`params` should be an array' },
  });
  const text = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":"processed"}';
  expect(await json(text)).toEqual(invalid(1));
  expect(await failure(node, 'getBalance', 'x'.repeat(45))).toMatchObject({
    message: 'Invalid param: WrongSize',
  });
});

test('the wrong number of parameters has a text for each case (to_delegate.rs: params_with_trailing)', async () => {
  const message = async (method: string, ...params: unknown[]) =>
    (await failure(node, method, ...params)).message;
  const key = await freshAddress();
  expect(await message('getTokenAccountsByOwner', key)).toBe('`params` should have at least 2 argument(s)');
  expect(await failure(node, 'getBalance', key, {}, 1)).toEqual({
    code: -32602,
    message: 'Invalid parameters: Expected from 1 to 2 parameters.',
    data: '"Got: 3"',
  });
  expect(await message('getGenesisHash', 1)).toBe('Invalid parameters: No parameters were expected');
  // Where all of them are needed, they are read as one tuple.
  expect(await message('getBlockTime')).toBe('Invalid params: invalid length 0, expected a tuple of size 1.');
  expect(await message('getSlotLeaders', 1)).toBe(
    'Invalid params: invalid length 1, expected a tuple of size 2.',
  );
  expect(await message('getBlockTime', 1, 2)).toBe(
    'Invalid params: invalid length 2, expected fewer elements in array.',
  );
  const none = '{"jsonrpc":"2.0","id":1,"method":"getBlockTime"}';
  expect(await json(none)).toMatchObject({
    error: { message: 'Invalid params: invalid type: null, expected a tuple of size 1.' },
  });
});

test('values of the wrong kind are reported as serde reports them', async () => {
  const message = async (method: string, ...params: unknown[]) =>
    (await failure(node, method, ...params)).message;
  const key = await freshAddress();
  expect(await message('getBlockTime', -1)).toBe(
    'Invalid params: invalid value: integer `-1`, expected u64.',
  );
  expect(await message('getBlockTime', 1.5)).toBe(
    'Invalid params: invalid type: floating point `1.5`, expected u64.',
  );
  expect(await message('getAccountInfo', key, { encoding: 'hex' })).toBe(
    'Invalid params: unknown variant `hex`, expected one of `binary`, `base58`, `base64`, `jsonParsed`, `base64+zstd`.',
  );
  expect(await message('getAccountInfo', key, { dataSlice: { offset: 1 } })).toBe(
    'Invalid params: missing field `length`.',
  );
  expect(await message('sendTransaction', 'AAAA', { encoding: 'base64+zstd' })).toBe(
    'Invalid params: unknown variant `base64+zstd`, expected one of `binary`, `base64`, `base58`, `json`, `jsonParsed`.',
  );
  // Two shapes are allowed there, and serde does not say what each lacks.
  const either = 'Invalid params: data did not match any variant of untagged enum RpcEncodingConfigWrapper.';
  expect(await message('getBlock', 1, { encoding: 'hex' })).toBe(either);
  expect(await message('getTransaction', '1'.repeat(64), { commitment: 'soon' })).toBe(either);
});

test('browsers may call the node: CORS on responses and preflight requests', async () => {
  const preflight = await fetch(node.rpcUrl, {
    method: 'OPTIONS',
    headers: { origin: 'http://explorer.test' },
  });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toBe('*');
  const response = await post(node, '{"jsonrpc":"2.0","id":1,"method":"getHealth"}');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

test('bodies up to 1 MiB are read, larger ones are 413', async () => {
  const filler = (bytes: number) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth', params: ['x'.repeat(bytes)] });
  const overhead = filler(0).length;
  expect((await post(node, filler(1024 * 1024 - overhead))).status).toBe(200);
  expect((await post(node, filler(1024 * 1024 - overhead + 1))).status).toBe(413);
  const refused = await post(node, filler(2 * 1024 * 1024));
  expect([refused.status, await refused.text()]).toEqual([413, 'request body size exceeds allowed maximum']);
});

test('other HTTP methods and content types are refused, GET /health is ok', async () => {
  const got = await fetch(node.rpcUrl);
  expect([got.status, await got.text()]).toEqual([
    405,
    'Used HTTP Method is not allowed. POST or OPTIONS is required\n',
  ]);
  for (const type of ['text/plain', 'application/json-patch', 'application/json; charset=latin1']) {
    const refused = await post(node, '{}', { 'content-type': type });
    expect([refused.status, await refused.text()]).toEqual([
      415,
      'Supplied content type is not allowed. Content-Type: application/json is required\n',
    ]);
  }
  expect(await (await fetch(`${node.rpcUrl}/health`)).text()).toBe('ok');
});

test('a response ends with a new line', async () => {
  expect(await (await post(node, '{"jsonrpc":"2.0","id":1,"method":"getHealth"}')).text()).toBe(
    '{"jsonrpc":"2.0","result":"ok","id":1}\n',
  );
});

test('an interrupted request does no harm', async () => {
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

test('extra methods respond; what they throw unforeseen is -32603 without the detail', async () => {
  expect(await result(node, 'greet', 'you')).toBe('hello you');
  expect(await failure(node, 'break')).toEqual({ code: -32603, message: 'Internal error' });
});

test('methods of cheats are unknown on a node that has none', async () => {
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
  const { squeezed, squatter } = await squeeze();
  expect(squeezed.wsUrl).toBe(`ws://127.0.0.1:${squeezed.rpcPort}`);
  await squeezed.stop();
  squatter.close();
});

/** A node, and who has taken the port next to it. Below 32768, since above it the system gives ports to any process. */
async function squeeze() {
  for (;;) {
    const port = randomInt(20_000, 32_767);
    const squatter = createServer().listen(port + 1, '127.0.0.1');
    try {
      await once(squatter, 'listening');
      return { squeezed: await startNode({ rpcPort: port }), squatter };
    } catch (error) {
      squatter.close();
      if (!/EADDRINUSE/.test(String(error))) throw error;
    }
  }
}

test('the node reports its version, identity and rent', async () => {
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

test('a text that is no call keeps its id, and unreadable text spoils the whole, in batches too', async () => {
  for (const broken of [
    '{"jsonrpc":2.0,"id":1,"method":"getSlot"}',
    '{"jsonrpc":"2.1","id":1,"method":"getSlot"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":1,"method":"getSlot","extra":true}',
    '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":7}',
  ]) {
    expect(await json(broken)).toEqual(invalid(1));
    expect(await json(`[${broken}]`)).toEqual([invalid(1)]);
  }
  for (const unreadable of ['null', '7', '"getSlot"', '{"jsonrpc":"2.0","id":{},"method":"getSlot"}']) {
    expect(await json(unreadable)).toEqual(PARSE_ERROR);
    expect(await json(`[{"jsonrpc":"2.0","id":1,"method":"getSlot"},${unreadable}]`)).toEqual(PARSE_ERROR);
  }
});

test('a call that does not name its version is refused (error.rs: invalid_version)', async () => {
  expect(await json('{"id":3,"method":"getSlot"}')).toEqual({
    jsonrpc: '2.0',
    error: { code: -32600, message: 'Unsupported JSON-RPC protocol version' },
    id: 3,
  });
  expect(await (await post(node, '{"method":"getSlot"}')).text()).toBe('');
});

test('an id comes back as it was: whole number, text, null; others cannot be read', async () => {
  for (const id of [7, 0, 'abc', '', null])
    expect(await json(JSON.stringify({ jsonrpc: '2.0', id, method: 'getHealth' }))).toEqual({
      jsonrpc: '2.0',
      result: 'ok',
      id,
    });
  for (const id of [-1, 1.5, true, []])
    expect(await json(JSON.stringify({ jsonrpc: '2.0', id, method: 'getHealth' }))).toEqual(PARSE_ERROR);
});

test('a batch of notifications alone gets an empty body', async () => {
  const response = await post(node, '[{"jsonrpc":"2.0","method":"getHealth"}]');
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('bytes that are no UTF-8 are 400 with the place, JSON with a mark at its start is -32700', async () => {
  const send = (body: Uint8Array<ArrayBuffer>) =>
    fetch(node.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const [start, place] of [
    ['', 0],
    ['{"jsonrpc"', 10],
    ['{"tää', 7],
  ] as const) {
    const response = await send(Uint8Array.from([...Buffer.from(start), 0xff, 0x7b]));
    expect([response.status, await response.text()]).toEqual([
      400,
      `utf-8 encoding error at byte ${place} in request body`,
    ]);
  }
  expect(await (await send(Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).json()).toEqual(PARSE_ERROR);
});

test('a content type with a charset is taken', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
  const response = await post(node, body, { 'content-type': 'application/json; charset=utf-8' });
  expect(await response.json()).toMatchObject({ result: 'ok' });
});

test('rentEpoch is exactly u64 max in the text of a response', async () => {
  const address = 'SysvarC1ock11111111111111111111111111111111';
  const params = JSON.stringify([address, { encoding: 'base64' }]);
  const body = `{"jsonrpc":"2.0","id":1,"method":"getAccountInfo","params":${params}}`;
  expect(await (await post(node, body)).text()).toContain('"rentEpoch":18446744073709551615,');
});

test('methods that nodes themselves no longer have since 2.0 are -32601', async () => {
  for (const method of [
    'confirmTransaction',
    'getConfirmedBlock',
    'getConfirmedSignaturesForAddress2',
    'getConfirmedTransaction',
    'getFees',
    'getRecentBlockhash',
    'getSignatureStatus',
    'getSnapshotSlot',
    'getStakeActivation',
  ])
    expect(await failure(node, method)).toEqual({ code: -32601, message: 'Method not found' });
});

test('every method of Agave 3 has a response from one of the same name', async () => {
  // The traits Minimal, BankData, AccountsData, AccountsScan and Full in `rpc/src/rpc.rs`, by number of methods.
  const methods = [
    'getBalance getEpochInfo getGenesisHash getHealth getIdentity getSlot getBlockHeight getHighestSnapshotSlot getTransactionCount getVersion getVoteAccounts getLeaderSchedule',
    'getMinimumBalanceForRentExemption getInflationGovernor getInflationRate getEpochSchedule getSlotLeader getSlotLeaders getBlockProduction',
    'getAccountInfo getMultipleAccounts getBlockCommitment getTokenAccountBalance getTokenSupply',
    'getProgramAccounts getLargestAccounts getSupply getTokenLargestAccounts getTokenAccountsByOwner getTokenAccountsByDelegate',
    'getInflationReward getClusterNodes getRecentPerformanceSamples getSignatureStatuses getMaxRetransmitSlot getMaxShredInsertSlot requestAirdrop sendTransaction simulateTransaction minimumLedgerSlot getBlock getBlockTime getBlocks getBlocksWithLimit getTransaction getSignaturesForAddress getFirstAvailableBlock getLatestBlockhash isBlockhashValid getFeeForMessage getStakeMinimumDelegation getRecentPrioritizationFees',
  ].flatMap((trait) => trait.split(' '));
  expect(methods).toHaveLength(52);
  for (const method of methods) {
    const { error } = await call(node, method);
    expect([method, error?.code]).not.toEqual([method, -32601]);
    expect([method, error?.code]).not.toEqual([method, -32603]);
  }
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
