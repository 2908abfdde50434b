import { createPublicKey, verify } from 'node:crypto';
import { IntegratorStatus } from '@karat/program-client';
import { createSigner } from '@karat/signer';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callsOf, readLink, readStatementFile, verifyPaper } from '../../../assets/verify/verify.js';
import {
  issueDueStatements,
  issueRequested,
  issueStatement,
} from '../../../src/actions/papers/issue-papers.js';
import { tokenAccountOf, tokenOf } from '../../../src/chain/program/token-accounts.js';
import { findPartner } from '../../../src/db/partners/partners.js';
import { papers, trades } from '../../../src/db/schema.js';
import { canonicalJson } from '../../../src/domain/canonical-json.js';
import { type Month, monthAfter, monthOf } from '../../../src/domain/papers/month.js';
import type { AccountStatement, StatementLine } from '../../../src/domain/papers/statement.js';
import { addressToBytes, type TxSignature } from '../../../src/domain/solana.js';
import { VaultReader } from '../../../src/keeper/vaults.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Treasury, vaultFunding } from '../../karat.js';
import { eventually, finalize } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { send } from '../../operators.js';

/** A month of a partner on a real chain: trades before and after a change of fees, orders, a redemption that was refunded, deposits. */
let o: Operating;
let treasury: Treasury;
let month: Month;
let deposit: string;
const wallet = newWallet();
const signer = createSigner(new Uint8Array(wallet.secretKey));
const publicKey = Buffer.from(addressToBytes(wallet.address)).toString('hex');
const never = new AbortController().signal;

const statement = (query = '') => o.partner.client.get(`/v1/statements?month=${month}${query}`);
const file = (path: string) =>
  o.h.app.inject({ method: 'GET', url: path, headers: { 'x-api-key': o.partner.apiKey } });
const read = async () => expectStatus(await statement(), 200).body as AccountStatement;
const partner = async () => {
  const found = await findPartner(o.h.ctx.db, o.partner.partnerId);
  if (!found) throw new Error('there is no partner');
  return found;
};
const issue = async () => issueStatement(o.h.ctx, signer, await partner(), month);
/** Has everything that landed so far recorded, final and compared with the vault. */
async function settle(): Promise<void> {
  await finalize(o.chain, o.h.ctx);
  const reader = new VaultReader(o.h.ctx);
  await eventually(async () => {
    await reader.round(never);
    const [row] = await o.h.ctx.sql.unsafe(`
      select (select count(*) from unfinalized)::int as left,
        coalesce((select max(slot) from vault_readings), 0) >= greatest((select max(slot) from orders), (select max(slot) from trades)) as read`);
    if (row?.left !== 0 || row?.read !== true) throw new Error(JSON.stringify(row));
  }, 30_000);
}

async function trade(side: 'buy' | 'sell'): Promise<string> {
  const { tradeId, transaction } = await o[side].quoted();
  expectStatus(await o[side].submit(tradeId, o.signed(transaction)), 200);
  await eventually(
    async () => expectStatus(await o.partner.client.get(`/v1/trades/${tradeId}`), 200),
    20_000,
  );
  return tradeId;
}

async function order(path: string, body: object, role: 'executive' | 'withdrawal'): Promise<void> {
  const { data } = expectStatus(await treasury[role].post(path, body), 201).body;
  const signed = cosign(Buffer.from(data.transaction.serializedTx, 'base64'), [treasury[role].wallet]);
  expect((await o.tradebook.submit(signed)).body).toMatchObject({ success: true });
}

async function refundedRedemption(): Promise<string> {
  const { id, transaction } = await o.redemptions.quoted();
  expectStatus(await o.redemptions.submit(id, o.signed(transaction)), 200);
  await o.redemptions.visible(id);
  await finalize(o.chain, o.h.ctx);
  expectStatus(await o.partner.client.post(`/v1/redemptions/${id}/cancel`, {}), 200);
  const vault = o.operators.by.fulfilment.client;
  await eventually(async () => {
    const cancel = { physical_gold_committed: false };
    expectStatus(await send(vault, 'POST', `/redemptions/${id}/cancel`, cancel), 200);
  }, 20_000);
  expectStatus(await send(vault, 'POST', `/redemptions/${id}/refund`), 200);
  return id;
}

async function depositUsdc(amount: bigint): Promise<string> {
  const token = tokenOf(o.chain.usdcMint, o.chain);
  return o.sendAs(o.user.wallet, (authority) => [
    getTransferCheckedInstruction({
      source: tokenAccountOf(o.user.wallet.address, token),
      mint: o.chain.usdcMint,
      destination: tokenAccountOf(treasury.vault, token),
      authority,
      amount,
      decimals: 6,
    }),
  ]);
}

beforeAll(async () => {
  o = await startOperating();
  treasury = await o.given.treasury(o.partner);
  o.chain.node.airdrop(o.user.wallet.address, 1_000_000_000n);
  month = monthOf(new Date(o.chain.clock.now()));
  await trade('buy');
  const terms = { partnerId: o.partner.partnerId, wallet: o.partner.wallet.address, openFeeBps: 80 };
  await o.chain.changePartner(treasury.integrator, terms, IntegratorStatus.Active);
  await eventually(() => {
    const { openFeeBps } = o.h.ctx.chain.program.integrator(o.partner.partnerId)?.data ?? {};
    if (openFeeBps !== 80) throw new Error('the fee is not known');
  }, 20_000);
  await trade('buy');
  await trade('sell');
  await order('/api/trading/purchases/partner', { goldAmount: 2, maxUsdcAmount: 9_000 }, 'executive');
  await order('/api/trading/sales/partner', { goldAmount: 0.5, minimumUsdcAmount: 1 }, 'executive');
  await order('/api/trading/withdrawals', { amount: 7.25, tokenType: 'usdc' }, 'withdrawal');
  await refundedRedemption();
  deposit = await depositUsdc(12_500_000n);
  await settle();
}, 240_000);
afterAll(() => o.stop());

const kindsOf = ({ lines }: AccountStatement) => lines.map(({ kind }) => kind);
const sumOf = (lines: StatementLine[], name: 'gold' | 'usdc' | 'fee_usd') =>
  lines.reduce((sum, line) => sum + BigInt(Math.round(line[name] * 1e6)), 0n);
const units = (amount: number) => BigInt(Math.round(amount * 1e6));
const countStatements = async () =>
  (await o.h.ctx.db.select().from(papers).where(eq(papers.kind, 'statement'))).length;
const isSigned = (text: string, signature: unknown) =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey, 'hex').toString('base64url') },
      format: 'jwk',
    }),
    Buffer.from(String(signature), 'base64'),
  );

describe('GET /v1/statements', () => {
  test('a month that is not over has a provisional statement, without number and signature', async () => {
    const response = expectStatus(await statement(), 200);
    expect(response.body).toMatchObject({ provisional: true, number: null, issued_at: null, corrects: null });
    expect(response.headers['karat-statement-signature']).toBeUndefined();
  });

  test('a statement has every trade, order, deposit, redemption and refund, with what each changed of the vault', async () => {
    const body = await read();
    expect(kindsOf(body)).toEqual([
      ...['buy', 'buy', 'sell', 'purchase', 'sale', 'withdrawal', 'redemption', 'refund', 'deposit'],
    ]);
    const of = (kind: string) => body.lines.filter((line) => line.kind === kind);
    for (const line of body.lines.filter(({ kind }) =>
      ['buy', 'sell', 'redemption', 'refund'].includes(kind),
    ))
      expect(line).toMatchObject({ gold: 0, usdc: 0 });
    expect(of('withdrawal')).toMatchObject([{ gold: 0, usdc: -7.25, fee_usd: 0 }]);
    expect(of('deposit')).toMatchObject([{ id: null, gold: 0, usdc: 12.5, tx_hash: deposit }]);
    expect(of('purchase')[0]?.gold).toBe(2);
    expect(of('sale')[0]?.gold).toBe(-0.5);
    // 50 and then 80 basis points of 100 USDC.
    expect(of('buy').map(({ fee_usd }) => fee_usd)).toEqual([0.5, 0.8]);
    const [redemption, refund] = [of('redemption')[0], of('refund')[0]];
    expect(refund).toMatchObject({
      id: redemption?.id,
      customer_gold: -(redemption?.customer_gold ?? 0),
      fee_usd: -(redemption?.fee_usd ?? 0),
    });
  });

  test('the sum of the lines is the difference of the balances on chain, less what no transaction explains', async () => {
    const body = await read();
    const held = {
      gold: await o.chain.balance(treasury.vault, o.chain.goldMint),
      usdc: await o.chain.balance(treasury.vault, o.chain.usdcMint),
    };
    for (const token of ['gold', 'usdc'] as const) {
      expect(units(body.closing[token])).toBe(held[token]);
      expect(body.opening[token]).toBe(0);
      expect(units(body.totals[token])).toBe(sumOf(body.lines, token));
      // What the test wrote into the accounts.
      expect(units(body.difference[token])).toBe(vaultFunding[token]);
      expect(sumOf(body.lines, token)).toBe(held[token] - vaultFunding[token]);
    }
    expect(body.causes).toEqual([
      expect.stringMatching(/^The balance of the vault on chain differs/),
      expect.stringMatching(/^No transaction/),
    ]);
  });

  test('a month that has not begun, is none or is from before the partner is refused', async () => {
    const at = (text: string) => o.partner.client.get(`/v1/statements?month=${text}`);
    expect(await at(monthAfter(month))).toMatchObject({ status: 400, body: { field: 'month' } });
    expect(await at('2026-13')).toMatchObject({ status: 400, body: { field: 'month' } });
    expect(await at('2020-01')).toMatchObject({ status: 404, body: { error: 'statement_not_found' } });
  });
});

/** The address in the code of a PDF, which is also a link on it. */
const linkOf = (pdf: Buffer) => {
  const [, link = ''] = /\/URI \((http[^)]*)\)/.exec(pdf.toString('latin1')) ?? [];
  return link.replaceAll('\\', '');
};

describe('receipts', () => {
  const receiptOf = (id: string) => file(`/v1/trades/${id}/receipt`);
  const whileSigning = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const signing = (async () => {
      while (!isOver) {
        await issueRequested(o.h.ctx, signer);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const result = await work.finally(() => {
      isOver = true;
    });
    await signing;
    return result;
  };

  test('the receipt of a trade is signed when it is first requested, and its code verifies with the chain', async () => {
    const { lines } = await read();
    const id = lines.find(({ kind }) => kind === 'sell')?.id ?? '';
    const first = await whileSigning(receiptOf(id));
    expect([first.statusCode, first.headers['content-type']]).toEqual([200, 'application/pdf']);
    const again = await receiptOf(id);
    expect(again.rawPayload.equals(first.rawPayload)).toBe(true);
    const link = await readLink(new URL(linkOf(first.rawPayload)).hash);
    expect(link.paper).toMatchObject({ kind: 'trade', trade_id: id, side: 'sell' });
    const mints = { gold: o.chain.goldMint, usdc: o.chain.usdcMint };
    const chain = { call: callsOf(o.chain.node.rpcUrl), mints };
    const results = async (what: typeof link) => {
      const found: [string, boolean][] = [];
      await verifyPaper({ link: what, keys: [publicKey], chain }, (name, ok) => found.push([name, ok]));
      return found.map(([name, ok]) => `${name.split(' ')[0]} ${ok}`);
    };
    expect(await results(link)).toEqual(['Signature true', 'Transaction true']);
    const forged = { ...link.paper, usdc: '1' };
    expect(await results({ ...link, paper: forged, text: canonicalJson(forged) })).toEqual([
      'Signature false',
      'Transaction false',
    ]);
  });

  test('a receipt that no process signs is unsigned, and what is not final or unknown has none', async () => {
    const { lines } = await read();
    const id = lines.find(({ kind }) => kind === 'buy')?.id ?? '';
    const response = await receiptOf(id);
    expect(response.statusCode).toBe(200);
    const { signature } = await readLink(new URL(linkOf(response.rawPayload)).hash);
    expect(signature).toBeUndefined();
    await o.h.ctx.sql.unsafe('delete from paper_requests');
    expect((await receiptOf('trd_x')).statusCode).toBe(404);
    const redemption = lines.find(({ kind }) => kind === 'redemption')?.id;
    const refused = await o.partner.client.get(`/v1/redemptions/${redemption}/receipt`);
    expect(refused).toMatchObject({ status: 409, body: { error: 'receipt_not_ready' } });
  });
});

describe('a month that is over', () => {
  beforeAll(async () => {
    const end = new Date(`${monthAfter(month)}-01T00:00:10Z`).getTime();
    o.chain.node.warp({ seconds: Math.ceil((end - o.chain.clock.now()) / 1_000) });
    await o.ready();
    await trade('buy');
    await settle();
    await eventually(async () => {
      await new VaultReader(o.h.ctx).round(never);
      const outcomes = await Promise.all([1, 2, 3].map(issue));
      expect(outcomes.filter(Boolean).length).toBeGreaterThan(0);
    }, 30_000);
  }, 120_000);

  test('a statement that several processes issue at once has one number, and is signed over its exact bytes', async () => {
    await Promise.all([1, 2, 3].map(() => issueDueStatements(o.h.ctx, signer)));
    const response = expectStatus(await statement(), 200);
    expect(response.body).toMatchObject({ number: 1, provisional: false, corrects: null, month });
    expect(kindsOf(response.body)).toHaveLength(9);
    expect(isSigned(response.text, response.headers['karat-statement-signature'])).toBe(true);
    expect(await countStatements()).toBe(1);
  });

  test('a statement is repeated byte for byte, in every format', async () => {
    for (const format of ['json', 'csv', 'pdf']) {
      const url = `/v1/statements?month=${month}&format=${format}`;
      const [first, second] = [await file(url), await file(url)];
      expect(first.statusCode).toBe(200);
      expect(first.rawPayload.equals(second.rawPayload)).toBe(true);
      expect(first.headers['karat-statement-signature']).toBe(second.headers['karat-statement-signature']);
    }
  });

  test('the database refuses to change or delete a paper', async () => {
    for (const change of ["update papers set body = '{}'", 'delete from papers', 'truncate papers'])
      await expect(o.h.ctx.sql.unsafe(change)).rejects.toThrow('a paper never changes');
  });

  test('the next month opens with what the last one closed with, and has only what came since', async () => {
    const closed = await read();
    const next = await o.partner.client.get(`/v1/statements?month=${monthAfter(month)}`);
    const body = expectStatus(next, 200).body as AccountStatement;
    expect(body.opening).toEqual(closed.closing);
    expect(kindsOf(body)).toEqual(['buy']);
    expect(body.difference).toEqual({ gold: 0, usdc: 0 });
    expect(body.provisional).toBe(true);
  });

  test('a table is verified alone, and one in which an amount was changed is not', async () => {
    const table = (await file(`/v1/statements?month=${month}&format=csv`)).body;
    const checked = async (text: string) => {
      const found: string[] = [];
      await verifyPaper({ file: readStatementFile(text), keys: [publicKey] }, (name, ok) => {
        if (!ok) found.push(name);
      });
      return found;
    };
    expect(readStatementFile(table).text).toBe(canonicalJson(await read()));
    expect(await checked(table)).toEqual([]);
    expect(await checked(table.replace(',-7.25,', ',-8.25,'))).toEqual([
      'Signature of the statement',
      'Total of usdc',
      'Balance of usdc',
    ]);
  });

  test('a record that changes after the issue is corrected by another statement, once, which names the first', async () => {
    const first = await read();
    const gone = first.lines.find(({ kind }) => kind === 'sell')?.tx_hash as string;
    await o.h.ctx.db.transaction((tx) =>
      tx.delete(trades).where(eq(trades.txSignature, gone as TxSignature)),
    );
    await Promise.all([1, 2, 3].map(issue));
    await issue();
    const second = await read();
    expect(second).toMatchObject({ number: 2, corrects: 1 });
    expect(second.lines).toEqual(first.lines.filter(({ tx_hash }) => tx_hash !== gone));
    expect(await countStatements()).toBe(2);
  });

  test('reading a statement has it looked through', async () => {
    o.chain.node.warp({ seconds: 61 });
    await o.ready();
    await read();
    const requests = await o.h.ctx.sql.unsafe('select kind, subject from paper_requests');
    expect(requests).toMatchObject([{ kind: 'statement', subject: month }]);
    await issueRequested(o.h.ctx, signer);
    expect(await o.h.ctx.sql.unsafe('select kind from paper_requests')).toHaveLength(0);
    expect((await read()).number).toBe(2);
  });
});
