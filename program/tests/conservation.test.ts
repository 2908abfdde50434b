import type * as client from '@karat/program-client';
import { type Address, isSignerRole, lamports } from '@solana/kit';
import { getMintDecoder } from '@solana-program/token';
import { ComputeBudget } from 'litesvm';
import { describe, expect, test } from 'vitest';
import { idl } from '../idl.js';
import { eight, Scenario } from './fixture.js';
import { type Counter, dayOf, type Model, RandomWorld, type Step } from './random-world.js';

// No token is made or lost, whatever is done in whatever order: balances follow from the events alone, and events are numbered without a gap.

/** Once a night more. */
const STEPS = process.env.KARAT_THOROUGH ? 16_000 : 6_000;
const WORLDS = 4;
/** Steps between two comparisons. */
const BATCH = 50;
/** kit takes at most 12 signers in a transaction. */
const MAX_SIGNERS = 12;
/** The same of 64 accounts, which the programs are among. */
const MAX_ACCOUNTS = 60;

/** A chain on which nothing is initialized, with a VM that takes many instructions in a transaction. */
async function blankWorld(seed: number): Promise<RandomWorld> {
  const scenario = await Scenario.blank();
  const budget = new ComputeBudget();
  budget.computeUnitLimit = 10_000_000n;
  budget.maxInstructionTraceLength = 1_000n;
  scenario.svm.withComputeBudget(budget);
  scenario.svm.airdrop(scenario.at.payer, lamports(1_000_000_000_000n));
  return RandomWorld.create(scenario, seed);
}

const kinds = new Map<string, unknown>(
  idl.program.instructions.map(({ name, arguments: [discriminator] }) => [
    name,
    discriminator?.defaultValue && 'number' in discriminator.defaultValue
      ? discriminator.defaultValue.number
      : undefined,
  ]),
);

/** The number of the next event of a partner, of escrow or of the config, counted. */
function nextSeq(model: Model, partner: Counter): bigint {
  if (partner === 'new') return 1n;
  if (partner === 'escrow') {
    model.escrowSeq += 1n;
    return model.escrowSeq;
  }
  const counter = partner === undefined ? model : model.partners[partner];
  if (!counter) throw new Error(`no partner ${partner}`);
  counter.seq += 1n;
  return counter.seq;
}

/** Brings the model up to date with the events of a batch that landed. */
function apply(steps: Step[], events: client.KaratEvent[], model: Model): void {
  let next = 0;
  for (const { name, event: wanted, transfer } of steps) {
    transfer?.(model);
    if (!wanted) continue;
    const event = events[next];
    next += 1;
    if (!event) throw new Error(`${name} emitted nothing`);
    if (event.kind !== kinds.get(name)) throw new Error(`the event of ${name} is of kind ${event.kind}`);
    const seq = nextSeq(model, wanted.partner);
    if (event.seq !== seq) throw new Error(`${name} has the number ${event.seq}, not ${seq}`);
    wanted.check(event, model);
  }
  expect(events).toHaveLength(next);
}

/** That the chain is what the model says. */
function compare(world: RandomWorld): void {
  const { scenario, model } = world;
  for (const [account, balance] of Object.entries(model.balances)) {
    if (scenario.balance(account as Address) !== balance) throw new Error(`${account} has not ${balance}`);
  }
  const supply = getMintDecoder().decode(scenario.account(scenario.at.goldMint).data).supply;
  if (supply !== model.goldSupply) throw new Error(`the supply is ${supply}, not ${model.goldSupply}`);
  if (model.seq === 0n) return;
  expect(scenario.config()).toMatchObject({
    seq: model.seq,
    escrowSeq: model.escrowSeq,
    escrowOpen: world.escrowOpen(),
    admin: world.adminAddress(),
    feeUsdc: world.feeAddress(),
    paused: model.paused,
  });
  compareEscrow(world);
  compareLimits(world);
  for (const [index, { exists, executives, seq }] of model.partners.entries()) {
    if (!exists) continue;
    expect(scenario.integrator(world.integratorAddress(index))).toMatchObject({
      seq,
      executiveCount: executives.length,
      executives: eight(executives),
      updateAuthority: world.authorityAddress(index, 'updateAuthority'),
      withdrawalAuthority: world.authorityAddress(index, 'withdrawalAuthority'),
    });
  }
}

/** Escrow holds what open redemptions need, each of which has an account. */
function compareEscrow(world: RandomWorld): void {
  const { escrowOpen } = world.scenario.config();
  expect(world.redemptionsOnChain()).toBe(escrowOpen);
  expect(world.scenario.balance(world.scenario.at.escrowGold)).toBeGreaterThanOrEqual(escrowOpen);
}

/** What was counted in 24 hours is what the walk traded and took out, in each window. */
function compareLimits(world: RandomWorld): void {
  const { scenario, model } = world;
  const { usdcOutflow, goldOutflow, dailyOutflowUsdc, dailyOutflowGold } = scenario.config();
  expect([dailyOutflowUsdc, dailyOutflowGold]).toEqual([model.outflow.Usdc.limit, model.outflow.Gold.limit]);
  expect(totalOf(usdcOutflow, model.now)).toBe(dayOf(model.outflow.Usdc.hours, model.now));
  expect(totalOf(goldOutflow, model.now)).toBe(dayOf(model.outflow.Gold.hours, model.now));
  for (const [index, { exists, dailyLimit, volume }] of model.partners.entries()) {
    if (!exists) continue;
    const integrator = scenario.integrator(world.integratorAddress(index));
    expect(integrator.dailyLimitUsdc).toBe(dailyLimit);
    expect(totalOf(integrator.usdcVolume, model.now)).toBe(dayOf(volume, model.now));
  }
}

/** The sum of the hour of `now` and the 23 before it. */
function totalOf({ hour, sums }: client.Window, now: bigint): bigint {
  const first = Number(now / 3_600n) - 23;
  const hours = Array.from({ length: 24 }, (_, back) => hour - back).filter((each) => each >= first);
  return hours.reduce((sum, each) => sum + (sums[each % 24] ?? 0n), 0n);
}

/** The steps in as few transactions as their signers and accounts allow, the payer among them. */
function transactionsOf(world: RandomWorld, steps: Step[]): Step[][] {
  const transactions: Step[][] = [];
  let signers = new Set<Address>();
  let all = new Set<Address>();
  for (const step of steps) {
    const own = step.instruction.accounts ?? [];
    const names = own.map(({ address }) => address);
    const signing = own.filter(({ role }) => isSignerRole(role)).map(({ address }) => address);
    const [signersTogether, allTogether] = [new Set([...signers, ...signing]), new Set([...all, ...names])];
    const last = transactions.at(-1);
    if (last && signersTogether.size <= MAX_SIGNERS && allTogether.size <= MAX_ACCOUNTS) {
      last.push(step);
      [signers, all] = [signersTogether, allTogether];
    } else {
      transactions.push([step]);
      signers = new Set([world.scenario.at.payer, ...signing]);
      all = new Set([world.scenario.at.payer, ...names]);
    }
  }
  return transactions;
}

/** Makes a batch of steps, lets it land, and compares; gives the names of what landed. */
function batch(world: RandomWorld): string[] {
  world.movePrice();
  const first = world.model.seq === 0n;
  const steps = Array.from({ length: first ? 1 : BATCH }, () => world.step());
  for (const transaction of transactionsOf(world, steps)) {
    const { error, logs, events } = world.scenario.send(transaction.map(({ instruction }) => instruction));
    if (error) throw new Error(`${error}\n${logs.slice(-8).join('\n')}`);
    apply(transaction, events, world.model);
  }
  // `initialize` takes a mint without tokens only.
  if (first) world.scenario.setGoldSupply(world.model.goldSupply);
  compare(world);
  return steps.filter(({ name: step }) => step !== 'transfer').map(({ name }) => name);
}

/** Tries some of what must be refused now; how often each error came. */
function tryForbidden(world: RandomWorld, errors: Map<string, number>): void {
  if (!world.model.partners[0]?.exists) return;
  for (const { error, instruction } of world.someForbidden()) {
    const outcome = world.scenario.send([instruction]);
    expect(outcome.error, outcome.logs.slice(-8).join('\n')).toBe(error);
    errors.set(error, (errors.get(error) ?? 0) + 1);
  }
}

/** A few steps before an instruction that must be refused: all of them are undone. False while there is nobody to make the mistake. */
function refusedBatch(world: RandomWorld): boolean {
  const before = structuredClone(world.model);
  if (!before.partners[0]?.exists) return false;
  const steps = Array.from({ length: 3 }, () => world.step());
  const { error, instruction } = world.mistake();
  const outcome = world.scenario.send([...steps.map((step) => step.instruction), instruction]);
  expect(outcome.error, outcome.logs.slice(-8).join('\n')).toBe(error);
  world.model = before;
  compare(world);
  return true;
}

describe('random sequences of all instructions', () => {
  test(`conserve both tokens over ${STEPS.toLocaleString('en')} steps`, async () => {
    const landed = new Map<string, number>();
    const errors = new Map<string, number>();
    let refused = 0;
    const seed = Math.floor(Math.random() * 2 ** 32);
    console.log(`conservation: seed ${seed}`);
    for (let number = 0; number < WORLDS; number += 1) {
      const world = await blankWorld(seed + number);
      const [usdc, gold, supply] = [world.total('Usdc'), world.total('Gold'), world.model.goldSupply];
      let steps = 0;
      while (steps < STEPS / WORLDS) {
        const names = batch(world);
        steps += names.length;
        for (const name of names) landed.set(name, (landed.get(name) ?? 0) + 1);
        if (steps % 4 === 0 && refusedBatch(world)) refused += 1;
        tryForbidden(world, errors);
      }
      expect(world.total('Usdc')).toBe(usdc);
      expect(gold - world.total('Gold')).toBe(supply - world.model.goldSupply);
      expect(world.model.goldSupply).not.toBe(supply);
    }
    const counts = [...landed].sort(([, left], [, right]) => right - left);
    console.log(
      `conservation: ${counts.map(([name, count]) => `${name} ${count}`).join(', ')}; ${refused} refused; alone ${[...errors].join(' ')}`,
    );
    expect(refused).toBeGreaterThan(20);
    // Of `initialize` there is one in each world.
    for (const [name, count] of landed) if (name !== 'initialize') expect(count, name).toBeGreaterThan(99);
    for (const [error, count] of errors) expect(count, error).toBeGreaterThan(20);
    expect([...errors.keys()].sort()).toEqual([
      'AlreadyInitialized',
      'DailyLimitExceeded',
      'InvalidAccountOwner',
      'MintAboveAttestation',
      'NothingToSweep',
      'OrderExecuted',
      'Paused',
    ]);
    // `event` is called by the others.
    expect([...landed.keys(), 'event'].sort()).toEqual([...kinds.keys()].sort());
  }, 240_000);
});
