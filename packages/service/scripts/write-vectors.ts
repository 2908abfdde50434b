// Writes docs/vectors: transactions as quotes have them and as no quote has them, each with its request, its response, the
// network and the verdict of the check before signing (docs/transactions.md), for that check in any language. The good ones are
// built by the service's own code, from fixed keys. With --check writes nothing and exits with 1 when a committed file is another.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Config, findConfigPda } from '@karat/program-client';
import { writeTransaction } from '@karat/wire';
import {
  AccountRole,
  type Address,
  address,
  type Blockhash,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressDecoder,
  type Instruction,
  type KeyPairSigner,
  signBytes,
} from '@solana/kit';
import { buildRedemption, type RedemptionPayment } from '../src/chain/build/build-redemption.js';
import {
  TemplateTradeBuilder,
  type TradeFrame,
  type TradeTerms,
  tradeInstructions,
} from '../src/chain/build/build-trade.js';
import { compileLegacyMessage } from '../src/chain/build/compile-message.js';
import { viewTransaction } from '../src/chain/inspect/transaction-view.js';
import type { IntegratorEntry } from '../src/chain/program/integrator.js';
import { goldOf, tokenAccountOf, usdcOf } from '../src/chain/program/token-accounts.js';
import { asRedemptionId, asTradeId, type Uuid } from '../src/domain/ids.js';
import type { Gold } from '../src/domain/money.js';

const folder = fileURLToPath(new URL('../../../docs/vectors/', import.meta.url));

/** An address that is nobody's. */
const addressNamed = (name: string): Address =>
  getAddressDecoder().decode(Buffer.alloc(32, `vector of ${name} `));
const keyNamed = (name: string) =>
  createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(Buffer.alloc(32, `key of ${name} `)));

const [service, nextService, partner, user, thief] = await Promise.all(
  ['service', 'next service', 'partner', 'user', 'thief'].map(keyNamed),
);
if (!service || !nextService || !partner || !user || !thief) throw new Error('a key is missing');
const programAddress = addressNamed('program');
const config = {
  usdcMint: addressNamed('usdc mint'),
  goldMint: addressNamed('gold mint'),
  treasuryAuthority: addressNamed('treasury'),
  treasuryUsdc: addressNamed('treasury usdc'),
  treasuryGold: addressNamed('treasury gold'),
  feeUsdc: addressNamed('fee usdc'),
  escrowGold: addressNamed('escrow'),
  settings: { priceAccount: addressNamed('price'), usdcPriceAccount: addressNamed('usdc price') },
} as Config;
const network = {
  program_id: programAddress,
  usdc_mint: config.usdcMint,
  gold_mint: config.goldMint,
  service_signers: [service.address, nextService.address],
};
const blockhash = addressNamed('blockhash') as string as Blockhash;
const computeUnitPrice = 100_000n;
const [configAddress] = await findConfigPda({ programAddress });

const uuid = '01a2269e-3c56-75a1-b0e8-90fec92dff2e';
const otherUuid = '01a2269e-3c56-75a1-b0e8-90fec92dff2f';
const tradeIdOf = (of: string) => known(asTradeId(`trd_${of}`));
const redemptionIdOf = (of: string) => known(asRedemptionId(`red_${of}`));
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('an id is none');
  return value;
}

interface Wallets {
  user_wallet: string;
  partner_wallets: readonly string[];
  partner_id?: string;
}

interface Vector {
  name: string;
  kind: 'buy' | 'sell' | 'redemption';
  request: object;
  response: object;
  network: object;
  wallets: Wallets;
  transaction: string;
  verdict: 'good' | 'bad';
  /** Of a bad one: what differs. */
  difference?: string;
}

const wallets: Wallets = { user_wallet: user.address, partner_wallets: [partner.address] };
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

async function signed(instructions: Instruction[], feePayer: KeyPairSigner): Promise<Uint8Array> {
  const message = compileLegacyMessage(feePayer.address, blockhash, instructions);
  return writeTransaction(message, await signBytes(feePayer.keyPair.privateKey, message));
}

const signerOf = ({ address, keyPair }: KeyPairSigner) => ({
  address,
  sign: (message: Uint8Array) => signBytes(keyPair.privateKey, message),
  close: async () => {},
});

const integrator = (wallet: Address): IntegratorEntry =>
  ({ address: addressNamed('integrator'), data: { partnerWallet: wallet } }) as IntegratorEntry;

interface Trade {
  terms: TradeTerms;
  request: object;
  response: object;
}

/** A buy of 1,000 USDC and a sell of 0.25 GOLD at 4,100.12 USD, with a fee of 50 basis points. */
const trades: Record<'buy' | 'sell', Trade> = {
  buy: {
    terms: termsOf('buy', 1_000_000_000n, 242_676n, 241_462n, 245_102n),
    request: { service_user_id: 'gu_1', usdc_amount: 1000 },
    response: responseOf('buy', {
      usdc_amount: 1000,
      gold_amount: 0.242676,
      fee_usd: 5,
      min_gold_out: 0.241462,
    }),
  },
  sell: {
    terms: termsOf('sell', 250_000n, 1_019_904_850n, 1_014_805_325n, 1_030_103_898n),
    request: { service_user_id: 'gu_1', gold_amount: 0.25 },
    response: responseOf('sell', {
      gold_amount: 0.25,
      usdc_amount: 1019.90485,
      fee_usd: 5.12515,
      min_usdc_out: 1014.805325,
    }),
  },
};

function termsOf(
  side: 'buy' | 'sell',
  amountIn: bigint,
  _quoted: bigint,
  min: bigint,
  max: bigint,
): TradeTerms {
  return {
    side,
    tradeId: tradeIdOf(uuid),
    amountIn,
    minAmountOut: min,
    maxAmountOut: max,
    maxFeeBps: 50,
    expireAtSeconds: 1_795_944_438n,
    user: known(user).address,
    integrator: integrator(known(partner).address),
    config,
    blockhash,
    userPaysRent: false,
  };
}

function responseOf(side: 'buy' | 'sell', quote: object): object {
  return { trade_id: tradeIdOf(uuid), side, quote: { ...quote, price_per_troy_oz: 4100.12, fee_bps: 50 } };
}

async function buildTrade(terms: TradeTerms, signer: KeyPairSigner): Promise<Uint8Array> {
  const builder = new TemplateTradeBuilder({ programAddress, signer: signerOf(signer), computeUnitPrice });
  return builder.build(terms);
}

/** The instructions of a trade, as the service makes them. */
function instructionsOf(terms: TradeTerms, frame: Partial<TradeFrame> = {}): Instruction[] {
  const { user: wallet } = terms;
  const own = {
    user: wallet,
    userUsdc: tokenAccountOf(wallet, usdcOf(config)),
    userGold: tokenAccountOf(wallet, goldOf(config)),
  };
  const usual = { programAddress, configAddress, serviceSigner: known(service).address, computeUnitPrice };
  return tradeInstructions({ ...usual, ...frame }, terms, own);
}

const replaced = <T>(all: readonly T[], at: number, change: (one: T) => T): T[] =>
  all.map((one, index) => (index === at ? change(one) : one));
const naming = (from: Address, to: Address) => (instruction: Instruction) => ({
  ...instruction,
  accounts: (instruction.accounts ?? []).map((each) =>
    each.address === from ? { ...each, address: to } : each,
  ),
});
const saying = (text: string) => (instruction: Instruction) => ({ ...instruction, data: Buffer.from(text) });
const pushingByte = (bytes: Uint8Array) => Uint8Array.from([...bytes, 0]);

const systemProgram = address('11111111111111111111111111111111');
/** Moves SOL, as the System program has it: u32 2, u64 lamports. */
function transferOf(from: Address, lamports: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  const accounts = [
    { address: from, role: AccountRole.WRITABLE_SIGNER },
    { address: known(thief).address, role: AccountRole.WRITABLE },
  ];
  return { programAddress: systemProgram, accounts, data };
}

/** The same message in version 0, with a lookup table: another prefix, and the table behind the instructions. */
function asVersion0(transaction: Uint8Array): Uint8Array {
  const messageAt = 1 + 64 * (transaction[0] ?? 0);
  const table = [1, ...Buffer.from(Buffer.alloc(32, 'a table ')), 0, 1, 0];
  return Uint8Array.from([
    ...transaction.slice(0, messageAt),
    0x80,
    ...transaction.slice(messageAt),
    ...table,
  ]);
}

/** The same with the number of its accounts in two bytes where one is enough. */
function withLongCount(transaction: Uint8Array): Uint8Array {
  const countAt = 1 + 64 * (transaction[0] ?? 0) + 3;
  const count = transaction[countAt] ?? 0;
  return Uint8Array.from([
    ...transaction.slice(0, countAt),
    count | 0x80,
    0,
    ...transaction.slice(countAt + 1),
  ]);
}

/** The same with its last account replaced by the first. */
function withAccountTwice(transaction: Uint8Array): Uint8Array {
  const accountsAt = 1 + 64 * (transaction[0] ?? 0) + 4;
  const bytes = Uint8Array.from(transaction);
  bytes.copyWithin(accountsAt + 32 * ((bytes[accountsAt - 1] ?? 1) - 1), accountsAt, accountsAt + 32);
  return bytes;
}

type Bad = readonly [
  name: string,
  difference: string,
  transaction: Uint8Array | Promise<Uint8Array>,
  more?: Partial<Vector>,
];

async function tradeVectors(side: 'buy' | 'sell'): Promise<Vector[]> {
  const { terms, request, response } = trades[side];
  const [own, other] = [known(service), known(thief)];
  const plain = instructionsOf(terms);
  const transaction = await buildTrade(terms, own);
  const make = (change: Partial<TradeTerms>) => buildTrade({ ...terms, ...change }, own);
  const of = (instructions: Instruction[], feePayer = own) => signed(instructions, feePayer);
  const memo = (text: string) => of(replaced(plain, 2, saying(text)));
  const base = { kind: side, request, response, network, wallets } as const;
  const out = side === 'buy' ? 'gold_amount' : 'usdc_amount';
  const floor = side === 'buy' ? 'min_gold_out' : 'min_usdc_out';
  const byOut = { service_user_id: 'gu_1', [out]: side === 'buy' ? 0.242676 : 1019.90485 };
  const withFloor = { ...request, [floor]: side === 'buy' ? 0.24 : 1000.5 };
  const floored = side === 'buy' ? 240_000n : 1_000_500_000n;
  const flooredResponse = {
    ...response,
    quote: { ...(response as { quote: object }).quote, [floor]: side === 'buy' ? 0.24 : 1000.5 },
  };
  const good: [string, Uint8Array, Partial<Vector>?][] = [
    ['the amount that goes in is requested', transaction],
    ['the amount that comes out is requested', transaction, { request: byOut }],
    [
      'the least that comes out is requested',
      await make({ minAmountOut: floored }),
      { request: withFloor, response: flooredResponse },
    ],
    [
      'the least that comes out is requested with more decimals than there are, which are rounded up',
      await make({ minAmountOut: floored }),
      {
        request: { ...request, [floor]: side === 'buy' ? 0.2399991 : 1000.4999991 },
        response: flooredResponse,
      },
    ],
    [
      'another slippage is requested',
      await make({ minAmountOut: side === 'buy' ? 240_249n : 1_009_705_801n }),
      slipping(side, request, response, floor),
    ],
    ['the user pays for the token account', await make({ userPaysRent: true })],
    ['the other key of the service pays', await buildTrade(terms, known(nextService))],
    [
      'the wallets of the partner are not known',
      transaction,
      { wallets: { ...wallets, partner_wallets: [] } },
    ],
  ];
  const otherSide = side === 'buy' ? 'sell' : 'buy';
  const bad: Bad[] = [
    [
      'SOL of the partner is moved instead',
      'fee_payer',
      of([transferOf(known(partner).address, 1_000_000_000n)], known(partner)),
    ],
    [
      'SOL of the partner is moved, and the service pays the fee',
      'instructions',
      of([transferOf(known(partner).address, 1_000_000_000n)]),
    ],
    ['SOL of the user is moved as well', 'instructions', of([...plain, transferOf(known(user).address, 1n)])],
    [
      'SOL is moved in place of the account that is created',
      'instructions',
      of(replaced(plain, 3, () => transferOf(known(partner).address, 1n))),
    ],
    ['an instruction is missing', 'instructions', of(plain.slice(1))],
    [
      'another program is called',
      'program',
      of(instructionsOf(terms, { programAddress: addressNamed('another program') })),
    ],
    ['another pays the fee', 'fee_payer', buildTrade(terms, other)],
    ['the partner pays the fee', 'fee_payer', of(plain, known(partner))],
    [
      'partner and user have changed places',
      'user',
      make({ user: known(partner).address, integrator: integrator(known(user).address) }),
    ],
    ['it is of another user', 'user', make({ user: other.address })],
    [
      'the user is in the place of the partner too',
      'partner',
      make({ integrator: integrator(known(user).address) }),
    ],
    ['it is of another partner', 'partner', make({ integrator: integrator(other.address) })],
    [
      'another has to sign as well',
      'signers',
      of(
        replaced(plain, 4, (call) => ({
          ...call,
          accounts: replaced(call.accounts ?? [], 0, (one) => ({
            ...one,
            role: AccountRole.WRITABLE_SIGNER,
          })),
        })),
      ),
    ],
    [
      'an account is added to the call',
      'accounts',
      of(
        replaced(plain, 4, (call) => ({
          ...call,
          accounts: [...(call.accounts ?? []), { address: other.address, role: AccountRole.WRITABLE }],
        })),
      ),
    ],
    [
      'the mint of GOLD is another',
      'mint',
      of(plain.map(naming(config.goldMint, addressNamed('another mint')))),
    ],
    [
      'the mint of USDC is another',
      'mint',
      of(plain.map(naming(config.usdcMint, addressNamed('another mint')))),
    ],
    [
      'the account that is created belongs to another',
      'token_account',
      of(replaced(plain, 3, naming(known(user).address, other.address))),
    ],
    [
      'the account that is created is another than the one of the trade',
      'token_account',
      of(
        replaced(plain, 4, (call) => ({
          ...call,
          accounts: replaced(call.accounts ?? [], side === 'buy' ? 6 : 5, (one) => ({
            ...one,
            address: addressNamed('another account'),
          })),
        })),
      ),
    ],
    [
      'the service pays for the account that is created',
      'token_account',
      of(
        replaced(plain, 3, (one) => ({
          ...one,
          accounts: replaced(one.accounts ?? [], 0, (payer) => ({ ...payer, address: own.address })),
        })),
      ),
    ],
    [
      'the other side is traded',
      'accounts',
      of([...plain.slice(0, 4), known(instructionsOf({ ...terms, side: otherSide })[4])]),
    ],
    ['the amount is ten times as much', 'amount', make({ amountIn: terms.amountIn * 10n })],
    ['the amount is one unit less', 'amount', make({ amountIn: terms.amountIn - 1n })],
    ['the least that comes out is one unit less', 'minimum', make({ minAmountOut: terms.minAmountOut - 1n })],
    ['the least that comes out is nothing', 'minimum', make({ minAmountOut: 0n })],
    ['the least that was requested is not kept', 'minimum', transaction, { request: withFloor }],
    [
      'the quote itself has less than the slippage allows',
      'minimum',
      make({ minAmountOut: floored }),
      { response: flooredResponse },
    ],
    [
      'the request names no amount, so that any would be its own',
      'amount',
      transaction,
      { request: { service_user_id: 'gu_1' } },
    ],
    [
      'less is quoted than was requested',
      'minimum',
      transaction,
      { request: { service_user_id: 'gu_1', [out]: side === 'buy' ? 0.3 : 1100 } },
    ],
    [
      'far more may be traded than was requested',
      'maximum',
      make({ maxAmountOut: terms.maxAmountOut * 2n }),
      { request: byOut },
    ],
    ['no more comes out than less than was quoted', 'maximum', make({ maxAmountOut: terms.minAmountOut })],
    ['the highest fee is another', 'fee', make({ maxFeeBps: 51 })],
    [
      'the call has another id',
      'id',
      of([...plain.slice(0, 4), known(instructionsOf({ ...terms, tradeId: tradeIdOf(otherUuid) })[4])]),
    ],
    ['the memo has another id', 'memo', memo(`karat|1|${side}|trd_${otherUuid}|${terms.amountIn}`)],
    ['the memo has another amount', 'memo', memo(`karat|1|${side}|trd_${uuid}|1`)],
    [
      'the memo begins with a byte order mark',
      'memo',
      memo(`\uFEFFkarat|1|${side}|trd_${uuid}|${terms.amountIn}`),
    ],
    ['the memo says more', 'memo', memo(`karat|1|${side}|trd_${uuid}|${terms.amountIn} `)],
    [
      'a heap is requested in place of the compute unit price',
      'compute_budget',
      of(replaced(plain, 1, (one) => ({ ...one, data: Uint8Array.of(1, 0, 0, 4, 0) }))),
    ],
    ...unreadable(transaction),
  ];
  return [
    ...good.map(
      ([name, bytes, more]): Vector => ({
        name,
        ...base,
        ...more,
        transaction: base64(bytes),
        verdict: 'good',
      }),
    ),
    ...(await refused(bad, base)),
  ];
}

function slipping(side: 'buy' | 'sell', request: object, response: object, floor: string): Partial<Vector> {
  const least = side === 'buy' ? 0.240249 : 1009.705801;
  const quote = { ...(response as { quote: object }).quote, [floor]: least };
  return { request: { ...request, slippage_bps: 100 }, response: { ...response, quote } };
}

function unreadable(transaction: Uint8Array): Bad[] {
  return [
    ['it is of version 0, with a lookup table', 'version', asVersion0(transaction)],
    ['a byte follows its end', 'malformed', pushingByte(transaction)],
    ['its last byte is missing', 'malformed', transaction.slice(0, -1)],
    ['a count is not in its shortest form', 'malformed', withLongCount(transaction)],
    ['it names an account twice', 'malformed', withAccountTwice(transaction)],
    ['it is empty', 'malformed', new Uint8Array()],
  ];
}

async function refused(
  bad: Bad[],
  base: Omit<Vector, 'name' | 'transaction' | 'verdict'>,
): Promise<Vector[]> {
  return Promise.all(
    bad.map(async ([name, difference, transaction, more]): Promise<Vector> => {
      return { name, ...base, ...more, transaction: base64(await transaction), verdict: 'bad', difference };
    }),
  );
}

async function redemptionVectors(): Promise<Vector[]> {
  const [own, other] = [known(service), known(thief)];
  const payment: RedemptionPayment = {
    redemptionId: redemptionIdOf(uuid),
    partnerId: otherUuid as Uuid,
    amount: 382_501n as Gold,
    user: known(user).address,
    goldMint: config.goldMint,
    escrowGold: config.escrowGold,
    blockhash,
  };
  const build = async (change: Partial<RedemptionPayment> = {}, signer = own, program = programAddress) => {
    const chain = { programAddress: program, computeUnitPrice, signer: signerOf(signer) };
    return (await buildRedemption(chain, { ...payment, ...change })).transaction;
  };
  const request = { service_user_id: 'gu_1', denomination_id: 'pk_tola_1', city: 'Karachi' };
  const response = {
    redemption_id: payment.redemptionId,
    quote: { denomination: '1 tola', weight_g: 11.6638, tokens_required: '0.382501' },
  };
  const base = {
    kind: 'redemption',
    request,
    response,
    network,
    wallets: { ...wallets, partner_wallets: [], partner_id: payment.partnerId },
  } as const;
  const transaction = await build();
  const view = viewTransaction(transaction);
  const [, , note, call] = view.instructions;
  if (!note || !call) throw new Error('a redemption has four instructions');
  /** What the service makes, to be changed. */
  const plain = view.instructions.map(({ program, accounts, data }): Instruction => {
    const roleOf = (at: number) => {
      const isSigner = accounts[at] === own.address || accounts[at] === payment.user;
      if (isSigner) return AccountRole.READONLY_SIGNER;
      return [1, 4, 5, 7].includes(at) ? AccountRole.WRITABLE : AccountRole.READONLY;
    };
    const metas = accounts.map((each, at) => ({ address: known(each), role: roleOf(at) }));
    return { programAddress: known(program), accounts: metas, data };
  });
  const of = (instructions: Instruction[], feePayer = own) => signed(instructions, feePayer);
  const at = (place: number, to: Address, role = AccountRole.WRITABLE_SIGNER) =>
    of(
      replaced(plain, 3, (one) => ({
        ...one,
        accounts: replaced(one.accounts ?? [], place, () => ({ address: to, role })),
      })),
    );
  const bad: Bad[] = [
    [
      'SOL of the user is moved instead',
      'fee_payer',
      of([transferOf(payment.user, 1_000_000_000n)], known(user)),
    ],
    ['SOL of the user is moved as well', 'instructions', of([...plain, transferOf(payment.user, 1n)])],
    ['another program is called', 'program', build({}, own, addressNamed('another program'))],
    ['another pays the fee', 'fee_payer', build({}, other)],
    ['it is of another user', 'user', build({ user: other.address })],
    ['it is of another partner', 'partner', build({ partnerId: uuid as Uuid })],
    ['the user pays the rent', 'accounts', at(0, payment.user)],
    ['another has to sign as well', 'signers', at(5, other.address)],
    ['the mint is another', 'mint', at(6, addressNamed('another mint'), AccountRole.READONLY)],
    ['it takes more than the quote requires', 'amount', build({ amount: 382_502n as Gold })],
    [
      'it takes more than the request allows',
      'maximum',
      transaction,
      { request: { ...request, max_tokens: 0.3825 } },
    ],
    ['it is another redemption', 'id', build({ redemptionId: redemptionIdOf(otherUuid) })],
    [
      'the memo has another id',
      'memo',
      of(replaced(plain, 2, saying(`karat|1|redeem|red_${otherUuid}|382501`))),
    ],
    ...unreadable(transaction),
  ];
  const good: [string, Uint8Array, object?][] = [
    ['a bar is paid', transaction],
    [
      'a bar is paid that costs no more than the request allows',
      transaction,
      { ...request, max_tokens: 0.382501 },
    ],
    ['the other key of the service pays', await build({}, known(nextService))],
  ];
  return [
    ...good.map(
      ([name, bytes, wanted = request]): Vector => ({
        name,
        ...base,
        request: wanted,
        transaction: base64(bytes),
        verdict: 'good',
      }),
    ),
    ...(await refused(bad, base)),
  ];
}

const files = {
  'buy.json': await tradeVectors('buy'),
  'sell.json': await tradeVectors('sell'),
  'redemption.json': await redemptionVectors(),
};
const isCheck = process.argv.includes('--check');
if (!isCheck) mkdirSync(folder, { recursive: true });
for (const [name, vectors] of Object.entries(files)) {
  const text = `${JSON.stringify(vectors, null, 2)}\n`;
  const path = `${folder}${name}`;
  if (!isCheck) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) process.exitCode = 1;
}
