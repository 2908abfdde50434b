import { AuthorityRole, getAuthorityChangeDecoder, IntegratorStatus } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, type Outcome, type Scenario, signer, ZERO_ADDRESS } from './fixture.js';
import {
  applyAuthorityRefusals,
  cancelAuthorityRefusals,
  handOverAuthorityRefusals,
  holderOf,
  proposeAuthorityRefusals,
  roles,
} from './refusals/authorities.js';
import { sharedScenario, testRefusals } from './refusals/refusal.js';

const chain = sharedScenario();
const next = addressOf('next authority');
/** What follows the event. */
const bodyOf = ({ eventBytes }: Outcome) =>
  eventBytes.map((bytes) => getAuthorityChangeDecoder().decode(bytes.subarray(162)));
/** Seconds until a proposed authority can be applied. */
const DELAY = BigInt(DAY);
const none = { key: ZERO_ADDRESS, readyAt: 0n };

describe.each(roles)('the role %s', (role) => {
  const name = holderOf[role];

  test('the authority of the role hands itself over', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const before = scenario.integrator();
    const outcome = scenario.mustSend([scenario.handOverAuthority(role, next)]);
    expect(scenario.integrator()).toEqual({ ...before, [name]: next, seq: before.seq + 1n });
    expect(outcome.events).toMatchObject([{ kind: 16, seq: before.seq + 1n, actor: at[name] }]);
    expect([...(outcome.events[0]?.partnerId ?? [])]).toEqual([...at.partnerId]);
    expect(bodyOf(outcome)).toEqual([{ role, before: at[name], after: next, readyAt: 0n }]);
    // The old key is nothing any more, the new one all.
    expect(scenario.send([scenario.handOverAuthority(role, at.user)]).error).toBe('Unauthorized');
    const back = scenario.handOverAuthority(role, at[name], signer(next));
    expect(scenario.send([back]).error).toBe(undefined);
  });

  test('the admin proposes another authority of the role and applies it after the delay', async () => {
    const scenario = await chain();
    const { at } = scenario;
    const before = scenario.integrator();
    const readyAt = NOW + DELAY;
    const proposed = scenario.mustSend([scenario.proposeAuthority(role, next)]);
    const proposals = [none, none, none];
    proposals[role] = { key: next, readyAt };
    expect(scenario.integrator()).toEqual({ ...before, proposals, seq: before.seq + 1n });
    expect(proposed.events).toMatchObject([{ kind: 17, actor: at.admin }]);
    expect(bodyOf(proposed)).toEqual([{ role, before: ZERO_ADDRESS, after: next, readyAt }]);
    scenario.setTime(readyAt);
    const applied = scenario.mustSend([scenario.applyAuthority(role, next)]);
    expect(scenario.integrator()).toEqual({ ...before, [name]: next, seq: before.seq + 2n });
    expect(applied.events).toMatchObject([{ kind: 19, actor: at.admin }]);
    expect(bodyOf(applied)).toEqual([{ role, before: at[name], after: next, readyAt }]);
  });

  const others = roles.filter((other) => other !== role).map((other) => holderOf[other]);
  test.each(['admin' as const, ...others])(
    'a proposed authority of the role is cancelled by the admin alone, or by its holder and a second key: %s',
    async (who) => {
      const scenario = await chain();
      const { at } = scenario;
      scenario.mustSend([scenario.proposeAuthority(role, next)]);
      const before = scenario.integrator();
      const signers = who === 'admin' ? { authority: signer(at.admin) } : partnerSigners(scenario, role, who);
      const outcome = scenario.mustSend([scenario.cancelAuthority(role, next, signers)]);
      expect(scenario.integrator()).toEqual({
        ...before,
        proposals: [none, none, none],
        seq: before.seq + 1n,
      });
      expect(outcome.events).toMatchObject([{ kind: 18, actor: signers.authority.address }]);
      expect(bodyOf(outcome)).toEqual([{ role, before: next, after: ZERO_ADDRESS, readyAt: 0n }]);
    },
  );
});

/** The holder of the role with another key of the partner. */
function partnerSigners({ at }: Scenario, role: AuthorityRole, other: keyof typeof at) {
  return { authority: signer(at[holderOf[role]]), second: signer(at[other] as Address) };
}

describe('proposals', () => {
  test('a proposal of three years ago is not applied', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Withdrawal, next)]);
    scenario.setTime(NOW + 3n * 365n * DELAY);
    const late = scenario.applyAuthority(AuthorityRole.Withdrawal, next);
    expect(scenario.send([late]).error).toBe('ProposalExpired');
  });

  test('a proposal stays when the role is handed over meanwhile: the thief of a key cannot end its recovery', async () => {
    const scenario = await chain();
    const thief = addressOf('thief');
    scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Withdrawal, next)]);
    scenario.mustSend([scenario.handOverAuthority(AuthorityRole.Withdrawal, thief)]);
    scenario.setTime(NOW + DELAY);
    scenario.mustSend([scenario.applyAuthority(AuthorityRole.Withdrawal, next)]);
    expect(scenario.integrator().withdrawalAuthority).toBe(next);
  });

  test('proposals of the roles stand side by side, and a new one starts its delay again', async () => {
    const scenario = await chain();
    for (const role of roles) scenario.mustSend([scenario.proposeAuthority(role, next)]);
    scenario.setTime(NOW + 60n);
    const third = addressOf('third authority');
    const outcome = scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Update, third)]);
    expect(bodyOf(outcome)).toMatchObject([{ before: next, after: third, readyAt: NOW + DELAY + 60n }]);
    expect(scenario.integrator().proposals).toEqual([
      { key: next, readyAt: NOW + DELAY },
      { key: third, readyAt: NOW + DELAY + 60n },
      { key: next, readyAt: NOW + DELAY },
    ]);
  });

  test('work for a suspended partner, and whatever is paused', async () => {
    const scenario = await chain();
    scenario.setConfig({ paused: 0xff });
    scenario.setIntegrator({ status: IntegratorStatus.Suspended });
    scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Update, next)]);
    scenario.setTime(NOW + DELAY);
    scenario.mustSend([
      scenario.applyAuthority(AuthorityRole.Update, next),
      scenario.proposeAuthority(AuthorityRole.Wallet, next),
      scenario.cancelAuthority(AuthorityRole.Wallet, next, { authority: signer(scenario.at.admin) }),
      scenario.handOverAuthority(AuthorityRole.Withdrawal, next),
    ]);
  });

  test('give the new authority its powers, and take them from the old one', async () => {
    const scenario = await chain();
    scenario.mustSend([scenario.proposeAuthority(AuthorityRole.Wallet, next)]);
    scenario.setTime(NOW + DELAY);
    scenario.mustSend([scenario.applyAuthority(AuthorityRole.Wallet, next)]);
    expect(scenario.send([scenario.buy()]).error).toBe('Unauthorized');
  });
});

describe('handOverAuthority refuses with', () => testRefusals(handOverAuthorityRefusals, chain));
describe('proposeAuthority refuses with', () => testRefusals(proposeAuthorityRefusals, chain));
describe('cancelAuthority refuses with', () => testRefusals(cancelAuthorityRefusals, chain));
describe('applyAuthority refuses with', () => testRefusals(applyAuthorityRefusals, chain));
