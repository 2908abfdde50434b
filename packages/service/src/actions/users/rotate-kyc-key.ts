import type { Context } from '../../context.js';
import type { Db } from '../../db/client.js';
import { findKycKeys, type KycKey } from '../../db/kyc-keys.js';
import { deleteUnusedKycKeys, lockKycBefore, updateIdentity } from '../../db/users.js';
import { commandLine } from '../../domain/audit.js';
import type { UserId } from '../../domain/ids.js';
import { recordChange } from '../audit.js';

/** Records that are locked at once, each for as long as it takes to encrypt all of them. */
const recordsAtOnce = 200;

export interface RotatedKycKey {
  /** The data key by which all records are encrypted now. */
  keyId: number;
  /** Records that this call encrypted again. */
  records: number;
  /** Whether it went on with what an earlier call had begun. */
  resumed: boolean;
}

/**
 * Encrypts all KYC records by a new data key, wrapped by the key that the settings name now, and deletes the old data keys. A
 * part of the records at a time, while the service goes on; a call that was broken off is continued by the next one.
 */
export async function rotateKycKey({
  db,
  clock,
  kyc,
}: Pick<Context, 'db' | 'clock' | 'kyc'>): Promise<RotatedKycKey> {
  await kyc.requireKeys(db);
  const [newest, ...older] = await findKycKeys(db);
  const resumed = newest !== undefined && older.length > 0 && kyc.isCurrent(newest);
  const key = resumed ? newest : await db.transaction((tx) => kyc.makeKey(tx));
  let records = 0;
  // A process that had just begun to register a user may still have used the key before.
  do records += await encryptAgain({ db, kyc }, key);
  while ((await db.transaction((tx) => deleteUnusedKycKeys(tx, key.id))) > 0);
  const change = { action: 'kyc.rotate', objectType: 'kyc_key', objectId: String(key.id) };
  const after = { records };
  const at = new Date(clock.now());
  await db.transaction((tx) => recordChange(tx, commandLine, { ...change, before: null, after }, at));
  return { keyId: key.id, records, resumed };
}

async function encryptAgain({ db, kyc }: { db: Db; kyc: Context['kyc'] }, key: KycKey): Promise<number> {
  let records = 0;
  for (let after: UserId | undefined; ; ) {
    const last = await db.transaction(async (tx) => {
      const found = await lockKycBefore(tx, key.id, { after, limit: recordsAtOnce });
      for (const one of found) {
        await updateIdentity(tx, await kyc.sealWith(key, one.userId, await kyc.open(one)));
      }
      records += found.length;
      return found.at(-1)?.userId;
    });
    if (last === undefined) return records;
    after = last;
  }
}
