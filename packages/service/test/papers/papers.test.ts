import { expect, test } from 'vitest';
import { newUuid } from '../../src/domain/ids.js';
import { receiptFormat } from '../../src/domain/papers/receipt.js';
import { makeStatement } from '../../src/domain/papers/statement.js';
import { receiptPdf } from '../../src/papers/receipt-pdf.js';
import { statementPdf } from '../../src/papers/statement-pdf.js';
import { piecesOf } from '../../src/papers/text-pieces.js';

const at = '2026-11-29T11:02:10.000Z';
const txHash = '4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8';
const receipt = (fullName: string) => ({
  receipt: {
    ...({ format: receiptFormat, kind: 'redemption', issued_at: at, partner_id: newUuid() } as const),
    ...{ partner_name: 'Acme Gold', tx_hash: txHash, redemption_id: 'red_1' as never, wallet: 'wallet' },
    ...{ denomination: '1 tola', weight_g: '11.6638038', city: 'Karachi', bar: null, gold: '0.380625' },
    ...{ gold_value_usd: '1537.5', fee_usd: '23.06', paid_at: at, collected_at: at },
  },
  isSigned: false,
  link: 'https://api.example.com/papers/verify#1.a.',
  issuer: undefined,
  customer: { fullName, idType: null, idNumberMasked: null },
});
const partsOf = (line: string) =>
  piecesOf(line, (codePoint) => (codePoint > 0x5ff ? 'arabic' : 'latin')).map(({ text }) => text);

test('a line is drawn in the order in which it stands, and each part of it is one direction and font', () => {
  expect(partsOf('Ali Khan')).toEqual(['Ali Khan']);
  // From right to left, with the Latin part between its brackets on the left.
  expect(partsOf('محمد (Ali)')).toEqual(['(', 'Ali', ') ', 'محمد']);
  // Digits within text from right to left are read from left to right.
  expect(partsOf('خان 123 گولڈ').filter((part) => part.trim())).toEqual(['گولڈ', '123', 'خان']);
  expect(partsOf('Gold ذهب 24')).toEqual(['Gold ', '24', ' ', 'ذهب']);
});

test('a paper has its fonts, structure and language, and the words of names as they are written', async () => {
  const name = 'عائشہ Khan';
  const pdf = (await receiptPdf(receipt(name))).toString('latin1');
  expect(pdf.slice(0, 8)).toBe('%PDF-1.7');
  for (const part of [
    '/StructTreeRoot',
    '/Lang (en)',
    '/Marked true',
    '/S /H1',
    '/S /Table',
    '/Alt (',
    '/FontFile2',
  ])
    expect(pdf).toContain(part);
  expect(pdf).toMatch(/\/BaseFont \/[A-Z]{6}\+NotoSansArabic/);
  const utf16 = Buffer.from(`\ufeff${name}`, 'utf16le').swap16().toString('latin1');
  expect(pdf.replaceAll(/\\([()\\])/g, '$1')).toContain(utf16);
});

test('the same paper is the same bytes', async () => {
  const paper = receipt('Ayesha Khan');
  expect((await receiptPdf(paper)).equals(await receiptPdf(paper))).toBe(true);
});

test('a statement of 10,000 entries is made within 20 s of the processor, and lists the first 1,000', {
  timeout: 120_000,
}, async () => {
  const lines = Array.from({ length: 10_000 }, (_, index) => ({
    ...{ at: new Date(Date.parse(at) + index), kind: 'buy' as const, id: `trd_${newUuid()}`, txHash },
    ...{ gold: 0n, usdc: 0n, feeUsd: 500_000n, customerGold: 24_267n, customerUsdc: -100_000_000n },
  }));
  const none = { gold: 0n, usdc: 0n };
  const statement = makeStatement({
    ...{ partner: { id: newUuid(), name: 'Acme Gold' }, vault: null, month: '2026-11', lines },
    ...{ opening: none, closing: none, deadLetters: 0, isCompared: true },
  });
  expect(statement.totals).toMatchObject({ lines: 10_000, fee_usd: 5_000, customer_usdc: -1_000_000 });
  const { link } = receipt('');
  const before = process.cpuUsage();
  const pdf = await statementPdf({
    statement,
    hash: undefined,
    link,
    issuer: undefined,
    readAt: new Date(at),
  });
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
  expect(pdf.length).toBeLessThan(3_000_000);
});
