import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as karat from '@karat/program-client';
import {
  type Address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  type Base58EncodedBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import * as token from '@solana-program/token';
import { expect, test } from 'vitest';
import { ownGoldMetadata, sandboxSettings } from '../../sandbox/src/own-chain.js';
import {
  createGoldMint,
  createTokenAccounts,
  createUsdcMint,
  goldOf,
  programAddresses,
  usdcOf,
} from '../../service/src/chain/admin/seed.js';
import { programDataAddress } from '../src/programs.js';
import { firstOf, freshAddress, fundedSigner, SOL, SYSTEM_PROGRAM, startNode, transfer } from './harness.js';

// Clients that Codama generated, against the real programs: the token program's, and one of a program of this repository.
const authority = await generateKeyPairSigner();
const node = await startNode({
  slotMs: 50,
  programs: [
    {
      address: karat.KARAT_PROGRAM_ADDRESS,
      so: readFileSync(fileURLToPath(new URL('../../../program/karat.so', import.meta.url))),
      upgradeAuthority: authority.address,
    },
  ],
});
node.airdrop(authority.address, 100n * SOL);
const rpc = createSolanaRpc(node.rpcUrl);
const rpcSubscriptions = createSolanaRpcSubscriptions(node.wsUrl);
const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
const PROCESSED = { commitment: 'processed' } as const;

/** Sends instructions and waits for them; gives what was thrown, with the message that it was about. */
async function attempt(payer: KeyPairSigner, instructions: Instruction[]) {
  const { value } = await rpc.getLatestBlockhash(PROCESSED).send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (tx) => setTransactionMessageFeePayerSigner(payer, tx),
    (tx) => setTransactionMessageLifetimeUsingBlockhash(value, tx),
    (tx) => appendTransactionMessageInstructions(instructions, tx),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithBlockhashLifetime(transaction);
  const error = await sendAndConfirm(transaction, PROCESSED).then(
    () => undefined,
    (thrown: Error) => thrown.cause ?? thrown,
  );
  return { error, message };
}

async function land(payer: KeyPairSigner, ...instructions: Instruction[]): Promise<void> {
  const { error } = await attempt(payer, instructions);
  if (error) throw error;
}

async function createMint(
  payer: KeyPairSigner,
  {
    mintAuthority = payer.address,
    freezeAuthority,
  }: { mintAuthority?: Address; freezeAuthority?: Address } = {},
): Promise<Address> {
  const mint = await generateKeyPairSigner();
  const space = token.getMintSize();
  const lamports = await rpc.getMinimumBalanceForRentExemption(BigInt(space)).send();
  await land(
    payer,
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports,
      space,
      programAddress: token.TOKEN_PROGRAM_ADDRESS,
    }),
    token.getInitializeMint2Instruction({
      mint: mint.address,
      decimals: 6,
      mintAuthority,
      freezeAuthority: freezeAuthority ?? null,
    }),
  );
  return mint.address;
}

async function createTokenAccount(payer: KeyPairSigner, owner: Address, mint: Address): Promise<Address> {
  const seeds = { owner, mint, tokenProgram: token.TOKEN_PROGRAM_ADDRESS };
  const [ata] = await token.findAssociatedTokenPda(seeds);
  await land(payer, token.getCreateAssociatedTokenInstruction({ payer, ata, owner, mint }));
  return ata;
}

test('the client of the token program: mint, transfer, delegate, freeze, burn, close', async () => {
  const [alice, bob] = [await fundedSigner(node), await fundedSigner(node)];
  const mint = await createMint(alice, { freezeAuthority: alice.address });
  const [from, to] = [
    await createTokenAccount(alice, alice.address, mint),
    await createTokenAccount(alice, bob.address, mint),
  ];
  const amountOf = async (account: Address) => (await token.fetchToken(rpc, account, PROCESSED)).data.amount;
  await land(alice, token.getMintToInstruction({ mint, token: from, mintAuthority: alice, amount: 100n }));
  const move = { mint, amount: 40n, decimals: 6 };
  await land(
    alice,
    token.getTransferCheckedInstruction({ ...move, source: from, destination: to, authority: alice }),
  );
  expect([await amountOf(from), await amountOf(to)]).toEqual([60n, 40n]);

  await land(
    alice,
    token.getApproveInstruction({ source: from, delegate: bob.address, owner: alice, amount: 5n }),
  );
  const { data } = await token.fetchToken(rpc, from, PROCESSED);
  expect(data).toMatchObject({ delegate: { value: bob.address }, delegatedAmount: 5n, mint });
  await land(
    bob,
    token.getTransferInstruction({ source: from, destination: to, authority: bob, amount: 5n }),
  );

  await land(alice, token.getFreezeAccountInstruction({ account: to, mint, owner: alice }));
  const spend = token.getTransferInstruction({ source: to, destination: from, authority: bob, amount: 1n });
  const frozen = await attempt(bob, [spend]);
  expect(token.isTokenError(frozen.error, frozen.message, token.TOKEN_ERROR__ACCOUNT_FROZEN)).toBe(true);
  await land(alice, token.getThawAccountInstruction({ account: to, mint, owner: alice }));

  await land(bob, token.getBurnInstruction({ account: to, mint, authority: bob, amount: 45n }));
  expect((await token.fetchMint(rpc, mint, PROCESSED)).data).toMatchObject({ supply: 55n, decimals: 6 });
  const before = (await rpc.getBalance(alice.address, PROCESSED).send()).value;
  await land(bob, token.getCloseAccountInstruction({ account: to, destination: alice.address, owner: bob }));
  expect((await token.fetchMaybeToken(rpc, to, PROCESSED)).exists).toBe(false);
  expect((await rpc.getBalance(alice.address, PROCESSED).send()).value - before).toBe(2_039_280n);
}, 180_000);

test('wrapped SOL by the client of the token program: paid in, synchronized, unwrapped', async () => {
  const owner = await fundedSigner(node);
  const mint = 'So11111111111111111111111111111111111111112' as Address;
  const account = await createTokenAccount(owner, owner.address, mint);
  await land(owner, transfer(owner, account, SOL), token.getSyncNativeInstruction({ account }));
  const { data } = await token.fetchToken(rpc, account, PROCESSED);
  expect(data).toMatchObject({ amount: SOL, isNative: { value: 2_039_280n } });
  const spend = token.getTransferInstruction({
    source: account,
    destination: account,
    authority: owner,
    amount: 2n * SOL,
  });
  const { error, message } = await attempt(owner, [spend]);
  expect(token.isTokenError(error, message, token.TOKEN_ERROR__INSUFFICIENT_FUNDS)).toBe(true);
  await land(owner, token.getCloseAccountInstruction({ account, destination: owner.address, owner }));
  expect((await token.fetchMaybeToken(rpc, account, PROCESSED)).exists).toBe(false);
});

test('the generated client of a program: its accounts, found by discriminator, and its errors by name', async () => {
  const guardian = await fundedSigner(node);
  const program = karat.KARAT_PROGRAM_ADDRESS;
  const [usdc, gold] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  const seeder = { rpc, payer: authority, ...PROCESSED };
  const metadata = ownGoldMetadata('https://gold.example/token/gold.json');
  await createUsdcMint(seeder, { mint: usdc, authority: authority.address });
  await createGoldMint(seeder, {
    mint: gold,
    metadata,
    programAddress: program,
    admin: authority.address,
  });
  const mints = { usdcMint: usdc.address, goldMint: gold.address };
  const { config, treasuryAuthority, escrowAuthority, ...accounts } = await programAddresses({
    programAddress: program,
    ...mints,
  });
  await createTokenAccounts(seeder, [
    { owner: treasuryAuthority, token: usdcOf(mints) },
    { owner: treasuryAuthority, token: goldOf(mints) },
    { owner: config, token: usdcOf(mints) },
    { owner: escrowAuthority, token: goldOf(mints) },
  ]);
  expect((await karat.fetchMaybeConfig(rpc, config, PROCESSED)).exists).toBe(false);
  const settings = { ...(await sandboxSettings()), guardian: guardian.address };
  const initialize = karat.getInitializeInstruction({
    payer: authority,
    upgradeAuthority: authority,
    config,
    programData: (await programDataAddress(program)) as Address,
    ...mints,
    treasuryUsdc: accounts.treasuryUsdc,
    treasuryGold: accounts.treasuryGold,
    feeUsdc: accounts.feeUsdc,
    escrowGold: accounts.escrowGold,
    admin: authority.address,
    hotKeys: {
      operations: await freshAddress(),
      market: await freshAddress(),
      compliance: SYSTEM_PROGRAM as Address,
      serviceSigners: [await freshAddress(), SYSTEM_PROGRAM as Address],
    },
    settings,
  });
  // Kit drops what comes before somebody listens, so this begins before anything is sent.
  const stream = await rpcSubscriptions
    .programNotifications(program, { ...PROCESSED, encoding: 'base64' })
    .subscribe({ abortSignal: AbortSignal.timeout(60_000) });
  const reported = firstOf(Promise.resolve(stream));
  await land(authority, initialize);
  expect((await reported).value.pubkey).toBe(config);
  const { data } = await karat.fetchConfig(rpc, config, PROCESSED);
  expect(data).toMatchObject({
    admin: authority.address,
    ...mints,
    settings: { guardian: guardian.address, maxTradeUsdc: settings.maxTradeUsdc },
  });

  const bytes = getBase58Decoder().decode(karat.getConfigKindBytes()) as Base58EncodedBytes;
  const filters = [{ memcmp: { offset: 0n, bytes, encoding: 'base58' as const } }];
  const found = await rpc.getProgramAccounts(program, { ...PROCESSED, encoding: 'base64', filters }).send();
  expect(found.map(({ pubkey }) => pubkey)).toEqual([config]);

  const stranger = await fundedSigner(node);
  const pause = (signer: KeyPairSigner) => karat.getPauseInstruction({ config, authority: signer, mask: 7 });
  const refused = await attempt(stranger, [pause(stranger)]);
  expect(karat.isKaratError(refused.error, refused.message, karat.KARAT_ERROR__UNAUTHORIZED)).toBe(true);
  // Another payer, so that it is not the very transaction that landed.
  const again = await attempt(guardian, [initialize]);
  expect(karat.isKaratError(again.error, again.message, karat.KARAT_ERROR__ALREADY_INITIALIZED)).toBe(true);
  // It starts with everything paused.
  await land(
    authority,
    karat.getResumeInstruction({ config, admin: authority, mask: 31, expectedPauseSeq: 0n }),
  );
  await land(guardian, pause(guardian));
  expect((await karat.fetchConfig(rpc, config, PROCESSED)).data.paused).toBe(7);
}, 180_000);
