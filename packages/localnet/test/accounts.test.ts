import { type Address, generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import {
  call,
  failure,
  freshAddress,
  fundedSigner,
  makeMint,
  post,
  result,
  SOL,
  SYSTEM_PROGRAM,
  startNode,
  TOKEN_PROGRAM,
} from './harness.js';

// Expected is what Agave 3.0 returns: `rpc/src/rpc.rs` (`get_account_info`, `get_multiple_accounts`, `get_program_accounts`,
// `verify_filter`), `account-decoder/src/lib.rs` (`encode_ui_account`, MAX_BASE58_BYTES), `parse_token.rs` beside it.

const node = await startNode({ slotMs: 3_600_000 });
const owner = await fundedSigner(node, SOL);
// Reads are of the finalized chain unless they ask for another.
node.finalize();
const mint = await makeMint(node, owner.address);
const tokenAccount = await node.setTokenBalance(owner.address, mint, 1_500_000n);
const OWNER = 'BPFLoader1111111111111111111111111111111111';

async function accountWith(data: Uint8Array): Promise<Address> {
  const address = await freshAddress();
  node.setAccount(address, { lamports: 5_000_000n, owner: OWNER, data, executable: false });
  return address;
}
const data200 = Uint8Array.from({ length: 200 }, (_, index) => index);
const big = await accountWith(data200);
const small = await accountWith(data200.subarray(0, 5));
const info = async (address: string, config?: object) =>
  (await result(node, 'getAccountInfo', address, config)).value;

test('a missing account is null, everywhere', async () => {
  const missing = await freshAddress();
  expect(await info(missing)).toBeNull();
  expect((await result(node, 'getBalance', missing)).value).toBe(0);
  expect((await result(node, 'getMultipleAccounts', [missing, owner.address])).value).toEqual([
    null,
    expect.objectContaining({ lamports: 1_000_000_000 }),
  ]);
});

test('account data is returned in each encoding', async () => {
  expect((await info(small)).data).toBe('12VfUX');
  expect((await info(small, { encoding: 'base58' })).data).toEqual(['12VfUX', 'base58']);
  expect((await info(small, { encoding: 'base64' })).data).toEqual(['AAECAwQ=', 'base64']);
  expect(await info(small, { encoding: 'base64' })).toMatchObject({
    executable: false,
    lamports: 5_000_000,
    owner: OWNER,
    space: 5,
  });
  expect(await failure(node, 'getAccountInfo', small, { encoding: 'hex' })).toMatchObject({ code: -32602 });
});

test('base64+zstd is a Zstandard frame of the data', async () => {
  const [text, encoding] = (await info(small, { encoding: 'base64+zstd' })).data;
  expect(encoding).toBe('base64+zstd');
  // Magic, single segment of 5 bytes, one last raw block of 5 bytes (RFC 8878).
  expect(Buffer.from(text, 'base64').toString('hex')).toBe(`28b52ffda005000000${'290000'}0001020304`);
});

test('base58 of more than 128 bytes is -32600', async () => {
  const error = {
    code: -32600,
    message: 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
  };
  expect(await failure(node, 'getAccountInfo', big)).toEqual(error);
  expect(await failure(node, 'getAccountInfo', big, { encoding: 'base58' })).toEqual(error);
  const slice = { offset: 1, length: 128 };
  expect((await info(big, { encoding: 'base58', dataSlice: slice })).data[1]).toBe('base58');
});

test('dataSlice cuts, also beyond the end', async () => {
  const cut = async (offset: number, length: number) =>
    Buffer.from((await info(big, { encoding: 'base64', dataSlice: { offset, length } })).data[0], 'base64');
  expect(await cut(2, 3)).toEqual(Buffer.from([2, 3, 4]));
  expect(await cut(198, 10)).toEqual(Buffer.from([198, 199]));
  expect(await cut(500, 1)).toHaveLength(0);
  expect(await failure(node, 'getAccountInfo', big, { dataSlice: { offset: 1 } })).toMatchObject({
    code: -32602,
  });
});

test('rentEpoch is exact in the JSON text', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [small] });
  expect(await (await post(node, body)).text()).toContain('"rentEpoch":18446744073709551615,');
});

test('lamports beyond 2^53 are exact in the JSON text', async () => {
  const rich = await freshAddress();
  node.setAccount(rich, {
    lamports: 2n ** 63n + 1n,
    owner: SYSTEM_PROGRAM,
    data: new Uint8Array(0),
    executable: false,
  });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [rich] });
  expect(await (await post(node, body)).text()).toContain('"value":9223372036854775809}');
});

test('jsonParsed: token account, mint, and base64 for what has no parser', async () => {
  expect(await info(tokenAccount, { encoding: 'jsonParsed' })).toMatchObject({
    data: {
      program: 'spl-token',
      parsed: {
        type: 'account',
        info: {
          isNative: false,
          mint,
          owner: owner.address,
          state: 'initialized',
          tokenAmount: { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' },
        },
      },
      space: 165,
    },
    owner: TOKEN_PROGRAM,
  });
  expect((await info(mint, { encoding: 'jsonParsed' })).data).toEqual({
    program: 'spl-token',
    parsed: {
      type: 'mint',
      info: {
        decimals: 6,
        freezeAuthority: null,
        isInitialized: true,
        mintAuthority: owner.address,
        supply: '1500000',
      },
    },
    space: 82,
  });
  expect((await info(small, { encoding: 'jsonParsed' })).data).toEqual(['AAECAwQ=', 'base64']);
});

test('getMultipleAccounts: base64 by default, 100 at most', async () => {
  const { value } = await result(node, 'getMultipleAccounts', [small, mint], {});
  expect(value[0].data).toEqual(['AAECAwQ=', 'base64']);
  expect(await failure(node, 'getMultipleAccounts', Array(101).fill(small))).toEqual({
    code: -32602,
    message: 'Too many inputs provided; max 100',
  });
  expect(await failure(node, 'getMultipleAccounts', [small, 'x'])).toMatchObject({ code: -32602 });
});

test('getProgramAccounts: all of a program, filtered by size and content', async () => {
  const pubkeys = async (config: object) =>
    (await result(node, 'getProgramAccounts', OWNER, { encoding: 'base64', ...config }))
      .map((entry: { pubkey: string }) => entry.pubkey)
      .sort();
  expect(await pubkeys({})).toEqual([big, small].sort());
  expect(await pubkeys({ filters: [{ dataSize: 200 }] })).toEqual([big]);
  expect(await pubkeys({ filters: [{ memcmp: { offset: 1, bytes: 'AQID', encoding: 'base64' } }] })).toEqual(
    [big, small].sort(),
  );
  expect(await pubkeys({ filters: [{ memcmp: { offset: 3, bytes: '4' } }] })).toEqual([big, small].sort());
  expect(await pubkeys({ filters: [{ memcmp: { offset: 4, bytes: '4' } }] })).toEqual([]);
  expect(await pubkeys({ filters: [{ memcmp: { offset: 3, bytes: '4' } }, { dataSize: 5 }] })).toEqual([
    small,
  ]);
  const withContext = await result(node, 'getProgramAccounts', OWNER, {
    encoding: 'base64',
    withContext: true,
  });
  expect(withContext.context.slot).toEqual(expect.any(Number));
  expect(withContext.value).toHaveLength(2);
  expect(
    await failure(node, 'getProgramAccounts', OWNER, { filters: Array(5).fill({ dataSize: 5 }) }),
  ).toEqual({
    code: -32602,
    message: 'Too many filters provided; max 4',
  });
  // `RpcFilterType` as serde reads it, and as `RpcFilterType::verify` finds fault with it.
  const long = 'z'.repeat(176);
  for (const [filter, message] of [
    [
      { colour: 'red' },
      'Invalid params: unknown variant `colour`, expected one of `dataSize`, `memcmp`, `tokenAccountState`.',
    ],
    [{ dataSize: 5, memcmp: {} }, 'Invalid params: invalid value: map, expected map with a single key.'],
    [{ memcmp: { bytes: '2' } }, 'Invalid params: missing field `offset`.'],
    [{ memcmp: { offset: 0, bytes: long } }, 'Invalid param: DataTooLarge'],
    [{ memcmp: { offset: 0, bytes: '1'.repeat(129) } }, 'Invalid param: DataTooLarge'],
    [
      { memcmp: { offset: 0, bytes: '20' } },
      "Invalid param: Base58DecodeError(InvalidCharacter { character: '0', index: 1 })",
    ],
    [
      { memcmp: { offset: 0, bytes: '!A==', encoding: 'base64' } },
      'Invalid param: Base64DecodeError(InvalidByte(0, 33))',
    ],
  ] as const)
    expect(await failure(node, 'getProgramAccounts', OWNER, { filters: [filter] })).toEqual({
      code: -32602,
      message,
    });
  expect(await failure(node, 'getProgramAccounts', OWNER)).toMatchObject({ code: -32600 });
});

test('an account that changes its owner leaves the index of the old one', async () => {
  const moving = await accountWith(new Uint8Array(3));
  const other = 'BPFLoader2111111111111111111111111111111111';
  node.setAccount(moving, { lamports: 1n, owner: other, data: new Uint8Array(3), executable: false });
  const listed = async (program: string) =>
    (await result(node, 'getProgramAccounts', program, { encoding: 'base64', filters: [{ dataSize: 3 }] }))
      .length;
  expect(await listed(OWNER)).toBe(0);
  expect(await listed(other)).toBe(1);
  node.setAccount(moving, undefined);
  expect(await listed(other)).toBe(0);
});

test('token accounts by owner: by mint, by program, and the errors', async () => {
  const by = (filter: object) =>
    call(node, 'getTokenAccountsByOwner', owner.address, filter, { encoding: 'jsonParsed' });
  const second = await makeMint(node, owner.address, 0);
  const secondAccount = await node.setTokenBalance(owner.address, second, 7n);
  expect((await by({ mint })).result.value).toMatchObject([
    { pubkey: tokenAccount, account: { lamports: 2_039_280 } },
  ]);
  expect(
    (await by({ programId: TOKEN_PROGRAM })).result.value
      .map((entry: { pubkey: string }) => entry.pubkey)
      .sort(),
  ).toEqual([tokenAccount, secondAccount].sort());
  expect((await by({ mint: await freshAddress() })).error).toEqual({
    code: -32602,
    message: 'Invalid param: could not find mint',
  });
  expect((await by({ programId: SYSTEM_PROGRAM })).error).toEqual({
    code: -32602,
    message: 'Invalid param: unrecognized Token program id',
  });
  expect((await by({})).error).toMatchObject({ code: -32602 });
});

test('token balance and supply', async () => {
  const amount = { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' };
  expect((await result(node, 'getTokenAccountBalance', tokenAccount)).value).toEqual(amount);
  expect((await result(node, 'getTokenSupply', mint)).value).toEqual(amount);
  const missing = await freshAddress();
  expect(await failure(node, 'getTokenAccountBalance', missing)).toEqual({
    code: -32602,
    message: 'Invalid param: could not find account',
  });
  expect(await failure(node, 'getTokenAccountBalance', mint)).toEqual({
    code: -32602,
    message: 'Invalid param: not a Token account',
  });
  expect(await failure(node, 'getTokenSupply', tokenAccount)).toEqual({
    code: -32602,
    message: 'Invalid param: mint could not be unpacked',
  });
  expect(await failure(node, 'getTokenSupply', owner.address)).toEqual({
    code: -32602,
    message: 'Invalid param: not a Token mint',
  });
});

test('the Clock account is readable and moves with the chain', async () => {
  const clock = async () =>
    Buffer.from(
      (await info('SysvarC1ock11111111111111111111111111111111', { encoding: 'base64' })).data[0],
      'base64',
    );
  const before = await clock();
  expect(Number(before.readBigUInt64LE(0))).toBe(await result(node, 'getSlot', { commitment: 'processed' }));
  node.warp({ seconds: 7_200 });
  const after = await clock();
  expect(after.readBigUInt64LE(0)).toBe(before.readBigUInt64LE(0) + 2n);
  expect(Number(after.readBigInt64LE(32) - before.readBigInt64LE(32))).toBeGreaterThanOrEqual(7_200);
  expect(Number(after.readBigInt64LE(32))).toBe(
    await result(node, 'getBlockTime', Number(after.readBigUInt64LE(0))),
  );
});

test('SlotHashes holds the recent blockhashes', async () => {
  const data = Buffer.from(
    (await info('SysvarS1otHashes111111111111111111111111111', { encoding: 'base64' })).data[0],
    'base64',
  );
  const slot = await result(node, 'getSlot', { commitment: 'processed' });
  expect(Number(data.readBigUInt64LE(8))).toBe(slot - 1);
  const { blockhash } = await result(node, 'getBlock', slot - 1, { commitment: 'confirmed' });
  const { getBase58Decoder } = await import('@solana/kit');
  expect(getBase58Decoder().decode(data.subarray(16, 48))).toBe(blockhash);
});

test('a minContextSlot ahead of the bank is -32016 on every read', async () => {
  const slot = await result(node, 'getSlot');
  const config = { minContextSlot: slot + 1 };
  const reads: [string, ...unknown[]][] = [
    ['getAccountInfo', small],
    ['getBalance', small],
    ['getMultipleAccounts', [small]],
    ['getTokenAccountsByOwner', owner.address, { mint }],
    ['getLatestBlockhash'],
    ['getSlot'],
    ['getBlockHeight'],
    ['getEpochInfo'],
  ];
  for (const [method, ...params] of reads) {
    expect(await failure(node, method, ...params, config)).toMatchObject({
      code: -32016,
      data: { contextSlot: slot },
    });
  }
});

test('the in-process API refuses an invalid address', async () => {
  expect(() => node.setAccount('nonsense', undefined)).toThrow('not an address');
  expect(node.getAccount((await generateKeyPairSigner()).address)).toBeUndefined();
});
