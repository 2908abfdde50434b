// The same quote as one builds it with Express and @solana/web3.js 1 by their documentation.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import express from 'express';
import pg from 'pg';

const { databaseUrl, rpcUrl, keypair, port, accounts, priceE8 } = JSON.parse(process.env.PEER);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const connection = new Connection(rpcUrl, 'confirmed');
const service = Keypair.fromSecretKey(new Uint8Array(JSON.parse(readFileSync(keypair, 'utf8'))));
const memoProgram = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const token2022Program = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const associatedTokenProgram = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const key = Object.fromEntries(
  Object.entries(accounts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, new PublicKey(text)]] : [],
  ),
);

let blockhash = await connection.getLatestBlockhash();
setInterval(async () => {
  blockhash = await connection.getLatestBlockhash();
}, 1_000);

function associatedTokenAddress(owner, mint, program) {
  const seeds = [owner.toBuffer(), program.toBuffer(), mint.toBuffer()];
  return PublicKey.findProgramAddressSync(seeds, associatedTokenProgram)[0];
}

const readonly = (pubkey) => ({ pubkey, isSigner: false, isWritable: false });
const writable = (pubkey) => ({ pubkey, isSigner: false, isWritable: true });
const signer = (pubkey) => ({ pubkey, isSigner: true, isWritable: false });
const payer = (pubkey) => ({ pubkey, isSigner: true, isWritable: true });

const app = express();
app.use(express.json());

app.use(async (request, response, next) => {
  const hash = createHash('sha256')
    .update(String(request.get('x-api-key')))
    .digest();
  const { rows } = await pool.query(
    'select k.partner_id, p.wallet, p.status from peer_keys k join peer_partners p on p.id = k.partner_id where k.hash = $1 and k.revoked_at is null',
    [hash],
  );
  const [partner] = rows;
  if (partner?.status !== 'active') return response.status(401).json({ error: 'unauthorized' });
  request.partner = partner;
  next();
});

app.post('/v1/buy', async (request, response) => {
  const { service_user_id: userId, usdc_amount: usdcAmount } = request.body;
  if (typeof userId !== 'string' || typeof usdcAmount !== 'number' || usdcAmount <= 0)
    return response.status(400).json({ error: 'invalid_request' });
  const { rows } = await pool.query(
    'select wallet, status, kyc_level from peer_users where id = $1 and partner_id = $2',
    [userId, request.partner.partner_id],
  );
  const [found] = rows;
  if (found?.status !== 'active' || found.kyc_level !== 'full')
    return response.status(403).json({ error: 'forbidden' });
  const usdcIn = BigInt(Math.round(usdcAmount * 1e6));
  const fee = (usdcIn * 50n + 9_999n) / 10_000n;
  const goldOut = ((usdcIn - fee) * 100_000_000n) / BigInt(priceE8);
  const tradeId = randomUUID();
  const user = new PublicKey(found.wallet);
  const partnerWallet = new PublicKey(request.partner.wallet);
  const userUsdc = associatedTokenAddress(user, key.usdcMint, tokenProgram);
  const userGold = associatedTokenAddress(user, key.goldMint, token2022Program);

  const data = Buffer.alloc(51);
  data.writeUInt8(accounts.buy, 0);
  data.writeBigUInt64LE(usdcIn, 1);
  data.writeBigUInt64LE((goldOut * 9_950n) / 10_000n, 9);
  data.writeBigUInt64LE((goldOut * 10_100n) / 10_000n, 17);
  data.writeUInt16LE(50, 25);
  data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1_000) + 90), 27);
  data.write(tradeId.replaceAll('-', ''), 35, 'hex');

  const transaction = new Transaction({ feePayer: service.publicKey, ...blockhash }).add(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 0 }),
    new TransactionInstruction({
      programId: memoProgram,
      keys: [signer(service.publicKey)],
      data: Buffer.from(`karat:buy:${tradeId}:${usdcIn}`),
    }),
    new TransactionInstruction({
      programId: associatedTokenProgram,
      keys: [
        payer(partnerWallet),
        writable(userGold),
        readonly(user),
        readonly(key.goldMint),
        readonly(SystemProgram.programId),
        readonly(token2022Program),
      ],
      data: Buffer.from([1]),
    }),
    new TransactionInstruction({
      programId: key.programAddress,
      keys: [
        writable(key.config),
        writable(new PublicKey(accounts.integrators[request.partner.partner_id])),
        signer(service.publicKey),
        signer(partnerWallet),
        signer(user),
        writable(userUsdc),
        writable(userGold),
        readonly(key.treasuryAuthority),
        writable(key.treasuryUsdc),
        writable(key.treasuryGold),
        writable(key.feeUsdc),
        readonly(key.usdcMint),
        readonly(key.goldMint),
        readonly(key.priceAccount),
        readonly(tokenProgram),
        readonly(token2022Program),
        readonly(key.usdcPriceAccount),
        readonly(key.programAddress),
      ],
      data,
    }),
  );
  transaction.partialSign(service);
  response.json({
    trade_id: tradeId,
    usdc_amount: usdcAmount,
    gold_amount: Number(goldOut) / 1e6,
    fee_usd: Number(fee) / 1e6,
    partially_signed_transaction: transaction.serialize({ requireAllSignatures: false }).toString('base64'),
    last_valid_block_height: blockhash.lastValidBlockHeight,
  });
});

app.listen(port, '127.0.0.1');
