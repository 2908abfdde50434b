import { type Policy, PolicyRefusal, requireNoKillFile } from './policy.js';

const format = 'karat.reserves/1';

/** Stands before the key of the reserves, which signs their statements and never a transaction. */
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
    if ((statement as { format?: unknown } | null)?.format !== format) {
      throw new PolicyRefusal('malformed', `it is no statement of the format ${format}`);
    }
  }
}
