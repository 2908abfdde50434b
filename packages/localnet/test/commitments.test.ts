import { type Address, generateKeyPairSigner, type Instruction } from '@solana/kit';
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getBurnInstruction,
  getCloseAccountInstruction,
  getSetAuthorityInstruction,
} from '@solana-program/token';
import { beforeAll, expect, test } from 'vitest';
import {
  failure,
  freshAddress,
  fundedSigner,
  type Json,
  makeMint,
  result,
  SOL,
  SYSTEM_PROGRAM,
  send,
  sign,
  startNode,
  TOKEN_PROGRAM,
} from './harness.js';

// Expected is what a node does: every method that reads accounts reads one bank, that of the requested commitment (Agave
// `rpc/src/rpc.rs`, `get_bank_with_config`), and names its slot.

const node = await startNode({ slotMs: 3_600_000 });
const owner = await fundedSigner(node, 10n * SOL);
const heir = await freshAddress();
const made = await generateKeyPairSigner();
/** Longer than what the index keeps in memory. */
const madeBytes = 5_000;
const paid = await freshAddress();
let mint: Address;
let inherited: Address;
let closed: Address;

async function land(...instructions: Instruction[]): Promise<void> {
  const signed = await sign(node, owner, instructions);
  expect((await send(node, signed)).result).toBe(signed.signature);
}

/** The same reading at each commitment. */
async function each(read: (config: object) => Promise<Json>): Promise<Json> {
  const commitments = ['processed', 'confirmed', 'finalized'];
  const found = await Promise.all(commitments.map((commitment) => read({ commitment, encoding: 'base64' })));
  expect(await read({ encoding: 'base64' })).toEqual(found[2]);
  return found;
}

const listed = (entries: Json[]) => entries.map(({ pubkey }) => pubkey).sort();
const valueAt = async (method: string, ...params: unknown[]) => (await result(node, method, ...params)).value;

// In two slots: `processed` has both, `confirmed` the first, and `finalized` neither.
beforeAll(async () => {
  mint = await makeMint(node, owner.address);
  inherited = (await node.setTokenBalance(owner.address, mint, 10n)) as Address;
  const other = await makeMint(node, owner.address);
  closed = (await node.setTokenBalance(owner.address, other, 0n)) as Address;
  node.warp({ slots: 40 });
  await land(
    getTransferSolInstruction({ source: owner, destination: paid, amount: SOL }),
    getBurnInstruction({ account: inherited, mint, authority: owner, amount: 3n }),
  );
  await land(
    getCloseAccountInstruction({ account: closed, destination: owner.address, owner }),
    getCreateAccountInstruction({
      payer: owner,
      newAccount: made,
      lamports: SOL,
      space: madeBytes,
      programAddress: TOKEN_PROGRAM as Address,
    }),
  );
  node.warp({ slots: 1 });
  await land(
    getTransferSolInstruction({ source: owner, destination: paid, amount: SOL }),
    getSetAuthorityInstruction({
      owned: inherited,
      owner,
      authorityType: AuthorityType.AccountOwner,
      newAuthority: heir,
    }),
  );
});

test('the balance of an account is that of the commitment', async () => {
  const sol = (config: object) => valueAt('getBalance', paid, config);
  expect(await each(sol)).toEqual([2_000_000_000, 1_000_000_000, 0]);
});

test('an account that is new or gone is so from its slot on', async () => {
  const lengths = async (config: object) =>
    (await valueAt('getMultipleAccounts', [made.address, closed], config)).map(
      (account: Json) => account && Buffer.from(account.data[0], 'base64').length,
    );
  expect(await each(lengths)).toEqual([
    [madeBytes, null],
    [madeBytes, null],
    [null, 165],
  ]);
  const single = async (config: object) => (await valueAt('getAccountInfo', closed, config)) === null;
  expect(await each(single)).toEqual([true, true, false]);
});

test('lists by program, owner and mint are those of the commitment', async () => {
  const filters = [{ memcmp: { offset: 0, bytes: mint } }];
  const byProgram = async (config: object) =>
    (await result(node, 'getProgramAccounts', TOKEN_PROGRAM, { ...config, filters })).map(
      ({ account }: Json) => Buffer.from(account.data[0], 'base64').readBigUInt64LE(64),
    );
  expect(await each(byProgram)).toEqual([[7n], [7n], [10n]]);
  const bySize = async (config: object) =>
    listed(
      await result(node, 'getProgramAccounts', TOKEN_PROGRAM, {
        ...config,
        filters: [{ dataSize: madeBytes }],
      }),
    );
  expect(await each(bySize)).toEqual([[made.address], [made.address], []]);
  const of = (holder: string) => async (config: object) =>
    listed(await valueAt('getTokenAccountsByOwner', holder, { programId: TOKEN_PROGRAM }, config));
  expect(await each(of(heir))).toEqual([[inherited], [], []]);
  expect(await each(of(owner.address))).toEqual([[], [inherited], [inherited, closed].sort()]);
});

test('amounts of tokens are those of the commitment', async () => {
  const supply = async (config: object) => (await valueAt('getTokenSupply', mint, config)).amount;
  expect(await each(supply)).toEqual(['7', '7', '10']);
  const balance = async (config: object) =>
    (await valueAt('getTokenAccountBalance', inherited, config)).amount;
  expect(await each(balance)).toEqual(['7', '7', '10']);
  const largest = async (config: object) =>
    (await valueAt('getTokenLargestAccounts', mint, config)).map(({ amount }: Json) => amount);
  expect(await each(largest)).toEqual([['7'], ['7'], ['10']]);
  expect(await failure(node, 'getTokenAccountBalance', closed, { commitment: 'confirmed' })).toMatchObject({
    message: 'Invalid param: could not find account',
  });
});

test('what is written past all rules is there at every commitment', async () => {
  node.setAccount(paid, { lamports: 5n, owner: SYSTEM_PROGRAM, data: new Uint8Array(0), executable: false });
  expect(await each((config) => valueAt('getBalance', paid, config))).toEqual([5, 5, 5]);
});

test('once it is final, every commitment shows it', async () => {
  const of = async (config: object) =>
    listed(await valueAt('getTokenAccountsByOwner', heir, { programId: TOKEN_PROGRAM }, config));
  node.warp({ slots: 29 });
  expect(await each(of)).toEqual([[inherited], [inherited], []]);
  node.warp({ slots: 2 });
  expect(await each(of)).toEqual([[inherited], [inherited], [inherited]]);
});

test('`finalize` makes all of it final while the clock stands still', async () => {
  await land(getTransferSolInstruction({ source: owner, destination: heir, amount: SOL }));
  const before = node.nowUnixMs();
  node.finalize();
  expect(node.nowUnixMs() - before).toBeLessThan(1_000);
  expect(await valueAt('getBalance', heir)).toBe(Number(SOL));
});
