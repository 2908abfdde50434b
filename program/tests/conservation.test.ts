import type * as client from '@karat/program-client';
import { type Address, isSignerRole, lamports } from '@solana/kit';
import { getMintDecoder } from '@solana-program/token';
import { ComputeBudget } from 'litesvm';
import { describe, expect, test } from 'vitest';
import { idl } from '../idl.js';
import { eight, Scenario } from './fixture.js';
import { type Model, RandomWorld, type Step } from './random-world.js';

// No token is made or lost, whatever is done in whatever order: balances follow from the events alone, and events are numbered without a gap.

const STEPS = 20_000;
const WORLDS = 4;
/** Steps between two comparisons. */
const BATCH = 50;
/** kit takes at most 12 signers in a transaction. */
const MAX_SIGNERS = 12;

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
function nextSeq(model: Model, partner: number | 'escrow' | undefined): bigint {
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

/** The steps in as few transactions as their signers allow, the payer among them. */
function transactionsOf(world: RandomWorld, steps: Step[]): Step[][] {
  const transactions: Step[][] = [];
  let signers = new Set<Address>();
  for (const step of steps) {
    const own = (step.instruction.accounts ?? []).filter(({ role }) => isSignerRole(role));
    const together = new Set([world.scenario.at.payer, ...signers, ...own.map(({ address }) => address)]);
    const last = transactions.at(-1);
    if (last && together.size <= MAX_SIGNERS) {
      last.push(step);
      signers = together;
    } else {
      transactions.push([step]);
      signers = new Set(own.map(({ address }) => address));
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
  return steps.filter(({ event }) => event).map(({ name }) => name);
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
      }
      expect(world.total('Usdc')).toBe(usdc);
      expect(gold - world.total('Gold')).toBe(supply - world.model.goldSupply);
      expect(world.model.goldSupply).not.toBe(supply);
    }
    const counts = [...landed].sort(([, left], [, right]) => right - left);
    console.log(
      `conservation: ${counts.map(([name, count]) => `${name} ${count}`).join(', ')}; ${refused} refused`,
    );
    expect(refused).toBeGreaterThan(20);
    // `event` is called by the others, and `closeReceipt` moves no token.
    expect([...landed.keys(), 'event', 'closeReceipt'].sort()).toEqual([...kinds.keys()].sort());
  }, 240_000);
});
