/**
 * How quick localnet is and where its time goes: transfers through HTTP into a node of its own process, the steps of one
 * transfer, a page of signatures out of a million, accounts by index, and what its history takes in memory.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeBase58 } from '@karat/wire';
import { generateKeyPairSigner } from '@solana/kit';
import { requireAddressBytes } from '../../packages/localnet/src/address-bytes.js';
import { TOKEN_PROGRAM } from '../../packages/localnet/src/addresses.js';
import { Chain } from '../../packages/localnet/src/chain.js';
import { derivedKeyPair } from '../../packages/localnet/src/faucet.js';
import { Faults } from '../../packages/localnet/src/faults.js';
import type { HistoryEntry } from '../../packages/localnet/src/history.js';
import { Localnet } from '../../packages/localnet/src/index.js';
import { Pubsub } from '../../packages/localnet/src/pubsub.js';
import { paramsOf } from '../../packages/localnet/src/rpc/arity.js';
import { decodeTransactionParam, sanitize } from '../../packages/localnet/src/rpc/decode.js';
import { nodeMethods } from '../../packages/localnet/src/rpc/index.js';
import { RpcServer } from '../../packages/localnet/src/server.js';
import { newTokenAccountData } from '../../packages/localnet/src/token.js';
import { signaturesAreValid } from '../../packages/localnet/src/wire.js';
import { fundedSigner, SOL, sign, transfer } from '../../packages/localnet/test/harness.js';
import { type BenchOptions, type Figure, median, percentile } from '../figures.js';
import { cpuSecondsOf, end } from '../machine.js';
import type { World } from '../world.js';

const connections = 8;
const rounds = 8;
const packages = new URL('../../packages/localnet/', import.meta.url);
/** The program itself, not what starts it: its processor time is measured. */
const program = [
  '--conditions=source',
  '--import',
  import.meta.resolve('tsx'),
  fileURLToPath(new URL('src/cli.ts', packages)),
];

export async function measure(_world: World, { quick }: BenchOptions): Promise<Figure[]> {
  return [
    ...(await measureTransfers(quick ? 800 : 4_000)),
    ...(await measureSteps(quick ? 200 : 1_000)),
    await measureSignatures(quick ? 100_000 : 1_000_000),
    ...(await measureTokenAccounts()),
    ...measureMemory(quick ? 10_000 : 100_000),
  ];
}

const figure = (name: string, value: number, unit: string, detail?: Record<string, unknown>): Figure => ({
  name: `localnet: ${name}`,
  value,
  unit,
  better: unit === 'a second' ? 'higher' : 'lower',
  ...(detail ? { detail } : {}),
});

async function call(
  agent: Agent,
  url: string,
  method: string,
  params: unknown[],
): Promise<{ result?: unknown }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Transfers with preflight into a node with a ledger, in rounds: a blockhash is good for a minute. */
async function measureTransfers(transfers: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
  const child = spawn(process.execPath, [...program, '--rpc-port', '0', '--ledger', folder]);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    const url = await new Promise<string>((resolve) =>
      child.stdout.on('data', (text) => {
        const found = /JSON-RPC {3}(\S+)/.exec(String(text))?.[1];
        if (found) resolve(found);
      }),
    );
    const payer = await generateKeyPairSigner();
    await call(agent, url, 'requestAirdrop', [payer.address, 1_000_000_000_000]);
    const taken: number[] = [];
    const config = { encoding: 'base64', preflightCommitment: 'processed' };
    let [seconds, cpuSeconds] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const signed = await Promise.all(
        Array.from({ length: transfers / rounds }, (_, i) =>
          sign({ rpcUrl: url } as Localnet, payer, [
            transfer(payer, payer.address, BigInt(round * transfers + i)),
          ]),
        ),
      );
      const [begun, cpu] = [performance.now(), cpuSecondsOf(child.pid ?? 0)];
      const lane = async () => {
        for (let next = signed.pop(); next; next = signed.pop()) {
          const sent = performance.now();
          const { result } = await call(agent, url, 'sendTransaction', [next.wire, config]);
          if (result !== next.signature) throw new Error('a transfer was refused');
          taken.push(performance.now() - sent);
        }
      };
      await Promise.all(Array.from({ length: connections }, lane));
      seconds += (performance.now() - begun) / 1_000;
      cpuSeconds += cpuSecondsOf(child.pid ?? 0) - cpu;
    }
    return [
      figure(`transfers through HTTP, ${connections} at a time`, transfers / seconds, 'a second', {
        p50: median(taken),
        p99: percentile(taken, 0.99),
      }),
      figure('processor time of a transfer', (cpuSeconds / transfers) * 1_000, 'ms'),
    ];
  } finally {
    agent.destroy();
    await end(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Time on the processor, for how busy the machine is otherwise must not decide. */
async function measureSteps(count: number): Promise<Figure[]> {
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
  const signed = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      sign(node, payer, [transfer(payer, payer.address, BigInt(i))], { blockhash }),
    ),
  );
  const spent = new Map<string, { microseconds: number; times: number }>();
  const time = <T>(step: string, work: () => T): T => {
    const begun = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(begun);
    const { microseconds, times } = spent.get(step) ?? { microseconds: 0, times: 0 };
    spent.set(step, { microseconds: microseconds + user + system, times: times + 1 });
    return result;
  };
  for (const { wire } of signed) {
    const transaction = time('decode', () => decodeTransactionParam(wire, 'base64'));
    const loaded = time('sanitize', () =>
      sanitize(transaction, chain.slot, (address) => chain.vm.getAccount(address)),
    );
    if (!time('verify the signature', () => signaturesAreValid(transaction))) throw new Error('not signed');
    if (time('preflight', () => chain.simulate(transaction, loaded)).err) throw new Error('preflight failed');
    if (!time('execute, record, write', () => chain.land(transaction, loaded)).landed)
      throw new Error('a transfer did not land');
  }
  for (let i = 0; i < 100; i += 1) time('a new slot', () => chain.advance(1));
  chain.close();
  rmSync(folder, { recursive: true, force: true });
  return [...spent].map(([step, { microseconds, times }]) => figure(step, microseconds / times, 'µs'));
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
  const url = `http://127.0.0.1:${server.rpcPort}`;
  return {
    /** Returns how long calls took in the median, in ms. Throws when one has another number of results. */
    async time(calls: readonly [method: string, params: unknown[]][], results: number): Promise<number> {
      const taken: number[] = [];
      for (const [method, params] of calls) {
        const begun = performance.now();
        const { result } = await call(agent, url, method, params);
        if (!Array.isArray(result) || result.length !== results) throw new Error(`${method}: not ${results}`);
        taken.push(performance.now() - begun);
      }
      return median(taken);
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server.stop();
    },
  };
}

/** A text that has the form of a signature. */
function numbered(i: number): string {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(i + 1, 60);
  return encodeBase58(bytes);
}

async function measureSignatures(total: number): Promise<Figure> {
  const chain = new Chain({ slotMs: 3_600_000, historyTransactions: total, historySlots: 1_000 });
  const key = chain.identity.address;
  chain.airdrop(key, SOL);
  const [one] = chain.history.inSlot(chain.slot);
  if (!one) throw new Error('the airdrop did not land');
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
  const places = Array.from({ length: 20 }, (_, round) => Math.floor((total / 21) * (round + 1)));
  const ms = await server.time(
    places.map((place) => ['getSignaturesForAddress', [key, { before: numbered(place) }]]),
    1_000,
  );
  return figure(`1,000 of ${total} signatures`, ms, 'ms');
}

/** 100 of 10,000 token accounts by owner and by mint. */
async function measureTokenAccounts(): Promise<Figure[]> {
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
  const by = async (what: string, offset: number, wanted: string[]) => {
    const calls = wanted.slice(0, 20).map((bytes): [string, unknown[]] => {
      const filters = [{ dataSize: 165 }, { memcmp: { offset, bytes } }];
      return ['getProgramAccounts', [TOKEN_PROGRAM, { encoding: 'base64', filters }]];
    });
    return figure(`100 of 10,000 token accounts by ${what}`, await server.time(calls, 100), 'ms');
  };
  return [await by('owner', 32, owners), await by('mint', 0, mints)];
}

interface Memory {
  openedMs: number;
  rssBeforeMib: number;
  rssMib: number;
  peakMib: number;
  bytesEach: number;
}

/** A full window of transactions in memory, with a ledger, and opened again; each in a process of its own. */
function measureMemory(transactions: number): Figure[] {
  const script = fileURLToPath(new URL('test/memory-process.ts', packages));
  const run = (...args: string[]): Memory => {
    const options = ['--conditions=source', '--import', 'tsx', '--expose-gc', script, ...args];
    return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
  };
  const folder = mkdtempSync(join(tmpdir(), 'localnet-'));
  try {
    const count = String(transactions);
    const [inMemory, onDisk] = [run(count, count), run(count, count, folder)];
    const opened = run('0', count, folder);
    const windows = run(count, String(transactions / 5));
    return [
      figure(`${count} transactions in memory`, inMemory.rssMib, 'MiB', { ...inMemory }),
      figure(`${count} transactions with a ledger`, onDisk.rssMib, 'MiB', { ...onDisk }),
      figure('opening that ledger', opened.openedMs, 'ms', { ...opened }),
      figure(`a fifth of a window of ${count}, five times over`, windows.rssMib, 'MiB', { ...windows }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
