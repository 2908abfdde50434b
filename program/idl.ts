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

const pauseBits = 'Bit 0: trades, 1: partner instructions, 2: withdrawals, 3: redemptions, 4: settlements.';
const expectedSeq: Field = [
  'expectedSeq',
  u64,
  'The `seq` that the caller saw; refused when it is another by then.',
];

const roleSettings: Field[] = [
  ['operations', key, 'Creates partners, sets their fees and status; zero: nobody.'],
  ['market', key, 'Opens and closes the market; zero: nobody.'],
  ['attestor', key, 'Attests the reserve; zero: nobody.'],
  ['withdrawOwners', keys(4), 'Owners of the accounts that may receive inventory; zero: an empty slot.'],
  ['recoveryDelay', u32, 'Seconds until an authority that the admin proposed can be applied.'],
  ['maxAttestationAge', u32, 'Seconds.'],
  ['dailyOutflowUsdc', u64, 'Base units out of the treasury in 24 hours; 0: no limit.'],
  ['dailyOutflowGold', u64, 'Base units out of the treasury in 24 hours; 0: no limit.'],
];

const config = account('config', 'Settings of the whole program; there is exactly one.', 1280, 1, [
  ...(
    [
      ['bump', u8],
      ['treasuryBump', u8],
      ['escrowBump', u8],
      ['marketState', link('marketState')],
      ['paused', u8, pauseBits],
    ] as Field[]
  ).map(field),
  reserved('reservedHeader', 1),
  ...(
    [
      ['admin', key],
      ['pendingAdmin', key, 'Zero when nothing is proposed.'],
      ['guardian', key],
      ['serviceSigners', keys(2), 'Zero: an empty slot.'],
      ['usdcMint', key],
      ['goldMint', key],
      ['treasuryAuthority', key],
      ['treasuryUsdc', key],
      ['treasuryGold', key],
      ['feeUsdc', key],
      ['escrowAuthority', key],
      ['escrowGold', key],
      ['priceAccount', key],
      ['priceOwner', key, 'The program that must own the price account.'],
      ['feedId', bytes(32)],
      ['minPriceE8', u64, 'Lowest accepted price, USD per troy ounce x 10^8.'],
      ['maxPriceE8', u64, 'Highest accepted price, USD per troy ounce x 10^8.'],
      ['maxTradeUsdc', u64, 'Largest trade, base units of USDC before the fee.'],
      ['maxAgeOpen', u32, 'Seconds a price is good for while the market is open.'],
      ['maxAgeClosed', u32, 'Seconds while it is closed; 0: no trades then.'],
      ['maxConfBps', u16],
      ['maxFeeBps', u16],
      ...roleSettings,
      ['escrowOpen', u64, 'Base units of GOLD that open redemptions need.'],
      ['escrowSeq', u64, 'Number of events of escrow so far.'],
      ['seq', u64, 'Number of events of this account so far, without those of escrow.'],
      ['usdcOutflow', link('window'), 'Base units of USDC that left the treasury.'],
      ['goldOutflow', link('window'), 'Base units of GOLD that left the treasury.'],
    ] as Field[]
  ).map(field),
  reserved('reserved', 60),
]);

const integrator = account('integrator', 'One partner.', 832, 2, [
  ...(
    [
      ['bump', u8],
      ['vaultBump', u8],
      ['status', link('integratorStatus')],
      ['executiveCount', u8],
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
      ['vault', key, 'Central vault: owner of the two vault token accounts.'],
      ['vaultUsdc', key],
      ['vaultGold', key],
      ['executives', keys(8), 'The first `executiveCount` are set, the rest is zero.'],
      ['dailyLimitUsdc', u64, 'Base units in 24 hours, of users and vault together; 0: no limit.'],
      ['usdcVolume', link('window'), 'Base units of USDC that were traded, before the fee.'],
      [
        'proposals',
        arrayTypeNode(link('proposal'), fixedCountNode(3)),
        'By role, in the order of `AuthorityRole`.',
      ],
    ] as Field[]
  ).map(field),
  reserved('reserved', 20),
]);

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
  'A redemption whose gold lies in escrow, from `redeem` until `settleRedemption`.',
  120,
  3,
  [
    field(['bump', u8]),
    reserved('reservedHeader', 5),
    ...(
      [
        ['id', bytes(16), "The bytes of the redemption's UUID."],
        ['partnerId', bytes(16), 'The bytes of the partner UUID.'],
        ['user', key, 'Who paid the gold, and alone may get it back.'],
        ['rentPayer', key, 'Who gets the rent of this account back.'],
        ['amount', u64, 'Base units of GOLD.'],
        ['openedAt', i64, 'Unix seconds.'],
      ] as Field[]
    ).map(field),
  ],
);
const reserve = account('reserve', 'The gold that the attestor vouches for.', 64, 5, [
  field(['bump', u8]),
  reserved('reservedHeader', 5),
  ...(
    [
      ['attested', u64, 'Base units of GOLD that may exist.'],
      ['asOf', i64, 'Unix seconds: the moment that the report is about.'],
      ['reportHash', bytes(32), 'SHA-256 of the report.'],
      ['seq', u64, 'Number of attestations so far.'],
    ] as Field[]
  ).map(field),
]);

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
  ['partnerId', bytes(16), 'Zero for events of the config, and for sweepEscrow.'],
  [
    'seq',
    u64,
    'Number of this event: in escrow of redeem, settleRedemption and sweepEscrow, else in its integrator, or in the config when partnerId is zero.',
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
  ['actor', key, "The user of a user's trade or redemption, else the signer who acted."],
  [
    'counterparty',
    key,
    "The partner wallet of a user's trade, the vault of a partner's; the owner of what received tokens; else zero.",
  ],
];

const settings: Field[] = [
  ['guardian', key],
  ['serviceSigners', keys(2), 'Zero: an empty slot.'],
  ['priceAccount', key],
  ['priceOwner', key],
  ['feedId', bytes(32)],
  ['minPriceE8', u64],
  ['maxPriceE8', u64],
  ['maxTradeUsdc', u64],
  ['maxAgeOpen', u32, 'Seconds, at most 300.'],
  ['maxAgeClosed', u32, 'Seconds, at most 604,800; 0: no trades while the market is closed.'],
  ['maxConfBps', u16, 'At most 500.'],
  ['maxFeeBps', u16, 'At most 1,000.'],
  ...roleSettings,
];

const partnerTerms: Field[] = [
  ['status', link('integratorStatus')],
  ['openFeeBps', u16],
  ['closedFeeBps', u16],
  ['dailyLimitUsdc', u64, 'Base units of USDC in 24 hours, of users and vault together; 0: no limit.'],
];

const partnerKeys: Field[] = [
  ['partnerWallet', key],
  ['updateAuthority', key],
  ['withdrawalAuthority', key],
];

const attestation: Field[] = [
  ['amount', u64, 'Base units of GOLD that may exist.'],
  ['asOf', i64, 'Unix seconds: the moment that the report is about; not before that of the last one.'],
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
  struct('window', 'How much there was in the last 24 hours, by the hour.', [
    ['hour', u32, 'The last hour that was counted in, since 1970.'],
    ['sums', arrayTypeNode(u64, fixedCountNode(24)), 'Base units; those of hour h stand at h % 24.'],
  ]),
  struct('proposal', 'An authority of a partner that the admin proposes.', [
    ['key', key, 'Zero when nothing is proposed.'],
    ['readyAt', i64, 'Unix seconds from which it can be applied.'],
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
  struct('settings', 'What `initialize` and `updateConfig` set.', settings),
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
    ['settings', link('settings')],
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
  change('settingsChange', 'Follows the event of `updateConfig`.', link('settings')),
  change(
    'adminChange',
    'Follows the events of `proposeAdmin`, where it is the proposed one, and `acceptAdmin`.',
    key,
  ),
  change('pauseChange', 'Follows the events of `pause` and `resume`: the flags.', u8),
  change('marketChange', 'Follows the event of `setMarket`.', link('marketState')),
  change('tokenAccountsChange', 'Follows the event of `rotateAccounts`.', link('tokenAccounts')),
  change('partnerTermsChange', 'Follows the event of `updateIntegrator`.', link('partnerTerms')),
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
const tokenProgram = meta('tokenProgram', 'readonly', undefined, publicKeyValueNode(TOKEN_PROGRAM_ADDRESS));

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
];

/** The accounts by which an order is executed once. */
const orderAccounts: InstructionAccountNode[] = [
  meta('payer', 'writable signer', 'Pays the rent of the receipt, and gets it back by `closeReceipt`.'),
  meta('receipt', 'writable', 'PDA ["order", id].'),
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

const vaultTradeAccounts: InstructionAccountNode[] = [
  configMeta('writable'),
  meta('integrator', 'writable'),
  meta('executive', 'signer', 'One of the executive authorities of the integrator.'),
  meta('vault', 'readonly', 'PDA ["vault", integrator].'),
  meta('vaultUsdc', 'writable'),
  meta('vaultGold', 'writable'),
  ...marketAccounts,
  ...orderAccounts,
];

const expireAt: Field = ['expireAt', i64, 'Unix seconds; refused when the clock is past it.'];

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
    [['admin', key], ...settings],
  ),
  instruction(
    'updateConfig',
    1,
    'Replaces the settings. Signed by the admin.',
    [configMeta('writable'), meta('admin', 'signer')],
    [expectedSeq, ...settings],
  ),
  instruction(
    'proposeAdmin',
    2,
    'Proposes the next admin; zero withdraws the proposal. Signed by the admin.',
    [configMeta('writable'), meta('admin', 'signer')],
    [['newAdmin', key]],
  ),
  instruction(
    'acceptAdmin',
    3,
    'Completes the hand-over. Signed by the proposed admin.',
    [configMeta('writable'), meta('pendingAdmin', 'signer')],
    [],
  ),
  instruction(
    'pause',
    4,
    'Sets pause bits. Signed by the guardian, operations or the admin.',
    [configMeta('writable'), meta('authority', 'signer')],
    [['mask', u8, pauseBits]],
  ),
  instruction(
    'resume',
    5,
    'Clears pause bits. Signed by the admin.',
    [configMeta('writable'), meta('admin', 'signer')],
    [['mask', u8, pauseBits], expectedSeq],
  ),
  instruction(
    'setMarket',
    6,
    'Opens or closes the market. Signed by the market key or the admin.',
    [configMeta('writable'), meta('authority', 'signer')],
    [['marketState', link('marketState')]],
  ),
  instruction(
    'createIntegrator',
    7,
    'Creates a partner. Its vault token accounts exist already. Signed by operations or the admin.',
    [
      meta('payer', 'writable signer'),
      meta('authority', 'signer'),
      configMeta('readonly'),
      meta('integrator', 'writable', 'PDA ["integrator", partnerId].'),
      meta('vaultUsdc', 'readonly', 'Associated token account of PDA ["vault", integrator].'),
      meta('vaultGold', 'readonly', 'Associated token account of PDA ["vault", integrator].'),
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
    8,
    'Replaces the terms of a partner. Signed by operations or the admin.',
    [meta('authority', 'signer'), configMeta('readonly'), meta('integrator', 'writable')],
    [
      ['expectedTermsSeq', u32, 'The `termsSeq` that the caller saw; refused when it is another by then.'],
      ...partnerTerms,
    ],
  ),
  instruction(
    'updateExecutives',
    9,
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
    10,
    'Replaces the wallet, the update or the withdrawal authority of a partner. Signed by the present one.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('holder', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The new one.'],
    ],
  ),
  instruction(
    'proposeAuthority',
    11,
    'Proposes another authority of a partner, which can be applied after the delay. Signed by the admin.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('admin', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The proposed one.'],
    ],
  ),
  instruction(
    'cancelAuthority',
    12,
    'Withdraws what is proposed. Signed by the update or the withdrawal authority, or by the admin.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('authority', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The proposed one.'],
    ],
  ),
  instruction(
    'applyAuthority',
    13,
    'Replaces an authority of a partner by the proposed one, after the delay. Signed by the admin.',
    [configMeta('readonly'), meta('integrator', 'writable'), meta('admin', 'signer')],
    [
      ['role', link('authorityRole')],
      ['key', key, 'The proposed one.'],
    ],
  ),
  instruction('buy', 14, 'A user pays USDC and gets GOLD at the oracle price.', userTradeAccounts, [
    ['usdcIn', u64, 'Base units of USDC, with the fee.'],
    ['minGoldOut', u64, 'Refused below it.'],
    ['maxGoldOut', u64, 'Refused above it: the price has moved against the treasury.'],
    ...guards,
    tradeId,
  ]),
  instruction('sell', 15, 'A user pays GOLD and gets USDC at the oracle price.', userTradeAccounts, [
    ['goldIn', u64, 'Base units of GOLD.'],
    ['minUsdcOut', u64, 'Refused below it.'],
    ['maxUsdcOut', u64, 'Refused above it: the price has moved against the treasury.'],
    ...guards,
    tradeId,
  ]),
  instruction(
    'partnerPurchase',
    16,
    'The vault of a partner gets GOLD and pays what it costs. Signed by one executive.',
    vaultTradeAccounts,
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
    17,
    'The vault of a partner pays GOLD and gets USDC. Signed by one executive.',
    vaultTradeAccounts,
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
    18,
    'Moves tokens of a vault to the withdrawal authority. Signed by it.',
    [
      configMeta('readonly'),
      meta('integrator', 'writable'),
      meta('withdrawalAuthority', 'signer'),
      meta('vault', 'readonly', 'PDA ["vault", integrator].'),
      meta('vaultToken', 'writable', "The vault's token account for the mint."),
      meta('destination', 'writable', 'Associated token account of the withdrawal authority.'),
      meta('mint', 'readonly', 'USDC or GOLD.'),
      tokenProgram,
      ...orderAccounts,
    ],
    [['amount', u64, 'Base units.'], expireAt, orderId],
  ),
  anyInstruction(
    'closeReceipt',
    19,
    'Closes the receipt of an order an hour after the order has expired. Anybody may call it; it has no event.',
    [meta('receipt', 'writable', 'PDA ["order", id].'), meta('payer', 'writable', 'The one of the receipt.')],
    [],
  ),
  instruction(
    'redeem',
    20,
    'Takes the gold of a user into escrow and makes the account of the redemption. Signed by the user and a service signer.',
    [
      meta(
        'payer',
        'writable signer',
        'Pays the rent of the redemption, and gets it back when it is settled.',
      ),
      configMeta('writable'),
      meta('serviceSigner', 'signer', 'One of the service signers of the config.'),
      meta('user', 'signer'),
      meta('userGold', 'writable', 'GOLD account of the user.'),
      meta('escrowGold', 'writable'),
      meta('goldMint', 'readonly'),
      meta('redemption', 'writable', 'PDA ["redemption", id].'),
      tokenProgram,
      systemProgram,
    ],
    [
      ['id', bytes(16), "The bytes of the redemption's UUID."],
      ['partnerId', bytes(16), "The bytes of the UUID of the user's partner."],
      ['amount', u64, 'Base units of GOLD.'],
    ],
  ),
  instruction(
    'settleRedemption',
    21,
    'Gives the gold of a redemption back to its user, or burns it, and closes its account. Signed by the operations key.',
    [
      configMeta('writable'),
      meta('operations', 'signer'),
      meta('redemption', 'writable', 'PDA ["redemption", id].'),
      meta('rentPayer', 'writable', 'The one that the redemption names.'),
      escrowAuthority,
      meta('escrowGold', 'writable'),
      meta('goldMint', 'writable'),
      meta(
        'destination',
        'writable',
        'burn: escrowGold itself; refund: a GOLD account of the user of the redemption.',
      ),
      tokenProgram,
    ],
    [
      ['id', bytes(16), "The bytes of the redemption's UUID."],
      ['mode', link('settlementMode')],
    ],
  ),
  instruction(
    'sweepEscrow',
    22,
    'Moves gold out of escrow that no open redemption needs. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      escrowAuthority,
      meta('escrowGold', 'writable'),
      meta('goldMint', 'readonly'),
      meta(
        'destination',
        'writable',
        'The account of the treasury, or any GOLD account outside of treasury, fees and escrow.',
      ),
      tokenProgram,
    ],
    [['amount', u64, 'Base units of GOLD; at most what escrow holds above `escrowOpen`.']],
  ),
  instruction(
    'treasuryWithdraw',
    23,
    'Moves inventory out of the treasury, or collected fees. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      meta('treasuryAuthority', 'readonly', 'PDA ["treasury"]; of fees, the config.'),
      meta('treasuryToken', 'writable', "The treasury's token account for the mint, or the fee account."),
      meta(
        'destination',
        'writable',
        'A token account of the mint that one of the withdraw owners of the config has.',
      ),
      meta('mint', 'readonly', 'USDC or GOLD.'),
      tokenProgram,
    ],
    [['amount', u64, 'Base units.']],
  ),
  instruction(
    'rotateAccounts',
    24,
    'Replaces the token accounts of treasury and fees. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      meta('treasuryUsdc', 'readonly', 'Token account of PDA ["treasury"].'),
      meta('treasuryGold', 'readonly', 'Token account of PDA ["treasury"].'),
      meta('feeUsdc', 'readonly', 'Token account of PDA ["config"].'),
    ],
    [expectedSeq],
  ),
  instruction(
    'attest',
    25,
    'Says how much gold there is. Signed by the attestor.',
    [
      meta('payer', 'writable signer', 'Pays the rent of the account, the first time.'),
      meta('attestor', 'signer'),
      configMeta('writable'),
      meta('reserve', 'writable', 'PDA ["reserve"].', pdaValueNode('reserve')),
      systemProgram,
    ],
    attestation,
  ),
  instruction(
    'mintGold',
    26,
    'Mints GOLD into the treasury, within what is attested. Signed by the admin.',
    [
      configMeta('writable'),
      meta('admin', 'signer'),
      meta('reserve', 'readonly', 'PDA ["reserve"].', pdaValueNode('reserve')),
      treasuryAuthority,
      meta('treasuryGold', 'writable'),
      meta('goldMint', 'writable'),
      tokenProgram,
    ],
    [['amount', u64, 'Base units.']],
  ),
  anyInstruction(
    'event',
    255,
    'Carries the event of another instruction, and what follows it. The program alone can call it.',
    [meta('config', 'signer', 'PDA ["config"].')],
    [['event', link('karatEvent')]],
  ),
];

/** Codes start at 6000 in this order. Append only: a code is never renumbered or reused. */
const errors = [
  ['unauthorized', 'This signer does not have the role that the instruction needs.'],
  ['missingSignature', 'An account that must sign did not.'],
  ['invalidAccountOwner', 'An account is owned by another program than it must be.'],
  ['invalidAccountData', 'The data of an account is not what it must be: length, kind, version or state.'],
  ['invalidAddress', 'An account is not the one that the configuration names.'],
  ['accountAlias', 'Two accounts that must differ are the same.'],
  ['invalidMint', 'A mint, or the mint of a token account, is not the expected one.'],
  ['invalidTokenOwner', 'A token account belongs to another owner than it must.'],
  ['tokenAccountFrozen', 'A token account is frozen.'],
  ['alreadyInitialized', 'The account exists already.'],
  ['invalidInstructionData', 'The instruction is unknown or its data has the wrong length.'],
  ['invalidArgument', 'An argument is outside its allowed values.'],
  ['paused', 'Instructions of this kind are paused.'],
  ['integratorSuspended', 'The partner is suspended.'],
  ['expired', 'The instruction came after its expiry time.'],
  ['feeTooHigh', 'The fee is above the accepted or the allowed maximum.'],
  ['zeroAmount', 'An amount is zero, in or out.'],
  ['tradeTooLarge', 'The trade is above the largest allowed one.'],
  ['slippageExceeded', 'The output is below the accepted minimum, or the input above the accepted maximum.'],
  ['insufficientLiquidity', 'The treasury does not have the amount.'],
  ['insufficientFunds', 'The user, the vault or escrow does not have the amount.'],
  ['arithmeticOverflow', 'A result does not fit into 64 bits.'],
  ['oracleInvalidAccount', 'The price account has the wrong address, owner, length or discriminator.'],
  ['oracleNotVerified', 'The price update is not fully verified.'],
  ['oracleFeedMismatch', 'The price is of another feed.'],
  ['oraclePriceInvalid', 'The price is zero or negative.'],
  ['oracleExponent', 'The exponent of the price is outside -12 to 0.'],
  ['oracleStale', 'The price is too old.'],
  ['oracleFuture', 'The price is from the future.'],
  ['oracleConfidence', 'The confidence interval of the price is too wide.'],
  ['oracleOutOfBand', 'The price is outside the allowed band.'],
  ['marketClosed', 'The market is closed and no trading is allowed meanwhile.'],
  ['balanceMismatch', 'A balance after the transfers is not the computed one.'],
  ['invalidTokenProgram', 'The token program is not SPL Token.'],
  ['notEnoughAccounts', 'The instruction was given fewer accounts than it needs.'],
  ['notExecutive', 'This signer is no executive authority of the partner.'],
  ['executiveExists', 'An executive authority that is to be added is there already.'],
  ['executiveMissing', 'An executive authority that is to be removed is not there.'],
  ['tooManyExecutives', 'A partner has at most 8 executive authorities.'],
  ['noExecutiveLeft', 'A partner must keep at least one executive authority.'],
  ['escrowShort', 'Escrow holds less gold than open redemptions need.'],
  ['nothingToSweep', 'Escrow does not hold that much more than open redemptions need.'],
  ['mintAboveAttestation', 'There would be more GOLD than is attested.'],
  ['attestationStale', 'The attestation is too old.'],
  ['dailyLimitExceeded', 'More than the limit of 24 hours would be traded, or leave the treasury.'],
  ['recoveryNotReady', 'What was proposed can not be applied yet.'],
  ['nothingProposed', 'Nothing is proposed for this authority.'],
  ['orderExecuted', 'The order was executed before.'],
  ['priceMoved', 'The price has moved further against the treasury than the trade allows.'],
  ['notClosable', 'The order of the receipt can still be executed, or could an hour ago.'],
  ['staleSequence', 'Something changed since the caller looked: look again.'],
] as const;

const seed = (text: string) => constantPdaSeedNodeFromString('utf8', text);

/** The whole contract as a Codama tree. */
export const idl = rootNode(
  programNode({
    name: 'karat',
    publicKey: DEFAULT_PROGRAM_ADDRESS,
    version: '0.1.0',
    docs: 'Trades between a gold-backed token and USDC at an oracle price.',
    accounts: [config, integrator, receipt, redemption, reserve],
    instructions,
    definedTypes,
    pdas: [
      pdaNode({ name: 'config', seeds: [seed('config')] }),
      pdaNode({ name: 'treasury', docs: 'Owner of the treasury token accounts.', seeds: [seed('treasury')] }),
      pdaNode({ name: 'escrow', docs: 'Owner of the escrow token account.', seeds: [seed('escrow')] }),
      pdaNode({ name: 'reserve', seeds: [seed('reserve')] }),
      pdaNode({ name: 'receipt', seeds: [seed('order'), variablePdaSeedNode('id', bytes(16))] }),
      pdaNode({
        name: 'integrator',
        seeds: [seed('integrator'), variablePdaSeedNode('partnerId', bytes(16))],
      }),
      pdaNode({
        name: 'redemption',
        seeds: [seed('redemption'), variablePdaSeedNode('id', bytes(16))],
      }),
      pdaNode({
        name: 'vault',
        docs: 'Central vault of a partner.',
        seeds: [seed('vault'), variablePdaSeedNode('integrator', key)],
      }),
    ],
    errors: errors.map(([name, message], index) => errorNode({ name, message, code: 6000 + index })),
  }),
);
