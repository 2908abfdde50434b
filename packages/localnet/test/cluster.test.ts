import { createSolanaRpc } from '@solana/kit';
import { expect, test } from 'vitest';
import {
  failure,
  freshAddress,
  fundedSigner,
  type Json,
  result,
  SOL,
  sendTransfer,
  startNode,
} from './harness.js';

// Expected is what Agave 3.0 returns, by the function of each method's name in `rpc/src/rpc.rs`.

const node = await startNode({ slotMs: 3_600_000 });
const payer = await fundedSigner(node, 1_000n * SOL);
node.warp({ slots: 1 });
const { identity } = await result(node, 'getIdentity');
const slotAt = (commitment: string) => result(node, 'getSlot', { commitment });

test('getEpochSchedule: epochs of mainnet length without warm-up, and the sysvar agrees', async () => {
  expect(await result(node, 'getEpochSchedule')).toEqual({
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
    leaderScheduleSlotOffset: 432_000,
    slotsPerEpoch: 432_000,
    warmup: false,
  });
  const sysvar = await result(node, 'getAccountInfo', 'SysvarEpochSchedu1e111111111111111111111111', {
    encoding: 'base64',
  });
  const data = Buffer.from(sysvar.value.data[0], 'base64');
  expect([data.readBigUInt64LE(0), data[16], data.readBigUInt64LE(25)]).toEqual([432_000n, 0, 0n]);
});

test('getBlocks: both ends included, cut at the commitment; default finalized', async () => {
  expect(await result(node, 'getBlocks', 3, 6)).toEqual([3, 4, 5, 6]);
  const [confirmed, finalized] = [await slotAt('confirmed'), await slotAt('finalized')];
  expect((await result(node, 'getBlocks', 0)).at(-1)).toBe(finalized);
  expect((await result(node, 'getBlocks', 0, { commitment: 'confirmed' })).at(-1)).toBe(confirmed);
  expect((await result(node, 'getBlocks', 0, 1_000, { commitment: 'confirmed' })).at(-1)).toBe(confirmed);
  expect((await result(node, 'getBlocks', 0, null, { commitment: 'confirmed' })).at(-1)).toBe(confirmed);
  expect(await result(node, 'getBlocks', 6, 3)).toEqual([]);
  expect(await result(node, 'getBlocks', 1_000_000)).toEqual([]);
});

test('getBlocks refuses processed, too long a range, and a bank behind minContextSlot', async () => {
  expect(await failure(node, 'getBlocks', 0, 5, { commitment: 'processed' })).toEqual({
    code: -32602,
    message: 'Method does not support commitment below `confirmed`',
  });
  const far = await startNode({ slotMs: 3_600_000 });
  far.warp({ slots: 500_100 });
  expect(await failure(far, 'getBlocks', 0, 500_001)).toEqual({
    code: -32602,
    message: 'Slot range too large; max 500000',
  });
  expect(await failure(node, 'getBlocks', 0, 5, { minContextSlot: 1_000_000 })).toMatchObject({
    code: -32016,
  });
});

test('getBlocksWithLimit: so many from a slot on', async () => {
  expect(await result(node, 'getBlocksWithLimit', 2, 3)).toEqual([2, 3, 4]);
  const finalized = await slotAt('finalized');
  expect(await result(node, 'getBlocksWithLimit', finalized, 5)).toEqual([finalized]);
  expect(await result(node, 'getBlocksWithLimit', finalized, 2, { commitment: 'confirmed' })).toEqual([
    finalized,
    finalized + 1,
  ]);
  expect(await result(node, 'getBlocksWithLimit', 0, 0)).toEqual([]);
  expect(await failure(node, 'getBlocksWithLimit', 0, 500_001)).toEqual({
    code: -32602,
    message: 'Limit too large; max 500000',
  });
  expect(await failure(node, 'getBlocksWithLimit', 0, 1, { commitment: 'processed' })).toMatchObject({
    code: -32602,
  });
});

test('blocks begin where the window does: getBlocks, minimumLedgerSlot, getFirstAvailableBlock', async () => {
  const small = await startNode({ slotMs: 3_600_000, historySlots: 100 });
  small.warp({ slots: 1_000 });
  const first = await result(small, 'getFirstAvailableBlock');
  expect(first).toBeGreaterThan(900);
  expect(await result(small, 'minimumLedgerSlot')).toBe(first);
  expect((await result(small, 'getBlocks', 0))[0]).toBe(first);
  expect((await result(small, 'getBlocksWithLimit', 0, 2))[0]).toBe(first);
});

test('the only validator leads every slot', async () => {
  expect(await result(node, 'getSlotLeader')).toBe(identity);
  expect(await result(node, 'getSlotLeaders', 5, 3)).toEqual([identity, identity, identity]);
  expect(await failure(node, 'getSlotLeader', { minContextSlot: 1_000_000 })).toMatchObject({ code: -32016 });
});

test('getSlotLeaders: 5,000 at most, and not beyond the next epoch', async () => {
  expect(await result(node, 'getSlotLeaders', 0, 5_000)).toHaveLength(5_000);
  expect(await failure(node, 'getSlotLeaders', 0, 5_001)).toEqual({
    code: -32602,
    message: 'Invalid limit; max 5000',
  });
  expect(await result(node, 'getSlotLeaders', 863_999, 1)).toEqual([identity]);
  expect(await failure(node, 'getSlotLeaders', 863_999, 2)).toEqual({
    code: -32602,
    message: 'Invalid slot range: leader schedule for epoch 2 is unavailable',
  });
});

test('getLeaderSchedule: places in the epoch by leader; null beyond the next epoch', async () => {
  const schedule = await result(node, 'getLeaderSchedule');
  expect(Object.keys(schedule)).toEqual([identity]);
  expect(schedule[identity]).toHaveLength(432_000);
  expect(schedule[identity][431_999]).toBe(431_999);
  expect(await result(node, 'getLeaderSchedule', null, { identity: await freshAddress() })).toEqual({});
  expect(Object.keys(await result(node, 'getLeaderSchedule', { identity }))).toEqual([identity]);
  expect(await result(node, 'getLeaderSchedule', 864_000)).toBeNull();
  expect(await failure(node, 'getLeaderSchedule', null, { identity: 'nobody' })).toMatchObject({
    code: -32602,
  });
});

test('getVoteAccounts: the one validator, votes up to date, none delinquent', async () => {
  const { current, delinquent } = await result(node, 'getVoteAccounts', { commitment: 'processed' });
  expect(delinquent).toEqual([]);
  expect(current).toEqual([
    {
      activatedStake: expect.any(Number),
      commission: 0,
      epochCredits: [[0, expect.any(Number), 0]],
      epochVoteAccount: true,
      lastVote: (await slotAt('processed')) - 1,
      nodePubkey: identity,
      rootSlot: await slotAt('finalized'),
      votePubkey: expect.any(String),
    },
  ]);
  const { votePubkey } = current[0];
  expect((await result(node, 'getVoteAccounts', { votePubkey })).current).toHaveLength(1);
  expect((await result(node, 'getVoteAccounts', { votePubkey: identity })).current).toEqual([]);
  expect(await failure(node, 'getVoteAccounts', { votePubkey: 'x' })).toMatchObject({ code: -32602 });
});

test('getClusterNodes: this node, and where it responds', async () => {
  const [self, ...others] = await result(node, 'getClusterNodes');
  expect(others).toEqual([]);
  expect(self).toMatchObject({
    pubkey: identity,
    rpc: `127.0.0.1:${node.rpcPort}`,
    pubsub: `127.0.0.1:${node.wsPort}`,
    version: (await result(node, 'getVersion'))['solana-core'],
  });
  expect(self.shredVersion).toBeLessThan(65_536);
});

test('getTransactionCount counts what the bank of the commitment has seen', async () => {
  const count = (commitment?: string) => result(node, 'getTransactionCount', commitment && { commitment });
  const before = await count('processed');
  await sendTransfer(node, payer, await freshAddress(), SOL);
  expect([await count('processed'), await count('confirmed')]).toEqual([before + 1, before]);
  node.warp({ slots: 1 });
  expect(await count('confirmed')).toBe(before + 1);
  expect(await count()).toBeLessThan(before + 1);
  node.warp({ slots: 31 });
  expect(await count()).toBe(before + 1);
  expect((await result(node, 'getEpochInfo')).transactionCount).toBe(before + 1);
  expect(await failure(node, 'getTransactionCount', { minContextSlot: 1_000_000 })).toMatchObject({
    code: -32016,
  });
});

test('getSupply is the sum of all lamports, and goes down by fees and not by transfers', async () => {
  const supply = async () => (await result(node, 'getSupply')).value;
  const before = await supply();
  expect(before.circulating + before.nonCirculating).toBe(before.total);
  expect(before.nonCirculatingAccounts).toEqual([]);
  // Beyond 2^53 lamports a JavaScript number is not exact, so the exact sum is taken from the text.
  const exact = async () => (await createSolanaRpc(node.rpcUrl).getSupply().send()).value.total;
  const total = await exact();
  await sendTransfer(node, payer, await freshAddress(), SOL);
  expect(await exact()).toBe(total - 5_000n);
  const [to, account] = [await freshAddress(), { owner: payer.address, data: new Uint8Array(0) }];
  node.setAccount(to, { ...account, lamports: 77n, executable: false });
  expect(await exact()).toBe(total - 5_000n + 77n);
});

test('getRecentPerformanceSamples: whole minutes of slots, newest first, 720 at most', async () => {
  const quick = await startNode({ slotMs: 30_000 });
  const sender = await fundedSigner(quick, 10n * SOL);
  quick.warp({ slots: 1 });
  const slot = await result(quick, 'getSlot', { commitment: 'processed' });
  await sendTransfer(quick, sender, await freshAddress(), SOL);
  await sendTransfer(quick, sender, await freshAddress(), SOL);
  quick.warp({ slots: 2_000 });
  const samples = await result(quick, 'getRecentPerformanceSamples');
  expect(samples).toHaveLength(720);
  expect(samples[0].slot - samples[1].slot).toBe(2);
  expect(samples.every((one: Json) => one.numSlots === 2 && one.samplePeriodSecs === 60)).toBe(true);
  expect(await result(quick, 'getRecentPerformanceSamples', 3)).toEqual(samples.slice(0, 3));
  const fresh = await startNode({ slotMs: 30_000 });
  const other = await fundedSigner(fresh, 10n * SOL);
  await sendTransfer(fresh, other, await freshAddress(), SOL);
  fresh.warp({ slots: 4 });
  const counts = (await result(fresh, 'getRecentPerformanceSamples')).map((one: Json) => one.numTransactions);
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(2);
  expect(await failure(quick, 'getRecentPerformanceSamples', 721)).toEqual({
    code: -32602,
    message: 'Invalid limit; max 720',
  });
  expect(slot).toBeGreaterThan(0);
});

test('inflation is off: governor and rate are 0', async () => {
  expect(await result(node, 'getInflationGovernor')).toEqual({
    foundation: 0,
    foundationTerm: 0,
    initial: 0,
    taper: 0,
    terminal: 0,
  });
  expect(await result(node, 'getInflationRate')).toEqual({ epoch: 0, foundation: 0, total: 0, validator: 0 });
});

test('getInflationReward: -32004 while the epoch lasts, then null for addresses without a reward', async () => {
  const year = await startNode({ slotMs: 3_600_000, historySlots: 500_000 });
  expect(await failure(year, 'getInflationReward', [payer.address], { epoch: 0 })).toEqual({
    code: -32004,
    message: 'Block not available for slot 432000',
  });
  year.warp({ slots: 432_100 });
  expect(await result(year, 'getInflationReward', [payer.address, identity], { epoch: 0 })).toEqual([
    null,
    null,
  ]);
  expect(await result(year, 'getInflationReward', [payer.address])).toEqual([null]);
  expect(await failure(year, 'getInflationReward', ['x'])).toMatchObject({ code: -32602 });
});

test('getHighestSnapshotSlot: -32008 before the first, then every 100 slots, as a test validator', async () => {
  const fresh = await startNode({ slotMs: 3_600_000 });
  expect(await failure(fresh, 'getHighestSnapshotSlot')).toEqual({ code: -32008, message: 'No snapshot' });
  fresh.warp({ slots: 200 });
  expect(await result(fresh, 'getHighestSnapshotSlot')).toEqual({ full: 200, incremental: null });
});

test('getBlockProduction: what was led and what was made, in a range; its errors', async () => {
  const slot = await slotAt('finalized');
  const production = async (config?: object) => (await result(node, 'getBlockProduction', config)).value;
  expect(await production()).toEqual({
    byIdentity: { [identity]: [slot + 1, slot + 1] },
    range: { firstSlot: 0, lastSlot: slot },
  });
  const range = { firstSlot: 3, lastSlot: 5 };
  expect(await production({ range, identity })).toEqual({ byIdentity: { [identity]: [3, 3] }, range });
  expect(await production({ range, identity: await freshAddress() })).toEqual({ byIdentity: {}, range });
  // Agave `rpc/src/rpc.rs`, `get_block_production`.
  const message = async (range: object) => (await failure(node, 'getBlockProduction', { range })).message;
  expect(await message({ firstSlot: 5, lastSlot: 3 })).toBe('lastSlot, 3, cannot be less than firstSlot, 5');
  expect(await message({ firstSlot: 1, lastSlot: slot + 1 })).toBe(
    `lastSlot, ${slot + 1}, is too large; max ${slot}`,
  );
  const old = await startNode({ slotMs: 3_600_000 });
  old.warp({ slots: 1_100_000 });
  const newest = await result(old, 'getSlot');
  expect(await failure(old, 'getBlockProduction', { range: { firstSlot: 7 } })).toEqual({
    code: -32602,
    message: `firstSlot, 7, is too small; min ${newest + 1 - 1_048_576}`,
  });
});

test('getBlockCommitment: stake by depth for blocks that are no roots yet, null for others', async () => {
  const slot = await slotAt('processed');
  const at = (block: number) => result(node, 'getBlockCommitment', block);
  const { commitment, totalStake } = await at(slot - 3);
  expect(commitment).toHaveLength(32);
  expect(
    commitment
      .map((stake: number, depth: number) => (stake > 0 ? depth : -1))
      .filter((depth: number) => depth >= 0),
  ).toEqual([2]);
  expect(commitment[2]).toBe(totalStake);
  expect(await at(slot - 31)).toEqual({ commitment: null, totalStake });
  expect(await at(slot + 5)).toEqual({ commitment: null, totalStake });
});

test('the furthest slots of retransmit and shreds are the newest; delegating takes a lamport', async () => {
  const slot = await slotAt('processed');
  expect(await result(node, 'getMaxRetransmitSlot')).toBe(slot);
  expect(await result(node, 'getMaxShredInsertSlot')).toBe(slot);
  expect((await result(node, 'getStakeMinimumDelegation')).value).toBe(1);
  expect(await failure(node, 'getStakeMinimumDelegation', { minContextSlot: 1_000_000 })).toMatchObject({
    code: -32016,
  });
});

test('getLargestAccounts: twenty at most, the largest first; none is out of circulation', async () => {
  const rich = await startNode({ slotMs: 3_600_000 });
  const addresses = await Promise.all(Array.from({ length: 60 }, () => freshAddress()));
  const rest = { owner: payer.address, data: new Uint8Array(0), executable: false };
  for (const [place, address] of addresses.entries())
    rich.setAccount(address, { ...rest, lamports: 2n ** 60n + BigInt(place % 50) });
  const { value } = await result(rich, 'getLargestAccounts');
  expect(value.map(({ address }: Json) => address).sort()).toEqual(addresses.slice(30, 50).sort());
  expect(value[0].address).toBe(addresses[49]);
  expect((await result(rich, 'getLargestAccounts', { filter: 'circulating' })).value).toEqual(value);
  expect((await result(rich, 'getLargestAccounts', { filter: 'nonCirculating' })).value).toEqual([]);
  expect(await failure(rich, 'getLargestAccounts', { filter: 'all' })).toEqual({
    code: -32602,
    message: 'Invalid params: unknown variant `all`, expected `circulating` or `nonCirculating`.',
  });
});

test('methods that take a commitment alone do not mind minContextSlot', async () => {
  const config = { minContextSlot: 1_000_000 };
  for (const method of ['getSupply', 'getVoteAccounts', 'getInflationGovernor', 'getBlockProduction'])
    expect(await result(node, method, config)).toBeDefined();
  expect(await result(node, 'getMinimumBalanceForRentExemption', 0, config)).toBe(890_880);
});

test('kit decodes all of them', async () => {
  const rpc = createSolanaRpc(node.rpcUrl);
  expect((await rpc.getEpochSchedule().send()).slotsPerEpoch).toBe(432_000n);
  expect(await rpc.getBlocks(1n, 2n).send()).toEqual([1n, 2n]);
  expect(await rpc.getSlotLeader().send()).toBe(identity);
  expect((await rpc.getVoteAccounts().send()).current).toHaveLength(1);
  expect((await rpc.getClusterNodes().send())[0]?.pubkey).toBe(identity);
  expect((await rpc.getInflationRate().send()).total).toBe(0);
  expect((await rpc.getBlockProduction().send()).value.byIdentity).toHaveProperty(identity);
  expect((await rpc.getBlockCommitment(1n).send()).commitment).toBeNull();
  expect((await rpc.getStakeMinimumDelegation().send()).value).toBe(1n);
  expect((await rpc.getLargestAccounts().send()).value).not.toHaveLength(0);
  expect(await rpc.getMaxRetransmitSlot().send()).toBe(await rpc.getMaxShredInsertSlot().send());
  expect(await rpc.getTransactionCount().send()).toEqual(expect.any(BigInt));
});
