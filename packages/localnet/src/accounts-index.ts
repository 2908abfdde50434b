import type { AccountChange, AccountState } from './account.js';
import { decodeTokenAccount } from './token.js';

interface Known {
  owner: string;
  tokenOwner: string | undefined;
  mint: string | undefined;
}

function add(map: Map<string, Set<string>>, key: string, address: string): void {
  const set = map.get(key);
  if (set) set.add(address);
  else map.set(key, new Set([address]));
}

function remove(map: Map<string, Set<string>>, key: string, address: string): void {
  const set = map.get(key);
  set?.delete(address);
  if (set?.size === 0) map.delete(key);
}

/** Which accounts a program owns, and which token accounts an owner or a mint has; kept up to date by `apply`. */
export class AccountsIndex {
  readonly #known = new Map<string, Known>();
  readonly #byProgram = new Map<string, Set<string>>();
  readonly #byTokenOwner = new Map<string, Set<string>>();
  readonly #byMint = new Map<string, Set<string>>();

  /** Takes the new state of an account in. */
  apply(change: AccountChange): void {
    this.#forget(change.address);
    if (change.state) this.#learn(change.address, change.state);
  }

  /** Addresses of every account that was ever set and exists. */
  addresses(): Iterable<string> {
    return this.#known.keys();
  }

  ownedBy(program: string): Iterable<string> {
    return this.#byProgram.get(program) ?? [];
  }

  tokenAccountsOf(owner: string): Iterable<string> {
    return this.#byTokenOwner.get(owner) ?? [];
  }

  holdersOf(mint: string): Iterable<string> {
    return this.#byMint.get(mint) ?? [];
  }

  #learn(address: string, state: AccountState): void {
    const token = decodeTokenAccount(state);
    this.#known.set(address, { owner: state.owner, tokenOwner: token?.owner, mint: token?.mint });
    add(this.#byProgram, state.owner, address);
    if (token) {
      add(this.#byTokenOwner, token.owner, address);
      add(this.#byMint, token.mint, address);
    }
  }

  #forget(address: string): void {
    const known = this.#known.get(address);
    if (!known) return;
    this.#known.delete(address);
    remove(this.#byProgram, known.owner, address);
    if (known.tokenOwner !== undefined) remove(this.#byTokenOwner, known.tokenOwner, address);
    if (known.mint !== undefined) remove(this.#byMint, known.mint, address);
  }
}
