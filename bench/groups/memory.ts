/** How soon `karat serve` is ready and what memory it has then, and whether that stays what it is under full load. */
import { type BenchOptions, type Figure, median, report, shown } from '../figures.js';
import { memoryOf, otherCores, pause } from '../machine.js';
import { failuresOf, type World } from '../world.js';

/** What a process makes for itself at first does not count. */
const warmUpShare = 0.25;
const starts = 5;
/** Long enough for everything that is read once. */
const idleMs = 5_000;
const ready = { method: 'GET', path: '/ready', headers: {} } as const;

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  return [...(await measureStart(world)), await measureGrowth(world, options)];
}

/** Measures from the start of the process until `/ready` is 200, on one core, and its memory when nothing happens after that. */
async function measureStart(world: World): Promise<Figure[]> {
  const seconds: number[] = [];
  const idle: number[] = [];
  // Without a process that indexes, none that serves is ready.
  const index = await world.start('index', { cores: otherCores });
  try {
    // The first of all waits until it leads.
    for (let start = 0; start <= starts; start += 1) {
      const begunMs = performance.now();
      const service = await world.start('serve', { firstRequest: ready });
      const taken = (performance.now() - begunMs) / 1_000;
      await pause(start === 0 ? 0 : idleMs);
      const memory = memoryOf(service.pid).now;
      await service.stop();
      if (start === 0) continue;
      seconds.push(taken);
      idle.push(memory);
    }
  } finally {
    await index.stop();
  }
  report(`ready after ${seconds.map(shown).join(', ')} s, with ${shown(median(idle))} MiB`);
  return [
    {
      name: 'start of karat serve -> /ready',
      value: median(seconds),
      unit: 's',
      required: 1.2,
      better: 'lower',
      detail: { seconds },
    },
    {
      name: 'memory of an idle karat serve',
      value: median(idle),
      unit: 'MiB',
      required: 160,
      better: 'lower',
      detail: { idle },
    },
  ];
}

async function measureGrowth(world: World, { minutes }: BenchOptions): Promise<Figure> {
  const service = await world.start('serve');
  try {
    const seconds = minutes * 60;
    const samples: number[] = [];
    let over = false;
    const load = world
      .load({ url: service.url, requests: world.requests, connections: 50, seconds })
      .finally(() => {
        over = true;
      });
    while (!over) {
      await Promise.race([pause(1_000), load]);
      samples.push(memoryOf(service.pid).now);
    }
    const done = await load;
    const { responses } = done;
    if (failuresOf(done) > 0) report(`WARNING: ${failuresOf(done)} of ${responses} got no quote`);
    const counted = samples.slice(Math.floor(samples.length * warmUpShare));
    const tenth = Math.max(3, Math.floor(counted.length / 10));
    const [first, last] = [median(counted.slice(0, tenth)), median(counted.slice(-tenth))];
    report(`${shown(first)} MiB, and ${shown(last)} MiB ${shown(responses)} quotes later`);
    return {
      name: `growth of memory in ${shown(minutes)} minutes of full load`,
      value: (last / first - 1) * 100,
      unit: '%',
      // What a process makes for itself in its first minutes is not what grows.
      ...(minutes >= 30 ? { required: 3, aim: 0 } : {}),
      better: 'lower',
      detail: { firstMiB: first, lastMiB: last, responses, failures: failuresOf(done) },
    };
  } finally {
    await service.stop();
  }
}
