import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { listen, reconnecting } from './listen.js';
import { type Loop, startLoop } from './loop.js';

/** What has changed: kind and id of an object, separated by a space. */
export type ChangeName = string;

/** The channel on which triggers of the database name what has changed. */
const changesChannel = 'karat_changes';

/**
 * Reports to followers what has changed, as soon as it is committed by whichever process. One connection of this process listens
 * to the notifications of PostgreSQL. While it is lost, nothing is reported; once it is back, anything may have changed.
 */
export class ChangeWake {
  readonly #parts: { config: Config; log: Logger };
  readonly #followers = new Set<(changes: readonly ChangeName[] | 'anything') => void>();
  #loop: Loop | undefined;
  #stopped = false;

  /** Connects when there is a first follower. */
  constructor(parts: { config: Config; log: Logger }) {
    this.#parts = parts;
  }

  /** Calls `follow` with what has changed. Returns what ends that. */
  follow(follow: (changes: readonly ChangeName[] | 'anything') => void): () => void {
    this.#followers.add(follow);
    this.#start();
    return () => void this.#followers.delete(follow);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop?.stop();
  }

  #start(): void {
    if (this.#stopped) return;
    const { config, log } = this.#parts;
    this.#loop ??= startLoop({
      name: 'change notifications',
      ...reconnecting,
      log,
      round: (signal, works) =>
        listen(
          {
            config,
            channel: changesChannel,
            applicationName: 'karat-changes',
            onLive: () => {
              works();
              this.#report('anything');
            },
            onNotification: (payload) => this.#report(payload.split('\n')),
          },
          signal,
        ),
    });
  }

  #report(changes: readonly ChangeName[] | 'anything'): void {
    for (const follow of this.#followers) follow(changes);
  }
}
