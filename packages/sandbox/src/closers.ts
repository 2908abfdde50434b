/** Things to close, last opened first. */
export interface Closers {
  add(name: string, close: () => Promise<unknown>): void;
  /** Closes everything once; a failure is reported and does not keep the rest from being closed. */
  closeAll(): Promise<void>;
}

export function createClosers(report: (message: string) => void): Closers {
  const open: { name: string; close: () => Promise<unknown> }[] = [];
  return {
    add: (name, close) => open.push({ name, close }),
    async closeAll() {
      for (let last = open.pop(); last; last = open.pop()) {
        try {
          await last.close();
        } catch (error) {
          report(`${last.name} did not stop cleanly: ${error instanceof Error ? error.message : error}`);
        }
      }
    },
  };
}
