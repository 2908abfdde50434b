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

// Expected is what Agave 3.0 does: `accounts-db/src/accounts.rs` (`load_lookup_table_addresses`),
// `transaction-status/src/parse_address_lookup_table.rs`, `account-decoder/src/parse_address_lookup_table.rs`.

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

/** The instructions of a finalized transaction in the form jsonParsed. */
async function parsedInstructions(signature: string) {
  node.warp({ slots: 31 });
  const config = { maxSupportedTransactionVersion: 0, encoding: 'jsonParsed' };
  return (await result(node, 'getTransaction', signature, config)).transaction.message.instructions;
}

test('create, extend, deactivate and close of a table, and the table itself, as jsonParsed', async () => {
  const authority = payer.publicKey;
  const recentSlot = (await connection.getSlot('processed')) - 1;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const common = { authority, lookupTable: table };
  const addresses = [Keypair.generate().publicKey];
  const extendSlot = await connection.getSlot('processed');
  const made = await send([
    create,
    AddressLookupTableProgram.extendLookupTable({ ...common, payer: authority, addresses }),
  ]);
  const base = { lookupTableAccount: table.toBase58(), lookupTableAuthority: authority.toBase58() };
  const paid = { payerAccount: authority.toBase58(), systemProgram: SystemProgram.programId.toBase58() };
  const [created, extended] = await parsedInstructions(made);
  expect(created).toMatchObject({
    program: 'address-lookup-table',
    parsed: {
      type: 'createLookupTable',
      info: { ...base, ...paid, bumpSeed: expect.any(Number), recentSlot },
    },
  });
  expect(extended.parsed).toEqual({
    type: 'extendLookupTable',
    info: { ...base, ...paid, newAddresses: addresses.map(String) },
  });
  const shown = async () =>
    (await result(node, 'getAccountInfo', table.toBase58(), { encoding: 'jsonParsed' })).value?.data.parsed;
  expect(await shown()).toEqual({
    type: 'lookupTable',
    info: {
      addresses: addresses.map(String),
      authority: authority.toBase58(),
      deactivationSlot: '18446744073709551615',
      lastExtendedSlot: String(extendSlot),
      lastExtendedSlotStartIndex: 0,
    },
  });
  const deactivated = await send([AddressLookupTableProgram.deactivateLookupTable(common)]);
  expect((await parsedInstructions(deactivated))[0].parsed).toEqual({
    type: 'deactivateLookupTable',
    info: base,
  });
  // A table may be closed once the slot of its deactivation has left SlotHashes: 512 slots later, no sooner.
  const close = AddressLookupTableProgram.closeLookupTable({ ...common, recipient: authority });
  await expect(send([close])).rejects.toThrow('invalid program argument');
  node.warp({ slots: 513 });
  const closed = await send([close]);
  expect((await parsedInstructions(closed))[0].parsed).toEqual({
    type: 'closeLookupTable',
    info: { ...base, recipient: authority.toBase58() },
  });
  expect(await shown()).toBeUndefined();
});

test('a frozen table as jsonParsed has no authority', async () => {
  const authority = payer.publicKey;
  const recentSlot = (await connection.getSlot('processed')) - 1;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const common = { authority, lookupTable: table };
  const addresses = [Keypair.generate().publicKey];
  const frozen = await send([
    create,
    AddressLookupTableProgram.extendLookupTable({ ...common, payer: authority, addresses }),
    AddressLookupTableProgram.freezeLookupTable(common),
  ]);
  expect((await parsedInstructions(frozen))[2].parsed.type).toBe('freezeLookupTable');
  const { value } = await result(node, 'getAccountInfo', table.toBase58(), { encoding: 'jsonParsed' });
  expect('authority' in value.data.parsed.info).toBe(false);
});

test('addresses are used from the slot after their extension on, and until a deactivated table has cooled down', async () => {
  // Agave's `AddressLookupTable::lookup`, whose errors sanitizing makes -32602, with or without a preflight.
  const authority = payer.publicKey;
  const recentSlot = (await connection.getSlot('processed')) - 1;
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const recipients = [Keypair.generate().publicKey, Keypair.generate().publicKey];
  const extension = (addresses: typeof recipients) =>
    AddressLookupTableProgram.extendLookupTable({ payer: authority, authority, lookupTable, addresses });
  const table = async () => {
    const { value } = await connection.getAddressLookupTable(lookupTable, { commitment: 'processed' });
    return value ? [value] : [];
  };
  const pay = async (index: number) =>
    send(
      [
        SystemProgram.transfer({
          fromPubkey: authority,
          toPubkey: recipients[index] ?? authority,
          lamports: 1e9 + index,
        }),
      ],
      await table(),
    );
  const [first, second] = recipients.map((one) => extension([one]));
  if (!first || !second) throw new Error('no extensions');
  await send([create, first]);
  await expect(pay(0)).rejects.toThrow(
    'invalid transaction: Transaction address table lookup uses an invalid index',
  );
  node.warp({ slots: 1 });
  await send([second]);
  await pay(0);
  await expect(pay(1)).rejects.toThrow('uses an invalid index');
  node.warp({ slots: 1 });
  await pay(1);

  const warm = await table();
  await send([AddressLookupTableProgram.deactivateLookupTable({ lookupTable, authority })]);
  const again = async () => {
    const transfer = { fromPubkey: authority, toPubkey: Keypair.generate().publicKey, lamports: 1e9 };
    const [known] = recipients;
    const mention = { pubkey: known ?? authority, isSigner: false, isWritable: false };
    const instruction = SystemProgram.transfer(transfer);
    instruction.keys.push(mention);
    return send([instruction], warm);
  };
  node.warp({ slots: 512 });
  await again();
  node.warp({ slots: 1 });
  await expect(again()).rejects.toThrow(
    "invalid transaction: Transaction loads an address table account that doesn't exist",
  );
});

test('a message that takes what a table does not have is -32602', async () => {
  const authority = payer.publicKey;
  const recentSlot = (await connection.getSlot('processed')) - 1;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const to = Keypair.generate().publicKey;
  await send([
    create,
    AddressLookupTableProgram.extendLookupTable({
      authority,
      payer: authority,
      lookupTable: table,
      addresses: [to],
    }),
  ]);
  node.warp({ slots: 1 });
  const { value } = await connection.getAddressLookupTable(table);
  if (!value) throw new Error('the table is missing');
  // The client is made to believe in a second address.
  value.state.addresses.unshift(Keypair.generate().publicKey);
  const transfer = SystemProgram.transfer({ fromPubkey: authority, toPubkey: to, lamports: 1e9 });
  await expect(send([transfer], [value])).rejects.toThrow('address table lookup uses an invalid index');
});
