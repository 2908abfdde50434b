import { IntegratorStatus, MarketState } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tokenAccountOf, tokenOf } from '../../../src/chain/program/token-accounts.js';
import { addressToBytes } from '../../../src/domain/solana.js';
import { errorCodes } from '../../../src/errors.js';
import { type Indexer, startIndexer } from '../../../src/indexer/index.js';
import { type Reason, reasonNames } from '../../../src/reasons.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { attestedGold, eventually, usualPrice } from '../../karat-chain.js';

let t: Karat;
let indexer: Indexer;
/** Where the requests of tests come to. */
const docsUrl = 'http://localhost:80';
const provoked = new Set<Reason>();

beforeAll(async () => {
  t = await startKarat();
  indexer = startIndexer(t.service.ctx, {
    pollMs: 50,
    idlePollMs: 1_000,
    finalAfterMs: 0,
    electionMs: 1_000,
  });
});
afterAll(async () => {
  await indexer.stop();
  await t.stop();
});

const partnerTerms = () => ({ partnerId: t.partner.partnerId, wallet: t.partner.wallet.address });
const gold = (amount: bigint, owner = t.user.wallet.address) =>
  t.chain.node.setTokenBalance(owner, t.chain.goldMint, amount);

const codes: Partial<Record<Reason, [status: number, error: string]>> = {
  node_unavailable: [503, 'service_unavailable'],
  other_quote: [404, 'trade_not_found'],
};

/** The refusal of a submission with that reason, whose message says all of these. */
function refusal(reason: Reason, ...texts: string[]) {
  provoked.add(reason);
  const [status, error] = codes[reason] ?? [400, 'broadcast_failed'];
  return {
    status,
    body: {
      error,
      reason,
      doc_url: `${docsUrl}/reasons/${reason}`,
      message: expect.stringMatching(inOrder(texts)),
    },
  };
}

const inOrder = (texts: string[]) =>
  new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*'), 's');

const recordOf = (tradeId: string) =>
  eventually(async () => expectStatus(await t.partner.client.get(`/v1/trades/${tradeId}`), 200).body, 10_000);

async function changeAccount(owner: Address, mint: Address, change: (data: Uint8Array) => void) {
  const account = tokenAccountOf(owner, tokenOf(mint, t.chain));
  const state = t.chain.node.getAccount(account);
  if (!state) throw new Error('there is no account to change');
  const data = Uint8Array.from(state.data);
  change(data);
  t.chain.node.setAccount(account, { ...state, data });
}

const freeze = (owner: Address, mint: Address) =>
  changeAccount(owner, mint, (data) => {
    // The state of an SPL Token account: 2 is frozen.
    data[108] = 2;
  });

/** What `SetAuthority` does to the owner of an SPL Token account. */
const giveAway = (owner: Address, mint: Address) =>
  changeAccount(owner, mint, (data) => data.set(addressToBytes(newWallet().address), 32));

async function closeAccount(owner: Address, mint: Address): Promise<void> {
  t.chain.node.setAccount(tokenAccountOf(owner, tokenOf(mint, t.chain)), undefined);
}

describe('a quote that the chain refuses', () => {
  afterEach(async () => {
    t.chain.price.set(usualPrice);
    t.chain.price.setUsdc();
    await t.chain.setStatus({});
    await t.chain.changeSettings({});
    await t.chain.changePartner(t.integrator, partnerTerms(), IntegratorStatus.Active);
    const { treasuryAuthority } = t.chain.addresses;
    await gold(1_000_000_000n, treasuryAuthority);
    await t.chain.node.setTokenBalance(treasuryAuthority, t.chain.usdcMint, 1_000_000_000_000n);
    await closeAccount(t.user.wallet.address, t.chain.usdcMint);
    await t.chain.fund(t.user.wallet.address, 100_000_000_000n);
    await gold(50_000_000n);
    await eventually(async () => {
      const { body } = expectStatus(await t.buy.quote({ usdc_amount: 1_000_000 }), 200);
      expect(body.quote).toMatchObject({ price_per_troy_oz: 4100.12, fee_bps: 50 });
    }, 10_000);
  });

  const wallet = () => t.user.wallet.address;

  test.each<
    [string, 'buy' | 'sell', Reason, string | undefined, () => Promise<unknown> | unknown, () => string[]]
  >([
    [
      'as the price rose',
      'buy',
      'slippage_exceeded',
      'SlippageExceeded',
      () => t.chain.price.set({ ...usualPrice, price: 500_000_000_000n }),
      () => ['SlippageExceeded: The output is below the accepted minimum', 'request a new quote'],
    ],
    [
      'as the price fell further than the treasury allows',
      'buy',
      'price_moved',
      'PriceMoved',
      () => t.chain.price.set({ ...usualPrice, price: 380_000_000_000n }),
      () => ['PriceMoved', 'request a new quote'],
    ],
    [
      'as the user lacks USDC',
      'buy',
      'insufficient_usdc',
      'InsufficientFunds',
      () => t.chain.fund(wallet(), 99_999_999n),
      () => [
        `The wallet ${wallet()} holds 99.999999 USDC and has to pay 100 USDC, so 0.000001 USDC are missing`,
      ],
    ],
    [
      'as the user lacks GOLD',
      'sell',
      'insufficient_gold',
      'InsufficientFunds',
      () => gold(40_000n),
      () => [`The wallet ${wallet()} holds 0.04 GOLD and has to pay 0.1 GOLD, so 0.06 GOLD are missing`],
    ],
    [
      'as the user has no account for USDC',
      'buy',
      'token_account_missing',
      'InvalidAccountOwner',
      () => closeAccount(wallet(), t.chain.usdcMint),
      () => [`The wallet ${wallet()} has no token account for USDC: send USDC to it`],
    ],
    [
      'as the user has no account for GOLD',
      'sell',
      'token_account_missing',
      'InvalidAccountOwner',
      () => closeAccount(wallet(), t.chain.goldMint),
      () => [`The wallet ${wallet()} has no token account for GOLD: send GOLD to it`],
    ],
    [
      'as trading is paused',
      'buy',
      'trading_paused',
      'Paused',
      () => t.chain.setStatus({ paused: 1 }),
      () => ['Paused', 'Try again when trading is resumed'],
    ],
    [
      'as the market closed',
      'buy',
      'market_closed',
      'MarketClosed',
      async () => {
        await t.chain.changeSettings({ maxAgeClosed: 0 });
        await t.chain.setStatus({ marketState: MarketState.Closed });
      },
      () => ['The market is closed', 'when the market opens'],
    ],
    [
      'as the price is uncertain',
      'sell',
      'price_unavailable',
      'OracleConfidence',
      () => t.chain.price.set({ ...usualPrice, confidence: 4_100_120_001n }),
      () => ['OracleConfidence', 'request a new quote shortly'],
    ],
    [
      'as the price is stale',
      'buy',
      'price_unavailable',
      'OracleStale',
      () => t.chain.price.set({ ...usualPrice, publishTimeSeconds: 1_700_000_000n }),
      () => ['The price is too old', 'request a new quote shortly'],
    ],
    [
      'as USDC lost its peg',
      'buy',
      'usdc_off_peg',
      'UsdcOffPeg',
      () => t.chain.price.setUsdc({ price: 97_999_999n, confidence: 0n, exponent: -8 }),
      () => ['UsdcOffPeg: USDC is worth too little', 'selling is not affected'],
    ],
    [
      'as there is more GOLD than is attested',
      'buy',
      'not_backed',
      'NotBacked',
      () => gold(attestedGold + 1n, t.chain.addresses.treasuryAuthority),
      () => ['NotBacked', 'selling is not affected'],
    ],
    [
      'as the attestation got too old',
      'buy',
      'not_backed',
      'AttestationStale',
      () => {
        t.chain.node.warp({ seconds: 2 });
        return t.chain.changeSettings({ maxAttestationAge: 1 });
      },
      () => ['AttestationStale: The attestation is too old', 'attested again'],
    ],
    [
      'as the largest trade was lowered',
      'buy',
      'limit_exceeded',
      'TradeTooLarge',
      () => t.chain.changeSettings({ maxTradeUsdc: 99_999_999n }),
      () => ['TradeTooLarge', 'for less'],
    ],
    [
      'as the partner has a limit now',
      'sell',
      'limit_exceeded',
      'DailyLimitExceeded',
      () =>
        t.chain.changePartner(
          t.integrator,
          { ...partnerTerms(), dailyLimitUsdc: 1_000_000n },
          IntegratorStatus.Active,
        ),
      () => ['DailyLimitExceeded', 'wait until the limit has room'],
    ],
    [
      'as the partner was suspended',
      'buy',
      'partner_suspended',
      'IntegratorSuspended',
      () => t.chain.changePartner(t.integrator, partnerTerms(), IntegratorStatus.Suspended),
      () => ['The partner is suspended', 'operators'],
    ],
    [
      'as the treasury ran short',
      'buy',
      'treasury_short',
      'InsufficientLiquidity',
      () => gold(1_000n, t.chain.addresses.treasuryAuthority),
      () => ['The treasury does not have the amount', 'for less'],
    ],
    [
      'as the fee rose',
      'buy',
      'program_error',
      'FeeTooHigh',
      () =>
        t.chain.changePartner(t.integrator, { ...partnerTerms(), openFeeBps: 75 }, IntegratorStatus.Active),
      () => ['FeeTooHigh', 'request a new quote'],
    ],
    [
      'as the account of the user is frozen',
      'buy',
      'program_error',
      'TokenAccountFrozen',
      () => freeze(wallet(), t.chain.usdcMint),
      () => ['TokenAccountFrozen', 'unfreeze'],
    ],
    [
      'as another wallet owns the account that pays',
      'buy',
      'program_error',
      'InvalidTokenOwner',
      () => giveAway(wallet(), t.chain.usdcMint),
      () => ['InvalidTokenOwner', 'have its owner give it back or close it, or use another wallet'],
    ],
    [
      'as another wallet owns the account that receives',
      'sell',
      'program_error',
      'InvalidOwner',
      () => giveAway(wallet(), t.chain.usdcMint),
      () => ['InvalidOwner', 'have its owner give it back or close it, or use another wallet'],
    ],
  ])('%s (%s): %s, at submit and in the record', async (_, side, reason, name, arrange, texts) => {
    await gold(50_000_000n);
    const { tradeId, transaction } = await eventually(() => t[side].quoted(), 10_000);
    const signed = t.signed(transaction);
    await arrange();
    const refused = await t[side].submit(tradeId, signed);
    expect(refused).toMatchObject(refusal(reason, 'Transaction simulation failed: ', ...texts()));
    expect(refused.body.program_error_name).toBe(name);
    expect(refused.body.message).not.toContain('custom program error');
    await t.chain.landed(await t.chain.sendStraight(signed));
    t.chain.node.warp({ slots: 40 });
    const record = await recordOf(tradeId);
    expect(record).toMatchObject({ status: 'failed', reason, program_error_name: name });
    expect(refused.body.message).toBe(`Transaction simulation failed: ${record.message}`);
  });
});

describe('a submission', () => {
  test('submit reports quote_expired after the blockhash expired, and node_unavailable when the node cannot be reached', async () => {
    const { tradeId, transaction } = await eventually(() => t.buy.quoted(), 10_000);
    const signed = t.signed(transaction);
    await t.chain.injectFault({ method: 'sendTransaction', mode: 'error', times: 1 });
    const unreached = await t.buy.submit(tradeId, signed);
    expect(unreached).toMatchObject(
      refusal('node_unavailable', 'send the same signed_tx again', 'counts as submitted'),
    );
    t.chain.node.warp({ seconds: 61 });
    const texts = ['Transaction simulation failed: Blockhash not found', 'request a new quote'];
    expect(await t.buy.submit(tradeId, signed)).toMatchObject(refusal('quote_expired', ...texts));
    await eventually(async () => expectStatus(await t.buy.quote(), 200), 10_000);
  });

  test('submit reports signature_missing and the wallet when a signer has not signed', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const byUser = cosign(transaction, [t.user.wallet]);
    const partner = `The signature of the partner wallet (${t.partner.wallet.address}) is missing.`;
    expect(await t.buy.submit(tradeId, byUser)).toMatchObject(refusal('signature_missing', partner));
    const byPartner = cosign(transaction, [t.partner.wallet]);
    const user = `The signature of the user wallet (${t.user.wallet.address}) is missing.`;
    expect(await t.buy.submit(tradeId, byPartner)).toMatchObject(refusal('signature_missing', user));
  });

  test('submit reports signature_invalid and the wallet for a signature over other bytes', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const signed = Uint8Array.from(t.signed(transaction));
    const partnerSignatureAt = 1 + 64;
    signed[partnerSignatureAt] = (signed[partnerSignatureAt] ?? 0) ^ 1;
    expect(await t.buy.submit(tradeId, signed)).toMatchObject(
      refusal('signature_invalid', 'is not valid for this message', 'exactly as they came'),
    );
  });

  test('submit reports transaction_altered and what differs when the transaction was changed', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    const changed = Uint8Array.from(transaction);
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
    expect(await t.buy.submit(tradeId, t.signed(changed))).toMatchObject(
      refusal('transaction_altered', 'was changed', 'exactly as they came'),
    );
  });

  test('submit reports other_quote for another quote or side', async () => {
    const [first, second] = [await t.buy.quoted(), await t.buy.quoted()];
    expect(await t.buy.submit(first.tradeId, t.signed(second.transaction))).toMatchObject(
      refusal('other_quote', `It belongs to ${second.tradeId}, not to ${first.tradeId}`, 'its own quote'),
    );
    expect(await t.sell.submit(first.tradeId, t.signed(first.transaction))).toMatchObject(
      refusal('other_quote', 'It is a buy, not a sell.'),
    );
  });

  test('submit reports malformed for bytes that are no transaction', async () => {
    const { tradeId, transaction } = await t.buy.quoted();
    for (const bytes of [Uint8Array.of(1, 2, 3), transaction.subarray(0, 200)]) {
      expect(await t.buy.submit(tradeId, bytes)).toMatchObject(refusal('malformed', 'signed transaction'));
    }
  });

  test('submit names the wallet that lacks SOL, and how much, when the partner cannot pay for the receiving account', async () => {
    const user = await t.given.user();
    const { address } = t.partner.wallet;
    const account = t.chain.node.getAccount(address);
    t.chain.node.setAccount(address, undefined);
    const { tradeId, transaction } = await t.buy.quoted({ service_user_id: user.id });
    const signed = cosign(transaction, [t.partner.wallet, user.wallet]);
    const refused = await t.buy.submit(tradeId, signed);
    expect(refused).toMatchObject(refusal('program_error', `The wallet ${address} holds 0 SOL and needs`));
    expect(refused.body.program_error_name).toBe('ResultWithNegativeLamports');
    t.chain.node.setAccount(address, account);
  });
});

test('every reason has a page, on the host of the request unless another place is set', async () => {
  const page = await t.service.app.inject('/reasons/slippage_exceeded');
  expect(page).toMatchObject({ statusCode: 200, body: expect.stringContaining('<code>slippage_bps</code>') });
  for (const name of reasonNames)
    expect((await t.service.app.inject(`/reasons/${name}`)).body).toContain(`<h1><code>${name}</code></h1>`);
  expect(await t.service.anonymous.post('/reasons/slippage_exceeded')).toMatchObject({ status: 405 });
  for (const unknown of ['/reasons/unheard_of', '/reasons/slippage_exceeded_', '/errors/slippage_exceeded']) {
    expect(await t.service.anonymous.get(unknown)).toMatchObject({ status: 404 });
    expect(await t.service.anonymous.post(unknown)).toMatchObject({ status: 404 });
  }
});

test.each(errorCodes)('the error %s has a page', async (code) => {
  const page = await t.service.app.inject(`/errors/${code}`);
  expect(page).toMatchObject({
    statusCode: 200,
    body: expect.stringContaining(`<h1><code>${code}</code></h1>`),
  });
});

test('every reason of a submission was provoked', () => {
  const quotes = ['price_stale', 'price_unreachable', 'price_out_of_band'];
  // Screening has its own test, with a list.
  // So have vaults, which trade by orders, what only the admin does, and what is refused before a quote.
  const elsewhere = [
    ...quotes,
    'wallet_not_allowed',
    'opposite_side_too_early',
    'treasury_paused',
    'fee_budget_used',
    'request_limit_reached',
  ];
  expect([...provoked].sort()).toEqual(reasonNames.filter((name) => !elsewhere.includes(name)).sort());
});
