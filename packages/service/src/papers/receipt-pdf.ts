import type { Issuer } from '../config.js';
import { formatDecimal, parseDecimal, tokenDecimals } from '../domain/money.js';
import type { RedemptionReceipt, SignedReceipt, TradeReceipt } from '../domain/papers/receipt.js';
import { Sheet } from './sheet.js';
import { mastheadOf, none, shownAmount, shownTime } from './words.js';

/** The customer of a hand-over, who stands on the paper and not in what is signed. */
export interface NamedCustomer {
  fullName: string | null;
  idType: string | null;
  idNumberMasked: string | null;
}

/** What stands on a receipt in addition to what was signed. */
export interface ReceiptPaper {
  receipt: SignedReceipt;
  isSigned: boolean;
  /** Where it is verified. */
  link: string;
  issuer: Issuer | undefined;
  customer: NamedCustomer | undefined;
}

type Facts = [string, string][];

/** Returns a receipt as a PDF: the same bytes for the same paper. */
export async function receiptPdf(paper: ReceiptPaper): Promise<Buffer> {
  const { receipt, issuer, link, isSigned } = paper;
  const id = receipt.kind === 'trade' ? receipt.trade_id : receipt.redemption_id;
  const title = receipt.kind === 'trade' ? 'Receipt of a trade' : 'Receipt of a hand-over';
  const [masthead, address] = mastheadOf(issuer);
  const at = new Date(receipt.kind === 'trade' ? receipt.at : receipt.collected_at);
  const sheet = await Sheet.begin({ title: `${title}, ${id}`, author: masthead, at }, `${title} · ${id}`);
  sheet.masthead(masthead, address);
  sheet.text('H1', title, { size: 20, weight: 600 });
  sheet.text('P', id, { size: 9 });
  sheet.y += 10;
  for (const [heading, facts] of receipt.kind === 'trade'
    ? tradeParts(receipt)
    : redemptionParts(receipt, paper)) {
    sheet.text('H2', heading, { size: 11, weight: 600 });
    sheet.facts(facts);
    sheet.y += 6;
  }
  if (receipt.kind === 'redemption') sheet.signatures(['Customer', 'Handed over by']);
  sheet.y += 8;
  sheet.code(
    link,
    `QR code: opens ${link.split('#')[0]}, which verifies this receipt`,
    verifyWords(receipt, isSigned),
  );
  return sheet.end();
}

function tradeParts(receipt: TradeReceipt): [string, Facts][] {
  const buys = receipt.side === 'buy';
  return [
    [
      'Trade',
      [
        ['Customer', receipt.user_id],
        ['Executed', shownTime(receipt.at)],
        [buys ? 'Gold bought' : 'Gold sold', `${shownAmount(receipt.gold)} GOLD (troy ounces)`],
        [buys ? 'Paid' : 'Received', `${shownAmount(receipt.usdc)} USDC`],
        ['Fee, included', `${shownAmount(receipt.fee_usd)} USD`],
        ['Price of a troy ounce', `${shownAmount(receipt.price_per_troy_oz)} USD`],
      ],
    ],
    [
      'Proof',
      [
        ['Partner', receipt.partner_name],
        ["Customer's wallet", receipt.wallet],
        ['Transaction', receipt.tx_hash],
      ],
    ],
  ];
}

function redemptionParts(receipt: RedemptionReceipt, { customer }: ReceiptPaper): [string, Facts][] {
  const { bar } = receipt;
  const document = [customer?.idType, customer?.idNumberMasked].filter(Boolean).join(' ');
  const unitsOf = (amount: string) => parseDecimal(amount, tokenDecimals) ?? 0n;
  const total = unitsOf(receipt.gold_value_usd) + unitsOf(receipt.fee_usd);
  return [
    [
      'Gold',
      [
        ['Item', receipt.denomination],
        ['Weight', `${shownAmount(receipt.weight_g)} g`],
        ['Fineness', bar ? `${bar.fineness} / 1000` : none],
        ['Serial number', bar ? `${bar.serial}, ${bar.refiner}` : none],
        ['Vault', receipt.city],
      ],
    ],
    [
      'Value',
      [
        ['Gold', `${shownAmount(receipt.gold_value_usd)} USD`],
        ['Fee', `${shownAmount(receipt.fee_usd)} USD`],
        ['Total', `${shownAmount(formatDecimal(total, tokenDecimals))} USD`],
        ['Paid', `${shownAmount(receipt.gold)} GOLD, ${shownTime(receipt.paid_at)}`],
        ['Transaction', receipt.tx_hash],
      ],
    ],
    [
      'Parties',
      [
        ['Customer', customer?.fullName ?? none],
        ['Document', document === '' ? none : document],
        ["Customer's wallet", receipt.wallet],
        ['Partner', receipt.partner_name],
        ['Handed over', shownTime(receipt.collected_at)],
      ],
    ],
  ];
}

function verifyWords({ kind }: SignedReceipt, isSigned: boolean): string[] {
  const compare = 'With the address of a Solana node, the page compares the transaction as well.';
  if (!isSigned)
    return ['This receipt is not signed yet. Scan the code to compare it with its transaction on Solana.'];
  const first = 'Scan the code to verify the signature of this receipt in a browser.';
  return kind === 'trade'
    ? [first, compare]
    : [first, compare, 'The customer is not part of what is signed: compare the name with the document.'];
}
