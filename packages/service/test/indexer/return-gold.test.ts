import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deadLetters } from '../../src/db/schema.js';
import { newWallet } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { type Operating, startOperating } from '../operating.js';

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
});
afterAll(() => o.stop());

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** What the script says, of the repository that this is. */
async function returnGold(...words: string[]): Promise<string> {
  const { rpcUrls, programId } = o.h.ctx.config;
  const keys = { KARAT_ADMIN_KEYPAIR: o.chain.keyFile(o.chain.admin) };
  const env = { ...process.env, KARAT_RPC_URL: rpcUrls.join(), KARAT_PROGRAM_ID: programId, ...keys };
  const script = ['--conditions=source', '--import', 'tsx', 'examples/return-gold.mjs', ...words];
  const { stdout } = await promisify(execFile)(process.execPath, script, { cwd: root, env });
  return stdout.trim();
}

test('gold that came without a redemption is returned as the page on indexing says, once it is told to', async () => {
  const { address } = newWallet();
  const before = await o.gold();
  expect(await returnGold('1000', address)).toMatch(/^would return 1000 base units to \w+$/);
  await expect(returnGold(String(before.escrow + 1n), address)).rejects.toThrow('would refuse it');
  expect(await o.gold()).toEqual(before);

  const signature = await returnGold('1000', address, 'send');
  await eventually(
    async () =>
      expect(await o.gold(address)).toMatchObject({ escrow: before.escrow - 1_000n, owner: 1_000n }),
    10_000,
  );
  await eventually(async () => {
    const letters = await o.h.ctx.db.select().from(deadLetters);
    expect(letters.filter((letter) => letter.signature === signature)).toMatchObject([
      {
        reason: 'settlement_mismatch',
        detail: { mode: 'refund', amount: '1000', receiver: address, wrong: ['reference'] },
      },
    ]);
  }, 20_000);
}, 60_000);
