import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface ProcessOutput {
  /** Everything that it wrote so far. */
  output(): string;
  /** Resolves once it has written a text; rejects when it ends before. */
  written(text: string): Promise<void>;
  /** Resolves once it has ended and all that it wrote is read. */
  ended: Promise<unknown>;
}

/** Collects what a process writes. What it wrote before a response may be read after that response: tests wait for it. */
export function outputOf(child: ChildProcess): ProcessOutput {
  let output = '';
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream?.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close');
  const written = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (output.includes(text)) resolve();
      };
      for (const stream of streams) stream?.on('data', look);
      ended.then(() => reject(new Error(`it ended before it wrote "${text}": ${output}`)));
      look();
    });
  return { output: () => output, written, ended };
}
