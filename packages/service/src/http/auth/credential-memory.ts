/**
 * How many credentials of a kind a process remembers: good ones, not to take them for guesses; and bad ones, which are looked up
 * and counted as guesses once.
 */
const maxCredentials = 10_000;

/** Credentials by their hashes, with what is known of whose the good ones are. */
export class CredentialMemory<Owner> {
  /** Those that were good when they were last used here. */
  readonly #good = new Map<string, Owner>();
  /** Those that do not exist or have ended: none is made from a given hash, and none is good again. */
  readonly #bad = new Set<string>();

  ownerOf(name: string): Owner | undefined {
    return this.#good.get(name);
  }

  isBad(name: string): boolean {
    return this.#bad.has(name);
  }

  remember(name: string, owner: Owner): void {
    if (this.#good.size >= maxCredentials) this.#good.clear();
    this.#good.set(name, owner);
  }

  forget(name: string): void {
    this.#good.delete(name);
  }

  rememberBad(name: string): void {
    if (this.#bad.size >= maxCredentials) this.#bad.clear();
    this.#bad.add(name);
  }
}
