import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Localnet } from '@karat/localnet';
import { readLegacyTransaction, signatureBytes } from '@karat/wire';
import { type Address, createSolanaRpc, getAddressDecoder, getAddressEncoder } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { pieceBytes } from '../../src/actions/program/deploy-program.js';
import { headerBytes, programDataAddress, readBuffer, readProgram } from '../../src/chain/admin/loader.js';
import { formatDecimal, parseDecimal } from '../../src/domain/money.js';
import { newWallet, type Wallet } from '../harness.js';
import { type LyingNode, Refused, startLyingNode } from '../indexer/lying-node.js';
import { callKarat, type Env } from './run-karat.js';

/** What the operator's machine and a cluster are: key files, the built program, a node behind one whose responses bend. */
const multisig = readFileSync(new URL('../../../../program/tests/multisig.so', import.meta.url));
/** A small program, in as many pieces as show that they are written one by one. */
const so = Buffer.concat([multisig, randomBytes(20_000)]);
/** The same program with other bytes at its end, which no code lies in: what an upgrade brings. */
const newer = Buffer.concat([so, Buffer.from('a later version')]);
const sol = 1_000_000_000n;
const folder = mkdtempSync(join(tmpdir(), 'karat-deploy-'));
const pathOf = (name: string) => join(folder, name);
let node: Localnet;
let front: LyingNode;

beforeAll(async () => {
  node = await Localnet.start({ rpcPort: 0, slotMs: 50 });
  front = await startLyingNode(node.rpcUrl);
  writeProgram('old', so);
  writeProgram('new', newer);
});
afterAll(async () => {
  await front?.close();
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a program with its manifest, as a build does. */
function writeProgram(name: string, bytes: Uint8Array, manifest = { sha256: sha256(bytes) }): void {
  writeFileSync(pathOf(`${name}.so`), bytes);
  writeFileSync(pathOf(`${name}.so.json`), JSON.stringify(manifest));
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Keys of a program that is still to be deployed. */
let keys: Record<'program' | 'authority' | 'payer', Wallet>;
let env: Env;
beforeEach(() => {
  front.lie = undefined;
  keys = { program: newWallet(), authority: newWallet(), payer: newWallet() };
  for (const [name, { secretKey }] of Object.entries(keys)) {
    writeFileSync(pathOf(`${name}.json`), JSON.stringify([...secretKey]), { mode: 0o600 });
  }
  node.airdrop(keys.payer.address, 10n * sol);
  env = { KARAT_RPC_URL: front.url, KARAT_WS_URL: node.wsUrl, KARAT_PROGRAM_ID: keys.program.address };
});

const keyFile = (name: string) => [`--${name}-keypair`, pathOf(`${name.replace('upgrade-', '')}.json`)];
const deploy = (file: string, ...more: string[]) =>
  callKarat(['chain', 'deploy', '--file', pathOf(file), ...keyFile('payer'), ...more], env);
const handOver = (next: Address, ...more: string[]) =>
  callKarat(['chain', 'upgrade-authority', '--new', next, ...keyFile('payer'), ...more], env);
const byAuthority = keyFile('upgrade-authority');
const first = (...more: string[]) => deploy('old.so', ...keyFile('program'), ...byAuthority, ...more);

/** The result of a command that succeeds. */
async function resultOf(run: ReturnType<typeof callKarat>) {
  const { code, stdout, stderr } = await run;
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const chain = () => ({ rpc: createSolanaRpc(node.rpcUrl) });
const balanceOf = (address: Address) => node.getAccount(address)?.lamports ?? 0n;
const rentOf = (bytes: number) => chain().rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send();
const deployed = () => readProgram(chain(), keys.program.address);

/** The bytes of the deployed program that are not zeros at the end of its room. */
async function codeOnChain(length: number) {
  const code = (await deployed())?.code ?? new Uint8Array();
  expect(code.subarray(length).every((byte) => byte === 0)).toBe(true);
  return sha256(code.subarray(0, length));
}

test('deploy: a program is deployed, found as it is, and upgraded; the rent of buffers comes back', async () => {
  const plan = await resultOf(first('--plan', 'yes'));
  expect(plan).toEqual({
    ...{ act: 'deploy', program_address: keys.program.address, bytes: so.length, sha256: sha256(so) },
    ...{ upgrade_authority: keys.authority.address, payer: keys.payer.address },
    ...{ buffer: expect.any(String), writes: Math.ceil(so.length / pieceBytes) },
    cost_sol: expect.any(Object),
  });
  expect(await deployed()).toBeUndefined();

  const before = balanceOf(keys.payer.address);
  const made = await resultOf(first());
  expect(made).toEqual({ ...plan, tx_hash: expect.any(String) });
  expect(await codeOnChain(so.length)).toBe(sha256(so));
  const account = await deployed();
  expect([account?.authority, account?.code.length]).toEqual([keys.authority.address, 163_840]);
  // What it has cost is the rent of what stays, and fees.
  const paid = before - balanceOf(keys.payer.address);
  const fees =
    paid - balanceOf(await programDataAddress(keys.program.address)) - balanceOf(keys.program.address);
  const stays = paid - fees;
  expect(plan.cost_sol).toEqual({
    rent: formatDecimal(stays, 9),
    buffer: formatDecimal(await rentOf(headerBytes.buffer + so.length), 9),
    fees: expect.any(String),
  });
  // What is paid on top is the priority fee.
  const planned = parseDecimal(plan.cost_sol.fees, 9) ?? 0n;
  expect(planned).toBe(5_000n * BigInt(plan.writes + 5));
  expect(fees).toBeGreaterThanOrEqual(planned);
  expect(fees).toBeLessThan(2n * planned);

  const sent = front.calls.get('sendTransaction');
  expect(await resultOf(first())).toMatchObject({
    ...{ act: 'nothing', writes: 0, tx_hash: null },
    cost_sol: { rent: '0', buffer: '0', fees: '0' },
  });
  expect(front.calls.get('sendTransaction')).toBe(sent);

  const held = balanceOf(keys.payer.address);
  expect(await resultOf(deploy('new.so', ...byAuthority))).toMatchObject({
    ...{ act: 'upgrade', sha256: sha256(newer), upgrade_authority: keys.authority.address },
    tx_hash: expect.any(String),
  });
  expect(await codeOnChain(newer.length)).toBe(sha256(newer));
  expect(held - balanceOf(keys.payer.address)).toBeLessThan(5_000_000n);
  // And back again, to a shorter one.
  await resultOf(deploy('old.so', ...byAuthority));
  expect(await codeOnChain(so.length)).toBe(sha256(so));
});

/** Lets the node take only so many transactions more. */
function takeOnly(count: number): void {
  let left = count;
  front.lie = async ({ method }, ask) => {
    if (method !== 'sendTransaction') return ask();
    left -= 1;
    if (left < 0) throw new Refused(-32005, 'Node is unhealthy');
    return ask();
  };
}

test('deploy: an interrupted upload goes on where it stopped, and another file does not disturb it', async () => {
  takeOnly(16);
  const cut = await first();
  expect([cut.code, cut.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^service_unavailable: The buffer \w+ is not complete: the Solana node does not respond; run the command again, which goes on from where this one ended\.\n$/,
    ),
  ]);
  front.lie = undefined;
  const pieces = Math.ceil(so.length / pieceBytes);
  const { writes, buffer } = await resultOf(first('--plan', 'yes'));
  expect(writes).toBe(pieces - 15);
  const sent = front.calls.get('sendTransaction') ?? 0;
  await resultOf(first());
  // The rest of the pieces, the handing over of the buffer and the deployment.
  expect((front.calls.get('sendTransaction') ?? 0) - sent).toBe(writes + 2);
  expect(await codeOnChain(so.length)).toBe(sha256(so));
  expect(await readBuffer(chain(), buffer)).toBeUndefined();

  takeOnly(12);
  expect((await deploy('new.so', ...byAuthority)).code).toBe(1);
  front.lie = undefined;
  const third = Buffer.concat([newer, randomBytes(2_000)]);
  writeProgram('third', third);
  await resultOf(deploy('third.so', ...byAuthority));
  expect(await codeOnChain(third.length)).toBe(sha256(third));
  expect(await resultOf(deploy('new.so', ...byAuthority, '--plan', 'yes'))).toMatchObject({
    writes: Math.ceil(newer.length / pieceBytes) - 11,
  });
});

/** Makes `authority` the upgrade authority; without one the program is final. */
async function giveTo(authority: Address | undefined): Promise<void> {
  const data = await programDataAddress(keys.program.address);
  const account = node.getAccount(data);
  if (!account) throw new Error('no program');
  account.data[headerBytes.programData - 33] = authority ? 1 : 0;
  if (authority) account.data.set(getAddressEncoder().encode(authority), headerBytes.programData - 32);
  node.setAccount(data, account);
}

test('deploy: another holder of the upgrade authority gets the buffer and an unsigned upgrade', async () => {
  await resultOf(first());
  const multisig = newWallet();
  node.airdrop(multisig.address, sol);
  const calls = front.calls.get('sendTransaction');
  const plan = {
    program_address: keys.program.address,
    upgrade_authority: keys.authority.address,
    new_upgrade_authority: multisig.address,
  };
  for (const more of [byAuthority, []]) {
    expect(await resultOf(handOver(multisig.address, ...more, '--plan', 'yes'))).toEqual({
      act: 'hand_over',
      ...plan,
    });
  }
  expect((await handOver(multisig.address, ...byAuthority, '--plan', 'no')).stderr).toMatch(
    /^--plan must be/,
  );
  expect(front.calls.get('sendTransaction')).toBe(calls);
  expect((await deployed())?.authority).toBe(keys.authority.address);
  expect(await resultOf(handOver(multisig.address, ...byAuthority))).toEqual({
    ...{ program_address: keys.program.address, upgrade_authority: multisig.address },
    tx_hash: expect.any(String),
  });
  expect((await deployed())?.authority).toBe(multisig.address);
  // Handed over already: nothing is sent.
  expect(await resultOf(handOver(multisig.address, '--plan', 'yes'))).toMatchObject({ act: 'nothing' });
  expect(await resultOf(handOver(multisig.address))).toMatchObject({ tx_hash: null });

  const { transaction, buffer, ...rest } = await resultOf(deploy('new.so'));
  expect(rest).toMatchObject({ act: 'upgrade', tx_hash: null, signers: [multisig.address] });
  const written = await readBuffer(chain(), buffer);
  expect([written?.authority, sha256(written?.code ?? so)]).toEqual([multisig.address, sha256(newer)]);
  expect(await codeOnChain(so.length)).toBe(sha256(so));
  // A minute later: the same again, without a write.
  const sent = front.calls.get('sendTransaction');
  const renewed = await resultOf(deploy('new.so'));
  expect(front.calls.get('sendTransaction')).toBe(sent);

  const bytes = Buffer.from(renewed.transaction, 'base64');
  const { message, accounts } = readLegacyTransaction(bytes);
  const place = accounts.findIndex((key) => getAddressDecoder().decode(key) === multisig.address);
  bytes.set(multisig.signBytes(message), 1 + place * signatureBytes);
  await chain()
    .rpc.sendTransaction(bytes.toString('base64') as never, { encoding: 'base64' })
    .send();
  expect(await codeOnChain(newer.length)).toBe(sha256(newer));
  node.warp({ slots: 2 });
  expect(await resultOf(deploy('new.so'))).toMatchObject({ act: 'nothing' });
  expect(transaction).toEqual(expect.any(String));
});

test('deploy: upgrades are handed over to nothing that cannot sign for them', async () => {
  await resultOf(first());
  const sent = front.calls.get('sendTransaction');
  const refusal = async (next: Address, ...more: string[]) => (await handOver(next, ...more)).stderr;
  const empty = newWallet().address;
  expect(await refusal(empty, ...byAuthority)).toMatch(
    /^transition_not_allowed: \w+ has no account on chain: a wallet, or the vault of a multisig, belongs to the System program\./,
  );
  // The account of a multisig, say, instead of its vault.
  expect(await refusal(keys.program.address, ...byAuthority)).toMatch(
    /belongs to BPFLoaderUpgradeab1e1+: a wallet/,
  );
  expect(await refusal(keys.payer.address, '--upgrade-authority-keypair', pathOf('payer.json'))).toMatch(
    /^forbidden: The upgrade authority of the program \w+ is \w+, not \w+\./,
  );
  expect(await refusal('nothing' as Address)).toMatch(/^--new must be/);
  expect(front.calls.get('sendTransaction')).toBe(sent);
  // Without the key, others sign.
  expect(await resultOf(handOver(keys.payer.address))).toMatchObject({
    tx_hash: null,
    signers: [keys.authority.address],
  });
  expect((await deployed())?.authority).toBe(keys.authority.address);
});

test('deploy: an impossible deployment is refused before anything is sent, with what to do', async () => {
  const sent = () => front.calls.get('sendTransaction') ?? 0;
  const before = sent();
  const refusal = async (run: ReturnType<typeof callKarat>) => {
    const { code, stdout, stderr } = await run;
    return [code, stdout, stderr];
  };
  writeProgram('damaged', newer, { sha256: sha256(so) });
  writeFileSync(pathOf('unknown.so'), so);
  writeFileSync(pathOf('cut.so'), so);
  writeFileSync(pathOf('cut.so.json'), '{ "sha2');
  for (const [run, code, message] of [
    [deploy('nowhere.so', ...byAuthority), 2, /^--file: "[^"]+nowhere.so" cannot be read/],
    [
      deploy('damaged.so', ...byAuthority),
      1,
      /^\S+damaged.so" has the SHA-256 \w{64}, and \S+damaged.so.json" names \w{64}/,
    ],
    [deploy('cut.so', ...byAuthority), 1, /cut.so.json" names none: build it again/],
    [deploy('unknown.so', ...byAuthority), 2, /^--file: "[^"]+unknown.so.json" cannot be read/],
    [deploy('old.so', ...byAuthority), 1, /^forbidden: There is no program .* name --program-keypair FILE/],
    [
      deploy('old.so', ...keyFile('program')),
      1,
      /^forbidden: There is no program .* name --program-keypair FILE/,
    ],
    [first('--plan', 'no'), 2, /^--plan must be yes, or left out, not "no"/],
    [
      callKarat(['chain', 'deploy', '--file', pathOf('old.so')], env),
      2,
      /^--payer-keypair FILE is missing: give the key file of the payer/,
    ],
  ] as const) {
    expect(await refusal(run)).toEqual([code, '', expect.stringMatching(message)]);
  }
  const poor = { ...env };
  writeFileSync(pathOf('payer.json'), JSON.stringify([...keys.authority.secretKey]));
  node.airdrop(keys.authority.address, sol / 10n);
  expect(await refusal(first())).toEqual([
    1,
    '',
    expect.stringMatching(
      new RegExp(
        `^broadcast_failed: The chain rejected \\w+: .*${keys.authority.address} holds 0.\\d+ SOL and needs 0.1\\d+ SOL`,
      ),
    ),
  ]);
  env = { ...poor, KARAT_PROGRAM_ID: keys.authority.address };
  expect(await refusal(first())).toEqual([
    2,
    '',
    expect.stringMatching(/^--program-keypair holds the key of \w+, but KARAT_PROGRAM_ID is \w+/),
  ]);
  env = { ...env, KARAT_PROGRAM_ID: 'SysvarRent111111111111111111111111111111111' };
  expect((await deploy('old.so', ...byAuthority)).stderr).toMatch(/is not an upgradeable program/);
  // The one that the payer could not pay.
  expect(sent()).toBe(before + 1);
});

test('deploy: another key than the upgrade authority, a program that is too long, and a final one are refused', async () => {
  await resultOf(first());
  writeProgram('long', Buffer.concat([newer, randomBytes(163_840 + 15 - newer.length)]));
  const sent = front.calls.get('sendTransaction');
  const { address } = keys.authority;
  const stranger = ['--upgrade-authority-keypair', pathOf('payer.json')];
  expect((await deploy('new.so', ...stranger)).stderr).toBe(
    `forbidden: The upgrade authority of the program ${keys.program.address} is ${address}, not ${keys.payer.address}. Name its key file, or leave it out to get a transaction for others to sign.\n`,
  );
  expect((await deploy('long.so', ...byAuthority)).stderr).toMatch(
    /^transition_not_allowed: The program \w+ has too little room for the file: run solana program extend \w+ 15 first\.\n$/,
  );
  expect(front.calls.get('sendTransaction')).toBe(sent);
  await giveTo(undefined);
  expect((await deploy('new.so', ...byAuthority)).stderr).toBe(
    `forbidden: The program ${keys.program.address} is final and cannot be upgraded.\n`,
  );
});

test('deploy: a chain that does not hold the file afterwards is reported', async () => {
  const data = await programDataAddress(keys.program.address);
  front.lie = async ({ method, params }, ask) => {
    const response = await ask();
    if (method !== 'getAccountInfo' || params[0] !== data || !response.value) return response;
    const bytes = Buffer.from(response.value.data[0], 'base64');
    bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
    return { ...response, value: { ...response.value, data: [bytes.toString('base64'), 'base64'] } };
  };
  const run = await first();
  expect([run.code, run.stdout, run.stderr]).toEqual([
    1,
    '',
    expect.stringMatching(
      /^internal_error: The program at \w+ is not the file, although the transaction landed/,
    ),
  ]);
});

test('deploy: a buffer of another authority is refused before anything is written', async () => {
  takeOnly(5);
  expect((await first()).code).toBe(1);
  front.lie = undefined;
  const { buffer } = await resultOf(first('--plan', 'yes'));
  const account = node.getAccount(buffer);
  if (!account) throw new Error('no buffer');
  account.data.set(getAddressEncoder().encode(newWallet().address), headerBytes.buffer - 32);
  node.setAccount(buffer, account);
  const sent = front.calls.get('sendTransaction');
  expect((await first()).stderr).toMatch(
    /^transition_not_allowed: The buffer \w+ belongs to \w+: name another payer/,
  );
  expect(front.calls.get('sendTransaction')).toBe(sent);
});
