import { createSolanaRpcSubscriptions, type Rpc, type SolanaRpcApi } from '@solana/kit';
import { connectNode } from '../chain/rpc.js';
import type { Config } from '../config.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed, skipped } = findingsOf('node');

const withinMs = 3_000;
/** The program takes a price from at most 10 s ahead, and quotes live for a minute. */
const clockToleranceSeconds = 10;

/** A node that answers, and the chain's time. */
export interface AnsweringNode {
  rpc: Rpc<SolanaRpcApi>;
  /** Unix time of the chain in milliseconds: by it the program judges prices. */
  nowMs: number;
}

/** The node: it answers, goes on, and tells of what happens by WebSocket. */
export async function checkNode({
  rpcUrl,
  wsUrl,
}: Partial<Config>): Promise<{ node: AnsweringNode | undefined; findings: Finding[] }> {
  if (rpcUrl === undefined) return { node: undefined, findings: [skipped('KARAT_RPC_URL cannot be read.')] };
  const { rpc } = connectNode(rpcUrl);
  let slot: bigint;
  let seconds: bigint | null;
  try {
    slot = await rpc.getSlot({ commitment: 'confirmed' }).send();
    seconds = await rpc.getBlockTime(slot).send();
  } catch {
    const remedy =
      'Start it, or correct KARAT_RPC_URL; curl it with the method getHealth to see what it says.';
    return { node: undefined, findings: [failed('No Solana node answers at KARAT_RPC_URL.', remedy)] };
  }
  const findings = [ok(`The node answers; it is at slot ${slot}.`)];
  const chainMs = seconds === null ? Date.now() : Number(seconds) * 1_000;
  const behindSeconds = Math.round((Date.now() - chainMs) / 1_000);
  const inTime = Math.abs(behindSeconds) <= clockToleranceSeconds;
  if (!inTime) {
    const way = behindSeconds > 0 ? 'behind' : 'ahead of';
    findings.push(
      warning(
        `The chain is ${Math.abs(behindSeconds)} s ${way} this machine's clock.`,
        'Keep the clock in time by NTP; a node that is behind catches up, or take another one.',
      ),
    );
  }
  findings.push(...(await checkNotifications(wsUrl)));
  // The time of a block is a second or two behind even where all clocks agree.
  return { node: { rpc, nowMs: inTime ? Date.now() : chainMs }, findings };
}

/** Slots come several times a second, so the first one shows that subscriptions work. */
async function checkNotifications(wsUrl: string | undefined): Promise<Finding[]> {
  if (wsUrl === undefined) return [skipped('KARAT_WS_URL cannot be read.')];
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), withinMs);
  try {
    const slots = await createSolanaRpcSubscriptions(wsUrl)
      .slotNotifications()
      .subscribe({ abortSignal: end.signal });
    for await (const _slot of slots) return [ok('The node tells of new slots by WebSocket.')];
  } catch {
    // Said below.
  } finally {
    clearTimeout(timer);
    end.abort();
  }
  return [
    warning(
      'The node does not tell of new slots by WebSocket: the service polls, and is slower to see what happens.',
      'Correct KARAT_WS_URL; unset, it is KARAT_RPC_URL with the port above.',
    ),
  ];
}
