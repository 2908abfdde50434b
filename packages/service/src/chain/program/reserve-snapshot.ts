import { findConfigPda, getConfigDecoder } from '@karat/program-client';
import { toInteger } from '../../domain/integer.js';
import type { ChainReserves } from '../../domain/reserves/statement.js';
import { momentOf } from '../../domain/timestamp.js';
import type { Chain } from '../chain.js';
import { NoConfigError } from './keeper-view.js';
import { attestationOf, reserveAddressOf, supplyOf } from './reserve.js';
import { tokenAmountOf } from './wallet.js';

/** Reads what a statement of the reserves says of the chain, at one finalized slot. Rejects when the node fails. */
export async function readReserves(chain: Chain, abortSignal: AbortSignal): Promise<ChainReserves> {
  const options = { commitment: 'finalized', encoding: 'base64' } as const;
  const [config] = await findConfigPda({ programAddress: chain.programAddress });
  const reserve = await reserveAddressOf(chain);
  const genesisHash = await chain.rpc.getGenesisHash().send({ abortSignal });
  const { value: first } = await chain.rpc.getAccountInfo(config, options).send({ abortSignal });
  if (first?.owner !== chain.programAddress) throw new NoConfigError();
  const { goldMint, treasuryGold, escrowGold, treasuryAuthority } = decode(first.data[0]);
  const { context, value } = await chain.rpc
    .getMultipleAccounts([config, goldMint, treasuryGold, escrowGold, reserve], options)
    .send({ abortSignal });
  const [settings, mint, treasury, escrow, attested] = value;
  if (!settings) throw new NoConfigError();
  const attestation = attestationOf(reserve, attested, chain.programAddress);
  return {
    slot: toInteger(context.slot),
    genesisHash,
    programId: chain.programAddress,
    goldMint,
    mintAuthority: treasuryAuthority,
    accounts: { config, escrow: escrowGold, reserve, treasury: treasuryGold },
    supply: supplyOf(mint),
    treasury: tokenAmountOf(treasury) ?? 0n,
    escrow: tokenAmountOf(escrow) ?? 0n,
    escrowOpen: decode(settings.data[0]).escrowOpen,
    attested: attestation?.attested ?? 0n,
    attestedAsOf: attestation && momentOf(attestation.asOf),
    reportHash: attestation && Buffer.from(attestation.reportHash).toString('hex'),
  };
}

const decode = (data: string) => getConfigDecoder().decode(Buffer.from(data, 'base64'));
