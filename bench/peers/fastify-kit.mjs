// A quote as one builds it with Fastify and @solana/kit by their documentation: a schema, a pool of connections, the
// generated client's instructions, a message that is signed by the service's key and handed out for the other signatures.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getBuyInstruction } from '@karat/program-client';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createNoopSigner,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import Fastify from 'fastify';
import pg from 'pg';

const { databaseUrl, rpcUrl, keypair, port, accounts, priceE8 } = JSON.parse(process.env.PEER);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const rpc = createSolanaRpc(rpcUrl);
const service = await createKeyPairSignerFromBytes(new Uint8Array(JSON.parse(readFileSync(keypair, 'utf8'))));
const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const token2022Program = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

let blockhash = (await rpc.getLatestBlockhash().send()).value;
setInterval(async () => {
  blockhash = (await rpc.getLatestBlockhash().send()).value;
}, 1_000);

const schema = {
  body: {
    type: 'object',
    required: ['service_user_id', 'usdc_amount'],
    properties: { service_user_id: { type: 'string' }, usdc_amount: { type: 'number', exclusiveMinimum: 0 } },
  },
  response: {
    200: {
      type: 'object',
      properties: {
        trade_id: { type: 'string' },
        usdc_amount: { type: 'number' },
        gold_amount: { type: 'number' },
        fee_usd: { type: 'number' },
        partially_signed_transaction: { type: 'string' },
        last_valid_block_height: { type: 'integer' },
      },
    },
  },
};

const app = Fastify({ logger: true });

app.decorateRequest('partner', null);
app.addHook('preHandler', async (request, reply) => {
  const hash = createHash('sha256').update(String(request.headers['x-api-key'])).digest();
  const { rows } = await pool.query(
    'select k.partner_id, p.wallet, p.status from peer_keys k join peer_partners p on p.id = k.partner_id where k.hash = $1 and k.revoked_at is null',
    [hash],
  );
  const [partner] = rows;
  if (partner?.status !== 'active') return reply.code(401).send({ error: 'unauthorized' });
  request.partner = partner;
});

app.post('/v1/buy', { schema }, async (request, reply) => {
  const { service_user_id: userId, usdc_amount: usdcAmount } = request.body;
  const { rows } = await pool.query(
    'select wallet, status, kyc_level from peer_users where id = $1 and partner_id = $2',
    [userId, request.partner.partner_id],
  );
  const [found] = rows;
  if (found?.status !== 'active' || found.kyc_level !== 'full')
    return reply.code(403).send({ error: 'forbidden' });
  const usdcIn = BigInt(Math.round(usdcAmount * 1e6));
  const fee = (usdcIn * 50n + 9_999n) / 10_000n;
  const goldOut = ((usdcIn - fee) * 100_000_000n) / BigInt(priceE8);
  const tradeId = randomUUID();
  const user = createNoopSigner(address(found.wallet));
  const partnerWallet = createNoopSigner(address(request.partner.wallet));
  const [[userUsdc], [userGold]] = await Promise.all(
    [
      { mint: accounts.usdcMint, tokenProgram: TOKEN_PROGRAM_ADDRESS },
      { mint: accounts.goldMint, tokenProgram: token2022Program },
    ].map((token) => findAssociatedTokenPda({ owner: user.address, ...token })),
  );
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayerSigner(service, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(blockhash, m),
    (m) =>
      appendTransactionMessageInstructions(
        [
          getSetComputeUnitLimitInstruction({ units: 100_000 }),
          getSetComputeUnitPriceInstruction({ microLamports: 0n }),
          {
            programAddress: memoProgram,
            accounts: [{ address: service.address, role: AccountRole.READONLY_SIGNER }],
            data: new TextEncoder().encode(`karat:buy:${tradeId}:${usdcIn}`),
          },
          getCreateAssociatedTokenIdempotentInstruction({
            payer: partnerWallet,
            ata: userGold,
            owner: user.address,
            mint: accounts.goldMint,
            tokenProgram: token2022Program,
          }),
          getBuyInstruction(
            {
              ...accounts,
              integrator: accounts.integrators[request.partner.partner_id],
              serviceSigner: service,
              partnerWallet,
              user,
              userUsdc,
              userGold,
              usdcIn,
              minGoldOut: (goldOut * 9_950n) / 10_000n,
              maxGoldOut: (goldOut * 10_100n) / 10_000n,
              maxFeeBps: 50,
              expireAt: BigInt(Math.floor(Date.now() / 1_000) + 90),
              id: Buffer.from(tradeId.replaceAll('-', ''), 'hex'),
            },
            { programAddress: accounts.programAddress },
          ),
        ],
        m,
      ),
  );
  const transaction = await partiallySignTransactionMessageWithSigners(message);
  return {
    trade_id: tradeId,
    usdc_amount: usdcAmount,
    gold_amount: Number(goldOut) / 1e6,
    fee_usd: Number(fee) / 1e6,
    partially_signed_transaction: getBase64EncodedWireTransaction(transaction),
    last_valid_block_height: Number(blockhash.lastValidBlockHeight),
  };
});

await app.listen({ port, host: '127.0.0.1' });
