// A web shop that sells gold: the server of a partner, on @karat/sdk. README.md explains it.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Karat, KaratError } from '@karat/sdk';
import { createKeyPairSignerFromBytes, getPublicKeyFromAddress, verifySignature } from '@solana/kit';

const files = {
  '/': ['index.html', 'text/html'],
  '/style.css': ['style.css', 'text/css'],
  '/shop.js': ['shop.js', 'text/javascript'],
  '/sandbox-wallet.js': ['sandbox-wallet.js', 'text/javascript'],
};
const headers = {
  'content-security-policy': "default-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** What the shop vouches for; a real one checks the identity before it registers anybody. */
const vouched = { kyc_provider: 'shop', kyc_level: 'full' };

/** An error of the customer's, with its HTTP status. */
const mistake = (status, message) => Object.assign(new Error(message), { status });

/** Starts the shop; server.d.mts explains the options. */
export async function startShop({ baseUrl, apiKey, partnerKey, host = '127.0.0.1', port = 0, testWallet }) {
  const karat = new Karat({ baseUrl, apiKey });
  const partner = await createKeyPairSignerFromBytes(Uint8Array.from(partnerKey));
  const [{ name }, { network }] = await Promise.all([karat.me(), karat.network()]);

  // A shop that lives longer keeps these in its database.
  const sessions = new Map(); // by cookie: the wallet that signed in, and its user once there is one
  const challenges = new Map(); // what to sign and until when, by wallet, oldest first
  const owners = new Map(); // users, by the ids of their trades and redemptions
  const pages = new Set(); // those that listen: { session, response }

  /**
   * Returns a quote for the page. Its transaction is the one that was requested, has the partner's signature where it needs one,
   * and lacks the customer's.
   */
  async function offer(side, { wallet, user }, wanted, signers) {
    const request = { service_user_id: user, ...wanted };
    const quoted = await side.quote(request);
    const id = quoted.trade_id ?? quoted.redemption_id;
    const transaction = await side.sign(quoted, { ...request, signers, wallet_address: wallet });
    owners.set(id, user);
    return { id, quote: quoted.quote, transaction };
  }

  const open = {
    'GET /api/shop': async (session) => ({
      name,
      chain: `solana:${network === 'mainnet-beta' ? 'mainnet' : network}`,
      test_wallet: testWallet !== undefined,
      signed_in: session !== undefined,
      countries: await karat.countries.list(),
    }),
    'GET /api/price': () => karat.prices.get(),
    'GET /api/bars': (_, { country }) => karat.countries.denominations({ country }),
    'POST /api/challenge': async (_, { wallet }) => {
      const key = await getPublicKeyFromAddress(wallet).catch(() => undefined);
      if (!key) throw mistake(400, 'wallet must be an address.');
      const message = `Sign in to the shop of ${name}\n\nWallet: ${wallet}\nNonce: ${randomBytes(16).toString('hex')}`;
      challenges.delete(wallet);
      challenges.set(wallet, { key, bytes: Buffer.from(message), endMs: Date.now() + 300_000 });
      if (challenges.size > 10_000) challenges.delete(challenges.keys().next().value);
      return { message };
    },
    'POST /api/session': async (_, { wallet, signature }, response) => {
      const { key, bytes, endMs } = challenges.get(wallet) ?? { endMs: 0 };
      challenges.delete(wallet);
      const signed = Buffer.from(String(signature), 'base64');
      const complete = endMs > Date.now() && signed.length === 64;
      if (!complete || !(await verifySignature(key, signed, bytes))) throw mistake(401, 'Wrong signature.');
      const cookie = randomBytes(32).toString('hex');
      const [user] = await karat.users.list({ user_id: `shop-${wallet}` }).take(1);
      sessions.set(cookie, { wallet, user: user?.service_user_id });
      response.setHeader('set-cookie', `shop=${cookie}; HttpOnly; SameSite=Strict; Path=/`);
      return user ?? {};
    },
  };

  /** What takes a customer who has signed in. */
  const own = {
    'POST /api/register': async (session, { full_name, country }) => {
      const user = await karat.users.create({
        user_id: `shop-${session.wallet}`,
        wallet_address: session.wallet,
        kyc: { country, full_name, ...vouched, kyc_verified_at: new Date().toISOString() },
      });
      session.user = user.service_user_id;
      return user;
    },
    'GET /api/account': async ({ wallet, user }) => {
      if (user === undefined) return { wallet, registered: false };
      const [balances, trades, latest] = await Promise.all([
        karat.users.balances(user),
        karat.trades.list({ service_user_id: user }).take(5),
        karat.redemptions.list({ service_user_id: user }).take(5),
      ]);
      for (const { redemption_id } of latest) owners.set(redemption_id, user);
      const whole = (one) => (one.status === 'ready' ? karat.redemptions.get(one.redemption_id) : one);
      const redemptions = await Promise.all(latest.map(whole)); // the list has no pickup_code
      return { wallet, registered: true, balances, trades, redemptions };
    },
    'GET /api/live': async (session, _, response) => {
      const page = { session, response };
      pages.add(page);
      response.on('close', () => pages.delete(page));
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' }).write(':\n\n');
    },
    'POST /api/buy': (session, { amount }) => offer(karat.buys, session, { usdc_amount: amount }, [partner]),
    'POST /api/sell': (session, { amount }) =>
      offer(karat.sells, session, { gold_amount: amount }, [partner]),
    'POST /api/redeem': (session, { denomination_id, city }) =>
      offer(karat.redemptions, session, { denomination_id, city }, []),
    'POST /api/submit': async (session, { kind, id, transaction }) => {
      const api = { buy: karat.buys, sell: karat.sells, redeem: karat.redemptions }[kind];
      const isOwn = session.user !== undefined && owners.get(id) === session.user;
      if (!api || !isOwn) throw mistake(404, 'There is no such quote of yours.');
      return api.submit(id, transaction);
    },
  };

  async function respond(request, response) {
    if (!URL.canParse(request.url, 'http://shop')) throw mistake(400, 'The address is invalid.');
    const url = new URL(request.url, 'http://shop');
    const route = `${request.method} ${url.pathname}`;
    const session = sessions.get(/(?:^|; )shop=(\w+)/.exec(request.headers.cookie ?? '')?.[1]);
    const [name, type] = files[url.pathname] ?? [];
    if (name) response.setHeader('content-type', `${type}; charset=utf-8`).writeHead(200, headers);
    if (name) return response.end(await readFile(new URL(`page/${name}`, import.meta.url)));
    if (route === 'GET /sandbox-wallet.json' && testWallet) return send(response, 200, testWallet);
    const action = open[route] ?? own[route];
    if (!action) throw mistake(404, 'There is no such page.');
    if (own[route] && !session) throw mistake(401, 'Sign in with your wallet first.');
    const body = request.method === 'POST' ? await readBody(request) : Object.fromEntries(url.searchParams);
    const result = await action(session, body, response);
    if (result !== undefined) send(response, 200, result);
  }

  /** Hands what happens at Karat on to the page of the customer whom it is about. */
  const ended = new AbortController();
  async function follow() {
    while (!ended.signal.aborted) {
      try {
        for await (const { type, data } of karat.events.stream({ signal: ended.signal })) {
          const { trade_id, redemption_id, id = trade_id ?? redemption_id } = data.object;
          const text = `data: ${JSON.stringify({ type, object: data.object })}\n\n`;
          for (const { session, response } of pages) {
            if (owners.has(id) && owners.get(id) === session.user) response.write(text);
          }
        }
      } catch (error) {
        if (!ended.signal.aborted) console.error(`The shop's stream of events: ${error.message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    }
  }
  follow();
  const server = createServer((request, response) => {
    respond(request, response).catch((error) => {
      const status = error.status ?? (error instanceof KaratError ? 502 : 500);
      if (status === 500) console.error(error);
      const { message, code, reason, docUrl } = status === 500 ? { message: 'Something went wrong.' } : error;
      send(response, status, { message, code, reason, doc_url: docUrl });
    });
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: server.address().port,
    async close() {
      ended.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response, status, body) {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Reads JSON, a type that no form of another site can send. */
async function readBody(request) {
  if (request.headers['content-type'] !== 'application/json') throw mistake(415, 'The body must be JSON.');
  if (!(Number(request.headers['content-length']) <= 10_000)) throw mistake(413, 'The body is too long.');
  return Object(await json(request).catch(() => ({})));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { KARAT_URL: baseUrl, KARAT_API_KEY: apiKey, PARTNER_KEYPAIR: file, PORT: port } = process.env;
  const partnerKey = JSON.parse(await readFile(file, 'utf8'));
  const shop = await startShop({ baseUrl, apiKey, partnerKey, port: Number(port ?? 8070) });
  console.log(`The shop is open at http://127.0.0.1:${shop.port}/`);
}
