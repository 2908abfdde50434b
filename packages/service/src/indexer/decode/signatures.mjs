// In plain JavaScript, like the worker that imports it: a thread is started from a file, and this one is the same in the
// source and in what is built from it.
import sodium from 'sodium-native';

const keyBytes = 32;
const signatureBytes = 64;

/**
 * A transaction in wire format, and where in it its signatures, what they sign, and the keys of its signers begin.
 * @typedef {object} SignedMessage
 * @property {Buffer} bytes
 * @property {number} count Of signatures, and of signers.
 * @property {number} signaturesAt
 * @property {number} messageAt
 * @property {number} keysAt
 */

/**
 * Returns the place of the first signature that is not its signer's; undefined when all are. A node can withhold
 * transactions, but not invent one: each key that the message names as a signer has signed it.
 * @param {SignedMessage} signed
 * @returns {number | undefined}
 */
export function findInvalidSignature({ bytes, count, signaturesAt, messageAt, keysAt }) {
  const message = bytes.subarray(messageAt);
  for (let place = 0; place < count; place += 1) {
    const at = signaturesAt + place * signatureBytes;
    const key = keysAt + place * keyBytes;
    const isValid = sodium.crypto_sign_verify_detached(
      bytes.subarray(at, at + signatureBytes),
      message,
      bytes.subarray(key, key + keyBytes),
    );
    if (!isValid) return place;
  }
  return undefined;
}

/** Numbers of a transaction in the table of a job: its end in the bytes of all, and the other fields of `SignedMessage`. */
const tableFields = 5;

/**
 * What is sent to a worker: transactions one behind the other, and a table with `tableFields` numbers for each.
 * @typedef {{ id: number, bytes: Uint8Array<ArrayBuffer>, table: Int32Array<ArrayBuffer> }} Job
 */

/**
 * Returns transactions as a job.
 * @param {number} id
 * @param {readonly SignedMessage[]} signed
 * @returns {Job}
 */
export function packJob(id, signed) {
  const bytes = new Uint8Array(signed.reduce((sum, each) => sum + each.bytes.length, 0));
  const table = new Int32Array(signed.length * tableFields);
  let end = 0;
  for (const [index, each] of signed.entries()) {
    bytes.set(each.bytes, end);
    end += each.bytes.length;
    table.set([end, each.count, each.signaturesAt, each.messageAt, each.keysAt], index * tableFields);
  }
  return { id, bytes, table };
}

/**
 * Returns what `findInvalidSignature` finds in each transaction of a job; -1 where it finds none.
 * @param {Job} job
 * @returns {Int16Array<ArrayBuffer>}
 */
export function verifyJob({ bytes, table }) {
  const invalid = new Int16Array(table.length / tableFields);
  let start = 0;
  for (let index = 0; index < invalid.length; index += 1) {
    const [end = 0, count = 0, signaturesAt = 0, messageAt = 0, keysAt = 0] = table.subarray(
      index * tableFields,
    );
    const own = Buffer.from(bytes.buffer, start, end - start);
    invalid[index] = findInvalidSignature({ bytes: own, count, signaturesAt, messageAt, keysAt }) ?? -1;
    start = end;
  }
  return invalid;
}
