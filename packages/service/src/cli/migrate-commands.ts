import type { Command } from './command.js';
import { option, optional } from './options.js';

export const migrateCommands: Command[] = [
  {
    name: 'migrate',
    summary: "bring the database to this version's schema, as the owner of its tables",
    details: [
      'Connects with KARAT_OWNER_DATABASE_URL, or with DATABASE_URL if that is not set. The role of the processes gets the',
      'rights that they need and no others: it cannot change the schema, and can only read and add to the audit log.',
    ],
    options: [
      option(
        'runtime-role',
        'KARAT_RUNTIME_ROLE',
        'ROLE',
        'role of the processes (default: that of DATABASE_URL, if KARAT_OWNER_DATABASE_URL is set)',
        optional,
      ),
    ],
    run: async (call) => (await import('./migrate.js')).migrate(call),
  },
];
