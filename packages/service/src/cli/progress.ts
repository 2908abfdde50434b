import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

/** The last line of a terminal while something runs: what, and for how long. */
export interface Progress {
  /** Runs a step, which the line names until it ends. Several may run at once. */
  during<T>(what: string, run: () => Promise<T>): Promise<T>;
  /** Writes text above the line; none only erases that. Where it ends within a line, as a prompt does, nothing is drawn until that has its end. */
  write(text: string): void;
}

/** What ends earlier is not shown: a line that comes and goes at once is only unrest. */
const shownAfterMs = 300;
const drawnEveryMs = 100;

/** Returns the progress of a stream; where that is no terminal, or one that cannot erase, it only writes. */
export function createProgress(stream: NodeJS.WritableStream & Partial<WriteStream>): Progress {
  const steps = new Set<{ what: string; began: number }>();
  const canErase = stream.isTTY === true && process.env.TERM !== 'dumb';
  let isDrawn = false;
  let isWithinLine = false;
  let timer: NodeJS.Timeout | undefined;
  const erase = () => {
    if (!isDrawn) return;
    stream.cursorTo?.(0);
    stream.clearLine?.(1);
    isDrawn = false;
  };
  const draw = () => {
    const [first] = steps;
    const ms = performance.now() - (first?.began ?? 0);
    if (!first || isWithinLine || ms < shownAfterMs) return;
    const text = `  ${[...steps].map(({ what }) => what).join(', ')} … ${Math.floor(ms / 1_000)}.${Math.floor(ms / 100) % 10} s`;
    erase();
    // A line that wraps could not be erased.
    stream.write(styleText('dim', text.slice(0, (stream.columns ?? 80) - 1), { stream }));
    isDrawn = true;
  };
  return {
    async during(what, run) {
      if (!canErase) return run();
      const step = { what, began: performance.now() };
      steps.add(step);
      timer ??= setInterval(draw, drawnEveryMs).unref();
      try {
        return await run();
      } finally {
        steps.delete(step);
        erase();
        if (steps.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
    write(text) {
      erase();
      if (text === '') return;
      stream.write(text);
      isWithinLine = !text.endsWith('\n');
    },
  };
}
