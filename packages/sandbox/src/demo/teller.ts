/** Prints a story step by step, with the time that each step took. */
export interface Teller {
  /** Runs a step; its figures are the lines that it returns. */
  step<T>(title: string, run: (figure: (name: string, value: string) => void) => Promise<T>): Promise<T>;
  line(text?: string): void;
}

export function createTeller(print: (line: string) => void): Teller {
  let number = 0;
  return {
    line: (text = '') => print(text),
    async step(title, run) {
      number += 1;
      const figures: string[] = [];
      const start = performance.now();
      const result = await run((name, value) => figures.push(`     ${name.padEnd(14)} ${value}`));
      const took = formatMs(performance.now() - start);
      print(`${String(number).padStart(2)}. ${title.padEnd(58)} ${took.padStart(8)}`);
      for (const figure of figures) print(figure);
      return result;
    },
  };
}

/** `38 ms` or `1.27 s`. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
