import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { WrappingKey } from '@karat/signer/wrapping-key';
import { SignerError } from '../chain/sign/signer.js';
import { ConfigError } from '../config.js';
import type { Db, Tx } from '../db/client.js';
import { findKycKeys, holdNewestKycKey, insertKycKey, type KycKey, lockKycKeys } from '../db/kyc-keys.js';
import type { SealedKyc, User, UserKyc } from '../db/users.js';
import type { UserId, Uuid } from '../domain/ids.js';
import type { Kyc } from '../domain/kyc.js';
import { blindTerms, termsOf } from '../domain/kyc-terms.js';
import { seal, sealKeyBytes, unseal } from '../domain/sealed.js';
import { unavailable } from '../errors.js';

/** A record is not what was stored for its user. */
export class UnreadableKyc extends Error {
  override name = 'UnreadableKyc';
}

/** The part of a KYC record that says who somebody is. */
type Identity = Pick<Kyc, 'fullName' | 'kycProvider' | 'kycData'>;

/** Whose record it is: a user of a partner. */
type KycOwner = Pick<User, 'id' | 'partnerId'>;

/** A data key, and the key that is made of it for what is searched for. */
interface DataKey {
  sealing: KeyObject;
  searching: KeyObject;
}

/**
 * Encrypts the identities in KYC records, and decrypts them. Records are encrypted by a data key of the database, which a
 * key outside of it wraps; so that key can be changed without a look at the records.
 */
export class KycSeal {
  readonly #wrappers: readonly WrappingKey[];
  /** Data keys by their ids: as many as were used since the start. */
  readonly #keys = new Map<string, Promise<DataKey>>();

  /** @param wrappers the first one wraps new data keys, all of them unwrap. */
  constructor(wrappers: readonly WrappingKey[]) {
    this.#wrappers = wrappers;
  }

  /** Returns a record as it is stored. Makes the first data key if there is none yet. */
  async seal(tx: Tx, user: KycOwner, kyc: Kyc): Promise<UserKyc> {
    const key = (await holdNewestKycKey(tx)) ?? (await this.#makeFirstKey(tx));
    return this.sealWith(key, user, kyc);
  }

  /** Returns a record as it is stored, encrypted by this data key. */
  async sealWith(key: KycKey, { id: userId, partnerId }: KycOwner, kyc: Kyc): Promise<UserKyc> {
    const { country, kycLevel, kycVerifiedAt, fullName, kycProvider, kycData } = kyc;
    const content = Buffer.from(JSON.stringify({ fullName, kycProvider, kycData } satisfies Identity));
    const { sealing, searching } = await this.#open(key);
    return {
      userId,
      country,
      kycLevel,
      kycVerifiedAt,
      keyId: key.id,
      identity: seal(sealing, content, aboutUser(userId)),
      searchTerms: blindTerms(searching, partnerId, termsOf({ fullName, kycData })),
    };
  }

  /** Returns what a stored record holds. Throws `UnreadableKyc` if it is not what was stored for this user. */
  async open({ userId, country, kycLevel, kycVerifiedAt, identity, key }: SealedKyc): Promise<Kyc> {
    const { sealing } = await this.#open(key);
    const content = unseal(sealing, identity, aboutUser(userId));
    if (!content) {
      throw new UnreadableKyc(
        `the KYC record of ${userId} is not what was stored for this user: its row was changed`,
      );
    }
    return { country, kycLevel, kycVerifiedAt, ...(JSON.parse(Buffer.from(content).toString()) as Identity) };
  }

  /** Returns what records with these terms have stored: a list for each partner under each of the data keys. */
  async blind(
    keys: readonly KycKey[],
    partnerIds: readonly Uuid[],
    terms: readonly string[],
  ): Promise<Uint8Array[][]> {
    const opened = await Promise.all(keys.map((key) => this.#open(key)));
    return opened.flatMap(({ searching }) => partnerIds.map((id) => blindTerms(searching, id, terms)));
  }

  /** Makes a data key, which is the newest from the commit on. Others who want to make one wait for the commit. */
  async makeKey(tx: Tx): Promise<KycKey> {
    await lockKycKeys(tx);
    return this.#addKey(tx);
  }

  /** Name of the key that wraps new data keys. */
  get name(): string {
    return this.#wrapper().name;
  }

  /** Returns whether a data key is wrapped by the key that wraps new ones. */
  isCurrent({ wrapper }: KycKey): boolean {
    return this.#wrappers[0]?.name === wrapper;
  }

  /** Throws a `ConfigError` unless this process can open all data keys of a database, and make one if it has none. */
  async requireKeys(db: Db): Promise<void> {
    const wrapper = this.#wrapper();
    try {
      const keys = await findKycKeys(db);
      for (const key of keys) await this.#unwrapOnce(key);
      if (keys.length === 0) await wrapper.wrap(randomBytes(sealKeyBytes), 'a trial');
    } catch (error) {
      if (!(error instanceof SignerError)) throw error;
      throw new ConfigError(`The key ${wrapper.name} of KYC data ${error.message}`);
    }
  }

  /** Another one may have come first. */
  async #makeFirstKey(tx: Tx): Promise<KycKey> {
    await lockKycKeys(tx);
    return (await holdNewestKycKey(tx)) ?? this.#addKey(tx);
  }

  async #addKey(tx: Tx): Promise<KycKey> {
    const wrapper = this.#wrapper();
    const [newest] = await findKycKeys(tx);
    const id = (newest?.id ?? 0) + 1;
    const wrapped = await inUse(wrapper.wrap(randomBytes(sealKeyBytes), aboutKey(id)));
    const key = { id, wrapper: wrapper.name, wrapped, createdAt: new Date() };
    await insertKycKey(tx, key);
    return key;
  }

  #wrapper(): WrappingKey {
    const [wrapper] = this.#wrappers;
    if (wrapper) return wrapper;
    throw new ConfigError('KARAT_KYC_KEY is not set: KYC data is encrypted with its key');
  }

  #open(key: KycKey): Promise<DataKey> {
    return inUse(this.#unwrapOnce(key));
  }

  #unwrapOnce(key: KycKey): Promise<DataKey> {
    // Not by its number: a transaction that made it may have failed.
    const id = Buffer.from(key.wrapped).toString('base64');
    const known = this.#keys.get(id);
    if (known) return known;
    const opened = this.#unwrap(key);
    this.#keys.set(id, opened);
    opened.catch(() => this.#keys.delete(id));
    return opened;
  }

  async #unwrap({ id, wrapper: name, wrapped }: KycKey): Promise<DataKey> {
    this.#wrapper();
    for (const wrapper of this.#wrappers.filter((one) => one.name === name)) {
      const key = await wrapper.unwrap(wrapped, aboutKey(id));
      if (key) return dataKeyOf(createSecretKey(key));
    }
    throw new ConfigError(
      `KARAT_KYC_KEY is not the key ${name}, with which KYC data in the database is encrypted: set that one, or name it as KARAT_OTHER_KYC_KEY`,
    );
  }
}

/** Keys that are kept elsewhere may be away for a while: only the start of a process fails then. */
async function inUse<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    if (!(cause instanceof SignerError)) throw cause;
    throw unavailable('The key of KYC data cannot be used at the moment; try again shortly.', { cause });
  }
}

function dataKeyOf(sealing: KeyObject): DataKey {
  const searching = hkdfSync('sha256', sealing, '', 'karat user_kyc.search_terms', sealKeyBytes);
  return { sealing, searching: createSecretKey(Buffer.from(searching)) };
}

const aboutKey = (id: number) => `karat kyc key ${id}`;
const aboutUser = (id: UserId) => `karat user_kyc.identity ${id}`;
