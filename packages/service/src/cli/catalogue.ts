import { operatorRoles } from '../domain/operator.js';
import { pauseNames } from '../domain/program-status.js';
import type { Command, Option } from './command.js';
import { triggeredTypes } from './trigger/types.js';

const optional = { optional: true } as const;

function option(
  name: string,
  variable: string,
  placeholder: string,
  help: string,
  unlessGiven: Pick<Option, 'default' | 'optional'> = {},
): Option {
  return { name, variable, placeholder, help, ...unlessGiven };
}

const email = option('email', 'KARAT_OPERATOR_EMAIL', 'ADDRESS', "the account's email");
const reason = option('reason', 'KARAT_REASON', 'TEXT', 'the reason, for the audit log', optional);
const only = option(
  'only',
  'KARAT_CHAIN_ONLY',
  'LIST',
  `which of ${pauseNames.join(', ')}, separated by commas`,
  {
    default: pauseNames.join(','),
  },
);

const feePayer = option(
  'fee-payer',
  'KARAT_FEE_PAYER',
  'ADDRESS',
  "payer of the admin's transaction (default: the operations key)",
  optional,
);
const adminDetails = [
  'Without KARAT_ADMIN_SIGNER the transaction is printed for others to sign, such as a multisig; it is valid for a minute.',
];

const role = option('role', 'KARAT_OPERATOR_ROLE', 'ROLE', `one of ${operatorRoles.join(', ')}`);

const passwordDetails = [
  'The command prompts for the password twice and does not show it; without a terminal, it reads one line of standard input',
  'or KARAT_OPERATOR_PASSWORD. A password has at least 12 characters.',
];

const ownerDetails = [
  'Connects as the owner of the tables, with KARAT_OWNER_DATABASE_URL: DATABASE_URL alone must not give access to an account.',
];

const operatorCommands: Command[] = [
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

const partnerCommands: Command[] = [
  {
    name: 'partner create',
    summary: 'create a partner, as POST /operator/v1/partners does',
    details: [
      'Needs no approval. With a wallet, which can mint keys immediately, it connects as the owner of the tables, with',
      'KARAT_OWNER_DATABASE_URL.',
    ],
    options: [
      option('name', 'KARAT_PARTNER_NAME', 'NAME', "the partner's name"),
      option(
        'fee-percentage',
        'KARAT_PARTNER_FEE_PERCENTAGE',
        'F',
        'fee of redemptions as a fraction: 0.015 is 1.5 %',
      ),
      option('wallet-address', 'KARAT_PARTNER_WALLET_ADDRESS', 'ADDRESS', 'its first wallet', optional),
    ],
    run: async (call) => (await import('./partners.js')).create(call),
  },
];

const optionOf =
  (prefix: string) =>
  (name: string, placeholder: string, help: string, unlessGiven: Pick<Option, 'default' | 'optional'> = {}) =>
    option(name, `${prefix}_${name.toUpperCase().replaceAll('-', '_')}`, placeholder, help, unlessGiven);

const initOption = optionOf('KARAT_INIT');
const deployOption = optionOf('KARAT_DEPLOY');
const configOption = (name: string, placeholder: string, help: string) =>
  optionOf('KARAT_CONFIG')(name, placeholder, help, optional);

/** Settings of the program that `chain init` gives it, by default as stated here, and `chain config` changes. */
const settings: Parameters<typeof initOption>[] = [
  ['min-price', 'USD', 'lowest price of an ounce that is accepted', { default: '500' }],
  ['max-price', 'USD', 'highest price of an ounce that is accepted', { default: '50000' }],
  ['max-trade', 'USDC', 'largest trade', { default: '1000000' }],
  ['max-age-open', 'SECONDS', 'how old a price may be while the market is open', { default: '150' }],
  ['max-age-closed', 'SECONDS', 'the same while it is closed; 0 means no trading then', { default: '0' }],
  ['max-confidence-bps', 'N', 'widest confidence interval of a price, 1/10000 of it', { default: '100' }],
  ['max-fee-bps', 'N', 'highest fee of any partner, 1/10000', { default: '1000' }],
  ['operations', 'ADDRESS', 'key that creates partners and settles redemptions; none for no key', optional],
  ['market', 'ADDRESS', 'key that opens and closes the market; none for no key', optional],
  ['attestor', 'ADDRESS', 'key that attests the reserve; none for no key', { default: 'none' }],
  [
    'withdraw-owners',
    'LIST',
    'up to four owners of accounts that may receive inventory, with commas; or none',
    { default: 'none' },
  ],
  [
    'recovery-delay',
    'SECONDS',
    'delay of what the admin proposes for a partner; can never be shortened',
    { default: '172800' },
  ],
  [
    'max-attestation-age',
    'SECONDS',
    'how old an attestation of the reserve may be for minting',
    { default: '2678400' },
  ],
  [
    'daily-outflow-usdc',
    'USDC',
    'most USDC that may leave the treasury in 24 hours; 0 means no limit',
    { default: '0' },
  ],
  [
    'daily-outflow-gold',
    'GOLD',
    'most GOLD that may leave the treasury in 24 hours; 0 means no limit',
    { default: '0' },
  ],
];

const chainCommands: Command[] = [
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
      deployOption(
        'payer-keypair',
        'FILE',
        'key file of the payer (default: the upgrade authority)',
        optional,
      ),
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
      deployOption(
        'payer-keypair',
        'FILE',
        'key file of the payer (default: the upgrade authority)',
        optional,
      ),
      deployOption(
        'plan',
        'yes',
        'only show the program, the present and the new upgrade authority',
        optional,
      ),
    ],
    run: async (call) => (await import('./deploy.js')).upgradeAuthority(call),
  },
  {
    name: 'chain init',
    summary: 'initialize the program, once, with its token accounts',
    details: [
      'Signed and paid for by KARAT_ADMIN_SIGNER, which becomes the admin and must be the upgrade authority unless',
      '--admin and --upgrade-authority-keypair name others. The key of KARAT_SERVICE_SIGNER becomes the first service',
      'signer; those of KARAT_GUARDIAN_SIGNER, KARAT_OPERATIONS_SIGNER and KARAT_MARKET_SIGNER get their roles unless',
      'options name others. Afterwards everything is paused and the market closed: karat chain resume ends the pauses, the',
      'keeper opens the market. Costs about 0.02 SOL.',
    ],
    options: [
      initOption(
        'usdc-mint',
        'ADDRESS',
        'mint of USDC; new creates one (default: that of KARAT_NETWORK)',
        optional,
      ),
      initOption('gold-mint', 'ADDRESS', 'mint of GOLD, whose authority is the treasury; new creates one'),
      initOption(
        'admin',
        'ADDRESS',
        'key that changes settings and resumes; may be an account of a multisig',
        optional,
      ),
      initOption('guardian', 'ADDRESS', 'key that may pause', optional),
      initOption('upgrade-authority-keypair', 'FILE', 'key file of the upgrade authority', optional),
      initOption(
        'price-account',
        'ADDRESS',
        "oracle's price account (default: Pyth's XAU/USD, shard 0)",
        optional,
      ),
      ...settings.map((setting) => initOption(...setting)),
      initOption('allow-short-recovery', 'yes', 'accept a recovery delay below a day, for tests', optional),
    ],
    run: async (call) => (await import('./chain.js')).init(call),
  },
  {
    name: 'chain status',
    summary: 'show what is paused and the state of the market, read from the chain',
    options: [],
    run: async (call) => (await import('./chain.js')).status(call),
  },
  {
    name: 'chain pause',
    summary: 'pause the program, signed by KARAT_GUARDIAN_SIGNER',
    details: ['Without that key it is signed by KARAT_OPERATIONS_SIGNER or KARAT_ADMIN_SIGNER.'],
    options: [only, reason],
    run: async (call) => (await import('./chain.js')).pause(call),
  },
  {
    name: 'chain resume',
    summary: 'end a pause, signed by KARAT_ADMIN_SIGNER',
    details: adminDetails,
    options: [only, reason],
    run: async (call) => (await import('./chain.js')).resume(call),
  },
  {
    name: 'chain signers',
    summary: 'show the service signers of the program, or add or remove one, signed by KARAT_ADMIN_SIGNER',
    details: [
      'There are one or two. docs/operations/README.md explains how to rotate a key.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('add', 'KARAT_ADD_SIGNER', 'ADDRESS', 'the new key', optional),
      option('remove', 'KARAT_REMOVE_SIGNER', 'ADDRESS', 'the key to remove', optional),
    ],
    run: async (call) => (await import('./signers.js')).signers(call),
  },
  {
    name: 'chain admin',
    summary: 'show the admin of the program, or hand over the role in two steps',
    details: [
      '--propose is signed by the admin, --accept by the proposed one: each by KARAT_ADMIN_SIGNER.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option(
        'propose',
        'KARAT_PROPOSE_ADMIN',
        'ADDRESS',
        'the next admin; may be an account of a multisig; none withdraws the proposal',
        optional,
      ),
      option('accept', 'KARAT_ACCEPT_ADMIN', 'yes', 'make the proposed admin the admin', optional),
      reason,
    ],
    run: async (call) => (await import('./chain.js')).admin(call),
  },
  {
    name: 'chain config',
    summary: "show the program's settings, or change the given ones, signed by KARAT_ADMIN_SIGNER",
    details: [
      'Other settings stay unchanged. karat chain signers changes the service signers.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      configOption('guardian', 'ADDRESS', 'key that pauses'),
      configOption(
        'fee-account',
        'ADDRESS',
        'USDC account for the fees of trades; not together with other settings',
      ),
      configOption(
        'treasury-usdc-account',
        'ADDRESS',
        "the treasury's USDC account; the old one keeps what it holds",
      ),
      configOption('treasury-gold-account', 'ADDRESS', "the treasury's GOLD account, likewise"),
      configOption('price-account', 'ADDRESS', "oracle's price account"),
      configOption('price-owner', 'ADDRESS', "oracle's program, which owns the price account"),
      configOption('feed-id', 'HEX', "oracle's id of the price of gold"),
      ...settings.map(([name, placeholder, help]) => configOption(name, placeholder, help)),
      reason,
    ],
    run: async (call) => (await import('./chain.js')).config(call),
  },
];

const treasuryCommands: Command[] = [
  {
    name: 'treasury fund',
    summary: 'transfer USDC and GOLD from the admin to the treasury, signed by KARAT_ADMIN_SIGNER',
    details: [
      'The transfer is announced before it is sent, so that reconciliation expects it; a plain one opens a dead letter.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('usdc', 'KARAT_FUND_USDC', 'AMOUNT', 'USDC', optional),
      option('gold', 'KARAT_FUND_GOLD', 'AMOUNT', 'GOLD, troy ounces', optional),
      reason,
    ],
    run: async (call) => (await import('./treasury.js')).fund(call),
  },
  {
    name: 'treasury sweep-escrow',
    summary: 'take GOLD out of escrow that no redemption needs, signed by KARAT_ADMIN_SIGNER',
    details: [
      'It goes to the treasury, or back to the wallet that --to names. The program refuses more than the surplus.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('gold', 'KARAT_SWEEP_GOLD', 'AMOUNT', 'GOLD, troy ounces'),
      option('to', 'KARAT_SWEEP_TO', 'ADDRESS', 'wallet that receives it; default: the treasury', optional),
      reason,
    ],
    run: async (call) => (await import('./treasury.js')).sweep(call),
  },
  {
    name: 'treasury withdraw',
    summary: 'take USDC or GOLD out of the treasury, or collected fees, signed by KARAT_ADMIN_SIGNER',
    details: [
      'It goes to an owner that the program names (karat chain config --withdraw-owners), within the limits of a day.',
      ...adminDetails,
    ],
    options: [
      feePayer,
      option('usdc', 'KARAT_WITHDRAW_USDC', 'AMOUNT', 'USDC', optional),
      option('gold', 'KARAT_WITHDRAW_GOLD', 'AMOUNT', 'GOLD, troy ounces', optional),
      option('fees', 'KARAT_WITHDRAW_FEES', 'AMOUNT', 'USDC of the fee account', optional),
      option('to', 'KARAT_WITHDRAW_TO', 'ADDRESS', 'owner of the account that receives it'),
      reason,
    ],
    run: async (call) => (await import('./treasury.js')).withdraw(call),
  },
];

const reserveCommands: Command[] = [
  {
    name: 'reserve attest',
    summary: 'attest how much gold there is, from the report of a vault or an auditor',
    details: [
      'Needs KARAT_RPC_URL and KARAT_PROGRAM_ID, and no database: the attestor is outside of the service. Without',
      '--attestor-keypair the transaction is printed unsigned; it can land for about a minute. Costs about 0.002 SOL the',
      'first time.',
    ],
    options: [
      option('amount', 'KARAT_ATTEST_AMOUNT', 'AMOUNT', 'GOLD that may exist, troy ounces'),
      option('report', 'KARAT_ATTEST_REPORT', 'FILE', 'the report; only its SHA-256 goes on chain'),
      option(
        'as-of',
        'KARAT_ATTEST_AS_OF',
        'TIME',
        'the time that the report refers to, such as 2026-03-01T12:00:00Z (default: now)',
        optional,
      ),
      option(
        'attestor-keypair',
        'KARAT_ATTESTOR_KEYPAIR',
        'FILE',
        'key file of the attestor, who signs and pays',
        optional,
      ),
    ],
    run: async (call) => (await import('./reserve.js')).attest(call),
  },
  {
    name: 'gold mint',
    summary: 'mint GOLD into the treasury, up to the attested amount',
    details: [
      'Signed by KARAT_ADMIN_SIGNER. Nothing is sent if the chain would refuse it, and the message has the amount above',
      'what is attested.',
      ...adminDetails,
    ],
    options: [feePayer, option('amount', 'KARAT_MINT_AMOUNT', 'AMOUNT', 'GOLD, troy ounces'), reason],
    run: async (call) => (await import('./reserve.js')).mint(call),
  },
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
];

const auditCommands: Command[] = [
  {
    name: 'audit verify',
    summary:
      'compare the audit log with its own hashes, and with the hashes that the keeper wrote to the chain',
    details: [
      'Exits with 1 if an entry was changed, added, removed or cut off. The guardian of the program signed the hashes on',
      'chain; --guardian names an earlier one.',
    ],
    options: [
      option(
        'guardian',
        'KARAT_ANCHORED_BY',
        'ADDRESS',
        'key that signed them (default: that of the program)',
        optional,
      ),
    ],
    run: async (call) => (await import('./audit.js')).verify(call),
  },
];

const customerCommands: Command[] = [
  {
    name: 'users erase',
    summary: 'delete the KYC data of a person and suspend the user; trades and redemptions stay',
    details: [
      'Refused while a redemption of the user has not ended. It cannot be undone. The same wallet and user_id cannot be registered',
      'again. Backups hold the encrypted record until they are deleted.',
    ],
    options: [
      option('partner-id', 'KARAT_ERASE_PARTNER', 'ID', 'id of the partner'),
      option('user-id', 'KARAT_ERASE_USER', 'ID', "the partner's own id of the user"),
      reason,
    ],
    run: async (call) => (await import('./users.js')).erase(call),
  },
  {
    name: 'kyc rotate',
    summary: 'encrypt all KYC data by a new data key, wrapped by KARAT_KYC_KEY',
    details: [
      'To replace KARAT_KYC_KEY, name the old key as KARAT_OTHER_KYC_KEY in all processes first, and remove it afterwards. The',
      'service goes on meanwhile. A run that was broken off is continued by the next one. Users whose records cannot be read are',
      'skipped and printed as unreadable, with exit code 1: they stay encrypted with their old data keys, which are kept.',
    ],
    options: [],
    run: async (call) => (await import('./kyc.js')).rotate(call),
  },
];

const authorityCommand = (name: 'propose' | 'cancel' | 'apply', summary: string): Command => ({
  name: `authority ${name}`,
  summary,
  details: ['Signed by KARAT_ADMIN_SIGNER.', ...adminDetails],
  options: [
    feePayer,
    option('partner', 'KARAT_AUTHORITY_PARTNER', 'ID', 'id of the partner'),
    option('role', 'KARAT_AUTHORITY_ROLE', 'ROLE', 'one of wallet, update, withdrawal'),
    option('address', 'KARAT_AUTHORITY_ADDRESS', 'ADDRESS', 'the proposed key'),
    reason,
  ],
  run: async (call) => (await import('./authorities.js')).act(call, name),
});

const authorityCommands: Command[] = [
  authorityCommand('propose', 'propose another key for a partner that lost its own'),
  authorityCommand('cancel', 'withdraw a proposed key'),
  authorityCommand('apply', 'give a partner the proposed key, after the recovery delay'),
];

const processCommand = (name: string, summary: string): Command => ({
  name,
  summary,
  details: ['Several can run in one process: karat serve,index,keep,deliver'],
  options: [],
  takesWords: true,
  run: async (call) => (await import('./processes.js')).start(call),
});

/** Lists the types that can be triggered, those of one object together, five on a line at most. */
function triggeredList(): string[] {
  const lines: string[][] = [];
  for (const type of triggeredTypes) {
    const line = lines.at(-1);
    const object = type.slice(0, type.indexOf('.') + 1);
    if (line && line.length < 5 && line[0]?.startsWith(object)) line.push(type);
    else lines.push([type]);
  }
  return lines.map((line) => `  ${line.join(' ')}`);
}

/** Every command of `karat`, in the order of its help. */
export const commands: Command[] = [
  processCommand('serve', 'serve the APIs'),
  processCommand('index', 'read the chain and write the records; of several processes, one leads'),
  processCommand('keep', 'set the state of the market and watch the books; of several processes, one leads'),
  processCommand('deliver', 'send webhooks; several processes share the work'),
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
  {
    name: 'doctor',
    summary: 'check configuration, database, node, program, price and keys, and explain what is wrong',
    details: ['Changes nothing. Exit code 1 if anything keeps Karat from working.'],
    options: [option('output', 'KARAT_DOCTOR_OUTPUT', 'FORM', 'text or json', { default: 'text' })],
    run: async (call) => (await import('./doctor.js')).doctor(call),
  },
  {
    name: 'listen',
    summary: "forward a partner's events, signed as webhooks, to an address such as one of this machine",
    details: [
      'For a partner who develops a receiver: prints each event with the response to it. Ctrl-C ends it.',
      "Needs a partner's key of scope PARTNER in KARAT_API_KEY. Signs with KARAT_WEBHOOK_SECRET, or with a secret that it makes",
      'and prints. What the address does not take is not repeated: GET /v1/events still has it.',
    ],
    options: [
      option(
        'forward-to',
        'KARAT_FORWARD_TO',
        'URL',
        'where every event is posted, such as http://localhost:3000/hook',
      ),
      option('api-url', 'KARAT_API_URL', 'URL', 'the partner API', { default: 'http://127.0.0.1:8080' }),
      option(
        'types',
        'KARAT_EVENT_TYPES',
        'LIST',
        'only these types of events, separated by commas',
        optional,
      ),
    ],
    run: async (call) => (await import('./listen.js')).listen(call),
  },
  {
    name: 'trigger',
    summary: 'make an event happen in a running sandbox, by what really causes it, and print it',
    details: [
      'karat trigger TYPE makes the first partner trade, redeem or order, and operators act: nothing is simulated. What is done goes',
      'to standard error. Customers are new ones. Works only against a sandbox on this machine, found by its state folder. Types:',
      ...triggeredList(),
      'trade.expired and the expired orders move the clock of the sandbox on by 2 minutes; partner.suspended and partner.resumed',
      'suspend the partner for a moment, which ends its streams.',
    ],
    options: [
      option('state-dir', 'KARAT_STATE_DIR', 'DIR', 'state folder of the sandbox', { default: '.karat' }),
      option(
        'redemption',
        'KARAT_TRIGGER_REDEMPTION',
        'ID',
        'move this redemption instead of a new one, such as one of the shop',
        optional,
      ),
    ],
    takesWords: true,
    run: async (call) => (await import('./trigger.js')).trigger(call),
  },
  {
    name: 'reindex',
    summary: 'read the chain again from a slot on; existing records stay unchanged',
    details: ['May run next to an indexer, without blocking it.'],
    options: [option('from-slot', 'KARAT_FROM_SLOT', 'SLOT', 'the first slot to read; 0 for everything')],
    run: async (call) => (await import('./reindex.js')).reindex(call),
  },
  ...operatorCommands,
  ...partnerCommands,
  ...customerCommands,
  ...chainCommands,
  ...treasuryCommands,
  ...reserveCommands,
  ...authorityCommands,
  ...auditCommands,
];
