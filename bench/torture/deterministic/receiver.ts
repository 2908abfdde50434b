/** A partner's receiver of webhooks, as far as their sender sees it. */
import { EventEmitter } from 'node:events';
import { Random } from '../random.js';

const refuses = 0.1;

export class Receiver {
  /** The events that it has taken, by their ids. */
  readonly taken = new Set<string>();
  #random = new Random(0, 'receiver');

  reset(seed: number): void {
    this.taken.clear();
    this.#random = new Random(seed, 'receiver');
  }

  /** Returns the status that an event gets. */
  take(body: string): number {
    if (this.#random.next() < refuses) return 503;
    this.taken.add(String(JSON.parse(body).id));
    return 200;
  }
}

/** A request to the receiver, of which `send` learns once it is written; as much of one as senders use. */
export class WebhookRequest extends EventEmitter {
  readonly #send: (body: string) => void;

  constructor(send: (body: string) => void, signal: AbortSignal | undefined) {
    super();
    this.#send = send;
    signal?.addEventListener('abort', () => this.emit('error', signal.reason), { once: true });
  }

  end(body: string): void {
    this.#send(body);
  }

  destroy(): void {}

  /** Gives the response to the sender. */
  respond(give: (response: EventEmitter) => void, statusCode: number): void {
    const response = Object.assign(new EventEmitter(), { statusCode });
    give(response);
    response.emit('end');
  }
}
