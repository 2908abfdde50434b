import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { result, SOL, startNode } from './harness.js';

const node = await startNode({ slotMs: 3_600_000 });
const connection = new Connection(node.rpcUrl, 'confirmed');
const payer = Keypair.generate();
node.airdrop(payer.publicKey.toBase58(), 100n * SOL);
node.warp({ slots: 1 });

async function send(
  instructions: TransactionMessage['instructions'],
  tables: Parameters<TransactionMessage['compileToV0Message']>[0] = [],
): Promise<string> {
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions,
  });
  const transaction = new VersionedTransaction(message.compileToV0Message(tables));
  transaction.sign([payer]);
  return await connection.sendTransaction(transaction);
}

test('a lookup table made by transactions is used by one, which shows what it loaded', async () => {
  const recentSlot = (await connection.getSlot('processed')) - 1;
  const authority = payer.publicKey;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const to = Keypair.generate().publicKey;
  const addresses = [to, SystemProgram.programId];
  await send([
    create,
    AddressLookupTableProgram.extendLookupTable({
      payer: authority,
      authority,
      lookupTable: table,
      addresses,
    }),
  ]);
  // What was added in a slot can be used from the next.
  node.warp({ slots: 1 });
  const { value } = await connection.getAddressLookupTable(table);
  expect(value?.state.addresses.map(String)).toEqual(addresses.map(String));

  const signature = await send(
    [SystemProgram.transfer({ fromPubkey: authority, toPubkey: to, lamports: 1e9 })],
    value ? [value] : [],
  );
  node.warp({ slots: 31 });
  expect(await connection.getBalance(to)).toBe(1e9);
  const config = { maxSupportedTransactionVersion: 0 };
  const found = await result(node, 'getTransaction', signature, config);
  expect(found.meta.loadedAddresses).toEqual({ writable: [to.toBase58()], readonly: [] });
  expect(found.meta.postBalances).toHaveLength(3);
  expect(found.meta.postBalances[2]).toBe(1_000_000_000);
  expect(found.transaction.message.addressTableLookups).toEqual([
    { accountKey: table.toBase58(), readonlyIndexes: [], writableIndexes: [0] },
  ]);
  const parsed = await result(node, 'getTransaction', signature, { ...config, encoding: 'jsonParsed' });
  expect(parsed.transaction.message.accountKeys[2]).toEqual({
    pubkey: to.toBase58(),
    signer: false,
    source: 'lookupTable',
    writable: true,
  });
  expect(parsed.transaction.message.instructions[0].parsed.info.destination).toBe(to.toBase58());
  // It is listed under the key that came from the table.
  expect((await result(node, 'getSignaturesForAddress', to.toBase58()))[0].signature).toBe(signature);
});
