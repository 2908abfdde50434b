/** Makes a plan that fails smaller. */
import type { Plan } from './plan.js';

/**
 * Returns a plan of which nothing can be left out: one fault, operation, or repetition at a time is, for as long as the rest
 * still fails. `fails` carries one out; the same plan always comes to the same.
 */
export async function shrink(plan: Plan, fails: (smaller: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(plan: Plan): Iterable<Plan> {
  const { operations, faults } = plan;
  // Most of a plan has nothing to do with what is wrong.
  const phases = [...new Set(operations.map(({ phase }) => phase))];
  const without = (isGone: (operation: Plan['operations'][number]) => boolean): Plan => {
    const left = operations.filter((operation) => !isGone(operation));
    const ids = new Set(left.map(({ id }) => id));
    return { ...plan, operations: left, faults: faults.filter(({ operation }) => ids.has(operation)) };
  };
  if (faults.length > 1) yield { ...plan, faults: [] };
  if (phases.length > 1) for (const phase of phases) yield without((operation) => operation.phase === phase);
  for (const { id } of operations)
    if (operations.length > 1) yield without((operation) => operation.id === id);
  for (const fault of faults) yield { ...plan, faults: faults.filter((other) => other !== fault) };
  for (const { id } of operations.filter((operation) => 'twice' in operation && operation.twice))
    yield {
      ...plan,
      operations: operations.map((operation) =>
        operation.id === id ? { ...operation, twice: false } : operation,
      ),
    };
}
