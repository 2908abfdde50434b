import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstruction,
  compileTransactionMessage,
  compressTransactionMessageUsingAddressLookupTables,
  createSolanaRpc,
  createTransactionMessage,
  getAddressEncoder,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction } from '@solana-program/compute-budget';
import { getTransferSolInstruction } from '@solana-program/system';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  getTransferInstruction,
} from '@solana-program/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tokenAccountOf, tokenOf, usdcOf } from '../../../src/chain/program/token-accounts.js';
import { compile, cosign } from '../../chain/signed-trade.js';
import { expectStatus, kitSigner, newWallet, type Wallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { seedDenominations, tola } from '../../redeeming.js';

let t: Karat;
beforeAll(async () => {
  t = await startKarat();
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 50_000_000n);
});
afterAll(() => t.stop());

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const inspect = (transaction: Uint8Array, client = t.partner.client) =>
  client.post('/v1/transactions/inspect', { transaction: base64(transaction) });
const inspected = async (transaction: Uint8Array) => expectStatus(await inspect(transaction), 200).body;

async function compiled(payer: Wallet, instructions: Instruction[], version: 'legacy' | 0 = 'legacy') {
  const { value } = await createSolanaRpc(t.chain.node.rpcUrl).getLatestBlockhash().send();
  return compile({ version, feePayer: payer.address, blockhash: value.blockhash, instructions });
}

describe('a quote', () => {
  test('a quote of a buy, as it comes, is explained with who has to sign and what it would move', async () => {
    const { tradeId, transaction, response } = await t.buy.quoted({ usdc_amount: 100 });
    const { quote, expires_at } = response.body;
    const [partner, user, service] = [
      t.partner.wallet.address,
      t.user.wallet.address,
      t.chain.service.address,
    ];
    const body = await inspected(transaction);
    expect(body).toMatchObject({
      kind: 'buy',
      id: tradeId,
      summary: `Buys at least ${quote.min_gold_out} GOLD for 100 USDC of ${user}.`,
      fee_payer: service,
      expires_at,
      problems: [
        { reason: 'signature_missing', message: `The signature of the partner (${partner}) is missing.` },
        { reason: 'signature_missing', message: `The signature of the user (${user}) is missing.` },
      ],
      simulation: { ok: true },
    });
    expect(body.signers).toEqual([
      { address: service, role: 'service', signed: true },
      { address: partner, role: 'partner', signed: false },
      { address: user, role: 'user', signed: false },
    ]);
    const { changes } = body.simulation;
    expect(changes).toEqual(
      expect.arrayContaining([
        { owner: user, token: 'USDC', amount: -100 },
        { owner: user, token: 'GOLD', amount: quote.gold_amount },
        { owner: t.chain.addresses.treasuryAuthority, token: 'GOLD', amount: -quote.gold_amount },
        { owner: service, token: 'SOL', amount: expect.any(Number) },
      ]),
    );
    const named = body.instructions.map(({ program, name }: Record<string, string>) => [program, name]);
    expect(named).toEqual([
      ['compute_budget', 'set_compute_unit_limit'],
      ['compute_budget', 'set_compute_unit_price'],
      ['memo', 'memo'],
      ['associated_token', 'create_associated_token_idempotent'],
      ['karat', 'buy'],
    ]);
    expect(body.instructions[2].fields.text).toContain(tradeId);
    expect(body.instructions[4].fields).toMatchObject({
      usdc_in: 100,
      min_gold_out: quote.min_gold_out,
      max_fee_bps: 50,
      id: tradeId,
      user,
      partner_wallet: partner,
      service_signer: service,
      usdc_mint: t.chain.usdcMint,
    });
  });

  test('a quote that all have signed has no problem; inspecting it leaves nothing behind, and it can be submitted', async () => {
    const { tradeId, transaction } = await t.sell.quoted();
    const signed = t.signed(transaction);
    const before = await t.balances();
    const body = await inspected(signed);
    expect(body).toMatchObject({ kind: 'sell', id: tradeId, problems: [], simulation: { ok: true } });
    expect(body.signers.every(({ signed: has }: { signed: boolean }) => has)).toBe(true);
    expect(await t.balances()).toEqual(before);
    expectStatus(await t.sell.submit(tradeId, signed), 200);
  });

  test('a quote that the chain would refuse has the reason of submit', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = t.signed(transaction);
    t.chain.price.set({ ...usualPrice, price: 500_000_000_000n });
    const body = await inspected(signed);
    expect(body.simulation).toEqual({ ok: false, reason: 'slippage_exceeded', changes: [] });
    const { body: refused } = await t.buy.submit(tradeId, signed);
    expect(body.problems).toEqual([
      { reason: refused.reason, message: refused.message.replace('Transaction simulation failed: ', '') },
    ]);
    t.chain.price.set(usualPrice);
    await eventually(
      async () => expect((await t.buy.quote()).body.quote.price_per_troy_oz).toBe(4100.12),
      10_000,
    );
    await t.chain.fund(t.user.wallet.address, 1_000_000n);
    expect((await inspected(signed)).problems).toEqual([
      {
        reason: 'insufficient_usdc',
        message: expect.stringContaining('holds 1 USDC and has to pay 100 USDC'),
      },
    ]);
    await t.chain.fund(t.user.wallet.address, 100_000_000_000n);
  });

  test('a quote that was changed, signed wrongly or is of another partner has the reason', async () => {
    const { transaction } = await t.buy.quoted();
    const changed = Uint8Array.from(transaction);
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
    expect((await inspected(t.signed(changed))).problems[0]).toMatchObject({ reason: 'transaction_altered' });
    const forged = Uint8Array.from(t.signed(transaction));
    forged[1 + 64] = (forged[1 + 64] ?? 0) ^ 1;
    const { problems, signers } = await inspected(forged);
    expect([problems[0]?.reason, signers[1].signed]).toEqual(['signature_invalid', false]);
    const other = await t.service.givenPartner();
    const foreign = expectStatus(await inspect(t.signed(transaction), other.client), 200).body;
    expect(foreign.problems).toMatchObject([{ reason: 'other_quote' }]);
  });

  test('a quote that expired is reported as expired', async () => {
    const { transaction, response } = await t.buy.quoted();
    t.chain.node.warp({ seconds: 61 });
    expect(await inspected(t.signed(transaction))).toMatchObject({
      expires_at: response.body.expires_at,
      problems: [{ reason: 'quote_expired' }],
      simulation: { ok: false, reason: 'quote_expired', changes: [] },
    });
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
  });
});

describe('any other transaction', () => {
  const funded = () => {
    const wallet = newWallet();
    t.chain.node.airdrop(wallet.address, 10_000_000_000n);
    return wallet;
  };

  async function transfers(
    payer: Wallet,
    receiver: Address,
    mint = t.chain.usdcMint,
  ): Promise<Instruction[]> {
    const token = tokenOf(mint, t.chain);
    const target = { programAddress: token.program };
    const signer = await kitSigner(payer);
    const [source, destination] = [tokenAccountOf(payer.address, token), tokenAccountOf(receiver, token)];
    return [
      getSetComputeUnitLimitInstruction({ units: 200_000 }),
      getCreateAssociatedTokenIdempotentInstruction({
        payer: signer,
        ata: destination,
        owner: receiver,
        mint,
        tokenProgram: token.program,
      }),
      getTransferCheckedInstruction(
        { source, mint, destination, authority: signer, amount: 2_500_000n, decimals: 6 },
        target,
      ),
      getTransferInstruction({ source, destination, authority: signer, amount: 500_000n }, target),
      getTransferSolInstruction({ source: signer, destination: receiver, amount: 1_500_000_000n }),
    ];
  }

  test.each(['legacy', 0] as const)('any other transaction is explained too: %s', async (version) => {
    const [payer, receiver] = [funded(), newWallet().address];
    await t.chain.fund(payer.address, 10_000_000n);
    // Their SOL came by a transaction, which has to be confirmed.
    t.chain.node.warp({ slots: 1 });
    const body = await inspected(await compiled(payer, await transfers(payer, receiver), version));
    expect(body).toMatchObject({
      kind: null,
      id: null,
      fee_payer: payer.address,
      signers: [{ address: payer.address, role: 'fee_payer', signed: false }],
      problems: [{ reason: 'signature_missing' }],
      simulation: { ok: true },
    });
    expect(body.summary).toContain('spl_token (transfer_checked)');
    expect(body.instructions.map(({ fields }: { fields: { amount?: number } }) => fields.amount)).toEqual([
      undefined,
      undefined,
      2.5,
      0.5,
      1.5,
    ]);
    expect(body.simulation.changes).toEqual(
      expect.arrayContaining([
        { owner: payer.address, token: 'USDC', amount: -3 },
        { owner: receiver, token: 'USDC', amount: 3 },
        { owner: receiver, token: 'SOL', amount: 1.5 },
        { owner: payer.address, token: 'SOL', amount: -1.50204428 },
      ]),
    );
  });

  test('a transaction of GOLD and one of USDC name their token in each instruction', async () => {
    const [payer, receiver] = [funded(), newWallet().address];
    const { goldMint, usdcMint, node } = t.chain;
    await t.chain.fund(payer.address, 10_000_000n);
    await node.setTokenBalance(payer.address, goldMint, 10_000_000n);
    const named = async (mint: Address) => {
      const { instructions } = await inspected(
        await compiled(payer, await transfers(payer, receiver, mint), 'legacy'),
      );
      return instructions.map((each: { program: string; fields: { token_name?: string } }) => [
        each.program,
        each.fields.token_name,
      ]);
    };
    expect((await named(goldMint)).slice(1, 4)).toEqual([
      ['associated_token', 'GOLD'],
      ['token_2022', 'GOLD'],
      ['token_2022', 'GOLD'],
    ]);
    expect((await named(usdcMint)).slice(1, 4)).toEqual([
      ['associated_token', 'USDC'],
      ['spl_token', 'USDC'],
      ['spl_token', 'USDC'],
    ]);
  });

  test('a transaction that takes accounts from a table on chain is explained with them', async () => {
    const [payer, receiver, table] = [funded(), newWallet().address, newWallet().address];
    // An `AddressLookupTable` as its program writes it: 56 bytes before its addresses.
    const data = Buffer.alloc(56 + 32);
    data.writeUInt32LE(1, 0);
    data.fill(0xff, 4, 12);
    data.set(getAddressEncoder().encode(receiver), 56);
    t.chain.node.setAccount(table, {
      lamports: 10_000_000n,
      owner: address('AddressLookupTab1e1111111111111111111111111'),
      data,
      executable: false,
    });
    const { value } = await createSolanaRpc(t.chain.node.rpcUrl).getLatestBlockhash().send();
    const transfer = getTransferSolInstruction({
      source: await kitSigner(payer),
      destination: receiver,
      amount: 1_500_000_000n,
    });
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayer(payer.address, m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(value, m),
      (m) => appendTransactionMessageInstruction(transfer, m),
      (m) => compressTransactionMessageUsingAddressLookupTables(m, { [table]: [receiver] }),
    );
    const bytes = getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message));
    const body = await inspected(Uint8Array.from([1, ...new Uint8Array(64), ...bytes]));
    expect(body.instructions).toMatchObject([
      { program: 'system', name: 'transfer_sol', fields: { destination: receiver, amount: 1.5 } },
    ]);
    expect(body.simulation.changes).toContainEqual({ owner: receiver, token: 'SOL', amount: 1.5 });
  });

  test('a transaction of unknown programs has their addresses, and malformed calls as well', async () => {
    const payer = funded();
    const program = newWallet().address;
    const accounts = [{ address: payer.address, role: AccountRole.READONLY_SIGNER }];
    const token = (await transfers(payer, payer.address))[2];
    if (!token?.data) throw new Error('no transfer');
    const short = { ...token, data: token.data.slice(0, 3) };
    const transaction = await compiled(payer, [
      { programAddress: program, accounts, data: Uint8Array.of(7) },
      short,
    ]);
    const { instructions, simulation, problems } = await inspected(transaction);
    expect(instructions[0]).toEqual({
      program,
      name: null,
      fields: { accounts: [payer.address], data: Buffer.of(7).toString('base64') },
    });
    expect(instructions[1]).toMatchObject({ program: token.programAddress, name: null });
    expect(simulation.ok).toBe(false);
    expect(problems.at(-1)).toMatchObject({ reason: 'program_error' });
  });

  test('a transaction that another program refuses has the name of its error', async () => {
    const [payer, receiver] = [funded(), newWallet().address];
    await t.chain.fund(payer.address, 1n);
    const transaction = await compiled(payer, await transfers(payer, receiver));
    expect((await inspected(transaction)).problems.at(-1)).toEqual({
      reason: 'program_error',
      message:
        'SPL Token: InsufficientFunds: The token account holds less than the amount. Request a new quote.',
    });
    const account = tokenAccountOf(payer.address, usdcOf(t.chain));
    const state = t.chain.node.getAccount(account);
    const data = Uint8Array.from(state?.data ?? []);
    data[108] = 2;
    if (state) t.chain.node.setAccount(account, { ...state, data });
    expect((await inspected(transaction)).problems.at(-1)?.message).toContain('SPL Token: AccountFrozen');
  });
});

test('the payment of a redemption names the bar’s price and is refused to another partner', async () => {
  await seedDenominations(t.service);
  const desired = { service_user_id: t.user.id, denomination_id: tola.id, city: tola.city };
  const quoted = expectStatus(await t.partner.client.post('/v1/redemptions', desired), 201).body;
  const transaction = Buffer.from(quoted.partially_signed_transaction, 'base64');
  const amount = Number(quoted.quote.tokens_required);
  const body = await inspected(cosign(transaction, [t.user.wallet]));
  expect(body).toMatchObject({
    kind: 'redemption',
    id: quoted.redemption_id,
    expires_at: quoted.expires_at,
    summary: `Pays ${amount} GOLD of ${t.user.wallet.address} into escrow for a bar.`,
    signers: [{ role: 'service' }, { role: 'user', signed: true }],
    problems: [],
    simulation: { ok: true },
  });
  expect(body.simulation.changes).toContainEqual({
    owner: t.user.wallet.address,
    token: 'GOLD',
    amount: -amount,
  });
  const other = await t.service.givenPartner();
  const foreign = expectStatus(await inspect(transaction, other.client), 200).body;
  expect(foreign.problems[0]).toMatchObject({ reason: 'other_quote' });
});

test('an order of the tradebook is reported as one, with the role of its signer', async () => {
  const book = await startKarat();
  const treasury = await book.given.treasury();
  const { executive } = treasury;
  const desired = { goldAmount: 1, maxUsdcAmount: 5_000 };
  const placed = await eventually(
    async () => expectStatus(await executive.post('/api/trading/purchases/partner', desired), 201),
    10_000,
  );
  const { purchaseId, transaction } = placed.body.data;
  const body = { transaction: transaction.serializedTx };
  const response = await book.service.main.client.post('/v1/transactions/inspect', body);
  expect(expectStatus(response, 200).body).toMatchObject({
    kind: 'purchase',
    id: purchaseId,
    signers: [{ address: treasury.executive.wallet.address, role: 'executive', signed: false }],
    problems: [{ reason: 'signature_missing' }],
    simulation: { ok: true },
  });
  await book.stop();
});

test.each([
  ['nothing', ''],
  ['no base64', '!'],
  ['no transaction', 'AQID'],
  ['a signature more', ''],
])('the transaction %s is malformed', async (what, text) => {
  const signed = what === 'a signature more' ? t.signed((await t.buy.quoted()).transaction) : undefined;
  const transaction = signed
    ? base64(Uint8Array.from([(signed[0] ?? 0) + 1, ...new Uint8Array(64), ...signed.slice(1)]))
    : text;
  const response = await t.partner.client.post('/v1/transactions/inspect', { transaction });
  const expected = { status: 400, body: { error: 'invalid_request', field: 'transaction' } };
  expect(response).toMatchObject(expected);
  if (text !== '' || signed) expect(response.body.reason).toBe('malformed');
});

test('a node that does not respond is 503, with the reason', async () => {
  const { transaction } = await t.buy.quoted();
  await t.chain.injectFault({ method: 'simulateTransaction', mode: 'error', times: 10 });
  expect(await inspect(transaction)).toMatchObject({
    status: 503,
    body: { error: 'service_unavailable', reason: 'node_unavailable' },
  });
  await t.chain.clearFaults();
});

test('inspecting needs a key', async () => {
  const response = await t.service.anonymous.post('/v1/transactions/inspect', { transaction: 'AQID' });
  expect(response).toMatchObject({ status: 401 });
});
