/** A steady load of trades and redemptions by two partners, and what they see of the service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Karat, KaratError, type KaratEvent } from '@karat/sdk';
import {
  createKeyPairSignerFromBytes,
  type GetSignatureStatusesApi,
  getBase64Encoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  type Rpc,
  type Signature,
} from '@solana/kit';
import type { SandboxInfo } from '../../packages/sandbox/src/info.js';

const redemptionOf = ({ service_user_id }: SandboxInfo['users'][number]) => ({
  service_user_id,
  denomination_id: 'sa_g_5',
  city: 'Riyadh',
});

/** A request of a partner who repeats once what fails. */
export interface Seen {
  kind: 'read' | 'write';
  /** By `Date.now()`. */
  atMs: number;
  tookMs: number;
  /** Undefined: it succeeded. */
  error: string | undefined;
}

/** A transaction that a partner has submitted, or tried to. */
export interface Submission {
  id: string;
  kind: 'buy' | 'sell' | 'redemption';
  userId: string;
  atMs: number;
  /** Of the transaction. */
  signature: Signature;
}

/** A blockhash is good for 150 slots, a minute. */
const lostAfterMs = 75_000;

const [readEveryMs, writeEveryMs, tradeEveryMs, redeemEveryMs] = [500, 500, 2_000, 15_000];

type KaratOf = (partnerId: string) => Karat;

export class Load {
  readonly seen: Seen[] = [];
  readonly submissions: Submission[] = [];
  /** The events of each partner, as a consumer got them. */
  readonly streamed = new Map<string, KaratEvent[]>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #under = new Set<Promise<void>>();
  readonly #end = new AbortController();
  readonly #info: SandboxInfo;
  readonly #karatOf: KaratOf;
  readonly #rpc: Rpc<GetSignatureStatusesApi>;
  readonly #key: (file: string) => Promise<KeyPairSigner>;

  constructor(folder: string, info: SandboxInfo, karatOf: KaratOf, rpc: Rpc<GetSignatureStatusesApi>) {
    this.#rpc = rpc;
    this.#info = info;
    this.#karatOf = karatOf;
    this.#key = (file) => {
      const bytes = JSON.parse(readFileSync(join(folder, 'sandbox', file), 'utf8')) as number[];
      return createKeyPairSignerFromBytes(Uint8Array.from(bytes));
    };
  }

  async start(): Promise<void> {
    const [reading, writing] = this.#info.partners;
    const [reader, writer] = [reading, writing].map((each) =>
      this.#info.users.find(({ partner_id }) => partner_id === each?.partner_id),
    );
    if (!reader || !writer) throw new Error('the world has no users');
    for (const { partner_id } of this.#info.partners) this.#consume(partner_id);
    this.#every(readEveryMs, () =>
      this.#see('read', () => this.#karatOf(reader.partner_id).users.get(reader.service_user_id)),
    );
    // A quote of a redemption is a row, and costs nothing.
    this.#every(writeEveryMs, () => this.#see('write', () => this.#quoteRedemption(writer)));
    const wallets = await Promise.all(
      this.#info.users.map(async (user) => {
        const partner = this.#info.partners.find(({ partner_id }) => partner_id === user.partner_id);
        const signers = await Promise.all([partner?.wallet_keypair ?? '', user.keypair].map(this.#key));
        return { user, signers };
      }),
    );
    let count = 0;
    for (const { user, signers } of wallets) {
      this.#every(tradeEveryMs, () => this.#trade(user, signers, count++ % 2 === 0 ? 'buy' : 'sell'));
      this.#every(redeemEveryMs, () => this.#redeem(user, signers.slice(1)));
    }
  }

  /** Ends the load, and waits until every transaction has landed or can't any more. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#under);
    for (;;) {
      const known = await this.#outcomes();
      const open = this.submissions.filter(
        ({ id, atMs }) => !known.has(id) && Date.now() - atMs < lostAfterMs,
      );
      if (open.length === 0) break;
      await pause(1_000);
    }
    // Records and events follow within seconds.
    await pause(10_000);
    this.#end.abort();
  }

  /** Returns the ids of those transactions that the chain has, and that did not fail there. */
  async landed(): Promise<Set<string>> {
    const outcomes = await this.#outcomes();
    return new Set([...outcomes].filter(([, didLand]) => didLand).map(([id]) => id));
  }

  /** Returns whether each transaction that the chain has landed; it has those that failed, too. */
  async #outcomes(): Promise<Map<string, boolean>> {
    const outcomes = new Map<string, boolean>();
    for (let at = 0; at < this.submissions.length; at += 200) {
      const some = this.submissions.slice(at, at + 200);
      const signatures = some.map(({ signature }) => signature);
      const config = { searchTransactionHistory: true };
      const { value } = await this.#rpc.getSignatureStatuses(signatures, config).send();
      for (const [n, { id }] of some.entries()) {
        const status = value[n];
        if (status) outcomes.set(id, status.err === null);
      }
    }
    return outcomes;
  }

  #every(ms: number, work: () => Promise<void>): void {
    const run = () => {
      const done = work().finally(() => this.#under.delete(done));
      this.#under.add(done);
    };
    this.#timers.push(setInterval(run, ms));
  }

  async #see(kind: Seen['kind'], work: () => Promise<unknown>): Promise<void> {
    const atMs = Date.now();
    const error = await work().then(() => undefined, describe);
    this.seen.push({ kind, atMs, tookMs: Date.now() - atMs, error });
  }

  #quoteRedemption(user: SandboxInfo['users'][number]) {
    return this.#karatOf(user.partner_id).redemptions.quote(redemptionOf(user));
  }

  async #trade(user: SandboxInfo['users'][number], signers: KeyPairSigner[], kind: 'buy' | 'sell') {
    const { buys, sells } = this.#karatOf(user.partner_id);
    const body = { service_user_id: user.service_user_id };
    await this.#submit(kind, user, async () => {
      if (kind === 'buy') {
        const wanted = { ...body, usdc_amount: 10 };
        const quote = await buys.quote(wanted);
        const { trade_id: id } = quote;
        const signed = await buys.sign(quote, { ...wanted, signers });
        return { id, signed, submit: () => buys.submit(id, signed) };
      }
      const wanted = { ...body, gold_amount: 0.002 };
      const quote = await sells.quote(wanted);
      const { trade_id: id } = quote;
      const signed = await sells.sign(quote, { ...wanted, signers });
      return { id, signed, submit: () => sells.submit(id, signed) };
    });
  }

  async #redeem(user: SandboxInfo['users'][number], signers: KeyPairSigner[]) {
    const { redemptions } = this.#karatOf(user.partner_id);
    await this.#submit('redemption', user, async () => {
      const quote = await this.#quoteRedemption(user);
      const { redemption_id: id } = quote;
      const signed = await redemptions.sign(quote, { ...redemptionOf(user), signers });
      return { id, signed, submit: () => redemptions.submit(id, signed) };
    });
  }

  /** Quotes, signs and submits. What fails on the way may have been sent all the same, and is followed too. */
  async #submit(
    kind: Submission['kind'],
    user: SandboxInfo['users'][number],
    quote: () => Promise<{ id: string; signed: string; submit(): Promise<unknown> }>,
  ): Promise<void> {
    const atMs = Date.now();
    try {
      const { id, signed, submit } = await quote();
      const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(signed));
      const signature = getSignatureFromTransaction(decoded);
      this.submissions.push({ id, kind, userId: user.service_user_id, atMs: Date.now(), signature });
      await submit();
    } catch (error) {
      this.failures.push({ atMs, error: `${kind}: ${describe(error)}` });
    }
  }

  /** Trades and redemptions of which a step failed for the partner. */
  readonly failures: { atMs: number; error: string }[] = [];

  #consume(partnerId: string): void {
    const events: KaratEvent[] = [];
    this.streamed.set(partnerId, events);
    const { signal } = this.#end;
    const read = async () => {
      while (!signal.aborted) {
        const after = events.at(-1)?.id;
        const stream = this.#karatOf(partnerId).events.stream({ signal, ...(after && { after }) });
        try {
          for await (const event of stream) events.push(event);
        } catch {
          await pause(500);
        }
      }
    };
    void read();
  }
}

function describe(error: unknown): string {
  return error instanceof KaratError ? `${error.status ?? ''} ${error.code}`.trim() : String(error);
}
