/** What a second worker of `karat serve` brings: quotes for each CPU second with two of them, against one. */
import { type BenchOptions, type Figure, median, report, warmUpSeconds } from '../figures.js';
import { allCores, childrenOf, cpuSecondsOf, serviceCore } from '../machine.js';
import { type KaratProcess, measureLoad, serveKnows, type World } from '../world.js';

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  if (!serveKnows('--workers')) {
    report('karat serve has no option --workers: nothing to measure');
    return [];
  }
  const [rounds, seconds] = options.quick ? [3, 1] : [5, 2];
  const one = await world.start('serve', { args: ['--workers', '1'], cores: serviceCore });
  const two = await world.start('serve', { args: ['--workers', '2'], cores: allCores });
  const job = { requests: world.requests, connections: 100, seconds };
  try {
    for (const target of [one, two]) {
      await measureLoad(world, target, { ...job, seconds: warmUpSeconds(options) });
    }
    const capacities: number[][] = [[], []];
    const byTheClock: number[][] = [[], []];
    const evenness: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, target] of [one, two].entries()) {
        const shares = await sharesOf(target, async () => {
          const { perCpuSecond, responses, elapsed } = await measureLoad(world, target, job);
          byTheClock[index]?.push(responses / elapsed);
          // The load runs on a core of the second worker, so what counts is what the service's own time was worth.
          capacities[index]?.push(perCpuSecond * (index + 1));
        });
        if (index === 1) evenness.push(shares);
      }
    }
    const [first = [], second = []] = capacities;
    return [
      {
        name: 'two workers against one',
        value: median(second),
        unit: 'per second of two cores',
        ratio: {
          to: 'one worker on one core',
          value: median(second.map((value, round) => value / (first[round] ?? Number.NaN))),
        },
        required: 1.8,
        aim: 1.95,
        better: 'higher',
        detail: {
          one: first,
          two: second,
          leastBusyAgainstBusiest: median(evenness),
          // What the load, PostgreSQL and the node left of the second core is in it: workers that wait show themselves here.
          quotesPerSecondOfOne: median(byTheClock[0] ?? []),
          quotesPerSecondOfTwo: median(byTheClock[1] ?? []),
        },
      },
    ];
  } finally {
    await one.stop();
    await two.stop();
  }
}

/** Returns how evenly the workers of a process shared some work: processor time of the least busy against the busiest. */
async function sharesOf({ pid }: KaratProcess, work: () => Promise<void>): Promise<number> {
  const workers = childrenOf(pid);
  const before = workers.map(cpuSecondsOf);
  await work();
  const used = workers
    .map((worker, index) => cpuSecondsOf(worker) - (before[index] ?? 0))
    .sort((a, b) => b - a);
  const [busiest = Number.NaN, second = Number.NaN] = used;
  return second / busiest;
}
