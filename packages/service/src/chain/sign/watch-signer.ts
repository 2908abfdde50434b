import { type KeyName, keyFileOf } from '@karat/signer';
import type { Address } from '@solana/kit';
import type { Logger } from 'pino';
import { type Loop, startLoop } from '../../runtime/loop.js';
import { proveSigner } from './open-signer.js';

/** How often a key in another process has to show that it signs, and how often while it does not. */
const everyMs = 5_000;
const failingEveryMs = 500;

/** Whether a key still signs, which only its process knows. */
export class SignerWatch {
  readonly #url: string;
  readonly #name: KeyName;
  readonly #address: Address;
  #loop: Loop | undefined;
  #fault: string | undefined;

  constructor(url: string, name: KeyName, address: Address) {
    this.#url = url;
    this.#name = name;
    this.#address = address;
  }

  /** Begins to look, unless the key is in a file, which was read. */
  start(log: Logger): void {
    if (keyFileOf(this.#url) !== undefined) return;
    this.#loop = startLoop({
      name: `${this.#name} signer`,
      intervalMs: (failing) => (failing ? failingEveryMs : everyMs),
      log,
      round: () => this.#look(),
    });
  }

  /** Why the key signs nothing; undefined while it does. */
  fault(): string | undefined {
    return this.#fault;
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async #look(): Promise<void> {
    try {
      await proveSigner(this.#url, this.#name, this.#address);
      this.#fault = undefined;
    } catch (error) {
      this.#fault = `The process that holds the key of this one ${error instanceof Error ? error.message : String(error)}.`;
      throw error;
    }
  }
}
