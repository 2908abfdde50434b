// Four small tools for a treasurer's day by hand (docs/tradebook-guide.md), with @solana/web3.js 1.x:
//   node examples/tradebook.mjs new-wallet <key file>                         makes a wallet, prints its address
//   node examples/tradebook.mjs address <key file>...                         prints the addresses of wallets
//   node examples/tradebook.mjs sign-challenge <key file> <name> [<days>]     challenge in, request for a key out
//   node examples/tradebook.mjs sign-order <key file>                         response to an order in, signed request for submit out
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Keypair, Transaction } from '@solana/web3.js';
import './one-line-errors.mjs';

const readKey = (file) => Keypair.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8'))));

const readResponse = () => {
  const text = readFileSync(0, 'utf8'); // standard input
  if (text === '') throw new Error('standard input has no response: does the service run?');
  const { data, error } = JSON.parse(text);
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return data;
};

const commands = {
  'new-wallet': (file) => {
    const key = Keypair.generate();
    writeFileSync(file, JSON.stringify([...key.secretKey]), { mode: 0o600, flag: 'wx' });
    return key.publicKey.toBase58();
  },

  address: (...files) => files.map((file) => readKey(file).publicKey.toBase58()).join(' '),

  'sign-challenge': (file, keyName, days) => {
    const { challengeId, message } = readResponse();
    const seed = readKey(file).secretKey.subarray(0, 32);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    const signature = sign(null, Buffer.from(message), key).toString('base64');
    return JSON.stringify({ challengeId, signature, keyName, expirationDays: days && Number(days) });
  },

  'sign-order': (file) => {
    const { serializedTx, signingInstructions } = readResponse().transaction;
    const key = readKey(file);
    const signers = signingInstructions.signers.join();
    if (signers !== key.publicKey.toBase58()) throw new Error(`${file} is not the wallet of ${signers}`);
    const transaction = Transaction.from(Buffer.from(serializedTx, 'base64'));
    transaction.sign(key);
    return JSON.stringify({ signedTransaction: transaction.serialize().toString('base64') });
  },
};

const [command, ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, command))
  throw new Error(`usage: tradebook.mjs ${Object.keys(commands).join('|')} …`);
console.log(commands[command](...args));
