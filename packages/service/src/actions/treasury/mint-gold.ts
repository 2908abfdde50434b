import { getMintGoldInstructionAsync, type Config as ProgramConfig } from '@karat/program-client';
import { type Address, createNoopSigner } from '@solana/kit';
import { responseOf } from '../../chain/node/landing.js';
import { readTreasurySnapshot } from '../../chain/program/program-snapshot.js';
import { type GoldStanding, readChainSeconds, readGoldStanding } from '../../chain/program/reserve.js';
import { noLimit, usedIn } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import { attestationCounts } from '../../domain/attestation.js';
import type { ChangedBy } from '../../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import { momentOf } from '../../domain/timestamp.js';
import { AppError } from '../../errors.js';
import { actAsAdmin } from '../approvals/act-as-admin.js';
import { readProgramConfig } from '../program/read-program-config.js';

export interface Mint {
  /** Base units of GOLD. */
  amount: bigint;
  feePayer?: Address | undefined;
  reason?: string | undefined;
}

const readWithinMs = 8_000;

/**
 * Mints GOLD into the treasury, by a transaction of the admin; it is left unsigned, and not sent, when this process does
 * not hold the admin's key. It is in the audit log before it is sent. Throws `broadcast_failed` with the program's
 * message, which for too much gold has the excess, and `service_unavailable`, also when the nodes contradict each other about
 * supply or attestation.
 */
export async function mintGold(ctx: Context, by: ChangedBy, { amount, feePayer, reason }: Mint) {
  const { chain } = ctx;
  const config = await readProgramConfig(ctx);
  const signal = AbortSignal.timeout(readWithinMs);
  const [standing, nowSeconds, { supply: existing }] = await Promise.all([
    responseOf(readGoldStanding(chain, config, signal)),
    responseOf(readChainSeconds(chain, signal)),
    responseOf(readTreasurySnapshot(chain, signal)),
  ]);
  const attested = requireAttested(standing, { nowSeconds, config }, amount);
  const supply = existing + amount;
  const change = {
    action: 'gold.mint' as const,
    objectId: chain.programAddress,
    before: { supply: gold(existing) },
    after: { minted: gold(amount), supply: gold(supply), attested: gold(attested) },
    reason,
  };
  const { programAddress } = chain;
  const { treasuryGold, goldMint } = config;
  const accounts = { admin: createNoopSigner(config.admin), treasuryGold, goldMint };
  const act = await actAsAdmin(ctx, by, {
    config,
    instructions: async () => [
      await getMintGoldInstructionAsync({ ...accounts, amount }, { programAddress }),
    ],
    feePayer,
    change,
    look: 'the supply',
  });
  return { act, supply, attested };
}

/**
 * Returns what is attested, less what was burned since, base units. Throws `broadcast_failed` when the program would refuse to
 * mint so much.
 */
function requireAttested(
  { supply, attestation, burnedTotal }: GoldStanding,
  { nowSeconds, config }: { nowSeconds: bigint; config: ProgramConfig },
  amount: bigint,
): bigint {
  const { maxAttestationAge, dailyMint } = config.settings;
  const refuse = (why: string) =>
    new AppError('broadcast_failed', `The chain would refuse to mint ${gold(amount)} GOLD: ${why}`, {
      reason: 'program_error',
    });
  if (!attestation) throw refuse(`nothing has been attested yet. ${attestationCounts}`);
  const { amount: attested, asOf, burnedAtAsOf } = attestation;
  if (nowSeconds - asOf > BigInt(maxAttestationAge)) {
    const moment = momentOf(asOf).toISOString();
    const limit = `${maxAttestationAge} s`;
    throw refuse(
      `the last attestation is as of ${moment}, which is more than ${limit} ago. ${attestationCounts}`,
    );
  }
  const burned = burnedTotal - burnedAtAsOf;
  const backed = attested - burned;
  const above = supply + amount - backed;
  if (above > 0n) {
    const sum = `${gold(supply)} exist, ${gold(attested)} are attested, ${gold(burned)} were burned since`;
    throw refuse(`that is ${gold(above)} GOLD more than is attested (${sum}). ${attestationCounts}`);
  }
  const minted = usedIn(config.minted, momentOf(nowSeconds).getTime());
  if (dailyMint !== noLimit && minted + amount > dailyMint) {
    throw refuse(
      `${gold(minted)} of the ${gold(dailyMint)} GOLD that may be minted in 24 hours already are.`,
    );
  }
  return backed;
}

const gold = (amount: bigint) => formatDecimal(amount, tokenDecimals);
