// Verifies papers of Karat, in a browser or with Node: statements and receipts, by what stands in their QR code, and statements
// by their JSON or CSV. Nothing is sent anywhere but to the Solana node that the reader names.

const utf8 = new TextEncoder();
const tokenUnits = 1e6;
/** The most transactions of a statement that are compared with the node. */
const maxCompared = 200;

const formats = {
  'karat.statement/1': 'statement',
  'karat.statement-seal/1': 'statement',
  'karat.receipt/1': 'receipt',
};

const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** JSON with sorted keys (RFC 8785), which is what is signed. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

async function sha256(text) {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(text))));
}

/** Whether one of the keys has signed a text; undefined where the browser cannot check such signatures. */
async function isSignedBy(keys, text, signature) {
  for (const key of keys) {
    let imported;
    try {
      imported = await crypto.subtle.importKey('raw', fromHex(key), 'Ed25519', false, ['verify']);
    } catch {
      return undefined;
    }
    if (await crypto.subtle.verify('Ed25519', imported, signature, utf8.encode(text))) return true;
  }
  return false;
}

/**
 * Reads what stands behind the `#` of a paper's address: the text that was signed, the paper in it, and the signature, which is
 * undefined for an unsigned one. Throws an Error with a sentence when it is no such text.
 */
export async function readLink(fragment) {
  const parts = fragment.replace(/^#/, '').split('.');
  if (parts.length !== 3 || parts[0] !== '1')
    throw new Error('This address does not have the content of a paper: scan its code again.');
  let text;
  try {
    const stream = new Blob([fromBase64(parts[1])])
      .stream()
      .pipeThrough(new DecompressionStream('deflate-raw'));
    text = await new Response(stream).text();
  } catch {
    throw new Error('The content of the paper in this address is damaged: scan its code again.');
  }
  return { text, paper: readPaper(text), signature: parts[2] === '' ? undefined : fromBase64(parts[2]) };
}

function readPaper(text) {
  let paper;
  try {
    paper = JSON.parse(text);
  } catch {
    throw new Error('This is no paper of Karat.');
  }
  if (!formats[paper?.format]) throw new Error('This is no paper of Karat.');
  return paper;
}

/** Returns the records of a table (RFC 4180). */
function readTable(text) {
  const rows = [];
  let [row, cell, quoted] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ',') {
      row.push(cell);
      cell = '';
    } else if (letter === '\n') {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
    } else if (letter !== '\r') cell += letter;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}

const numbers = new Set(['gold', 'usdc', 'fee_usd', 'customer_gold', 'customer_usdc']);
/** A text without the mark that keeps spreadsheets from taking it for a formula. */
const unmarked = (text) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/u, '');

/**
 * Reads the table of a statement: its lines, and below them the field of the statement that has everything else. Returns what was
 * signed, made again of the table. Throws an Error when it is none.
 */
function statementOfTable(text) {
  const [head, ...rows] = readTable(text.replace(/^\ufeff/, ''));
  const end = rows.findIndex((row) => row.length === 1 && row[0] === '');
  const fields = new Map(
    (end < 0 ? [] : rows.slice(end + 1)).map(([name, value = '']) => [name, unmarked(value)]),
  );
  if (!fields.has('statement'))
    throw new Error('This table is no statement of Karat: its last rows are missing.');
  const lines = rows.slice(0, end).map((row) =>
    Object.fromEntries(
      head.map((name, index) => {
        const value = unmarked(row[index] ?? '');
        return [name, numbers.has(name) ? Number(value) : value === '' ? null : value];
      }),
    ),
  );
  const rest = JSON.parse(fields.get('statement'));
  return { text: canonical({ ...rest, lines }), signature: fields.get('signature') || undefined };
}

/**
 * Reads a statement that was saved as JSON or as a table. A table carries its signature; for JSON it is the header
 * `karat-statement-signature`, so only the hash of the printed code can be compared.
 */
export function readStatementFile(content) {
  const isTable = !content.trimStart().startsWith('{');
  const { text, signature } = isTable
    ? statementOfTable(content)
    : { text: content.trim(), signature: undefined };
  return { text, paper: readPaper(text), signature: signature && fromBase64(signature) };
}

const sum = (lines, name) => lines.reduce((total, line) => total + Math.round(line[name] * tokenUnits), 0);
const units = (value) => Math.round(Number(value) * tokenUnits);

/** Checks that a whole statement adds up. */
function checkSums({ lines, opening, closing, totals, difference }, check) {
  for (const name of ['gold', 'usdc', 'fee_usd', 'customer_gold', 'customer_usdc'])
    check(`Total of ${name}`, sum(lines, name) === units(totals[name]), 'the lines have another sum');
  for (const name of ['gold', 'usdc'])
    check(
      `Balance of ${name}`,
      units(opening[name]) + sum(lines, name) + units(difference[name]) === units(closing[name]),
      'opening, lines and difference do not lead to the closing balance',
    );
}

/** By how much a transaction changed what an owner holds of a mint, base units. */
function changeOf({ preTokenBalances, postTokenBalances }, owner, mint) {
  const held = (balances) =>
    (balances ?? [])
      .filter((one) => one.owner === owner && one.mint === mint)
      .reduce((total, one) => total + Number(one.uiTokenAmount.amount), 0);
  return held(postTokenBalances) - held(preTokenBalances);
}

const options = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 };

/** What transactions of a paper must have changed: of each, whose tokens by how much; base units. */
function movesOf(paper) {
  if (paper.kind === 'trade') {
    const sign = paper.side === 'buy' ? 1 : -1;
    return [
      {
        tx: paper.tx_hash,
        owner: paper.wallet,
        gold: sign * units(paper.gold),
        usdc: -sign * units(paper.usdc),
      },
    ];
  }
  if (paper.kind === 'redemption')
    return [{ tx: paper.tx_hash, owner: paper.wallet, gold: -units(paper.gold), usdc: 0 }];
  const moves = new Map();
  for (const { tx_hash: tx, gold, usdc } of paper.lines ?? []) {
    if (gold === 0 && usdc === 0) continue;
    const move = moves.get(tx) ?? { tx, owner: paper.vault, gold: 0, usdc: 0 };
    move.gold += units(gold);
    move.usdc += units(usdc);
    moves.set(tx, move);
  }
  return [...moves.values()];
}

async function compareWithChain(paper, { call, mints }, check) {
  const moves = movesOf(paper);
  for (const { tx, owner, gold, usdc } of moves.slice(0, maxCompared)) {
    const name = `Transaction ${tx.slice(0, 8)}…`;
    const found = await call('getTransaction', tx, options);
    if (!found) check(name, false, 'the node does not know it, or no longer');
    else if (found.meta.err !== null) check(name, false, 'it failed');
    else {
      const isSame =
        changeOf(found.meta, owner, mints.gold) === gold && changeOf(found.meta, owner, mints.usdc) === usdc;
      check(name, isSame, 'it moved other amounts than the paper says');
    }
  }
  return moves.length;
}

/**
 * Verifies a paper. `keys` are the public keys that may sign, hexadecimal; `file` is the whole statement, where the reader has it;
 * `chain` has what calls a node and the mints, where the reader named one. `check(name, ok, problem)` gets each result. Returns what
 * was not checked, as sentences.
 */
export async function verifyPaper({ link, file, keys, chain }, check) {
  const left = [];
  for (const one of [link, file]) {
    if (!one) continue;
    const name = one === file ? 'Signature of the statement' : 'Signature of the paper';
    if (one.signature === undefined) {
      if (one === link)
        left.push('This paper is not signed: only what it says of the chain can be compared.');
      continue;
    }
    const signed = await isSignedBy(keys, one.text, one.signature);
    if (signed === undefined) left.push('This browser cannot check Ed25519 signatures.');
    else
      check(
        name,
        signed,
        'no published key has signed this: the paper was changed, or is not from this service',
      );
  }
  if (file) {
    if (link)
      check(
        'Code and file',
        (await sha256(file.text)) === link.paper.sha256,
        'the file is another statement than the printed one, or was changed',
      );
    else if (!file.signature)
      left.push(
        'A file of JSON does not carry its signature: open this page by the code of the paper, and add the file.',
      );
    checkSums(file.paper, check);
  } else if (link.paper.format === 'karat.statement-seal/1') {
    left.push(
      'The entries are not in the code. Add the same statement as JSON or CSV to check each of them.',
    );
  }
  if (link?.paper.kind === 'redemption' || link?.paper.kind === 'trade')
    left.push('Names of persons are not part of what is signed. Compare them with a document.');
  const paper = file?.paper ?? link.paper;
  if (!chain) left.push('No Solana node was named, so the amounts were not compared with the chain.');
  else if (paper.format !== 'karat.statement-seal/1') {
    const count = await compareWithChain(paper, chain, check);
    if (count > maxCompared)
      left.push(`Only the first ${maxCompared} of ${count} transactions were compared with the chain.`);
    if (paper.lines) left.push("Customers' own wallets were not compared with the chain.");
  }
  left.push('Whether the metal is in the vault is not proven here: see the reserves.');
  return left;
}

/** Returns what calls methods of a Solana node. It throws what the node refuses, and when it does not respond in 15 s. */
export function callsOf(url) {
  return async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(15_000),
    }).catch(() => {
      throw new Error('The Solana node does not respond.');
    });
    const { result, error } = await response.json().catch(() => {
      throw new Error('This address is no Solana node.');
    });
    if (error) throw new Error(`The Solana node refuses it: ${error.message}`);
    return result;
  };
}
