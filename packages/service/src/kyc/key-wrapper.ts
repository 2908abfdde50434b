/** A key that encrypts other keys and never leaves its place. */
export interface KeyWrapper {
  /** Stored with what it wrapped, and says nothing of the key. */
  readonly name: string;
  /** Encrypts a data key; only the same `about` opens it. Throws a `SignerError` while the key cannot be used. */
  wrap(key: Uint8Array, about: string): Promise<Uint8Array>;
  /** Returns a data key; undefined if this key did not wrap it so. Throws a `SignerError` while the key cannot be used. */
  unwrap(wrapped: Uint8Array, about: string): Promise<Uint8Array | undefined>;
}
