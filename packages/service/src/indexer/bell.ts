import { pause } from '../runtime/time.js';

/** Wakes one sleeper early. A ring while nobody sleeps is kept for the next sleep. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Sleeps until a ring, an abort or the end of `ms`; true when it was a ring. */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (!this.#rung) await pause(ms, AbortSignal.any([signal, woken.signal]));
    this.#wake = undefined;
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }
}
