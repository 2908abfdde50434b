// Three small tools for a buy by hand (docs/first-buy.md), with @solana/web3.js 1.x:
//   node examples/first-buy.mjs address <key file>                        prints the wallet's address
//   node examples/first-buy.mjs sign-message <key file> <text>            prints the signature of a text, base64
//   node examples/first-buy.mjs sign-transaction <base64> <key file>...   prints the transaction with their signatures, base64
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Keypair, Transaction } from '@solana/web3.js';

const readKey = (file) => Keypair.fromSecretKey(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8'))));

const commands = {
  address: (file) => readKey(file).publicKey.toBase58(),

  'sign-message': (file, text) => {
    const seed = readKey(file).secretKey.subarray(0, 32);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return sign(null, Buffer.from(text), key).toString('base64');
  },

  'sign-transaction': (base64, ...files) => {
    const transaction = Transaction.from(Buffer.from(base64, 'base64'));
    transaction.partialSign(...files.map(readKey)); // keeps the signature that the service has made
    return transaction.serialize().toString('base64'); // throws when a signature is missing or wrong
  },
};

const [command, ...args] = process.argv.slice(2);
console.log(commands[command](...args));
