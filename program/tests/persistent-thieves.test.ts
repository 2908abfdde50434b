import * as client from '@karat/program-client';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, ONE, replaceAccount, Scenario, signer } from './fixture.js';
import { I64_MAX, U64_MAX } from './numbers.js';

// Thieves that do not give up: each has one key and acts in every slot, before the honest transaction, for 200 rounds. The honest side
// reaches its goal all the same. One test or more for each row of the roles.

const ROUNDS = 200;
const MINUTE = 60n;
const HOUR = 3_600n;
const FOREVER = 91n * BigInt(DAY);
const thief = addressOf('thief');
const next = addressOf('key in the place of the stolen one');

/** A chain whose prices and attestations stay young, because rounds may be hours apart, with an open redemption. */
async function open(): Promise<Scenario> {
  const scenario = await Scenario.create();
  scenario.setSettings({ maxAttestationAge: Number(FOREVER) });
  scenario.mustSend([scenario.redeem()]);
  return scenario;
}

/** Sends each instruction alone; whether it lands does not matter. */
function attempt(scenario: Scenario, instructions: Instruction[]): void {
  for (const instruction of instructions) scenario.send([instruction]);
}

/** What a user wants to do in every round. */
const sale = (scenario: Scenario): Instruction => scenario.sell({ goldIn: 1_000n, expireAt: I64_MAX });

const errorOf = (scenario: Scenario, ...instructions: Instruction[]) => scenario.send(instructions).error;

/** In each round the thief acts, then the honest side; `step` seconds lie between two rounds. */
function play(
  scenario: Scenario,
  step: bigint,
  sides: { thief: (round: number) => Instruction[]; honest: (round: number, now: bigint) => void },
): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = NOW + BigInt(round) * step;
    scenario.setTime(now);
    scenario.setPrice({ publishTime: now });
    scenario.setUsdcPrice({ publishTime: now });
    attempt(scenario, sides.thief(round));
    sides.honest(round, now);
  }
}

/** What a proposal lands in, once its delay is over: false until then. */
function landsOnce(scenario: Scenario, build: () => Instruction): () => void {
  let landed = false;
  return () => {
    if (landed) return;
    const error = errorOf(scenario, build());
    if (error !== undefined) expect(error).toBe('NotReady');
    landed = error === undefined;
  };
}

describe('a thief that acts in every slot', () => {
  test('the thief of operations outdates no replacement of its key, and burns nothing while the guardian cancels', async () => {
    const scenario = await open();
    const { at } = scenario;
    const supply = scenario.goldSupply();
    const replacement = scenario.replaceKey(client.HotKeyRole.Operations, at.operations, next);
    let reclaimed = false;
    play(scenario, 4n * HOUR, {
      thief: (round) => [
        scenario.updateIntegrator({ openFeeBps: round % 2, closedFeeBps: 0 }),
        scenario.suspendIntegrator(at.operations),
        scenario.settleRedemption(client.SettlementMode.Burn),
        scenario.announceBurn(),
      ],
      honest: (_round, now) => {
        attempt(scenario, [scenario.cancelBurn()]);
        if (reclaimed || now < NOW + 30n * BigInt(DAY)) return;
        expect(errorOf(scenario, scenario.reclaimRedemption())).toBe(undefined);
        reclaimed = true;
      },
    });
    expect(reclaimed).toBe(true);
    expect(scenario.goldSupply()).toBe(supply);
    expect(errorOf(scenario, replacement)).toBe(undefined);
    expect(errorOf(scenario, scenario.updateIntegrator())).toBe('Unauthorized');
  });

  test('the thief of operations delays a reclaim by one announcement at most, though no key cancels it', async () => {
    const scenario = await open();
    const supply = scenario.goldSupply();
    const latest = NOW + 44n * BigInt(DAY) + 2n * HOUR;
    let reclaimedAt = 0n;
    play(scenario, 6n * HOUR, {
      // It announces as late as possible, and never carries a burn out: that would need it to be announced.
      thief: (round) => (BigInt(round) * 6n * HOUR < 29n * BigInt(DAY) ? [] : [scenario.announceBurn()]),
      honest: (_round, now) => {
        if (!reclaimedAt && errorOf(scenario, scenario.reclaimRedemption()) === undefined) reclaimedAt = now;
      },
    });
    expect(reclaimedAt).toBeGreaterThan(NOW + 30n * BigInt(DAY));
    expect(reclaimedAt).toBeLessThanOrEqual(latest);
    expect(scenario.goldSupply()).toBe(supply);
  });

  test('the thief of the market key outdates no proposal of the admin, no resumption and no replacement of its key', async () => {
    const scenario = await open();
    const { at } = scenario;
    const replacement = scenario.replaceKey(client.HotKeyRole.Market, at.market, next);
    let decided: Instruction[] = [];
    play(scenario, MINUTE, {
      thief: (round) => {
        // The admin has looked, and decided, before the thief acts.
        scenario.mustSend([scenario.pause(1)]);
        decided = [
          scenario.resume(),
          scenario.proposeSettings({ maxFeeBps: 100 }),
          scenario.rotateAccounts(),
        ];
        return [scenario.setMarket(round % 2)];
      },
      honest: () => {
        expect(errorOf(scenario, ...decided, scenario.cancelSettings(at.admin))).toBe(undefined);
        const opening = scenario.setMarket(client.MarketState.Open, at.admin);
        expect(errorOf(scenario, opening, sale(scenario))).toBe(undefined);
      },
    });
    expect(errorOf(scenario, replacement)).toBe(undefined);
    expect(errorOf(scenario, scenario.setMarket(client.MarketState.Closed))).toBe('Unauthorized');
  });

  test('the thief of a service signer outdates no replacement of its key, and moves its own gold only', async () => {
    const scenario = await open();
    const { at } = scenario;
    const gold = addressOf('gold of the thief');
    scenario.setToken(gold, { mint: at.goldMint, owner: thief, amount: ONE });
    const slots = await Promise.all(
      Array.from({ length: ROUNDS }, async (_, round) => {
        const id = new Uint8Array(16).fill(1);
        id[0] = round;
        return { id, redemption: (await client.findRedemptionPda({ id }))[0] };
      }),
    );
    const replacement = scenario.replaceKey(client.HotKeyRole.ServiceSigner, at.serviceSigner, next);
    play(scenario, MINUTE, {
      thief: (round) => [
        scenario.redeem({ ...slots[round], user: signer(thief), userGold: gold, amount: 1n }),
        scenario.redeem({ ...slots[round], user: signer(thief), amount: ONE }),
      ],
      honest: () => {
        const trade = replaceAccount(sale(scenario), at.serviceSigner, at.spareSigner);
        expect(errorOf(scenario, trade)).toBe(undefined);
      },
    });
    expect(scenario.config().escrowOpen).toBe(ONE + BigInt(ROUNDS));
    expect(errorOf(scenario, replacement)).toBe(undefined);
    expect(errorOf(scenario, scenario.redeem({ ...slots[0], amount: 1n }))).toBe('Unauthorized');
  });

  test('the thief of the compliance key keeps no account frozen, and outdates no replacement of its key', async () => {
    const scenario = await open();
    const { at } = scenario;
    const replacement = scenario.replaceKey(client.HotKeyRole.Compliance, at.compliance, next);
    play(scenario, MINUTE, {
      thief: () => [
        scenario.freezeAccount(),
        scenario.freezeAccount({ account: at.treasuryGold, owner: at.treasury }),
      ],
      honest: () => {
        const thaw = scenario.thawAccount({ authority: signer(at.admin) });
        expect(errorOf(scenario, thaw, sale(scenario))).toBe(undefined);
        expect(errorOf(scenario, scenario.treasuryWithdraw('Gold', 1n))).toBe(undefined);
      },
    });
    expect(errorOf(scenario, replacement)).toBe(undefined);
    expect(errorOf(scenario, scenario.freezeAccount())).toBe('Unauthorized');
  });

  test('the thief of the guardian key cancels no replacement of itself, and outdates no resumption', async () => {
    const scenario = await open();
    const { at } = scenario;
    scenario.mustSend([scenario.proposeSettings({ guardian: next })]);
    const replace = landsOnce(scenario, () => scenario.applySettings());
    let resume: Instruction[] = [];
    let outdated = 0;
    play(scenario, 8n * MINUTE, {
      thief: () => {
        resume = scenario.config().paused & 31 ? [scenario.resume(31)] : [];
        return [
          scenario.pause(63),
          scenario.cancelSettings(),
          scenario.cancelAdmin(),
          scenario.cancelBurn(),
          scenario.suspendIntegrator(),
        ];
      },
      honest: () => {
        replace();
        if (resume.length === 0) return;
        const error = errorOf(scenario, ...resume, scenario.updateIntegrator(), sale(scenario));
        if (error !== undefined) expect(error).toBe('StaleSequence');
        if (error !== undefined) outdated += 1;
      },
    });
    // What is paused is no pause: all that outdates a resumption is to prolong that of the treasury, once an hour, in one round of eight.
    expect(outdated).toBeLessThanOrEqual(ROUNDS / 8);
    expect(scenario.config().settings.guardian).toBe(next);
    // The last pause of the treasury ends by itself, or by the admin with the new guardian.
    expect(errorOf(scenario, replaceAccount(scenario.resume(63), at.guardian, next))).toBe(undefined);
    expect(errorOf(scenario, scenario.treasuryWithdraw('Usdc'))).toBe(undefined);
  });

  test('the thief of the guardian key stops no reclaim', async () => {
    const scenario = await open();
    const reclaim = landsOnce(scenario, () => scenario.reclaimRedemption());
    play(scenario, 4n * HOUR, {
      thief: () => [scenario.pause(63), scenario.cancelBurn(), scenario.suspendIntegrator()],
      honest: () => reclaim(),
    });
    expect(scenario.balance(scenario.at.userGold)).toBe(50n * ONE);
  });

  test('the thief of the admin key takes nothing more once the guardian has paused the treasury', async () => {
    const scenario = await open();
    const { at } = scenario;
    const watched = [at.treasuryUsdc, at.treasuryGold, at.feeUsdc, at.escrowGold, at.vaultUsdc, at.vaultGold];
    const balances = () => watched.map((account) => scenario.balance(account));
    const [before, supply, { settings }] = [balances(), scenario.goldSupply(), scenario.config()];
    scenario.mustSend([scenario.pause(32)]);
    const alone = (mask: number) => replaceAccount(scenario.resume(mask), at.guardian, thief);
    play(scenario, HOUR, {
      thief: () => [
        alone(32),
        scenario.treasuryWithdraw('Usdc'),
        scenario.treasuryWithdraw('Gold'),
        scenario.treasuryWithdraw('Fees'),
        scenario.mintGold(),
        scenario.sweepEscrow(),
        scenario.applySettings(),
        scenario.acceptAdmin(thief),
        scenario.proposeSettings({ withdrawOwners: Array<Address>(4).fill(thief) }),
        scenario.proposeAdmin(thief),
      ],
      honest: () =>
        attempt(scenario, [scenario.pause(32), scenario.cancelSettings(), scenario.cancelAdmin()]),
    });
    expect(balances()).toEqual(before);
    expect(scenario.goldSupply()).toBe(supply);
    expect(scenario.config()).toMatchObject({ settings, admin: at.admin });
  });

  test('the thief of the admin key replaces the guardian, and waits the delay twice before other settings hold', async () => {
    const scenario = await open();
    const { at } = scenario;
    scenario.mustSend([scenario.pause(32)]);
    const loot = addressOf('USDC of the thief');
    scenario.setToken(loot, { mint: at.usdcMint, owner: thief });
    let takenAt = 0n;
    play(scenario, HOUR, {
      thief: () => [
        scenario.config().settings.guardian === thief
          ? scenario.proposeSettings({ withdrawOwners: Array<Address>(4).fill(thief) })
          : scenario.proposeSettings({ guardian: thief }),
        scenario.applySettings(),
        replaceAccount(scenario.resume(32), at.guardian, thief),
        scenario.treasuryWithdraw('Usdc', 1n, loot),
      ],
      honest: (_round, now) => {
        attempt(scenario, [scenario.pause(32), scenario.cancelSettings()]);
        if (!takenAt && scenario.balance(loot) > 0n) takenAt = now;
      },
    });
    // The guardian cannot cancel its own replacement: what is left is this time, and the upgrade authority.
    expect(takenAt).toBeGreaterThanOrEqual(NOW + 2n * BigInt(DAY));
  });

  test('the thief of the attestor key cannot cancel its replacement, and what it overstates is minted within dailyMint', async () => {
    const scenario = await open();
    scenario.setSettings({ dailyMint: ONE });
    scenario.mustSend([scenario.proposeSettings({ attestor: next })]);
    const replace = landsOnce(scenario, () => scenario.applySettings());
    const supply = scenario.goldSupply();
    play(scenario, 10n * MINUTE, {
      thief: (round) => [
        scenario.attest({ amount: U64_MAX, asOf: NOW + BigInt(round) * 10n * MINUTE }),
        scenario.mintGold(ONE + 1n),
        scenario.cancelSettings(scenario.at.attestor),
      ],
      honest: () => replace(),
    });
    expect(scenario.goldSupply()).toBe(supply);
    const truth = { amount: supply, asOf: NOW + BigInt(ROUNDS - 1) * 10n * MINUTE };
    expect(errorOf(scenario, scenario.attest(truth))).toBe('Unauthorized');
    expect(errorOf(scenario, scenario.attest(truth, signer(next)))).toBe(undefined);
    expect(errorOf(scenario, scenario.mintGold(1n))).toBe('NotBacked');
  });

  test.each([
    ['partner wallet', client.AuthorityRole.Wallet, 'partnerWallet'],
    ['update authority', client.AuthorityRole.Update, 'updateAuthority'],
    ['withdrawal authority', client.AuthorityRole.Withdrawal, 'withdrawalAuthority'],
  ] as const)(
    'the thief of the %s does not keep the role, though it hands it on in every slot',
    async (_name, role, field) => {
      const scenario = await open();
      const { at } = scenario;
      scenario.setConfig({ paused: 4 });
      scenario.mustSend([scenario.proposeAuthority(role, next)]);
      const recover = landsOnce(scenario, () => scenario.applyAuthority(role, next));
      let held: Address = at[field];
      play(scenario, 10n * MINUTE, {
        thief: (round) => {
          const own = addressOf(`key ${round} of the thief`);
          const holder = scenario.integrator()[field];
          const tries = [
            scenario.handOverAuthority(role, own, signer(held)),
            scenario.cancelAuthority(role, next, { authority: signer(own) }),
            scenario.cancelAuthority(role, next, { authority: signer(own), second: signer(held) }),
            scenario.partnerWithdraw('Usdc', ONE, { expireAt: NOW + BigInt(round) * 10n * MINUTE }),
          ];
          if (holder === held) held = own;
          return tries;
        },
        honest: () => recover(),
      });
      expect(scenario.integrator()[field]).toBe(next);
      expect(scenario.balance(at.vaultUsdc)).toBe(100_000n * ONE);
    },
  );

  test('the thief of the update authority does not cancel the recovery of the withdrawal authority', async () => {
    const scenario = await open();
    const { at } = scenario;
    const role = client.AuthorityRole.Withdrawal;
    scenario.mustSend([scenario.proposeAuthority(role, next)]);
    const recover = landsOnce(scenario, () => scenario.applyAuthority(role, next));
    play(scenario, 10n * MINUTE, {
      thief: () => [
        scenario.cancelAuthority(role, next, { authority: signer(at.updateAuthority) }),
        scenario.cancelAuthority(role, next, {
          authority: signer(at.updateAuthority),
          second: signer(thief),
        }),
      ],
      honest: () => recover(),
    });
    expect(scenario.integrator().withdrawalAuthority).toBe(next);
  });

  test('the thief of an executive is removed, and leaves the daily limits of the treasury to others', async () => {
    const scenario = await open();
    const { at } = scenario;
    scenario.setSettings({
      dailyOutflowUsdc: 5_000n * ONE,
      dailyOutflowGold: 2n * ONE,
      oppositeSideSeconds: 300,
    });
    const removal = scenario.updateExecutives({ remove: [at.executive], add: [next] });
    play(scenario, 5n * MINUTE, {
      thief: (round) => {
        const expireAt = NOW + BigInt(round) * 5n * MINUTE;
        return round % 2 ? [scenario.partnerSale({ expireAt })] : [scenario.partnerPurchase({ expireAt })];
      },
      honest: (_round, now) => {
        const buy = scenario.buy({ usdcIn: ONE, expireAt: now });
        expect(errorOf(scenario, buy, sale(scenario))).toBe(undefined);
      },
    });
    expect(errorOf(scenario, removal)).toBe(undefined);
    const late = NOW + BigInt(ROUNDS) * 5n * MINUTE;
    expect(errorOf(scenario, scenario.partnerPurchase({ expireAt: late }))).toBe('NotExecutive');
  });
});
