import { createSolanaRpcSubscriptions, type Rpc, type SolanaRpcApi } from '@solana/kit';
import { refusesMinContextSlot } from '../chain/node/as-of.js';
import { connectNodes } from '../chain/node/nodes.js';
import { clockAddress, describeDifference, maxDifferenceSeconds } from '../chain/program/chain-clock.js';
import type { Config } from '../config.js';
import type { DbHandle } from '../db/client.js';
import { findGenesis } from '../db/indexing/chain-genesis.js';
import { codesOf } from '../db/outage.js';
import { toInteger } from '../domain/integer.js';
import { networkFault } from '../domain/network.js';
import { tlsFaultOf } from './check-certificates.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed, skipped } = findingsOf('node');

const withinMs = 3_000;
/** The program takes a price from at most 10 s ahead, and quotes live for a minute. */
const clockToleranceSeconds = 10;
/** Between two calls, nodes behind one address may be some slots apart. */
const finalToleranceSlots = 8n;

/** A node that responds, and the chain's time. */
export interface RespondingNode {
  rpc: Rpc<SolanaRpcApi>;
  /** Genesis hash of its chain. */
  genesis: string;
  /** Unix time of the chain in milliseconds: by it the program judges prices. */
  nowMs: number;
}

/**
 * Checks that each node responds and is up to date, that all are on one chain, and that they report slots by WebSocket.
 */
export async function checkNode({
  rpcUrls,
  wsUrls,
  network,
}: Partial<Config>): Promise<{ node: RespondingNode | undefined; findings: Finding[] }> {
  if (!rpcUrls) return { node: undefined, findings: [skipped('KARAT_RPC_URL cannot be read.')] };
  const looks = await Promise.all(
    rpcUrls.map((url, index) => look(url, rpcUrls.length === 1 ? '' : ` ${index + 1} of KARAT_RPC_URL`)),
  );
  const findings = looks.flatMap((each) => each.findings);
  const responding = looks.flatMap(({ node }) => node ?? []);
  const [node] = responding;
  if (!node) return { node: undefined, findings };
  if (new Set(responding.map(({ genesis }) => genesis)).size > 1) {
    findings.push(
      failed('The nodes are on different chains.', 'Name only nodes of one chain in KARAT_RPC_URL.'),
    );
  }
  const elsewhere = network && responding.map(({ genesis }) => networkFault(network, genesis)).find(Boolean);
  if (elsewhere) {
    findings.push(failed(elsewhere, 'No process starts before both name the same network.'));
  }
  findings.push(...(await checkNotifications(wsUrls)));
  return { node, findings };
}

interface Look {
  node?: RespondingNode;
  findings: Finding[];
}

/** Checks one node; `which` distinguishes it from the others. */
async function look(url: string, which: string): Promise<Look> {
  const { rpc } = connectNodes([url]);
  const name = which === '' ? 'The node' : `Node${which}`;
  const found = await readState(rpc).catch((error: unknown) => ({ codes: codesOf(error) }));
  if ('codes' in found) {
    const tls = tlsFaultOf(found.codes);
    if (tls) return { findings: [failed(`${name} ${tls.says}.`, tls.remedy)] };
    const text =
      which === '' ? 'No Solana node responds at KARAT_RPC_URL.' : `Node${which} does not respond.`;
    const remedy =
      'Start it, or correct KARAT_RPC_URL; call its method getHealth with curl to see its response.';
    return { findings: [failed(text, remedy)] };
  }
  const { slot, seconds, genesis } = found;
  const findings = [ok(`${name} responds; it is at slot ${slot}.`)];
  const chainMs = seconds === null ? Date.now() : toInteger(seconds) * 1_000;
  const behindSeconds = Math.round((Date.now() - chainMs) / 1_000);
  const inTime = Math.abs(behindSeconds) <= clockToleranceSeconds;
  if (!inTime) {
    const stopsQuotes = Math.abs(behindSeconds) > maxDifferenceSeconds;
    findings.push(
      (stopsQuotes ? failed : warning)(
        describeDifference(-behindSeconds, which === '' ? undefined : `The clock of node${which}`),
        'Synchronize the clock with NTP; a node that is behind catches up, or use another one.',
      ),
    );
  }
  findings.push(...(await checkReads(rpc, name)));
  // The time of a block is a second or two behind even where all clocks agree.
  return { node: { rpc, genesis, nowMs: inTime ? Date.now() : chainMs }, findings };
}

async function readState(rpc: Rpc<SolanaRpcApi>) {
  const slot = await rpc.getSlot({ commitment: 'confirmed' }).send();
  const seconds = await rpc.getBlockTime(slot).send();
  return { slot, seconds, genesis: await rpc.getGenesisHash().send() };
}

/** Checks what other implementations of a node do differently. What fails for another reason is not reported. */
async function checkReads(rpc: Rpc<SolanaRpcApi>, name: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const remedy = 'Ask its provider for nodes that do as Agave does, or use another node.';
  const finalized = { commitment: 'finalized' } as const;
  // In this order: the second slot is no lower than the first, wherever the commitment is kept.
  const named = await rpc
    .getEpochInfo(finalized)
    .send()
    .catch(() => undefined);
  const slot = await rpc
    .getSlot(finalized)
    .send()
    .catch(() => undefined);
  if (slot === undefined) return findings;
  const ahead = named ? named.absoluteSlot - slot : 0n;
  if (ahead > finalToleranceSlots) {
    const text = `${name} ignores the commitment of getEpochInfo: what it calls final is ${ahead} slots ahead of its final slot.`;
    findings.push(warning(text, remedy));
  }
  const refuses = await rpc
    .getSignaturesForAddress(clockAddress, { ...finalized, limit: 1, minContextSlot: slot })
    .send()
    .then(() => false, refusesMinContextSlot);
  if (refuses) {
    const text = `${name} does not take minContextSlot: a listing of it does not prove that it has seen everything final.`;
    findings.push(warning(text, remedy));
  }
  return findings;
}

/** Slots come several times a second, so the first one shows that subscriptions work. */
async function checkNotifications(wsUrls: string[] | undefined): Promise<Finding[]> {
  if (!wsUrls) return [skipped('KARAT_WS_URL cannot be read.')];
  const found = await Promise.all(wsUrls.map((url) => notifiesOfSlots(url)));
  if (found.every((reports) => reports)) return [ok('The node reports new slots by WebSocket.')];
  const remedy =
    'Correct KARAT_WS_URL; if unset, it is KARAT_RPC_URL with its port, if it names one, increased by one.';
  if (!found.some((reports) => reports)) {
    return [
      warning(
        'The node does not report new slots by WebSocket: the service polls, and sees changes later.',
        remedy,
      ),
    ];
  }
  const silent = found.flatMap((reports, index) => (reports ? [] : [index + 1])).join(', ');
  return [
    warning(`WebSocket ${silent} of ${wsUrls.length} does not report new slots; another one does.`, remedy),
  ];
}

async function notifiesOfSlots(url: string): Promise<boolean> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), withinMs);
  try {
    const slots = await createSolanaRpcSubscriptions(url)
      .slotNotifications()
      .subscribe({ abortSignal: end.signal });
    for await (const _slot of slots) return true;
  } catch {
    // The caller reports it.
  } finally {
    clearTimeout(timer);
    end.abort();
  }
  return false;
}

/** Checks whether the chain is the one that the database records. */
export async function checkRecordedChain(
  database: DbHandle | undefined,
  node: RespondingNode | undefined,
): Promise<Finding[]> {
  if (!database || !node) return [];
  const recorded = await findGenesis(database.db);
  if (recorded === undefined || recorded === node.genesis) return [];
  return [
    failed(
      `The node is on another chain than the database: its genesis hash is ${node.genesis}, the database records ${recorded}.`,
      'Correct KARAT_RPC_URL or DATABASE_URL; a chain that was reset is a new one and needs a new database.',
    ),
  ];
}
