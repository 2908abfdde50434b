import type { Command } from './command.js';
import { option, optional } from './options.js';

export const auditCommands: Command[] = [
  {
    name: 'audit verify',
    summary:
      'compare the audit log with its own hashes, and with the hashes that the keeper wrote to the chain',
    details: [
      'Exits with 1 if an entry was changed, added, removed or cut off. The market key of the program signed the hashes on',
      'chain; --signed-by names an earlier one.',
    ],
    options: [
      option(
        'signed-by',
        'KARAT_ANCHORED_BY',
        'ADDRESS',
        'key that signed them (default: that of the program)',
        optional,
      ),
    ],
    run: async (call) => (await import('./audit.js')).verify(call),
  },
];
