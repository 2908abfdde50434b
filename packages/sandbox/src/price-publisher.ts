import { RpcError } from '@karat/localnet';
import { parseDecimal } from '@karat/service/domain';
import type { PriceSettings } from '@karat/service/seed';
import type { Address } from '@solana/kit';
import { priceAccountData, usdcAtPar } from './own-chain.js';
import { priceDecimals, priceWalk } from './price-walk.js';

const everyMs = 1_000;
/** 0.8 dollars. */
const walkConfidence = 8n * 10n ** BigInt(priceDecimals - 1);
const walkSeed = 4_100;
const accountLamports = 2_000_000n;

/** What the publisher needs of a localnet. */
export interface PublishingNode {
  setAccount(
    address: string,
    state: { lamports: bigint; owner: string; data: Uint8Array; executable: boolean },
  ): void;
  getAccount(address: string): { data: Uint8Array } | undefined;
  /** Returns the chain's clock, warps included. */
  nowUnixSeconds(): number;
  onWarp(listener: () => void): () => void;
}

interface Pin {
  price: bigint;
  confidence: bigint;
  /** Undefined: the chain's time at each publication. */
  publishTime: bigint | undefined;
}

export interface PricePublisher {
  /** Extra methods of the node: `karat_setPrice`, `karat_setUsdcPrice` and `karat_freezePrice`. */
  methods: Record<string, (params: unknown[]) => unknown>;
  start(node: PublishingNode): void;
  stop(): void;
}

/**
 * Publishes the prices of gold and of USDC every second, as the owner of the feeds would: a walk and one dollar, or the
 * prices that `karat_setPrice` and `karat_setUsdcPrice` pinned, until `karat_freezePrice` stops both. The methods can be
 * registered before there is a node.
 */
export function createPricePublisher(settings: PriceSettings): PricePublisher {
  const walk = priceWalk(walkSeed);
  let node: PublishingNode | undefined;
  let timer: NodeJS.Timeout | undefined;
  let deaf = () => {};
  let pin: Pin | undefined;
  let usdcPin: Pin | undefined;
  let frozen = false;

  const write = (to: PublishingNode, account: Address, feedId: PriceSettings['feedId'], shown: Pin) => {
    const data = priceAccountData({
      feedId,
      price: shown.price,
      confidence: shown.confidence,
      exponent: -priceDecimals,
      publishTimeSeconds: shown.publishTime ?? BigInt(to.nowUnixSeconds()),
      postedSlot: slotOf(to),
    });
    to.setAccount(account, {
      lamports: accountLamports,
      owner: settings.priceOwner,
      data,
      executable: false,
    });
  };
  const publish = () => {
    if (!node || frozen) return;
    const gold = pin ?? { price: walk(), confidence: walkConfidence, publishTime: undefined };
    write(node, settings.priceAccount, settings.feedId, gold);
    const usdc = usdcPin ?? { ...usdcAtPar, publishTime: undefined };
    write(node, settings.usdcPriceAccount, settings.usdcFeedId, usdc);
  };

  return {
    methods: {
      karat_setPrice: (params) => {
        pin = readPin('karat_setPrice', params, walkConfidence);
        publish();
        return true;
      },
      karat_setUsdcPrice: (params) => {
        usdcPin = readPin('karat_setUsdcPrice', params, usdcAtPar.confidence);
        publish();
        return true;
      },
      karat_freezePrice: (params) => {
        const [freeze] = params;
        if (params.length !== 1 || typeof freeze !== 'boolean') {
          throw fault('karat_freezePrice takes true or false');
        }
        frozen = freeze;
        publish();
        return true;
      },
    },
    start(givenNode) {
      node = givenNode;
      publish();
      timer = setInterval(publish, everyMs);
      // After a warp the last price is suddenly old; a real feed would have gone on meanwhile.
      deaf = givenNode.onWarp(publish);
    },
    stop() {
      clearInterval(timer);
      deaf();
      node = undefined;
    },
  };
}

function readPin(method: string, params: unknown[], usualConfidence: bigint): Pin | undefined {
  const [desired] = params;
  if (params.length === 1 && desired === null) return undefined;
  if (params.length !== 1 || typeof desired !== 'object' || desired === null || Array.isArray(desired)) {
    throw fault(`${method} takes {price, confidence?, publishTime?} or null`);
  }
  const { price, confidence, publishTime } = desired as Record<string, unknown>;
  const parsedPrice = decimal(price);
  if (parsedPrice === undefined || parsedPrice <= 0n) {
    throw fault('price must be a positive decimal string with at most 8 decimals');
  }
  const parsedConfidence = confidence === undefined ? usualConfidence : decimal(confidence);
  if (parsedConfidence === undefined) {
    throw fault('confidence must be a decimal string with at most 8 decimals');
  }
  if (publishTime !== undefined && !(Number.isSafeInteger(publishTime) && Number(publishTime) > 0)) {
    throw fault('publishTime must be a time in whole Unix seconds');
  }
  return {
    price: parsedPrice,
    confidence: parsedConfidence,
    publishTime: publishTime === undefined ? undefined : BigInt(Number(publishTime)),
  };
}

/** Dollars x 10^8 of a decimal string that an i64 can hold; undefined for anything else. */
function decimal(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || value.length > 30) return undefined;
  const parsed = parseDecimal(value, priceDecimals);
  return parsed === undefined || parsed < 0n || parsed >= 2n ** 63n ? undefined : parsed;
}

const clockSysvar = 'SysvarC1ock11111111111111111111111111111111';

/** Returns the chain's slot: the first u64 of the Clock sysvar. */
function slotOf(node: PublishingNode): bigint {
  const clock = node.getAccount(clockSysvar);
  return clock ? Buffer.from(clock.data).readBigUInt64LE(0) : 0n;
}

/** JSON-RPC's response to bad parameters. */
function fault(message: string): RpcError {
  return new RpcError(-32602, `Invalid params: ${message}`);
}
