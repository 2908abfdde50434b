import { createHash } from 'node:crypto';
import { AccountRole, type Address, getAddressEncoder, type Instruction } from '@solana/kit';
import { expect, test } from 'vitest';
import {
  addressOf,
  goldExtensions,
  type MetadataFields,
  Scenario,
  SYSTEM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
} from './fixture.js';

const addressBytes = (address: Address) => [...getAddressEncoder().encode(address)];

function text(value: string): number[] {
  const encoded = [...new TextEncoder().encode(value)];
  return [encoded.length, 0, 0, 0, ...encoded];
}

/** The first 8 bytes of an instruction of the metadata interface. */
const metadataInstruction = (name: string) => [
  ...createHash('sha256').update(`spl_token_metadata_interface:${name}`).digest().subarray(0, 8),
];

/** Every instruction that makes the mint of GOLD, by Token-2022 itself. */
function makeMint({ at }: Scenario): Instruction[] {
  const mint = { address: at.goldMint, role: AccountRole.WRITABLE };
  const authority = { address: at.payer, role: AccountRole.READONLY_SIGNER };
  const call = (
    data: number[],
    ...accounts: NonNullable<Instruction['accounts']>[number][]
  ): Instruction => ({
    programAddress: TOKEN_2022_PROGRAM_ADDRESS,
    accounts: [mint, ...accounts],
    data: Uint8Array.from(data),
  });
  const create = new Uint8Array(52);
  const view = new DataView(create.buffer);
  view.setBigUint64(4, 10_000_000n, true);
  view.setBigUint64(12, 234n, true); // with the pointer, without the metadata
  create.set(addressBytes(TOKEN_2022_PROGRAM_ADDRESS), 20);
  const handOver = (kind: number) => call([6, kind, 1, ...addressBytes(at.treasury)], authority);
  return [
    {
      programAddress: SYSTEM_ADDRESS,
      accounts: [
        { address: at.payer, role: AccountRole.WRITABLE_SIGNER },
        { address: at.goldMint, role: AccountRole.WRITABLE_SIGNER },
      ],
      data: create,
    },
    call([39, 0, ...addressBytes(SYSTEM_ADDRESS), ...addressBytes(at.goldMint)]),
    call([20, 6, ...addressBytes(at.payer), 1, ...addressBytes(at.payer)]),
    call(
      [
        ...metadataInstruction('initialize_account'),
        ...text('Karat Gold'),
        ...text('GOLD'),
        ...text('https://karat.example'),
      ],
      { address: at.admin, role: AccountRole.READONLY },
      { address: at.goldMint, role: AccountRole.READONLY },
      authority,
    ),
    call([...metadataInstruction('updating_field'), 3, ...text('issuer'), ...text('Karat')], {
      address: at.admin,
      role: AccountRole.READONLY_SIGNER,
    }),
    handOver(0),
    handOver(1),
  ];
}

test('initialize accepts a mint with metadata that Token-2022 made', async () => {
  const scenario = await Scenario.blank();
  scenario.setAccount(scenario.at.goldMint, SYSTEM_ADDRESS, new Uint8Array(), 0n);
  scenario.mustSend(makeMint(scenario));
  expect(scenario.mustSend([scenario.initialize()]).events).toHaveLength(1);
});

const wrong: [what: string, change: Partial<MetadataFields>][] = [
  ['a pointer that can be moved', { pointerAuthority: addressOf('admin') }],
  ['a pointer to another account', { pointsTo: addressOf('another') }],
  ['metadata that another key than the admin may change', { updateAuthority: addressOf('another') }],
  ['metadata of another mint', { mint: addressOf('another') }],
  ['a transfer fee', { more: [1, 0, 108, 0, ...Array(108).fill(0)] }],
  ['a permanent delegate', { more: [12, 0, 32, 0, ...Array(32).fill(0)] }],
  ['bytes behind its extensions', { more: [0] }],
  ['a length beyond its end', { more: [18, 0, 64, 0] }],
];

test.each(wrong)('initialize refuses a mint with %s', async (_what, change) => {
  const scenario = await Scenario.blank();
  const { goldMint, treasury } = scenario.at;
  const authorities = { mintAuthority: treasury, freezeAuthority: treasury };
  scenario.setGoldMint(goldMint, authorities, goldExtensions(goldMint, change));
  expect(scenario.send([scenario.initialize()]).error).toBe('InvalidMint');
});

test.each(['mintAuthority', 'freezeAuthority'] as const)(
  'initialize refuses a mint without the treasury as %s',
  async (name) => {
    const scenario = await Scenario.blank();
    const { goldMint, treasury, admin } = scenario.at;
    scenario.setGoldMint(goldMint, { mintAuthority: treasury, freezeAuthority: treasury, [name]: admin });
    expect(scenario.send([scenario.initialize()]).error).toBe('InvalidMint');
    scenario.setGoldMint(goldMint, { mintAuthority: treasury, freezeAuthority: treasury, [name]: null });
    expect(scenario.send([scenario.initialize()]).error).toBe('InvalidMint');
  },
);
