import { type Client, credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { Secret } from '../../config.js';

/**
 * The part of Yellowstone's interface that the indexer uses, with its names and numbers as
 * https://github.com/rpcpool/yellowstone-grpc publishes them (geyser.proto and solana-storage.proto, Apache-2.0). Fields
 * that are not named here are passed over. The server of the tests reads the published files.
 */
const field = (id: number, type: string) => ({ id, type });
const list = (id: number, type: string) => ({ id, type, rule: 'repeated' as const });
const storage = 'solana.storage.ConfirmedBlock.';

const geyser = {
  Geyser: {
    methods: {
      Subscribe: {
        requestType: 'SubscribeRequest',
        requestStream: true,
        responseType: 'SubscribeUpdate',
        responseStream: true,
      },
      GetVersion: { requestType: 'GetVersionRequest', responseType: 'GetVersionResponse' },
    },
  },
  SubscribeRequest: {
    fields: {
      transactions: { id: 3, keyType: 'string', type: 'SubscribeRequestFilterTransactions' },
      // 1: confirmed.
      commitment: field(6, 'int32'),
      ping: field(9, 'SubscribeRequestPing'),
    },
  },
  SubscribeRequestFilterTransactions: {
    oneofs: { _vote: { oneof: ['vote'] }, _failed: { oneof: ['failed'] } },
    fields: {
      vote: { ...field(1, 'bool'), options: { proto3_optional: true } },
      failed: { ...field(2, 'bool'), options: { proto3_optional: true } },
      accountInclude: list(3, 'string'),
    },
  },
  SubscribeRequestPing: { fields: { id: field(1, 'int32') } },
  SubscribeUpdate: {
    fields: {
      transaction: field(4, 'SubscribeUpdateTransaction'),
      ping: field(6, 'SubscribeUpdatePing'),
    },
  },
  SubscribeUpdatePing: { fields: {} },
  SubscribeUpdateTransaction: {
    fields: { transaction: field(1, 'SubscribeUpdateTransactionInfo'), slot: field(2, 'uint64') },
  },
  SubscribeUpdateTransactionInfo: {
    fields: {
      signature: field(1, 'bytes'),
      transaction: field(3, `${storage}Transaction`),
      meta: field(4, `${storage}TransactionStatusMeta`),
    },
  },
  GetVersionRequest: { fields: {} },
  GetVersionResponse: { fields: { version: field(1, 'string') } },
};

const confirmedBlock = {
  Transaction: { fields: { signatures: list(1, 'bytes'), message: field(2, 'Message') } },
  Message: {
    fields: {
      header: field(1, 'MessageHeader'),
      accountKeys: list(2, 'bytes'),
      recentBlockhash: field(3, 'bytes'),
      instructions: list(4, 'CompiledInstruction'),
      versioned: field(5, 'bool'),
      addressTableLookups: list(6, 'MessageAddressTableLookup'),
    },
  },
  MessageHeader: {
    fields: {
      numRequiredSignatures: field(1, 'uint32'),
      numReadonlySignedAccounts: field(2, 'uint32'),
      numReadonlyUnsignedAccounts: field(3, 'uint32'),
    },
  },
  MessageAddressTableLookup: {
    fields: {
      accountKey: field(1, 'bytes'),
      writableIndexes: field(2, 'bytes'),
      readonlyIndexes: field(3, 'bytes'),
    },
  },
  CompiledInstruction: {
    fields: { programIdIndex: field(1, 'uint32'), accounts: field(2, 'bytes'), data: field(3, 'bytes') },
  },
  TransactionStatusMeta: {
    fields: {
      err: field(1, 'TransactionError'),
      innerInstructions: list(5, 'InnerInstructions'),
      innerInstructionsNone: field(10, 'bool'),
      preTokenBalances: list(7, 'TokenBalance'),
      postTokenBalances: list(8, 'TokenBalance'),
      loadedWritableAddresses: list(12, 'bytes'),
      loadedReadonlyAddresses: list(13, 'bytes'),
    },
  },
  TransactionError: { fields: { err: field(1, 'bytes') } },
  InnerInstructions: { fields: { index: field(1, 'uint32'), instructions: list(2, 'InnerInstruction') } },
  InnerInstruction: {
    oneofs: { _stackHeight: { oneof: ['stackHeight'] } },
    fields: {
      programIdIndex: field(1, 'uint32'),
      accounts: field(2, 'bytes'),
      data: field(3, 'bytes'),
      stackHeight: { ...field(4, 'uint32'), options: { proto3_optional: true } },
    },
  },
  TokenBalance: { fields: { accountIndex: field(1, 'uint32'), uiTokenAmount: field(3, 'UiTokenAmount') } },
  UiTokenAmount: { fields: { amount: field(3, 'string') } },
};

/** As the loader takes it, whose types also demand comments. */
type Schema = Parameters<typeof fromJSON>[0];

/** The part as the loader reads it. */
export const geyserDefinition = fromJSON(
  {
    nested: {
      geyser: { nested: geyser },
      solana: { nested: { storage: { nested: { ConfirmedBlock: { nested: confirmedBlock } } } } },
    },
  } as unknown as Schema,
  { longs: String, arrays: true, objects: false },
);

export interface Compiled {
  programIdIndex?: number;
  accounts?: Uint8Array;
  data?: Uint8Array;
}

/** A message that is left out is null, a number of 0 and empty bytes are left out. */
export interface GeyserTransaction {
  slot?: string;
  transaction?: {
    signature?: Uint8Array;
    transaction?: {
      signatures: Uint8Array[];
      message?: {
        header?: {
          numRequiredSignatures?: number;
          numReadonlySignedAccounts?: number;
          numReadonlyUnsignedAccounts?: number;
        };
        accountKeys: Uint8Array[];
        recentBlockhash?: Uint8Array;
        instructions: Compiled[];
        versioned?: boolean;
        addressTableLookups: {
          accountKey?: Uint8Array;
          writableIndexes?: Uint8Array;
          readonlyIndexes?: Uint8Array;
        }[];
      };
    };
    meta?: {
      err?: unknown;
      innerInstructions: { index?: number; instructions: (Compiled & { stackHeight?: number })[] }[];
      innerInstructionsNone?: boolean;
      preTokenBalances: GeyserBalance[];
      postTokenBalances: GeyserBalance[];
      loadedWritableAddresses: Uint8Array[];
      loadedReadonlyAddresses: Uint8Array[];
    };
  };
}

interface GeyserBalance {
  accountIndex?: number;
  uiTokenAmount?: { amount?: string };
}

export interface GeyserUpdate {
  transaction?: GeyserTransaction;
  ping?: object;
}

/** Opens a client; nothing is connected before the first call. */
export function openGeyser(url: string): Client {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  const { geyser } = loadPackageDefinition(geyserDefinition) as unknown as {
    geyser: { Geyser: new (...args: ConstructorParameters<typeof Client>) => Client };
  };
  return new geyser.Geyser(
    `${hostname}:${port || (isSecure ? 443 : 80)}`,
    isSecure ? credentials.createSsl() : credentials.createInsecure(),
    { 'grpc.keepalive_time_ms': 10_000, 'grpc.keepalive_timeout_ms': 5_000 },
  );
}

/** Returns what every call sends along. */
export function metadataOf(token: Secret | undefined): Metadata {
  const metadata = new Metadata();
  if (token) metadata.set('x-token', token.reveal());
  return metadata;
}

/** Returns the server's account of its version. Rejects when it does not respond in time, or refuses the token. */
export async function readGeyserVersion(
  url: string,
  token: Secret | undefined,
  withinMs: number,
): Promise<string> {
  const client = openGeyser(url);
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + withinMs;
      const take = (error: Error | null, response?: { version?: string }) =>
        error ? reject(error) : resolve(response?.version ?? '');
      Object(client).GetVersion({}, metadataOf(token), { deadline }, take);
    });
  } finally {
    client.close();
  }
}
