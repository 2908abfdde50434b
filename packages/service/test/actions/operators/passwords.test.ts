import sodium from 'sodium-native';
import { expect, test } from 'vitest';
import { hashPassword, isPassword, placeholderHash } from '../../../src/actions/people/passwords.js';

/** Whether argon2 reads a hash and would take another work for it: true also for what it does not read. */
function isOther(hash: string): boolean {
  const padded = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
  padded.write(hash, 'utf8');
  return sodium.crypto_pwhash_str_needs_rehash(padded, 2, 19 * 1024 * 1024);
}

/** What a hash says of the work that it takes, and how long its parts are. */
const shapeOf = (hash: string) => {
  const [, name, version, costs, salt = '', digest = ''] = hash.split('$');
  return { name, version, costs, salt: salt.length, digest: digest.length };
};

test('the placeholder hash for unknown accounts is readable by argon2, costs the same work, and matches no password', async () => {
  const made = await hashPassword('a password');
  expect(shapeOf(placeholderHash)).toEqual(shapeOf(made));
  expect([isOther(made), isOther(placeholderHash)]).toEqual([false, false]);
  expect(await isPassword(made, 'a password')).toBe(true);
  expect(await isPassword(placeholderHash, 'a password')).toBe(false);
});
