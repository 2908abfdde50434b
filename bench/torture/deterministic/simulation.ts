/** Carries out plans, and judges what came of each. */
import { createHash } from 'node:crypto';
import { eventIdOf } from '../../../packages/service/src/domain/event.js';
import { verify } from '../../../packages/service/src/verify/verify.js';
import { indexingOf, never } from '../../../packages/service/test/indexer/indexing.js';
import { carryOut, type Processes, type Run } from './callers.js';
import type { Plan } from './plan.js';
import type { Process } from './virtual-time.js';
import {
  delivering,
  finalAfterSeconds,
  indexing,
  keeping,
  type ProcessName,
  type Running,
  serving,
  type World,
} from './world.js';

export interface Outcome {
  /** What contradicts an invariant or an acknowledgement, a line each. */
  broken: string[];
  /** Everything that happened, in its order. */
  history: string[];
  /** The same for each run of a plan. */
  hash: string;
}

/** What was quoted before is over by then. */
const quotesLastMs = 120_000;

export class Simulation {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Carries out a plan from the same state as every other; the same plan comes to the same each time. */
  async run(plan: Plan): Promise<Outcome> {
    const { scheduler, time } = this.#world;
    await this.#world.goBack(plan.seed);
    time.reset(plan.seed);
    const fleet = new Fleet(this.#world);
    scheduler.reset({
      seed: plan.seed,
      faultOf: ({ actor, number }) =>
        actor.number % 2 === 0
          ? plan.faults.find(({ operation, step }) => 2 * operation === actor.number && step === number)?.kind
          : undefined,
      crash: (process) => fleet.restart(process),
    });
    const { history } = scheduler;
    const run: Run = {
      world: this.#world,
      processes: fleet,
      redemptions: this.#world.redemptions,
      epochs: { indexer: 0, keeper: 0 },
      broken: [],
      acknowledged: new Set(),
      responses: new Map(),
      isRevoked: false,
      restore: () => this.#restore(run, fleet),
      refused: [],
      note: (line) => history.push(line),
    };
    await fleet.start(namesOf(plan));
    const broken = await this.#phases(plan, run);
    await fleet.end();
    broken.push(...run.broken);
    if (broken.length === 0)
      broken.push(...(await this.#judge(run)), ...(await this.#refusedRepetitions(plan, run)));
    const lines = withoutRandomness([...history, ...broken]);
    return { broken, history: lines, hash: createHash('sha256').update(lines.join('\n')).digest('hex') };
  }

  /**
   * Loses the database, puts the backup back, and starts what ran, as docs/operations explains it. What was acknowledged of trades
   * is on the chain; what is not there was never promised.
   */
  async #restore(run: Run, fleet: Fleet): Promise<void> {
    await fleet.end();
    await this.#world.restore();
    this.#world.pass(quotesLastMs);
    run.epochs = { indexer: 0, keeper: 0 };
    run.responses.clear();
    run.refused.length = 0;
    run.isRevoked = false;
    await fleet.startAgain();
    run.note('restored');
  }

  async #phases(plan: Plan, run: Run): Promise<string[]> {
    const { scheduler, pass } = this.#world;
    for (const phase of new Set(plan.operations.map((operation) => operation.phase))) {
      const group = plan.operations.filter((operation) => operation.phase === phase);
      for (const operation of group) if (operation.kind === 'wait') pass(operation.seconds * 1_000);
      const work = group.map((operation) => {
        const name = `#${operation.id} ${operation.kind}`;
        const state = { name, ended: false, over: Promise.resolve() };
        state.over = carryOut(run, operation)
          .catch((error: unknown) => {
            // A caller of this form does not fail: what it gets is a response.
            run.broken.push(`caller: ${name} failed: ${error}`);
          })
          .finally(() => {
            state.ended = true;
          });
        return state;
      });
      if (group.some(({ kind }) => kind === 'restore')) {
        for (const { over } of work) await over;
        continue;
      }
      const open = await scheduler.run(work);
      if (open.length > 0) return open.map((name) => `${name} never ended`);
    }
    return [];
  }

  /**
   * Returns what a caller was refused who tried again with the same key, although it was done the first time: no other
   * operation was about that redemption, and it has moved.
   */
  async #refusedRepetitions({ operations }: Plan, { refused, redemptions }: Run): Promise<string[]> {
    const found: string[] = [];
    for (const id of refused) {
      const operation = operations.find((one) => one.id === id);
      if (!operation || !('redemption' in operation) || operation.twice) continue;
      const others = operations.filter(
        (one) => one !== operation && 'redemption' in one && one.redemption === operation.redemption,
      );
      if (others.length > 0) continue;
      const { rowCount } = await this.#world.monitor.query(
        `select from redemption_history where redemption_id = $1
         offset (select count(*) from base.redemption_history where redemption_id = $1)`,
        [redemptions[operation.redemption]?.slice('red_'.length)],
      );
      if (rowCount)
        found.push(`repetition: #${id} ${operation.kind} was done, and refused when it was repeated`);
    }
    return found;
  }

  /** Lets a healthy indexer do what is left, and looks at every invariant. */
  async #judge({ acknowledged }: Run): Promise<string[]> {
    const { auditor, chain, monitor } = this.#world;
    // What was quoted and not sent is over by then.
    chain.node.warp({ seconds: 150 });
    const rest = await indexingOf(auditor, { finalAfterMs: 0 });
    for (let round = 0; round < 2; round += 1) {
      await rest.round();
      await rest.complete();
      await rest.settle();
      if (round === 0) chain.node.warp({ seconds: finalAfterSeconds });
    }
    await rest.note();
    const verdicts = await verify(auditor, { waitMs: 0, againMs: 0 }, never);
    const found = verdicts.flatMap(({ invariant, verdict, broken, detail }) =>
      verdict === 'pending'
        ? [`${invariant}: ${detail}`]
        : broken.map(({ row, fault }) => `${invariant}: ${row} ${fault}`),
    );
    for (const id of acknowledged) {
      const uuid = id.slice(id.indexOf('_') + 1);
      const { rowCount } = await monitor.query(
        `select from trades where id = $1 union all
         select from redemptions where id = $1 and status not in ('quoted', 'lapsed') union all
         select from orders where id = $1 and status = 'confirmed'`,
        [uuid],
      );
      if (rowCount !== 1) found.push(`${id} was acknowledged, and is not recorded`);
    }
    found.push(...(await this.#undelivered()), ...(await this.#decidedTwice()));
    return found;
  }

  /** Returns what more than one clerk has decided, as the audit log has it. */
  async #decidedTwice(): Promise<string[]> {
    const { rows } = await this.#world.monitor.query<{ id: string; times: number }>(
      `select object_id as id, count(*)::int as times from audit_log
       where action in ('approval.approve', 'approval.reject') group by object_id having count(*) > 1`,
    );
    return rows.map(({ id, times }) => `decided_once: approval ${id} was decided ${times} times`);
  }

  /** Returns what counts as delivered, and never reached its receiver. */
  async #undelivered(): Promise<string[]> {
    const { monitor, partner, receiver } = this.#world;
    const { rows } = await monitor.query<{ sequence: string; created: Date }>(
      `select sequence::text, event_created_at as created from webhook_deliveries where status = 'delivered'`,
    );
    return rows
      .map(({ sequence, created }) =>
        eventIdOf(partner.id, { sequence: BigInt(sequence), createdAt: created }),
      )
      .filter((id) => !receiver.taken.has(id))
      .map((id) => `delivered: ${id} counts as delivered, and its receiver does not have it`);
  }
}

/** The processes that a plan needs. */
function namesOf({ operations }: Plan): ProcessName[] {
  const names = operations.flatMap((operation): ProcessName[] => {
    if (operation.kind === 'wait' || operation.kind === 'restore') return [];
    if (operation.kind === 'index') return [indexing[operation.process] ?? 'index-1'];
    if (operation.kind === 'deliver') return [delivering[operation.process] ?? 'deliver-1'];
    if (operation.kind === 'keep') return [keeping[operation.process] ?? 'keep-1'];
    const twins = operation.twice ? [0, 1] : [0];
    return twins.map((n) => serving[(operation.process + n) % 2] ?? 'serve-1');
  });
  return [...new Set(names)].sort();
}

/** The processes of one run. */
class Fleet implements Processes {
  readonly #world: World;
  readonly #running = new Map<ProcessName, { process: Running; crashed: Promise<void>; crash(): void }>();

  constructor(world: World) {
    this.#world = world;
  }

  async start(names: readonly ProcessName[]): Promise<void> {
    for (const name of names) {
      let crash = () => {};
      const crashed = new Promise<void>((resolve) => {
        crash = resolve;
      });
      this.#running.set(name, { process: await this.#world.start(name), crashed, crash });
    }
  }

  /** Starts what takes the place of a process that has crashed, and lets its callers know. */
  async restart({ name }: Process): Promise<void> {
    const before = this.#running.get(name as ProcessName);
    await this.start([name as ProcessName]);
    before?.crash();
  }

  startAgain(): Promise<void> {
    return this.start([...this.#running.keys()]);
  }

  async end(): Promise<void> {
    for (const { process } of this.#running.values()) await this.#world.scheduler.end(process);
  }

  get(name: ProcessName): Running {
    return this.#of(name).process;
  }

  crashed(name: ProcessName): Promise<void> {
    return this.#of(name).crashed;
  }

  #of(name: ProcessName) {
    const found = this.#running.get(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  }
}

/** Names what differs from run to run, such as ids and signatures, by when it appears first. */
function withoutRandomness(lines: readonly string[]): string[] {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const known = names.get(text) ?? `<${names.size}>`;
    names.set(text, known);
    return known;
  };
  return lines.map((line) =>
    line.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9+/=]{32,}/g, nameOf),
  );
}
