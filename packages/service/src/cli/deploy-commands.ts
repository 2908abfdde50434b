import type { Command } from './command.js';
import { optional, optionOf } from './options.js';

const deployOption = optionOf('KARAT_DEPLOY');
const payerKeypair = deployOption(
  'payer-keypair',
  'FILE',
  'key file of the payer (default: the upgrade authority)',
  optional,
);

export const deployCommands: Command[] = [
  {
    name: 'chain deploy',
    summary: 'deploy or upgrade the program of KARAT_PROGRAM_ID, and compare it with the file',
    details: [
      'The file must have the SHA-256 that the manifest next to it names. The plan goes to standard error',
      'first. Repeat an interrupted call to complete it. The first deployment needs all three key files.',
      'Without --upgrade-authority-keypair the upgrade is printed for others to sign, such as a multisig; it is valid for a minute.',
      'Needs no database.',
    ],
    options: [
      deployOption('file', 'FILE', 'the program, as program/build.sh makes it'),
      payerKeypair,
      deployOption('upgrade-authority-keypair', 'FILE', 'key file of the upgrade authority', optional),
      deployOption('program-keypair', 'FILE', "key file of the program's address, the first time", optional),
      deployOption('plan', 'yes', 'only show what it would do', optional),
    ],
    run: async (call) => (await import('./deploy.js')).deploy(call),
  },
  {
    name: 'chain upgrade-authority',
    summary: 'hand the program over to another upgrade authority, such as a multisig',
    details: [
      'The new one has to be a wallet or the vault of a multisig, with some SOL. It does not sign, so check its address:',
      'nothing but its signature can undo this. Without --upgrade-authority-keypair the transaction is printed for others',
      'to sign. Needs no database.',
    ],
    options: [
      deployOption('new', 'ADDRESS', 'the new upgrade authority'),
      deployOption('upgrade-authority-keypair', 'FILE', 'key file of the present one', optional),
      payerKeypair,
      deployOption(
        'plan',
        'yes',
        'only show the program, the present and the new upgrade authority',
        optional,
      ),
    ],
    run: async (call) => (await import('./deploy.js')).upgradeAuthority(call),
  },
];
