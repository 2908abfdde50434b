import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deadLetters, totps } from '../../../src/db/schema.js';
import { newId, newUuid } from '../../../src/domain/ids.js';
import { newTotpNonce } from '../../../src/domain/totp.js';
import { type EscrowNode, startEscrowNode } from '../../escrow-node.js';
import {
  type ApiResponse,
  expectStatus,
  type GivenPartner,
  type Harness,
  harness,
  newWallet,
} from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';
import { givenSession, type Operators, operatorBase, send, startOperators } from '../../operators.js';
import { givenRedemption, pickupCodeOf, seedDenominations } from '../../redeeming.js';
import { contractRoutes, newBar } from './contract-routes.js';

/** Text with which somebody tries to have a page run it: kept as it is, and never given to a browser as a page. */
const scripts = [
  '<script>alert(document.cookie)</script>"><img src=x onerror=alert(1)>',
  "'; drop table users; -- {{constructor.constructor('alert(1)')()}} <%= 7*7 %> %0d%0aset-cookie:x=1",
  '=HYPERLINK("https://evil.test","x") مرحبا \u202e\u2066 👑 e\u0301',
];

let node: EscrowNode;
let h: Harness;
let operators: Operators;
let partner: GivenPartner;
beforeAll(async () => {
  node = await startEscrowNode();
  h = await harness({ config: { ...node.config, webhooksAllowLocal: true } });
  operators = await startOperators(h);
  await seedDenominations(h);
  partner = h.main;
});
afterAll(async () => {
  await operators.close();
  await h.close();
  await node.stop();
});

const admin = () => operators.by.admin.client;
const get = (path: string) => admin().get(`${operatorBase}${path}`);
const change = (method: 'PUT' | 'PATCH' | 'POST', path: string, body: object) =>
  send(admin(), method, path, body);

/** A response that no browser takes for anything but data. */
function expectData(response: ApiResponse): void {
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect(response.headers['set-cookie']).toBeUndefined();
}

interface FreeText {
  /** Returns what is taken of a text; default: all of it. */
  taken?: (text: string) => string;
  /** Writes the text; the id of what has it now. */
  write(text: string): Promise<string>;
  /** Where it can be read, and how it is found there. */
  read(id: string): Promise<[ApiResponse, unknown]>;
}

async function audited(id: string): Promise<[ApiResponse, unknown]> {
  const response = await get(`/audit?object_id=${encodeURIComponent(id)}&limit=1`);
  return [response, response.body.entries[0].reason];
}

async function written(response: Promise<ApiResponse>): Promise<ApiResponse> {
  const found = await response;
  if (![200, 201].includes(found.status)) throw new Error(found.text);
  expectData(found);
  return found;
}

/** A label of a denomination or a name, which must show all that it holds. */
const shown = (text: string) => text.replace(/\p{Cf}/gu, '');

/** By `field METHOD path` of the contract. */
const fields: Record<string, FreeText> = {
  'name POST /operators': {
    write: async (name) => {
      const email = `${newId('gu').slice(3)}@karat.test`;
      const body = { email, name, role: 'viewer', password: 'a password of some length' };
      return (await written(change('POST', '/operators', body))).body.operator_id;
    },
    read: (id) => accountName(id),
  },
  'name PATCH /operators/:operator_id': {
    write: async (name) => {
      const { operatorId } = await operators.givenOperator('viewer');
      await written(change('PATCH', `/operators/${operatorId}`, { name }));
      return operatorId;
    },
    read: (id) => accountName(id),
  },
  'reason POST /operators/:operator_id/disable': {
    write: async (reason) => {
      const { operatorId } = await operators.givenOperator('viewer');
      await written(change('POST', `/operators/${operatorId}/disable`, { reason }));
      return operatorId;
    },
    read: audited,
  },
  'reason POST /operators/:operator_id/enable': {
    write: async (reason) => {
      const { operatorId } = await operators.givenOperator('viewer');
      await written(change('POST', `/operators/${operatorId}/disable`, { reason: 'x' }));
      await written(change('POST', `/operators/${operatorId}/enable`, { reason }));
      return operatorId;
    },
    read: audited,
  },
  'reason POST /operators/:operator_id/reset-second-factor': {
    write: async (reason) => {
      const { operatorId } = await operators.givenOperator('viewer');
      const totp = { personId: operatorId, nonce: newTotpNonce(), createdAt: new Date(), lastStep: 0n };
      await h.ctx.db.insert(totps).values({ ...totp, confirmedAt: new Date() });
      await written(change('POST', `/operators/${operatorId}/reset-second-factor`, { reason }));
      return operatorId;
    },
    read: audited,
  },
  'reason POST /operator-tokens/:token_id/revoke': {
    write: async (reason) => {
      const { operatorId } = await operators.givenOperator('viewer');
      const { tokens } = (await get(`/operators/${operatorId}/tokens`)).body;
      const id = tokens[0].token_id;
      await written(change('POST', `/operator-tokens/${id}/revoke`, { reason }));
      return id;
    },
    read: audited,
  },
  'reason POST /operators/:operator_id/end-sessions': {
    write: async (reason) => {
      const { operatorId } = await operators.givenOperator('viewer');
      await givenSession(h, operatorId);
      await written(change('POST', `/operators/${operatorId}/end-sessions`, { reason }));
      return operatorId;
    },
    read: audited,
  },
  'reason POST /operator-sessions/:session_id/end': {
    write: async (reason) => {
      const { operatorId } = await operators.givenOperator('viewer');
      const id = await givenSession(h, operatorId);
      await written(change('POST', `/operator-sessions/${id}/end`, { reason }));
      return operatorId;
    },
    read: audited,
  },
  'name POST /partners': {
    write: async (name) =>
      (await written(change('POST', '/partners', { name, fee_percentage: 0 }))).body.partner_id,
    read: (id) => partnerName(id),
  },
  'name POST /views': {
    write: async (name) => {
      const view = { list: 'redemptions', name, filter: { status: 'ready' } };
      return (await written(change('POST', '/views', view))).body.view_id;
    },
    read: async (id) => {
      const response = await get('/views');
      const views: { view_id: string; name: string }[] = response.body.views;
      return [response, views.find(({ view_id }) => view_id === id)?.name];
    },
  },
  'name PATCH /partners/:partner_id': {
    write: async (name) => {
      await written(change('PATCH', `/partners/${partner.partnerId}`, { name }));
      return partner.partnerId;
    },
    read: (id) => partnerName(id),
  },
  'reason POST /partners/:partner_id/suspend': {
    write: async (reason) => {
      const { partnerId } = await h.givenPartner();
      await written(change('POST', `/partners/${partnerId}/suspend`, { reason }));
      return partnerId;
    },
    read: audited,
  },
  'reason POST /partners/:partner_id/resume': {
    write: async (reason) => {
      const { partnerId } = await h.givenPartner({ status: 'suspended' });
      await written(change('POST', `/partners/${partnerId}/resume`, { reason }));
      return partnerId;
    },
    read: audited,
  },
  'reason POST /partners/:partner_id/wallets/:wallet_address/revoke': {
    write: async (reason) => {
      const { partnerId, wallet } = await h.givenPartner();
      await written(change('POST', `/partners/${partnerId}/wallets/${wallet.address}/revoke`, { reason }));
      return partnerId;
    },
    read: audited,
  },
  'reason POST /api-keys/:key_id/revoke': {
    write: async (reason) => {
      const { keyId } = await h.givenPartner();
      await written(change('POST', `/api-keys/${keyId}/revoke`, { reason }));
      return keyId;
    },
    read: audited,
  },
  'reason POST /webhook-endpoints/:endpoint_id/disable': {
    write: async (reason) => {
      const { client } = await h.givenPartner();
      const url = 'http://127.0.0.1:1024/';
      const { body } = expectStatus(await client.post('/v1/webhook-endpoints', { url }), 201);
      await written(change('POST', `/webhook-endpoints/${body.endpoint_id}/disable`, { reason }));
      return body.endpoint_id;
    },
    read: audited,
  },
  'name PUT /countries/:code': {
    write: async (name) => {
      await written(change('PUT', '/countries/TR', { name, active: true }));
      return 'TR';
    },
    read: async (id) => {
      const response = await get('/countries');
      return [response, response.body.countries.find((one: { code: string }) => one.code === id).name];
    },
  },
  'label POST /denominations': {
    taken: shown,
    write: async (label) => {
      const id = `bar_${newId('gu').slice(-12)}`;
      const body = { id, label, weight_g: 5, country: 'PK', city: 'Karachi', active: true };
      await written(change('POST', '/denominations', body));
      return id;
    },
    read: (id) => denomination(id, 'label'),
  },
  'city POST /denominations': {
    write: async (city) => {
      const id = `bar_${newId('gu').slice(-12)}`;
      const body = { id, label: 'A bar', weight_g: 5, country: 'PK', city, active: true };
      await written(change('POST', '/denominations', body));
      return id;
    },
    read: (id) => denomination(id, 'city'),
  },
  'label PATCH /denominations/:id': {
    taken: shown,
    write: async (label) => {
      await written(change('PATCH', '/denominations/pk_g_10', { label }));
      return 'pk_g_10';
    },
    read: (id) => denomination(id, 'label'),
  },
  'city PATCH /denominations/:id': {
    write: async (city) => {
      await written(change('PATCH', '/denominations/pk_oz_1', { city }));
      return 'pk_oz_1';
    },
    read: (id) => denomination(id, 'city'),
  },
  'city PATCH /bars/:bar_id': {
    // A city is one of the catalogue.
    write: async (city) => {
      const id = `bar_${newId('gu').slice(-12)}`;
      const denomination = { id, label: 'A bar', weight_g: 5, country: 'PK', city, active: true };
      await written(change('POST', '/denominations', denomination));
      const barId = await givenBar();
      await written(change('PATCH', `/bars/${barId}`, { city }));
      return barId;
    },
    read: (id) => bar(id, 'city'),
  },
  'reason PATCH /bars/:bar_id': {
    write: async (reason) => {
      const barId = await givenBar();
      await written(change('PATCH', `/bars/${barId}`, { status: 'withdrawn', reason }));
      return barId;
    },
    read: async (id) => {
      const [, reason] = await audited(id);
      const found = await bar(id, 'reason');
      expect(reason).toBe(found[1]);
      return found;
    },
  },
  'reason POST /users/:service_user_id/suspend': {
    write: async (reason) => {
      const { id } = await h.givenUser(partner.partnerId);
      await written(change('POST', `/users/${id}/suspend`, { reason }));
      return id;
    },
    read: audited,
  },
  'reason POST /users/:service_user_id/resume': {
    write: async (reason) => {
      const { id } = await h.givenUser(partner.partnerId, { status: 'suspended' });
      await written(change('POST', `/users/${id}/resume`, { reason }));
      return id;
    },
    read: audited,
  },
  'reason POST /users/:service_user_id/kyc-level': {
    write: async (reason) => {
      const { id } = await h.givenUser(partner.partnerId);
      await written(change('POST', `/users/${id}/kyc-level`, { kyc_level: 'lapsed', reason }));
      return id;
    },
    read: audited,
  },
  'reason POST /dead-letters/:id/resolve': {
    write: async (reason) => {
      const id = newUuid();
      const deadLetter = { id, signature: signatureNamed(id), slot: 1n, reason: 'undecodable', detail: {} };
      await h.ctx.db.insert(deadLetters).values({ ...deadLetter, createdAt: new Date(h.clock.now()) });
      await written(change('POST', `/dead-letters/${id}/resolve`, { reason }));
      return id;
    },
    read: async (id) => {
      const response = await get(`/dead-letters?signature=${signatureNamed(id)}`);
      const [, reason] = await audited(id);
      expect(reason).toBe(response.body.dead_letters[0].resolution);
      return [response, reason];
    },
  },
  'reason POST /dead-letters/resolve': {
    write: async (reason) => {
      const id = newUuid();
      const deadLetter = { id, signature: signatureNamed(id), slot: 1n, reason: 'undecodable', detail: {} };
      await h.ctx.db.insert(deadLetters).values({ ...deadLetter, createdAt: new Date(h.clock.now()) });
      await written(change('POST', '/dead-letters/resolve', { dead_letter_ids: [id], reason }));
      return id;
    },
    read: audited,
  },
  'reason POST /redemptions/:redemption_id/reissue-code': {
    write: async (reason) => {
      const user = await h.givenUser(partner.partnerId);
      const id = await givenRedemption(h, { partner, user }, { status: 'ready' });
      await written(change('POST', `/redemptions/${id}/reissue-code`, { reason }));
      return id;
    },
    read: audited,
  },
  'reason POST /users/search': {
    write: async (reason) => {
      await written(change('POST', '/users/search', { id_number: '0', reason }));
      return 'search';
    },
    read: audited,
  },
  'reason POST /redemptions/:redemption_id/reveal-identity': {
    write: async (reason) => {
      const user = await h.givenUser(partner.partnerId);
      const id = await givenRedemption(h, { partner, user });
      await written(change('POST', `/redemptions/${id}/reveal-identity`, { reason }));
      return id;
    },
    read: audited,
  },
  ...notes(),
};

/** The notes of the moves of redemptions, which stand in the history as in the log. */
function notes(): Record<string, FreeText> {
  const moves = [
    ['prepare', 'submitted', {}],
    ['ready', 'preparing', {}],
    ['collect', 'ready', {}],
    ['cancel', 'cancellation_requested', { physical_gold_committed: false }],
  ] as const;
  return Object.fromEntries(
    moves.map(([move, status, more]): [string, FreeText] => [
      `note POST /redemptions/:redemption_id/${move}`,
      {
        write: async (note) => {
          const user = await h.givenUser(partner.partnerId);
          const id = await givenRedemption(h, { partner, user }, { status });
          const code = move === 'collect' ? { pickup_code: await pickupCodeOf(h, id) } : {};
          await written(change('POST', `/redemptions/${id}/${move}`, { ...more, ...code, note }));
          return id;
        },
        read: async (id) => {
          const response = await get(`/redemptions/${id}`);
          const [, reason] = await audited(id);
          expect(reason).toBe(response.body.history.at(-1).note);
          return [response, reason];
        },
      },
    ]),
  );
}

async function accountName(id: string): Promise<[ApiResponse, unknown]> {
  const response = await get('/operators');
  return [
    response,
    response.body.operators.find((one: { operator_id: string }) => one.operator_id === id).name,
  ];
}

async function partnerName(id: string): Promise<[ApiResponse, unknown]> {
  const response = await get(`/partners/${id}`);
  return [response, response.body.name];
}

async function denomination(id: string, field: string): Promise<[ApiResponse, unknown]> {
  const response = await get('/denominations');
  const found = response.body.denominations.find((one: { id: string }) => one.id === id);
  return [response, found[field]];
}

async function givenBar(): Promise<string> {
  return (await written(change('POST', '/bars', { bars: [newBar()] }))).body.bars[0].bar_id;
}

async function bar(id: string, field: string): Promise<[ApiResponse, unknown]> {
  const response = await get(`/bars/${id}`);
  return [response, response.body[field]];
}

/** A pattern has a syntax of its own; the reasons of approvals, the names of passkeys, and what needs a chain, are tested with them. */
const elsewhere = [
  'name PATCH /me/passkeys/:passkey_id',
  'name POST /me/passkeys',
  'pattern PUT /countries/:code/id-types/:id_type',
  'reason POST /approvals/:approval_id/reject',
  'reason PUT /chain/status',
  'reason POST /chain/settings',
  'reason POST /chain/settings/apply',
  'reason POST /chain/settings/cancel',
  'reason POST /redemptions/:redemption_id/burn/cancel',
];

test('every field for people is listed here', () => {
  const free = contractRoutes.flatMap(({ name, good }) =>
    Object.keys(good?.() ?? {})
      .filter((field) => ['name', 'label', 'city', 'reason', 'note', 'pattern'].includes(field))
      .map((field) => `${field} ${name}`),
  );
  expect([...Object.keys(fields), ...elsewhere].sort()).toEqual(free.sort());
});

describe.each(Object.entries(fields))('%s', (field, { write, read, taken }) => {
  const isName = /^(?:name|city) /.test(field);
  const kept = taken ?? (isName ? shown : String);
  test('free text keeps script as text, and returns it as data', async () => {
    for (const text of scripts.map(kept)) {
      const id = await write(text);
      const [response, found] = await read(id);
      expectStatus(response, 200);
      expectData(response);
      expect(found).toBe(text);
    }
  });
});

test('texts that partners write come to operators as data too', async () => {
  for (const text of scripts) {
    const made = await h.partner.post('/v1/users', {
      user_id: text,
      wallet_address: newWallet().address,
      kyc: {
        country: 'PK',
        full_name: shown(text),
        kyc_provider: text,
        kyc_level: 'full',
        kyc_verified_at: '2025-03-01T12:00:00Z',
        kyc_data: { note: text },
      },
    });
    const { service_user_id: id } = expectStatus(made, 201).body;
    const seen = expectStatus(await get(`/users/${id}`), 200);
    expectData(seen);
    expect(seen.body).toMatchObject({
      user_id: text,
      kyc: { full_name: shown(text), kyc_provider: text, kyc_data: { note: text } },
    });
    const redemption = await givenRedemption(h, { partner, user: { id, wallet: newWallet() } });
    expectStatus(await h.partner.post(`/v1/redemptions/${redemption}/cancel`, { reason: text }), 200);
    const found = await get(`/redemptions/${redemption}`);
    expectData(found);
    expect(found.body.cancellation_reason).toBe(text);
  }
});

test('a refused text is quoted as data, and no header is made of it', async () => {
  const script = '<script>alert(1)</script>\r\nset-cookie: x=1';
  const encoded = encodeURIComponent(script);
  for (const response of [
    await get(`/${encoded}`),
    await get(`/partners/${encoded}`),
    await get(`/users?status=${encoded}`),
    await change('POST', '/partners', { [script]: 1, name: 'x', fee_percentage: 0 }),
    await admin().get(`${operatorBase}/me`, { 'x-request-id': '<script>alert(1)</script>' }),
  ]) {
    expectData(response);
  }
});

test('KYC data is no label of a metric', async () => {
  const { id } = await h.givenUser(partner.partnerId);
  expectStatus(await get(`/users/${id}`), 200);
  const metrics = await operators.app.inject({ method: 'GET', url: '/metrics' });
  expect(metrics.statusCode).toBe(200);
  expect(metrics.body).toContain('/operator/v1/users/:service_user_id');
  for (const secret of [...h.secrets, id, partner.partnerId]) expect(metrics.body).not.toContain(secret);
});
