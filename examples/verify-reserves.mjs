// Verifies Karat's statements of its reserves, with nothing but Node: node verify-reserves.mjs <source> [options]
//   <source>        address of a Karat service, or a folder that --save has written
//   --key HEX       a public key that may sign, 64 digits; repeatable, after a rotation (default: that of the first statement)
//   --mint ADDRESS  the mint of GOLD that the statements must name
//   --statement ID  check the bars of this statement (default: the newest)
//   --rpc URL       compare the newest statement with what a Solana node has, too
//   --save FOLDER   write what was read to a folder, to verify it without a network later, whatever its age
// Prints a line for each thing checked. Exits with 1 when one is not right, with 2 when there was nothing to check.
// The page /reserves runs `verifyReserves` in the browser: Vite, which builds it, sets `import.meta.env`.

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

/** Returns the public keys in a text, between which are spaces or commas. Throws for anything else that is in it. */
export function readKeys(text) {
  const words = text.split(/[\s,]+/).filter(Boolean);
  const wrong = words.find((word) => !/^[0-9a-f]{64}$/i.test(word));
  if (wrong !== undefined || words.length === 0)
    throw new Error(`"${wrong ?? text}" is no public key: each has 64 hexadecimal digits`);
  return words.map((word) => word.toLowerCase());
}

/** Returns the keys to trust, and why: those that were named, or else the one that signed the first statement. */
export function trustedKeys(named, statements) {
  if (named) return { keys: named, why: `you named ${named.length > 1 ? 'them' : 'it'}` };
  const why =
    'it signed the first statement, and you named none: compare it with what Karat publishes elsewhere';
  return { keys: [statements[0]?.public_key], why };
}

/** Returns what calls methods of a Solana node. It throws what the node refuses, and when it does not respond in 15 s. */
export function callsOf(url) {
  return async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(15_000);
    const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(
      ({ message, cause }) => {
        throw new Error(`it does not respond (${cause?.message || message})`);
      },
    );
    const { result, error } = await response.json().catch(() => {
      throw new Error(`it is no Solana node (its response is ${response.status} and no JSON)`);
    });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
}

/**
 * Verifies `statements` as /v1/reserves/statements lists them, signed by some of `keys`, and the bars of one, which `barsOf(id)`
 * reads. `check(name, ok, problem)` gets each result; `call(method, ...params)` asks a Solana node; `now` limits the age. `hashAll`
 * is SHA-256 of each of a list of bytes, `isSigned(bytes, signature, key)` Ed25519. Returns the statement whose bars were checked.
 */
export async function verifyReserves(what, { hashAll, isSigned }, check) {
  const { statements, barsOf, id, keys, call, now, mint } = what;
  const attempt = (name, work) => work().catch(({ message }) => check(name, false, message));
  const networkOf = ({ network }) => canonical({ ...network, slot: 0 });
  const checkOne = async (signed, previous, its) => {
    const { statement, hash, countersignatures } = signed;
    const bytes = utf8.encode(canonical(statement));
    const before = previous?.statement ?? { ...statement, sequence: 0 };
    const isLater = Date.parse(statement.made_at) >= Date.parse(before.made_at);
    its('hash', toHex((await hashAll([bytes]))[0]) === hash, 'the statement is not what was hashed');
    its('key', keys.includes(signed.public_key), `${signed.public_key} is not one that you trust`);
    for (const { public_key, signature } of [signed, ...countersignatures]) {
      const isBy = await isSigned(bytes, fromBase64(signature), fromHex(public_key));
      its(`signature of ${public_key.slice(0, 8)}`, isBy, 'it is not valid');
    }
    its('predecessor', statement.previous === (previous?.hash ?? null), 'the one before is not that one');
    its('place', statement.sequence === before.sequence + 1, `number ${before.sequence + 1} is missing`);
    its('network', networkOf(statement) === networkOf(before), 'it is not that of the one before');
    its('time', isLater && statement.network.slot >= before.network.slot, 'it is before the one before');
  };
  for (const [index, signed] of statements.entries()) {
    const title = `statement ${signed.statement?.sequence} of ${signed.statement?.made_at}`;
    const its = (name, ok, problem) => check(`${title}: ${name}`, ok, problem);
    await attempt(`${title}: form`, () => checkOne(signed, statements[index - 1], its));
  }
  const newest = statements.at(-1)?.statement;
  const statement = id ? statements.find((one) => one.statement.statement_id === id)?.statement : newest;
  check('statements: there is one', Boolean(statement), 'nothing is published, or not that one');
  if (!statement) return undefined;
  check('statements: mint', [undefined, newest.network.gold_mint].includes(mint), 'it is another one');
  check('statements: age', !now || now - Date.parse(newest.made_at) < 108e6, 'none is from the last 30 h');
  const { bars } = await barsOf(statement.statement_id);
  await attempt('bars: form', () => checkBars(bars, statement, hashAll, check));
  if (call) await attempt('chain: node', () => compareWithChain(newest, call, check));
  return statement;
}

/** Checks the order of the bars, their Merkle root (RFC 6962) and all sums. */
async function checkBars(bars, { bars: said, ...rest }, hashAll, check) {
  const bytesOf = (text) => toHex(utf8.encode(text));
  const keys = bars.map(({ refiner, serial }) => `${bytesOf(refiner)} ${bytesOf(serial)}`);
  const twice = bars[keys.findIndex((key, index) => index > 0 && keys[index - 1] >= key)];
  check('bars: sorted, none twice', !twice, twice && `${twice.refiner} ${twice.serial} is not in its place`);
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
  const sum = (weigh) => bars.reduce((all, bar) => all + weigh(bar), 0n);
  const gross = sum(({ weight_g }) => units(weight_g, 7));
  const fine = sum(({ weight_g, fineness }) => units(weight_g, 7) * units(fineness, 3));
  const ounces = (fine * 1_000_000n) / 311_034_768_000_000n;
  const { in_stock, reserved } = said.by_status;
  const isSum = gross === units(said.gross_weight_g, 7) && fine === units(said.fine_weight_g, 13);
  check('bars: count', bars.length === said.count, `the list has ${bars.length}`);
  check('bars: weight', isSum, 'gross and fine weight are not the sums of the bars');
  check('bars: troy ounces', ounces === units(said.fine_weight_oz, 6), 'they are not the fine weight');
  check('bars: by status', in_stock.count + reserved.count === said.count, 'they are not all that is held');
  checkSums(ounces, rest, check);
}

/** Checks the sums of a statement, and that the gold covers the tokens. */
function checkSums(ounces, { assertion, attestation, coverage, tokens }, check) {
  const of = (name) => units(tokens[name], 6);
  const [supply, awaiting] = [of('supply'), of('awaiting_burn')];
  const outstanding = supply - awaiting;
  const difference = ounces - outstanding;
  const rest = supply - of('treasury') - of('escrow') === of('circulating');
  const attested = units(attestation.amount, 6) - (of('burned') - units(attestation.burned_at_as_of, 6));
  const word = difference >= 0n ? 'COVERED' : 'NOT COVERED';
  check('tokens: circulating', rest, 'it is not the supply without treasury and escrow');
  check('tokens: escrow', of('escrow') >= of('escrow_open'), 'redemptions need more');
  check('tokens: awaiting burn', of('escrow_open') >= awaiting, 'escrow does not hold them');
  check('tokens: attested', supply <= attested, 'more exist than is attested, less burns');
  check('coverage: gold held', units(coverage.gold_held, 6) === ounces, 'it is not what the bars weigh');
  check('coverage: tokens', units(coverage.tokens_outstanding, 6) === outstanding, 'it is not the supply');
  check('coverage: difference', units(coverage.difference, 6) === difference, 'it is not gold less tokens');
  check('coverage: assertion', assertion.startsWith(`${word}:`), `it should begin with ${word}`);
  check('coverage: the gold covers the tokens', difference >= 0n, `${-difference} base units are missing`);
}

/** Compares a statement with what a node has finalized: the places of the fields are those of docs/program.md. */
async function compareWithChain({ network, tokens }, call, check) {
  const { config, treasury, escrow } = network.accounts;
  check('chain: network', (await call('getGenesisHash')) === network.genesis_hash, 'the node is on another');
  const addresses = [network.gold_mint, config, treasury, escrow];
  const finalized = { commitment: 'finalized', encoding: 'base64' };
  const { value } = await call('getMultipleAccounts', addresses, finalized);
  check('chain: accounts', value.every(Boolean), 'an account is missing');
  if (!value.every(Boolean)) return;
  const [mint, settings, inventory, held] = value.map(({ data }) => fromBase64(data[0]));
  const address = (bytes, at) => base58(bytes.subarray(at, at + 32));
  const amount = (bytes, at) => new DataView(bytes.buffer).getBigUint64(at, true);
  check('chain: program', value[1].owner === network.program_id, 'the configuration is not of the program');
  const named = [272, 304, 368, 464].map((at) => address(settings, at)).join();
  const said = [network.gold_mint, network.mint_authority, treasury, escrow].join();
  check('chain: configuration', named === said, 'the program names another mint, treasury or escrow');
  const minter = mint[0] === 1 ? address(mint, 4) : 'none';
  const [supply, more] = [amount(mint, 36), amount(mint, 36) - units(tokens.supply, 6)];
  check('chain: mint authority', minter === network.mint_authority, `${minter} may mint, past the program`);
  check('chain: supply', more <= 0n, `${more} base units more: minted since, or past the program`);
  const backed = amount(settings, 944) - (amount(settings, 1_000) - amount(settings, 960));
  check('chain: attested', supply <= backed, 'more tokens exist than is attested, less burns');
  check('chain: treasury', address(inventory, 32) === network.mint_authority, 'it has another owner');
  check('chain: escrow', amount(held, 64) >= amount(settings, 1_008), 'open redemptions need more');
}

function base58(bytes) {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let [text, number] = ['', BigInt(`0x${toHex(bytes)}`)];
  for (; number > 0n; number /= 58n) text = letters[number % 58n] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

async function main() {
  process.exitCode = 2;
  const [crypto, fs, util] = ['crypto', 'fs', 'util'].map((name) => process.getBuiltinModule(`node:${name}`));
  const one = { type: 'string' };
  const options = { key: { ...one, multiple: true }, mint: one, statement: one, rpc: one, save: one };
  const { values, positionals } = util.parseArgs({ allowPositionals: true, options });
  const [source] = positionals;
  if (!source) throw new Error('give the address of a Karat service, or a folder that --save has written');
  const named = values.key && readKeys(values.key.join(' '));
  if (values.save) fs.mkdirSync(values.save, { recursive: true });
  const online = /^https?:\/\//.test(source);
  const read = async (path, file) => {
    if (!online) return JSON.parse(fs.readFileSync(`${source}/${file}`, 'utf8'));
    const response = await fetch(new URL(path, source));
    if (!response.ok) throw new Error(`${path} is ${response.status}`);
    const text = await response.text();
    if (values.save) fs.writeFileSync(`${values.save}/${file}`, text);
    return JSON.parse(text);
  };
  const ed25519 = { kty: 'OKP', crv: 'Ed25519' };
  const keyOf = (key) => ({ key: { ...ed25519, x: Buffer.from(key).toString('base64url') }, format: 'jwk' });
  const tools = {
    hashAll: (all) => all.map((bytes) => crypto.createHash('sha256').update(bytes).digest()),
    isSigned: (bytes, signature, key) => crypto.verify(null, bytes, keyOf(key), signature),
  };
  let failures = 0;
  const check = (name, ok, problem) => {
    if (!ok) failures += 1;
    console.log(ok ? `ok   ${name}` : `FAIL ${name}: ${problem}`);
  };
  const { statements } = await read('/v1/reserves/statements', 'statements.json');
  const barsOf = (id) => read(`/v1/reserves/statements/${id}/bars`, `${id}.json`);
  const { statement: id, mint, rpc } = values;
  const { keys, why } = trustedKeys(named, statements);
  if (statements.length > 0) console.log(`Trusted: ${keys.join(', ')}, because ${why}.\n`);
  const what = { keys, id, mint, call: rpc && callsOf(rpc), now: online && Date.now() };
  const verified = await verifyReserves({ statements, barsOf, ...what }, tools, check);
  console.log(failures === 0 ? `\n${verified.assertion}` : `\n${failures} of the checks above failed.`);
  process.exitCode = failures === 0 ? 0 : 1;
}

const reasonOf = ({ message, cause }) => (cause ? `${message}: ${cause.message || cause.code}` : message);
if (!import.meta.env) main().catch((error) => console.error(`It could not be checked: ${reasonOf(error)}`));
