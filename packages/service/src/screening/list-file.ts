import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import { ConfigError } from '../config.js';
import type { Address } from '../domain/solana.js';
import { parseWalletList, WalletListError } from '../domain/wallet-list.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Screening, ScreeningSource } from './screening.js';

/** Returns why processes that serve would not start with this list; undefined if they would. */
export async function checkWalletList(path: string): Promise<string | undefined> {
  return read(path).then(
    () => undefined,
    (error: unknown) => notUsable(error),
  );
}

const notUsable = (error: unknown) =>
  `KARAT_SANCTIONS_LIST does not name a usable list of wallets: ${reasonOf(error)}`;

interface List extends ScreeningSource {
  wallets: ReadonlySet<Address>;
  modifiedAtMs: number;
}

/** Screens wallets by a list in a file, which may be replaced while the service runs. */
export class ListFile implements Screening {
  readonly #path: string;
  readonly #log: Logger;
  #list: List;
  /** What the file was when it was looked at last, used or not. */
  #seen: string;
  #fault: string | undefined;

  private constructor(path: string, log: Logger, first: { list: List; seen: string }) {
    this.#path = path;
    this.#log = log;
    this.#list = first.list;
    this.#seen = first.seen;
  }

  /** Opens a list. Throws a `ConfigError` when the file is missing or cannot be used: without it nothing would be screened. */
  static async open(path: string, parts: { log: Logger; clock: Clock; metrics: Metrics }): Promise<ListFile> {
    try {
      const seen = await look(path);
      const screening = new ListFile(path, parts.log, { list: await read(path), seen });
      screening.#measure(parts);
      return screening;
    } catch (error) {
      throw new ConfigError(notUsable(error));
    }
  }

  async blocked(wallets: readonly Address[]): Promise<Address[]> {
    return wallets.filter((wallet) => this.#list.wallets.has(wallet));
  }

  async refresh(): Promise<void> {
    try {
      const seen = await look(this.#path);
      if (seen === this.#seen) {
        // The file in use is back after one that could not be used.
        this.#fault = undefined;
        return;
      }
      const list = await read(this.#path);
      this.#seen = seen;
      this.#fault = undefined;
      const { sha256, addresses } = list;
      if (sha256 !== this.#list.sha256)
        this.#log.info({ sha256, addresses }, 'another sanctions list is in use');
      this.#list = list;
    } catch (error) {
      const fault = reasonOf(error);
      if (fault === this.#fault) return;
      this.#fault = fault;
      this.#log.error({ err: error }, `the sanctions list cannot be used, the one before stays: ${fault}`);
    }
  }

  source(): ScreeningSource {
    const { sha256, addresses } = this.#list;
    return { sha256, addresses };
  }

  #measure({ metrics, clock }: { metrics: Metrics; clock: Clock }): void {
    const usable = metrics.gauge(
      'karat_sanctions_list_usable',
      'Whether the file of the sanctions list is the one in use: 0 if it cannot be read and an earlier one is used',
    );
    const addresses = metrics.gauge('karat_sanctions_list_addresses', 'Wallets on the sanctions list');
    const age = metrics.gauge(
      'karat_sanctions_list_age_seconds',
      'Seconds since the sanctions list that is in use was written',
    );
    metrics.addReader(() => {
      usable.set(this.#fault === undefined ? 1 : 0);
      addresses.set(this.#list.addresses);
      age.set(Math.max(0, (clock.now() - this.#list.modifiedAtMs) / 1_000));
    });
  }
}

/** Returns what changes whenever a file is written or replaced. */
async function look(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path);
  return `${ino} ${size} ${mtimeMs}`;
}

async function read(path: string): Promise<List> {
  const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
  const wallets = parseWalletList(bytes.toString('utf8'));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { wallets, sha256, addresses: wallets.size, modifiedAtMs: mtimeMs };
}

function reasonOf(error: unknown): string {
  return error instanceof WalletListError ? error.message : 'it cannot be read';
}
