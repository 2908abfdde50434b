import { PolicyRefusal } from '@karat/signer';
import type { Address, SignatureBytes } from '@solana/kit';
import { expect, test } from 'vitest';
import { coalesce } from '../../../src/chain/sign/coalesce.js';

const address = '11111111111111111111111111111111' as Address;

/** A backend whose batches end when the test lets them. */
function held() {
  const batches: {
    messages: readonly Uint8Array[];
    end(signed: (Uint8Array | Error)[]): void;
    fail(error: Error): void;
    signal: AbortSignal;
  }[] = [];
  const signer = coalesce(
    {
      address,
      signBatch: (messages, signal) =>
        new Promise((resolve, reject) => {
          const end = (signed: (Uint8Array | Error)[]) => resolve(signed as SignatureBytes[]);
          batches.push({ messages, end, fail: reject, signal });
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      close: async () => {},
    },
    500,
  );
  return { batches, signer };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const message = (number: number) => new Uint8Array([number]);

test('coalesce: messages of one turn of the event loop, or meanwhile, go out together and in order', async () => {
  const { batches, signer } = held();
  const first = [1, 2, 3].map((number) => signer.sign(message(number)));
  await turn();
  const second = signer.sign(message(4));
  await turn();
  // Two batches are under way; what comes now waits for one of them.
  const third = [5, 6].map((number) => signer.sign(message(number)));
  await turn();
  expect(batches.map(({ messages }) => messages.length)).toEqual([3, 1]);
  batches[0]?.end([1, 2, 3].map(message));
  expect(await Promise.all(first)).toEqual([1, 2, 3].map(message));
  await turn();
  expect(batches[2]?.messages).toEqual([5, 6].map(message));
  batches[2]?.end([5, 6].map(message));
  batches[1]?.end([message(4)]);
  expect(await Promise.all([second, ...third])).toEqual([4, 5, 6].map(message));
});

test('coalesce: a refused message does not take the others with it', async () => {
  const { batches, signer } = held();
  const all = Promise.allSettled([1, 2, 3].map((number) => signer.sign(message(number))));
  await turn();
  const refusal = new PolicyRefusal('rate', 'too many');
  batches[0]?.end([message(1), refusal, new Error('broken')]);
  expect(await all).toEqual([
    { status: 'fulfilled', value: message(1) },
    { status: 'rejected', reason: refusal },
    { status: 'rejected', reason: expect.objectContaining({ code: 'service_unavailable' }) },
  ]);
});

test('coalesce: a backend that fails gives service_unavailable, one that hangs is aborted, and both are called again', async () => {
  const { batches, signer } = held();
  const failing = signer.sign(message(1)).catch(({ code, cause }) => [code, cause.message]);
  await turn();
  batches[0]?.fail(new Error('gone'));
  expect(await failing).toEqual(['service_unavailable', 'gone']);
  const hanging = signer.sign(message(2)).catch(({ code, cause }) => [code, cause.message]);
  expect(await hanging).toEqual(['service_unavailable', 'no response within 500 ms']);
  expect(batches.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  const working = signer.sign(message(3));
  await turn();
  batches.at(-1)?.end([message(3)]);
  expect(await working).toEqual(message(3));
});
