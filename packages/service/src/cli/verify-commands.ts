import type { Command } from './command.js';
import { option, optional } from './options.js';

export const verifyCommands: Command[] = [
  {
    name: 'verify',
    summary: 'check every invariant of chain and records, and name the rows that break one',
    details: [
      'Changes nothing, and may run while the service does. A red line names the rows. Exit code 1 if a line is red, and 3 if none is',
      'but something could not be compared, because the node does not respond or the indexer does not follow.',
      'Where neither database nor node nor program is set, the settings are those of the sandbox that runs on the state folder.',
    ],
    options: [
      option(
        'since',
        'KARAT_VERIFY_SINCE',
        'TIME',
        'leave out transactions that were recorded before, such as 2026-03-01T00:00:00Z (default: none)',
        optional,
      ),
      option('output', 'KARAT_VERIFY_OUTPUT', 'FORM', 'text or json', { default: 'text' }),
      option('state-dir', 'KARAT_STATE_DIR', 'DIR', 'verify the sandbox of this state folder', optional),
    ],
    run: async (call) => (await import('./verify.js')).verify(call),
  },
];
