import { createInterface } from 'node:readline';
import { Ledger } from '../src/ledger.js';

/**
 * Opens ledgers as a process of its own, for tests in which several do so at once. Each line of its input is a folder
 * to open, or empty to close what is open; each line of its output is what came of it.
 */
let open: Ledger | undefined;
for await (const folder of createInterface({ input: process.stdin })) console.log(attempt(folder));

function attempt(folder: string): string {
  open?.close();
  open = undefined;
  if (folder === '') return 'closed';
  try {
    open = new Ledger(folder, () => false);
    return `open ${open.nonce.toString('hex')}`;
  } catch (error) {
    return String(error);
  }
}
