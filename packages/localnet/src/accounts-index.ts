import type { AccountChange, AccountState } from './account.js';
import { requireAddressBytes } from './address-bytes.js';
import { decodeTokenAccount, isTokenProgram } from './token.js';

interface Known {
  owner: string;
  lamports: bigint;
  bytes: number;
  /** Undefined: too large to be kept. */
  state: AccountState | undefined;
  tokenOwner: string | undefined;
  mint: string | undefined;
  delegate: string | undefined;
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

/** Up to this size an account's state is kept in memory; larger ones are read from the VM. */
const KEPT_BYTES_MAX = 1_024;

/**
 * Which accounts a program owns, and which token accounts an owner, a mint or a delegate has; kept up to date by `apply`.
 * Small accounts are kept whole, since taking thousands of them out of the VM takes longer than everything else.
 */
export class AccountsIndex {
  readonly #find: (address: string) => AccountState | undefined;
  readonly #known = new Map<string, Known>();
  readonly #byProgram = new Map<string, Set<string>>();
  readonly #otherByProgram = new Map<string, Set<string>>();
  readonly #byTokenOwner = new Map<string, Set<string>>();
  readonly #byMint = new Map<string, Set<string>>();
  readonly #byDelegate = new Map<string, Set<string>>();
  #lamports = 0n;

  /** `find` gives the state of an account that is too large to be kept. */
  constructor(find: (address: string) => AccountState | undefined) {
    this.#find = find;
  }

  /** Takes the new state of an account in. */
  apply(change: AccountChange): void {
    this.#forget(change.address);
    if (change.state) this.#learn(change.address, change.state);
  }

  /** Returns lamports of all accounts together. */
  get lamports(): bigint {
    return this.#lamports;
  }

  /** Returns the accounts with the most lamports, the largest first; of equal ones the larger address first. */
  largest(count: number): { address: string; lamports: bigint }[] {
    let found: { address: string; lamports: bigint }[] = [];
    // What an account must have to be among those found up to the last time they were sorted.
    let least = 0n;
    const sort = () => {
      found.sort((one, other) => {
        if (one.lamports !== other.lamports) return one.lamports < other.lamports ? 1 : -1;
        return Buffer.compare(requireAddressBytes(other.address), requireAddressBytes(one.address));
      });
      found = found.slice(0, count);
      least = found.length < count ? 0n : (found.at(-1)?.lamports ?? 0n);
    };
    for (const [address, { lamports }] of this.#known) {
      if (lamports < least) continue;
      found.push({ address, lamports });
      if (found.length >= 2 * count) sort();
    }
    sort();
    return found;
  }

  /** Returns the state of an account that the index knows. */
  stateOf(address: string): AccountState | undefined {
    const known = this.#known.get(address);
    return known && (known.state ?? this.#find(address));
  }

  /** Returns every account with its state. */
  *states(): Iterable<[address: string, state: AccountState | undefined]> {
    for (const address of this.#known.keys()) yield [address, this.stateOf(address)];
  }

  /** Length of the data of an account that the index knows. */
  bytesOf(address: string): number | undefined {
    return this.#known.get(address)?.bytes;
  }

  ownedBy(program: string): Iterable<string> {
    return this.#byProgram.get(program) ?? [];
  }

  /** Accounts of a token program that are no initialized token accounts: mints, multisigs, empty ones. */
  otherThanTokenAccounts(program: string): Iterable<string> {
    return this.#otherByProgram.get(program) ?? [];
  }

  tokenAccountsOf(owner: string): Iterable<string> {
    return this.#byTokenOwner.get(owner) ?? [];
  }

  holdersOf(mint: string): Iterable<string> {
    return this.#byMint.get(mint) ?? [];
  }

  delegatedTo(delegate: string): Iterable<string> {
    return this.#byDelegate.get(delegate) ?? [];
  }

  #learn(address: string, state: AccountState): void {
    const token = decodeTokenAccount(state);
    this.#known.set(address, {
      owner: state.owner,
      lamports: state.lamports,
      bytes: state.data.length,
      state: state.data.length > KEPT_BYTES_MAX ? undefined : state,
      tokenOwner: token?.owner,
      mint: token?.mint,
      delegate: token?.delegate,
    });
    this.#lamports += state.lamports;
    add(this.#byProgram, state.owner, address);
    if (!token && isTokenProgram(state.owner)) add(this.#otherByProgram, state.owner, address);
    if (token) {
      add(this.#byTokenOwner, token.owner, address);
      add(this.#byMint, token.mint, address);
      if (token.delegate !== undefined) add(this.#byDelegate, token.delegate, address);
    }
  }

  #forget(address: string): void {
    const known = this.#known.get(address);
    if (!known) return;
    this.#known.delete(address);
    this.#lamports -= known.lamports;
    remove(this.#byProgram, known.owner, address);
    remove(this.#otherByProgram, known.owner, address);
    if (known.tokenOwner !== undefined) remove(this.#byTokenOwner, known.tokenOwner, address);
    if (known.mint !== undefined) remove(this.#byMint, known.mint, address);
    if (known.delegate !== undefined) remove(this.#byDelegate, known.delegate, address);
  }
}
