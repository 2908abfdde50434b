/** Lets everyone act who uses the service, by a schedule. */
import { KaratError } from '../../packages/sdk/src/index.js';
import type { History } from './history.js';
import type { Random } from './random.js';
import { greedyHolder, hostile, loneClerk, thief } from './roles/adversaries.js';
import { buyer, canceller, direct, redeemer, seller } from './roles/customers.js';
import { approver, auditor, clerk, treasurer } from './roles/staff.js';
import type { Operation, Role } from './schedule.js';
import { type Act, NothingToDo, type Stage } from './stage.js';
import type { World } from './world.js';

const acts: Record<Role, Act> = {
  ...{ buyer, seller, redeemer, canceller, direct, auditor, clerk, approver, treasurer, hostile, thief },
  lone_clerk: loneClerk,
  greedy_holder: greedyHolder,
};

export class Workload {
  operations = 0;
  failed = 0;
  readonly #stage: Stage;
  readonly #history: History;
  readonly #under = new Set<Promise<void>>();

  constructor(stage: Stage, history: History, random: Random) {
    this.#stage = stage;
    this.#history = history;
    slowDown(stage.world, random);
  }

  /** Begins an operation; whatever becomes of it is in the history. */
  begin(operation: Operation, number: number): void {
    const begunMs = performance.now();
    const about = { operation: number, ...operation };
    const write = (outcome: object) =>
      this.#history.write({ ...about, took_ms: Math.round(performance.now() - begunMs), ...outcome });
    const act = async () => acts[operation.role](this.#stage, operation, number);
    const running = act().then(
      (result) => write({ result }),
      (error: unknown) => {
        if (error instanceof NothingToDo) return write({ result: error.message });
        this.failed += 1;
        write({ error: describe(error) });
      },
    );
    this.operations += 1;
    const done = running.finally(() => this.#under.delete(done));
    this.#under.add(done);
  }

  /** Resolves once everything that was begun has come to an end. */
  async ended(): Promise<void> {
    await Promise.all(this.#under);
  }
}

/**
 * Has the receiver of webhooks respond late, and refuse some events once: they are sent again after a while. Only what a sender
 * learnt is taken, not what it sent before it was killed.
 */
function slowDown({ receiver, taken }: World, random: Random): void {
  const refused = new Set<unknown>();
  receiver.how = (response, { body }) => {
    const refuses = !refused.has(body.id) && random.next() < 0.1;
    if (refuses) refused.add(body.id);
    setTimeout(
      () => {
        if (response.destroyed) return;
        response.writeHead(refuses ? 503 : 200).end();
        if (!refuses) taken.add(String(body.id));
      },
      random.between(0, 1_500),
    );
  };
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  if (error instanceof KaratError) return `${error.status ?? ''} ${error.code}: ${error.message}`.trim();
  return String(error);
}
