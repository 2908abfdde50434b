import type { Config as ProgramConfig } from '@karat/program-client';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';

/**
 * Returns whether an address is one of our own: a key of the service, the program itself or one of its authorities and
 * accounts. None can be a user's wallet: the service signs every quote, and its signature would count as the user's.
 * What only the program's configuration contains is unknown while the node is silent, so quotes check again.
 */
export function isOwnWallet(ctx: Context, wallet: string): boolean {
  const { chain } = ctx;
  const { otherSigner, program, programAddress } = chain;
  if (chain.hasSigner && wallet === chain.signer.address) return true;
  if (wallet === otherSigner?.address) return true;
  // An empty place in the program's configuration is the address of the system program.
  if (wallet === programAddress || wallet === noKey) return true;
  return program.fault() === undefined && addressesOf(program.config()).has(wallet);
}

const known = new WeakMap<ProgramConfig, ReadonlySet<string>>();

function addressesOf(config: ProgramConfig): ReadonlySet<string> {
  const found = known.get(config);
  if (found) return found;
  const { hotKeys, settings } = config;
  const addresses = new Set<string>([
    ...hotKeys.serviceSigners,
    hotKeys.operations,
    hotKeys.market,
    hotKeys.compliance,
    config.admin,
    config.adminProposal.key,
    settings.guardian,
    settings.attestor,
    config.treasuryAuthority,
    config.treasuryUsdc,
    config.treasuryGold,
    config.escrowAuthority,
    config.escrowGold,
    config.feeUsdc,
    config.usdcMint,
    config.goldMint,
    settings.priceAccount,
    settings.usdcPriceAccount,
    settings.priceOwner,
  ]);
  known.set(config, addresses);
  return addresses;
}
