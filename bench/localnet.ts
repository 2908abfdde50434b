/**
 * How quick localnet is and where the time goes: transfers through HTTP into a node of its own process, the steps of one
 * transfer, a page of signatures out of a million, accounts by index, and what a transaction costs in memory.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { TOKEN_PROGRAM } from '../packages/localnet/src/addresses.js';
import { encodeBase58, requireAddressBytes } from '../packages/localnet/src/base58.js';
import { Chain } from '../packages/localnet/src/chain.js';
import { derivedKeyPair } from '../packages/localnet/src/faucet.js';
import { Faults } from '../packages/localnet/src/faults.js';
import type { HistoryEntry } from '../packages/localnet/src/history.js';
import { Localnet } from '../packages/localnet/src/index.js';
import { Pubsub } from '../packages/localnet/src/pubsub.js';
import { paramsOf } from '../packages/localnet/src/rpc/arity.js';
import { decodeTransactionParam, sanitize } from '../packages/localnet/src/rpc/decode.js';
import { nodeMethods } from '../packages/localnet/src/rpc/index.js';
import { RpcServer } from '../packages/localnet/src/server.js';
import { newTokenAccountData } from '../packages/localnet/src/token.js';
import { signaturesAreValid } from '../packages/localnet/src/wire.js';
import { fundedSigner, SOL, sign, transfer } from '../packages/localnet/test/harness.js';

const transfers = 4_000;
const connections = 8;
const ROUNDS = 8;
const bin = fileURLToPath(new URL('../packages/localnet/bin/karat-localnet.mjs', import.meta.url));

async function call(
  agent: Agent,
  url: string,
  method: string,
  params: unknown[],
): Promise<{ result?: unknown }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return await new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function spread<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
    }),
  );
}

/** A chain of this process behind HTTP. */
async function serve(chain: Chain) {
  const faults = new Faults();
  const methods = (name: string, params: unknown) => {
    const method = nodeMethods[name];
    return method && (() => method({ chain, faults, listening: {} }, paramsOf(name, params)));
  };
  const pubsub = new Pubsub(chain);
  const server = await RpcServer.start({ host: '127.0.0.1', rpcPort: 0, faults, pubsub, call: methods });
  const agent = new Agent({ keepAlive: true });
  return {
    url: `http://127.0.0.1:${server.rpcPort}`,
    agent,
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server.stop();
    },
  };
}

/** Does some work again and again; prints how long it took, and how long of that on the processor. */
async function measure<T>(
  what: string,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const milliseconds: number[] = [];
  const cpu = process.cpuUsage();
  for (const item of items) {
    const started = performance.now();
    await work(item);
    milliseconds.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(cpu);
  milliseconds.sort((one, other) => one - other);
  const median = milliseconds[Math.floor(milliseconds.length / 2)];
  console.log(
    `${what}: ${median?.toFixed(1)} ms in the median, ${milliseconds[0]?.toFixed(1)} at least, ` +
      `${((user + system) / 1000 / items.length).toFixed(1)} ms of processor time, the caller's included`,
  );
}

test('transfers a second through HTTP, with preflight, into a node with a ledger', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
  const child = spawn(process.execPath, [bin, '--rpc-port', '0', '--ledger', folder]);
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const url = await new Promise<string>((resolve) =>
    child.stdout.on('data', (text) => {
      const found = /JSON-RPC {3}(\S+)/.exec(String(text))?.[1];
      if (found) resolve(found);
    }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { generateKeyPairSigner } = await import('@solana/kit');
  const payer = await generateKeyPairSigner();
  await call(agent, url, 'requestAirdrop', [payer.address, 1_000_000_000_000]);
  const times: number[] = [];
  const config = { encoding: 'base64', preflightCommitment: 'processed' };
  let seconds = 0;
  // In rounds, since a blockhash is good for a minute and a busy machine may take longer than that for all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    const signed = await Promise.all(
      Array.from({ length: transfers / ROUNDS }, (_, i) =>
        sign({ rpcUrl: url } as Localnet, payer, [
          transfer(payer, payer.address, BigInt(round * transfers + i)),
        ]),
      ),
    );
    const started = performance.now();
    await spread(signed, connections, async ({ wire, signature }) => {
      const sent = performance.now();
      expect((await call(agent, url, 'sendTransaction', [wire, config])).result).toBe(signature);
      times.push(performance.now() - sent);
    });
    seconds += (performance.now() - started) / 1000;
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(
    `${transfers} transfers through HTTP, ${connections} at a time: ${Math.round(transfers / seconds)} a second, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  );
  const [utime, stime] =
    readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
  // In ticks of 10 ms; what other programs take away does not count.
  const cpuMs = (Number(utime) + Number(stime)) * 10;
  console.log(
    `the node took ${(cpuMs / transfers).toFixed(2)} ms of processor time for each, its start included`,
  );
  agent.destroy();
});

test('where the time of a transfer goes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
  await using node = await Localnet.start({ rpcPort: 0, slotMs: 3_600_000 });
  const payer = await fundedSigner(node, 1_000n * SOL);
  const chain = new Chain({
    ledger: folder,
    slotMs: 3_600_000,
    historyTransactions: 100_000,
    historySlots: 1_000,
  });
  chain.airdrop(payer.address, 1_000n * SOL);
  const blockhash = chain.blockhashes.at(chain.slot);
  const count = 1_000;
  const signed = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      sign(node, payer, [transfer(payer, payer.address, BigInt(i))], { blockhash }),
    ),
  );
  const spent = new Map<string, number>();
  // Time on the processor: how busy the machine is otherwise must not decide.
  const time = <T>(step: string, work: () => T): T => {
    const started = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(started);
    spent.set(step, (spent.get(step) ?? 0) + user + system);
    return result;
  };
  for (const { wire } of signed) {
    const transaction = time('decode', () => decodeTransactionParam(wire, 'base64'));
    const loaded = time('sanitize', () =>
      sanitize(transaction, chain.slot, (address) => chain.vm.getAccount(address)),
    );
    time('verify signatures', () => expect(signaturesAreValid(transaction)).toBe(true));
    time('preflight (simulate)', () => expect(chain.simulate(transaction, loaded).err).toBeNull());
    time('execute, record, write', () => expect(chain.land(transaction, loaded).landed).toBeDefined());
  }
  for (const [step, microseconds] of spent)
    console.log(`${step.padEnd(26)}${(microseconds / count).toFixed(0).padStart(6)} µs`);
  spent.clear();
  for (let i = 0; i < 100; i += 1) time('a new slot', () => chain.advance(1));
  console.log(
    `${'a new slot'.padEnd(26)}${((spent.get('a new slot') ?? 0) / 100).toFixed(0).padStart(6)} µs`,
  );
  chain.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A text that has the form of a signature. */
function numbered(i: number): string {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(i + 1, 60);
  return encodeBase58(bytes);
}

test('a page of 1,000 signatures out of 1,000,000', async () => {
  const chain = new Chain({ slotMs: 3_600_000, historyTransactions: 1_000_000, historySlots: 1_000 });
  const key = chain.identity.address;
  chain.airdrop(key, SOL);
  const [one] = chain.history.inSlot(chain.slot);
  if (!one) throw new Error('the airdrop did not land');
  const total = 1_000_000;
  for (let i = 0; i < total; i += 1) {
    const entry: HistoryEntry = {
      ...one,
      slot: 1 + Math.floor(i / 100_000),
      index: i % 100_000,
      signature: numbered(i),
    };
    chain.history.add(entry);
  }
  chain.advance(31);
  await using server = await serve(chain);
  const rounds = Array.from({ length: 20 }, (_, round) => Math.floor((total / 21) * (round + 1)));
  await measure(`1,000 of ${total} signatures through HTTP`, rounds, async (place) => {
    const params = [key, { before: numbered(place) }];
    const { result } = await call(server.agent, server.url, 'getSignaturesForAddress', params);
    expect(result).toHaveLength(1_000);
  });
});

test('token accounts by owner and by mint among 10,000', async () => {
  const chain = new Chain({ slotMs: 3_600_000, historyTransactions: 1_000, historySlots: 1_000 });
  const keys = Array.from({ length: 10_200 }, (_, i) => derivedKeyPair(Buffer.from(`${i}`), 'key').address);
  const [mints, owners] = [keys.slice(0, 100), keys.slice(100, 200)];
  const rest = { lamports: 2_039_280n, owner: TOKEN_PROGRAM, executable: false };
  mints.forEach((mint, row) => {
    owners.forEach((owner, column) => {
      const [mintBytes, ownerBytes] = [requireAddressBytes(mint), requireAddressBytes(owner)];
      const data = newTokenAccountData(mintBytes, ownerBytes, TOKEN_PROGRAM);
      const address = keys[200 + row * 100 + column] ?? '';
      chain.writeAccounts([{ address, state: { ...rest, data: new Uint8Array(data) } }]);
    });
  });
  await using server = await serve(chain);
  for (const [offset, wanted] of [
    [32, owners],
    [0, mints],
  ] as const) {
    const what = `100 of 10,000 token accounts by ${offset === 0 ? 'mint' : 'owner'} through HTTP`;
    await measure(what, wanted.slice(0, 20), async (bytes) => {
      const filters = [{ dataSize: 165 }, { memcmp: { offset, bytes } }];
      const params = [TOKEN_PROGRAM, { encoding: 'base64', filters }];
      const { result } = await call(server.agent, server.url, 'getProgramAccounts', params);
      expect(result).toHaveLength(100);
    });
  }
});

interface Memory {
  transactions: number;
  openedMs: number;
  rssBeforeMib: number;
  rssMib: number;
  peakMib: number;
  bytesEach: number;
}

/** Runs a chain in a process of its own and gives what it took of memory. */
function memoryOf(...args: string[]): Memory {
  const script = fileURLToPath(new URL('../packages/localnet/test/memory-process.ts', import.meta.url));
  const options = ['--conditions=source', '--import', 'tsx', '--expose-gc', script];
  return JSON.parse(execFileSync(process.execPath, [...options, ...args], { encoding: 'utf8' }));
}

test('memory of a full window of 100,000 transactions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
  const tell = (what: string, { transactions, rssBeforeMib, rssMib, peakMib, bytesEach }: Memory) =>
    console.log(
      `${what}: ${rssBeforeMib} MiB before, ${rssMib} MiB with ${transactions} transactions (${peakMib} at most), ${bytesEach} bytes each`,
    );
  tell('in memory     ', memoryOf('100000', '100000'));
  tell('with a ledger ', memoryOf('100000', '100000', folder));
  const opened = memoryOf('0', '100000', folder);
  console.log(`opened again in ${opened.openedMs} ms: ${opened.rssMib} MiB (${opened.peakMib} at most)`);
  rmSync(folder, { recursive: true, force: true });
});

test('memory of five windows of 20,000 transactions', async () => {
  for (const transactions of ['20000', '100000']) {
    const { rssMib, peakMib } = memoryOf(transactions, '20000');
    console.log(`a window of 20,000 after ${transactions}: ${rssMib} MiB (${peakMib} at most)`);
  }
});
