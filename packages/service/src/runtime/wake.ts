import { pause, untilAny } from './time.js';

/** Wakes one sleeper early. A wake-up between sleeps ends the next sleep at once. */
export class Wake {
  #woken = false;
  #end: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#end?.();
  }

  /** Sleeps until a wake-up, an abort or the end of `ms`; true when woken. */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    const early = new AbortController();
    this.#end = () => early.abort();
    if (!this.#woken) await untilAny([signal, early.signal], (end) => pause(ms, end));
    this.#end = undefined;
    const wasWoken = this.#woken;
    this.#woken = false;
    return wasWoken;
  }
}
