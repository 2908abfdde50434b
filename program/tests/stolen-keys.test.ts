import { readFileSync } from 'node:fs';
import * as client from '@karat/program-client';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, NOW, ONE, scenarioAddresses, signer } from './fixture.js';
import { U64_MAX } from './numbers.js';
import { instructions, limits, RECOVERY_DELAY, Theft } from './theft.js';

// What a thief can do with each key of the program beside keys of his own without a role: the threat model, of which `docs/program.md` has
// the summary.

const at = await scenarioAddresses();
const keys = {
  'no role': addressOf('no role'),
  user: at.user,
  'upgrade authority': at.upgradeAuthority,
  admin: at.admin,
  operations: at.operations,
  guardian: at.guardian,
  market: at.market,
  'service signer': at.serviceSigner,
  attestor: at.attestor,
  'partner wallet': at.partnerWallet,
  'update authority': at.updateAuthority,
  'withdrawal authority': at.withdrawalAuthority,
  executive: at.executive,
} satisfies Record<string, Address>;
type Key = keyof typeof keys;

const theft = await Theft.create(Object.values(keys));

/** What a key can do, by the names of the instructions; of others than `no role`, what goes beyond that. */
function found(stolen: Address): Record<string, string[]> {
  const common = stolen === keys['no role'] ? {} : allowed['no role'];
  const all = [...instructions.keys()]
    .map((name) => [name, theft.canDo(name, stolen)] as const)
    .map(([name, outcomes]) => [name, outcomes.filter((each) => !common[name]?.includes(each))] as const);
  return Object.fromEntries(all.filter(([, outcomes]) => outcomes.length > 0));
}

const created = ['new integrator made'];
const paused = ['config.paused'];
const market = ['config.marketState'];
const terms = [
  'integrator.closedFeeBps, integrator.dailyLimitUsdc, integrator.openFeeBps, integrator.status, integrator.termsSeq',
];

/** Tokens are the largest amounts: of the limit of the day, or all that there is. */
const allowed: Record<Key, Record<string, string[]>> = {
  'no role': { closeReceipt: ['receipt closed'] },
  user: {},
  'upgrade authority': {},
  admin: {
    updateConfig: [
      'config.attestor, config.dailyOutflowGold, config.dailyOutflowUsdc, config.feedId, config.guardian, config.market, config.maxAgeClosed, config.maxAgeOpen, config.maxAttestationAge, config.maxConfBps, config.maxFeeBps, config.maxPriceE8, config.maxTradeUsdc, config.minPriceE8, config.operations, config.priceAccount, config.priceOwner, config.recoveryDelay, config.serviceSigners, config.withdrawOwners',
    ],
    proposeAdmin: ['config.pendingAdmin'],
    pause: paused,
    resume: ['nothing'],
    setMarket: market,
    rotateAccounts: ['config.feeUsdc'],
    createIntegrator: created,
    updateIntegrator: terms,
    treasuryWithdraw: [
      'adminGold +120.000000, treasuryGold -120.000000',
      'adminUsdc +1000.000000, feeUsdc -1000.000000',
      'adminUsdc +500000.000000, treasuryUsdc -500000.000000',
    ],
    proposeAuthority: ['integrator.proposals'],
    cancelAuthority: ['integrator.proposals'],
    applyAuthority: ['integrator.proposals, integrator.updateAuthority'],
    sweepEscrow: [
      'adminGold +20.000000, escrowGold -20.000000',
      'escrowGold -20.000000, thiefGold +20.000000',
      'escrowGold -20.000000, treasuryGold +20.000000',
      'escrowGold -20.000000, userGold +20.000000',
      'escrowGold -20.000000, vaultGold +20.000000',
    ],
    mintGold: ['goldMint.supply +1000000.000000, treasuryGold +1000000.000000'],
  },
  operations: {
    pause: paused,
    createIntegrator: created,
    updateIntegrator: terms,
    settleRedemption: [
      'config.escrowOpen -5.000000, escrowGold -5.000000, goldMint.supply -5.000000, redemption closed',
      'config.escrowOpen -5.000000, escrowGold -5.000000, redemption closed, userGold +5.000000',
    ],
  },
  guardian: { pause: paused },
  market: { setMarket: market },
  'service signer': {
    redeem: [
      'config.escrowOpen +10.000000, escrowGold +10.000000, new redemption made, ownGold -10.000000',
      'config.escrowOpen +10.000000, escrowGold +10.000000, new redemption made, thiefGold -10.000000',
    ],
  },
  attestor: { attest: ['reserve.attested +18446742073709.551615, reserve.reportHash'] },
  'partner wallet': { handOverAuthority: ['integrator.partnerWallet'] },
  'update authority': {
    updateExecutives: ['integrator.executives'],
    handOverAuthority: ['integrator.proposals, integrator.updateAuthority'],
    cancelAuthority: ['integrator.proposals'],
  },
  'withdrawal authority': {
    handOverAuthority: ['integrator.withdrawalAuthority'],
    cancelAuthority: ['integrator.proposals'],
    partnerWithdraw: [
      'receipt made, vaultGold -50.000000, withdrawalGold +50.000000',
      'receipt made, vaultUsdc -100000.000000, withdrawalUsdc +100000.000000',
    ],
  },
  executive: {
    partnerPurchase: [
      'feeUsdc +499.999986, receipt made, treasuryGold -24.268292, treasuryUsdc +99499.997200, vaultGold +24.268292, vaultUsdc -99999.997186',
    ],
    partnerSale: [
      'feeUsdc +499.999982, receipt made, treasuryGold +24.390243, treasuryUsdc -99999.996300, vaultGold -24.390243, vaultUsdc +99499.996318',
    ],
  },
};

describe('a stolen key alone, in one instruction', () => {
  test.each(Object.entries(keys))('a stolen key, %s, can do exactly what is listed', (name, stolen) => {
    expect(found(stolen)).toEqual(allowed[name as Key]);
  });

  test('a stolen key can do what the documentation states', () => {
    const page = readFileSync(new URL('../../docs/program.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('### What a stolen key can do\n');
    const rows =
      section
        .split('\n\n#')[0]
        ?.split('\n')
        .filter((line) => line.startsWith('| ')) ?? [];
    const documented = rows.slice(1).map((row) => {
      const [, key = '', names = ''] = row.split('|').map((cell) => cell.trim());
      return [key, names === 'none' ? [] : names.split(', ').sort()] as const;
    });
    const all = Object.entries(allowed).map(([key, can]) => [key, Object.keys(can).sort()]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(all));
  });
});

describe('a stolen key over a day, and with instructions that prepare others', () => {
  test('a stolen executive key costs the vault the fees of its daily limit, and no other account anything', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    /** Of the vault at the oracle price, base units of USDC. */
    const value = () => scenario.balance(at.vaultUsdc) + scenario.balance(at.vaultGold) * 4_100n;
    for (const day of [0n, 1n, 2n]) {
      const now = NOW + day * 86_400n;
      scenario.setTime(now);
      scenario.setPrice({ publishTime: now });
      const expireAt = now;
      const before = value();
      let traded = 0n;
      for (let size = 8n * ONE; size > 1_000n; size /= 2n)
        for (const trade of [
          () => scenario.partnerPurchase({ goldOut: size, expireAt }),
          () => scenario.partnerSale({ goldIn: size, expireAt }),
        ])
          for (let landed = true; landed; ) {
            const { error, events } = scenario.send([trade()]);
            landed = error === undefined;
            const [event] = events;
            if (event) traded += event.side === 1 ? event.amountIn : event.amountOut + event.fee;
            else expect(['DailyLimitExceeded', 'InsufficientFunds']).toContain(error);
          }
      expect(limits.dailyLimitUsdc - traded).toBeLessThan(10n * ONE);
      // 0.5 % of what was traded, and what the roundings of a hundred trades may take.
      const lost = before - value();
      expect(lost).toBeGreaterThan((traded * 49n) / 10_000n);
      expect(lost).toBeLessThan((traded * 50n) / 10_000n + 10n * ONE);
    }
  });

  test('a stolen update authority makes itself an executive, and can do no more than one', async () => {
    const { scenario, thief } = await Theft.create(Object.values(keys));
    scenario.setToken(at.vaultUsdc, { mint: at.usdcMint, owner: at.vault, amount: 1_000_000n * ONE });
    scenario.mustSend([scenario.updateExecutives({ remove: [at.executive], add: [thief] })]);
    const purchase = (goldOut: bigint) => [scenario.partnerPurchase({ goldOut, executive: signer(thief) })];
    scenario.mustSend(purchase(24_268_292n));
    expect(scenario.send(purchase(1_000n)).error).toBe('DailyLimitExceeded');
  });

  test('a stolen operations key ends every open redemption once, and none goes to the thief', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    const burn = () => scenario.settleRedemption(client.SettlementMode.Burn);
    scenario.mustSend([burn()]);
    expect(scenario.send([burn()]).error).toBe('InvalidAccountOwner');
    expect(scenario.config().escrowOpen).toBe(0n);
    expect(scenario.balance(at.escrowGold)).toBe(20n * ONE);
  });

  test('a stolen operations key lifts the limit of a partner, not that of the treasury', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    scenario.setToken(at.vaultUsdc, { mint: at.usdcMint, owner: at.vault, amount: 1_000_000n * ONE });
    scenario.mustSend([scenario.updateIntegrator({ dailyLimitUsdc: 0n, openFeeBps: 0, closedFeeBps: 0 })]);
    const { dailyOutflowGold } = limits;
    scenario.mustSend([scenario.partnerPurchase({ goldOut: dailyOutflowGold })]);
    expect(scenario.send([scenario.partnerPurchase({ goldOut: 1_000n })]).error).toBe('DailyLimitExceeded');
    // At the oracle price: the treasury has USDC for it.
    expect(scenario.balance(at.treasuryUsdc)).toBe(10_000_000n * ONE + dailyOutflowGold * 4_100n);
  });

  test('a report by a stolen attestor key is replaced by the next report', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    scenario.mustSend([scenario.attest({ amount: 0n })]);
    expect(scenario.send([scenario.mintGold()]).error).toBe('MintAboveAttestation');
    scenario.mustSend([scenario.attest(), scenario.mintGold()]);
  });

  test('a stolen guardian key stops everything, until the admin resumes and replaces it', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    scenario.mustSend([scenario.pause(31)]);
    const stopped = [
      scenario.buy(),
      scenario.sell(),
      scenario.partnerPurchase(),
      scenario.partnerSale(),
      scenario.partnerWithdraw('Usdc'),
      scenario.redeem(),
      scenario.settleRedemption(client.SettlementMode.Burn),
    ];
    for (const instruction of stopped) expect(scenario.send([instruction]).error).toBe('Paused');
    scenario.mustSend([
      scenario.updateConfig({ guardian: addressOf('new guardian'), recoveryDelay: RECOVERY_DELAY }),
    ]);
    scenario.mustSend([scenario.resume()]);
    expect(scenario.send([scenario.pause(1)]).error).toBe('Unauthorized');
  });

  test('a stolen admin key takes the treasury, all fees and its own mints, but no vaults, users or open redemptions', async () => {
    const robbery = await Theft.create(Object.values(keys));
    const { scenario, thief, thiefUsdc, thiefGold } = robbery;
    const recovery = [
      scenario.proposeAuthority(client.AuthorityRole.Withdrawal, thief),
      scenario.applyAuthority(client.AuthorityRole.Withdrawal, thief),
    ];
    const minted = U64_MAX - scenario.goldSupply();
    const everything = [
      robbery.takeOver(),
      scenario.attest({ amount: U64_MAX, asOf: NOW }, signer(thief)),
      scenario.mintGold(minted),
      scenario.treasuryWithdraw('Usdc', 10_000_000n * ONE, thiefUsdc),
      scenario.treasuryWithdraw('Gold', 100_000n * ONE + minted, thiefGold),
      scenario.treasuryWithdraw('Fees', 1_000n * ONE, thiefUsdc),
      scenario.sweepEscrow({ amount: 20n * ONE, destination: thiefGold }),
    ];
    scenario.mustSend(everything);
    expect(scenario.send([scenario.updateConfig({ recoveryDelay: 0 }), ...recovery]).error).toBe(
      'InvalidArgument',
    );
    expect(scenario.send(recovery).error).toBe('RecoveryNotReady');
    expect(scenario.balance(thiefUsdc)).toBe(10_011_000n * ONE);
    expect(scenario.balance(thiefGold)).toBe(100_030n * ONE + minted);
    for (const account of [at.vaultUsdc, at.vaultGold, at.userUsdc, at.userGold])
      expect(scenario.balance(account)).toBe(theft.scenario.balance(account));
    expect(scenario.balance(at.escrowGold)).toBe(5n * ONE);
    expect(robbery.canDo('settleRedemption', thief)).toEqual(allowed.operations.settleRedemption);
    expect(robbery.canDo('sweepEscrow', at.admin)).toEqual([]);
    expect(robbery.canDo('partnerWithdraw', at.admin)).toEqual([]);
  });
});
