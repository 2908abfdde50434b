import type { Command } from './command.js';
import { option, optional } from './options.js';

export const reservesCommands: Command[] = [
  {
    name: 'reserves statement',
    summary: 'make and publish a statement of the reserves now, signed by KARAT_RESERVES_SIGNER',
    details: ['The keeper makes one automatically each UTC day, if it has the key.'],
    options: [],
    run: async (call) => (await import('./reserves.js')).publish(call),
  },
  {
    name: 'reserves countersign',
    summary: 'add the signature of another party, such as the auditor, to a statement of the reserves',
    details: [
      'With --auditor-keypair, the statement is signed here; --public-key and --signature add a signature that was made',
      'elsewhere. It signs the canonical JSON of the statement.',
    ],
    options: [
      option('statement', 'KARAT_STATEMENT', 'ID', 'id of the statement, rs_…'),
      option('auditor-keypair', 'KARAT_AUDITOR_KEYPAIR', 'FILE', 'key file of the countersigner', optional),
      option('public-key', 'KARAT_AUDITOR_KEY', 'HEX', 'Ed25519 key of the countersigner', optional),
      option('signature', 'KARAT_AUDITOR_SIGNATURE', 'BASE64', 'the signature', optional),
    ],
    run: async (call) => (await import('./reserves.js')).countersign(call),
  },
  {
    name: 'reserves report',
    summary: 'publish the report of the attestor, whose SHA-256 the attestation on chain has',
    details: [
      'A PDF or a text. The page about the reserves offers it for download. A file that no attestation names is refused.',
    ],
    options: [option('report', 'KARAT_ATTEST_REPORT', 'FILE', 'the report')],
    run: async (call) => (await import('./reserves.js')).publishReport(call),
  },
];
