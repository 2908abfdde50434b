import type { components } from '../generated/operator';

type Waiting = components['schemas']['WaitingForApprovalOrSignature'];
/** What is done once others have signed and sent it. */
export type Unsigned = Extract<Waiting, { transaction: string }>;

/** Has the person confirm the session, and returns the confirmation. */
type Confirm = () => Promise<string>;

/** A page that is not used stops reading, so that the session ends as the server intends. */
const idleAfterMs = 10 * 60_000;

/** What the page knows of the session of the person who is signed in; the cookie itself is out of its reach. */
export class Session {
  /** In memory alone, so that a cookie that was stolen does not come with it. */
  confirmation: string | undefined;
  /** Called when the API takes a change only from a session that was confirmed lately. */
  confirm: Confirm | undefined;
  /** Called when the API no longer knows the session. */
  onEnd: () => void = () => {};
  /** Shows what waits for a signature from outside: the response is the only place where the transaction is. */
  showUnsigned: (unsigned: Unsigned) => void = () => {};
  /** Whether the service's stream of changes is open. */
  streaming = false;

  /** The confirmation that the person is asked for now. */
  #confirming: Promise<string> | undefined;
  /** The latest request that begins a session or replaces it. */
  #beginning: Promise<unknown> = Promise.resolve();
  #touchedAt = Date.now();
  readonly #returns = new Set<() => void>();
  readonly #aways = new Set<(kind: string) => void>();

  constructor(page: EventTarget) {
    for (const event of ['pointerdown', 'pointermove', 'keydown', 'focus']) {
      page.addEventListener(event, () => this.#touch());
    }
  }

  /** Has `handler` confirm changes from now on; undefined when no one is signed in, which forgets the last confirmation. */
  watchConfirmation(handler: Confirm | undefined): void {
    this.confirm = handler;
    if (!handler) this.confirmation = undefined;
  }

  /** Has the person confirm, once for all changes that wait for it. Throws the `Notice` of one who does not. */
  async renewConfirmation(confirm: Confirm): Promise<string> {
    this.#confirming ??= confirm().finally(() => {
      this.#confirming = undefined;
    });
    this.confirmation = await this.#confirming;
    return this.confirmation;
  }

  /** Marks a request that begins a session or replaces it: what was sent without it meanwhile is no end of it. */
  begin<T>(request: Promise<T>): Promise<T> {
    this.#beginning = request.catch(() => undefined);
    return request;
  }

  /** Reports the end of the session if `isOver` finds it, unless another one has taken its place. */
  async check(isOver: () => Promise<boolean>): Promise<void> {
    const latest = this.#beginning;
    await latest;
    const over = await isOver();
    if (this.#beginning !== latest) return this.check(isOver);
    if (over) this.onEnd();
  }

  /** Whether the page is not in use: then nothing is read again, because each read prolongs the session. */
  isIdle(): boolean {
    return Date.now() - this.#touchedAt > idleAfterMs;
  }

  /** Has `handler` called when an idle page is used again. Returns what ends that. */
  watchReturn(handler: () => void): () => void {
    this.#returns.add(handler);
    return () => this.#returns.delete(handler);
  }

  /** Has `handler` called with the kind of whatever changes while the page is idle, which then reads nothing. Returns what ends that. */
  watchAway(handler: (kind: string) => void): () => void {
    this.#aways.add(handler);
    return () => this.#aways.delete(handler);
  }

  /** Reports that something of a kind has changed while the page is idle. */
  changedAway(kind: string): void {
    for (const handler of this.#aways) handler(kind);
  }

  #touch(): void {
    const wasIdle = this.isIdle();
    this.#touchedAt = Date.now();
    if (wasIdle) for (const handler of this.#returns) handler();
  }
}

/** That of this page. */
export const session = new Session(window);
