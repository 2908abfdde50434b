import { afterAll, beforeAll, expect, test } from 'vitest';
import { findHistory } from '../src/db/redemption-history.js';
import { operatorCommand, operatorUsage } from '../src/operator-command.js';
import { type Harness, harness } from './harness.js';
import { givenRedemption, seedDenominations } from './redeeming.js';

let h: Harness;
let owner: Parameters<typeof givenRedemption>[1];

beforeAll(async () => {
  h = await harness();
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(() => h.close());

const operator = (...args: string[]) =>
  operatorCommand(args, { DATABASE_URL: h.ctx.config.databaseUrl.reveal() });

test('an operator at the command line hands a redemption over, with nothing set but the database', async () => {
  const id = await givenRedemption(h, owner);
  for (const [move, status] of [
    ['prepare', 'preparing'],
    ['ready', 'ready'],
    ['collect', 'collected'],
  ] as const) {
    const text = JSON.stringify({ redemption_id: id, status });
    expect(await operator('redemption', move, id, '--note', `${move} it`)).toEqual({ ok: true, text });
  }
  const history = (await findHistory(h.ctx.db, id)).slice(2);
  expect(history.map(({ to, actor, note }) => [to, actor, note])).toEqual([
    ['preparing', 'operator:command-line', 'prepare it'],
    ['ready', 'operator:command-line', 'ready it'],
    ['collected', 'operator:command-line', 'collect it'],
  ]);
});

test('it cancels what was asked to be cancelled', async () => {
  const id = await givenRedemption(h, owner, { status: 'cancellation_requested' });
  expect(await operator('redemption', 'cancel', id)).toMatchObject({ ok: true });
  expect((await findHistory(h.ctx.db, id)).at(-1)).toMatchObject({ to: 'cancelled', note: null });
});

test('it tells in one line why a redemption does not move', async () => {
  const id = await givenRedemption(h, owner);
  const refusals = [
    await operator('redemption', 'collect', id),
    await operator('redemption', 'prepare', 'red_none'),
    await operator('redemption', 'prepare', id, '--note', 'x'.repeat(1_001)),
  ];
  expect(refusals).toEqual([
    { ok: false, text: 'transition_not_allowed: A redemption that is submitted cannot be collected.' },
    { ok: false, text: 'redemption_not_found: There is no redemption red_none.' },
    { ok: false, text: '--note takes at most 1000 characters' },
  ]);
});

test('anything else that is asked of it is answered with the usage', async () => {
  for (const args of [
    [],
    ['redemption'],
    ['redemption', 'prepare'],
    ['redemption', 'lapse', 'red_1'],
    ['trade', 'prepare', 'red_1'],
    ['redemption', 'prepare', 'red_1', 'red_2'],
    ['redemption', 'prepare', 'red_1', '--force'],
  ])
    expect(await operator(...args), args.join(' ')).toEqual({ ok: false, text: operatorUsage });
});

test('it names a missing or wrong DATABASE_URL and never shows it', async () => {
  const run = async (env: Record<string, string>) =>
    (await operatorCommand(['redemption', 'prepare', 'red_1'], env)).text;
  const id = await givenRedemption(h, owner);
  expect(await run({})).toBe('DATABASE_URL is not set');
  expect(await run({ DATABASE_URL: 'mysql://secret' })).toMatch(/^DATABASE_URL must be a URL that starts/);
  const dead = { DATABASE_URL: 'postgres://karat:secret@127.0.0.1:1/karat' };
  expect(await operatorCommand(['redemption', 'prepare', id], dead)).toEqual({
    ok: false,
    text: 'No PostgreSQL answers at DATABASE_URL',
  });
});
