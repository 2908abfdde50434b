import {
  BUY_DISCRIMINATOR,
  EVENT_DISCRIMINATOR,
  getBuyInstructionDataEncoder,
  getKaratEventEncoder,
  getSellInstructionDataEncoder,
  KARAT_PROGRAM_ADDRESS,
  type KaratEventArgs,
  MarketState,
  SELL_DISCRIMINATOR,
  TradeSide,
} from '@karat/program-client';
import { memoProgram, token2022Program } from '@karat/signer';
import {
  type AccountMeta,
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getAddressDecoder,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  pipe,
  type ReadonlyUint8Array,
  type Signature,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
  type TransactionError,
} from '@solana/kit';
import { getTransferCheckedInstructionDataEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import sodium from 'sodium-native';

import { type TradeId, type Uuid, uuidBytes, uuidOf } from '../../../src/domain/ids.js';
import { decodeTransaction } from '../../../src/indexer/decode/decode.js';
import { readTransaction, type TransactionResponse } from '../../../src/indexer/decode/transaction.js';
import type { DecodeView } from '../../../src/indexer/decode/view.js';
import { addressOf } from '../../chain/fixtures.js';

export const karat = KARAT_PROGRAM_ADDRESS;
export const tokenProgram = TOKEN_PROGRAM_ADDRESS;
export const partnerId = '0192f000-0000-7000-8000-0000000000aa' as Uuid;
export const tradeId = 'trd_0192f000-0000-7000-8000-000000000001' as TradeId;

/** The keys that sign scenes. */
const signing = new Map<Address, Buffer>();

/** A key that can sign scenes, the same for the same number. */
export function keyOf(byte: number): Address {
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, Buffer.alloc(32, byte));
  const address = getAddressDecoder().decode(publicKey);
  signing.set(address, secretKey);
  return address;
}

/** A compiled transaction with the signatures of all its signers, and the first of them in base58. */
export function signedByAll(compiled: Transaction): { wire: string; signature: Signature } {
  const sign = (signer: string): SignatureBytes => {
    const secretKey = signing.get(signer as Address);
    if (!secretKey) throw new Error(`${signer} cannot sign`);
    const bytes = Buffer.alloc(sodium.crypto_sign_BYTES);
    sodium.crypto_sign_detached(bytes, Buffer.from(compiled.messageBytes), secretKey);
    return new Uint8Array(bytes) as SignatureBytes;
  };
  const signers = Object.keys(compiled.signatures);
  const signatures = Object.fromEntries(signers.map((signer) => [signer, sign(signer)]));
  const [first = ''] = signers;
  return {
    wire: getBase64EncodedWireTransaction({ ...compiled, signatures }),
    signature: getBase58Decoder().decode(sign(first)) as Signature,
  };
}

export const keys = {
  service: keyOf(1),
  partnerWallet: keyOf(2),
  user: keyOf(3),
  userUsdc: keyOf(4),
  userGold: keyOf(5),
  treasuryAuthority: keyOf(6),
  treasuryUsdc: keyOf(7),
  treasuryGold: keyOf(8),
  feeUsdc: keyOf(9),
  usdcMint: keyOf(10),
  goldMint: keyOf(11),
  priceAccount: keyOf(12),
  config: keyOf(13),
  integrator: keyOf(14),
  stranger: keyOf(15),
  otherProgram: keyOf(16),
  otherIntegrator: keyOf(17),
  escrowGold: keyOf(18),
  usdcPriceAccount: keyOf(19),
};

/** One instruction that a program invoked. */
export interface Invoked {
  program: Address;
  accounts: Address[];
  data: ReadonlyUint8Array;
  depth: number;
}

/** A transaction with what a node returns of it; tests bend it before it is decoded. */
export interface Scene {
  instructions: Instruction[];
  /** What each instruction of the message invoked, by its place. */
  invoked: Map<number, Invoked[]>;
  error: TransactionError | null;
  trusted: Address[];
  feePayer: Address;
  /** What token accounts hold before and after; without those of which nothing depends. */
  balances?: { account: Address; before?: bigint; after?: bigint }[];
  /** Numbers of the trade, to build on. */
  event: KaratEventArgs;
}

const buyAmounts = { amountIn: 100_000_000n, amountOut: 24_267n, fee: 500_000n };
const sellAmounts = { amountIn: 24_267n, amountOut: 99_000_000n, fee: 497_000n };

/** A buy or sell as the service builds it and the program executes it: trade, then memo. */
export function givenTrade(side: 'buy' | 'sell' = 'buy'): Scene {
  const amounts = side === 'buy' ? buyAmounts : sellAmounts;
  const event: KaratEventArgs = {
    version: 1,
    kind: side === 'buy' ? BUY_DISCRIMINATOR : SELL_DISCRIMINATOR,
    partnerId: uuidBytes(partnerId),
    seq: 7n,
    id: uuidBytes(uuidOf(tradeId)),
    side: side === 'buy' ? TradeSide.Buy : TradeSide.Sell,
    ...amounts,
    feeBps: 50,
    price: 4_100_12000000n,
    exponent: -8,
    confidence: 80_000_000n,
    publishTime: 1_700_000_000n,
    marketState: MarketState.Open,
    actor: keys.user,
    counterparty: keys.partnerWallet,
  };
  return {
    instructions: [tradeOf(side, amounts.amountIn), memoOf(`karat|1|${side}|${tradeId}|${amounts.amountIn}`)],
    invoked: new Map([[0, [...transfersOf(side, amounts), eventCall(event)]]]),
    error: null,
    trusted: [keys.service],
    feePayer: keys.service,
    event,
  };
}

export function tradeOf(side: 'buy' | 'sell', amountIn: bigint): Instruction {
  const role = (address: Address, signs = false, writes = true): AccountMeta => ({
    address,
    role: signs ? AccountRole.READONLY_SIGNER : writes ? AccountRole.WRITABLE : AccountRole.READONLY,
  });
  const limits = { maxFeeBps: 1_000, expireAt: 1_800_000_000n, id: uuidBytes(uuidOf(tradeId)) };
  const most = 2n ** 64n - 1n;
  return {
    programAddress: karat,
    accounts: [
      role(keys.config, false, false),
      role(keys.integrator),
      role(keys.service, true),
      role(keys.partnerWallet, true),
      role(keys.user, true),
      role(keys.userUsdc),
      role(keys.userGold),
      role(keys.treasuryAuthority, false, false),
      role(keys.treasuryUsdc),
      role(keys.treasuryGold),
      role(keys.feeUsdc),
      role(keys.usdcMint, false, false),
      role(keys.goldMint, false, false),
      role(keys.priceAccount, false, false),
      role(tokenProgram, false, false),
      role(token2022Program, false, false),
      ...(side === 'buy' ? [role(keys.usdcPriceAccount, false, false)] : []),
      role(karat, false, false),
    ],
    data:
      side === 'buy'
        ? getBuyInstructionDataEncoder().encode({
            usdcIn: amountIn,
            minGoldOut: 1n,
            maxGoldOut: most,
            ...limits,
          })
        : getSellInstructionDataEncoder().encode({
            goldIn: amountIn,
            minUsdcOut: 1n,
            maxUsdcOut: most,
            ...limits,
          }),
  };
}

/** A memo; by default signed by the service, as the memo program demands of every account it is given. */
export function memoOf(
  text: string,
  signer: Address = keys.service,
  role = AccountRole.READONLY_SIGNER,
): Instruction {
  return {
    programAddress: memoProgram,
    accounts: [{ address: signer, role }],
    data: new TextEncoder().encode(text),
  };
}

export function transfersOf(
  side: 'buy' | 'sell',
  { amountIn, amountOut, fee }: { amountIn: bigint; amountOut: bigint; fee: bigint },
  depth = 2,
): Invoked[] {
  const usdc = (source: Address, target: Address, amount: bigint) =>
    transfer([source, keys.usdcMint, target, keys.user], amount, depth);
  const gold = (source: Address, target: Address, amount: bigint) =>
    transfer([source, keys.goldMint, target, keys.user], amount, depth, token2022Program);
  return side === 'buy'
    ? [
        usdc(keys.userUsdc, keys.treasuryUsdc, amountIn - fee),
        usdc(keys.userUsdc, keys.feeUsdc, fee),
        gold(keys.treasuryGold, keys.userGold, amountOut),
      ]
    : [
        gold(keys.userGold, keys.treasuryGold, amountIn),
        usdc(keys.treasuryUsdc, keys.userUsdc, amountOut),
        usdc(keys.treasuryUsdc, keys.feeUsdc, fee),
      ];
}

export function transfer(
  accounts: Address[],
  amount: bigint,
  depth = 2,
  program: Address = tokenProgram,
): Invoked {
  const data = getTransferCheckedInstructionDataEncoder().encode({ amount, decimals: 6 });
  return { program, accounts, data, depth };
}

/** The call by which the program gives itself an event, with what follows it. */
export function eventCall(
  event: KaratEventArgs,
  depth = 2,
  body: ReadonlyUint8Array = new Uint8Array(),
): Invoked {
  const data = Uint8Array.of(EVENT_DISCRIMINATOR, ...getKaratEventEncoder().encode(event), ...body);
  return { program: karat, accounts: [keys.config], data, depth };
}

/** The `getTransaction` response of a scene. */
export function responseOf(
  scene: Scene,
  slot = 1_000n,
): { signature: Signature; response: TransactionResponse } {
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayer(scene.feePayer, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: addressOf(99) as string as Blockhash, lastValidBlockHeight: 1n },
        m,
      ),
    (m) => appendTransactionMessageInstructions(scene.instructions, m),
  );
  const compiled = compileTransaction(message);
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(compiled.messageBytes);
  const indexOf = (key: Address): number => {
    const index = staticAccounts.indexOf(key);
    if (index < 0) throw new Error(`${key} is not in the message`);
    return index;
  };
  const { wire, signature } = signedByAll(compiled);
  const innerInstructions = [...scene.invoked].map(([index, list]) => ({
    index,
    instructions: list.map((item) => ({
      programIdIndex: indexOf(item.program),
      accounts: item.accounts.map(indexOf),
      data: getBase58Decoder().decode(item.data),
      stackHeight: item.depth,
    })),
  }));
  return {
    signature,
    response: {
      slot,
      transaction: [wire, 'base64'] as unknown as TransactionResponse['transaction'],
      meta: {
        err: scene.error,
        innerInstructions,
        ...balancesOf(scene, indexOf),
      },
    },
  };
}

function balancesOf({ balances = [] }: Scene, indexOf: (key: Address) => number) {
  const side = (name: 'before' | 'after') =>
    balances.flatMap(({ account, [name]: amount }) =>
      amount === undefined
        ? []
        : [{ accountIndex: indexOf(account), uiTokenAmount: { amount: amount.toString() } }],
    );
  return { preTokenBalances: side('before'), postTokenBalances: side('after') };
}

/** Decodes a scene as the indexer would. */
export function decode(scene: Scene) {
  const { signature, response } = responseOf(scene);
  return decodeTransaction(readTransaction(signature, response), viewOf(scene));
}

function viewOf(scene: Scene): DecodeView {
  return {
    programAddress: karat,
    trustedSigners: () => new Set(scene.trusted),
    treasury: keys,
    integratorOf: async (id) => (id === partnerId ? keys.integrator : keys.otherIntegrator),
  };
}

/** Has another program, called by the message in its place, make the trade of a scene. */
export function relay(scene: Scene): void {
  const buy = scene.instructions[0];
  if (!buy?.accounts || !buy.data) throw new Error('no buy');
  // The relay carries the same accounts and the program's address behind them.
  const accounts = [...buy.accounts, { address: karat, role: AccountRole.READONLY }];
  scene.instructions[0] = { programAddress: keys.otherProgram, accounts, data: new Uint8Array([1]) };
  scene.invoked.set(0, [
    { program: karat, accounts: buy.accounts.map(({ address }) => address), data: buy.data, depth: 2 },
    ...(scene.invoked.get(0) ?? []).map((call) => ({ ...call, depth: call.depth + 1 })),
  ]);
}
