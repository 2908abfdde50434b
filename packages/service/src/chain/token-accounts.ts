import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

/** What is known of the associated token accounts of wallets. */
export interface TokenAccountReader {
  /**
   * Whether a wallet's associated token account is certainly not there: the node says so now. False when it was seen at
   * any time, and when the node does not answer.
   */
  isMissing(owner: Address, mint: Address): Promise<boolean>;
}

/** A quote does not wait longer for this. */
const timeoutMs = 1_000;
const maxKnown = 100_000;

/** Asks the node, and remembers which accounts are there. */
export class RememberingTokenAccountReader implements TokenAccountReader {
  readonly #rpc: Rpc<SolanaRpcApi>;
  readonly #seen = new Set<string>();

  constructor(rpc: Rpc<SolanaRpcApi>) {
    this.#rpc = rpc;
  }

  async isMissing(owner: Address, mint: Address): Promise<boolean> {
    const name = `${owner} ${mint}`;
    if (this.#seen.has(name)) return false;
    const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
    const missing = await this.#ask(account);
    if (missing === false) {
      if (this.#seen.size >= maxKnown) this.#seen.clear();
      this.#seen.add(name);
    }
    return missing === true;
  }

  /** Undefined when the node does not answer. */
  async #ask(account: Address): Promise<boolean | undefined> {
    try {
      const { value } = await this.#rpc
        .getAccountInfo(account, {
          commitment: 'confirmed',
          encoding: 'base64',
          dataSlice: { offset: 0, length: 0 },
        })
        .send({ abortSignal: AbortSignal.timeout(timeoutMs) });
      // Lamports that somebody sent to the address make no token account of it.
      return value?.owner !== TOKEN_PROGRAM_ADDRESS;
    } catch {
      return undefined;
    }
  }
}
