import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLetters } from '../../../src/db/schema.js';
import { newUuid } from '../../../src/domain/ids.js';
import { expectStatus, type Harness, harness, newWallet } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { namesOf, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, seedDenominations, tola } from '../../redeeming.js';
import { newBar } from './contract-routes.js';

let h: Harness;
let operators: Operators;
let owner: { partner: Harness['main']; user: Awaited<ReturnType<Harness['givenUser']>> };
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
  await seedDenominations(h);
  owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const admin = () => operators.by.admin.client;
const get = (path: string) => admin().get(`${operatorBase}${path}`);
const raw = (path: string, token = operators.by.admin.token) =>
  operators.app.inject({
    method: 'GET',
    url: `${operatorBase}${path}`,
    headers: { authorization: `Bearer ${token}` },
  });

/** Lines of a table as a program reads them (RFC 4180). */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  // Spreadsheets know UTF-8 by it.
  expect(text.slice(0, 1)).toBe('\ufeff');
  for (const line of text.slice(1).match(/(?:"(?:[^"]|"")*"|[^\r\n"]|\r(?!\n)|(?<!\r)\n)+\r\n/g) ?? []) {
    const cells = line.slice(0, -2).match(/(?:^|,)(?:"(?:[^"]|"")*"|[^,]*)/g) ?? [];
    rows.push(
      cells.map((cell) => {
        const inner = cell.startsWith(',') ? cell.slice(1) : cell;
        return inner.startsWith('"') ? inner.slice(1, -1).replaceAll('""', '"') : inner;
      }),
    );
  }
  return rows;
}

/** Where each list has its rows. */
const lists = () => {
  const { partnerId } = h.main;
  const { operatorId } = operators.by.admin;
  const paths: Record<string, string> = { code: 'PK', partner_id: partnerId, operator_id: operatorId };
  return namesOf(operators.routes)
    .filter((name) => name.startsWith('GET '))
    .map((name) => name.slice(4).replace(/:(\w+)/g, (_, variable: string) => paths[variable] ?? newUuid()))
    .filter((path) => !path.includes('/webhook-endpoints/'));
};

test('every list has a table with the same rows, and nothing else has one', async () => {
  await givenRedemption(h, owner, { status: 'ready' });
  await send(admin(), 'POST', '/bars', { bars: [newBar()] });
  let tables = 0;
  for (const path of lists().filter((path) => path !== '/stream')) {
    const response = await get(path);
    const csv = await raw(`${path}?format=csv`);
    if (!('next_cursor' in response.body) && path !== '/stock') {
      expect([path, csv.statusCode]).toEqual([path, 400]);
      continue;
    }
    tables += 1;
    expect([path, csv.statusCode, csv.headers['content-type'], csv.headers['cache-control']]).toEqual([
      path,
      200,
      'text/csv; charset=utf-8',
      'no-store',
    ]);
    const [name = ''] = Object.keys(response.body);
    expect(csv.headers['content-disposition']).toBe(`attachment; filename="${name}.csv"`);
    const [header, ...rows] = readCsv(csv.body);
    expect(rows).toHaveLength(response.body[name].length);
    for (const row of rows) expect(row, path).toHaveLength(header?.length ?? 0);
  }
  expect(tables).toBeGreaterThan(15);
});

test('a table has the fields of the rows as they are, those of objects with a dot', async () => {
  const id = await givenRedemption(h, owner, { status: 'submitted' });
  const csv = readCsv((await raw(`/redemptions?format=csv&q=${id}`)).body);
  const [header = [], row = [], ...others] = csv;
  expect(others).toEqual([]);
  const shown = Object.fromEntries(header.map((name, at) => [name, row[at]]));
  expect(shown).toMatchObject({
    redemption_id: id,
    status: 'submitted',
    weight_g: '11.6638038',
    'quote.total_usd': '1560.608175',
    'quote.tokens_required': '0.380625',
    final: 'true',
    refund_tx_hash: '',
  });
});

test('a table has all pages, streamed, whatever cursor and limit are', async () => {
  const bars = Array.from({ length: 250 }, () => newBar({ refiner: 'Pages' }));
  expectStatus(await send(admin(), 'POST', '/bars', { bars }), 201);
  const csv = readCsv((await raw('/bars?format=csv&q=pages&limit=3')).body);
  expect(csv).toHaveLength(251);
  expect(new Set(csv.slice(1).map(([id]) => id)).size).toBe(250);
});

test('a list counts its rows where that is requested, over all pages and up to a thousand', async () => {
  const read = async (query: string) => {
    const { denominations, ...end } = expectStatus(
      await operators.by.viewer.client.get(`${operatorBase}/denominations?${query}`),
      200,
    ).body;
    return { rows: denominations.length, ...end };
  };
  const all = await read('');
  expect(all).toEqual({ rows: all.rows, next_cursor: null });
  const total = { count: all.rows, more: false };
  expect(await read('total=true')).toEqual({ ...all, total });
  const first = await read('total=true&limit=1');
  expect(first).toEqual({ rows: 1, next_cursor: expect.any(String), total });
  expect(await read(`total=true&limit=1&cursor=${first.next_cursor}`)).toMatchObject({ rows: 1, total });
  expect(await read('q=lahore&total=true')).toMatchObject({ rows: 1, total: { count: 1, more: false } });
  expect(await read('q=%00&total=true')).toMatchObject({ rows: 0, total: { count: 0, more: false } });
  await h.ctx.sql`
    insert into denominations (id, label, weight_g, country, city, city_key, active, created_at, updated_at)
    select 'many_' || n, label, weight_g, country, 'Multan', 'multan', false, created_at, updated_at
    from denominations, generate_series(1, 1001) n where id = 'pk_g_10'`;
  try {
    expect((await read('q=many_&total=true&limit=2')).total).toEqual({ count: 1_000, more: true });
    await h.ctx.sql`delete from denominations where id = 'many_1'`;
    expect((await read('q=many_&total=true&limit=2')).total).toEqual({ count: 1_000, more: false });
  } finally {
    await h.ctx.sql`delete from denominations where id like 'many_%'`;
  }
});

test('a table ends at 100,000 rows', { timeout: 120_000 }, async () => {
  await h.ctx.sql`
    insert into bars (id, serial, refiner, fineness, weight_g, denomination_id, city, city_key, created_at, updated_at)
    select gen_random_uuid(), 'L' || n, 'Long list', 999.9, 11.6638038, ${tola.id}, 'Karachi', 'karachi',
      to_timestamp(n), to_timestamp(n) from generate_series(1, 100100) n`;
  await h.ctx.sql`analyze bars`;
  const { body } = await raw('/bars?format=csv&created_to=1980-01-01T00:00:00Z');
  expect(body.split('\r\n').length - 2).toBe(100_000);
});

/** Starts to download a long table over a real connection, with the credential in `headers`. */
async function download(headers: Record<string, string>): Promise<Response> {
  const at = new URL(await operators.app.listen({ host: '127.0.0.1', port: 0 }));
  const table = await fetch(`${at.origin}${operatorBase}/bars?format=csv&q=Endless`, { headers });
  expect(table.status).toBe(200);
  return table;
}

test('a table breaks off when its session ends, or its operator gets another role', {
  timeout: 120_000,
}, async () => {
  await h.ctx.sql`
    insert into bars (id, serial, refiner, fineness, weight_g, denomination_id, city, city_key, created_at, updated_at)
    select gen_random_uuid(), 'E' || n, 'Endless list', 999.9, 11.6638038, ${tola.id}, 'Karachi', 'karachi',
      now() - make_interval(secs => n), now() from generate_series(1, 30000) n`;
  const operator = await operators.givenOperator('fulfilment');
  const { email, password, operatorId, token } = operator;
  const opened = await operators.anonymous.post(`${operatorBase}/session`, { email, password });
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  const bySession = await download({ cookie });
  const own = { cookie, host: 'karat.test', origin: 'http://karat.test', 'x-karat-console': '1' };
  const end = { method: 'DELETE', url: `${operatorBase}/session`, headers: own } as const;
  expectStatus(await operators.anonymous.send(end), 200);
  await expect(bySession.text()).rejects.toThrow('terminated');

  const table = await fetch(bySession.url, { headers: { authorization: `Bearer ${token}` } });
  expectStatus(await send(admin(), 'PATCH', `/operators/${operatorId}`, { role: 'viewer' }), 200);
  await expect(table.text()).rejects.toThrow('terminated');
});

describe('cells', () => {
  const formulas = ['=HYPERLINK("https://evil.test","x")', '+1+1', '-2+3', '@SUM(A1)', '＝1+1'];

  test('cells that a program would take for a formula are texts, whatever wrote them', async () => {
    for (const formula of formulas) {
      const wallet = newWallet();
      const made = await h.partner.post('/v1/users', {
        user_id: formula,
        wallet_address: wallet.address,
        kyc: {
          country: 'PK',
          full_name: formula,
          kyc_provider: 'x',
          kyc_level: 'full',
          kyc_verified_at: '2025-03-01T12:00:00Z',
        },
      });
      const { service_user_id: id } = expectStatus(made, 201).body;
      const [header = [], row = []] = readCsv((await raw(`/users?format=csv&q=${id}`)).body);
      expect(row[header.indexOf('user_id')]).toBe(`'${formula}`);
    }
  });

  test('cells with commas, quotes and lines are one cell, and negative numbers stay numbers', async () => {
    const name = 'Acme, "Gold"';
    const { body } = await send(admin(), 'POST', '/partners', { name, fee_percentage: 0 });
    const [header = [], row = []] = readCsv((await raw(`/partners?format=csv&q=${body.partner_id}`)).body);
    expect(row[header.indexOf('name')]).toBe(name);
    expect(row[header.indexOf('wallets')]).toBe('[]');
  });
});

test('KYC data is in no table, whatever role reads it', async () => {
  const { body } = await raw('/users?format=csv');
  for (const secret of h.secrets) expect(body).not.toContain(secret);
});

test.each(['created_from=x', 'status=nonsense', 'format=xml', 'limit=0&cursor=x&status=nonsense'])(
  'a table of ?%s is refused as the list is, in JSON',
  async (query) => {
    const response = await raw(`/redemptions?format=csv&${query}`);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect([response.statusCode, JSON.parse(response.body).error]).toEqual([400, 'invalid_request']);
  },
);

test('a table needs the rights of the list', async () => {
  const csv = await raw('/users?format=csv', 'karat_operator_x');
  expect(csv.statusCode).toBe(401);
});

describe('a search', () => {
  const found = async (path: string, q: string) => {
    const { body } = expectStatus(await get(`${path}?q=${encodeURIComponent(q)}`), 200);
    const [rows = []] = Object.values(body) as Record<string, unknown>[][];
    return rows.map((row) => Object.values(row)[0]);
  };

  test('a search finds things by the beginning of an id, as tables show it, and not by fewer than four digits', async () => {
    const user = await h.givenUser(h.main.partnerId);
    const id = await givenRedemption(h, { partner: h.main, user }, { status: 'submitted' });
    expect(await found('/redemptions', id.slice(0, 30))).toEqual([id]);
    expect(await found('/redemptions', id.slice(0, 12).toUpperCase())).toContain(id);
    expect(await found('/users', user.id.slice(0, 28))).toContain(user.id);
    expect(await found('/partners', h.main.partnerId.slice(0, 9))).toContain(h.main.partnerId);
    for (const none of [id.slice(0, 7), id.slice(4, 16), `${id.slice(0, 30)}-`, `${id}0`, 'red_'])
      expect(await found('/redemptions', none), none).not.toContain(id);
  });

  test('a search finds a redemption by id, transaction, serial of its bar, and user', async () => {
    const user = await h.givenUser(h.main.partnerId);
    const id = await givenRedemption(h, { partner: h.main, user }, { status: 'preparing', bar: false });
    const bar = newBar();
    const { bars } = (await send(admin(), 'POST', '/bars', { bars: [bar] })).body;
    await h.ctx.sql`update bars set status = 'reserved', redemption_id = ${id} where id = ${bars[0].bar_id}`;
    const { submitted_tx_hash: hash } = (await get(`/redemptions/${id}`)).body;
    for (const q of [id, hash, bar.serial.toLowerCase(), user.id, user.partnerUserId, user.wallet.address])
      expect(await found('/redemptions', q), q).toEqual([id]);
  });

  test('a search never looks into KYC data', async () => {
    const [name] = [...h.secrets].filter((secret) => secret.startsWith('Secret Person'));
    for (const path of ['/redemptions', '/users']) expect(await found(path, name ?? '')).toEqual([]);
  });

  test('a search finds partners, operators, denominations, bars and dead letters by parts, in any case', async () => {
    const { body } = await send(admin(), 'POST', '/partners', {
      name: 'Bosphorus_Gold 100%',
      fee_percentage: 0,
    });
    for (const q of ['bosphorus', 'GOLD 100%', body.partner_id])
      expect(await found('/partners', q)).toContain(body.partner_id);
    for (const q of ['bosphorus%gold', 'Bosphorus-Gold', '100_'])
      expect(await found('/partners', q)).not.toContain(body.partner_id);
    expect(await found('/operators', 'THE COMPLIANCE')).toEqual([operators.by.compliance.operatorId]);
    expect(await found('/denominations', 'tola')).toEqual([tola.id]);
    const deadLetterId = newUuid();
    const signature = signatureNamed(deadLetterId);
    const row = { id: deadLetterId, signature, slot: 1n, reason: 'undecodable', detail: {} } as const;
    await h.ctx.db.insert(deadLetters).values({ ...row, createdAt: new Date(h.clock.now()) });
    for (const q of [deadLetterId, signature, 'undecod'])
      expect(await found('/dead-letters', q)).toEqual([deadLetterId]);
  });

  test('a search of the audit log is by object, action or request', async () => {
    const { partnerId } = await h.givenPartner();
    const request = { 'x-request-id': `search-${partnerId}` };
    const suspended = await admin().post(
      `${operatorBase}/partners/${partnerId}/suspend`,
      { reason: 'x' },
      request,
    );
    expectStatus(suspended, 200);
    for (const q of [partnerId, request['x-request-id']]) expect(await found('/audit', q)).toHaveLength(1);
    expect((await found('/audit', 'partner.suspend')).length).toBeGreaterThan(0);
  });

  test.each(['/trades', '/orders', '/approvals', '/api-keys', '/bars', '/users'])(
    'a search of %s takes whatever is typed',
    async (path) => {
      for (const q of ["'; drop table users; --", '%', '\\', '👑', '\u0000', newUuid()])
        expectStatus(await get(`${path}?q=${encodeURIComponent(q)}`), 200);
      for (const q of ['', 'x'.repeat(101)])
        expect(await get(`${path}?q=${q}`)).toMatchObject({ status: 400, body: { field: 'q' } });
    },
  );
});

test('lists are cut by when their rows were created', async () => {
  const at = new Date(h.clock.now());
  const before = new Date(at.getTime() - 1).toISOString();
  const after = new Date(at.getTime() + 1).toISOString();
  for (const path of [
    '/partners',
    '/users',
    '/redemptions',
    '/api-keys',
    '/operators',
    '/denominations',
    '/audit',
  ]) {
    const rowsOf = async (query: string) =>
      (Object.values(expectStatus(await get(`${path}?${query}`), 200).body)[0] as unknown[]).length;
    expect(await rowsOf(`created_from=${at.toISOString()}`), path).toBeGreaterThan(0);
    expect(await rowsOf(`created_from=${after}`), path).toBe(0);
    if (path !== '/bars') expect(await rowsOf(`created_to=${before}`), path).toBe(0);
    expect(await get(`${path}?created_from=${after}&created_to=${before}`)).toMatchObject({
      status: 400,
      body: { field: 'created_from' },
    });
  }
});
