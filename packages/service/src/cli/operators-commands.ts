import { operatorRoles } from '../domain/operator.js';
import type { Command } from './command.js';
import { option, reason } from './options.js';

const email = option('email', 'KARAT_OPERATOR_EMAIL', 'ADDRESS', "the account's email");
const role = option('role', 'KARAT_OPERATOR_ROLE', 'ROLE', `one of ${operatorRoles.join(', ')}`);

const passwordDetails = [
  'The command prompts for the password twice and does not show it; without a terminal, it reads one line of standard input',
  'or KARAT_OPERATOR_PASSWORD. A password has at least 12 characters.',
];

const ownerDetails = [
  'Connects as the owner of the tables, with KARAT_OWNER_DATABASE_URL: DATABASE_URL alone must not give access to an account.',
];

export const operatorsCommands: Command[] = [
  {
    name: 'operator create',
    summary: 'open an account for an operator',
    details: [
      ...passwordDetails,
      'The very first account needs only DATABASE_URL; further ones are opened as the owner of the tables, with',
      'KARAT_OWNER_DATABASE_URL.',
    ],
    options: [email, option('name', 'KARAT_OPERATOR_NAME', 'NAME', "the operator's name"), role],
    run: async (call) => (await import('./operators.js')).create(call),
  },
  {
    name: 'operator token',
    summary: 'make a bearer token for an operator; it is shown only once',
    details: [
      "The command prompts for the account's password and does not show it; without a terminal, it reads one line of standard input or",
      'KARAT_OPERATOR_PASSWORD.',
    ],
    options: [
      email,
      option('name', 'KARAT_TOKEN_NAME', 'NAME', 'what the token is for', { default: 'command line' }),
      option('days', 'KARAT_TOKEN_DAYS', 'N', 'days until it expires, 1 to 365', { default: '90' }),
    ],
    run: async (call) => (await import('./operators.js')).token(call),
  },
  {
    name: 'operator role',
    summary: 'give an operator another role, from the next request on',
    details: ownerDetails,
    options: [email, role],
    run: async (call) => (await import('./operators.js')).role(call),
  },
  {
    name: 'operator password',
    summary: 'replace a forgotten password; ends all sessions of the operator',
    details: [...passwordDetails, ...ownerDetails],
    options: [email],
    run: async (call) => (await import('./operators.js')).password(call),
  },
  {
    name: 'operator reset-second-factor',
    summary: 'remove a lost second factor; ends all sessions, and the password alone opens the next one',
    details: ownerDetails,
    options: [email, reason],
    run: async (call) => (await import('./operators.js')).resetSecondFactor(call),
  },
  {
    name: 'operator link',
    summary:
      'have an operator sign in at the identity provider, and with the password no more; ends all sessions',
    details: [
      ...ownerDetails,
      'The subject is what the provider calls the person, not an email: the claim sub. A refused sign-in names it.',
    ],
    options: [
      email,
      option('issuer', 'KARAT_OPERATOR_ISSUER', 'URL', 'the identity provider, as it names itself'),
      option('subject', 'KARAT_OPERATOR_SUBJECT', 'SUB', 'what the provider calls the person'),
    ],
    run: async (call) => (await import('./operators.js')).link(call),
  },
  {
    name: 'operator disable',
    summary: 'close an account immediately, with all its tokens and sessions',
    options: [email, reason],
    run: async (call) => (await import('./operators.js')).disable(call),
  },
  {
    name: 'operator enable',
    summary: 'open a disabled account again; its password is valid again, its tokens are not',
    details: ownerDetails,
    options: [email, reason],
    run: async (call) => (await import('./operators.js')).enable(call),
  },
];
