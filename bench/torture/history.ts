import { appendFileSync } from 'node:fs';

/** What happened in a run, a line of JSON each: operations with what came back, faults, ends. */
export class History {
  readonly #file: string;
  readonly #startMs = performance.now();

  constructor(file: string) {
    this.#file = file;
  }

  write(line: Record<string, unknown>): void {
    appendFileSync(
      this.#file,
      `${JSON.stringify({ at_ms: Math.round(performance.now() - this.#startMs), ...line })}\n`,
    );
  }
}
