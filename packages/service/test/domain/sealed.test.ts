import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal } from '../../src/domain/sealed.js';

const key = createSecretKey(randomBytes(32));
const content = Buffer.from('Ayesha Khan');

test('a sealed text opens with the same key, about the same thing', () => {
  const sealed = seal(key, content, 'a');
  expect(Buffer.from(sealed).includes(content)).toBe(false);
  expect(unseal(key, sealed, 'a')).toEqual(content);
  expect(seal(key, content, 'a')).not.toEqual(sealed);
});

test('a sealed text opens with nothing else, and not after a change', () => {
  const sealed = seal(key, content, 'a');
  expect(unseal(key, sealed, 'b')).toBeUndefined();
  expect(unseal(createSecretKey(randomBytes(32)), sealed, 'a')).toBeUndefined();
  for (const [place, byte] of sealed.entries()) {
    const changed = Uint8Array.from(sealed);
    changed[place] = byte ^ 1;
    expect(unseal(key, changed, 'a')).toBeUndefined();
  }
  for (let length = 0; length < sealed.length; length += 1) {
    expect(unseal(key, sealed.subarray(0, length), 'a')).toBeUndefined();
  }
});
