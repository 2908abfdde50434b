/** How long the service may give no response before the page says that there is no connection. */
const lostAfterMs = 5_000;

/** When the connection was lost, and when the service was heard last: what is shown is as old as that. */
export interface Lost {
  since: number;
  heardAt: number;
}

/** Whether the service can be reached, as the requests and the stream of the page find out. */
export class Connection {
  /** Undefined while there is a connection. Another object whenever it changes. */
  lost: Lost | undefined;
  heardAt = Date.now();

  #failing: { since: number; timer: ReturnType<typeof setTimeout> } | undefined;
  readonly #watchers = new Set<() => void>();

  /** Whether the latest attempt failed, however short ago. */
  get isFailing(): boolean {
    return this.#failing !== undefined;
  }

  /** Notes that the service has responded. */
  heard(): void {
    this.heardAt = Date.now();
    clearTimeout(this.#failing?.timer);
    this.#failing = undefined;
    this.#set(undefined);
  }

  /** Notes that a read was not responded to, or that the stream broke. */
  failed(): void {
    const since = Date.now();
    this.#failing ??= {
      since,
      timer: setTimeout(() => this.#set({ since, heardAt: this.heardAt }), lostAfterMs),
    };
  }

  /** Has `watcher` called when the connection is lost or back. Returns what ends that. */
  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  #set(lost: Lost | undefined): void {
    if (lost === this.lost) return;
    this.lost = lost;
    for (const watcher of this.#watchers) watcher();
  }
}

/** That of this page. */
export const connection = new Connection();
