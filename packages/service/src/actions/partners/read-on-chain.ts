import { IntegratorStatus } from '@karat/program-client';
import { type ProposedAuthority, proposedAuthorities } from '../../chain/program/authorities.js';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import { readVaults, type VaultBalances } from '../../chain/program/vault.js';
import { type DailyLimit, usedIn } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import { asUuid, type Uuid } from '../../domain/ids.js';
import type { Address, WalletAddress } from '../../domain/solana.js';
import { AppError } from '../../errors.js';

/** A partner as the program knows it. Addresses are base58. */
export interface OnChain {
  integratorAddress: Address;
  /** Owner of the accounts that hold the partner's reserves: the integrator itself. */
  centralVaultAddress: Address;
  /** How often the terms were changed so far: status, fees and limit. */
  termsSeq: number;
  status: 'active' | 'suspended';
  walletAddress: WalletAddress;
  openFeeBps: number;
  closedFeeBps: number;
  /** Of trades in 24 hours, base units of USDC. */
  daily: DailyLimit;
  updateAuthority: string;
  withdrawalAuthority: string;
  executiveAuthorities: string[];
  /** What the admin proposes for keys that the partner lost. */
  proposedAuthorities: ProposedAuthority[];
  /** What the vault holds, base units. */
  balances: VaultBalances;
}

/** The state of a partner on chain, null if it is not on chain; or the reason why the state is unknown. */
export type OnChainReading = { onChain: OnChain | null } | { fault: string };

/**
 * Reads the state of partners on chain, in their order: balances are read now, the rest is a few seconds old at most.
 * Does not throw while the node is down, because operators work on partners then too: the readings say so.
 */
export async function readOnChain(ctx: Context, partnerIds: Uuid[]): Promise<OnChainReading[]> {
  try {
    const entries = partnerIds.map((id) => ctx.chain.program.integrator(id));
    const present = entries.filter((entry) => entry !== undefined);
    const balances = await readVaults(ctx.chain, present);
    return entries.map((entry) => {
      const held = entry && balances[present.indexOf(entry)];
      return { onChain: entry && held ? toOnChain(entry, held, ctx.clock.now()) : null };
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'service_unavailable') throw error;
    const fault = error.message;
    return partnerIds.map(() => ({ fault }));
  }
}

/** Reads the state on chain of one partner, by an id as it came. */
export async function readOnChainOf(ctx: Context, text: string): Promise<OnChainReading> {
  const id = asUuid(text);
  const [reading] = id ? await readOnChain(ctx, [id]) : [];
  return reading ?? { onChain: null };
}

function toOnChain({ address, data }: IntegratorEntry, balances: VaultBalances, nowMs: number): OnChain {
  return {
    integratorAddress: address,
    centralVaultAddress: address,
    termsSeq: data.termsSeq,
    status: data.status === IntegratorStatus.Active ? 'active' : 'suspended',
    walletAddress: data.partnerWallet,
    openFeeBps: data.openFeeBps,
    closedFeeBps: data.closedFeeBps,
    daily: { limit: data.dailyLimitUsdc, used: usedIn(data.usdcVolume, nowMs) },
    updateAuthority: data.updateAuthority,
    withdrawalAuthority: data.withdrawalAuthority,
    executiveAuthorities: data.executives.slice(0, data.executiveCount),
    proposedAuthorities: proposedAuthorities(data),
    balances,
  };
}
