import type { Command } from './command.js';
import { option } from './options.js';

export const reindexCommands: Command[] = [
  {
    name: 'reindex',
    summary: 'read the chain again from a slot on; existing records stay unchanged',
    details: ['May run next to an indexer, without blocking it.'],
    options: [option('from-slot', 'KARAT_FROM_SLOT', 'SLOT', 'the first slot to read; 0 for everything')],
    run: async (call) => (await import('./reindex.js')).reindex(call),
  },
];
