import type { Screen } from '../screen.js';

/** Prints a story: chapters, and in them steps with the time that each took. */
export interface Teller {
  chapter(title: string): void;
  /** Runs a step; its figures are printed below it. A step that throws is printed as failed. */
  step<T>(title: string, run: (figure: Figure) => Promise<T>): Promise<T>;
  line(text?: string): void;
}

export type Figure = (name: string, value: string) => void;

export function createTeller({ print, during, paint }: Omit<Screen, 'warn'>): Teller {
  const count = { chapters: 0, steps: 0 };
  return {
    line: print,
    chapter(title) {
      count.chapters += 1;
      count.steps = 0;
      print('');
      print(paint('bold', `${count.chapters}. ${title}`));
    },
    async step(title, run) {
      count.steps += 1;
      const figures: string[] = [];
      const start = performance.now();
      const heading = `${count.chapters}.${count.steps} ${title}`;
      const report = (outcome: string, style: 'green' | 'red') => {
        print(`   ${heading.padEnd(62)} ${paint(style, outcome.padStart(8))}`);
        for (const figure of figures) print(figure);
      };
      try {
        const result = await during(heading, () =>
          run((name, value) => figures.push(`       ${paint('dim', name.padEnd(14))} ${value}`)),
        );
        report(formatMs(performance.now() - start), 'green');
        return result;
      } catch (error) {
        report('failed', 'red');
        throw error;
      }
    },
  };
}

/** `38 ms` or `1.27 s`. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
