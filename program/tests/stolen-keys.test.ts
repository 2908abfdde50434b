import { readFileSync } from 'node:fs';
import * as client from '@karat/program-client';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, ONE, scenarioAddresses, signer, withoutSignature } from './fixture.js';
import { U64_MAX } from './numbers.js';
import { instructions, limits, Theft } from './theft.js';

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
  compliance: at.compliance,
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
const paused = ['config.paused', 'config.paused, config.treasuryPausedUntil'];
const market = ['config.marketState'];
const terms = [
  'integrator.closedFeeBps, integrator.dailyLimitUsdc, integrator.openFeeBps, integrator.status, integrator.termsSeq',
];
const suspended = ['integrator.status, integrator.termsSeq'];
const adminProposal = ['config.adminProposal.key, config.adminProposal.readyAt'];
const proposals = ['integrator.proposals'];
const frozen = ['userGold.state'];
/** A refund, and a burn that was announced. */
const settled = [
  'config.burnedTotal +5.000000, config.escrowOpen -5.000000, escrowGold -5.000000, goldMint.supply -5.000000, redemption closed',
  'config.escrowOpen -5.000000, escrowGold -5.000000, redemption closed, userGold +5.000000',
];

/** Tokens are the largest amounts: of the limit of the day, or all that there is. */
const allowed: Record<Key, Record<string, string[]>> = {
  'no role': {
    applySettings: ['config.settings.maxAgeOpen, settingsProposal closed'],
    closeReceipt: ['receipt closed'],
  },
  user: { reclaimRedemption: settled.slice(1) },
  'upgrade authority': {},
  admin: {
    proposeSettings: ['settingsProposal made'],
    cancelSettings: ['settingsProposal closed'],
    proposeAdmin: adminProposal,
    cancelAdmin: adminProposal,
    replaceKey: [
      'config.hotKeys.compliance',
      'config.hotKeys.market',
      'config.hotKeys.operations',
      'config.hotKeys.serviceSigners',
    ],
    rotateAccounts: ['config.feeUsdc'],
    pause: paused,
    resume: ['config.paused'],
    setMarket: market,
    createIntegrator: created,
    updateIntegrator: terms,
    suspendIntegrator: suspended,
    treasuryWithdraw: [
      'adminGold +120.000000, treasuryGold -120.000000',
      'adminUsdc +1000.000000, feeUsdc -1000.000000',
      'adminUsdc +500000.000000, treasuryUsdc -500000.000000',
    ],
    proposeAuthority: proposals,
    cancelAuthority: proposals,
    applyAuthority: ['integrator.proposals, integrator.updateAuthority'],
    cancelBurn: ['redemption.burnReadyAt'],
    sweepEscrow: ['escrowGold -20.000000, treasuryGold +20.000000'],
    mintGold: ['goldMint.supply +1000.000000, treasuryGold +1000.000000'],
    thawAccount: frozen,
  },
  operations: {
    createIntegrator: created,
    updateIntegrator: terms,
    suspendIntegrator: suspended,
    announceBurn: ['redemption.burnReadyAt, redemption.wasAnnounced'],
    settleRedemption: settled,
  },
  guardian: {
    cancelSettings: ['settingsProposal closed'],
    cancelAdmin: adminProposal,
    pause: paused,
    suspendIntegrator: suspended,
    cancelBurn: ['redemption.burnReadyAt'],
  },
  market: { setMarket: market },
  compliance: { freezeAccount: frozen, thawAccount: frozen },
  'service signer': {
    redeem: [
      'config.escrowOpen +10.000000, escrowGold +10.000000, new redemption made, ownGold -10.000000',
      'config.escrowOpen +10.000000, escrowGold +10.000000, new redemption made, thiefGold -10.000000',
    ],
  },
  attestor: {
    attest: [
      'config.attestation.amount +18446742073709.551615, config.attestation.asOf, config.attestation.reportHash',
    ],
  },
  'partner wallet': { handOverAuthority: ['integrator.partnerWallet'] },
  'update authority': {
    updateExecutives: ['integrator.executives'],
    handOverAuthority: ['integrator.updateAuthority'],
  },
  'withdrawal authority': {
    handOverAuthority: ['integrator.withdrawalAuthority'],
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
    // An amount counts for up to 25 hours.
    for (const day of [0n, 1n, 2n]) {
      const now = NOW + day * 90_000n;
      scenario.setTime(now);
      scenario.setPrice({ publishTime: now });
      scenario.setUsdcPrice({ publishTime: now });
      scenario.setAttestation({ asOf: now });
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
    scenario.setToken(at.vaultUsdc, { mint: at.usdcMint, owner: at.integrator, amount: 1_000_000n * ONE });
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

  test('a stolen operations key lifts the limit of a partner to that of the treasury, and no further', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    const vaultUsdc = { mint: at.usdcMint, owner: at.integrator, amount: 1_000_000n * ONE };
    scenario.setToken(at.vaultUsdc, vaultUsdc);
    const { dailyOutflowGold, dailyOutflowUsdc } = limits;
    const free = { openFeeBps: 0, closedFeeBps: 0 };
    const lift = (dailyLimitUsdc: bigint) => scenario.updateIntegrator({ dailyLimitUsdc, ...free });
    expect(scenario.send([lift(dailyOutflowUsdc + 1n)]).error).toBe('LimitTooHigh');
    scenario.mustSend([lift(dailyOutflowUsdc)]);
    scenario.mustSend([scenario.partnerPurchase({ goldOut: dailyOutflowGold })]);
    expect(scenario.send([scenario.partnerPurchase({ goldOut: 1_000n })]).error).toBe('DailyLimitExceeded');
    // At the oracle price: the treasury has USDC for it.
    expect(scenario.balance(at.treasuryUsdc)).toBe(10_000_000n * ONE + dailyOutflowGold * 4_100n);
  });

  test('a report by a stolen attestor key is replaced by the next report', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    scenario.mustSend([scenario.attest({ amount: 0n })]);
    expect(scenario.send([scenario.mintGold()]).error).toBe('NotBacked');
    scenario.setTime(NOW + 1n);
    scenario.mustSend([scenario.attest({ asOf: NOW + 1n }), scenario.mintGold()]);
  });

  test('a stolen attestor key overstates, and no more than dailyMint is minted on it in a day', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    scenario.mustSend([scenario.attest({ amount: U64_MAX })]);
    scenario.mustSend([scenario.mintGold(limits.dailyMint)]);
    expect(scenario.send([scenario.mintGold(1n)]).error).toBe('DailyLimitExceeded');
  });

  test('a stolen guardian key stops everything but reclaims, until the admin has replaced it after the delay', async () => {
    const { scenario } = await Theft.create(Object.values(keys));
    scenario.mustSend([scenario.cancelSettings(at.admin)]);
    scenario.mustSend([scenario.pause(63)]);
    const stopped = [
      scenario.buy(),
      scenario.sell(),
      scenario.partnerPurchase(),
      scenario.partnerSale(),
      scenario.partnerWithdraw('Usdc'),
      scenario.redeem(),
      scenario.settleRedemption(client.SettlementMode.Burn),
      scenario.settleRedemption(client.SettlementMode.Refund),
      scenario.announceBurn(),
      scenario.treasuryWithdraw('Usdc'),
      scenario.mintGold(),
      scenario.sweepEscrow(),
    ];
    for (const instruction of stopped) expect(scenario.send([instruction]).error).toBe('Paused');
    scenario.mustSend([scenario.cancelBurn()]);
    scenario.setRedemption({ reclaimableAt: NOW });
    scenario.mustSend([scenario.reclaimRedemption()]);
    scenario.mustSend([scenario.proposeSettings({ guardian: addressOf('new guardian') })]);
    expect(scenario.send([scenario.cancelSettings()]).error).toBe('Unauthorized');
    scenario.setTime(NOW + BigInt(DAY));
    scenario.mustSend([scenario.applySettings(), scenario.resume(31)]);
    expect(scenario.send([scenario.pause(1)]).error).toBe('Unauthorized');
  });

  test('a stolen admin key takes the limits of the day to the listed owners and nothing else, until the guardian pauses', async () => {
    const robbery = await Theft.create(Object.values(keys));
    const { scenario, thief, thiefUsdc, thiefGold } = robbery;
    const supply = scenario.goldSupply();
    scenario.mustSend([scenario.cancelSettings(at.admin)]);
    const recovery = scenario.proposeAuthority(client.AuthorityRole.Withdrawal, thief);
    scenario.mustSend([robbery.takeOver(), scenario.proposeAdmin(thief), recovery]);
    const { dailyMint, dailyOutflowUsdc, dailyOutflowGold } = limits;
    scenario.mustSend([
      scenario.mintGold(dailyMint),
      scenario.treasuryWithdraw('Usdc', dailyOutflowUsdc),
      scenario.treasuryWithdraw('Gold', dailyOutflowGold),
      scenario.sweepEscrow({ amount: 20n * ONE }),
    ]);
    const refused: [error: string, instruction: Instruction][] = [
      ['DailyLimitExceeded', scenario.mintGold(1n)],
      ['DailyLimitExceeded', scenario.treasuryWithdraw('Usdc', 1n)],
      ['DailyLimitExceeded', scenario.treasuryWithdraw('Fees', 1n)],
      ['DailyLimitExceeded', scenario.treasuryWithdraw('Gold', 1n)],
      ['NothingToSweep', scenario.sweepEscrow({ amount: 1n })],
      ['InvalidTokenOwner', scenario.treasuryWithdraw('Usdc', 1n, thiefUsdc)],
      ['InvalidTokenOwner', scenario.treasuryWithdraw('Gold', 1n, thiefGold)],
      ['NotReady', scenario.applySettings()],
      ['NotReady', scenario.acceptAdmin(thief)],
      ['NotReady', scenario.applyAuthority(client.AuthorityRole.Withdrawal, thief)],
      ['Unauthorized', scenario.attest({ amount: U64_MAX }, signer(at.admin))],
    ];
    for (const [error, instruction] of refused) expect(scenario.send([instruction]).error).toBe(error);
    scenario.mustSend([scenario.pause(32), scenario.cancelSettings(), scenario.cancelAdmin()]);
    for (const instruction of [
      scenario.mintGold(),
      scenario.treasuryWithdraw('Usdc'),
      scenario.sweepEscrow(),
    ])
      expect(scenario.send([instruction]).error).toBe('Paused');
    const alone = withoutSignature(scenario.resume(63), at.guardian);
    expect(scenario.send([alone]).error).toBe('MissingSignature');
    expect(scenario.goldSupply()).toBe(supply + dailyMint);
    for (const account of [at.vaultUsdc, at.vaultGold, at.userUsdc, at.userGold])
      expect(scenario.balance(account)).toBe(theft.scenario.balance(account));
    expect(scenario.balance(at.escrowGold)).toBe(5n * ONE);
    // By an operations key of its own it is what operations is.
    scenario.mustSend([scenario.replaceKey(client.HotKeyRole.Operations, at.operations, thief)]);
    const operations = signer(thief);
    const refund = scenario.settleRedemption(client.SettlementMode.Refund, { operations });
    expect(scenario.send([refund]).error).toBe('BurnAnnounced');
    scenario.setRedemption({ burnReadyAt: 0n });
    scenario.mustSend([refund]);
    expect(scenario.balance(at.userGold)).toBe(theft.scenario.balance(at.userGold) + 5n * ONE);
  });
});
