// The page of `verify.js`.
import { callsOf, readLink, readStatementFile, verifyPaper } from './verify.js';

const at = (id) => document.getElementById(id);

const amount = (value) => Number(value).toLocaleString('en', { maximumFractionDigits: 6 });
const time = (iso) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
const balance = ({ gold, usdc }) => `${amount(gold)} GOLD, ${amount(usdc)} USDC`;

/** What a paper says, as names and values. */
function factsOf(paper) {
  if (paper.kind === 'trade')
    return [
      ['Receipt of', 'a trade'],
      ['Number', paper.trade_id],
      ['Executed', time(paper.at)],
      ['Customer', paper.user_id],
      [paper.side === 'buy' ? 'Gold bought' : 'Gold sold', `${amount(paper.gold)} GOLD`],
      [paper.side === 'buy' ? 'Paid' : 'Received', `${amount(paper.usdc)} USDC`],
      ['Fee, included', `${amount(paper.fee_usd)} USD`],
      ['Price of a troy ounce', `${amount(paper.price_per_troy_oz)} USD`],
      ['Partner', paper.partner_name],
      ['Wallet', paper.wallet],
      ['Transaction', paper.tx_hash],
    ];
  if (paper.kind === 'redemption')
    return [
      ['Receipt of', 'a hand-over'],
      ['Number', paper.redemption_id],
      ['Handed over', time(paper.collected_at)],
      ['Item', `${paper.denomination}, ${amount(paper.weight_g)} g, ${paper.city}`],
      ['Bar', paper.bar ? `${paper.bar.serial}, ${paper.bar.refiner}, ${paper.bar.fineness} / 1000` : '–'],
      ['Paid', `${amount(paper.gold)} GOLD, ${time(paper.paid_at)}`],
      ['Value and fee', `${amount(paper.gold_value_usd)} USD and ${amount(paper.fee_usd)} USD`],
      ['Partner', paper.partner_name],
      ['Wallet', paper.wallet],
      ['Transaction', paper.tx_hash],
    ];
  const { totals } = paper;
  return [
    ['Statement', paper.number === null ? 'provisional' : `no. ${paper.number}`],
    ['Month', paper.month],
    ...(paper.corrects === null ? [] : [['Corrects', `no. ${paper.corrects}`]]),
    ['Partner', paper.partner_name],
    ['Vault', paper.vault ?? '–'],
    ['Opening balance', balance(paper.opening)],
    ['Entries', `${totals.lines}: ${balance(totals)}`],
    ['Fees', `${amount(totals.fee_usd)} USD`],
    ['Closing balance', balance(paper.closing)],
    ['Not explained', balance(paper.difference)],
    ...(paper.issued_at === null ? [] : [['Issued', time(paper.issued_at)]]),
  ];
}

function show(paper) {
  at('paper').hidden = false;
  at('facts').replaceChildren(
    ...factsOf(paper).flatMap(([name, value]) =>
      [
        ['dt', name],
        ['dd', value],
      ].map(([tag, text]) => {
        const element = document.createElement(tag);
        element.textContent = text;
        element.dir = 'auto';
        return element;
      }),
    ),
  );
}

function item(kind, text) {
  const element = document.createElement('li');
  element.className = kind;
  element.textContent = text;
  return element;
}

async function publishedKeys() {
  const response = await fetch('/v1/papers/keys');
  if (!response.ok) throw new Error('The published keys cannot be read.');
  return (await response.json()).public_keys;
}

async function namedChain(url) {
  if (url === '') return undefined;
  const { gold_mint: gold, usdc_mint: usdc } = await (await fetch('/v1/network')).json();
  return { call: callsOf(url), mints: { gold, usdc } };
}

/** Returns what was typed; undefined when something of it cannot be used, which is then marked. */
function readFields() {
  const [node, key] = [at('node').value.trim(), at('key').value.trim().toLowerCase()];
  const isNode = node === '' || /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)[:/])/.test(`${node}/`);
  const isKey = key === '' || /^[0-9a-f]{64}$/.test(key);
  at('node-wrong').textContent = isNode ? '' : 'It begins with https://, or is on this machine.';
  at('key-wrong').textContent = isKey ? '' : 'A public key has 64 hexadecimal digits.';
  at('node').ariaInvalid = String(!isNode);
  at('key').ariaInvalid = String(!isKey);
  return isNode && isKey ? { node, key } : undefined;
}

function report(good, text) {
  const outcome = at('outcome');
  outcome.className = good ? 'good' : 'bad';
  outcome.textContent = text;
}

async function verify() {
  const fields = readFields();
  if (!fields) return report(false, 'Nothing was checked: correct the marked field, or empty it.');
  try {
    const chosen = at('file').files[0];
    const file = chosen && readStatementFile(await chosen.text());
    const link = location.hash.length > 1 ? await readLink(location.hash) : undefined;
    if (!link && !file)
      return report(
        false,
        'There is no paper to check yet: scan the code of a paper, or choose a statement below.',
      );
    show((file ?? link).paper);
    const keys = fields.key === '' ? await publishedKeys() : [fields.key];
    const checks = [];
    const check = (name, ok, problem) => checks.push({ ok, text: ok ? name : `${name}: ${problem}` });
    const chain = await namedChain(fields.node);
    const left = await verifyPaper({ link, file, keys, chain }, check);
    at('results').hidden = false;
    at('checks').replaceChildren(...checks.map(({ ok, text }) => item(ok ? 'good' : 'bad', text)));
    at('left').replaceChildren(...left.map((text) => item('open', text)));
    const failed = checks.filter(({ ok }) => !ok).length;
    if (failed > 0) report(false, `Do not trust this paper: ${failed} of ${checks.length} checks failed.`);
    else if (checks.length === 0) report(false, 'Nothing of this paper could be checked yet.');
    else if (!checks.some(({ text }) => text.startsWith('Signature')))
      report(false, 'What could be compared agrees, but no signature was checked: see below.');
    else
      report(
        true,
        `This paper is genuine: ${checks.length === 1 ? 'its signature is valid' : `all ${checks.length} checks passed`}.`,
      );
  } catch ({ message }) {
    report(false, message);
  }
}

at('more').addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});
at('file').addEventListener('change', verify);
addEventListener('hashchange', verify);
verify();
