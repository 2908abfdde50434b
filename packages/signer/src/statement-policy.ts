import { type Policy, PolicyRefusal, requireNoKillFile } from './policy.js';

/** What the key of the reserves signs: statements of the reserves, and the papers of partners. */
const formats: readonly unknown[] = [
  'karat.reserves/1',
  'karat.statement/1',
  'karat.statement-seal/1',
  'karat.receipt/1',
];

/** Stands before the key of the reserves, which signs statements and receipts and never a transaction. */
export class StatementPolicy implements Policy {
  readonly #killFile: string | undefined;

  constructor(killFile: string | undefined) {
    this.#killFile = killFile;
  }

  admit(message: Uint8Array): void {
    requireNoKillFile(this.#killFile);
    let statement: unknown;
    try {
      statement = JSON.parse(Buffer.from(message).toString('utf8'));
    } catch {
      throw new PolicyRefusal('malformed', 'it is no JSON');
    }
    if (!formats.includes((statement as { format?: unknown } | null)?.format)) {
      throw new PolicyRefusal('malformed', `it is no statement or receipt: ${formats.join(', ')}`);
    }
  }
}
