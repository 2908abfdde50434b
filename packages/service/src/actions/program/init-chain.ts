import type { HotKeys, Settings } from '@karat/program-client';
import { createRandomSigner } from '@karat/signer';
import type { Address } from '@solana/kit';
import type { GoldMetadata } from '../../chain/admin/gold-mint.js';
import { readProgram } from '../../chain/admin/loader.js';
import {
  createGoldMint,
  createUsdcMint,
  initializeProgram,
  programAddresses,
  type Seeder,
} from '../../chain/admin/seed.js';
import { NoConfigError, readConfig } from '../../chain/program/program-snapshot.js';
import { noKey } from '../../chain/program/wallet.js';
import { toKitSigner } from '../../chain/sign/kit-signer.js';
import type { Signer } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import type { ChangedBy } from '../../domain/audit.js';
import { AppError, notAllowed, unavailable } from '../../errors.js';
import { recordChange } from '../audit.js';

export interface ChainInit {
  /** Signs for the program itself, once. */
  upgradeAuthority: Signer;
  /** Pays for the accounts. */
  payer: Signer;
  /** Becomes the admin; it may be an account of a multisig program. */
  admin: Address;
  /** The service signers are the service's own key. */
  hotKeys: Omit<HotKeys, 'serviceSigners'>;
  /** `new`: a mint is made whose authority is the admin, for chains of one's own. */
  usdcMint: Address | 'new';
  /** Metadata: a mint with this name is made, whose authorities are the treasury, as the program requires. */
  goldMint: Address | GoldMetadata;
  settings: Settings;
}

const readWithinMs = 3_000;

/**
 * Initializes the program: makes the token accounts of treasury, escrow and fees, and writes its configuration, with the
 * service's own key as the first service signer. What is to be done is in the audit log before it is sent. Throws
 * `transition_not_allowed` when the program is initialized already, `forbidden` for another key than its upgrade
 * authority, `service_unavailable` when the node does not respond, `broadcast_failed` with the chain's words.
 */
export async function initChain(ctx: Context, by: ChangedBy, input: ChainInit) {
  const { programAddress, rpc, signer } = ctx.chain;
  await requireUninitialized(ctx);
  await requireUpgradeAuthority(ctx, input.upgradeAuthority.address);
  const seeder: Seeder = { rpc, payer: toKitSigner(input.payer), commitment: 'confirmed' };
  const mints = await orRefused(makeMints(seeder, input, programAddress));
  const { admin, settings } = input;
  const hotKeys = { ...input.hotKeys, serviceSigners: [signer.address, noKey] };
  const addresses = await programAddresses({ programAddress, ...mints });
  const initialized = {
    programAddress,
    admin,
    guardian: settings.guardian,
    serviceSigner: signer.address,
    ...mints,
    priceAccount: settings.priceAccount,
    usdcPriceAccount: settings.usdcPriceAccount,
    ...addresses,
  };
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => {
    const change = { action: 'chain.init' as const, objectId: programAddress };
    return recordChange(tx, by, { ...change, after: initialized }, at);
  });
  const upgradeAuthority = toKitSigner(input.upgradeAuthority);
  await orRefused(
    initializeProgram(seeder, { programAddress, upgradeAuthority, admin, hotKeys, ...mints, settings }),
  );
  return initialized;
}

async function requireUninitialized({ chain }: Context): Promise<void> {
  try {
    await readConfig(chain, 'confirmed', AbortSignal.timeout(readWithinMs));
  } catch (cause) {
    if (cause instanceof NoConfigError) return;
    const message = 'The Solana node does not respond, or the program has a different configuration.';
    throw unavailable(message, { cause });
  }
  throw notAllowed(
    `The program ${chain.programAddress} is already initialized; its admin can change its settings.`,
  );
}

/** Checks the key before anything is paid for. Throws `forbidden` if it is not the program's upgrade authority. */
async function requireUpgradeAuthority({ chain }: Context, key: Address): Promise<void> {
  const program = chain.programAddress;
  const deployed = await readProgram(chain, program);
  if (!deployed) {
    throw new AppError('forbidden', `There is no program at ${program} to initialize.`);
  }
  const { authority } = deployed;
  if (authority === undefined) {
    const message = `The program ${program} is final: only an upgrade authority can initialize it, and it has none. Deploy it again.`;
    throw new AppError('forbidden', message);
  }
  if (authority === key) return;
  throw new AppError(
    'forbidden',
    `Only the upgrade authority ${authority} can initialize the program ${program}.`,
  );
}

async function makeMints(
  seeder: Seeder,
  { usdcMint, goldMint, admin }: ChainInit,
  programAddress: Address,
): Promise<{ usdcMint: Address; goldMint: Address }> {
  // Signed with libsodium: Web Crypto's Ed25519 is experimental in the oldest Node that this runs on, which warns of it.
  const [usdc, gold] = [toKitSigner(createRandomSigner()), toKitSigner(createRandomSigner())];
  if (usdcMint === 'new') await createUsdcMint(seeder, { mint: usdc, authority: admin });
  if (typeof goldMint !== 'string') {
    await createGoldMint(seeder, { mint: gold, metadata: goldMint, programAddress, admin });
  }
  return {
    usdcMint: usdcMint === 'new' ? usdc.address : usdcMint,
    goldMint: typeof goldMint === 'string' ? goldMint : gold.address,
  };
}

/** Waits for work on the chain. Throws `broadcast_failed` with the messages of its failure. */
async function orRefused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const messages = [];
    for (let e = cause; e instanceof Error && messages.length < 5; e = e.cause) messages.push(e.message);
    const text = messages.join(': ').slice(0, 500);
    const message = `The chain rejected the transaction: ${text}`;
    throw new AppError('broadcast_failed', message, { reason: 'program_error', cause });
  }
}
