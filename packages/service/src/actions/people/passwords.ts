import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import sodium from 'sodium-native';
import { maxPasswordLength, minPasswordLength } from '../../domain/person.js';
import { invalidField } from '../../errors.js';
import { atMost } from '../../runtime/limit.js';

/** Minimum costs of argon2id by OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const passes = 2;
const memoryBytes = 19 * 1024 * 1024;

/**
 * Half of the threads that Node.js has for such work: strangers who send passwords leave the others to look-ups of hosts, which
 * calls of the Solana node wait for, and to files.
 */
const inTurn = atMost(2);

/** Returns the argon2id hash of a password in its own text form, salt and costs included. */
export async function hashPassword(password: string): Promise<string> {
  const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
  const make = promisify(sodium.crypto_pwhash_str_async);
  await inTurn(() => make(hash, Buffer.from(password), passes, memoryBytes));
  return hash.toString('utf8').replace(/\0+$/, '');
}

/** Returns whether a password is the one of a hash. Takes as long for a wrong one, and runs off the main thread. */
export async function isPassword(hash: string, password: string): Promise<boolean> {
  const padded = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
  padded.write(hash, 'utf8');
  const verify = promisify(sodium.crypto_pwhash_str_verify_async);
  return inTurn(() => verify(padded, Buffer.from(password)));
}

/**
 * A hash that no password has: checked in place of an account that is not there, so that both take the same time. Chance
 * in the form of a hash, because making one would take the first to need it twice as long.
 */
export const placeholderHash = [
  '$argon2id$v=19',
  `m=${memoryBytes / 1024},t=${passes},p=1`,
  randomText(sodium.crypto_pwhash_SALTBYTES),
  randomText(32),
].join('$');

/** Returns random bytes as argon2's text form has them: base64 without padding. */
function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '');
}

/** Reads a password as it may be set. Throws `invalid_request` for one that is too short or too long. */
export function readPassword(password: string, field = 'password'): string {
  const { length } = [...password];
  if (length >= minPasswordLength && length <= maxPasswordLength) return password;
  throw invalidField(field, `${field} must have ${minPasswordLength} to ${maxPasswordLength} characters.`);
}
