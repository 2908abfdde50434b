import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rpcTimeoutMs } from '../../src/chain/node.js';
import { connectNodes } from '../../src/chain/nodes.js';

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

test('a call that gets no answer ends in time, with a signal of its caller and without, whatever is collected', async () => {
  const { rpc } = connectNodes([url]);
  const collecting = setInterval(collectGarbage, 100);
  const start = performance.now();
  try {
    const calls = [
      rpc.getSlot().send(),
      rpc.getBlockHeight().send({ abortSignal: new AbortController().signal }),
      rpc.getGenesisHash().send({ abortSignal: AbortSignal.any([new AbortController().signal]) }),
    ];
    const answers = await Promise.allSettled(calls);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  } finally {
    clearInterval(collecting);
  }
  expect(performance.now() - start).toBeGreaterThan(rpcTimeoutMs - 100);
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
