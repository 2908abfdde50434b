import { auditCommands } from './audit-commands.js';
import { authoritiesCommands } from './authorities-commands.js';
import { chainCommands } from './chain-commands.js';
import type { Command, CommandGroup } from './command.js';
import { complianceCommands } from './compliance-commands.js';
import { deployCommands } from './deploy-commands.js';
import { doctorCommands } from './doctor-commands.js';
import { kycCommands } from './kyc-commands.js';
import { listenCommands } from './listen-commands.js';
import { migrateCommands } from './migrate-commands.js';
import { operatorsCommands } from './operators-commands.js';
import { partnersCommands } from './partners-commands.js';
import { processesCommands } from './processes-commands.js';
import { reindexCommands } from './reindex-commands.js';
import { reserveCommands } from './reserve-commands.js';
import { reservesCommands } from './reserves-commands.js';
import { treasuryCommands } from './treasury-commands.js';
import { triggerCommands } from './trigger-commands.js';
import { usersCommands } from './users-commands.js';
import { verifyCommands } from './verify-commands.js';

/** Every command of `karat`, as its help lists them. */
export const groups: CommandGroup[] = [
  { title: 'Processes', commands: processesCommands },
  {
    title: 'Upkeep',
    commands: [
      ...migrateCommands,
      ...doctorCommands,
      ...verifyCommands,
      ...reindexCommands,
      ...auditCommands,
    ],
  },
  { title: 'For developers', commands: [...listenCommands, ...triggerCommands] },
  {
    title: 'Operators, partners and users',
    commands: [...operatorsCommands, ...partnersCommands, ...usersCommands, ...kycCommands],
  },
  { title: 'The program', commands: [...deployCommands, ...chainCommands, ...authoritiesCommands] },
  {
    title: 'Treasury and reserves',
    commands: [...treasuryCommands, ...reserveCommands, ...reservesCommands, ...complianceCommands],
  },
];

export const commands: Command[] = groups.flatMap((group) => group.commands);
