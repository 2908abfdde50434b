import {
  type AccountNode,
  accountNode,
  arrayTypeNode,
  bytesTypeNode,
  bytesValueNode,
  constantPdaSeedNodeFromString,
  definedTypeLinkNode,
  definedTypeNode,
  enumEmptyVariantTypeNode,
  enumTypeNode,
  errorNode,
  fieldDiscriminatorNode,
  fixedCountNode,
  fixedSizeTypeNode,
  type InstructionAccountNode,
  type InstructionArgumentNode,
  type InstructionNode,
  instructionAccountNode,
  instructionArgumentNode,
  instructionNode,
  numberTypeNode,
  numberValueNode,
  pdaLinkNode,
  pdaNode,
  pdaValueNode,
  programIdValueNode,
  programNode,
  publicKeyTypeNode,
  publicKeyValueNode,
  rootNode,
  type StructFieldTypeNode,
  sizeDiscriminatorNode,
  structFieldTypeNode,
  structTypeNode,
  type TypeNode,
  variablePdaSeedNode,
} from 'codama';

// The program's contract, written once here. `npm run generate:client` derives `idl.json` and the kit client from it; the test
// `tests/layout.test.ts` compares every size, offset, discriminator and error with constants printed by the Rust crate.

/** Where clients look for the program unless they say otherwise; any deployment may choose an address of its own. */
const DEFAULT_PROGRAM_ADDRESS = '6E1jRG7zvwr94ejhJ6JFszuvi7mbEicfYVFmsrhKtEvp';
const TOKEN_PROGRAM_ADDRESS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022_PROGRAM_ADDRESS = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const SYSTEM_PROGRAM_ADDRESS = '11111111111111111111111111111111';

const u8 = numberTypeNode('u8');
const u16 = numberTypeNode('u16');
const u32 = numberTypeNode('u32');
const u64 = numberTypeNode('u64');
const i32 = numberTypeNode('i32');
const i64 = numberTypeNode('i64');
const key = publicKeyTypeNode();
const bytes = (length: number) => fixedSizeTypeNode(bytesTypeNode(), length);
const keys = (count: number) => arrayTypeNode(key, fixedCountNode(count));
const link = (name: string) => definedTypeLinkNode(name);

type Field = readonly [name: string, type: TypeNode, docs?: string];

/** A field that callers never set: the program keeps it zero. */
function reserved(name: string, length: number): StructFieldTypeNode {
  return structFieldTypeNode({
    name,
    type: bytes(length),
    defaultValue: bytesValueNode('base16', '00'.repeat(length)),
    defaultValueStrategy: 'omitted',
  });
}

function field([name, type, docs]: Field): StructFieldTypeNode {
  return structFieldTypeNode({ name, type, ...(docs ? { docs } : {}) });
}

function constant(name: string, value: number, docs: string): StructFieldTypeNode {
  return structFieldTypeNode({
    name,
    type: u8,
    docs,
    defaultValue: numberValueNode(value),
    defaultValueStrategy: 'omitted',
  });
}

/** An account whose first two bytes are its kind and version. */
function account(
  name: string,
  docs: string,
  size: number,
  kind: number,
  rest: StructFieldTypeNode[],
): AccountNode {
  return accountNode({
    name,
    docs,
    size,
    pda: pdaLinkNode(name),
    discriminators: [fieldDiscriminatorNode('kind'), sizeDiscriminatorNode(size)],
    data: structTypeNode([
      constant('kind', kind, 'What kind of account this is.'),
      constant('version', 1, 'Version of the layout.'),
      ...rest,
    ]),
  });
}

const pauseBits =
  'Bit 0: trades, 1: partner instructions, 2: withdrawals, 3: redemptions, 4: settlements, 5: treasury.';

const config = account(
  'config',
  'Everything that holds for the whole program; there is exactly one.',
  2128,
  1,
  [
    ...(
      [
        ['bump', u8],
        ['treasuryBump', u8],
        ['escrowBump', u8],
        ['marketState', link('marketState')],
        ['paused', u8, `${pauseBits} The last holds until \`treasuryPausedUntil\` only.`],
      ] as Field[]
    ).map(field),
    reserved('reservedHeader', 1),
    ...(
      [
        ['admin', key],
        ['adminProposal', link('proposal'), 'The next admin.'],
        ['hotKeys', link('hotKeys')],
        ['usdcMint', key],
        ['goldMint', key],
        ['treasuryAuthority', key],
        ['treasuryUsdc', key],
        ['treasuryGold', key],
        ['feeUsdc', key],
        ['escrowAuthority', key],
        ['escrowGold', key],
        ['settings', link('settings')],
        ['attestation', link('attestation'), 'The last one; zero before the first.'],
        ['burnedTotal', u64, 'Base units of GOLD that were burned so far.'],
        ['escrowOpen', u64, 'Base units of GOLD that open redemptions need.'],
        ['treasuryPausedUntil', i64, 'Unix seconds.'],
        ['seq', u64, 'Number of events of this account so far.'],
        [
          'settingsSeq',
          u64,
          'Number of changes that only the admin makes: settings, accounts, hot keys, the admin.',
        ],
        ['pauseSeq', u64, 'Number of pauses and resumptions so far.'],
        ['usdcFlow', link('flow'), 'Of the treasury.'],
        ['goldFlow', link('flow'), 'Of the treasury.'],
        ['minted', link('window'), 'Base units of GOLD.'],
      ] as Field[]
    ).map(field),
    reserved('reserved', 60),
  ],
);

const integrator = account(
  'integrator',
  'One partner; it owns the two token accounts of the vault of the partner.',
  828,
  2,
  [
    ...(
      [
        ['bump', u8],
        ['status', link('integratorStatus')],
        ['executiveCount', u8],
        ['vaultSide', link('tradeSide'), 'Of the last trade of the vault.'],
      ] as Field[]
    ).map(field),
    reserved('reservedHeader', 2),
    ...(
      [
        ['partnerId', bytes(16), 'The bytes of the partner UUID.'],
        ['seq', u64, 'Number of events of this account so far.'],
        ['openFeeBps', u16],
        ['closedFeeBps', u16],
        ['termsSeq', u32, 'Number of changes of the terms so far; trades, which count `seq`, are none.'],
        ['partnerWallet', key, 'Co-signs the trades of its users.'],
        ['updateAuthority', key],
        ['withdrawalAuthority', key],
        ['vaultUsdc', key],
        ['vaultGold', key],
        ['executives', keys(8), 'The first `executiveCount` are set, the rest is zero.'],
        ['dailyLimitUsdc', u64, 'Base units in 24 hours, of users and vault together; 2^64 - 1: no limit.'],
        ['vaultTradedAt', i64, 'Unix seconds: the last trade of the vault.'],
        ['usdcVolume', link('window'), 'Base units of USDC that were traded, before the fee.'],
        [
          'proposals',
          arrayTypeNode(link('proposal'), fixedCountNode(3)),
          'By role, in the order of `AuthorityRole`.',
        ],
      ] as Field[]
    ).map(field),
    reserved('reserved', 32),
  ],
);

const receipt = account(
  'receipt',
  'That an order was executed, until nobody can execute it any more.',
  48,
  4,
  [
    field(['bump', u8]),
    reserved('reservedHeader', 5),
    field(['payer', key, 'Paid the rent and gets it back.']),
    field(['closableAt', i64, 'Unix seconds: `closeReceipt` closes it after that.']),
  ],
);

const redemption = account(
  'redemption',
  'A redemption whose gold lies in escrow, from `redeem` until it is settled or reclaimed.',
  136,
  3,
  [
    field(['bump', u8]),
    field(['wasAnnounced', u8, '1: a burn was announced, be it cancelled or void by now.']),
    reserved('reservedHeader', 4),
    ...(
      [
        ['id', bytes(16), "The bytes of the redemption's UUID."],
        ['partnerId', bytes(16), 'The bytes of the partner UUID.'],
        ['user', key, 'Who paid the gold, and alone may get it back.'],
        ['rentPayer', key, 'Who gets the rent of this account back.'],
        ['amount', u64, 'Base units of GOLD.'],
        ['openedAt', i64, 'Unix seconds.'],
        ['reclaimableAt', i64, 'Unix seconds from which the user may take the gold back.'],
        ['burnReadyAt', i64, 'Unix seconds from which an announced burn can be done; 0: none is announced.'],
      ] as Field[]
    ).map(field),
  ],
);

const settingsProposal = account(
  'settingsProposal',
  'Settings that the admin proposes, until they are applied or cancelled.',
  496,
  5,
  [
    field(['bump', u8]),
    reserved('reservedHeader', 5),
    ...(
      [
        ['rentPayer', key, 'Who gets the rent of this account back.'],
        ['readyAt', i64, 'Unix seconds from which they can be applied, for 14 days.'],
        ['settings', link('settings')],
      ] as Field[]
    ).map(field),
  ],
);

const enumOf = (name: string, docs: string, variants: string[]) =>
  definedTypeNode({
    name,
    docs,
    type: enumTypeNode(
      variants.map((variant) => enumEmptyVariantTypeNode(variant)),
      { size: u8 },
    ),
  });

const event: Field[] = [
  ['version', u8],
  ['kind', u8, 'Discriminator of the instruction.'],
  ['partnerId', bytes(16), 'Zero for what concerns no partner.'],
  [
    'seq',
    u64,
    'Number of this event: in the config when partnerId is zero, and of redemptions; else in its integrator.',
  ],
  ['id', bytes(16), 'Of the order, redemption or trade; zero for none.'],
  ['side', link('tradeSide')],
  [
    'amountIn',
    u64,
    'Into a trade: USDC with the fee, or GOLD. Else what left the user, the vault, the treasury or escrow; of mintGold 0.',
  ],
  [
    'amountOut',
    u64,
    'Out of a trade: GOLD, or USDC after the fee. Else what the destination received; of a burn 0.',
  ],
  ['fee', u64, 'USDC.'],
  ['feeBps', u16],
  ['price', u64, 'USD per troy ounce x 10^-exponent.'],
  ['exponent', i32],
  ['confidence', u64],
  ['publishTime', i64],
  ['marketState', link('marketState')],
  [
    'actor',
    key,
    "The user of a user's trade or redemption, else the signer who acted; of applySettings, which anybody calls, who paid for the proposal.",
  ],
  [
    'counterparty',
    key,
    "The partner wallet of a user's trade, the integrator of its vault's; the owner of what received tokens, or of what was frozen or thawed; else zero.",
  ],
];

const settings: Field[] = [
  ['guardian', key],
  ['attestor', key, 'Attests the gold there is; zero: nobody.'],
  ['priceAccount', key],
  ['priceOwner', key, 'The program that must own both price accounts.'],
  ['feedId', bytes(32)],
  ['usdcPriceAccount', key],
  ['usdcFeedId', bytes(32)],
  ['minPriceE8', u64, 'Lowest accepted price, USD per troy ounce x 10^8.'],
  ['maxPriceE8', u64, 'Highest accepted price, USD per troy ounce x 10^8.'],
  ['minUsdcPriceE8', u64, 'Lowest price of USDC to buy gold at, USD x 10^8; at most 10^8.'],
  ['maxTradeUsdc', u64, 'Largest trade, base units of USDC before the fee.'],
  [
    'dailyOutflowUsdc',
    u64,
    'Base units out of the treasury in 24 hours, less what came in; 2^64 - 1: no limit.',
  ],
  [
    'dailyOutflowGold',
    u64,
    'Base units out of the treasury in 24 hours, less what came in; 2^64 - 1: no limit.',
  ],
  ['dailyMint', u64, 'Base units of GOLD in 24 hours; 2^64 - 1: no limit.'],
  ['withdrawOwners', keys(4), 'Owners of the accounts that may receive inventory; zero: an empty slot.'],
  [
    'maxAgeOpen',
    u32,
    'Seconds that a price is good for while the market is open, and that of USDC always; 1 to 300.',
  ],
  ['maxAgeClosed', u32, 'Seconds, at most 604,800; 0: no trades while the market is closed.'],
  [
    'recoveryDelay',
    u32,
    'Seconds until an authority that the admin proposed can be applied; 86,400 to 2,592,000.',
  ],
  ['changeDelay', u32, 'Seconds until proposed settings or another admin can be; 86,400 to 2,592,000.'],
  ['burnDelay', u32, 'Seconds until an announced burn can be done; 3,600 to 2,592,000.'],
  ['redemptionTimeout', u32, 'Seconds until a user may reclaim; 2,592,000 to 31,536,000.'],
  ['oppositeSideSeconds', u32, 'Seconds until a vault may trade in the other direction; at most 86,400.'],
  ['maxAttestationAge', u32, 'Seconds, 1 to 7,948,800.'],
  ['maxConfBps', u16, 'At most 500.'],
  ['minFeeBps', u16, 'At most `maxFeeBps`.'],
  ['maxFeeBps', u16, 'At most 1,000.'],
  ['requireBacking', u8, '1: no GOLD leaves the treasury unless the whole supply is attested; 0: it may.'],
  ['freezeEnabled', u8, '1: the compliance key may freeze accounts; 0: it may not.'],
];

const partnerTerms: Field[] = [
  ['status', link('integratorStatus')],
  ['openFeeBps', u16],
  ['closedFeeBps', u16],
  ['dailyLimitUsdc', u64, 'Base units of USDC in 24 hours, of users and vault together; 2^64 - 1: no limit.'],
];

const partnerKeys: Field[] = [
  ['partnerWallet', key],
  ['updateAuthority', key],
  ['withdrawalAuthority', key],
];

const attestation: Field[] = [
  ['amount', u64, 'Base units of GOLD that may exist.'],
  ['asOf', i64, 'Unix seconds: the moment that the report is about; not before that of the last one.'],
  [
    'burnedAtAsOf',
    u64,
    '`burnedTotal` of the config at that moment: what was burned since is covered by the report no more.',
  ],
  ['reportHash', bytes(32), 'SHA-256 of the report.'],
];

/** A type that is only a name for some fields. */
const struct = (name: string, docs: string, fields: Field[]) =>
  definedTypeNode({ name, docs, type: structTypeNode(fields.map(field)) });

/** The old and the new value of what an instruction changes. */
const change = (name: string, docs: string, type: TypeNode) =>
  struct(name, docs, [
    ['before', type],
    ['after', type],
  ]);

const definedTypes = [
  enumOf('authorityRole', 'Who acts for a partner, one key each.', ['wallet', 'update', 'withdrawal']),
  enumOf('hotKeyRole', 'Keys that are at work every day.', [
    'operations',
    'market',
    'compliance',
    'serviceSigner',
  ]),
  struct('window', 'How much there was in the last 24 hours, by the hour.', [
    ['hour', u32, 'The last hour that was counted in, since 1970.'],
    [
      'sums',
      arrayTypeNode(u64, fixedCountNode(25)),
      'Base units; those of hour h stand at h % 25, and count until h + 24.',
    ],
  ]),
  struct('flow', 'What moved out of the treasury and into it, of one token.', [
    ['outflow', link('window')],
    ['inflow', link('window')],
  ]),
  struct('proposal', 'A key that is proposed for a role.', [
    ['key', key, 'Zero when nothing is proposed.'],
    ['readyAt', i64, 'Unix seconds from which it can take the role, for 14 days.'],
  ]),
  struct('hotKeys', 'Keys that the admin replaces at once.', [
    ['operations', key, 'Creates partners, sets their terms, settles redemptions; zero: nobody.'],
    ['market', key, 'Opens and closes the market; zero: nobody.'],
    ['compliance', key, 'Freezes and thaws accounts; zero: nobody.'],
    ['serviceSigners', keys(2), 'Zero: an empty slot.'],
  ]),
  enumOf('marketState', 'Whether metals trade at this hour.', ['open', 'closed']),
  enumOf('integratorStatus', 'Whether a partner may trade.', ['active', 'suspended']),
  enumOf('tradeSide', 'Direction of a trade; `none` for other events.', ['none', 'buy', 'sell']),
  enumOf('settlementMode', 'What becomes of redeemed gold.', ['burn', 'refund']),
  struct(
    'karatEvent',
    'What every mutation emits once, as the data of the instruction `event`. Amounts are base units, in and out from the trader.',
    event,
  ),
  struct('settings', 'What the admin changes by a proposal alone, all of it at once.', settings),
  struct('partnerTerms', 'What `createIntegrator` sets and `updateIntegrator` changes.', partnerTerms),
  struct('tokenAccounts', 'The token accounts of the program.', [
    ['treasuryUsdc', key],
    ['treasuryGold', key],
    ['feeUsdc', key],
    ['escrowGold', key],
  ]),
  struct('executives', 'The executive authorities of a partner.', [
    ['count', u8],
    ['keys', keys(8), 'The first `count` are set, the rest is zero.'],
  ]),
  struct('configCreated', 'Follows the event of `initialize`.', [
    ['admin', key],
    ['hotKeys', link('hotKeys')],
    ['settings', link('settings')],
  ]),
  struct('proposedSettings', 'Follows the events of `proposeSettings` and `cancelSettings`.', [
    ['readyAt', i64, 'Unix seconds from which they can be applied.'],
    ['settings', link('settings')],
  ]),
  struct(
    'adminChange',
    'Follows the events of `proposeAdmin` and `cancelAdmin`, where it is the proposed one, and `acceptAdmin`.',
    [
      ['before', key],
      ['after', key],
      ['readyAt', i64, 'Unix seconds from which a proposed one can accept, else zero.'],
    ],
  ),
  struct('keyReplaced', 'Follows the event of `replaceKey`.', [
    ['role', link('hotKeyRole')],
    ['before', key],
    ['after', key],
  ]),
  struct('pauseState', 'What is paused.', [
    ['paused', u8, pauseBits],
    ['treasuryPausedUntil', i64, 'Unix seconds.'],
  ]),
  struct('redemptionOpened', 'Follows the event of `redeem`.', [
    ['reclaimableAt', i64, 'Unix seconds from which the user may take the gold back.'],
  ]),
  struct('burnAnnounced', 'Follows the event of `announceBurn`.', [
    ['readyAt', i64, 'Unix seconds from which it can be done, for 14 days.'],
  ]),
  struct('accountFreeze', 'Follows the events of `freezeAccount` and `thawAccount`.', [
    ['account', key],
    ['reasonHash', bytes(32), 'SHA-256 of the reason; of `thawAccount` zero.'],
  ]),
  struct('integratorCreated', 'Follows the event of `createIntegrator`.', [
    ['terms', link('partnerTerms')],
    ...partnerKeys,
    ['executives', link('executives')],
  ]),
  struct('attestation', 'What `attest` sets.', attestation),
  struct(
    'authorityChange',
    'Follows the events of `handOverAuthority` and `applyAuthority`; of `proposeAuthority` and `cancelAuthority`, where it is the proposed one.',
    [
      ['role', link('authorityRole')],
      ['before', key],
      ['after', key],
      ['readyAt', i64, 'Unix seconds from which a proposed one can be applied, else zero.'],
    ],
  ),
  change('settingsChange', 'Follows the event of `applySettings`.', link('settings')),
  change('pauseChange', 'Follows the events of `pause` and `resume`.', link('pauseState')),
  change('marketChange', 'Follows the event of `setMarket`.', link('marketState')),
  change('tokenAccountsChange', 'Follows the event of `rotateAccounts`.', link('tokenAccounts')),
  change(
    'partnerTermsChange',
    'Follows the events of `updateIntegrator` and `suspendIntegrator`.',
    link('partnerTerms'),
  ),
  change('executivesChange', 'Follows the event of `updateExecutives`.', link('executives')),
  change('attestationChange', 'Follows the event of `attest`.', link('attestation')),
];

type Role = 'signer' | 'writable' | 'writable signer' | 'readonly';

function meta(
  name: string,
  role: Role,
  docs?: string,
  defaultValue?: InstructionAccountNode['defaultValue'],
) {
  return instructionAccountNode({
    name,
    isSigner: role.includes('signer'),
    isWritable: role.includes('writable'),
    ...(docs ? { docs } : {}),
    ...(defaultValue ? { defaultValue } : {}),
  });
}

const configMeta = (role: Role) => meta('config', role, 'PDA ["config"].', pdaValueNode('config'));
const systemProgram = meta(
  'systemProgram',
  'readonly',
  undefined,
  publicKeyValueNode(SYSTEM_PROGRAM_ADDRESS),
);
const program = meta(
  'program',
  'readonly',
  'This program, which calls itself to emit the event.',
  programIdValueNode(),
);
const tokenProgram = meta(
  'tokenProgram',
  'readonly',
  'SPL Token, the program of USDC.',
  publicKeyValueNode(TOKEN_PROGRAM_ADDRESS),
);
const goldTokenProgram = meta(
  'goldTokenProgram',
  'readonly',
  'Token-2022, the program of GOLD.',
  publicKeyValueNode(TOKEN_2022_PROGRAM_ADDRESS),
);
/** The program of whichever of the two mints is named. */
const mintTokenProgram = meta('tokenProgram', 'readonly', 'SPL Token for USDC, Token-2022 for GOLD.');

/** An account that callers may leave out: this program takes its place then. */
const optional = (name: string, role: Role, docs: string) => ({
  ...meta(name, role, docs),
  isOptional: true,
});
const proposalMeta = meta(
  'settingsProposal',
  'writable',
  'PDA ["proposal"].',
  pdaValueNode('settingsProposal'),
);

/** An instruction that changes something: it ends with the program, for the event. */
function instruction(
  name: string,
  discriminator: number,
  docs: string,
  accounts: InstructionAccountNode[],
  args: Field[],
): InstructionNode {
  return anyInstruction(name, discriminator, docs, [...accounts, program], args);
}

function anyInstruction(
  name: string,
  discriminator: number,
  docs: string,
  accounts: InstructionAccountNode[],
  args: Field[],
): InstructionNode {
  return instructionNode({
    name,
    docs,
    accounts,
    optionalAccountStrategy: 'programId',
    arguments: [
      instructionArgumentNode({
        name: 'discriminator',
        type: u8,
        defaultValue: numberValueNode(discriminator),
        defaultValueStrategy: 'omitted',
      }),
      ...args.map(
        ([argument, type, about]): InstructionArgumentNode =>
          instructionArgumentNode({ name: argument, type, ...(about ? { docs: about } : {}) }),
      ),
    ],
    discriminators: [fieldDiscriminatorNode('discriminator')],
  });
}

const treasuryAuthority = meta(
  'treasuryAuthority',
  'readonly',
  'PDA ["treasury"].',
  pdaValueNode('treasury'),
);

const escrowAuthority = meta('escrowAuthority', 'readonly', 'PDA ["escrow"].', pdaValueNode('escrow'));

/** The accounts that end every trade. */
const marketAccounts: InstructionAccountNode[] = [
  treasuryAuthority,
  meta('treasuryUsdc', 'writable'),
  meta('treasuryGold', 'writable'),
  meta('feeUsdc', 'writable'),
  meta('usdcMint', 'readonly'),
  meta('goldMint', 'readonly'),
  meta('priceAccount', 'readonly'),
  tokenProgram,
  goldTokenProgram,
];

const usdcPriceAccount = meta('usdcPriceAccount', 'readonly', 'What a dollar of USDC is worth.');

/** The accounts by which an order is executed once. */
const orderAccounts: InstructionAccountNode[] = [
  meta('payer', 'writable signer', 'Pays the rent of the receipt, and gets it back by `closeReceipt`.'),
  meta('receipt', 'writable', 'PDA ["order", integrator, id].'),
  systemProgram,
];

const userTradeAccounts: InstructionAccountNode[] = [
  configMeta('writable'),
  meta('integrator', 'writable'),
  meta('serviceSigner', 'signer', 'One of the service signers of the config.'),
  meta('partnerWallet', 'signer'),
  meta('user', 'signer'),
  meta('userUsdc', 'writable'),
  meta('userGold', 'writable'),
  ...marketAccounts,
];

/** The first accounts of what the vault of a partner trades. */
const vaultTradeAccounts: InstructionAccountNode[] = [
  configMeta('writable'),
  meta('integrator', 'writable'),
  meta('executive', 'signer', 'One of the executive authorities of the integrator.'),
  meta('vaultUsdc', 'writable'),
  meta('vaultGold', 'writable'),
  ...marketAccounts,
];

const redemptionMeta = meta('redemption', 'writable', 'PDA ["redemption", id].');
const redemptionId: Field = ['id', bytes(16), "The bytes of the redemption's UUID."];

/** The accounts of what ends a redemption. */
const escrowAccounts = (destination: string): InstructionAccountNode[] => [
  redemptionMeta,
  meta('rentPayer', 'writable', 'The one that the redemption names.'),
  escrowAuthority,
  meta('escrowGold', 'writable'),
  meta('goldMint', 'writable'),
  meta('destination', 'writable', destination),
  goldTokenProgram,
];

const expectedSettingsSeq: Field = [
  'expectedSettingsSeq',
  u64,
  'The `settingsSeq` that the caller saw; refused when it is another by then.',
];
const proposalRentPayer = meta('rentPayer', 'writable', 'The one that the proposal names.');

const expireAt: Field = [
  'expireAt',
  i64,
  'Unix seconds; refused when the clock is past it, and of an order more than a day before it.',
];

const guards: Field[] = [['maxFeeBps', u16, 'Refused when the fee is higher by then.'], expireAt];

const tradeId: Field = ['id', bytes(16), 'The bytes of the UUID of the trade; the event repeats it.'];
const orderId: Field = ['id', bytes(16), 'The bytes of the UUID of the order, which is executed once.'];

const instructions = [
  instruction(
    'initialize',
    0,
    'Writes the config, once. Signed by the upgrade authority of the program.',
    [
      meta('payer', 'writable signer'),
      meta('upgradeAuthority', 'signer'),
      configMeta('writable'),
      meta('programData', 'readonly', 'ProgramData account of this program (loader v3).'),
      meta('usdcMint', 'readonly'),
      meta('goldMint', 'readonly'),
      meta('treasuryUsdc', 'readonly', 'Token account of PDA ["treasury"].'),
      meta('treasuryGold', 'readonly', 'Token account of PDA ["treasury"].'),
      meta('feeUsdc', 'readonly'),
      meta('escrowGold', 'readonly', 'Token account of PDA ["escrow"].'),
      systemProgram,
    ],
    [
      ['admin', key],
      ['hotKeys', link('hotKeys')],
      ['settings', link('settings')],
    ],
  ),
  instruction(
    'proposeSettings',
    1,
    'Proposes complete new settings. Signed by the admin.',
    [
      meta('payer', 'writable signer', 'Pays the rent of the proposal, and gets it back.'),
      meta('admin', 'signer'),
      configMeta('writable'),
      proposalMeta,
      systemProgram,
    ],
    [expectedSettingsSeq, ['settings', link('settings')]],
  ),
  instruction(
    'applySettings',
    2,
    'Replaces the settings by the proposed ones, after the delay. Anybody may call it.',
    [configMeta('writable'), proposalMeta, proposalRentPayer],
    [],
  ),
  instruction(
    'cancelSettings',
    3,
    'Withdraws the proposed settings. Signed by the guardian, unless they replace it, or the admin.',
    [configMeta('writable'), meta('authority', 'signer'), proposalMeta, proposalRentPayer],
    [],
  ),
  instruction(
    'proposeAdmin',
    4,
    'Proposes the next admin. Signed by the admin.',
    [configMeta('writable'), meta('admin', 'signer')],
    [['newAdmin', key]],
  ),
  instruction(
    'acceptAdmin',
    5,
    'Completes the hand-over, after the delay. Signed by the proposed admin.',
    [configMeta('writable'), meta('newAdmin', 'signer')],
    [],
  ),
  instruction(
    'cancelAdmin',
    6,
    'Withdraws the proposal of another admin. Signed by the guardian or the admin.',
    [configMeta('writable'), meta('authority', 'signer')],
    [],
  ),
  instruction(
    'replaceKey',
    7,
    'Replaces a hot key at once. Signed by the admin.',
    [configMeta('writable'), meta('admin', 'signer')],
    [
      ['role', link('hotKeyRole')],
      ['old', key, 'Must hold the role; zero for an empty slot.'],
      ['new', key, 'Zero empties the slot.'],
    ],
  ),
  instruction(
    'rotateAccounts',
    8,
    'Replaces the token accounts of treasury and fees. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      meta('treasuryUsdc', 'readonly', 'Token account of PDA ["treasury"].'),
      meta('treasuryGold', 'readonly', 'Token account of PDA ["treasury"].'),
      meta('feeUsdc', 'readonly', 'Token account of PDA ["config"].'),
    ],
    [expectedSettingsSeq],
  ),
  instruction(
    'pause',
    9,
    'Sets pause bits; without an event when nothing changes. Signed by the guardian or the admin.',
    [configMeta('writable'), meta('authority', 'signer')],
    [['mask', u8, pauseBits]],
  ),
  instruction(
    'resume',
    10,
    'Clears pause bits. Signed by the admin, and by the guardian while a pause of the treasury lasts.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      optional('guardian', 'signer', 'To end a pause of the treasury.'),
    ],
    [
      ['mask', u8, pauseBits],
      ['expectedPauseSeq', u64, 'The `pauseSeq` that the caller saw; refused when it is another by then.'],
    ],
  ),
  instruction(
    'setMarket',
    11,
    'Opens or closes the market; without an event when it is so already. Signed by the market key or the admin.',
    [configMeta('writable'), meta('authority', 'signer')],
    [['marketState', link('marketState')]],
  ),
  instruction(
    'createIntegrator',
    12,
    'Creates a partner. Its vault token accounts exist already. Signed by operations or the admin.',
    [
      meta('payer', 'writable signer'),
      meta('authority', 'signer'),
      configMeta('readonly'),
      meta('integrator', 'writable', 'PDA ["integrator", partnerId].'),
      meta('vaultUsdc', 'readonly', 'Associated token account of the integrator.'),
      meta('vaultGold', 'readonly', 'Associated token account of the integrator.'),
      systemProgram,
    ],
    [
      ['partnerId', bytes(16), 'The bytes of the partner UUID.'],
      ...partnerTerms,
      ...partnerKeys,
      ['executiveCount', u8, '1 to 8.'],
      ['executives', keys(8), 'Unique and non-zero up to `executiveCount`, zero after it.'],
    ],
  ),
  instruction(
    'updateIntegrator',
    13,
    'Replaces the terms of a partner. Signed by operations or the admin.',
    [meta('authority', 'signer'), configMeta('readonly'), meta('integrator', 'writable')],
    [
      ['expectedTermsSeq', u32, 'The `termsSeq` that the caller saw; refused when it is another by then.'],
      ...partnerTerms,
    ],
  ),
  instruction(
    'suspendIntegrator',
    14,
    'Suspends a partner; without an event when it is so already. Signed by operations, the guardian or the admin.',
    [meta('authority', 'signer'), configMeta('readonly'), meta('integrator', 'writable')],
    [],
  ),
  instruction(
    'updateExecutives',
    15,
    'Removes, then adds executive authorities of a partner. Signed by its update authority.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('updateAuthority', 'signer')],
    [
      ['removeCount', u8, '0 to 8.'],
      ['remove', keys(8), 'Unique and non-zero up to `removeCount`, zero after it.'],
      ['addCount', u8, '0 to 8, not both 0.'],
      ['add', keys(8), 'Unique and non-zero up to `addCount`, zero after it; none of `remove`.'],
    ],
  ),
  instruction(
    'handOverAuthority',
    16,
    'Replaces the wallet, the update or the withdrawal authority of a partner. Signed by the present one.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('holder', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The new one.'],
    ],
  ),
  instruction(
    'proposeAuthority',
    17,
    'Proposes another authority of a partner, which can be applied after the delay. Signed by the admin.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('admin', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The proposed one.'],
    ],
  ),
  instruction(
    'cancelAuthority',
    18,
    'Withdraws what is proposed. Signed by the admin, or by the present authority and another one of the partner.',
    [
      configMeta('readonly'),
      meta('integrator', 'writable'),
      meta('authority', 'signer', 'The admin, or the authority that would be replaced.'),
      optional('second', 'signer', 'Beside the latter: the wallet, the update or the withdrawal authority.'),
    ],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The proposed one.'],
    ],
  ),
  instruction(
    'applyAuthority',
    19,
    'Replaces an authority of a partner by the proposed one, after the delay. Signed by the admin.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('admin', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The proposed one.'],
    ],
  ),
  instruction(
    'buy',
    20,
    'A user pays USDC and gets GOLD at the oracle price.',
    [...userTradeAccounts, usdcPriceAccount],
    [
      ['usdcIn', u64, 'Base units of USDC, with the fee.'],
      ['minGoldOut', u64, 'Refused below it.'],
      ['maxGoldOut', u64, 'Refused above it: the price has moved against the treasury.'],
      ...guards,
      tradeId,
    ],
  ),
  instruction('sell', 21, 'A user pays GOLD and gets USDC at the oracle price.', userTradeAccounts, [
    ['goldIn', u64, 'Base units of GOLD.'],
    ['minUsdcOut', u64, 'Refused below it.'],
    ['maxUsdcOut', u64, 'Refused above it: the price has moved against the treasury.'],
    ...guards,
    tradeId,
  ]),
  instruction(
    'partnerPurchase',
    22,
    'The vault of a partner gets GOLD and pays what it costs. Signed by one executive.',
    [...vaultTradeAccounts, usdcPriceAccount, ...orderAccounts],
    [
      ['goldOut', u64, 'Base units of GOLD.'],
      ['maxUsdcIn', u64, 'Base units of USDC, with the fee; refused above it.'],
      ['minUsdcIn', u64, 'Refused below it: the price has moved against the treasury.'],
      ...guards,
      orderId,
    ],
  ),
  instruction(
    'partnerSale',
    23,
    'The vault of a partner pays GOLD and gets USDC. Signed by one executive.',
    [...vaultTradeAccounts, ...orderAccounts],
    [
      ['goldIn', u64, 'Base units of GOLD.'],
      ['minUsdcOut', u64, 'Refused below it.'],
      ['maxUsdcOut', u64, 'Refused above it: the price has moved against the treasury.'],
      ...guards,
      orderId,
    ],
  ),
  instruction(
    'partnerWithdraw',
    24,
    'Moves tokens of a vault to the withdrawal authority. Signed by it.',
    [
      configMeta('readonly'),
      meta('integrator', 'writable'),
      meta('withdrawalAuthority', 'signer'),
      meta('vaultToken', 'writable', "The vault's token account for the mint."),
      meta('destination', 'writable', 'Associated token account of the withdrawal authority.'),
      meta('mint', 'readonly', 'USDC or GOLD.'),
      mintTokenProgram,
      ...orderAccounts,
    ],
    [['amount', u64, 'Base units.'], expireAt, orderId],
  ),
  anyInstruction(
    'closeReceipt',
    25,
    'Closes the receipt of an order an hour after the order has expired. Anybody may call it; it has no event.',
    [
      meta('receipt', 'writable', 'PDA ["order", integrator, id].'),
      meta('payer', 'writable', 'The one of the receipt.'),
    ],
    [],
  ),
  instruction(
    'redeem',
    26,
    'Takes the gold of a user into escrow and makes the account of the redemption. Signed by the user and a service signer.',
    [
      meta('payer', 'writable signer', 'Pays the rent of the redemption, and gets it back when it is over.'),
      configMeta('writable'),
      meta('serviceSigner', 'signer', 'One of the service signers of the config.'),
      meta('user', 'signer'),
      meta('userGold', 'writable', 'GOLD account of the user.'),
      meta('escrowGold', 'writable'),
      meta('goldMint', 'readonly'),
      redemptionMeta,
      goldTokenProgram,
      systemProgram,
    ],
    [
      ['id', bytes(16), "The bytes of the redemption's UUID."],
      ['partnerId', bytes(16), "The bytes of the UUID of the user's partner."],
      ['amount', u64, 'Base units of GOLD.'],
    ],
  ),
  instruction(
    'announceBurn',
    27,
    'Announces that a redemption is to be burned. Signed by the operations key.',
    [configMeta('writable'), meta('operations', 'signer'), redemptionMeta],
    [redemptionId],
  ),
  instruction(
    'cancelBurn',
    28,
    'Withdraws the announcement of a burn. Signed by the guardian or the admin.',
    [configMeta('writable'), meta('authority', 'signer'), redemptionMeta],
    [redemptionId],
  ),
  instruction(
    'settleRedemption',
    29,
    'Gives the gold of a redemption back to its user, or burns it as announced, and closes its account. Signed by the operations key.',
    [
      configMeta('writable'),
      meta('operations', 'signer'),
      ...escrowAccounts('burn: escrowGold itself; refund: a GOLD account of the user of the redemption.'),
    ],
    [redemptionId, ['mode', link('settlementMode')]],
  ),
  instruction(
    'reclaimRedemption',
    30,
    'Gives the gold of a redemption that was not settled in time back to its user, and closes its account. Signed by the user.',
    [
      configMeta('writable'),
      meta('user', 'signer', 'The one that the redemption names.'),
      ...escrowAccounts('A GOLD account of the user.'),
    ],
    [redemptionId],
  ),
  instruction(
    'sweepEscrow',
    31,
    'Moves gold out of escrow that no open redemption needs, into the treasury. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      escrowAuthority,
      meta('escrowGold', 'writable'),
      meta('goldMint', 'readonly'),
      meta('treasuryGold', 'writable'),
      goldTokenProgram,
    ],
    [['amount', u64, 'Base units of GOLD; at most what escrow holds above `escrowOpen`.']],
  ),
  instruction(
    'treasuryWithdraw',
    32,
    'Moves inventory out of the treasury, or collected fees. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      meta('treasuryAuthority', 'readonly', 'PDA ["treasury"]; of fees, the config.'),
      meta('treasuryToken', 'writable', "The treasury's token account for the mint, or the fee account."),
      meta(
        'destination',
        'writable',
        'A token account of the mint that one of the withdraw owners of the settings has.',
      ),
      meta('mint', 'readonly', 'USDC or GOLD.'),
      mintTokenProgram,
    ],
    [['amount', u64, 'Base units.']],
  ),
  instruction(
    'attest',
    33,
    'Says how much gold there is. Signed by the attestor.',
    [configMeta('writable'), meta('attestor', 'signer')],
    attestation,
  ),
  instruction(
    'mintGold',
    34,
    'Mints GOLD into the treasury, within what is attested. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      treasuryAuthority,
      meta('treasuryGold', 'writable'),
      meta('goldMint', 'writable'),
      goldTokenProgram,
    ],
    [['amount', u64, 'Base units.']],
  ),
  instruction(
    'freezeAccount',
    35,
    'Freezes an account of GOLD, none of treasury, escrow or a vault. Signed by the compliance key.',
    [
      configMeta('writable'),
      meta('compliance', 'signer'),
      meta('account', 'writable', 'A GOLD account.'),
      meta('owner', 'readonly', 'The owner of the account.'),
      meta('goldMint', 'readonly'),
      treasuryAuthority,
      goldTokenProgram,
    ],
    [['reasonHash', bytes(32), 'SHA-256 of the reason.']],
  ),
  instruction(
    'thawAccount',
    36,
    'Thaws an account of GOLD. Signed by the compliance key or the admin.',
    [
      configMeta('writable'),
      meta('authority', 'signer'),
      meta('account', 'writable', 'A GOLD account.'),
      meta('goldMint', 'readonly'),
      treasuryAuthority,
      goldTokenProgram,
    ],
    [],
  ),
  anyInstruction(
    'event',
    255,
    'Carries the event of another instruction, and what follows it. The program alone can call it.',
    [meta('config', 'signer', 'PDA ["config"].')],
    [['event', link('karatEvent')]],
  ),
];

/** Codes start at 6000 in this order. From the first release on, append only: a code is never renumbered or reused. */
const errors = [
  ['unauthorized', 'This signer does not have the role that the instruction needs.'],
  ['missingSignature', 'An account that must sign did not.'],
  ['roleConflict', 'One key would have two roles that must be apart.'],
  ['keyNotInRole', 'The key that is to be replaced does not have the role.'],
  ['invalidAccountOwner', 'An account is owned by another program than it must be.'],
  ['invalidAccountData', 'The data of an account is not what it must be: length, kind, version or state.'],
  ['invalidAddress', 'An account is not the one that the configuration names.'],
  ['accountAlias', 'Two accounts that must differ are the same.'],
  ['invalidMint', 'A mint, or the mint of a token account, is not the expected one.'],
  ['invalidTokenProgram', 'The token program is not that of the mint.'],
  ['invalidTokenOwner', 'A token account belongs to another owner than it must.'],
  ['tokenAccountFrozen', 'A token account is frozen.'],
  ['tokenAccountNotFrozen', 'The token account is not frozen.'],
  ['protectedAccount', 'An account of treasury, escrow or a vault cannot be frozen.'],
  ['alreadyInitialized', 'The account exists already.'],
  ['notEnoughAccounts', 'The instruction was given fewer accounts than it needs.'],
  ['invalidInstructionData', 'The instruction is unknown or its data has the wrong length.'],
  ['invalidArgument', 'An argument is outside its allowed values.'],
  ['staleSequence', 'Something changed since the caller looked: look again.'],
  ['nothingProposed', 'Nothing is proposed for this role.'],
  ['proposalPending', 'Settings are proposed already: apply or cancel them first.'],
  ['notReady', 'What was proposed or announced, or a reclaim, can not be done yet.'],
  ['proposalExpired', 'What was proposed or announced was not done within 14 days.'],
  ['guardianChangeMixed', 'Settings that replace the guardian must change nothing else.'],
  ['paused', 'Instructions of this kind are paused.'],
  ['marketClosed', 'The market is closed and no trading is allowed meanwhile.'],
  ['integratorSuspended', 'The partner is suspended.'],
  ['expired', 'The instruction came after its expiry time.'],
  ['expiryTooFar', 'The order expires in more than 24 hours.'],
  ['orderExecuted', 'The order was executed before.'],
  ['notClosable', 'The order of the receipt can still be executed, or could an hour ago.'],
  ['feeTooHigh', 'The fee is above the accepted or the allowed maximum.'],
  ['feeTooLow', 'The fee is below the allowed minimum.'],
  ['limitTooHigh', 'The limit of a partner is above that of the treasury.'],
  ['zeroAmount', 'An amount is zero, in or out.'],
  ['tradeTooLarge', 'The trade is above the largest allowed one.'],
  ['slippageExceeded', 'The output is below the accepted minimum, or the input above the accepted maximum.'],
  ['priceMoved', 'The price has moved further against the treasury than the trade allows.'],
  ['oppositeSideTooEarly', 'The vault traded in the other direction too short a time ago.'],
  ['dailyLimitExceeded', 'More than the limit of 24 hours would be traded, minted, or leave the treasury.'],
  ['insufficientLiquidity', 'The treasury does not have the amount.'],
  ['insufficientFunds', 'The user, the vault or escrow does not have the amount.'],
  ['arithmeticOverflow', 'A result does not fit into 64 bits.'],
  ['balanceMismatch', 'A balance after the transfers is not the computed one.'],
  ['oracleInvalidAccount', 'A price account has the wrong address, owner, length or discriminator.'],
  ['oracleNotVerified', 'The price update is not fully verified.'],
  ['oracleFeedMismatch', 'The price is of another feed.'],
  ['oraclePriceInvalid', 'The price is zero or negative.'],
  ['oracleExponent', 'The exponent of the price is outside -12 to 0.'],
  ['oracleStale', 'The price is too old.'],
  ['oracleFuture', 'The price is from the future.'],
  ['oracleConfidence', 'The confidence interval of the price is too wide.'],
  ['oracleOutOfBand', 'The price is outside the allowed band.'],
  ['usdcOffPeg', 'USDC is worth too little to buy gold at par, or its price cannot be relied on.'],
  ['notExecutive', 'This signer is no executive authority of the partner.'],
  ['executiveExists', 'An executive authority that is to be added is there already.'],
  ['executiveMissing', 'An executive authority that is to be removed is not there.'],
  ['tooManyExecutives', 'A partner has at most 8 executive authorities.'],
  ['noExecutiveLeft', 'A partner must keep at least one executive authority.'],
  ['escrowShort', 'Escrow holds less gold than open redemptions need.'],
  ['nothingToSweep', 'Escrow does not hold that much more than open redemptions need.'],
  ['burnNotAnnounced', 'No burn of this redemption is announced.'],
  ['burnAnnounced', 'A burn of this redemption is announced.'],
  [
    'burnAnnouncedBefore',
    'A burn of this redemption was announced before, and its user may reclaim it by now.',
  ],
  ['attestationStale', 'The attestation is too old.'],
  ['notBacked', 'There is, or would be, more GOLD than is attested, less what was burned since.'],
  ['freezeDisabled', 'The settings do not allow accounts to be frozen.'],
] as const;

const seed = (text: string) => constantPdaSeedNodeFromString('utf8', text);

/** The whole contract as a Codama tree. */
export const idl = rootNode(
  programNode({
    name: 'karat',
    publicKey: DEFAULT_PROGRAM_ADDRESS,
    version: '0.1.0',
    docs: 'Trades between a gold-backed token and USDC at an oracle price.',
    accounts: [config, integrator, receipt, redemption, settingsProposal],
    instructions,
    definedTypes,
    pdas: [
      pdaNode({ name: 'config', seeds: [seed('config')] }),
      pdaNode({ name: 'treasury', docs: 'Owner of the treasury token accounts.', seeds: [seed('treasury')] }),
      pdaNode({ name: 'escrow', docs: 'Owner of the escrow token account.', seeds: [seed('escrow')] }),
      pdaNode({ name: 'settingsProposal', seeds: [seed('proposal')] }),
      pdaNode({
        name: 'receipt',
        seeds: [seed('order'), variablePdaSeedNode('integrator', key), variablePdaSeedNode('id', bytes(16))],
      }),
      pdaNode({
        name: 'integrator',
        seeds: [seed('integrator'), variablePdaSeedNode('partnerId', bytes(16))],
      }),
      pdaNode({
        name: 'redemption',
        seeds: [seed('redemption'), variablePdaSeedNode('id', bytes(16))],
      }),
    ],
    errors: errors.map(([name, message], index) => errorNode({ name, message, code: 6000 + index })),
  }),
);
