import { randomBytes } from 'node:crypto';
import { amountNumber, formatDecimal } from '@karat/service/domain';
import {
  type Address,
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import { newKeyPairBytes } from '../keys.js';
import { type Api, ApiRefusal, createApi } from './api.js';
import { type Balances, balancesOf, cheat, confirmed, type SolanaRpc } from './chain.js';
import type { RunningSandbox } from './running-sandbox.js';
import { formatMs, type Teller } from './teller.js';

const usdcAmount = 1_000;
const tokenDecimals = 6;
type SeededPartner = RunningSandbox['info']['partners'][number];

interface BuyQuote {
  trade_id: string;
  quote: {
    usdc_amount: number;
    gold_amount: number;
    price_per_troy_oz: number;
    fee_bps: number;
    fee_usd: number;
    min_gold_out: number;
  };
  partially_signed_transaction: string;
  expires_at: string;
}

interface Trade {
  trade_id: string;
  status: string;
  usdc_amount: number;
  gold_amount: number;
  price_per_troy_oz: number;
  fee_usd: number;
  submitted_tx_hash: string;
}

/** Everything that the steps share. */
interface Cast {
  sandbox: RunningSandbox;
  rpc: SolanaRpc;
  mints: { usdc: Address; gold: Address };
  partner: SeededPartner;
  partnerWallet: KeyPairSigner;
}

/**
 * Plays one buy as a partner would do it, over HTTP and JSON-RPC alone. Throws at the first step that fails, and when
 * the record, the quote and the balances do not tell the same.
 */
export async function tellTheStory(sandbox: RunningSandbox, teller: Teller): Promise<void> {
  const { info } = sandbox;
  const [partner] = info.partners;
  if (!partner) throw new Error('The sandbox has no partner');
  const cast: Cast = {
    sandbox,
    rpc: createSolanaRpc(info.rpc_url),
    mints: { usdc: address(info.chain.usdc_mint), gold: address(info.chain.gold_mint) },
    partner,
    partnerWallet: await sandbox.key(partner.wallet_keypair),
  };
  teller.line(`${partner.name} buys gold for a new customer at ${info.partner_api_url}`);
  teller.line();
  const start = performance.now();
  const { api, keyId } = await mintKey(cast, teller);
  const { user, serviceUserId } = await createUser(cast, api, teller);
  const before = await balancesOf(cast.rpc, user.address, cast.mints);
  const quoted = await quote(api, serviceUserId, teller);
  const signed = await sign(cast, user, quoted, teller);
  const hash = await submit(cast, api, quoted, signed, teller);
  const trade = await readTrade(api, quoted, hash, teller);
  await compareBalances(cast, user, before, trade, teller);
  await teller.step('Revoke the key', async (figure) => {
    const answer = await api.post<{ status: string }>(`/v1/partner/api-keys/${keyId}/revoke`);
    figure('status', answer.status);
  });
  teller.line();
  teller.line(`Done in ${formatMs(performance.now() - start)}. Trade ${trade.trade_id} is ${trade.status}.`);
}

async function mintKey(cast: Cast, teller: Teller): Promise<{ api: Api; keyId: string }> {
  const { info } = cast.sandbox;
  const open = createApi(info.partner_api_url);
  return teller.step('Mint an API key: sign a challenge with the partner wallet', async (figure) => {
    const challenge = await patiently(teller, () =>
      open.post<{ challenge_id: string; message: string }>('/v1/auth/challenge', {
        wallet_address: cast.partnerWallet.address,
        partner_id: cast.partner.partner_id,
      }),
    );
    const signature = await signBytes(
      cast.partnerWallet.keyPair.privateKey,
      new TextEncoder().encode(challenge.message),
    );
    const minted = await patiently(teller, () =>
      open.post<{ api_key: string; key_id: string }>('/v1/auth/api-key', {
        challenge_id: challenge.challenge_id,
        signature: Buffer.from(signature).toString('base64'),
        key_name: 'demo',
      }),
    );
    figure('wallet', cast.partnerWallet.address);
    figure('key id', minted.key_id);
    return { api: createApi(info.partner_api_url, minted.api_key), keyId: minted.key_id };
  });
}

/** Waits when the limit of the auth routes (10 a minute) is reached; it says so. */
async function patiently<T>(teller: Teller, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status !== 429) throw error;
      const seconds = error.retryAfterSeconds ?? 5;
      teller.line(`    (10 requests a minute on /v1/auth: waiting ${seconds} s)`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}

async function createUser(
  cast: Cast,
  api: Api,
  teller: Teller,
): Promise<{ user: KeyPairSigner; serviceUserId: string }> {
  return teller.step('Register a customer with a wallet and KYC', async (figure) => {
    for await (const user of freeWallets(cast)) {
      try {
        const created = await api.post<{ service_user_id: string }>('/v1/users', {
          user_id: `demo-${randomBytes(6).toString('hex')}`,
          wallet_address: user.address,
          kyc: {
            country: 'PK',
            full_name: 'Demo Customer',
            kyc_provider: 'demo',
            kyc_level: 'full',
            kyc_verified_at: '2026-01-15T09:30:00Z',
          },
        });
        figure('user', created.service_user_id);
        figure('wallet', user.address);
        return { user, serviceUserId: created.service_user_id };
      } catch (error) {
        if (!(error instanceof ApiRefusal) || error.code !== 'user_already_exists') throw error;
      }
    }
    throw new Error('No wallet was free');
  });
}

/** The spare wallets of the sandbox, then a new one with the same balances: the demo can run any number of times. */
async function* freeWallets(cast: Cast): AsyncGenerator<KeyPairSigner> {
  const { info, key } = cast.sandbox;
  for (const file of info.spare_wallets) yield await key(file);
  const fresh = await createKeyPairSignerFromBytes(newKeyPairBytes());
  await cheat(info.rpc_url, 'requestAirdrop', fresh.address, 1_000_000_000);
  await cheat(info.rpc_url, 'karat_setTokenBalance', fresh.address, cast.mints.usdc, '100000000000');
  await cheat(info.rpc_url, 'karat_setTokenBalance', fresh.address, cast.mints.gold, '50000000');
  yield fresh;
}

async function quote(api: Api, serviceUserId: string, teller: Teller): Promise<BuyQuote> {
  return teller.step(`Ask for a quote: gold for ${usdcAmount} USDC`, async (figure) => {
    const answer = await api.post<BuyQuote>('/v1/buy', {
      service_user_id: serviceUserId,
      usdc_amount: usdcAmount,
    });
    const { quote } = answer;
    figure('trade', answer.trade_id);
    figure('price', `${quote.price_per_troy_oz} USD per troy ounce`);
    figure('fee', `${quote.fee_usd} USDC (${quote.fee_bps} bps)`);
    figure('gold', `${quote.gold_amount} GOLD, at least ${quote.min_gold_out}`);
    figure('good until', answer.expires_at);
    return answer;
  });
}

async function sign(cast: Cast, user: KeyPairSigner, quoted: BuyQuote, teller: Teller): Promise<string> {
  return teller.step('Sign the transaction as partner and as customer', async (figure) => {
    const bytes = Buffer.from(quoted.partially_signed_transaction, 'base64');
    const transaction = getTransactionDecoder().decode(bytes);
    const signed = await partiallySignTransaction([cast.partnerWallet.keyPair, user.keyPair], transaction);
    const count = Object.values(signed.signatures).filter((signature) => signature !== null).length;
    figure('signatures', `${count} (service, partner, customer)`);
    figure('size', `${bytes.length} of 1232 bytes`);
    return getBase64EncodedWireTransaction(signed);
  });
}

async function submit(
  cast: Cast,
  api: Api,
  quoted: BuyQuote,
  signed: string,
  teller: Teller,
): Promise<string> {
  const hash = await teller.step('Submit it', async (figure) => {
    const answer = await api.post<{ tx_hash: string }>(`/v1/buy/${quoted.trade_id}/submit`, {
      signed_tx: signed,
    });
    figure('transaction', answer.tx_hash);
    return answer.tx_hash;
  });
  await teller.step('Wait until the chain has confirmed it', async () => confirmed(cast.rpc, hash));
  return hash;
}

async function readTrade(api: Api, quoted: BuyQuote, hash: string, teller: Teller): Promise<Trade> {
  return teller.step('Read the trade that the indexer wrote', async (figure) => {
    const trade = await waitForTrade(api, quoted.trade_id);
    figure('status', trade.status);
    figure('paid', `${trade.usdc_amount} USDC, of which fee ${trade.fee_usd}`);
    figure('got', `${trade.gold_amount} GOLD`);
    figure('price', `${trade.price_per_troy_oz} USD per troy ounce`);
    if (trade.status !== 'confirmed') throw new Error(`The trade is ${trade.status}`);
    if (trade.submitted_tx_hash !== hash) throw new Error('The record names another transaction');
    if (trade.gold_amount < quoted.quote.min_gold_out) throw new Error('The trade is below its floor');
    return trade;
  });
}

async function waitForTrade(api: Api, tradeId: string): Promise<Trade> {
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      return await api.get<Trade>(`/v1/trades/${tradeId}`);
    } catch (error) {
      const pending = error instanceof ApiRefusal && error.code === 'trade_not_found';
      if (!pending || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function compareBalances(
  cast: Cast,
  user: KeyPairSigner,
  before: Balances,
  trade: Trade,
  teller: Teller,
): Promise<void> {
  await teller.step("Compare the customer's balances with the record", async (figure) => {
    const after = await balancesOf(cast.rpc, user.address, cast.mints);
    const show = (from: bigint, to: bigint) =>
      `${formatDecimal(from, tokenDecimals)} -> ${formatDecimal(to, tokenDecimals)}`;
    figure('USDC', show(before.usdc, after.usdc));
    figure('GOLD', show(before.gold, after.gold));
    const paid = amountNumber(before.usdc - after.usdc);
    const got = amountNumber(after.gold - before.gold);
    if (paid !== trade.usdc_amount || got !== trade.gold_amount) {
      throw new Error(`The balances moved by ${paid} USDC and ${got} GOLD, the record says otherwise`);
    }
  });
}
