import type { Address, Rpc, SolanaRpcApi } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { AppError } from '../errors.js';
import type { IntegratorEntry } from './program.js';

/** What a vault holds, in base units. */
export interface VaultBalances {
  usdc: bigint;
  gold: bigint;
}

/** Reads balances of vaults from the node, at commitment `confirmed`. */
export interface VaultReader {
  /** What a partner's vault holds now. Throws `service_unavailable` when the node does not answer. */
  balances(integrator: IntegratorEntry): Promise<VaultBalances>;
  /** The same of many vaults, in their order. */
  manyBalances(integrators: IntegratorEntry[]): Promise<VaultBalances[]>;
}

/** A request does not wait longer for this. */
const timeoutMs = 2_000;
/** Limit of `getMultipleAccounts`. */
const maxAccountsPerCall = 100;

/** Asks the node every time: a balance that is a second old may be spent. */
export class NodeVaultReader implements VaultReader {
  readonly #rpc: Rpc<SolanaRpcApi>;

  constructor(rpc: Rpc<SolanaRpcApi>) {
    this.#rpc = rpc;
  }

  async balances(integrator: IntegratorEntry): Promise<VaultBalances> {
    const [balances] = await this.manyBalances([integrator]);
    return balances ?? { usdc: 0n, gold: 0n };
  }

  async manyBalances(integrators: IntegratorEntry[]): Promise<VaultBalances[]> {
    const accounts = integrators.flatMap(({ data }) => [data.vaultUsdc, data.vaultGold]);
    const chunks: Promise<bigint[]>[] = [];
    for (let start = 0; start < accounts.length; start += maxAccountsPerCall) {
      chunks.push(this.#read(accounts.slice(start, start + maxAccountsPerCall)));
    }
    const amounts = (await Promise.all(chunks)).flat();
    return integrators.map((_, i) => ({ usdc: amounts[2 * i] ?? 0n, gold: amounts[2 * i + 1] ?? 0n }));
  }

  async #read(accounts: Address[]): Promise<bigint[]> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const { value } = await this.#rpc
        .getMultipleAccounts(accounts, { commitment: 'confirmed', encoding: 'base64' })
        .send({ abortSignal: end.signal });
      return value.map((account) =>
        account?.owner === TOKEN_PROGRAM_ADDRESS ? amountOf(Buffer.from(account.data[0], 'base64')) : 0n,
      );
    } catch (cause) {
      const message = 'The Solana node does not report what the vault holds; try again shortly.';
      throw new AppError('service_unavailable', message, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** SPL token account: mint [32], owner [32], amount u64. */
function amountOf(tokenAccount: Buffer): bigint {
  return tokenAccount.length < 72 ? 0n : tokenAccount.readBigUInt64LE(64);
}
