import type { Context } from '../../context.js';
import type { Db } from '../../db/client.js';
import { findKycKeys, type KycKey } from '../../db/kyc-keys.js';
import { deleteUnusedKycKeys, lockKycBefore, type SealedKyc, updateIdentity } from '../../db/users.js';
import { commandLine } from '../../domain/audit.js';
import type { UserId } from '../../domain/ids.js';
import type { Kyc } from '../../domain/kyc.js';
import { UnreadableKyc } from '../../kyc/kyc-seal.js';
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
  /** Users whose records cannot be read: they are as they were, and their data keys are kept. */
  unreadable: UserId[];
}

/**
 * Encrypts all KYC records by a new data key, wrapped by the key that the settings name now, and deletes the old data keys. A
 * part of the records at a time, while the service goes on; a call that was broken off is continued by the next one. Records
 * that cannot be read hold up no others.
 */
export async function rotateKycKey({
  db,
  clock,
  kyc,
}: Pick<Context, 'db' | 'clock' | 'kyc'>): Promise<RotatedKycKey> {
  await kyc.requireKeys(db);
  const [newest, ...older] = await findKycKeys(db);
  const begun = newest !== undefined && older.length > 0 && kyc.isCurrent(newest);
  const rest = begun ? await encryptAll({ db, kyc }, newest) : undefined;
  // A call that had ended leaves what cannot be read: with nothing else to do, this is another rotation.
  const resumed = rest !== undefined && (rest.records > 0 || rest.unreadable.length === 0);
  const key = begun && resumed ? newest : await db.transaction((tx) => kyc.makeKey(tx));
  const { records, unreadable } = resumed ? rest : await encryptAll({ db, kyc }, key);
  const change = { action: 'kyc.rotate' as const, objectId: String(key.id) };
  const after = { records, unreadable: unreadable.length };
  const at = new Date(clock.now());
  await db.transaction((tx) => recordChange(tx, commandLine, { ...change, after }, at));
  return { keyId: key.id, records, resumed, unreadable };
}

type Encrypted = Pick<RotatedKycKey, 'records' | 'unreadable'>;
type Sealing = { db: Db; kyc: Context['kyc'] };

/** Encrypts every record that can be read by a data key, and deletes the older data keys that encrypt nothing any more. */
async function encryptAll({ db, kyc }: Sealing, key: KycKey): Promise<Encrypted> {
  let { records, unreadable } = await encryptAgain({ db, kyc }, key);
  while ((await db.transaction((tx) => deleteUnusedKycKeys(tx, key.id))) > 0) {
    // A process that had just begun to register a user may still have used the key before.
    const late = await encryptAgain({ db, kyc }, key);
    unreadable = late.unreadable;
    if (late.records === 0) break;
    records += late.records;
  }
  return { records, unreadable };
}

async function encryptAgain({ db, kyc }: Sealing, key: KycKey): Promise<Encrypted> {
  let records = 0;
  const unreadable: UserId[] = [];
  for (let after: UserId | undefined; ; ) {
    const { encrypted, skipped, last } = await db.transaction(async (tx) => {
      const found = await lockKycBefore(tx, key.id, { after, limit: recordsAtOnce });
      const skipped: UserId[] = [];
      for (const one of found) {
        const record = await openIfReadable(kyc, one);
        if (record)
          await updateIdentity(
            tx,
            await kyc.sealWith(key, { id: one.userId, partnerId: one.partnerId }, record),
          );
        else skipped.push(one.userId);
      }
      return { encrypted: found.length - skipped.length, skipped, last: found.at(-1)?.userId };
    });
    records += encrypted;
    unreadable.push(...skipped);
    if (last === undefined) return { records, unreadable };
    after = last;
  }
}

/** Returns what a record holds; undefined for one that cannot be read. Throws when keys cannot be used. */
async function openIfReadable(kyc: Context['kyc'], sealed: SealedKyc): Promise<Kyc | undefined> {
  try {
    return await kyc.open(sealed);
  } catch (error) {
    if (error instanceof UnreadableKyc) return undefined;
    throw error;
  }
}
