import type { Command } from './command.js';
import { option, optional, optionOf } from './options.js';

const freezeOption = optionOf('KARAT_FREEZE');
const account = [
  freezeOption('owner', 'ADDRESS', 'wallet that owns the account', optional),
  freezeOption('account', 'ADDRESS', "token account of GOLD (default: the owner's associated one)", optional),
];
const reason = option(
  'reason',
  'KARAT_REASON',
  'TEXT',
  'the reason, for the audit log; the chain keeps its SHA-256',
);
const payer = freezeOption('fee-payer', 'ADDRESS', 'payer of the transaction (default: who signs)', optional);
const unsigned =
  'Without the key the transaction is printed for its holder to sign; it is valid for a minute.';

export const complianceCommands: Command[] = [
  {
    name: 'compliance freeze',
    summary: 'freeze an account of GOLD, signed by the compliance key',
    details: [
      'The settings must allow it: karat chain propose --freeze-enabled yes. Accounts of treasury, escrow and vaults cannot',
      `be frozen. ${unsigned}`,
    ],
    options: [
      ...account,
      freezeOption('compliance-keypair', 'FILE', 'key file of the compliance key', optional),
      payer,
      reason,
    ],
    run: async (call) => (await import('./compliance.js')).freeze(call),
  },
  {
    name: 'compliance thaw',
    summary: 'thaw a frozen account of GOLD, signed by the compliance key or by KARAT_ADMIN_SIGNER',
    details: [unsigned],
    options: [
      ...account,
      freezeOption('compliance-keypair', 'FILE', 'key file of the compliance key', optional),
      freezeOption('as-admin', 'yes', 'the admin signs, not the compliance key', optional),
      payer,
      reason,
    ],
    run: async (call) => (await import('./compliance.js')).thaw(call),
  },
];
