// Three small tools for a buy by hand (docs/first-trade.md):
//   node examples/first-buy.mjs address <key file>                        prints the wallet's address
//   node examples/first-buy.mjs sign-message <key file> <text>            prints the signature of a text, base64
//   node examples/first-buy.mjs sign-transaction <base64> <key file>...   prints the transaction with their signatures, base64
import { readFileSync } from 'node:fs';
import {
  createKeyPairSignerFromBytes,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import './one-line-errors.mjs';

const signerOf = (file) =>
  createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8'))));

const commands = {
  address: async (file) => (await signerOf(file)).address,

  'sign-message': async (file, text) => {
    const { keyPair } = await signerOf(file);
    return Buffer.from(await signBytes(keyPair.privateKey, Buffer.from(text))).toString('base64');
  },

  // Keeps the signature that the service has made. It signs what it is given, which is for trying things out: the SDK's
  // `buys.sign` compares the transaction with the request first.
  'sign-transaction': async (base64, ...files) => {
    const signers = await Promise.all(files.map(signerOf));
    const transaction = getTransactionDecoder().decode(Buffer.from(base64, 'base64'));
    const keyPairs = signers.map(({ keyPair }) => keyPair);
    return getBase64EncodedWireTransaction(await partiallySignTransaction(keyPairs, transaction));
  },
};

const [command, ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, command))
  throw new Error(`usage: first-buy.mjs ${Object.keys(commands).join('|')} …`);
console.log(await commands[command](...args));
