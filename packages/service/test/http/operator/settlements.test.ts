import {
  getAnnounceBurnInstructionAsync,
  getSettleRedemptionInstructionAsync,
  SettlementMode,
} from '@karat/program-client';
import { token2022Program } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import type { Address, Instruction, TransactionSigner } from '@solana/kit';
import {
  AccountState,
  AuthorityType,
  getBurnCheckedInstruction,
  getCloseAccountInstruction,
  getSetAuthorityInstruction,
} from '@solana-program/token';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { sendInstructions } from '../../../src/chain/admin/seed.js';
import { readOpenRedemption } from '../../../src/chain/program/open-redemption.js';
import { goldOf, tokenAccountOf } from '../../../src/chain/program/token-accounts.js';
import { deadLetters, operatorTransactions } from '../../../src/db/schema.js';
import { newId, type RedemptionId } from '../../../src/domain/ids.js';
import { type OperatorRole, operatorRoles } from '../../../src/domain/operator.js';
import { redemptionStatuses } from '../../../src/domain/redemption.js';
import { cosign } from '../../chain/signed-trade.js';
import {
  type ApiResponse,
  expectStatus,
  type Harness,
  harness,
  kitSigner,
  newWallet,
  type Wallet,
} from '../../harness.js';
import { eventually, finalize } from '../../karat-chain.js';
import { type Operating, startOperating, tokens } from '../../operating.js';
import { changesOf, type Operators, send, startOperators } from '../../operators.js';
import { givenRedemption, pickupCodeOf, seedDenominations, tola } from '../../redeeming.js';

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
});
afterEach(() => o.chain.clearFaults());
afterAll(() => o.stop());

type Kind = 'refund' | 'burn';
const stateOf = { refund: 'cancelled', burn: 'collected' } as const;
const wordOf = { refund: 'refunded', burn: 'burned' } as const;
const kinds = ['refund', 'burn'] as const;

const vault = () => o.operators.by.fulfilment;
const settle = (kind: Kind, id: string, client = vault().client, headers?: Record<string, string>) =>
  send(client, 'POST', `/redemptions/${id}/${kind}`, undefined, headers);
const get = async (id: string) =>
  expectStatus(await vault().client.get(`/operator/v1/redemptions/${id}`), 200).body;
const error = (status: number, code: string, message: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message) },
});
const refused = (message: string) => error(409, 'transition_not_allowed', message);

/** The row of a redemption's settlement, as soon as it is so. */
const rowBecomes = (id: RedemptionId, wanted: object) =>
  eventually(async () => {
    const rows = await o.rowsOf(id);
    expect(rows.at(-1)).toMatchObject(wanted);
    return rows;
  }, 20_000);

/** Runs `work` and returns what it moved, base units of GOLD. */
async function moved(work: () => Promise<unknown>, owner?: Address) {
  const before = await o.gold(owner);
  await work();
  const after = await o.gold(owner);
  return {
    escrow: after.escrow - before.escrow,
    supply: after.supply - before.supply,
    owner: after.owner - before.owner,
  };
}
const nothing = { escrow: 0n, supply: 0n, owner: 0n };
const effects = {
  refund: { escrow: -tokens, supply: 0n, owner: tokens },
  burn: { escrow: -tokens, supply: -tokens, owner: 0n },
};

/** Transactions that settled a redemption whose status does not allow it, in their order. */
const outside: string[] = [];

const auditOf = (id: string) => changesOf(o.h, 'redemption', id);

describe('a settlement', () => {
  test('a settlement ends a redemption that was paid on chain, cancelled and agreed to', async () => {
    const user = await o.h.givenUser(o.partner.partnerId);
    const { wallet } = user;
    await o.chain.node.setTokenBalance(wallet.address, o.chain.goldMint, 1_000_000n);
    const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
    const quoted = expectStatus(await o.partner.client.post('/v1/redemptions', body), 201).body;
    const { redemption_id: id, partially_signed_transaction: base64 } = quoted;
    const signed = Buffer.from(cosign(Buffer.from(base64, 'base64'), [wallet])).toString('base64');
    const own = `/v1/redemptions/${id}`;
    expectStatus(await o.partner.client.post(`${own}/submit`, { signed_tx: signed }), 200);
    await eventually(async () => expectStatus(await o.partner.client.get(own), 200), 10_000);
    expectStatus(await o.partner.client.post(`${own}/cancel`), 200);
    expect(await settle('refund', id)).toMatchObject(
      refused('A redemption that is cancellation_requested cannot be refunded.'),
    );
    const agreed = { physical_gold_committed: false };
    expectStatus(await send(vault().client, 'POST', `/redemptions/${id}/cancel`, agreed), 200);
    await finalize(o.chain, o.h.ctx);
    await eventually(async () => expect((await get(id)).final).toBe(true), 10_000);

    const { body: refund } = expectStatus(await settle('refund', id), 200);
    expect(refund).toEqual({ redemption_id: id, refund_tx_hash: expect.any(String) });
    expect(await o.gold(wallet.address)).toMatchObject({ owner: 1_000_000n });
    await rowBecomes(id, { status: 'confirmed', finalized: true, txSignature: refund.refund_tx_hash });
    expect(await get(id)).toMatchObject({
      status: 'cancelled',
      available_actions: [],
      refund_tx_hash: refund.refund_tx_hash,
      burn_tx_hash: null,
      settlement: { kind: 'refund', status: 'confirmed', amount: 0.380625, failure_reason: null },
    });
    // The partner's view of it stays what it was.
    expect((await o.partner.client.get(own)).body.status).toBe('cancelled');
  }, 60_000);

  test('a refund moves the tokens once and leaves its traces', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    let hash = '';
    const change = await moved(async () => {
      const { body } = expectStatus(await settle('refund', id), 200);
      hash = body.refund_tx_hash;
      expect(body).toEqual({ redemption_id: id, refund_tx_hash: hash });
    }, wallet.address);
    expect(change).toEqual(effects.refund);
    const { operatorId } = vault();
    const shown = { redemption_id: id, status: 'cancelled', tokens: '0.380625' };
    expect(await auditOf(id)).toEqual([
      {
        action: 'redemption.refund',
        before: shown,
        after: { ...shown, tx_hash: hash },
        reason: null,
        operatorId,
      },
    ]);
    const [row] = await rowBecomes(id, { status: 'confirmed' });
    expect(row).toMatchObject({ kind: 'refund', amount: tokens, txSignature: hash, operatorId });
    expect(await get(id)).toMatchObject({ available_actions: [], refund_tx_hash: hash });

    expect(await moved(() => settle('refund', id), wallet.address)).toEqual(nothing);
    expect(await settle('refund', id)).toMatchObject(refused('This redemption has already been refunded.'));
    expect(await o.rowsOf(id)).toHaveLength(1);
  });

  test('a refund, requested 20 times at once, happens once', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    const people = [vault(), o.operators.by.admin];
    let responses: ApiResponse[] = [];
    const change = await moved(async () => {
      responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => settle('refund', id, people[index % 2]?.client)),
      );
    }, wallet.address);
    expect(change).toEqual(effects.refund);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    // A node with so much to do may also be too slow for some of them.
    for (const { status, body } of responses) {
      if (status !== 200) expect(['transition_not_allowed', 'service_unavailable']).toContain(body.error);
    }
    expect(await o.rowsOf(id)).toHaveLength(1);
    expect(await auditOf(id)).toHaveLength(1);
  });

  test('a settlement that comes again with its Idempotency-Key has the first response, and no second effect', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    const key = { 'idempotency-key': 'refund once' };
    const twins = await Promise.all([1, 2, 3].map(() => settle('refund', id, undefined, key)));
    const [first, ...replayed] = twins
      .filter(({ status }) => status === 200)
      .toSorted(
        (one, other) =>
          Number('idempotency-replayed' in one.headers) - Number('idempotency-replayed' in other.headers),
      );
    expect(first?.headers['idempotency-replayed']).toBeUndefined();
    // One that is late enough on a busy machine has the response already.
    for (const { headers, body } of replayed) {
      expect([headers['idempotency-replayed'], body]).toEqual(['true', first?.body]);
    }
    expect(twins.filter(({ body }) => body.error === 'idempotency_conflict')).toHaveLength(
      2 - replayed.length,
    );
    expect(await o.rowsOf(id)).toHaveLength(1);
    const change = await moved(async () => {
      const again = await settle('refund', id, undefined, key);
      expect(again).toMatchObject({ status: 200, body: first?.body });
      expect(again.headers['idempotency-replayed']).toBe('true');
    }, wallet.address);
    expect(change).toEqual(nothing);
  });
});

describe('a settlement before any call to the chain', () => {
  let h: Harness;
  let operators: Operators;
  let owner: Parameters<typeof givenRedemption>[1];
  beforeAll(async () => {
    h = await harness({ config: { approvals: 1 } });
    operators = await startOperators(h);
    await seedDenominations(h);
    owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
  });
  afterAll(async () => {
    await operators.close();
    await h.close();
  });
  const ask = (kind: Kind, id: string, role: OperatorRole = 'fulfilment') =>
    settle(kind, id, operators.by[role].client);
  const traces = async (id: string) => [
    ...(await changesOf(h, 'redemption', id)),
    ...(await h.ctx.db.select().from(operatorTransactions)),
  ];

  test.each(redemptionStatuses)(
    'a settlement of a redemption that is %s is what its state requires',
    async (status) => {
      for (const kind of kinds) {
        const id = await givenRedemption(h, owner, { status });
        const response = await ask(kind, id);
        if (stateOf[kind] === status) {
          // Allowed: what is missing here is the chain.
          expect(response).toMatchObject(error(503, 'service_unavailable', 'node'));
        } else if (status === 'quoted' || status === 'lapsed') {
          expect(response).toMatchObject(error(404, 'redemption_not_found', id));
        } else {
          expect(response).toMatchObject(
            refused(`A redemption that is ${status} cannot be ${wordOf[kind]}.`),
          );
        }
        expect(await traces(id)).toEqual([]);
      }
    },
  );

  test('a settlement is for those who fulfil, and takes no fields', async () => {
    const id = await givenRedemption(h, owner, { status: 'cancelled' });
    for (const role of operatorRoles) {
      if (role === 'fulfilment' || role === 'admin') continue;
      for (const kind of kinds) {
        expect(await ask(kind, id, role)).toMatchObject(error(403, 'insufficient_scope', role));
      }
    }
    expect(await settle('refund', id, operators.anonymous)).toMatchObject(error(401, 'unauthorized', ''));
    for (const body of [{ amount: 1 }, { wallet_address: newWallet().address }, { reason: 'x' }, []]) {
      expect(
        await send(operators.by.fulfilment.client, 'POST', `/redemptions/${id}/refund`, body),
      ).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      });
    }
    for (const unknown of [newId('red'), 'red_1', newId('trd'), '%00']) {
      expect(await ask('burn', unknown)).toMatchObject(error(404, 'redemption_not_found', ''));
    }
    expect(await traces(id)).toEqual([]);
  });
});

describe('a refund', () => {
  const token2022 = { programAddress: token2022Program };

  /** Empties and closes the GOLD account of a wallet. */
  async function close({ wallet, account }: { wallet: Wallet; account: Address }): Promise<void> {
    const mint = o.chain.goldMint;
    const burned = { account, mint, amount: 1_000_000n, decimals: 6 };
    await o.sendAs(wallet, (owner) => [
      getBurnCheckedInstruction({ ...burned, authority: owner }, token2022),
      getCloseAccountInstruction({ account, destination: wallet.address, owner }, token2022),
    ]);
    expect(await o.exists(account)).toBe(false);
  }

  test('a refund makes the closed account of the wallet again', async () => {
    const redemption = await o.given.redemption('cancelled');
    await close(redemption);
    expectStatus(await settle('refund', redemption.id), 200);
    expect(await o.gold(redemption.wallet.address)).toMatchObject({ owner: tokens });
  });

  test('a refund makes the account again also where SOL was sent to it', async () => {
    const redemption = await o.given.redemption('cancelled');
    await close(redemption);
    o.chain.node.airdrop(redemption.account, 5_000_000_000n);
    o.chain.node.warp({ slots: 1 });
    expectStatus(await settle('refund', redemption.id), 200);
    expect(await o.gold(redemption.wallet.address)).toMatchObject({ owner: tokens });
  });

  test('a refund goes to the account of the wallet, which cannot get another owner', async () => {
    const { id, wallet, account } = await o.given.redemption('cancelled');
    const given = o.sendAs(wallet, (owner) => [
      getSetAuthorityInstruction(
        {
          ...{ owned: account, owner, authorityType: AuthorityType.AccountOwner },
          newAuthority: newWallet().address,
        },
        token2022,
      ),
    ]);
    await expect(given).rejects.toThrow();
    const change = await moved(async () => expectStatus(await settle('refund', id), 200), wallet.address);
    expect(change).toEqual(effects.refund);
  });

  test('a refund goes to an account made for it where that of the wallet is frozen', async () => {
    const { id, wallet, account } = await o.given.redemption('cancelled');
    const state = o.chain.node.getAccount(account);
    if (!state) throw new Error('no account');
    // Token account: state is the byte at 108.
    const frozen = Buffer.from(state.data);
    frozen[108] = AccountState.Frozen;
    o.chain.node.setAccount(account, { ...state, data: frozen });
    const before = await o.gold();
    const { refund_tx_hash: hash } = expectStatus(await settle('refund', id), 200).body;
    const { rpc } = o.h.ctx.chain;
    const { value } = await rpc
      .getTokenAccountsByOwner(
        wallet.address,
        { mint: o.chain.goldMint },
        { encoding: 'base64', commitment: 'confirmed' },
      )
      .send();
    const held = value.filter(({ pubkey }) => pubkey !== account);
    expect(held.map(({ account: { data } }) => Buffer.from(data[0], 'base64').readBigUInt64LE(64))).toEqual([
      tokens,
    ]);
    expect((await o.gold()).escrow).toBe(before.escrow - tokens);
    await rowBecomes(id, { status: 'confirmed', txSignature: hash });
  });
});

describe('a service that lacks the key of operations', () => {
  let keyless: Operators;
  beforeAll(async () => {
    keyless = await o.otherwise({ keys: { operations: undefined } });
  });
  const ask = (kind: Kind, id: string, headers?: Record<string, string>) =>
    settle(kind, id, keyless.by.fulfilment.client, headers);

  test('a refund is handed out unsigned, and known when its signer sends it', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    const key = { 'idempotency-key': 'unsigned' };
    const { body } = expectStatus(await ask('refund', id, key), 202);
    expect(body).toEqual({
      transaction: expect.any(String),
      signers: [o.chain.operations.address],
      expires_at: expect.stringMatching(/Z$/),
    });
    const livesForMs = Date.parse(body.expires_at) - o.chain.clock.now();
    expect(livesForMs).toBeGreaterThan(0);
    expect(livesForMs).toBeLessThanOrEqual(60_000);
    const unsigned = Buffer.from(body.transaction, 'base64');
    expect(
      readLegacyTransaction(unsigned).signatures.map((bytes) => bytes.every((byte) => byte === 0)),
    ).toEqual([true]);
    expect(await rowBecomes(id, { status: 'pending', txSignature: null })).toHaveLength(1);
    expect((await auditOf(id)).map(({ after }) => after)).toMatchObject([{ tx_hash: null }]);

    // The same response to the same request; to another one, that it is under way.
    const again = await ask('refund', id, key);
    expect(again).toMatchObject({ status: 202, body, headers: { 'idempotency-replayed': 'true' } });
    for (const other of [await ask('refund', id), await settle('refund', id)]) {
      expect(other).toMatchObject(refused('is already being refunded'));
    }
    expect(await get(id)).toMatchObject({ available_actions: [], settlement: { status: 'pending' } });

    let signature = '';
    const change = await moved(async () => {
      signature = await o.chain.sendStraight(cosign(unsigned, [o.chain.operations]));
      await rowBecomes(id, { status: 'confirmed', txSignature: signature });
    }, wallet.address);
    expect(change).toEqual(effects.refund);
    expect(await get(id)).toMatchObject({ refund_tx_hash: signature });
    expect(await ask('refund', id)).toMatchObject(refused('has already been refunded'));
  });

  test('an unsigned settlement that is not signed in time can be requested again, and the old one is void', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    const { body } = expectStatus(await ask('refund', id), 202);
    await o.moveOn();
    await rowBecomes(id, { status: 'expired' });
    expectStatus(await settle('refund', id), 200);
    const late = cosign(Buffer.from(body.transaction, 'base64'), [o.chain.operations]);
    expect(await moved(() => o.chain.sendStraight(late).catch(() => ''), wallet.address)).toEqual(nothing);
    const rows = await rowBecomes(id, { status: 'confirmed' });
    expect(rows.map(({ status }) => status)).toEqual(['expired', 'confirmed']);
  });

  test('a settlement that escrow cannot cover is not even handed out', async () => {
    const { id } = await o.given.redemption('cancelled');
    await withEscrow(0n, async () => {
      expect(await ask('refund', id)).toMatchObject(error(400, 'broadcast_failed', 'EscrowShort'));
    });
    expect(await o.rowsOf(id)).toEqual([]);
  });
});

describe('tokens that the holder of the operations key alone moved out of escrow', () => {
  const sendAsOperations = async (make: (operations: TransactionSigner) => Promise<Instruction>) => {
    const { rpc } = o.h.ctx.chain;
    const payer = await kitSigner(o.chain.operations);
    return sendInstructions({ rpc, payer, commitment: 'confirmed' }, [await make(payer)]);
  };
  async function openOnChain(id: RedemptionId) {
    const open = await readOpenRedemption(o.h.ctx.chain, id, AbortSignal.timeout(5_000));
    if (!open) throw new Error(`${id} is not open on chain`);
    return open;
  }

  /** Announces the burn of a redemption by nothing but that key, and moves the chain on until it is due. */
  async function announceOutside(id: RedemptionId): Promise<void> {
    const { address: redemption, data } = await openOnChain(id);
    const { programAddress } = o.h.ctx.chain;
    await sendAsOperations((operations) =>
      getAnnounceBurnInstructionAsync({ operations, redemption, id: data.id }, { programAddress }),
    );
    o.chain.node.warp({ seconds: o.h.ctx.chain.program.config().settings.burnDelay });
    await o.ready();
  }

  /** Settles a redemption by nothing but that key, and waits for its record. */
  async function settleOutside(kind: Kind, id: RedemptionId): Promise<void> {
    const { address: redemption, data } = await openOnChain(id);
    if (kind === 'burn' && data.burnReadyAt === 0n) await announceOutside(id);
    const { escrowGold, goldMint } = o.h.ctx.chain.program.config();
    const [mode, destination] =
      kind === 'burn'
        ? ([SettlementMode.Burn, escrowGold] as const)
        : ([SettlementMode.Refund, tokenAccountOf(data.user, goldOf({ goldMint }))] as const);
    const { id: bytes, rentPayer } = data;
    const accounts = { redemption, rentPayer, escrowGold, goldMint, destination };
    const { programAddress } = o.h.ctx.chain;
    const signature = await sendAsOperations((operations) =>
      getSettleRedemptionInstructionAsync({ operations, ...accounts, id: bytes, mode }, { programAddress }),
    );
    await rowBecomes(id, { kind, status: 'confirmed', txSignature: signature });
    outside.push(signature);
  }
  const press = (id: string, move: string, body?: unknown, by = vault()) =>
    by.client.post(`/operator/v1/redemptions/${id}/${move}`, body);
  const withoutCode = { without_code: { reason: 'Handed over before the backup, by receipt 17' } };

  test.each([
    ['preparing', 'ready'],
    ['ready', 'collect'],
  ] as const)(
    'tokens moved to the user: gold of a redemption that is %s stays in the vault',
    async (status, move) => {
      const { id, wallet } = await o.given.redemption(status);
      expect(await moved(() => settleOutside('refund', id), wallet.address)).toEqual(effects.refund);
      expect(await get(id)).toMatchObject({ status, available_actions: [] });
      const message = 'This redemption has already been refunded: no gold can be handed out for it.';
      const tries =
        status === 'preparing'
          ? [press(id, move)]
          : [
              press(id, move, { pickup_code: await pickupCodeOf(o.h, id) }),
              press(id, move, withoutCode),
              press(id, 'reissue-code'),
            ];
      for (const response of await Promise.all(tries)) expect(response).toMatchObject(refused(message));
      expect(await get(id)).toMatchObject({ status, available_actions: [] });
      expect(await auditOf(id)).toEqual([]);
    },
  );

  test('tokens moved by burning them: the hand-over can be entered by two people, and by no code', async () => {
    const { id } = await o.given.redemption('ready');
    await announceOutside(id);
    const two = await o.otherwise({ config: { approvals: 2 } });
    const requested = () => press(id, 'collect', withoutCode, two.by.fulfilment);
    const approve = (approval: string) =>
      two.by.admin.client.post(`/operator/v1/approvals/${approval}/approve`);
    const before = expectStatus(await requested(), 202).body;
    await settleOutside('burn', id);
    expect(await get(id)).toMatchObject({ status: 'ready', available_actions: ['collect'] });
    expect(await press(id, 'collect', { pickup_code: await pickupCodeOf(o.h, id) })).toMatchObject(
      refused('This redemption has already been burned: it can only be collected without a code.'),
    );
    // What the approver saw then was another redemption.
    expect(await approve(before.approval_id)).toMatchObject(refused('This has changed'));
    const reject = { reason: 'The tokens are burned' };
    expectStatus(
      await two.by.admin.client.post(`/operator/v1/approvals/${before.approval_id}/reject`, reject),
      200,
    );
    expectStatus(await approve(expectStatus(await requested(), 202).body.approval_id), 200);
    expect(await get(id)).toMatchObject({ status: 'collected', available_actions: [] });
  });

  test('tokens moved as a restored record may not know: it catches up as far as its own moves lead', async () => {
    const burnedId = (await o.given.redemption('preparing')).id;
    await settleOutside('burn', burnedId);
    expectStatus(await press(burnedId, 'ready'), 200);
    expectStatus(await press(burnedId, 'collect', withoutCode), 200);
    expect(await get(burnedId)).toMatchObject({ status: 'collected', available_actions: [] });

    const { id: stuckId } = await o.given.redemption('submitted');
    await settleOutside('burn', stuckId);
    expect(await get(stuckId)).toMatchObject({ status: 'submitted', available_actions: [] });
    expect(await press(stuckId, 'prepare')).toMatchObject({ status: 409 });

    const { id: refundedId } = await o.given.redemption('submitted');
    await settleOutside('refund', refundedId);
    expectStatus(await o.h.partner.post(`/v1/redemptions/${refundedId}/cancel`), 200);
    expectStatus(await press(refundedId, 'cancel', { physical_gold_committed: false }), 200);
    expect(await get(refundedId)).toMatchObject({ status: 'cancelled', available_actions: [] });
    // That the status is right now is for a person to say.
    const { body } = await o.operators.by.viewer.client.get(
      '/operator/v1/dead-letters?reason=settlement_mismatch&open=true',
    );
    const about = body.dead_letters.map(
      ({ detail }: { detail: { redemption_id: string } }) => detail.redemption_id,
    );
    expect(about).toEqual(expect.arrayContaining([burnedId, stuckId, refundedId]));
  });
});

test("a key that is not the program's key of operations signs nothing", async () => {
  const { id } = await o.given.redemption('cancelled');
  const wrong = await o.otherwise({ keys: { operations: o.h.ctx.chain.admin } });
  expect(await settle('refund', id, wrong.by.admin.client)).toMatchObject(
    error(503, 'service_unavailable', "The operations key of this process is not the program's operations."),
  );
  expect(await o.rowsOf(id)).toEqual([]);
});

/** With so much in escrow, base units, while `work` runs. */
async function withEscrow(amount: bigint, work: () => Promise<void>): Promise<void> {
  const { node, addresses, goldMint } = o.chain;
  const { escrow } = await o.gold();
  await node.setTokenBalance(addresses.escrowAuthority, goldMint, amount);
  try {
    await work();
  } finally {
    await node.setTokenBalance(addresses.escrowAuthority, goldMint, escrow);
  }
}

describe('settlements in trouble', () => {
  test('a settlement that escrow cannot cover is not begun, and has the reason', async () => {
    const { id } = await o.given.redemption('cancelled');
    await withEscrow(tokens - 1n, async () => {
      expect(await settle('refund', id)).toMatchObject(error(400, 'broadcast_failed', 'EscrowShort'));
    });
    expect(await o.rowsOf(id)).toEqual([]);
    expect(await auditOf(id)).toEqual([]);
    expectStatus(await settle('refund', id), 200);
  });

  test.each([
    ['simulateTransaction', 'The Solana node does not respond'],
    ['getMultipleAccounts', 'Only 0 of 1 Solana nodes respond'],
  ])(
    'a node that does not respond %s is a reason to try again, with nothing begun',
    async (method, message) => {
      const { id } = await o.given.redemption('cancelled');
      const key = { 'idempotency-key': `in trouble ${method}` };
      await o.chain.injectFault({ method, mode: 'close', times: 100 });
      expect(await settle('refund', id, undefined, key)).toMatchObject(
        error(503, 'service_unavailable', message),
      );
      await o.chain.clearFaults();
      await o.ready();
      expect(await o.rowsOf(id)).toEqual([]);
      expectStatus(await settle('refund', id, undefined, key), 200);
    },
  );

  test('an unwritten settlement is never sent', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    for (const [table, event] of [
      ['operator_transactions', 'insert'],
      ['audit_log', 'insert'],
    ] as const) {
      const mend = await o.failing(table, event);
      const change = await moved(async () => {
        expect((await settle('refund', id)).status).toBeGreaterThanOrEqual(500);
      }, wallet.address);
      await mend();
      expect(change).toEqual(nothing);
      expect(await o.rowsOf(id)).toEqual([]);
      expect(await auditOf(id)).toEqual([]);
    }
    expectStatus(await settle('refund', id), 200);
  });

  test('a settlement that was written and never sent is in the way until it can no longer land', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    await o.chain.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const first = settle('refund', id);
    const [row] = await rowBecomes(id, { status: 'pending' });
    expect(row?.txSignature).toEqual(expect.any(String));
    expect(await settle('refund', id)).toMatchObject(refused('is already being refunded'));
    await o.moveOn();
    expect(await first).toMatchObject(
      error(503, 'service_unavailable', `${row?.txSignature} did not land in time`),
    );
    await rowBecomes(id, { status: 'expired' });
    expect(await get(id)).toMatchObject({
      available_actions: ['refund'],
      refund_tx_hash: null,
      settlement: { status: 'expired' },
    });
    expect(await moved(async () => expectStatus(await settle('refund', id), 200), wallet.address)).toEqual(
      effects.refund,
    );
    const rows = await rowBecomes(id, { status: 'confirmed' });
    expect(rows.map(({ status }) => status)).toEqual(['expired', 'confirmed']);
    expect(await auditOf(id)).toHaveLength(2);
  });

  test('a settlement whose response could not be kept has happened, and does not happen again', async () => {
    const { id, wallet } = await o.given.redemption('cancelled');
    const key = { 'idempotency-key': 'refund in trouble' };
    const mend = await o.failing('idempotency_keys', 'update');
    const change = await moved(async () => {
      expect((await settle('refund', id, undefined, key)).status).toBeGreaterThanOrEqual(500);
      await mend();
      expect(await settle('refund', id, undefined, key)).toMatchObject(
        error(409, 'transition_not_allowed', 'refunded.'),
      );
    }, wallet.address);
    expect(change).toEqual(effects.refund);
    await rowBecomes(id, { status: 'confirmed' });
    expect(await get(id)).toMatchObject({ refund_tx_hash: expect.any(String) });
  });

  test('settlements leave no dead letter but those of outside the service, and an intact audit log', async () => {
    const left = await o.h.ctx.db.select().from(deadLetters).orderBy(deadLetters.slot);
    expect(left.map(({ reason, signature }) => [reason, signature])).toEqual(
      outside.map((signature) => ['settlement_mismatch', signature]),
    );
    expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
  });
});
