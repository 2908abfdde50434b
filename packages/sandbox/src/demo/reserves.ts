import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { fetchConfig, findConfigPda } from '@karat/program-client';
import { formatDecimal, tokenDecimals } from '@karat/service/domain';
import { address } from '@solana/kit';
import { attestReserve } from '../own-chain.js';
import type { Scene } from './cast.js';

const script = fileURLToPath(new URL('../../../../examples/verify-reserves.mjs', import.meta.url));

/** A month later, the attestor counts what is left of the gold after the burns, and vouches for that. */
export async function countAgain({ sandbox, teller, rpc, mints }: Scene): Promise<void> {
  await teller.step('Attestor: count the vault, and attest', async (figure) => {
    const { chain } = sandbox.info;
    const attestor = await sandbox.key(chain.attestor_keypair);
    const programAddress = address(chain.program_id);
    const [config] = await findConfigPda({ programAddress });
    const { data } = await fetchConfig(rpc, config, { commitment: 'confirmed' });
    const amount = data.attestation.amount - (data.burnedTotal - data.attestation.burnedAtAsOf);
    const seeder = { rpc, payer: attestor, commitment: 'confirmed' } as const;
    await attestReserve(seeder, { programAddress, goldMint: mints.goldMint, attestor, amount });
    figure('attested', `${formatDecimal(amount, tokenDecimals)} GOLD`);
  });
}

/** Somebody without a key verifies the reserves, from what is public and from the node. */
export async function verifyReserves({ sandbox: { info }, teller }: Scene): Promise<void> {
  await teller.step('Verify the newest statement of the reserves', async (figure) => {
    const child = spawn(process.execPath, [script, info.partner_api_url, '--rpc', info.rpc_url]);
    const exit = once(child, 'exit');
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await exit;
    if (code !== 0) throw new Error(output.match(/^FAIL .*$/m)?.[0] ?? errors);
    figure('checks', `${output.match(/^ok /gm)?.length} passed`);
    figure('result', output.trim().split('\n').at(-1) ?? '');
    figure('in a browser', `${info.docs_url}reserves`);
  });
}
