import { SettlementMode } from '@karat/program-client';
import {
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Instruction,
  signBytes,
  signTransaction,
  type TransactionSigner,
} from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Doubts } from '../../../src/actions/treasury/check-balances.js';
import { fundTreasury } from '../../../src/actions/treasury/move-treasury.js';
import { defaultLimits, reconcile } from '../../../src/actions/treasury/reconcile.js';
import { goldOf, tokenAccountOf, tokenOf } from '../../../src/chain/admin/seed.js';
import type { Chain } from '../../../src/chain/chain.js';
import { readTreasurySnapshot, type TreasurySnapshot } from '../../../src/chain/program/program-snapshot.js';
import { sessionUrlOf } from '../../../src/config.js';
import type { Context } from '../../../src/context.js';
import { openLeadDatabase } from '../../../src/db/client.js';
import { forgetTreasuryMovements } from '../../../src/db/indexing/keep-effects.js';
import { LostLeadError } from '../../../src/db/leads.js';
import { findKeeperReports } from '../../../src/db/market/keeper-reports.js';
import { findAuditRowsAfter } from '../../../src/db/operators/audit-log.js';
import { deadLetters, operatorTransactions } from '../../../src/db/schema.js';
import { findDifferenceDeadLetters } from '../../../src/db/treasury/difference-dead-letters.js';
import { findReconciliation } from '../../../src/db/treasury/reconciliations.js';
import { checkOperation } from '../../../src/doctor/check-operation.js';
import { commandLine } from '../../../src/domain/audit.js';
import { newUuid, type RedemptionId } from '../../../src/domain/ids.js';
import { type Gold, goldUnits } from '../../../src/domain/money.js';
import { signatureToBytes, type TxSignature } from '../../../src/domain/solana.js';
import { Deposits } from '../../../src/indexer/deposits.js';
import { Reconciler } from '../../../src/keeper/reconciler.js';
import { campaign } from '../../../src/runtime/leadership.js';
import { inTime } from '../../../src/runtime/time.js';
import { kitSigner, newWallet } from '../../harness.js';
import { following, never } from '../../indexer/following.js';
import { dropping, Refused } from '../../indexer/lying-node.js';
import {
  attestation,
  givenVault,
  mintGold,
  redemption,
  settleRedemption,
  sweep,
  token,
  treasuryWithdrawal,
  type Vault,
} from '../../indexer/vault.js';
import { landed, send, sendTrade } from '../../indexer/world.js';
import { avoidMidnight, eventually } from '../../karat-chain.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

const f = following();
const slow = 240_000;
let vault: Vault;
let doubts: Doubts;
let deposits: Deposits;
const history = { buy: '', sell: '', purchase: '', payment: '', burn: '' };

/** A service with everything in it: trades, one that failed, what a partner did with its vault, a redemption and its end. */
beforeAll(async () => {
  vault = await givenVault(f.world);
  await seedDenominations(f.world.h);
  history.buy = (await f.trade()).signature;
  history.sell = (await f.trade({ side: 'sell', amountIn: 2_000_000n })).signature;
  await f.trade({ minAmountOut: 10n ** 12n });
  history.purchase = await sent([vault.purchase(token, 5_000n * token), vault.withdrawal('gold', 5n)]);
  await sent([vault.sale(token, 1n)]);
  const paid = await payRedemption();
  history.payment = paid.signature;
  history.burn = await burn(paid.id, goldUnits(380_625n));
  await payRedemption();
}, slow);

beforeEach(async () => {
  doubts = new Map();
  deposits = new Deposits(f.ctx);
  await f.ctx.sql`truncate reconciliations, reconciliation_progress`;
  await f.ctx.sql`delete from redemption_history where from_status is not null`;
  await f.ctx
    .sql`update redemptions set status = 'quoted', tx_signature = null, slot = null, reclaimable_at = null where status <> 'quoted'`;
});

async function sent(
  instructions: Instruction[],
  payer: TransactionSigner = vault.signer,
): Promise<TxSignature> {
  const signature = await send(f.world, instructions, payer);
  await landed(f.world, signature);
  return signature;
}

async function payRedemption() {
  const { trader, service, program } = f.world;
  const owner = { partner: trader.partner, user: { id: trader.userId, wallet: trader.wallet } };
  const terms = {
    status: 'quoted',
    escrowAccount: program.escrowGold,
    lastValidBlockHeight: 10n ** 7n,
  } as const;
  const id = await givenRedemption(f.world.h, owner, terms);
  return { id, signature: await sent([await redemption(f.world, id, 380_625n)], service) };
}

async function burn(redemptionId: RedemptionId, amount: Gold): Promise<TxSignature> {
  const [id, at] = [newUuid(), new Date(f.ctx.clock.now())];
  const row = { id, kind: 'burn', redemptionId, amount, lastValidBlockHeight: 10n ** 7n } as const;
  await f.ctx.db.insert(operatorTransactions).values({ ...row, createdAt: at, updatedAt: at });
  const { admin, service } = f.world;
  return sent([await settleRedemption(f.world, SettlementMode.Burn, redemptionId, service.address)], admin);
}

/** Tokens of a user that reach a treasury account past the program. */
function transferTo(which: 'usdc' | 'gold', destination: string, amount: bigint): Instruction {
  const { trader, usdcMint, goldMint } = f.world;
  const mint = which === 'usdc' ? usdcMint : goldMint;
  const token = tokenOf(mint, f.world);
  const source = tokenAccountOf(trader.user.address, token);
  const accounts = { source, mint, destination: destination as never, authority: trader.user };
  return getTransferCheckedInstruction(
    { ...accounts, amount, decimals: 6 },
    { programAddress: token.program },
  );
}

async function deposit(...transfer: Parameters<typeof transferTo>): Promise<TxSignature> {
  const { user } = f.world.trader;
  f.world.node.airdrop(user.address, 1_000_000_000n);
  return sent([transferTo(...transfer)], user);
}

const snapshotNow = () => readTreasurySnapshot(f.ctx.chain, never);

/** Has the indexer record everything up to now, once that is final. */
async function index(): Promise<void> {
  f.world.node.warp({ slots: 40 });
  const indexing = await f.catchUp(await f.newIndexing({ finalAfterMs: 0 }));
  await indexing.complete();
}

const compare = (snapshot: TreasurySnapshot, limits = defaultLimits, ctx: Context = f.ctx) =>
  reconcile(
    ctx,
    snapshot,
    { doubts, recordDeposits: (mismatches, signal) => deposits.record(mismatches, signal) },
    never,
    limits,
  );

/** Compares as of now: lets the chain become final so far, and the indexer see it. */
async function look(snapshot?: TreasurySnapshot) {
  const taken = snapshot ?? (await snapshotNow());
  await index();
  const report = await compare(taken);
  if (!report || !('differences' in report)) throw new Error('not seen so far');
  return report;
}

const sums = ({ goldDifference: gold, usdcDifference: usdc, kinds }: Awaited<ReturnType<typeof look>>) => ({
  gold,
  usdc,
  kinds,
});
/** From here on the state counts as correct: what earlier tests did to it is known. */
async function accept(): Promise<void> {
  await look();
  await f.ctx.sql`
    update dead_letters set resolved_at = now(), resolution = 'a deposit of ours' where reason = 'reconciliation_difference'`;
  expect(sums(await look())).toEqual(healthy);
}

const healthy = { gold: 0n, usdc: 0n, kinds: {} };

async function openDeadLetters() {
  const deadLetterRows = await findDifferenceDeadLetters(f.ctx.db);
  return new Map(deadLetterRows.map(({ signature, detail }) => [signature, detail]));
}

test(
  'reconcile: each kind of damage to the records is found, and its dead letter resolves when it is repaired',
  async () => {
    expect(sums(await look())).toEqual(healthy);
    const { sql } = f.ctx;
    const kept = async (table: string, where: string) => {
      const [row] = await sql.unsafe(`select to_jsonb(t) as row from ${table} t where ${where}`);
      if (!row) throw new Error(`no ${table} where ${where}`);
      return {
        remove: () => sql.unsafe(`delete from ${table} where ${where}`),
        restore: () =>
          sql.unsafe(
            `insert into ${table} select * from jsonb_populate_record(null::${table}, '${JSON.stringify(row.row).replaceAll("'", "''")}')`,
          ),
      };
    };
    const change = (table: string, column: string, by: number, where: string) => ({
      damage: () => sql.unsafe(`update ${table} set ${column} = ${column} + ${by} where ${where}`),
      repair: () => sql.unsafe(`update ${table} set ${column} = ${column} - ${by} where ${where}`),
    });
    const loss = async (table: string, where: string) => {
      const { remove, restore } = await kept(table, where);
      return { damage: remove, repair: restore };
    };
    const eventLoss = async (signature: string) => {
      const [event] = await sql.unsafe(
        `select partner_id, seq, kind from program_events where ${of(signature)}`,
      );
      const set = (values: string) =>
        sql.unsafe(`update chain_effects set (partner_id, seq, kind) = (${values}) where ${of(signature)}`);
      return {
        damage: () => set('null, null, null'),
        repair: () => set(`'${event?.partner_id}', ${event?.seq}, ${event?.kind}`),
      };
    };
    const of = (signature: string, column = 'tx_signature') =>
      `${column} = decode('${signatureToBytes(signature as TxSignature).toString('hex')}', 'hex')`;
    const purchase = `${of(history.purchase)} and kind = 'purchase'`;
    const withdrawal = `${of(history.purchase)} and kind = 'withdrawal'`;
    const doubled = {
      damage: () =>
        sql.unsafe(`insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', '${newUuid()}', 'event_seq', 900))).*
          from orders o where ${purchase}`),
      repair: () => sql.unsafe(`delete from orders where event_seq = 900`),
    };
    const cases: [string, { damage(): unknown; repair(): unknown }, string | string[], object][] = [
      [
        'the record of a trade is missing',
        await loss('trades', of(history.buy)),
        history.buy,
        { gold: -24_267n, usdc: 100_000_000n, kinds: { record_missing: 1 } },
      ],
      [
        'the record of a withdrawal, which moves nothing of the treasury, is missing',
        await loss('orders', withdrawal),
        history.purchase,
        { gold: 0n, usdc: 0n, kinds: { record_missing: 1 } },
      ],
      [
        'a record is there twice',
        doubled,
        history.purchase,
        { gold: 1_000_000n, usdc: -4_120_723_619n, kinds: { record_doubled: 1, event_missing: 1 } },
      ],
      [
        'a record says too much gold',
        change('trades', 'gold_amount', 1, of(history.sell)),
        history.sell,
        { gold: -1n, usdc: 0n, kinds: { amount_differs: 1 } },
      ],
      [
        'a record says too little USDC',
        change('trades', 'usdc_amount', -7, of(history.buy)),
        history.buy,
        { gold: 0n, usdc: 7n, kinds: { amount_differs: 1 } },
      ],
      [
        'a record says another fee, though the sum is the same',
        change('trades', 'fee_usdc', 3, of(history.buy)),
        history.buy,
        { gold: 0n, usdc: 0n, kinds: { amount_differs: 1 } },
      ],
      [
        'a redemption needs less of escrow than was paid',
        change('redemptions', 'tokens_required', -5, of(history.payment)),
        history.payment,
        { gold: 5n, usdc: 0n, kinds: { amount_differs: 1 } },
      ],
      [
        'a redemption that was paid is not open',
        await loss('operator_transactions', of(history.burn)),
        [history.burn, f.world.program.escrowAuthority, f.world.program.treasuryAuthority],
        {
          ...{ gold: -380_625n, usdc: 0n },
          kinds: { record_missing: 1, escrow_differs: 1, burned_differs: 1 },
        },
      ],
      [
        'an event is missing',
        await eventLoss(history.sell),
        history.sell,
        { gold: 0n, usdc: 0n, kinds: { event_missing: 1 } },
      ],
    ];
    for (const [name, { damage, repair }, signature, expected] of cases) {
      await damage();
      expect(sums(await look()), name).toEqual(expected);
      expect([...(await openDeadLetters()).keys()].sort(), name).toEqual([signature].flat().sort());
      await repair();
      expect(sums(await look()), `${name}, repaired`).toEqual(healthy);
    }
    expect((await openDeadLetters()).size).toBe(0);
  },
  slow,
);

test(
  'reconcile: movements without the service are found, until a person explains them',
  async () => {
    await look();
    const { program } = f.world;
    const usdc = await deposit('usdc', program.treasuryUsdc, 11_000_000n);
    const gold = await deposit('gold', program.treasuryGold, 12_000n);
    const escrow = await deposit('gold', program.escrowGold, 13_000n);
    expect(sums(await look())).toEqual({
      gold: 12_000n + 13_000n,
      usdc: 11_000_000n,
      kinds: { moved_without_service: 3 },
    });
    const deadLetterRows = await openDeadLetters();
    expect(deadLetterRows.get(usdc)).toMatchObject({
      kinds: ['moved_without_service'],
      unexplained: { treasury_usdc: '11000000' },
      accounts: { treasury_usdc: { change: '11000000', due: '0', recorded: '0', records: 0 } },
    });
    expect(deadLetterRows.get(gold)).toMatchObject({ unexplained: { treasury_gold: '12000' } });
    expect(deadLetterRows.get(escrow)).toMatchObject({ unexplained: { escrow_gold: '13000' } });

    await accept();
    // What was said of 11 USDC was not said of a base unit more.
    await f.ctx.sql`
      update chain_effects set dues = coalesce(dues, changes), changes[array_lower(changes, 1)] = changes[array_lower(changes, 1)] + 1
      where tx_signature = ${usdc}`;
    expect(sums(await look())).toMatchObject({ usdc: 11_000_001n, kinds: { moved_without_service: 1 } });
    expect(await openDeadLetters()).toEqual(
      new Map([[usdc, expect.objectContaining({ unexplained: { treasury_usdc: '11000001' } })]]),
    );
  },
  slow,
);

test(
  'reconcile: only an account whose balance differs is listed; a deposit that the node withholds is a difference',
  async () => {
    const { program } = f.world;
    // What came before the first comparison is part of what the account held to begin with.
    await deposit('usdc', program.treasuryUsdc, 5_000_000n);
    await accept();
    const listed: string[] = [];
    const watched = Object.values(program) as string[];
    const note = (params: unknown[]) => {
      if (watched.includes(params[0] as string)) listed.push(params[0] as string);
    };
    f.node.lie = async ({ method, params }, ask) => {
      if (method === 'getSignaturesForAddress') note(params);
      return ask();
    };
    await f.trade();
    expect(sums(await look())).toEqual(healthy);
    expect(listed).toEqual([]);
    const gift = await deposit('usdc', program.treasuryUsdc, 9_000_000n);
    const withhold = dropping(gift);
    f.node.lie = async (call, ask) => {
      if (call.method === 'getSignaturesForAddress') note(call.params);
      return withhold(call, ask);
    };
    // The figure is believed when it comes back.
    expect(sums(await look())).toEqual(healthy);
    expect(sums(await look())).toEqual({ gold: 0n, usdc: 9_000_000n, kinds: { balance_differs: 1 } });
    expect(new Set(listed)).toEqual(new Set([program.treasuryUsdc]));
    f.node.lie = undefined;
    expect(sums(await look())).toEqual({ gold: 0n, usdc: 9_000_000n, kinds: { moved_without_service: 1 } });
    expect([...(await openDeadLetters()).keys()]).toEqual([gift]);
    await accept();
  },
  slow,
);

test(
  'reconcile: dust is one dead letter for each sender and day, counted once, and no difference',
  async () => {
    await accept();
    const { program, trader } = f.world;
    const before = new Set((await f.ctx.db.select().from(deadLetters)).map(({ id }) => id));
    const news = async () => (await f.ctx.db.select().from(deadLetters)).filter(({ id }) => !before.has(id));
    avoidMidnight(f.world.node);
    const dust: TxSignature[] = [];
    for (let count = 1; count <= 10; count += 1) {
      dust.push(await deposit('gold', program.escrowGold, BigInt(count)));
      dust.push(await deposit('usdc', program.treasuryUsdc, BigInt(100 * count)));
    }
    expect(sums(await look())).toEqual(healthy);
    const day = new Date(f.ctx.clock.now()).toISOString().slice(0, 10);
    const sender = trader.user.address;
    const detail = { sender, day, transactions: 20, amounts: { escrow_gold: '55', treasury_usdc: '5500' } };
    expect(await news()).toMatchObject([{ reason: 'dust', detail, resolvedAt: null }]);
    // Recorded again, and read again from the beginning: nothing is counted twice.
    const { recorder } = await f.newIndexing();
    await recorder.take(
      dust.map((signature) => ({ signature, slot: 0n, failed: false })),
      never,
    );
    await f.ctx.sql`delete from indexer_progress`;
    await look();
    expect(await news()).toMatchObject([{ detail }]);
    // What a person has closed opens again when more comes; the next day is another.
    await f.ctx.sql`update dead_letters set resolved_at = now(), resolution = 'kept' where reason = 'dust'`;
    await deposit('gold', program.treasuryGold, 3n);
    expect(sums(await look())).toEqual(healthy);
    expect(await news()).toMatchObject([
      { detail: { transactions: 21 }, resolvedAt: null, resolution: null },
    ]);
    f.world.node.warp({ seconds: 86_400 });
    await deposit('gold', program.treasuryGold, 4n);
    expect(sums(await look())).toEqual(healthy);
    expect((await news()).map(({ detail: { transactions } }) => transactions).sort()).toEqual([1, 21]);
    // No dust: a deposit that is worth asking about.
    await deposit('gold', program.treasuryGold, 250n);
    expect(sums(await look())).toMatchObject({ gold: 250n, kinds: { moved_without_service: 1 } });
    await accept();
  },
  slow,
);

test(
  'reconcile: dust next to a call of the program is dust, and what the call moved is compared all the same',
  async () => {
    await accept();
    const { program } = f.world;
    const before = new Set((await f.ctx.db.select().from(deadLetters)).map(({ id }) => id));
    const news = async () => (await f.ctx.db.select().from(deadLetters)).filter(({ id }) => !before.has(id));
    avoidMidnight(f.world.node);
    const purchases: TxSignature[] = [];
    for (let count = 1n; count <= 3n; count += 1n) {
      const purchase = vault.purchase(token + count, 5_000n * token);
      const dust = [
        transferTo('usdc', program.treasuryUsdc, count),
        transferTo('gold', program.escrowGold, count),
      ];
      purchases.push(await sent([purchase, ...dust]));
    }
    await sent([vault.withdrawal('gold', 6n), transferTo('gold', program.treasuryGold, 4n)]);
    expect(sums(await look())).toEqual(healthy);
    const amounts = { treasury_usdc: '6', escrow_gold: '6', treasury_gold: '4' };
    const detail = { sender: vault.signer.address, transactions: 4, amounts };
    expect(await news()).toMatchObject([{ reason: 'dust', detail }]);
    await f.ctx.sql`delete from orders where tx_signature = ${purchases[0] ?? ''}`;
    expect(sums(await look())).toMatchObject({ kinds: { record_missing: 1 } });
    // No dust next to one either.
    await f.ctx
      .sql`delete from dead_letters where reason = 'reconciliation_difference' and resolution is null`;
    await accept();
    await sent([vault.withdrawal('gold', 7n), transferTo('gold', program.escrowGold, 250n)]);
    expect(sums(await look())).toMatchObject({ gold: 250n, kinds: { moved_without_service: 1 } });
    await accept();
  },
  slow,
);

/** As in a command, which keeps no blockhash: the tests move the chain on faster than one is kept fresh. */
const noBlockhash: Chain['blockhash'] = {
  fault: () => 'none is kept',
  expiryOf: () => undefined,
  lifetimeOf: () => undefined,
  current: () => {
    throw new Error('none is kept');
  },
};

test(
  'reconcile: an announced payment into the treasury is no difference, and nothing else is taken for it',
  async () => {
    await accept();
    const { node, admin, goldMint, usdcMint, program } = f.world;
    for (const mint of [goldMint, usdcMint]) await node.setTokenBalance(admin.address, mint, 1_000_000n);
    const signer = {
      address: admin.address,
      sign: (bytes: Uint8Array) => signBytes(admin.keyPair.privateKey, bytes),
      close: async () => {},
    };
    const ctx = { ...f.ctx, chain: { ...f.ctx.chain, admin: signer, blockhash: noBlockhash } };
    const made = await fundTreasury(ctx, commandLine, {
      usdc: 700_000n,
      gold: 30_000n,
      reason: 'first stock',
    });
    const funded = made.kind === 'done' ? made.txHash : '';
    await landed(f.world, funded as never);
    expect(sums(await look())).toEqual(healthy);
    const [movement] = await f.ctx.sql`
      select change::text from treasury_movements where tx_signature = ${funded} and role = 'treasury_usdc'`;
    expect(movement).toEqual({ change: '700000' });
    expect((await findAuditRowsAfter(f.ctx.db, 0, 1_000)).at(-1)).toMatchObject({
      action: 'treasury.fund',
      after: { treasury_usdc: '0.7', treasury_gold: '0.03', from: admin.address, tx_hash: funded },
      reason: 'first stock',
    });
    // Another amount than was announced, and more than the admin has.
    await f.ctx
      .sql`update treasury_fundings set amount = 690000 where tx_signature = ${funded} and role = 'treasury_usdc'`;
    expect(sums(await look())).toMatchObject({ usdc: 10_000n, kinds: { moved_without_service: 1 } });
    await f.ctx
      .sql`update treasury_fundings set amount = 700000 where tx_signature = ${funded} and role = 'treasury_usdc'`;
    await expect(fundTreasury(ctx, commandLine, { usdc: 10n ** 12n })).rejects.toMatchObject({
      code: 'broadcast_failed',
    });
    expect(sums(await look())).toEqual(healthy);
    // The same from somebody else is still a difference.
    await deposit('usdc', program.treasuryUsdc, 5_000_000n);
    expect(sums(await look())).toMatchObject({ usdc: 5_000_000n, kinds: { moved_without_service: 1 } });
  },
  slow,
);

test(
  'reconcile: a transaction handed out for the admin to pay the treasury is no difference once the payer has signed',
  async () => {
    await accept();
    const { node, admin, usdcMint } = f.world;
    await node.setTokenBalance(admin.address, usdcMint, 20_000_000n);
    const payer = await kitSigner(newWallet());
    node.airdrop(payer.address, 1_000_000_000n);
    const guardian = {
      address: payer.address,
      sign: (bytes: Uint8Array) => signBytes(payer.keyPair.privateKey, bytes),
      close: async () => {},
    };
    const chain = { ...f.ctx.chain, guardian, blockhash: noBlockhash };
    const ctx = { ...f.ctx, chain };
    const funding = { usdc: 7_000_000n, feePayer: payer.address };
    const made = await fundTreasury(ctx, commandLine, funding);
    if (made.kind !== 'unsigned') throw new Error('the admin has signed');
    const signed = await signTransaction(
      [admin.keyPair],
      getTransactionDecoder().decode(made.transaction) as never,
    );
    const wire = getBase64EncodedWireTransaction(signed);
    await f.ctx.chain.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    await landed(f.world, getSignatureFromTransaction(signed));
    expect(sums(await look())).toEqual(healthy);
    // With a payer whose key is elsewhere, nothing is known of the transaction that is to come.
    const stranger = await kitSigner(newWallet());
    node.airdrop(stranger.address, 1_000_000_000n);
    const [before] = await f.ctx.sql`select count(*) from treasury_fundings`;
    const unknown = await fundTreasury(ctx, commandLine, { ...funding, feePayer: stranger.address });
    expect(unknown).toMatchObject({ kind: 'unsigned', signers: [stranger.address, admin.address] });
    expect(await f.ctx.sql`select count(*) from treasury_fundings`).toEqual([before]);
  },
  slow,
);

test(
  'reconcile: the admin’s withdrawals and sweeps are no difference, by any sender; what comes with them is one',
  async () => {
    await accept();
    const { admin, program } = f.world;
    await deposit('gold', program.escrowGold, 13_000n);
    await accept();
    await sent([await treasuryWithdrawal(f.world, 'usdc', 1_000n)], admin);
    await sent([sweep(f.world, 20n)], admin);
    // Fees that trades of earlier tests brought.
    await sent([await treasuryWithdrawal(f.world, 'fees', 5_000n)], admin);
    expect(sums(await look())).toEqual(healthy);
    const { trader, goldMint } = f.world;
    const gold = goldOf({ goldMint });
    const source = tokenAccountOf(trader.user.address, gold);
    const gift = getTransferCheckedInstruction(
      {
        ...{ source, mint: goldMint, destination: program.escrowGold, authority: trader.user },
        ...{ amount: 30n, decimals: 6 },
      },
      { programAddress: gold.program },
    );
    // The balance of escrow does not change: what is swept comes back by the same transaction.
    const hidden = await sent([sweep(f.world, 30n), gift], admin);
    expect(sums(await look())).toEqual({ ...healthy, gold: 30n, kinds: { moved_without_service: 1 } });
    expect((await openDeadLetters()).get(hidden)).toMatchObject({ unexplained: { escrow_gold: '30' } });
    await accept();
  },
  slow,
);

test(
  'reconcile: gold that the program mints is no difference, but more than is attested is one until it is attested',
  async () => {
    await accept();
    const { node, admin, goldMint } = f.world;
    const signature = await send(f.world, [await mintGold(f.world, 40_000n)], admin);
    await landed(f.world, signature);
    expect(sums(await look())).toEqual(healthy);
    node.warp({ seconds: 60 });
    const { supply } = await snapshotNow();
    await landed(f.world, await send(f.world, [await attestation(f.world, supply - 1n)], admin));
    expect(sums(await look())).toEqual({ ...healthy, kinds: { supply_above_attested: 1 } });
    const figures = { supply: supply.toString(), attested: (supply - 1n).toString(), burned_since: '0' };
    expect(await openDeadLetters()).toEqual(
      new Map([[goldMint, { kinds: ['supply_above_attested'], unexplained: {}, ...figures }]]),
    );
    await landed(f.world, await send(f.world, [await attestation(f.world, 10n ** 15n)], admin));
    expect(sums(await look())).toEqual(healthy);
    expect(await openDeadLetters()).toEqual(new Map());
  },
  slow,
);

test(
  'reconcile: a balance that no transaction led to is found when it is seen twice, whatever moves meanwhile',
  async () => {
    const { node, program, usdcMint } = f.world;
    await accept();
    const before = (await snapshotNow()).balances.find(({ role }) => role === 'treasury_usdc')?.balance ?? 0n;
    await node.setTokenBalance(program.treasuryAuthority, usdcMint, before - 1_000n);
    await f.trade();
    expect(sums(await look())).toEqual(healthy);
    await f.trade({ side: 'sell', amountIn: 1_000_000n });
    expect(sums(await look())).toEqual({ gold: 0n, usdc: -1_000n, kinds: { balance_differs: 1 } });
    expect(await openDeadLetters()).toEqual(
      new Map([
        [program.treasuryUsdc, { kinds: ['balance_differs'], unexplained: { treasury_usdc: '-1000' } }],
      ]),
    );
    const now = (await snapshotNow()).balances.find(({ role }) => role === 'treasury_usdc')?.balance ?? 0n;
    await node.setTokenBalance(program.treasuryAuthority, usdcMint, now + 1_000n);
    expect(sums(await look())).toEqual(healthy);
    expect((await openDeadLetters()).size).toBe(0);
  },
  slow,
);

test(
  'reconcile: a movement that is not recorded shows in the balance',
  async () => {
    await accept();
    const { signature } = await f.trade();
    await index();
    await f.ctx.db.transaction((tx) => forgetTreasuryMovements(tx, signature));
    expect(sums(await look())).toMatchObject({ kinds: { movement_missing: 1 } });
    expect(sums(await look())).toEqual({
      gold: 0n,
      usdc: 0n,
      kinds: { movement_missing: 1, balance_differs: 3 },
    });
  },
  slow,
);

test(
  'reconcile: nothing is found while trades are in flight, and nothing is compared before everything is recorded',
  async () => {
    await accept();
    for (let round = 0; round < 3; round += 1) {
      const sending = (async () => {
        for (let count = 0; count < 6; count += 1) {
          await sendTrade(f.world, { amountIn: BigInt(5_000_000 + 10 * round + count) });
        }
      })();
      const snapshot = await snapshotNow();
      expect(await compare(snapshot)).toBeUndefined();
      await sending;
      expect(sums(await look(snapshot))).toEqual(healthy);
    }
    const last = await findReconciliation(f.ctx.db);
    expect(last).toMatchObject({ goldDifference: 0n, usdcDifference: 0n, differences: 0 });
  },
  slow,
);

test(
  'reconcile: more than can be compared in one go is compared chunk by chunk, and goes on where it stopped',
  async () => {
    await accept();
    await f.ctx.sql`truncate reconciliation_progress`;
    const lost = await f.trade();
    for (let count = 0; count < 8; count += 1) await f.trade();
    await look();
    await f.ctx.sql`delete from trades where tx_signature = ${lost.signature}`;
    await f.ctx.sql`update reconciliation_progress set compared_slot = 0, towards_slot = 0`;
    // A chunk a call: what a busy hour is for one statement.
    const tiny = { ...defaultLimits, rows: 3, budgetMs: 0, reviewMs: 0 };
    const snapshot = await snapshotNow();
    await index();
    const slots: bigint[] = [];
    let report: Awaited<ReturnType<typeof compare>>;
    while (!(report && 'differences' in report)) {
      report = await compare(snapshot, tiny);
      if (report && 'comparedSlot' in report) slots.push(report.comparedSlot);
    }
    expect(slots.length).toBeGreaterThan(3);
    for (const [index, slot] of slots.entries()) expect(slot).toBeGreaterThan(slots[index - 1] ?? 0n);
    expect(report.kinds).toEqual({ record_missing: 1 });
    expect([...(await openDeadLetters()).keys()]).toEqual([lost.signature]);
  },
  slow,
);

test(
  'reconcile: a keeper that is stopped in a long comparison is followed within 15 s, and writes nothing of it',
  async () => {
    await accept();
    const snapshot = await snapshotNow();
    await look(snapshot);
    await f.ctx.sql`truncate reconciliation_progress`;
    const end = new AbortController();
    const databaseUrl = sessionUrlOf(f.ctx.config);
    const options = { databaseUrl, lock: 'keeper', electionMs: 100, signal: end.signal } as const;
    const lead = () => campaign({ ...options, onWait: () => {} });
    const former = await lead();
    const { db, pool } = openLeadDatabase(databaseUrl, former.lead, { poolSize: 2 });
    let comparing: Promise<unknown> = Promise.resolve();
    try {
      await f.ctx.sql.begin(async (tx) => {
        // A statement that takes long: it waits for this table.
        await tx`lock table trades in access exclusive mode`;
        comparing = compare(snapshot, defaultLimits, { ...f.ctx, db, pool }).catch((error) => error);
        const waiting = () => f.ctx
          .sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%trades%'
              and datname = current_database()`;
        await eventually(async () => expect(await waiting()).toHaveLength(1), 15_000);
        // The session of a process that is stopped expires; its transactions go on in the server.
        await former.release();
        await inTime(lead(), 15_000);
      });
      expect(await comparing).toBeInstanceOf(LostLeadError);
      expect(await f.ctx.sql`select from reconciliation_progress`).toHaveLength(0);
    } finally {
      end.abort();
      await pool.end(0);
    }
  },
  slow,
);

const reported = async () =>
  (await findKeeperReports(f.ctx.db)).find(({ name }) => name === 'reconciliation_differences');

/** A round of a reconciler as if it came some time later. */
async function roundAfter(reconciler: Reconciler, ms: number): Promise<void> {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  await reconciler.round(never).finally(() => vi.restoreAllMocks());
}

test('reconciler: an event that no node lists stops the comparison, which is reported within a minute', async () => {
  await index();
  const reconciler = new Reconciler(f.ctx, 0);
  const { signature } = await f.trade();
  f.node.lie = dropping(signature);
  await index();
  await reconciler.round(never);
  await roundAfter(reconciler, 55_000);
  expect(await reported()).toMatchObject({
    status: 'warning',
    value: null,
    detail: expect.stringMatching(
      /^Chain and records cannot be compared up to slot \d+; they are complete up to slot \d+\. Event \d+ of partner .+ is not recorded; the program has counted \d+\./,
    ),
  });
  expect(await checkOperation({ db: f.ctx.db } as never)).toContainEqual(
    expect.objectContaining({ verdict: 'warning', says: (await reported())?.detail }),
  );
});

test('reconciler: an indexer that stops after a comparison is reported without waiting for the next one', async () => {
  const reconciler = new Reconciler(f.ctx, 60_000);
  await reconciler.round(never);
  await index();
  await expect
    .poll(async () => {
      await reconciler.round(never);
      return (await reported())?.detail;
    })
    .toMatch(/as of slot/);
  const { detail, checkedAt } = (await reported()) ?? {};
  await roundAfter(reconciler, 40_000);
  expect(await reported()).toMatchObject({ detail, checkedAt });
  await roundAfter(reconciler, 50_000);
  expect(await reported()).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('The indexer does not compare what is recorded with the numbers'),
  });
});

test('reconciler: a node that fails is reported', async () => {
  const reconciler = new Reconciler(f.ctx, 0, 0);
  f.node.lie = async ({ method }, ask) => {
    if (method === 'getMultipleAccounts') throw new Refused(-32602, 'Invalid params: too many');
    return ask();
  };
  await expect(reconciler.round(never)).rejects.toThrow('too many');
  expect(await reported()).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(/^Chain and records cannot be compared: .*too many/),
  });
});
