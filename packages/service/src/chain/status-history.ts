import {
  type Config,
  EVENT_DISCRIMINATOR,
  getKaratEventDecoder,
  getStatusChangeDecoder,
  SET_STATUS_DISCRIMINATOR,
} from '@karat/program-client';
import { type Address, getBase58Encoder, type Signature } from '@solana/kit';
import type { Chain } from './chain.js';

/** The pause flags that someone set, and by which transactions. */
export interface ForeignFlags {
  flags: number;
  by: string[];
}

/** One `set_status` that the chain carries. */
interface StatusChange {
  txHash: string;
  paused: number;
  /** Number of its event. */
  seq: bigint;
}

/** Changes of the configuration as the node lists them. */
interface History {
  statuses: StatusChange[];
  /** Numbers of all events of the configuration, whatever they are of. */
  seqs: Set<bigint>;
}

/** The life of a blockhash: no transaction lands later after it was signed. */
const lifetimeSlots = 150n;
/** More than guardian and admin send within the life of a blockhash. */
const listingLimit = 100;

/**
 * The pause flags that the last `set_status` of anyone but the keeper set, if it came since a change of the keeper,
 * which landed in `slot`, was signed. They have to stand in `config`, which was read before, at or after that slot,
 * whatever the keeper sent. `ownTxHashes` are the keeper's changes.
 *
 * Undefined: the node's history does not show every event of the configuration yet, from the one before the change to
 * the one that `config` tells of; histories are written behind the accounts. Rejects when the node fails.
 */
export async function findLastForeignFlags(
  chain: Chain,
  config: Config,
  landed: { txHash: string; slot: bigint },
  ownTxHashes: ReadonlySet<string>,
  abortSignal: AbortSignal,
): Promise<ForeignFlags | undefined> {
  const { statuses, seqs } = await readHistory(chain, config, landed.slot, abortSignal);
  const own = statuses.find(({ txHash }) => txHash === landed.txHash);
  if (!own || !isWhole(seqs, own.seq, config.seq)) return undefined;
  const foreign = statuses.filter(
    // What is younger than the configuration at hand cannot stand in it.
    ({ txHash, seq }) => !ownTxHashes.has(txHash) && seq <= config.seq,
  );
  const last = foreign.reduce((latest, { seq }) => (seq > latest ? seq : latest), 0n);
  const counted = foreign.filter(({ seq }) => seq === last);
  return {
    flags: counted.reduce((flags, { paused }) => flags | paused, 0),
    by: counted.map(({ txHash }) => txHash),
  };
}

/** Whether the event before the change is there, and every one since. The first event of all is `initialize`. */
function isWhole(seqs: ReadonlySet<bigint>, ownSeq: bigint, lastSeq: bigint): boolean {
  for (let seq = ownSeq - 1n; seq <= lastSeq; seq += 1n) if (seq > 1n && !seqs.has(seq)) return false;
  return true;
}

/** What guardian and admin, who alone can change the configuration, did since a change that landed in `slot` was signed. */
async function readHistory(
  chain: Chain,
  config: Config,
  slot: bigint,
  abortSignal: AbortSignal,
): Promise<History> {
  const signers = [...new Set([config.guardian, config.admin])];
  const listings = await Promise.all(
    signers.map((signer) =>
      chain.rpc
        // Several nodes may stand behind one address, and one that lags behind would not show what matters.
        .getSignaturesForAddress(signer, {
          limit: listingLimit,
          commitment: 'confirmed',
          minContextSlot: slot,
        })
        .send({ abortSignal }),
    ),
  );
  const listed = new Map(listings.flat().map((line) => [line.signature, line]));
  const newestFirst = [...listed.values()]
    .filter(({ err }) => err === null)
    .sort((left, right) => Number(right.slot - left.slot));
  const history: History = { statuses: [], seqs: new Set() };
  for (const line of newestFirst) {
    const { statuses, seqs } = await readTransaction(chain, line.signature, abortSignal);
    for (const seq of seqs) history.seqs.add(seq);
    // What landed before the change was signed was read when it was; one of those shows that nothing is missing.
    if (line.slot < slot - lifetimeSlots) {
      if (seqs.length > 0) break;
      continue;
    }
    history.statuses.push(...statuses);
  }
  return history;
}

async function readTransaction(
  chain: Chain,
  signature: Signature,
  abortSignal: AbortSignal,
): Promise<{ statuses: StatusChange[]; seqs: bigint[] }> {
  const found = await chain.rpc
    .getTransaction(signature, {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    })
    .send({ abortSignal });
  if (!found?.meta) throw new Error(`the node does not know ${signature}, which it listed`);
  const { message } = found.transaction;
  const { loadedAddresses, innerInstructions } = found.meta;
  const accounts: Address[] = [
    ...message.accountKeys,
    ...(loadedAddresses?.writable ?? []),
    ...(loadedAddresses?.readonly ?? []),
  ];
  const events = (innerInstructions ?? [])
    .flatMap((inner) => inner.instructions)
    .filter(({ programIdIndex }) => accounts[programIdIndex] === chain.programAddress)
    .map(({ data }) => Uint8Array.from(getBase58Encoder().encode(data)))
    .filter((data) => data[0] === EVENT_DISCRIMINATOR)
    .map((data) => data.subarray(1))
    .map((data) => ({ event: getKaratEventDecoder().decode(data), data }))
    .filter(({ event }) => event.partnerId.every((byte) => byte === 0));
  return {
    seqs: events.map(({ event }) => event.seq),
    statuses: events
      .filter(({ event }) => event.kind === SET_STATUS_DISCRIMINATOR)
      .map(({ event: { seq }, data }) => {
        const { after } = getStatusChangeDecoder().decode(data, getKaratEventDecoder().fixedSize);
        return { txHash: signature, paused: after.paused, seq };
      }),
  };
}
