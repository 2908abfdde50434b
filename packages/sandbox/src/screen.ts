import { styleText } from 'node:util';
import { createProgress, type Progress } from '@karat/service/progress';

/** Where a program prints: in colours and with a line of what runs, if that is a terminal. */
export interface Screen {
  print(line?: string): void;
  /** Prints on standard error. */
  warn(line: string): void;
  during: Progress['during'];
  /** Colours a part of a line, where lines are shown in colours. */
  paint(style: Parameters<typeof styleText>[0], text: string): string;
}

export function openScreen(): Screen {
  const { stdout, stderr } = process;
  const { during, write } = createProgress(stdout);
  return {
    during,
    print: (line = '') => write(`${line}\n`),
    warn(line) {
      // Erases the line of what runs.
      write('');
      stderr.write(`${styleText('red', line, { stream: stderr })}\n`);
    },
    paint: (style, text) => styleText(style, text, { stream: stdout }),
  };
}
