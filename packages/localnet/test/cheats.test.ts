import { expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import {
  cpuMs,
  failure,
  freshAddress,
  fundedSigner,
  makeMint,
  post,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sendTransfer,
  sign,
  startNode,
  transfer,
} from './harness.js';

const node = await startNode();

test('karat_setAccount writes, overwrites and deletes an account', async () => {
  const address = await freshAddress();
  const account = {
    lamports: '18446744073709551615',
    owner: SYSTEM_PROGRAM,
    data: 'AQID',
    executable: false,
  };
  expect(await result(node, 'karat_setAccount', address, account)).toBeNull();
  expect(node.getAccount(address)).toEqual({
    lamports: 18446744073709551615n,
    owner: SYSTEM_PROGRAM,
    data: Uint8Array.of(1, 2, 3),
    executable: false,
  });
  await result(node, 'karat_setAccount', address, { ...account, lamports: '0' });
  expect((await result(node, 'getAccountInfo', address)).value).toBeNull();
});

test('karat_setAccount refuses bad input and writes nothing', async () => {
  const address = await freshAddress();
  const account = { lamports: '5', owner: SYSTEM_PROGRAM, data: '', executable: false };
  const bad = [
    undefined,
    null,
    [],
    { ...account, lamports: 5 },
    { ...account, lamports: '-1' },
    { ...account, lamports: '1.5' },
    { ...account, lamports: '18446744073709551616' },
    { ...account, owner: 'nobody' },
    { ...account, data: 'AQI' },
    { ...account, data: '****' },
    { ...account, executable: 'yes' },
  ];
  for (const value of bad)
    expect(await failure(node, 'karat_setAccount', address, value)).toMatchObject({ code: -32602 });
  expect(await failure(node, 'karat_setAccount', 'nobody', account)).toMatchObject({ code: -32602 });
  expect(node.getAccount(address)).toBeUndefined();
});

test('karat_setTokenBalance sets the balance and moves the supply with it', async () => {
  const owner = await freshAddress();
  const mint = await makeMint(node, owner);
  const supply = async () => (await result(node, 'getTokenSupply', mint)).value.amount;
  const account = await result(node, 'karat_setTokenBalance', owner, mint, '1000');
  const balance = async () => (await result(node, 'getTokenAccountBalance', account)).value.amount;
  expect([await balance(), await supply()]).toEqual(['1000', '1000']);
  await result(node, 'karat_setTokenBalance', await freshAddress(), mint, '50');
  await result(node, 'karat_setTokenBalance', owner, mint, '300');
  expect([await balance(), await supply()]).toEqual(['300', '350']);
  await result(node, 'karat_setTokenBalance', owner, mint, '0');
  expect([await balance(), await supply()]).toEqual(['0', '50']);
  const { findAssociatedTokenPda } = await import('@solana-program/token');
  const { address } = await import('@solana/kit');
  const [expected] = await findAssociatedTokenPda({
    owner,
    mint,
    tokenProgram: address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  });
  expect(account).toBe(expected);
});

test('karat_setTokenBalance refuses an unknown mint, an overflow and bad amounts', async () => {
  const owner = await freshAddress();
  const mint = await makeMint(node, owner);
  expect(await failure(node, 'karat_setTokenBalance', owner, await freshAddress(), '1')).toEqual({
    code: -32602,
    message: 'Invalid param: could not find mint',
  });
  for (const amount of [1, '-1', '1.0', '', '18446744073709551616', null]) {
    expect(await failure(node, 'karat_setTokenBalance', owner, mint, amount)).toMatchObject({ code: -32602 });
  }
  await result(node, 'karat_setTokenBalance', owner, mint, '18446744073709551615');
  expect(await failure(node, 'karat_setTokenBalance', await freshAddress(), mint, '1')).toMatchObject({
    code: -32602,
    message: expect.stringContaining('supply'),
  });
});

test('wrapped SOL: the lamports move with the balance', async () => {
  const account = await node.setTokenBalance(
    await freshAddress(),
    'So11111111111111111111111111111111111111112',
    SOL,
  );
  expect(node.getAccount(account)?.lamports).toBe(1_002_039_280n);
});

test('karat_warp by seconds moves slots and clock together, and blockhashes expire', async () => {
  const payer = await fundedSigner(node);
  const stale = await sign(node, payer, [transfer(payer, await freshAddress(), SOL)]);
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  const time = await result(node, 'getBlockTime', slot);
  const clock = node.nowUnixSeconds();
  const warps: unknown[] = [];
  const stop = node.onWarp((warp) => warps.push(warp));
  const warped = await result(node, 'karat_warp', { seconds: 61 });
  stop();
  expect(warps).toEqual([{ slots: 153, milliseconds: 61_000 }]);
  // 61 s are 152.5 slots of 400 ms, rounded up; some may have passed by themselves.
  expect(warped.slot - slot).toBeGreaterThanOrEqual(153);
  expect(warped.slot - slot).toBeLessThan(250);
  expect((await result(node, 'getBlockTime', warped.slot)) - time).toBeGreaterThanOrEqual(60);
  expect(node.nowUnixSeconds() - clock).toBeGreaterThanOrEqual(61);
  expect(node.nowUnixSeconds() - clock).toBeLessThan(100);
  expect((await send(node, stale)).error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
  const signature = await sendTransfer(node, payer, await freshAddress(), SOL);
  expect(signature).toEqual(expect.any(String));
});

test('a paused node makes no slots but those of a warp, until it is resumed', async () => {
  const slotNow = () => result(node, 'getSlot', { commitment: 'processed' });
  node.pause();
  const slot = await slotNow();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await slotNow()).toBe(slot);
  await result(node, 'karat_warp', { slots: 7 });
  expect(await slotNow()).toBe(slot + 7);
  node.resume();
  while ((await slotNow()) === slot + 7) await new Promise(setImmediate);
});

test('karat_warp by slots moves the clock by 400 ms each; times in between grow evenly', async () => {
  // Without slots of its own, the halves of the warp are alike however long it was waited for.
  node.pause();
  onTestFinished(() => node.resume());
  const [begunMs, clock] = [Date.now(), node.nowUnixMs()];
  const before = await result(node, 'getSlot', { commitment: 'processed' });
  const { slot } = await result(node, 'karat_warp', { slots: 1_000 });
  expect(slot - before).toBe(1_000);
  expect(node.nowUnixMs() - clock).toBeGreaterThanOrEqual(400_000);
  expect(node.nowUnixMs() - clock).toBeLessThanOrEqual(400_000 + Date.now() - begunMs);
  const times = await Promise.all([before, before + 500, slot].map((at) => result(node, 'getBlockTime', at)));
  const halves = [times[1] - times[0], times[2] - times[1]];
  expect(Math.min(...halves)).toBeGreaterThanOrEqual(198);
  expect(Math.max(...halves) - Math.min(...halves)).toBeLessThanOrEqual(2);
});

test('a warp of a year is quick and leaves a working chain', async () => {
  const year = await startNode();
  const warp = () => result(year, 'karat_warp', { seconds: 365 * 86_400 });
  expect(await cpuMs(warp)).toBeLessThan(2_000);
  await sendTransfer(year, await fundedSigner(year), await freshAddress(), SOL);
  expect(await failure(year, 'getBlock', 100)).toMatchObject({
    code: -32001,
    message: expect.stringMatching(
      /^Block 100 cleaned up, does not exist on node\. First available block: \d+$/,
    ),
  });
});

test('karat_warp refuses bad input', async () => {
  const bad = [undefined, {}, { slots: -1 }, { seconds: 1.5 }, { slots: '5' }, { seconds: 1e12 }];
  for (const value of bad) expect(await failure(node, 'karat_warp', value)).toMatchObject({ code: -32602 });
});

test('karat_injectFault: an error comes a number of times, then all is well', async () => {
  await result(node, 'karat_injectFault', { method: 'getHealth', mode: 'error', times: 2 });
  expect(await failure(node, 'getHealth')).toEqual({ code: -32005, message: 'Injected fault' });
  // Calls inside a batch count alike.
  const batch = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'getHealth' }));
  const responses = (await (await post(node, JSON.stringify(batch))).json()) as {
    error?: unknown;
    result?: unknown;
  }[];
  expect(responses.map((response) => response.error ?? response.result)).toEqual([
    { code: -32005, message: 'Injected fault' },
    'ok',
    'ok',
  ]);
  await result(node, 'karat_injectFault', {
    method: 'getHealth',
    mode: 'error',
    times: 1,
    code: -32003,
    message: 'no luck',
  });
  expect(await failure(node, 'getHealth')).toEqual({ code: -32003, message: 'no luck' });
});

test('karat_injectFault: hang never responds, close drops the connection, karat_clearFaults ends it', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth', params: [] });
  await result(node, 'karat_injectFault', { method: 'getHealth', mode: 'hang', times: 5 });
  const hung = fetch(node.rpcUrl, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(300),
  });
  await expect(hung).rejects.toThrow('timeout');
  await result(node, 'karat_injectFault', { method: 'getHealth', mode: 'close', times: 5 });
  await expect(post(node, body)).rejects.toThrow('fetch failed');
  await result(node, 'karat_clearFaults');
  expect(await result(node, 'getHealth')).toBe('ok');
});

test('karat_injectFault about a text meets only calls that contain it', async () => {
  const [one, other] = [await freshAddress(), await freshAddress()];
  await result(node, 'karat_injectFault', { method: 'getBalance', mode: 'error', times: 1, about: one });
  expect(await result(node, 'getBalance', other)).toMatchObject({ value: 0 });
  await result(node, 'getHealth');
  expect(await failure(node, 'getBalance', one)).toMatchObject({ code: -32005 });
  expect(await result(node, 'getBalance', one)).toMatchObject({ value: 0 });
});

test('karat_injectFault counts calls over WebSocket', async () => {
  const socket = new WebSocket(node.wsUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const ask = async () => {
    socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}');
    return await new Promise((resolve) =>
      socket.once('message', (text) => resolve(JSON.parse(text.toString()))),
    );
  };
  await result(node, 'karat_injectFault', { method: 'slotSubscribe', mode: 'error', times: 1 });
  expect(await ask()).toMatchObject({ error: { code: -32005 } });
  expect(await ask()).toMatchObject({ result: expect.any(Number) });
  await result(node, 'karat_injectFault', { method: 'slotUnsubscribe', mode: 'close', times: 1 });
  socket.send('{"jsonrpc":"2.0","id":1,"method":"slotUnsubscribe","params":[1]}');
  await new Promise((resolve) => socket.once('close', resolve));
});

test('karat_injectFault refuses bad input', async () => {
  const fault = { method: 'getHealth', mode: 'error', times: 1 };
  const bad = [
    undefined,
    { ...fault, method: 5 },
    { ...fault, mode: 'explode' },
    { ...fault, mode: undefined },
    { ...fault, times: 0 },
    { ...fault, code: 'x' },
    { ...fault, message: 5 },
    { ...fault, about: 5 },
  ];
  for (const value of bad)
    expect(await failure(node, 'karat_injectFault', value)).toMatchObject({ code: -32602 });
  expect(await result(node, 'getHealth')).toBe('ok');
});
