/**
 * What quotes cost while the service grows: with more users, more partners, and more connections. Each size takes turns with
 * raw signatures, so that sizes that are measured minutes apart can be compared.
 */

import { address } from '@solana/kit';
import {
  findIntegratorPda,
  getIntegratorDecoder,
  getIntegratorEncoder,
} from '../../packages/program-client/src/index.js';
import { uuidBytes } from '../../packages/service/src/domain/index.js';
import { type BenchOptions, type Figure, median, report, shown, warmUpSeconds } from '../figures.js';
import { fillUsers } from '../tables.js';
import {
  fund,
  insertPartners,
  insertUsers,
  type KaratProcess,
  measureLoad,
  newDatabase,
  newPartner,
  type Partner,
  type QuoteRequest,
  quoteRequest,
  type World,
  withClient,
} from '../world.js';
import { messageLength, startRaw } from './quotes.js';

const usual = 50;
const rounds = 3;
/** Of each round. */
const seconds = 1;
const userCounts = [1_000, 1_000_000, 10_000_000];
/** Users that quotes are for, spread over all that there are. */
const sampled = 500;
/** Users of each round who are met for the first time: more than a round has quotes. */
const strangers = 12_000;

/** Returns quotes for one CPU second against raw signatures for one, and the latencies of the quotes. */
type Measure = (
  process: KaratProcess,
  requests: QuoteRequest[],
  connections?: number,
) => Promise<{ ratio: number; perCpuSecond: number; p50: number; p99: number }>;

export async function measure(world: World, options: BenchOptions): Promise<Figure[]> {
  const service = await world.start('serve');
  const raw = startRaw(await messageLength(world, service.url));
  const measureOnce: Measure = async (process, requests, connections = usual) => {
    const job = { requests, connections, seconds };
    // What is made once for each partner and user does not count.
    for (let made = 0, tries = 0; made < 2 * requests.length && tries < 15; tries += 1) {
      made += (await measureLoad(world, process, job)).responses;
    }
    const taken: { perCpuSecond: number; p50: number; p99: number; raw: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      taken.push({ raw: await raw.measure(0.25), ...(await measureLoad(world, process, job)) });
    }
    const medianOf = (of: (each: (typeof taken)[number]) => number) => median(taken.map(of));
    return {
      ratio: medianOf((each) => each.perCpuSecond / each.raw),
      perCpuSecond: medianOf((each) => each.perCpuSecond),
      p50: medianOf((each) => each.p50),
      p99: medianOf((each) => each.p99),
    };
  };
  // At a size that it cannot carry, the service refuses: that is its figure, and the other sizes have theirs.
  const measureSize: Measure = (...size) =>
    measureOnce(...size).catch((error: unknown) => {
      report(String(error));
      return { ratio: 0, perCpuSecond: 0, p50: Number.NaN, p99: Number.NaN };
    });
  const warmUp = async (process: KaratProcess, requests: QuoteRequest[], part = 1) => {
    const all = warmUpSeconds(options) * part;
    await measureLoad(world, process, { requests, connections: usual, seconds: all });
  };
  try {
    await warmUp(service, world.requests);
    return [
      ...(await withConnections(world, service, measureSize)),
      ...(await withUsers(world, { measureSize, warmUp, raw }, options)),
      ...(await withPartners(world, { measureSize, warmUp }, options)),
    ];
  } finally {
    await raw.stop();
    await service.stop();
  }
}

async function withConnections(world: World, service: KaratProcess, measureSize: Measure): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const connections of [1, 1_000]) {
    figures.push(
      toFigure(
        'connections',
        connections,
        await measureSize(service, world.requests, connections),
        figures[0],
      ),
    );
  }
  return figures;
}

interface Means {
  measureSize: Measure;
  warmUp: (process: KaratProcess, requests: QuoteRequest[], part?: number) => Promise<void>;
}

async function withUsers(
  world: World,
  { measureSize, warmUp, raw }: Means & { raw: ReturnType<typeof startRaw> },
  options: BenchOptions,
): Promise<Figure[]> {
  const databaseUrl = await newDatabase(world.postgres);
  await insertPartners(databaseUrl, world.partners);
  const service = await world.start('serve', { databaseUrl });
  const figures: Figure[] = [];
  const requests: QuoteRequest[] = [];
  let there = world.requests.length;
  try {
    for (const size of userCounts.filter((count) => count <= options.users)) {
      const more = Math.max(0, Math.floor((size - there) / 10) - sampled / 10);
      // In parts, so that those for whom quotes are requested lie between all others.
      for (let part = 0; part < 10; part += 1) {
        const partner = world.partners[part % world.partners.length];
        if (!partner) throw new Error('there is no partner');
        await fillUsers(databaseUrl, partner.id, more);
        const { users } = newPartner(sampled / 10, 0);
        for (const { wallet } of users) await fund(world.chain, wallet);
        await insertUsers(
          databaseUrl,
          users.map((user) => ({ ...user, partnerId: partner.id })),
        );
        requests.push(...requestsOf([{ ...partner, users }]));
      }
      there += 10 * (more + sampled / 10);
      if (figures.length === 0) await warmUp(service, spread(requests));
      figures.push(toFigure('users', size, await measureSize(service, spread(requests)), figures[0]));
    }
    if (there >= (1 + rounds) * strangers)
      figures.push(await withStrangers(world, { service, databaseUrl, raw }));
    return figures;
  } finally {
    await service.stop();
  }
}

/** Measures quotes for users of whom the process has worked out nothing yet. The first round does not count: V8 compiles. */
async function withStrangers(
  world: World,
  {
    service,
    databaseUrl,
    raw,
  }: { service: KaratProcess; databaseUrl: string; raw: ReturnType<typeof startRaw> },
): Promise<Figure> {
  const keys = new Map(world.partners.map(({ id, apiKeys }) => [id as string, apiKeys]));
  const { rows } = await withClient(databaseUrl, (sql) =>
    sql.query<{ id: string; partner: string }>(
      'select id::text as id, partner_id::text as partner from users order by id desc limit $1',
      [(1 + rounds) * strangers],
    ),
  );
  const requests = rows.map(({ id, partner }, place) => {
    const own = keys.get(partner) ?? [];
    return quoteRequest(own[place % own.length] ?? '', `gu_${id}`);
  });
  const taken: { raw: number; perCpuSecond: number; p99: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const some = requests.slice(round * strangers, (round + 1) * strangers);
    const job = {
      requests: some,
      connections: usual,
      seconds: round === 0 ? 3 * seconds : seconds,
      apart: true,
    };
    const measured = { raw: await raw.measure(0.25), ...(await measureLoad(world, service, job)) };
    if (round > 0) taken.push(measured);
  }
  const ratioToRaw = median(taken.map((each) => each.perCpuSecond / each.raw));
  return {
    name: 'quotes for users met for the first time',
    value: median(taken.map(({ perCpuSecond }) => perCpuSecond)),
    unit: 'per CPU second',
    better: 'higher',
    detail: { ratioToRaw, p99: median(taken.map(({ p99 }) => p99)) },
  };
}

async function withPartners(
  world: World,
  { measureSize, warmUp }: Means,
  { quick }: BenchOptions,
): Promise<Figure[]> {
  const databaseUrl = await newDatabase(world.postgres);
  const figures: Figure[] = [];
  const given: Partner[] = [];
  for (const size of quick ? [10, 100] : [10, 1_000, 10_000]) {
    // Most partners never trade: no more do than there are users that quotes are for, or twice as many.
    const every = Math.ceil(size / sampled);
    const more = Array.from({ length: size - given.length }, (_, place) =>
      place % every === 0 ? newPartner(1, 1) : newPartner(0, 0),
    );
    await putOnChain(world, more);
    await insertPartners(databaseUrl, more);
    given.push(...more);
    const requests = spread(requestsOf(given));
    const service = await world.start('serve', { databaseUrl, firstRequest: requests[0] });
    try {
      // Three of these, so less of it; what is made once for each partner is made by the first rounds of the measurement.
      await warmUp(service, requests, 0.5);
      figures.push(toFigure('partners', size, await measureSize(service, requests), figures[0]));
    } finally {
      await service.stop();
    }
  }
  return figures;
}

/** Writes partners to the chain as they would be there: transactions would take minutes. */
async function putOnChain({ chain, partners }: World, more: readonly Partner[]): Promise<void> {
  const programAddress = address(chain.config.programId);
  const accountOf = async (id: Partner['id']) =>
    (await findIntegratorPda({ partnerId: uuidBytes(id) }, { programAddress }))[0];
  const [known] = partners;
  const account = known && chain.node.getAccount(await accountOf(known.id));
  if (!account) throw new Error('the first partner is not on the chain');
  const integrator = getIntegratorDecoder().decode(account.data);
  for (const { id, wallet, users } of more) {
    const [partnerId, partnerWallet] = [uuidBytes(id), wallet.address];
    const data = getIntegratorEncoder().encode({ ...integrator, partnerId, partnerWallet });
    chain.node.setAccount(await accountOf(id), { ...account, data: new Uint8Array(data) });
    for (const user of users) await fund(chain, user.wallet);
  }
}

function requestsOf(given: readonly Partner[]): QuoteRequest[] {
  return given.flatMap(({ users, apiKeys }) =>
    users.flatMap(({ id }, place) => {
      const apiKey = apiKeys[place % apiKeys.length];
      return apiKey === undefined ? [] : [quoteRequest(apiKey, id)];
    }),
  );
}

/** Returns as many of the requests as the generator takes at once, from all over them. */
function spread(requests: readonly QuoteRequest[]): QuoteRequest[] {
  const step = Math.max(1, requests.length / sampled);
  return Array.from(
    { length: Math.min(sampled, requests.length) },
    (_, index) => requests[Math.floor(index * step)],
  ).filter((request) => request !== undefined);
}

function toFigure(
  of: string,
  size: number,
  { ratio, perCpuSecond, ...latencies }: Awaited<ReturnType<Measure>>,
  smallest: Figure | undefined,
): Figure {
  const first = smallest?.detail?.ratioToRaw;
  report(
    `${shown(size)} ${of}: ${shown(perCpuSecond)} quotes per CPU second, p99 ${shown(latencies.p99)} ms`,
  );
  return {
    name: `quotes with ${shown(size)} ${of}`,
    value: perCpuSecond,
    unit: 'per CPU second',
    ...(typeof first === 'number' ? { ratio: { to: 'the smallest size', value: ratio / first } } : {}),
    better: 'higher',
    detail: { ...latencies, ratioToRaw: ratio },
  };
}
