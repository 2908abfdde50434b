import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import {
  type Address,
  getAddressEncoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Signature,
} from '@solana/kit';
import type { TransactionResponse } from '../../src/indexer/decode/transaction.js';
import type { GeyserTransaction, GeyserUpdate } from '../../src/indexer/yellowstone/geyser.js';

/** The interface as providers publish it, so that a wrong name or number of the indexer's own shows itself here. */
const published = createRequire(import.meta.url).resolve('laserstream-core-proto-js/geyser.proto');
export const publishedDefinition = loadSync(published, { includeDirs: [dirname(published)], longs: String });
const geyserService = publishedDefinition['geyser.Geyser'] as ServiceDefinition;

type Stream = ServerDuplexStream<Record<string, unknown>, GeyserUpdate>;

/** A server of Yellowstone's interface that replays what a node of a test carries. */
export interface YellowstoneServer {
  url: string;
  /** What clients asked for so far. */
  requests: Record<string, unknown>[];
  /** What is sent for a transaction, instead of it. */
  bend: (update: GeyserTransaction) => GeyserTransaction[];
  /** Reads a transaction from the node and sends it to everyone who listens. */
  deliver(signature: Signature): Promise<void>;
  send(update: GeyserUpdate): void;
  /** How many streams are open. */
  streams(): number;
  /** Ends every stream as a server does that goes down. */
  disconnect(): void;
  close(): void;
}

/** `read` gives the node's response for a transaction. */
export async function startYellowstone(
  read: (signature: Signature) => Promise<TransactionResponse | null>,
  token?: string,
): Promise<YellowstoneServer> {
  const streams = new Set<Stream>();
  const server = new Server();
  const isAllowed = (metadata: Metadata) => token === undefined || metadata.get('x-token')[0] === token;
  const state = { requests: [] as Record<string, unknown>[], bend: (update: GeyserTransaction) => [update] };
  server.addService(geyserService, {
    subscribe(stream: Stream) {
      if (!isAllowed(stream.metadata)) {
        stream.emit('error', { code: status.UNAUTHENTICATED, details: 'invalid token' });
        return;
      }
      stream.on('data', (request) => {
        state.requests.push(request);
        streams.add(stream);
      });
      stream.on('close', () => streams.delete(stream));
      stream.on('cancelled', () => streams.delete(stream));
      stream.on('error', () => streams.delete(stream));
    },
    getVersion(
      { metadata }: ServerUnaryCall<object, object>,
      callback: (error: object | null, response?: object) => void,
    ) {
      if (isAllowed(metadata)) callback(null, { version: 'test' });
      else callback({ code: status.UNAUTHENTICATED });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const send = (update: GeyserUpdate) => {
    for (const stream of streams) stream.write(update);
  };
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    async deliver(signature: Signature) {
      const response = await read(signature);
      if (!response) throw new Error(`the node does not know ${signature}`);
      for (const transaction of state.bend(updateOf(response))) send({ transaction });
    },
    send,
    streams: () => streams.size,
    disconnect() {
      for (const stream of streams) stream.emit('error', { code: status.UNAVAILABLE, details: 'going down' });
    },
    close: () => server.forceShutdown(),
  });
}

/** A transaction as the stream carries it, taken apart by the Solana library. */
export function updateOf({ slot, transaction, meta }: TransactionResponse): GeyserTransaction {
  const { messageBytes, signatures } = getTransactionDecoder().decode(Buffer.from(transaction[0], 'base64'));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version === 1 || !meta) throw new Error('not a transaction that a stream carries');
  const bytes = (address: Address) => Uint8Array.from(getAddressEncoder().encode(address));
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
  const all = Object.values(signatures).map((signature) => Uint8Array.from(signature ?? new Uint8Array(64)));
  const balances = (list: NonNullable<typeof meta.preTokenBalances>) =>
    list.map(({ accountIndex, uiTokenAmount }) => ({
      accountIndex: Number(accountIndex),
      uiTokenAmount: { amount: uiTokenAmount.amount },
    }));
  return {
    slot: String(slot),
    transaction: {
      signature: all[0] ?? new Uint8Array(),
      transaction: {
        signatures: all,
        message: {
          header: {
            numRequiredSignatures: message.header.numSignerAccounts,
            numReadonlySignedAccounts: message.header.numReadonlySignerAccounts,
            numReadonlyUnsignedAccounts: message.header.numReadonlyNonSignerAccounts,
          },
          accountKeys: message.staticAccounts.map(bytes),
          recentBlockhash: bytes(message.lifetimeToken as Address),
          instructions: message.instructions.map(
            ({ programAddressIndex, accountIndices = [], data = [] }) => ({
              programIdIndex: programAddressIndex,
              accounts: Uint8Array.from(accountIndices),
              data: Uint8Array.from(data),
            }),
          ),
          versioned: message.version === 0,
          addressTableLookups: lookups.map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
            accountKey: bytes(lookupTableAddress),
            writableIndexes: Uint8Array.from(writableIndexes),
            readonlyIndexes: Uint8Array.from(readonlyIndexes),
          })),
        },
      },
      meta: {
        // In the chain's own encoding, which nobody reads.
        ...(meta.err ? { err: { err: Uint8Array.of(8, 0, 0, 0) } } : {}),
        innerInstructions: (meta.innerInstructions ?? []).map(({ index, instructions }) => ({
          index: Number(index),
          instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) => ({
            programIdIndex: Number(programIdIndex),
            accounts: Uint8Array.from(accounts, Number),
            data: Uint8Array.from(typeof data === 'string' ? getBase58Encoder().encode(data) : data),
            ...(stackHeight == null ? {} : { stackHeight: Number(stackHeight) }),
          })),
        })),
        preTokenBalances: balances(meta.preTokenBalances ?? []),
        postTokenBalances: balances(meta.postTokenBalances ?? []),
        loadedWritableAddresses: (meta.loadedAddresses?.writable ?? []).map(bytes),
        loadedReadonlyAddresses: (meta.loadedAddresses?.readonly ?? []).map(bytes),
      },
    },
  };
}
