import { afterAll, beforeAll, expect, test } from 'vitest';
import { carryOut } from '../../../src/actions/approvals/carry-out.js';
import {
  planSettings,
  planSettingsApply,
  planSettingsCancellation,
} from '../../../src/actions/program/plan-settings.js';
import { readSettings } from '../../../src/actions/program/settings.js';
import { commandLine } from '../../../src/domain/audit.js';
import { applyReadySettings } from '../../../src/keeper/settings.js';
import { newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';

let t: Karat;
beforeAll(async () => {
  t = await startKarat({ signs: true });
});
afterAll(() => t.stop());

const ctx = () => t.service.ctx;
type Changes = Parameters<typeof planSettings>[1]['changes'];
const propose = async (changes: Changes) =>
  carryOut(ctx(), commandLine, await planSettings(ctx(), { changes }));

async function passSeconds(seconds: number): Promise<void> {
  t.chain.node.warp({ seconds });
  await t.ready();
}

test('settings: what a proposal leaves out stays, and the keeper applies it when it is ready, once', async () => {
  const { settings: before, pending } = await readSettings(ctx());
  expect(pending).toBeNull();
  const outcome = await propose({ maxConfBps: 42 });
  const wanted = { ...before, maxConfBps: 42 };
  expect(outcome).toMatchObject({
    kind: 'done',
    settings: { settings: before, pending: { settings: wanted, cancellableBy: ['guardian', 'admin'] } },
  });
  await expect(propose({ maxConfBps: 43 })).rejects.toThrow(/Other settings are proposed/);
  await expect(carryOut(ctx(), commandLine, await planSettingsApply(ctx()))).rejects.toThrow(
    /cannot be applied before/,
  );
  expect(await applyReadySettings(ctx())).toBe(false);
  await passSeconds(86_410);
  expect(await applyReadySettings(ctx())).toBe(true);
  expect(await readSettings(ctx())).toEqual({ settings: wanted, pending: null });
  expect(await applyReadySettings(ctx())).toBe(false);
});

test('settings: a proposal that changes nothing sends nothing', async () => {
  const { settings } = await readSettings(ctx());
  expect(await propose({ maxConfBps: settings.maxConfBps })).toEqual({
    kind: 'done',
    txHash: null,
    settings: { settings, pending: null },
  });
});

test('settings: a cancelled proposal is gone, and others can be proposed', async () => {
  const { settings } = await readSettings(ctx());
  await propose({ minFeeBps: 5 });
  await carryOut(ctx(), commandLine, await planSettingsCancellation(ctx(), { reason: 'A slip.' }));
  expect(await readSettings(ctx())).toEqual({ settings, pending: null });
  await expect(planSettingsCancellation(ctx())).rejects.toThrow('No settings are proposed.');
  await expect(planSettingsApply(ctx())).rejects.toThrow('No settings are proposed.');
});

test('settings: another guardian is proposed alone, and the present one cannot cancel that', async () => {
  const guardian = newWallet().address;
  await expect(propose({ guardian, maxConfBps: 7 })).rejects.toMatchObject({
    code: 'invalid_request',
    field: 'guardian',
  });
  await propose({ guardian });
  expect((await readSettings(ctx())).pending?.cancellableBy).toEqual(['admin']);
  await carryOut(ctx(), commandLine, await planSettingsCancellation(ctx()));
});

test('settings: a proposal that was not applied in time cannot be applied, and makes room for another', async () => {
  await propose({ minFeeBps: 6 });
  await passSeconds(16 * 86_400);
  expect(await applyReadySettings(ctx())).toBe(false);
  await expect(carryOut(ctx(), commandLine, await planSettingsApply(ctx()))).rejects.toThrow(
    /expired at .*: propose the settings again/,
  );
  await propose({ minFeeBps: 7 });
  expect((await readSettings(ctx())).pending?.settings.minFeeBps).toBe(7);
});
