import { createHash } from 'node:crypto';
import { fetchConfig, getUpdateConfigInstruction, SettlementMode } from '@karat/program-client';
import {
  type Address,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Instruction,
  signBytes,
  signTransaction,
  type TransactionSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Doubts } from '../../../src/actions/treasury/check-balances.js';
import { fundTreasury } from '../../../src/actions/treasury/move-treasury.js';
import { defaultLimits, type ReconcileLimits, reconcile } from '../../../src/actions/treasury/reconcile.js';
import { tokenAccountOf } from '../../../src/chain/admin/seed.js';
import type { Chain } from '../../../src/chain/chain.js';
import { readTreasurySnapshot } from '../../../src/chain/program/treasury-snapshot.js';
import { noKey } from '../../../src/chain/program/wallet.js';
import { sessionUrlOf } from '../../../src/config.js';
import { openLeadDatabase } from '../../../src/db/client.js';
import { recordIndexerRound } from '../../../src/db/indexing/indexer-rounds.js';
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
import { signatureToBytes, type TxSignature, txSignatureOf } from '../../../src/domain/solana.js';
import { Reconciler } from '../../../src/keeper/reconciler.js';
import { campaign } from '../../../src/runtime/leadership.js';
import { inTime } from '../../../src/runtime/time.js';
import { kitSigner, newWallet } from '../../harness.js';
import { following, never } from '../../indexer/following.js';
import { type Lie, Refused, refusingMinContextSlot } from '../../indexer/lying-node.js';
import { twoNodes } from '../../indexer/two-nodes.js';
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
import { allowOldPrices, landed, send, sendTrade } from '../../indexer/world.js';
import { avoidMidnight, eventually } from '../../karat-chain.js';
import { givenRedemption, seedDenominations } from '../../redeeming.js';

const f = following();
const slow = 240_000;
let vault: Vault;
let doubts: Doubts;
const history = { buy: '', sell: '', failed: '', purchase: '', payment: '', burn: '' };

/** A service with everything in it: trades, one that failed, what a partner did with its vault, a redemption and its end. */
beforeAll(async () => {
  vault = await givenVault(f.world);
  await seedDenominations(f.world.h);
  history.buy = (await f.trade()).signature;
  history.sell = (await f.trade({ side: 'sell', amountIn: 2_000_000n })).signature;
  history.failed = (await f.trade({ minAmountOut: 10n ** 12n })).signature;
  history.purchase = await sent([vault.purchase(token, 5_000n * token), vault.withdrawal('gold', 5n)]);
  await sent([vault.sale(token, 1n)]);
  const paid = await payRedemption();
  history.payment = paid.signature;
  history.burn = await burn(paid.id, goldUnits(380_625n));
  await payRedemption();
}, slow);

beforeEach(async () => {
  doubts = new Map();
  await f.ctx.sql`truncate reconciliations, reconciliation_progress, signer_checks, indexer_rounds`;
  await f.ctx.sql`delete from redemption_history where from_status is not null`;
  await f.ctx
    .sql`update redemptions set status = 'quoted', tx_signature = null, slot = null where status <> 'quoted'`;
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
  const source = tokenAccountOf(trader.user.address, mint);
  const accounts = { source, mint, destination: destination as never, authority: trader.user };
  return getTransferCheckedInstruction({ ...accounts, amount, decimals: 6 });
}

async function deposit(...transfer: Parameters<typeof transferTo>): Promise<TxSignature> {
  const { user } = f.world.trader;
  f.world.node.airdrop(user.address, 1_000_000_000n);
  return sent([transferTo(...transfer)], user);
}

const snapshotNow = () => readTreasurySnapshot(f.ctx.chain, never);

/** Compares as of now: lets the chain become final so far, and the indexer see it. */
async function look(snapshot?: Awaited<ReturnType<typeof snapshotNow>>) {
  const taken = snapshot ?? (await snapshotNow());
  f.world.node.warp({ slots: 40 });
  // Without the overlap, from which an indexer heals some of the damage by itself.
  const follower = await f.catchUp(f.newFollower({ sweepMs: 0, overlapSlots: 0n }));
  await f.ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
  const report = await reconcile(f.ctx, taken, doubts, never);
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
  'a healthy service shows nothing; each kind of damage to its records is found, and settles when it is repaired',
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
        'the record of a failed trade is missing',
        await loss('trades', of(history.failed)),
        history.failed,
        { gold: 0n, usdc: 0n, kinds: { record_missing: 1 } },
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
        [history.burn, f.world.program.escrowAuthority],
        { gold: -380_625n, usdc: 0n, kinds: { record_missing: 1, escrow_differs: 1 } },
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
  'what comes or goes without the service is found, until a person says what it is',
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
  'dust is one dead letter for each sender and day, counted once, and no difference',
  async () => {
    await accept();
    const { program, trader } = f.world;
    const before = new Set((await f.ctx.db.select().from(deadLetters)).map(({ id }) => id));
    const news = async () => (await f.ctx.db.select().from(deadLetters)).filter(({ id }) => !before.has(id));
    avoidMidnight(f.world.node);
    for (let count = 1; count <= 10; count += 1) {
      await deposit('gold', program.escrowGold, BigInt(count));
      await deposit('usdc', program.treasuryUsdc, BigInt(100 * count));
    }
    expect(sums(await look())).toEqual(healthy);
    const day = new Date(f.ctx.clock.now()).toISOString().slice(0, 10);
    const sender = trader.user.address;
    const detail = { sender, day, transactions: 20, amounts: { escrow_gold: '55', treasury_usdc: '5500' } };
    expect(await news()).toMatchObject([{ reason: 'dust', detail, resolvedAt: null }]);
    // Read again from the beginning: nothing is counted twice.
    await f.ctx.sql`delete from indexer_cursors`;
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
  'dust next to a call of the program is dust, and what the call moved is compared all the same',
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
  'what was announced into the treasury is no difference, and nothing else is taken for it',
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
  'what was handed out for the admin to sign into the treasury is no difference, once the payer has signed it',
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
  'what the admin has the program withdraw and sweep is no difference, whoever sent it; what comes with it is one',
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
    const source = tokenAccountOf(trader.user.address, goldMint);
    const gift = getTransferCheckedInstruction({
      ...{ source, mint: goldMint, destination: program.escrowGold, authority: trader.user },
      ...{ amount: 30n, decimals: 6 },
    });
    // The balance of escrow does not change: what is swept comes back by the same transaction.
    const hidden = await sent([sweep(f.world, 30n), gift], admin);
    expect(sums(await look())).toEqual({ ...healthy, gold: 30n, kinds: { moved_without_service: 1 } });
    expect((await openDeadLetters()).get(hidden)).toMatchObject({ unexplained: { escrow_gold: '30' } });
    await accept();
  },
  slow,
);

test(
  'gold that the program mints is no difference, but more than is attested is one until it is attested',
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
    const figures = { supply: supply.toString(), attested: (supply - 1n).toString() };
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
  'a balance that no transaction led to is found when it is seen twice, whatever moves meanwhile',
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
  'a movement that the indexer never saw shows in the balance',
  async () => {
    await accept();
    const { signature } = await f.trade();
    // What a cursor stands at is read again by the next indexer.
    await f.trade();
    await look();
    await f.ctx.db.transaction((tx) => forgetTreasuryMovements(tx, signature));
    await f.ctx.sql`update treasury_baselines set summed_slot = -1, summed = 0`;
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
  'nothing is found while trades are in flight, and nothing is compared before everything is recorded',
  async () => {
    await accept();
    for (let round = 0; round < 3; round += 1) {
      const sending = (async () => {
        for (let count = 0; count < 6; count += 1) {
          await sendTrade(f.world, { amountIn: BigInt(5_000_000 + 10 * round + count) });
        }
      })();
      const snapshot = await snapshotNow();
      expect(await reconcile(f.ctx, snapshot, doubts, never)).toBeUndefined();
      await sending;
      expect(sums(await look(snapshot))).toEqual(healthy);
    }
    const last = await findReconciliation(f.ctx.db);
    expect(last).toMatchObject({ goldDifference: 0n, usdcDifference: 0n, differences: 0 });
  },
  slow,
);

/** Lines of the node's listing of the signer in front of all others, each recorded and moving nothing. */
async function recordedLines(
  count: number,
  slot: bigint,
): Promise<{ signature: TxSignature; slot: number }[]> {
  const { treasuryUsdc } = f.world.program;
  await f.ctx.sql`
    insert into chain_effects (tx_signature, changes, slot, created_at)
    select sha512(('busy ' || n)::bytea), array_fill(0::bigint, array[1], array[id::int]), ${slot.toString()}::bigint, now()
    from generate_series(1, ${count}) as n, treasury_accounts where account = ${treasuryUsdc}`;
  return Array.from({ length: count }, (_, index) => ({
    signature: txSignatureOf(
      createHash('sha512')
        .update(`busy ${index + 1}`)
        .digest(),
    ),
    slot: Number(slot),
    err: null,
    memo: null,
    blockTime: null,
    confirmationStatus: 'finalized',
  }));
}

/** Compares again and again, as the keeper does, until one comparison is through; how many it took. */
async function compareThrough(limits: ReconcileLimits, most = 200) {
  const snapshot = await snapshotNow();
  f.world.node.warp({ slots: 40 });
  const follower = await f.catchUp(f.newFollower({ sweepMs: 0, overlapSlots: 0n }));
  await f.ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
  for (let calls = 1; calls <= most; calls += 1) {
    const report = await reconcile(f.ctx, snapshot, doubts, never, limits);
    if (report && 'differences' in report) return { report, calls };
  }
  throw new Error('the comparison never got through');
}

test(
  'what the service signed long ago and did not record is found behind any number of newer transactions',
  async () => {
    await accept();
    const lost = await f.trade({ minAmountOut: 10n ** 12n });
    await look();
    await f.ctx.sql`delete from trades where tx_signature = ${lost.signature}`;
    await f.ctx.sql`truncate signer_checks`;
    const [row] = await f.ctx.sql<{ slot: string }[]>`select max(slot)::text as slot from indexer_cursors`;
    const busy = await recordedLines(12_000, BigInt(row?.slot ?? 0));
    const { service } = f.world;
    const place = new Map(busy.map(({ signature }, index) => [signature, index]));
    f.node.lie = async ({ method, params }, ask) => {
      if (method !== 'getSignaturesForAddress' || params[0] !== service.address) return ask();
      const { before, limit } = params[1];
      const at = before === undefined ? 0 : (place.get(before) ?? Number.NaN) + 1;
      if (Number.isNaN(at)) return ask();
      if (at < busy.length) return busy.slice(at, at + limit);
      // Behind them comes what the chain really lists.
      const body = { jsonrpc: '2.0', id: 1, method, params: [params[0], { limit, commitment: 'confirmed' }] };
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(f.world.node.rpcUrl, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return ((await answer.json()) as { result: unknown }).result;
    };
    const snapshot = await snapshotNow();
    await f.ctx.sql`update indexer_rounds set seen_slot = ${snapshot.upTo.toString()}::numeric`;
    let report: Awaited<ReturnType<typeof reconcile>>;
    for (let calls = 0; calls < 10 && !(report && 'differences' in report); calls += 1) {
      report = await reconcile(f.ctx, snapshot, doubts, never);
    }
    f.node.lie = undefined;
    expect(report).toMatchObject({ kinds: { record_missing: 1 } });
    expect([...(await openDeadLetters()).keys()]).toEqual([lost.signature]);
    await f.ctx.sql`
      delete from chain_effects where tx_signature in
        (select sha512(('busy ' || n)::bytea) from generate_series(1, ${busy.length}::int) as n)`;
  },
  slow,
);

test(
  'transactions of strangers that name the signer hide nothing, however many are looked at in one go',
  async () => {
    await accept();
    const lost = await f.trade({ minAmountOut: 10n ** 12n });
    const stranger = await kitSigner(newWallet());
    f.world.node.airdrop(stranger.address, 1_000_000_000n);
    for (let count = 0; count < 7; count += 1) {
      const mention = getTransferSolInstruction({
        source: stranger,
        destination: f.world.service.address,
        amount: 1_000_000n + BigInt(count),
      });
      await sent([mention], stranger);
    }
    await look();
    await f.ctx.sql`delete from trades where tx_signature = ${lost.signature}`;
    await f.ctx.sql`truncate signer_checks`;
    const few = { ...defaultLimits, pageSize: 4, pages: 2, looks: 2 };
    const { report, calls } = await compareThrough(few);
    expect(report.kinds).toEqual({ record_missing: 1 });
    expect(calls).toBeGreaterThan(3);
    // Once everything was compared, only what is new is.
    const before = f.node.calls.get('getSignaturesForAddress') ?? 0;
    await reconcile(f.ctx, await snapshotNow(), doubts, never, { ...few, pageSize: 1_000 });
    expect((f.node.calls.get('getSignaturesForAddress') ?? 0) - before).toBeLessThanOrEqual(1);
  },
  slow,
);

/** A trade that failed, and that is recorded no more and to be looked for again. */
async function givenLost(): Promise<string> {
  await accept();
  const { signature } = await f.trade({ minAmountOut: 10n ** 12n });
  await f.trade({ amountIn: 11_000_000n });
  await look();
  await f.ctx.sql`delete from trades where tx_signature = ${signature}`;
  await f.ctx.sql`truncate signer_checks`;
  return signature;
}

test(
  'a node that lists nothing of a key that has signed, and one that does not know what it lists, prove nothing',
  async () => {
    const lost = await givenLost();
    const { service } = f.world;
    const snapshot = await seenSnapshot();
    const compare = () => reconcile(f.ctx, snapshot, doubts, never);
    f.node.lie = async ({ method, params }, ask) =>
      method === 'getSignaturesForAddress' && params[0] === service.address ? [] : ask();
    await expect(compare()).rejects.toThrow(`lists nothing for ${service.address}`);
    f.node.lie = async ({ method, params }, ask) =>
      method === 'getTransaction' && params[0] === lost ? null : ask();
    for (let calls = 0; calls < 2; calls += 1) expect(await compare()).not.toHaveProperty('differences');
    f.node.lie = undefined;
    expect(await compare()).toMatchObject({ kinds: { record_missing: 1 } });
  },
  slow,
);

/** A node whose listing of the service's key ends above `lost`, and which returns its newest page for a line that it does not know. */
const endingAbove =
  (lost: string): Lie =>
  async ({ method, params }, ask) => {
    if (method !== 'getSignaturesForAddress' || params[0] !== f.world.service.address) return ask();
    const { before: _, ...newest } = params[1];
    const lines = await rpcOf(f.world.node.rpcUrl, method, [params[0], newest]);
    const end = lines.findIndex((line: { signature: string }) => line.signature === lost);
    return lines.slice(0, end);
  };

// biome-ignore lint/suspicious/noExplicitAny: results of every method
async function rpcOf(url: string, method: string, params: unknown[]): Promise<any> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return ((await answer.json()) as { result: unknown }).result;
}

/** Has the indexer prove that it has seen everything up to a snapshot of now. */
async function seenSnapshot() {
  const snapshot = await snapshotNow();
  f.world.node.warp({ slots: 40 });
  const follower = await f.catchUp(f.newFollower({ sweepMs: 0, overlapSlots: 0n }));
  await f.ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
  return snapshot;
}

test(
  'a node that begins again in place of the rest of its listing is noticed, and the search goes on when it has the rest',
  async () => {
    const lost = await givenLost();
    const snapshot = await seenSnapshot();
    const compare = () => reconcile(f.ctx, snapshot, doubts, never);
    f.node.lie = endingAbove(lost);
    for (let calls = 0; calls < 3; calls += 1)
      await expect(compare()).rejects.toThrow('does not go on behind');
    f.node.lie = undefined;
    expect(await compare()).toMatchObject({ kinds: { record_missing: 1 } });
  },
  slow,
);

test(
  'a search whose last line the chain has dropped meanwhile begins again',
  async () => {
    const lost = await givenLost();
    const snapshot = await seenSnapshot();
    const dropped = txSignatureOf(createHash('sha512').update('dropped').digest());
    await f.ctx.sql`
      insert into signer_checks (signer, checked_slot, to_slot, before_signature, before_slot)
      values (${f.world.service.address}, -1, ${snapshot.upTo.toString()}::bigint, ${dropped}, 1)`;
    let report: Awaited<ReturnType<typeof reconcile>>;
    for (let calls = 0; calls < 3 && !(report && 'differences' in report); calls += 1)
      report = await reconcile(f.ctx, snapshot, doubts, never);
    expect(report).toMatchObject({ kinds: { record_missing: 1 } });
    expect([...(await openDeadLetters()).keys()]).toEqual([lost]);
  },
  slow,
);

describe('of two nodes', () => {
  const two = twoNodes(f);

  test(
    'one that begins again in place of the rest hides nothing of what the other lists',
    async () => {
      const lost = await givenLost();
      const snapshot = await seenSnapshot();
      f.node.lie = endingAbove(lost);
      const compare = () => reconcile(two.ctx, snapshot, doubts, never);
      // Only one node says that the listing ends where it does.
      await expect(compare()).rejects.toThrow('does not go on behind');
      expect([...(await openDeadLetters()).keys()]).toEqual([lost]);
      f.node.lie = undefined;
      expect(await compare()).toMatchObject({ kinds: { record_missing: 1 } });
    },
    slow,
  );

  test(
    'one that fails for a transaction of one key holds up no search for those of another',
    async () => {
      await accept();
      const { service } = f.world;
      const next = await kitSigner(newWallet());
      f.world.node.airdrop(next.address, 1_000_000_000n);
      await setServiceSigners(service.address, next.address);
      try {
        const losses: string[] = [];
        for (const signer of [service, next]) {
          const trade = await sendTrade({ ...f.world, service: signer }, { minAmountOut: 10n ** 12n });
          await landed(f.world, trade.signature);
          losses.push(trade.signature);
        }
        await look();
        for (const lost of losses) await f.ctx.sql`delete from trades where tx_signature = ${lost}`;
        await f.ctx.sql`truncate signer_checks`;
        const [first = '', other = ''] = losses;
        const snapshot = await seenSnapshot();
        const about = (method: string, params: unknown[]) =>
          method === 'getTransaction' && params[0] === first;
        f.node.lie = async ({ method, params }, ask) => (about(method, params) ? null : ask());
        two.second.lie = async ({ method, params }, ask) => {
          if (about(method, params)) throw new Refused(-32603, 'the archive is down');
          return ask();
        };
        await expect(reconcile(two.ctx, snapshot, doubts, never)).rejects.toThrow('the archive is down');
        expect([...(await openDeadLetters()).keys()]).toEqual([other]);
        two.second.lie = undefined;
        expect(await reconcile(two.ctx, snapshot, doubts, never)).toMatchObject({
          kinds: { record_missing: 2 },
        });
      } finally {
        f.node.lie = undefined;
        await setServiceSigners(service.address, noKey);
      }
      await accept();
    },
    slow,
  );

  test(
    'one whose history ends early hides nothing of what the other lists',
    async () => {
      const lost = await givenLost();
      const { service } = f.world;
      f.node.lie = async ({ method, params }, ask) => {
        const answer = await ask();
        if (method !== 'getSignaturesForAddress' || params[0] !== service.address) return answer;
        const end = answer.findIndex((line: { signature: string }) => line.signature === lost);
        return params[1].before === undefined && end >= 0 ? answer.slice(0, end) : [];
      };
      const snapshot = await snapshotNow();
      await f.ctx.sql`update indexer_rounds set seen_slot = ${snapshot.upTo.toString()}::numeric`;
      const report = await reconcile(two.ctx, snapshot, doubts, never);
      expect(report).toMatchObject({ kinds: { record_missing: 1 } });
    },
    slow,
  );
});

/** Sets the keys that may sign for the service, by the admin. */
async function setServiceSigners(...serviceSigners: Address[]): Promise<void> {
  const { admin, node, program, seeder } = f.world;
  const { config } = program;
  const { data } = await fetchConfig(seeder.rpc, config, { commitment: 'confirmed' });
  const instruction = getUpdateConfigInstruction(
    { ...data, config, admin, expectedSeq: data.seq, maxAgeOpen: 300, serviceSigners },
    { programAddress: f.ctx.chain.programAddress },
  );
  await sent([instruction], admin);
  allowOldPrices(node, config);
}

test(
  'a second key of the service is searched to the end, though the first one alone takes every page and look',
  async () => {
    await accept();
    const { service } = f.world;
    const [next, stranger] = await Promise.all([kitSigner(newWallet()), kitSigner(newWallet())]);
    for (const { address } of [next, stranger]) f.world.node.airdrop(address, 1_000_000_000n);
    await setServiceSigners(service.address, next.address);
    try {
      const lost = await sendTrade({ ...f.world, service: next }, { minAmountOut: 10n ** 12n });
      await landed(f.world, lost.signature);
      for (let amount = 1_000_000n; amount < 1_000_003n; amount += 1n) {
        const mention = getTransferSolInstruction({ source: stranger, destination: service.address, amount });
        await sent([mention], stranger);
      }
      await look();
      for (const limits of [
        { pageSize: 4, pages: 1 },
        { pageSize: 1_000, looks: 1 },
      ]) {
        await f.ctx.sql`delete from trades where tx_signature = ${lost.signature}`;
        await f.ctx.sql`truncate signer_checks`;
        await f.ctx
          .sql`delete from dead_letters where reason = 'reconciliation_difference' and resolution is null`;
        const { report, calls } = await compareThrough({ ...defaultLimits, ...limits });
        expect(report.kinds).toEqual({ record_missing: 1 });
        expect([...(await openDeadLetters()).keys()]).toEqual([lost.signature]);
        expect(calls).toBeGreaterThan(3);
      }
    } finally {
      await setServiceSigners(service.address, noKey);
    }
    await accept();
  },
  slow,
);

test(
  'more than can be compared in one go is compared chunk by chunk, and goes on where it stopped',
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
    f.world.node.warp({ slots: 40 });
    const follower = await f.catchUp(f.newFollower({ sweepMs: 0, overlapSlots: 0n }));
    await f.ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
    const slots: bigint[] = [];
    let report: Awaited<ReturnType<typeof reconcile>>;
    while (!(report && 'differences' in report)) {
      report = await reconcile(f.ctx, snapshot, doubts, never, tiny);
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
  'a keeper that is stopped in a long comparison is followed within 15 s, and writes nothing of it',
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
        comparing = reconcile({ ...f.ctx, db, pool }, snapshot, doubts, never).catch((error) => error);
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

describe('a comparison that cannot be made', () => {
  const lagging: Lie = async ({ method, params }, ask) => {
    if (method === 'getSignaturesForAddress' && params[1]?.minContextSlot !== undefined) {
      throw new Refused(-32016, 'Minimum context slot has not been reached');
    }
    return ask();
  };
  const reported = async () =>
    (await findKeeperReports(f.ctx.db)).find(({ name }) => name === 'reconciliation_differences');
  const indexed = async () => {
    const follower = await f.catchUp(f.newFollower({ sweepMs: 0 }));
    await f.ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
  };

  test('because nothing proves how far the indexer has seen is reported within a minute', async () => {
    const reconciler = new Reconciler(f.ctx, 0);
    f.node.lie = lagging;
    f.world.node.warp({ slots: 40 });
    await indexed();
    await reconciler.round(never);
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 55_000);
    await reconciler.round(never).finally(() => vi.restoreAllMocks());
    expect(await reported()).toMatchObject({
      status: 'warning',
      value: null,
      detail: expect.stringMatching(
        /^Chain and records cannot be compared up to slot \d+: the indexer does not/,
      ),
    });
    expect(await checkOperation({ db: f.ctx.db } as never)).toContainEqual(
      expect.objectContaining({ verdict: 'warning', says: (await reported())?.detail }),
    );
  });

  test('because proofs end with a comparison is reported without waiting for the next one', async () => {
    const reconciler = new Reconciler(f.ctx, 60_000);
    await reconciler.round(never);
    f.world.node.warp({ slots: 40 });
    await indexed();
    await expect
      .poll(async () => {
        await reconciler.round(never);
        return (await reported())?.detail;
      })
      .toMatch(/as of slot/);
    const { detail, checkedAt } = (await reported()) ?? {};
    f.node.lie = lagging;
    const now = performance.now.bind(performance);
    const roundAfter = async (ms: number) => {
      vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
      await reconciler.round(never).finally(() => vi.restoreAllMocks());
    };
    await roundAfter(40_000);
    expect(await reported()).toMatchObject({ detail, checkedAt });
    await roundAfter(50_000);
    expect(await reported()).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('the indexer does not prove that it has seen the chain beyond'),
    });
  });

  test('because the node fails is reported', async () => {
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

  test('until a node that refuses minContextSlot proves it by what it listed later is made then', async () => {
    const reconciler = new Reconciler(f.ctx, 0);
    f.node.lie = refusingMinContextSlot;
    await reconciler.round(never);
    f.world.node.warp({ slots: 40 });
    await indexed();
    const before = await findReconciliation(f.ctx.db);
    await reconciler.round(never);
    expect(await findReconciliation(f.ctx.db)).toEqual(before);
    f.world.node.warp({ slots: 160 });
    await indexed();
    await expect
      .poll(async () => {
        await reconciler.round(never);
        return findReconciliation(f.ctx.db);
      })
      .not.toEqual(before);
    expect((await reported())?.detail).toMatch(/as of slot/);
  });
});
