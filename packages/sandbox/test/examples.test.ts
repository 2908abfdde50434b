import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  signBytes,
  signTransaction,
} from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { operatorMove } from '../src/demo/operator.js';
import { endOf, makeStateDir, type Run, root, startSandbox } from './harness.js';
import { openPartner } from './partner.js';

/**
 * Everything that the three documents show as a request, sent to a sandbox as an integrator would who copies it from the reference.
 * Partner, user and wallets of the examples are those of its seed; only what comes to be later, such as the id of a trade, and what is
 * signed, is put in place of the example.
 */
const patience = { timeout: 60_000 };
const within = { timeout: 30_000, interval: 200 };
const { stateDir, remove } = makeStateDir();
let sandbox: Run;
let surfaces: Awaited<ReturnType<typeof openSurfaces>>;

beforeAll(async () => {
  const limits = ['KEY', 'AUTH', 'OPEN', 'OPERATOR', 'CALLER_RPC'].map((name) => `KARAT_${name}_RATE_LIMIT`);
  sandbox = startSandbox(stateDir, [], Object.fromEntries(limits.map((name) => [name, '1000000'])));
  await sandbox.printed('Karat is ready');
  surfaces = await openSurfaces();
}, 300_000);
afterAll(async () => {
  await endOf(sandbox);
  remove();
});

interface Part {
  $ref?: string;
  in?: string;
  name?: string;
  required?: boolean;
  example?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  schema?: Part;
}
interface Operation {
  operationId: string;
  parameters?: Part[];
  requestBody?: {
    content: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;
  };
}
type Body = Record<string, unknown>;

/** The requests of an operation: its path, its method, and each example of its body. */
interface Shown {
  id: string;
  method: string;
  path: string;
  parameters: { in: string; name: string; example: string }[];
  bodies: (Body | undefined)[];
}

function readShown(api: string): Shown[] {
  const document = JSON.parse(readFileSync(join(root, 'openapi', `${api}.json`), 'utf8'));
  const resolved = (part: Part): Part =>
    part.$ref === undefined
      ? part
      : part.$ref
          .slice(2)
          .split('/')
          .reduce((value, name) => value[name], document);
  const exampleOf = (parameter: Part) => {
    const schema = resolved(parameter.schema ?? {});
    return String(parameter.example ?? schema.examples?.[0] ?? schema.enum?.[0]);
  };
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId: id, parameters = [], requestBody }]) => {
      const media = requestBody?.content['application/json'];
      const all = media?.examples
        ? Object.values(media.examples).map(({ value }) => value)
        : [media?.example];
      return {
        ...{ id, path, method: method.toUpperCase(), bodies: all as (Body | undefined)[] },
        parameters: parameters
          .map(resolved)
          .filter((one) => one.in === 'path' || (one.in === 'query' && one.required))
          .map((one) => ({ in: one.in ?? '', name: one.name ?? '', example: exampleOf(one) })),
      };
    }),
  );
}

/** What is put in place of an example: parameters by their names, and fields of the body. */
interface Instead {
  parameters?: Record<string, string>;
  body?: Body;
}

/** An API: where it is, whose credentials it takes, and what its examples cannot know. */
interface Surface {
  url: string;
  headersOf(operation: string): Record<string, string>;
  /** Of what exists by now, by the name of the parameter. */
  parameters: Record<string, string>;
  instead: Record<string, () => Instead | Promise<Instead>>;
}

type Partner = Awaited<ReturnType<typeof openPartner>>;

// biome-ignore lint/suspicious/noExplicitAny: the documents say what responses hold, and other tests check it
async function call(url: string, headers: Record<string, string>, body?: unknown): Promise<any> {
  const json = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { headers: { ...headers, ...(body !== undefined && json) }, ...sent });
  const content = await response.json();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${JSON.stringify(content)}`);
  return content;
}

const base64 = async (key: KeyPairSigner, message: string) =>
  Buffer.from(await signBytes(key.keyPair.privateKey, Buffer.from(message))).toString('base64');

async function openSurfaces() {
  const partner = await openPartner(stateDir);
  const apiKey = await partner.mintKey();
  const { service_user_id, keypair } = partner.info.users[0] ?? { service_user_id: '', keypair: '' };
  const signers = [partner.wallet, await partner.key(keypair)];
  const karat = partner.karat(apiKey);
  const redeem = async () => {
    const wanted = { service_user_id, denomination_id: 'pk_tola_1', city: 'Karachi' };
    return (await karat.redemptions.execute({ ...wanted, signers: signers.slice(1) })).redemption_id;
  };
  const shared = {
    ...{ service_user_id, signers, karat, apiKey },
    trade: await karat.buys.execute({ service_user_id, usdc_amount: 250, signers }),
    redemptions: [await redeem(), await redeem()] as const,
    endpoint: await karat.webhookEndpoints.create({ url: 'http://127.0.0.1:3000/karat/events' }),
  };
  return {
    partner: await openPartnerApi(partner, shared),
    tradebook: await openTradebook(partner),
    operator: await openOperatorApi(partner, shared),
  };
}

interface Shared {
  service_user_id: string;
  signers: KeyPairSigner[];
  karat: ReturnType<Partner['karat']>;
  apiKey: string;
  trade: { trade_id: string };
  redemptions: readonly [string, string];
  endpoint: { endpoint_id: string };
}

async function openPartnerApi(partner: Partner, shared: Shared): Promise<Surface> {
  const { info, wallet, acme } = partner;
  const { service_user_id, signers, karat, apiKey, trade, redemptions, endpoint } = shared;
  const url = info.partner_api_url;
  const spare = { 'x-api-key': await partner.mintKey() };
  const { api_keys: keys } = await call(`${url}/v1/partner/api-keys`, spare);
  const statement_id = await vi.waitFor(
    async () => (await call(`${url}/v1/reserves/statements`, {})).statements[0].statement.statement_id,
    within,
  );
  const { bars } = await call(`${url}/v1/reserves/statements/${statement_id}/bars`, {});
  const submission = async (side: 'buys' | 'sells') => {
    const wanted = { service_user_id, usdc_amount: 100 };
    const quote = await karat[side].quote(wanted);
    const signed_tx = await karat[side].sign(quote as never, { ...wanted, signers });
    return { parameters: { trade_id: quote.trade_id }, body: { signed_tx } };
  };
  return {
    url,
    headersOf: () => ({ 'x-api-key': apiKey }),
    parameters: {
      ...{ trade_id: trade.trade_id, operation_id: trade.trade_id, redemption_id: redemptions[1] },
      ...{ endpoint_id: endpoint.endpoint_id, key_id: keys[0].key_id },
      ...{ statement_id, refiner: bars[0].refiner, serial: bars[0].serial },
    },
    instead: {
      async deleteWebhookEndpoint() {
        const { endpoint_id } = await karat.webhookEndpoints.create({ url: 'http://127.0.0.1:3000/other' });
        return { parameters: { endpoint_id } };
      },
      async createApiKey() {
        const wanted = { partner_id: acme.partner_id, wallet_address: wallet.address };
        const { challenge_id, message } = await call(`${url}/v1/auth/challenge`, {}, wanted);
        return { body: { challenge_id, signature: await base64(wallet, message) } };
      },
      submitBuy: () => submission('buys'),
      submitSell: () => submission('sells'),
      async submitRedemption() {
        const wanted = { service_user_id, denomination_id: 'pk_tola_1', city: 'Karachi' };
        const quote = await karat.redemptions.quote(wanted);
        const signed_tx = await karat.redemptions.sign(quote, { ...wanted, signers: signers.slice(1) });
        return { parameters: { redemption_id: quote.redemption_id }, body: { signed_tx } };
      },
      getStatement: () => ({ parameters: { month: new Date().toISOString().slice(0, 7) } }),
      async getRequest() {
        const { requests } = await call(`${url}/v1/requests`, { 'x-api-key': apiKey });
        return { parameters: { request_id: requests[0].request_id } };
      },
      async getWebhookDelivery() {
        const { endpoint_id } = endpoint;
        const path = `${url}/v1/webhook-endpoints/${endpoint_id}`;
        await call(`${path}/test`, { 'x-api-key': apiKey }, {});
        const { deliveries } = await call(`${path}/deliveries`, { 'x-api-key': apiKey });
        return { parameters: { endpoint_id, delivery_id: deliveries[0].delivery_id } };
      },
      async resendWebhookEvents() {
        const { events } = await call(`${url}/v1/events`, { 'x-api-key': apiKey });
        return { body: { event_id: events[0].id } };
      },
    },
  };
}

async function openTradebook({ info, acme, key }: Partner): Promise<Surface> {
  const url = info.tradebook_api_url;
  const wallets = {
    executive: await key(acme.executive_keypairs[0] ?? ''),
    update: await key(acme.update_authority_keypair),
    withdrawal: await key(acme.withdrawal_authority_keypair),
  };
  type Role = keyof typeof wallets;
  const challenge = async (role: Role) => {
    const wallet = wallets[role];
    const wanted = { walletAddress: wallet.address, keyType: 'PARTNER', partnerId: acme.partner_id };
    const { challengeId, message } = (await call(`${url}/api/auth/challenge`, {}, wanted)).data;
    return { challengeId, signature: await base64(wallet, message) };
  };
  const mint = async (role: Role) => {
    const desired = { ...(await challenge(role)), keyName: 'examples' };
    return (await call(`${url}/api/auth/api-key`, {}, desired)).data;
  };
  const keys = {
    executive: await mint('executive'),
    update: await mint('update'),
    withdrawal: await mint('withdrawal'),
  };
  const roleOf = (operation: string): Role => {
    if (/ApiKey|changeExecutives/.test(operation)) return 'update';
    return operation === 'createWithdrawal' ? 'withdrawal' : 'executive';
  };
  const place = async (path: string, role: Role, body: Body) =>
    (await call(`${url}/api/trading/${path}`, { 'x-api-key': keys[role].apiKey }, body)).data;
  const purchase = await place('purchases/partner', 'executive', { goldAmount: 1, maxUsdcAmount: 10_000 });
  const sale = await place('sales/partner', 'executive', { goldAmount: 1, minimumUsdcAmount: 1_000 });
  const withdrawal = await place('withdrawals', 'withdrawal', { amount: 10, tokenType: 'usdc' });
  const signed = async (order: { transaction: { serializedTx: string } }) => {
    const transaction = getTransactionDecoder().decode(Buffer.from(order.transaction.serializedTx, 'base64'));
    return getBase64EncodedWireTransaction(await signTransaction([wallets.executive.keyPair], transaction));
  };
  return {
    url,
    headersOf: (operation) => ({ 'x-api-key': keys[roleOf(operation)].apiKey }),
    parameters: {
      ...{ keyId: (await mint('update')).id, purchaseId: purchase.purchaseId },
      ...{ sellId: sale.sellId, withdrawalId: withdrawal.withdrawalId },
    },
    instead: {
      createTradebookApiKey: async () => ({ body: await challenge('executive') }),
      submitTransaction: async () => ({ body: { signedTransaction: await signed(purchase) } }),
      submitTransactions: async () => ({ body: { signedTransactions: [await signed(purchase)] } }),
    },
  };
}

async function openOperatorApi({ info, acme, mintKey }: Partner, shared: Shared): Promise<Surface> {
  const { karat, trade, redemptions, endpoint } = shared;
  const [collected, cancelled] = redemptions;
  const [first] = info.operators;
  const token = { authorization: `Bearer ${first?.token}` };
  const get = (path: string) => call(`${info.operator_url}/operator/v1${path}`, token);
  const signIn = () =>
    call(`${info.operator_url}/operator/v1/session`, {}, { email: first?.email, password: first?.password });
  await signIn();
  const { operators } = await get('/operators');
  const [own, second] = ['ops1', 'ops2'].map((name) =>
    operators.find(({ email }: { email: string }) => email === `${name}@karat.test`),
  );
  const openSession = async () => (await get(`/operators/${own.operator_id}/sessions`)).sessions[0];
  const { tokens } = await get(`/operators/${second.operator_id}/tokens`);
  await mintKey();
  const { api_keys: keys } = await get(`/partners/${acme.partner_id}/api-keys`);
  const { bars } = await get('/bars?denomination_id=pk_tola_1&status=in_stock');
  const { orders } = await get('/orders');
  const toCancel = () => ({ parameters: { redemption_id: cancelled } });
  return {
    url: info.operator_url,
    headersOf: () => token,
    parameters: {
      ...{ trade_id: trade.trade_id, redemption_id: collected, endpoint_id: endpoint.endpoint_id },
      ...{
        operator_id: second.operator_id,
        session_id: (await openSession()).session_id,
        token_id: tokens[0].token_id,
      },
      ...{ key_id: keys[0].key_id, bar_id: bars.at(-1).bar_id },
    },
    instead: {
      getOrder: () => ({ parameters: { id: orders[0].id } }),
      assignRedemption: () => ({ body: { assignee_id: own.operator_id } }),
      async deleteView() {
        const view = { list: 'redemptions', name: 'An example', filter: { status: 'ready' } };
        const { view_id } = await call(`${info.operator_url}/operator/v1/views`, token, view);
        return { parameters: { view_id } };
      },
      async endOperatorSession() {
        await signIn();
        return { parameters: { session_id: (await openSession()).session_id } };
      },
      async prepareRedemption() {
        await operatorMove(info, 'prepare', collected, { note: 'in time' });
        return {};
      },
      async collectRedemption() {
        return { body: { pickup_code: (await karat.redemptions.get(collected)).pickup_code } };
      },
      cancelRedemption: toCancel,
      refundRedemption: toCancel,
    },
  };
}

const apis = ['partner', 'tradebook', 'operator'] as const;

/** No response may say that the request itself is wrong. */
const wrong = [400, 401, 404, 422];

/** What no example can be right about, with what is said about it: a secret, and what a sandbox does not have. */
const beyondExamples: Record<(typeof apis)[number], Record<string, string>> = {
  partner: { signIn: 'unauthorized', finishSignIn: 'unauthorized', acceptInvitation: 'invalid_invitation' },
  tradebook: {},
  operator: {
    signIn: 'unauthorized',
    finishSignIn: 'unauthorized',
    changePassword: 'current_password is not your password.',
    approve: 'There is no such approval.',
    reject: 'There is no such approval.',
    retryDeadLetter: 'There is no such dead letter.',
    resolveDeadLetter: 'There is no such dead letter.',
    resolveDeadLetters: 'There is no such dead letter.',
  },
};

/** What takes from others what they need. */
const last = ['disableOperator', 'enableOperator', 'revokePartnerWallet'];

async function send(
  shown: Shown,
  { url, headersOf, parameters: known }: Surface,
  instead: Instead,
  body?: Body,
) {
  let path = shown.path;
  const query = new URLSearchParams();
  for (const { in: place, name, example } of shown.parameters) {
    const value = instead.parameters?.[name] ?? known[name] ?? example;
    if (place === 'query') query.set(name, value);
    else path = path.replace(`{${name}}`, encodeURIComponent(value));
  }
  return fetch(`${url}${path}?${query}`, {
    method: shown.method,
    headers: { ...headersOf(shown.id), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify({ ...body, ...instead.body }) }),
  });
}

describe.each(apis)('%s API', (api) => {
  const all = readShown(api);
  const ordered = [
    ...all.filter(({ id }) => !last.includes(id)),
    ...all.filter(({ id }) => last.includes(id)),
  ];
  test.each(ordered.map((shown) => [shown.id, shown] as const))(
    '%s takes what the reference shows',
    patience,
    async (id, shown) => {
      const surface = surfaces[api];
      for (const body of shown.bodies) {
        const response = await send(shown, surface, (await surface.instead[id]?.()) ?? {}, body);
        const isWrong = wrong.includes(response.status);
        const message = isWrong ? await response.text() : undefined;
        if (!isWrong) await response.body?.cancel();
        const beyond = beyondExamples[api][id];
        if (beyond === undefined) expect(message).toBeUndefined();
        else expect(message).toContain(beyond);
      }
    },
  );
});
