import type { Address, SignatureBytes } from '@solana/kit';
import { expect, test } from 'vitest';
import { signEach } from '../src/each.js';

const address = '11111111111111111111111111111111' as Address;
const message = (number: number) => new Uint8Array([number]);

/** A backend whose signatures end when the test lets them. */
function held(lanes: number, withinMs: number) {
  const calls: { number: number; lane: number; end(): void; fail(error: Error): void }[] = [];
  const signer = signEach(
    {
      address,
      sign: (bytes, lane) =>
        new Promise((resolve, reject) => {
          const end = () => resolve(bytes as SignatureBytes);
          calls.push({ number: bytes[0] ?? 0, lane, end, fail: reject });
        }),
      close: async () => {},
    },
    lanes,
    withinMs,
  );
  const lanesOf = () => calls.map(({ number, lane }) => [number, lane]);
  return { calls, signer, lanesOf };
}

test('sign each: messages wait for a lane, and one that is slow or fails delays no other', async () => {
  const { calls, signer, lanesOf } = held(2, 60_000);
  const [slow, failing, ...rest] = [1, 2, 3, 4].map((number) => signer.sign(message(number)));
  expect(lanesOf()).toEqual([
    [1, 1],
    [2, 0],
  ]);
  calls[1]?.fail(new Error('gone'));
  await expect(failing).rejects.toThrow('gone');
  calls[2]?.end();
  expect(await rest[0]).toEqual(message(3));
  calls[3]?.end();
  expect(await rest[1]).toEqual(message(4));
  expect(lanesOf().slice(2)).toEqual([
    [3, 0],
    [4, 0],
  ]);
  calls[0]?.end();
  expect(await slow).toEqual(message(1));
  void signer.sign(message(5));
  expect(lanesOf()).toHaveLength(5);
});

test('sign each: a late signature is given up, its lane is free once it ends, and overdue messages are never signed', async () => {
  const { calls, signer, lanesOf } = held(1, 50);
  const late = [1, 2].map((number) => signer.sign(message(number)));
  for (const each of late) {
    await expect(each).rejects.toThrow('no response within 50 ms');
  }
  const working = signer.sign(message(3));
  expect(lanesOf()).toEqual([[1, 0]]);
  calls[0]?.end();
  // In the same turn of the loop, before any timer can give up what waits.
  await new Promise(process.nextTick);
  expect(lanesOf()).toEqual([
    [1, 0],
    [3, 0],
  ]);
  calls[1]?.end();
  expect(await working).toEqual(message(3));
});

test('sign each: a message whose caller gives up while it waits is never signed', async () => {
  const { calls, signer, lanesOf } = held(1, 60_000);
  const caller = new AbortController();
  const signing = signer.sign(message(1), caller.signal);
  const waiting = signer.sign(message(2), caller.signal);
  const others = signer.sign(message(3));
  caller.abort(new Error('gone'));
  for (const each of [signing, waiting, signer.sign(message(4), caller.signal)]) {
    await expect(each).rejects.toThrow('gone');
  }
  calls[0]?.end();
  await new Promise(process.nextTick);
  expect(lanesOf()).toEqual([
    [1, 0],
    [3, 0],
  ]);
  calls[1]?.end();
  expect(await others).toEqual(message(3));
});
