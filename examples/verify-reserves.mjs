// Verifies Karat's statements of its reserves, with nothing but Node: node verify-reserves.mjs <source> [options]
//   <source>        address of a Karat service, or a folder that --save has written
//   --key HEX       the public key that must have signed every statement (default: that of the first one)
//   --statement ID  check the bars of this statement (default: the newest)
//   --rpc URL       compare the newest statement with what a Solana node has, too
//   --save FOLDER   write what was read to a folder, to verify it without a network later
// Prints a line for each thing checked. Exits with 1 when one is not right, with 2 when it could not be checked.
// The page /reserves runs `verifyReserves` of this file in the browser, which has no modules of Node.

const utf8 = new TextEncoder();
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** RFC 8785, for the strings, whole numbers, booleans and nulls that statements are made of. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** A plain decimal as a whole number of 10^-places. */
function units(text, places) {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > places) throw new Error(`${text} is not a decimal`);
  return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
}

/**
 * Verifies `statements` as /v1/reserves/statements lists them, and the bars of one, which `barsOf(id)` reads. `check(name, ok,
 * problem)` gets each result. `call(method, ...params)` asks a Solana node. `hashAll` is SHA-256 of each of a list of bytes, and
 * `isSigned(bytes, signature, key)` Ed25519; both may return promises. Returns the statement whose bars were checked.
 */
export async function verifyReserves({ statements, barsOf, ...options }, { hashAll, isSigned }, check) {
  const { key = statements[0]?.public_key, id, call } = options;
  let previous = null;
  for (const [index, { statement, hash, ...signed }] of statements.entries()) {
    const its = (name, ok, problem) =>
      check(`statement ${statement.sequence} of ${statement.made_at}: ${name}`, ok, problem);
    const bytes = utf8.encode(canonical(statement));
    const signedBy = (key, signature) => isSigned(bytes, fromBase64(signature), fromHex(key));
    its('hash', toHex((await hashAll([bytes]))[0]) === hash, 'the statement is not what was hashed');
    its('signature', await signedBy(key, signed.signature), 'it is not signed by the key of the statements');
    its('key', signed.public_key === key, `it names another key, ${signed.public_key}`);
    for (const { public_key, signature } of signed.countersignatures ?? [])
      its(`countersignature of ${public_key}`, await signedBy(public_key, signature), 'it is not valid');
    its('place', statement.sequence === index + 1, `number ${index + 1} is missing`);
    its('predecessor', statement.previous === previous, 'the one before was rewritten or left out');
    previous = hash;
  }
  const chosen = id ? statements.find(({ statement }) => statement.statement_id === id) : statements.at(-1);
  check('statements: there is one', Boolean(chosen), 'nothing is published, or not that one');
  if (!chosen) return undefined;
  const { statement } = chosen;
  const weighed = await checkBars((await barsOf(statement.statement_id)).bars, statement, hashAll, check);
  checkSums(weighed, statement, check);
  if (call) await compareWithChain(statements.at(-1).statement, call, check);
  return statement;
}

/** Checks the order of the bars, their Merkle root (RFC 6962) and sums. Returns their troy ounces. */
async function checkBars(bars, { bars: said }, hashAll, check) {
  const bytesOf = (text) => toHex(utf8.encode(text));
  const keys = bars.map(({ refiner, serial }) => `${bytesOf(refiner)} ${bytesOf(serial)}`);
  const twice = bars[keys.findIndex((key, index) => index > 0 && keys[index - 1] >= key)];
  const misplaced = `${twice?.refiner} ${twice?.serial} is listed twice or out of place`;
  check('bars: sorted, none twice', !twice, misplaced);
  const escaped = (field) => field.replace(/[\\|]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r');
  const line = ({ refiner, serial, weight_g, fineness, vault }) =>
    [refiner, serial, weight_g, fineness, vault].map(escaped).join('|');
  let level = await hashAll(bars.map((bar) => utf8.encode(`\0${line(bar)}`)));
  while (level.length > 1) {
    const lefts = level.filter((_, at) => at % 2 === 0 && at + 1 < level.length);
    const pairs = lefts.map((left, at) => Uint8Array.of(1, ...left, ...level[2 * at + 1]));
    level = [...(await hashAll(pairs)), ...(level.length % 2 === 1 ? level.slice(-1) : [])];
  }
  const root = toHex(level[0] ?? (await hashAll([new Uint8Array()]))[0]);
  check('bars: Merkle root', root === said.merkle_root, 'a bar was added, removed or changed');
  let [gross, fine] = [0n, 0n];
  for (const { weight_g, fineness } of bars) {
    gross += units(weight_g, 7);
    fine += units(weight_g, 7) * units(fineness, 3);
  }
  const ounces = (fine * 1_000_000n) / 311_034_768_000_000n;
  const { in_stock, reserved } = said.by_status;
  const held = in_stock.count + reserved.count;
  check('bars: count', bars.length === said.count, `the list has ${bars.length}`);
  check('bars: gross weight', gross === units(said.gross_weight_g, 7), 'it is not the sum of the bars');
  check('bars: fine weight', fine === units(said.fine_weight_g, 13), 'it is not the sum of the bars');
  check('bars: troy ounces', ounces === units(said.fine_weight_oz, 6), 'they are not the fine weight');
  check('bars: by status', held === said.count, 'in stock and reserved are not all that is held');
  return ounces;
}

/** Checks the sums of a statement, and that the gold covers the tokens. */
function checkSums(ounces, { assertion, attestation, coverage, tokens }, check) {
  const supply = units(tokens.supply, 6);
  const difference = ounces - supply;
  const rest = supply - units(tokens.treasury, 6) - units(tokens.escrow, 6) === units(tokens.circulating, 6);
  const [held, owed] = [units(tokens.escrow, 6), units(tokens.escrow_open, 6)];
  const word = difference >= 0n ? 'COVERED' : 'NOT COVERED';
  check('tokens: circulating', rest, 'it is not the supply without treasury and escrow');
  check('tokens: escrow', held >= owed, 'open redemptions need more than escrow holds');
  check('tokens: attested', supply <= units(attestation.amount, 6), 'more exist than gold is attested');
  check('coverage: gold held', units(coverage.gold_held, 6) === ounces, 'it is not what the bars weigh');
  check('coverage: tokens', units(coverage.tokens_outstanding, 6) === supply, 'it is not the supply');
  check('coverage: difference', units(coverage.difference, 6) === difference, 'it is not gold less tokens');
  check('coverage: assertion', assertion.startsWith(`${word}:`), `it should begin with ${word}`);
  check('coverage: the gold covers the tokens', difference >= 0n, `${-difference} base units are missing`);
}

/** Compares a statement with what a node has finalized: the places of the fields are those of docs/program.md. */
async function compareWithChain({ network, tokens }, call, check) {
  const { config, reserve, treasury, escrow } = network.accounts;
  const genesis = await call('getGenesisHash');
  check('chain: network', genesis === network.genesis_hash, 'the node is on another network');
  const addresses = [network.gold_mint, config, reserve, treasury, escrow];
  const finalized = { commitment: 'finalized', encoding: 'base64' };
  const { value } = await call('getMultipleAccounts', addresses, finalized);
  check('chain: accounts', value.every(Boolean), 'an account is missing');
  if (!value.every(Boolean)) return;
  const [mint, settings, attested, inventory, held] = value.map(({ data }) => fromBase64(data[0]));
  const address = (bytes, at) => base58(bytes.subarray(at, at + 32));
  const amount = (bytes, at) => new DataView(bytes.buffer).getBigUint64(at, true);
  const ours = value.slice(1, 3).every(({ owner }) => owner === network.program_id);
  check('chain: program', ours, 'the accounts are not those of the program');
  const named = [200, 232, 296, 392].map((at) => address(settings, at)).join();
  const said = [network.gold_mint, network.mint_authority, treasury, escrow].join();
  check('chain: configuration', named === said, 'the program names another mint, treasury or escrow');
  const minter = mint[0] === 1 ? address(mint, 4) : 'none';
  check('chain: mint authority', minter === network.mint_authority, `${minter} may mint, past the program`);
  const supply = amount(mint, 36);
  const more = supply - units(tokens.supply, 6);
  check('chain: supply', more <= 0n, `${more} base units more: minted since, or past the program`);
  check('chain: attested', supply <= amount(attested, 8), 'more tokens exist than gold is attested');
  check('chain: treasury', address(inventory, 32) === network.mint_authority, 'it has another owner');
  const owed = amount(settings, 804);
  check('chain: escrow', amount(held, 64) >= owed, 'it holds less than open redemptions need');
}

function base58(bytes) {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let [text, number] = ['', BigInt(`0x${toHex(bytes)}`)];
  for (; number > 0n; number /= 58n) text = letters[number % 58n] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

async function main() {
  const { createHash, createPublicKey, verify } = process.getBuiltinModule('node:crypto');
  const { mkdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const { parseArgs } = process.getBuiltinModule('node:util');
  const names = ['key', 'statement', 'rpc', 'save'];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [source] = positionals;
  if (!source) throw new Error('give the address of a Karat service, or a folder that --save has written');
  const read = async (path, file) => {
    if (!/^https?:\/\//.test(source)) return JSON.parse(readFileSync(`${source}/${file}`, 'utf8'));
    const response = await fetch(new URL(path, source));
    if (!response.ok) throw new Error(`${path} is ${response.status}`);
    const text = await response.text();
    if (values.save) mkdirSync(values.save, { recursive: true });
    if (values.save) writeFileSync(`${values.save}/${file}`, text);
    return JSON.parse(text);
  };
  const call = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const { result, error } = await (await fetch(values.rpc, { method: 'POST', headers, body })).json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const jwk = (key) => ({ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') });
  const tools = {
    hashAll: (all) => all.map((bytes) => createHash('sha256').update(bytes).digest()),
    isSigned: (bytes, signature, key) =>
      verify(null, bytes, createPublicKey({ key: jwk(key), format: 'jwk' }), signature),
  };
  let failures = 0;
  const check = (name, ok, problem) => {
    if (!ok) failures += 1;
    console.log(ok ? `ok   ${name}` : `FAIL ${name}: ${problem}`);
  };
  const { statements } = await read('/v1/reserves/statements', 'statements.json');
  const barsOf = (id) => read(`/v1/reserves/statements/${id}/bars`, `${id}.json`);
  const what = { key: values.key, id: values.statement, call: values.rpc && call };
  const verified = await verifyReserves({ statements, barsOf, ...what }, tools, check);
  console.log(failures === 0 ? `\n${verified.assertion}` : `\n${failures} of the checks above failed.`);
  process.exitCode = failures === 0 ? 0 : 1;
}

// A page into which Vite has built this file only imports it.
if (!import.meta.env)
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 2;
  });
