import { auditCommands } from './audit-commands.js';
import { authoritiesCommands } from './authorities-commands.js';
import { chainCommands } from './chain-commands.js';
import type { Command } from './command.js';
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

/** Every command of `karat`, in the order of its help. */
export const commands: Command[] = [
  ...processesCommands,
  ...migrateCommands,
  ...doctorCommands,
  ...listenCommands,
  ...triggerCommands,
  ...reindexCommands,
  ...operatorsCommands,
  ...partnersCommands,
  ...usersCommands,
  ...kycCommands,
  ...deployCommands,
  ...chainCommands,
  ...treasuryCommands,
  ...reserveCommands,
  ...reservesCommands,
  ...authoritiesCommands,
  ...complianceCommands,
  ...auditCommands,
];
