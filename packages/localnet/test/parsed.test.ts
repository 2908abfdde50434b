import { type Address, getBase58Decoder, getBase58Encoder } from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { getAddMemoInstruction } from '@solana-program/memo';
import {
  getAllocateInstruction,
  getAssignInstruction,
  getCreateAccountInstruction,
  getCreateAccountWithSeedInstruction,
} from '@solana-program/system';
import {
  AuthorityType,
  getBurnCheckedInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenInstructionAsync,
  getFreezeAccountInstruction,
  getInitializeMint2Instruction,
  getMintToCheckedInstruction,
  getSetAuthorityInstruction,
  getThawAccountInstruction,
} from '@solana-program/token';
import { expect, test } from 'vitest';
import { associatedTokenAddress } from '../src/token-balance.js';
import {
  freshAddress,
  fundedSigner,
  type Json,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sign,
  startNode,
  TOKEN_PROGRAM,
} from './harness.js';

// Expected is what Agave 3.0 writes: `transaction-status/src/parse_system.rs`, `parse_token.rs`, `parse_associated_token.rs`
// and `parse_instruction.rs`, `account-decoder/src/parse_sysvar.rs`.

const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const { generateKeyPairSigner } = await import('@solana/kit');

/** Lands instructions; gives them as jsonParsed shows them. */
async function parsed(...instructions: Parameters<typeof sign>[2]): Promise<Json[]> {
  const signed = await sign(node, payer, instructions);
  const { error } = await send(node, signed);
  if (error) throw new Error(JSON.stringify(error));
  node.warp({ slots: 31 });
  const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 };
  return (await result(node, 'getTransaction', signed.signature, config)).transaction.message.instructions;
}

test('compute-budget instructions stay raw, as on a node: Agave has no parser for them', async () => {
  const [limit, price] = await parsed(
    getSetComputeUnitLimitInstruction({ units: 1_000 }),
    getSetComputeUnitPriceInstruction({ microLamports: 5n }),
  );
  expect(limit).toEqual({
    accounts: [],
    data: getBase58Decoder().decode(Uint8Array.of(2, 0xe8, 3, 0, 0)),
    programId: 'ComputeBudget111111111111111111111111111111',
    stackHeight: 1,
  });
  expect('parsed' in price).toBe(false);
});

test('a memo is its text', async () => {
  const [memo] = await parsed(getAddMemoInstruction({ memo: 'grüß dich' }, { programAddress: MEMO }));
  expect(memo).toEqual({ parsed: 'grüß dich', program: 'spl-memo', programId: MEMO, stackHeight: 1 });
});

test('system: createAccount, assign, allocate', async () => {
  const [account, other] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  const [create, allocate, assign] = await parsed(
    getCreateAccountInstruction({
      payer,
      newAccount: account,
      lamports: 2_000_000n,
      space: 10n,
      programAddress: TOKEN_PROGRAM as Address,
    }),
    getAllocateInstruction({ newAccount: other, space: 0n }),
    getAssignInstruction({ account: other, programAddress: SYSTEM_PROGRAM as Address }),
  );
  expect(create.parsed).toEqual({
    type: 'createAccount',
    info: {
      lamports: 2_000_000,
      newAccount: account.address,
      owner: TOKEN_PROGRAM,
      source: payer.address,
      space: 10,
    },
  });
  expect(allocate.parsed).toEqual({ type: 'allocate', info: { account: other.address, space: 0 } });
  expect(assign.parsed).toEqual({ type: 'assign', info: { account: other.address, owner: SYSTEM_PROGRAM } });
});

test('system: createAccountWithSeed', async () => {
  const { createAddressWithSeed } = await import('@solana/kit');
  const programAddress = SYSTEM_PROGRAM as Address;
  const newAccount = await createAddressWithSeed({ baseAddress: payer.address, programAddress, seed: 'one' });
  const [create] = await parsed(
    getCreateAccountWithSeedInstruction({
      payer,
      newAccount,
      base: payer.address,
      seed: 'one',
      amount: 1_000_000n,
      space: 0n,
      programAddress,
    }),
  );
  expect(create.parsed).toEqual({
    type: 'createAccountWithSeed',
    info: {
      base: payer.address,
      lamports: 1_000_000,
      newAccount,
      owner: SYSTEM_PROGRAM,
      seed: 'one',
      source: payer.address,
      space: 0,
    },
  });
});

test('token and associated token: a life of a mint and an account', async () => {
  const mint = await generateKeyPairSigner();
  const owner = payer.address;
  const account = (await associatedTokenAddress(owner, mint.address, TOKEN_PROGRAM)) as Address;
  const amount = (text: string, ui: number) => ({
    amount: text,
    decimals: 2,
    uiAmount: ui,
    uiAmountString: String(ui),
  });
  const freezeAuthority = payer;
  const types = await parsed(
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports: 1_461_600n,
      space: 82n,
      programAddress: TOKEN_PROGRAM as Address,
    }),
    getInitializeMint2Instruction({
      mint: mint.address,
      decimals: 2,
      mintAuthority: owner,
      freezeAuthority: owner,
    }),
    await getCreateAssociatedTokenInstructionAsync({ payer, owner, mint: mint.address }),
    getMintToCheckedInstruction({
      mint: mint.address,
      token: account,
      mintAuthority: payer,
      amount: 150n,
      decimals: 2,
    }),
    getFreezeAccountInstruction({ account, mint: mint.address, owner: freezeAuthority }),
    getThawAccountInstruction({ account, mint: mint.address, owner: freezeAuthority }),
    getBurnCheckedInstruction({ account, mint: mint.address, authority: payer, amount: 150n, decimals: 2 }),
    getSetAuthorityInstruction({
      owned: mint.address,
      owner: payer,
      authorityType: AuthorityType.MintTokens,
      newAuthority: null,
    }),
    getCloseAccountInstruction({ account, destination: owner, owner: payer }),
  );
  expect(types.map((one) => one.parsed)).toMatchObject([
    { type: 'createAccount' },
    {
      type: 'initializeMint2',
      info: { decimals: 2, freezeAuthority: owner, mint: mint.address, mintAuthority: owner },
    },
    {
      type: 'create',
      info: { account, mint: mint.address, source: owner, tokenProgram: TOKEN_PROGRAM, wallet: owner },
    },
    {
      type: 'mintToChecked',
      info: { account, mint: mint.address, mintAuthority: owner, tokenAmount: amount('150', 1.5) },
    },
    { type: 'freezeAccount', info: { account, freezeAuthority: owner, mint: mint.address } },
    { type: 'thawAccount', info: { account, freezeAuthority: owner, mint: mint.address } },
    {
      type: 'burnChecked',
      info: { account, authority: owner, mint: mint.address, tokenAmount: amount('150', 1.5) },
    },
    {
      type: 'setAuthority',
      info: { authority: owner, authorityType: 'mintTokens', mint: mint.address, newAuthority: null },
    },
    { type: 'closeAccount', info: { account, destination: owner, owner } },
  ]);
});

test('a mint of token-2022 has its extensions, with name, symbol and uri, and an account of it as well', async () => {
  const [mint, authority, account] = await Promise.all([freshAddress(), freshAddress(), freshAddress()]);
  const key = (address: string) => Buffer.from(getBase58Encoder().encode(address));
  const text = (value: string) => Buffer.concat([Buffer.of(value.length, 0, 0, 0), Buffer.from(value)]);
  const extension = (type: number, value: Buffer) =>
    Buffer.concat([Buffer.of(type, 0, value.length & 0xff, value.length >> 8), value]);
  const head = Buffer.alloc(166);
  head.writeUInt8(6, 44);
  head.writeUInt8(1, 45);
  head.writeUInt8(1, 165);
  const texts = ['Some Gold', 'SG', 'https://some.example/gold.json'].map(text);
  const field = [Buffer.of(1, 0, 0, 0), text('issuer'), text('Somebody')];
  const data = Buffer.concat([
    head,
    extension(18, Buffer.concat([Buffer.alloc(32), key(mint)])),
    extension(19, Buffer.concat([key(authority), key(mint), ...texts, ...field])),
    extension(99, Buffer.of(1)),
    // Cut short.
    extension(19, Buffer.alloc(70, 0xff)),
  ]);
  const owner = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
  node.setAccount(mint, { lamports: SOL, owner, data, executable: false });
  const config = { encoding: 'jsonParsed' };
  const read = async (address: string) => (await result(node, 'getAccountInfo', address, config)).value.data;
  const { program, parsed } = await read(mint);
  expect([program, parsed.info.extensions]).toEqual([
    'spl-token-2022',
    [
      { extension: 'metadataPointer', state: { authority: null, metadataAddress: mint } },
      {
        extension: 'tokenMetadata',
        state: {
          additionalMetadata: [['issuer', 'Somebody']],
          mint,
          name: 'Some Gold',
          symbol: 'SG',
          updateAuthority: authority,
          uri: 'https://some.example/gold.json',
        },
      },
      { extension: 'unparseableExtension' },
      { extension: 'unparseableExtension' },
    ],
  ]);
  const held = await node.setTokenBalance(account, mint, 5n);
  expect((await read(held)).parsed.info.extensions).toEqual([{ extension: 'immutableOwner' }]);
});

test('data too short for its layout stays raw instead of breaking the response', async () => {
  const wrong = { programAddress: SYSTEM_PROGRAM as Address, accounts: [], data: Uint8Array.of(2, 0, 0, 0) };
  const signed = await sign(node, payer, [wrong]);
  await send(node, signed, { skipPreflight: true });
  node.warp({ slots: 31 });
  const found = await result(node, 'getTransaction', signed.signature, {
    encoding: 'jsonParsed',
    maxSupportedTransactionVersion: 0,
  });
  expect(found.transaction.message.instructions[0]).toEqual({
    accounts: [],
    data: expect.any(String),
    programId: SYSTEM_PROGRAM,
    stackHeight: 1,
  });
});

const sysvar = async (address: string) =>
  (await result(node, 'getAccountInfo', address, { encoding: 'jsonParsed' })).value.data;

test('sysvars as jsonParsed: clock, rent, epochSchedule, slotHashes, recentBlockhashes', async () => {
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  const clock = await sysvar('SysvarC1ock11111111111111111111111111111111');
  expect(clock).toMatchObject({
    program: 'sysvar',
    parsed: { type: 'clock', info: { epoch: 0, leaderScheduleEpoch: 1, slot } },
    space: 40,
  });
  expect(clock.parsed.info.unixTimestamp).toBe(await result(node, 'getBlockTime', slot));
  expect((await sysvar('SysvarRent111111111111111111111111111111111')).parsed).toEqual({
    type: 'rent',
    info: {
      burnPercent: 50,
      exemptionThreshold: expect.any(Number),
      lamportsPerByteYear: expect.any(String),
    },
  });
  expect((await sysvar('SysvarEpochSchedu1e111111111111111111111111')).parsed).toEqual({
    type: 'epochSchedule',
    info: await result(node, 'getEpochSchedule'),
  });
  const { blockhash } = await result(node, 'getBlock', slot - 1, {
    commitment: 'confirmed',
    transactionDetails: 'none',
  });
  const hashes = (await sysvar('SysvarS1otHashes111111111111111111111111111')).parsed;
  expect(hashes).toMatchObject({ type: 'slotHashes' });
  expect(hashes.info[0]).toEqual({ hash: blockhash, slot: slot - 1 });
  const recent = (await sysvar('SysvarRecentB1ockHashes11111111111111111111')).parsed.info;
  expect(recent).toHaveLength(150);
  expect(recent[1]).toEqual({ blockhash, feeCalculator: { lamportsPerSignature: '5000' } });
});

test('an account of a parsed program whose bytes are none of its layouts falls back to base64', async () => {
  const address = await freshAddress();
  for (const owner of [
    'BPFLoaderUpgradeab1e11111111111111111111111',
    'AddressLookupTab1e1111111111111111111111111',
    TOKEN_PROGRAM,
  ]) {
    node.setAccount(address, { lamports: 5n, owner, data: Uint8Array.of(9, 9), executable: false });
    const { value } = await result(node, 'getAccountInfo', address, { encoding: 'jsonParsed' });
    expect(value.data).toEqual(['CQk=', 'base64']);
  }
});
