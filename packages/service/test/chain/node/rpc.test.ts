import { getEventListeners } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectNodes } from '../../../src/chain/node/nodes.js';

let silent: Server;
let url: string;

beforeAll(async () => {
  silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});

afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a call without a response ends in time, with a signal of its caller and without, whatever is collected', async () => {
  const callMs = 500;
  const { rpc } = connectNodes([url], { times: { callMs, nextAfterMs: callMs } });
  const collecting = setInterval(collectGarbage, 50);
  const start = performance.now();
  try {
    const calls = [
      rpc.getSlot().send(),
      rpc.getBlockHeight().send({ abortSignal: new AbortController().signal }),
      rpc.getGenesisHash().send({ abortSignal: AbortSignal.any([new AbortController().signal]) }),
    ];
    const responses = await Promise.allSettled(calls);
    expect(responses.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  } finally {
    clearInterval(collecting);
  }
  expect(performance.now() - start).toBeGreaterThan(callMs - 100);
});

test('many calls at once may share the signal of their caller, and leave nothing at it', async () => {
  const caller = new AbortController();
  const warnings: string[] = [];
  const hear = ({ message }: Error) => void warnings.push(message);
  process.on('warning', hear);
  try {
    const { rpc } = connectNodes([url]);
    const calls = Array.from({ length: 40 }, (_, slot) =>
      rpc.getBlockTime(BigInt(slot)).send({ abortSignal: caller.signal }),
    );
    await setImmediate();
    expect(getEventListeners(caller.signal, 'abort').length).toBeGreaterThanOrEqual(40);
    caller.abort(new Error('given up'));
    const ends = await Promise.allSettled(calls);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', hear);
  }
});

test('a caller who gives up gets his own reason at once', async () => {
  const caller = new AbortController();
  const call = connectNodes([url]).rpc.getSlot().send({ abortSignal: caller.signal });
  setTimeout(() => caller.abort(new Error('given up')), 50);
  await expect(call).rejects.toThrow('given up');
  await expect(connectNodes([url]).rpc.getSlot().send({ abortSignal: caller.signal })).rejects.toThrow(
    'given up',
  );
});
