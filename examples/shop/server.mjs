// A web shop that sells gold: the server of a partner, on @karat/sdk. README.md explains it.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Karat, KaratError } from '@karat/sdk';
import { createKeyPairSignerFromBytes, isAddress } from '@solana/kit';
import { headers, isSignedBy, keepCookie, makeSeals, mistake, qrOf, serve } from './web.mjs';

/** What the shop vouches for; a real one checks the identity before it registers anybody. */
const vouched = { kyc_provider: 'shop', kyc_level: 'full' };
const [challengeMs, sessionMs] = [300_000, 12 * 3_600_000];

/** Starts the shop; server.d.mts explains the options. */
export async function startShop({ baseUrl, apiKey, partnerKey, host = '127.0.0.1', port = 0, testWallet }) {
  const karat = new Karat({ baseUrl, apiKey });
  const apis = { buy: karat.buys, sell: karat.sells, redeem: karat.redemptions };
  const partner = await createKeyPairSignerFromBytes(Uint8Array.from(partnerKey));
  const [{ name }, chain] = await Promise.all([karat.me(), karat.network()]);

  // Sessions and quotes are with the pages, sealed, so that a restart loses none. A larger shop has these in its database.
  const users = new Map(); // who has registered, by wallet
  const owners = new Map(); // wallets, by the ids of their trades and redemptions
  const pages = new Set(); // those that listen: { wallet, response, cookie }

  const { seal, unseal, spend } = makeSeals(partnerKey);
  const textOf = (wallet, nonce) => `Sign in to the shop of ${name}\n\nWallet: ${wallet}\nNonce: ${nonce}`;
  function readOffer(wallet, offer) {
    const [what, kind, id, owner] = unseal(offer);
    if (what !== 'offer' || owner !== wallet) throw mistake(404, 'There is no such quote of yours.');
    owners.set(id, wallet);
    return { id, side: apis[kind] };
  }
  async function userOf(wallet) {
    const [user] = users.has(wallet) ? [] : await karat.users.list({ user_id: `shop-${wallet}` }).take(1);
    if (user) users.set(wallet, user.service_user_id);
    return users.get(wallet);
  }

  /**
   * Returns a quote for the page, unless the customer has too little for it. Its transaction is the one that was requested,
   * has the partner's signature where it needs one, and lacks the customer's.
   */
  async function offer(kind, wallet, wanted, signers) {
    const request = { service_user_id: await userOf(wallet), ...wanted };
    if (!request.service_user_id) throw mistake(403, 'Register first.');
    const token = kind === 'buy' ? 'usdc' : 'gold';
    const { [token]: have } = await karat.users.balances(request.service_user_id);
    const expectEnough = (need) => {
      const reason = `insufficient_${token}`;
      if (need > have) throw mistake(400, 'You have too little.', { reason, have, need });
    };
    expectEnough(wanted[`${token}_amount`]);
    const quoted = await apis[kind].quote(request);
    expectEnough(Number(quoted.quote.tokens_required)); // of a redemption alone
    const transaction = await apis[kind].sign(quoted, { ...request, signers, wallet_address: wallet });
    const sealed = seal('offer', kind, quoted.trade_id ?? quoted.redemption_id, wallet);
    const ms = Date.parse(quoted.expires_at) - Date.now();
    return { offer: sealed, quote: quoted.quote, transaction, ms };
  }

  const open = {
    'GET /api/shop': async (wallet) => ({
      name,
      chain: `solana:${chain.network === 'mainnet-beta' ? 'mainnet' : chain.network}`,
      explorer: chain.explorer_url_template,
      test_wallet: testWallet !== undefined,
      signed_in: wallet !== undefined,
      countries: await karat.countries.list(),
    }),
    'GET /api/price': () => karat.prices.get(),
    'GET /api/history': async (_, { interval, from }) => {
      const [candles, closures, { open_fee_bps, closed_fee_bps }] = await Promise.all([
        karat.prices.history({ interval, from }),
        karat.prices.closures({ interval, from }),
        karat.me(),
      ]);
      return { candles, closures, open_fee_bps, closed_fee_bps };
    },
    'GET /api/bars': (_, { country }) => karat.countries.denominations({ country }),
    'POST /api/challenge': (_, { wallet }) => {
      if (!isAddress(String(wallet))) throw mistake(400, 'wallet must be an address.');
      const nonce = randomBytes(16).toString('hex');
      const challenge = seal('challenge', wallet, nonce, Date.now() + challengeMs);
      return { challenge, message: textOf(wallet, nonce) };
    },
    'POST /api/session': async (_, { challenge, signature }, { response }) => {
      const [what, wallet, nonce, endMs] = unseal(challenge);
      const holds = what === 'challenge' && Number(endMs) > Date.now();
      if (holds) spend(challenge); // one try each
      const isRight = holds && (await isSignedBy(wallet, textOf(wallet, nonce), signature));
      if (!isRight) throw mistake(401, 'Wrong signature.');
      return keepCookie(response, seal('session', wallet, Date.now() + sessionMs));
    },
  };

  /** What takes a customer who has signed in. */
  const own = {
    'POST /api/sign-out': (_wallet, _, { response, cookie }) => {
      spend(cookie);
      for (const page of pages) if (page.cookie === cookie) page.response.end();
      return keepCookie(response, '');
    },
    'POST /api/register': async (wallet, { full_name, country }) => {
      const kyc = { country, full_name, ...vouched, kyc_verified_at: new Date().toISOString() };
      return karat.users.create({ user_id: `shop-${wallet}`, wallet_address: wallet, kyc });
    },
    'GET /api/account': async (wallet) => {
      const user = await userOf(wallet);
      if (user === undefined) return { wallet, registered: false };
      const [balances, trades, latest] = await Promise.all([
        karat.users.balances(user),
        karat.trades.list({ service_user_id: user }).take(5),
        karat.redemptions.list({ service_user_id: user }).take(5),
      ]);
      for (const { redemption_id } of latest) owners.set(redemption_id, wallet);
      const whole = async (one) => {
        if (one.status !== 'ready') return one;
        const ready = await karat.redemptions.get(one.redemption_id); // the list has no pickup_code
        return { ...ready, qr: ready.pickup_qr && qrOf(ready.pickup_qr) };
      };
      return {
        wallet,
        registered: true,
        balances,
        trades,
        redemptions: await Promise.all(latest.map(whole)),
      };
    },
    'GET /api/live': async (wallet, _, { response, cookie }) => {
      const page = { wallet, response, cookie };
      pages.add(page);
      response.on('close', () => pages.delete(page));
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' }).write(':\n\n');
    },
    'POST /api/buy': (wallet, { amount }) => offer('buy', wallet, { usdc_amount: amount }, [partner]),
    'POST /api/sell': (wallet, { amount }) => offer('sell', wallet, { gold_amount: amount }, [partner]),
    'POST /api/redeem': (wallet, { denomination_id, city }) =>
      offer('redeem', wallet, { denomination_id, city }, []),
    'POST /api/submit': (wallet, { offer, transaction }) => {
      const { id, side } = readOffer(wallet, offer);
      return side.submit(id, transaction);
    },
    'GET /api/outcome': (wallet, { offer }) => karat.operations.get(readOffer(wallet, offer).id),
  };

  async function respond({ route, cookie, body, response }) {
    if (route === 'GET /sandbox-wallet.json' && testWallet) return testWallet;
    const action = open[route] ?? own[route];
    if (!action) throw mistake(404, 'There is no such page.');
    const [what, signedIn, endMs] = unseal(cookie);
    const wallet = what === 'session' && Number(endMs) > Date.now() ? signedIn : undefined;
    if (own[route] && wallet === undefined) throw mistake(401, 'Sign in with your wallet first.');
    try {
      return await action(wallet, body, { response, cookie });
    } catch (error) {
      // That Karat refuses the shop's key is not the customer's fault.
      const isOurs = error instanceof KaratError && (error.status ?? 401) === 401;
      throw isOurs ? mistake(502, error.message, { code: 'network_error' }) : error;
    }
  }

  /** Hands what happens at Karat on to the page of the customer whom it is about. */
  const ended = new AbortController();
  async function follow() {
    for (let after; !ended.signal.aborted; ) {
      try {
        for await (const { id: event, type, data } of karat.events.stream({ after, signal: ended.signal })) {
          after = event;
          const { trade_id, redemption_id, id = trade_id ?? redemption_id, reason } = data.object;
          for (const { wallet, response } of pages) {
            if (owners.get(id) === wallet)
              response.write(`data: ${JSON.stringify({ type, id, reason })}\n\n`);
          }
        }
      } catch (error) {
        if (!ended.signal.aborted) console.error(`The shop's stream of events: ${error.message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    }
  }
  const server = await serve(respond, { host, port });
  const close = () => {
    ended.abort();
    return server.close();
  };
  follow();
  return { port: server.port, close };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await import('../one-line-errors.mjs');
  const { KARAT_URL: baseUrl, KARAT_API_KEY: apiKey, PARTNER_KEYPAIR: file, PORT: port } = process.env;
  const partnerKey = JSON.parse(await readFile(file, 'utf8'));
  const shop = await startShop({ baseUrl, apiKey, partnerKey, port: Number(port ?? 8070) });
  console.log(`The shop is open at http://127.0.0.1:${shop.port}/`);
}
