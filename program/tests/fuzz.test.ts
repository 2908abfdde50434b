import { describe, expect, test } from 'vitest';
import { nextAttempt } from './fuzz/attempts.js';
import { isExcused } from './fuzz/excuses.js';
import { checkLanded, Ledger, Sent } from './fuzz/oracle.js';
import { type View, World } from './fuzz/world.js';
import { instructions } from './theft.js';

// Random instructions, right and broken ones, against an oracle that keeps a ledger of its own. A seed is printed; the same one makes the same
// walk: `KARAT_FUZZ_SEED=… npx vitest run --project program fuzz`.

/** Once a night more. */
const TRANSACTIONS = process.env.KARAT_THOROUGH ? 100_000 : 4_000;
const WORLDS = process.env.KARAT_THOROUGH ? 20 : 1;
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How often something happened, by its name. */
type Counts = Map<string, number>;
const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const listed = (counts: Counts) => [...counts].map(([name, times]) => `${name} ${times}`).join(', ');

/** Tries one instruction, and checks what came of it; what is on the chain then. */
function step(
  world: World,
  view: View,
  ledger: Ledger,
  { landed, errors }: Record<'landed' | 'errors', Counts>,
): View {
  const { random, scenario } = world;
  const pause = random.once(150)
    ? random.below(3 * DAY)
    : random.once(12)
      ? random.below(3 * HOUR)
      : random.below(20);
  world.passTime(BigInt(pause));
  const { name, instruction, broken } = nextAttempt(world, view);
  const sent = new Sent(name, instruction, view, world, ledger);
  const outcome = scenario.send([instruction]);
  try {
    if (outcome.error === undefined) {
      const touched = (instruction.accounts ?? []).map(({ address }) => address);
      const after = world.view(view, touched);
      checkLanded(sent, after, outcome.events);
      count(landed, name);
      return after;
    }
    // What is no error of the program is the runtime's or that of a program it calls.
    count(errors, /^\w+$/.test(outcome.error) ? outcome.error : 'another');
    if (!broken && !isExcused(sent, outcome.error)) throw new Error(`it was refused with ${outcome.error}`);
    return view;
  } catch (cause) {
    throw new Error(
      `${name}${broken ? ', broken' : ''}: ${cause instanceof Error ? cause.message : cause}\n${outcome.logs.slice(-6).join('\n')}`,
    );
  }
}

describe('random instructions, right and broken', () => {
  test(`${TRANSACTIONS.toLocaleString('en')} random transactions land as the oracle expects, or are refused`, async () => {
    const seed = Number(process.env.KARAT_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
    console.log(`fuzz: seed ${seed}`);
    const counts = { landed: new Map<string, number>(), errors: new Map<string, number>() };
    for (let number = 0; number < WORLDS; number += 1) {
      const world = await World.create(seed + number);
      let view = world.view();
      const ledger = new Ledger(world, view);
      for (let index = 0; index < TRANSACTIONS / WORLDS; index += 1)
        view = step(world, world.random.once(50) ? world.strayDeposit(view) : view, ledger, counts);
    }
    console.log(`fuzz: landed ${listed(counts.landed)}; refused ${listed(counts.errors)}`);
    // `initialize` has run, and only the program can emit an event. A short walk may miss what lands seldom.
    const names = [...instructions.keys()].filter((name) => name !== 'initialize' && name !== 'event');
    const missed = names.filter((name) => !counts.landed.has(name));
    expect(missed.length, missed.join()).toBeLessThanOrEqual(process.env.KARAT_THOROUGH ? 0 : 3);
    expect(counts.errors.size).toBeGreaterThan(30);
  }, 900_000);
});
