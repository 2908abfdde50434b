import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { encodeBase58 } from '@karat/wire';
import { airdropTransaction, derivedKeyPair } from '../src/faucet.js';
import type { Json } from './harness.js';

const LANES = 4;
export const FEE = 5_000n;

/** A node process on a ledger, and calls to it. */
export interface Running {
  child: ChildProcess;
  exited: Promise<unknown>;
  call(method: string, ...params: unknown[]): Promise<Json>;
}

function post(agent: Agent, port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const children = new Set<ChildProcess>();

/** Ends what a failed test has left running. */
export function endNodes(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Starts a command that runs a node; gives its process at once and its port when it listens, undefined when it was killed before. */
export function startNode(
  command: string,
  args: readonly string[],
): { child: ChildProcess; running: Promise<Running | undefined> } {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const agent = new Agent({ keepAlive: true, maxSockets: LANES + 1 });
  const exited = new Promise((resolve) => child.once('exit', resolve)).then(() => agent.destroy());
  const port = new Promise<number | undefined>((resolve) => {
    child.stdout?.once('data', (text) => resolve(Number(String(text).trim())));
    void exited.then(() => resolve(undefined));
  });
  const running = port.then((port) => {
    if (port === undefined) return undefined;
    const call = async (method: string, ...params: unknown[]) => {
      const response = JSON.parse(
        await post(agent, port, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
      );
      if (response.error) throw new Error(`${method}: ${JSON.stringify(response.error)}`);
      return response.result;
    };
    return { child, exited, call };
  });
  return { child, running };
}

const rejections = (outcomes: readonly PromiseSettledResult<never>[]) =>
  outcomes.filter((outcome): outcome is PromiseRejectedResult => outcome.status === 'rejected');

/** Whether a call failed because its node is no more. */
export function isDead(error: unknown): boolean {
  return /ECONNRESET|ECONNREFUSED|EPIPE|socket hang up|aborted/.test(String(error));
}

/** Two accounts, what one of them sent the other, and what of it is known to be there. */
export class Payments {
  readonly payer = derivedKeyPair(randomBytes(32), 'payer');
  readonly to = derivedKeyPair(randomBytes(32), 'to').address;
  /** Lamports of every transfer, by signature: each another amount. */
  readonly amounts = new Map<string, bigint>();
  /** Sent to the node that was killed last. */
  sent: string[] = [];
  /** Accepted, with its signature, by the node that was killed last. */
  readonly accepted = new Set<string>();
  /** Seen at `confirmed` in the node that was killed last. */
  readonly confirmed = new Set<string>();
  #count = 0;
  #awaited: { responses: number; work: () => void } | undefined;

  /** Calls `work` once this node has accepted so many transfers; machines differ in when that is. */
  after(responses: number, work: () => void): void {
    if (responses === 0) work();
    else this.#awaited = { responses, work };
  }

  /** Begins anew with the next node. */
  forget(): void {
    this.sent = [];
    this.accepted.clear();
    this.confirmed.clear();
  }

  /** Sends one transfer after the other until the node is killed. */
  async send({ call }: Running, latest: () => Promise<string>): Promise<never> {
    let blockhash = await latest();
    for (;;) {
      this.#count += 1;
      const amount = 1_000_000n + BigInt(this.#count);
      const wire = airdropTransaction(this.payer, this.to, amount, blockhash, this.#count);
      const signature = signatureOf(wire);
      this.amounts.set(signature, amount);
      this.sent.push(signature);
      const config = { encoding: 'base64', preflightCommitment: 'processed' };
      try {
        if ((await call('sendTransaction', wire.toString('base64'), config)) !== signature)
          throw new Error('a node returned another signature');
      } catch (error) {
        if (!/Blockhash not found/.test(String(error))) throw error;
        // On a busy machine a slot of 20 ms is over 150 times before the next transfer gets its turn.
        blockhash = await latest();
        continue;
      }
      this.accepted.add(signature);
      if (this.accepted.size === this.#awaited?.responses) this.#awaited.work();
    }
  }

  /** Asks again and again which transfers are confirmed until the node is killed. */
  async watch({ call }: Running): Promise<never> {
    for (;;) {
      const requested = [...this.accepted]
        .filter((signature) => !this.confirmed.has(signature))
        .slice(0, 256);
      const { value } = await call('getSignatureStatuses', requested);
      requested.forEach((signature, place) => {
        if (value[place]?.confirmationStatus === 'confirmed') this.confirmed.add(signature);
      });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Both, several at a time, until the node is killed. */
  async load(node: Running): Promise<void> {
    const latest = async () =>
      (await node.call('getLatestBlockhash', { commitment: 'processed' })).value.blockhash;
    const lanes = Array.from({ length: LANES }, () => this.send(node, latest));
    for (const { reason } of await Promise.allSettled<never>([...lanes, this.watch(node)]).then(rejections))
      if (!isDead(reason)) throw reason;
  }
}

function signatureOf(wire: Buffer): string {
  return encodeBase58(wire.subarray(1, 65));
}
