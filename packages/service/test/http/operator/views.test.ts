import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../../../src/domain/ids.js';
import { maxViewsOfList } from '../../../src/domain/saved-view.js';
import { expectStatus, type Harness, harness } from '../../harness.js';
import {
  changesOf,
  type GivenOperator,
  type Operators,
  operatorBase,
  send,
  startOperators,
} from '../../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const mine = { list: 'redemptions', name: 'Mine in Karachi', filter: { assigned_to: 'me', city: 'Karachi' } };
const save = (operator: GivenOperator, view: Record<string, unknown>) =>
  operator.client.post(`${operatorBase}/views`, view);
const viewsOf = async (operator: GivenOperator, query = '') =>
  expectStatus(await operator.client.get(`${operatorBase}/views${query}`), 200).body.views;

test('a view is saved, listed for its operator alone, replaced under its name, and deleted', async () => {
  const [one, other] = [await operators.givenOperator('viewer'), await operators.givenOperator('admin')];
  const saved = expectStatus(await save(one, mine), 200).body;
  expect(saved).toMatchObject({ ...mine, created_at: new Date(h.clock.now()).toISOString() });
  const orders = expectStatus(await save(one, { ...mine, list: 'orders' }), 200).body;
  expect(await viewsOf(one)).toEqual([saved, orders]);
  expect(await viewsOf(one, '?list=orders')).toEqual([orders]);
  expect(await viewsOf(other)).toEqual([]);
  const filter = { status: 'ready' };
  expect((await save(one, { ...mine, filter })).body).toEqual({ ...saved, filter });
  expect(await viewsOf(one, '?list=redemptions')).toEqual([{ ...saved, filter }]);
  expect(await send(other.client, 'DELETE', `/views/${saved.view_id}`)).toMatchObject({
    status: 404,
    body: { error: 'not_found', message: 'You have no view with this id.' },
  });
  expect((await send(one.client, 'DELETE', `/views/${saved.view_id}`)).body).toEqual({ ...saved, filter });
  expect(await viewsOf(one)).toEqual([orders]);
  const entries = await changesOf(h, 'view', saved.view_id);
  const first = { list: mine.list, name: mine.name, filter: mine.filter };
  expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['view.save', null, first],
    ['view.save', first, { ...first, filter }],
    ['view.delete', { ...first, filter }, null],
  ]);
  for (const id of [newUuid(), 'x']) {
    expect((await send(one.client, 'DELETE', `/views/${id}`)).status).toBe(404);
  }
});

test.each([
  ['a search', { ...mine, filter: { q: 'Ayesha Khan' } }, 'filter'],
  ['a place', { ...mine, filter: { cursor: 'x' } }, 'filter'],
  ['no filter', { ...mine, filter: {} }, 'filter'],
  ['a filter with another name', { ...mine, filter: { 'a b': 'x' } }, 'filter'],
  ['a filter that is no text', { ...mine, filter: { city: 7 } }, 'filter'],
  ['a long value', { ...mine, filter: { city: 'x'.repeat(201) } }, 'filter'],
  ['a value with a zero', { ...mine, filter: { city: '\u0000' } }, 'filter'],
  ['another list', { ...mine, list: 'sessions' }, 'list'],
  ['a blank name', { ...mine, name: ' ' }, 'name'],
  ['a long name', { ...mine, name: 'x'.repeat(101) }, 'name'],
] as const)('a view with %s is refused', async (_what, view, field) => {
  const { status, body } = await save(operators.by.viewer, view);
  expect([status, body.error]).toEqual([400, 'invalid_request']);
  expect(body.field).toMatch(new RegExp(`^${field}`));
});

test('views of a list are as many as tabs can be, also when they are saved at once', async () => {
  const operator = await operators.givenOperator('viewer');
  const named = (index: number) => save(operator, { ...mine, name: `View ${index}` });
  for (let index = 1; index < maxViewsOfList; index += 1) expectStatus(await named(index), 200);
  const last = await Promise.all([named(100), named(101), named(102)]);
  expect(last.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(last.find(({ status }) => status === 409)?.body).toMatchObject({
    error: 'transition_not_allowed',
    message: `You have ${maxViewsOfList} views of this list: delete one first.`,
  });
  expect(await viewsOf(operator)).toHaveLength(maxViewsOfList);
  expect((await save(operator, { ...mine, list: 'orders' })).status).toBe(200);
});
