import type { Command } from './command.js';
import { option, optional } from './options.js';

export const auditCommands: Command[] = [
  {
    name: 'audit verify',
    summary:
      'compare the audit log with its own hashes, and with the hashes that the keeper wrote to the chain',
    details: [
      'Exits with 1 if an entry was changed, added, removed or cut off. The guardian of the program signed the hashes on',
      'chain; --guardian names an earlier one.',
    ],
    options: [
      option(
        'guardian',
        'KARAT_ANCHORED_BY',
        'ADDRESS',
        'key that signed them (default: that of the program)',
        optional,
      ),
    ],
    run: async (call) => (await import('./audit.js')).verify(call),
  },
];
