import { Group, Progress, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../api/client';
import { findRows, useLive, useRows } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { DetailPage } from '../ui/detail-page';
import { DialogButton, type Field, FormDialog, reasonField, type Values } from '../ui/form';
import { bpsToPercent, formatAmount, limitOf, shorten, withUnit } from '../ui/format';
import { IconCircle, IconCircleCheck } from '../ui/icons';
import { InvitationLink, type IssuedTo } from '../ui/invitation-link';
import { Amount, Badge, ChainId, Facts, Id, PageHead, Panel, TextLink, Time } from '../ui/parts';
import { Rows, Table } from '../ui/table';
import { costFields, feeField, feeFraction, toLamports, toSol } from './partner-parts';

const t = text.partners;
type Partner = Schemas['Partner'];
type OnChain = Schemas['PartnerOnChain'];

export function PartnerDetail() {
  return (
    <DetailPage
      list="/partners"
      title={t.title}
      kind="partners"
      read={(id) =>
        call(api.GET('/operator/v1/partners/{partner_id}', { params: { path: { partner_id: id } } }))
      }
    >
      {(found) => <Detail partner={found} />}
    </DetailPage>
  );
}

function Detail({ partner }: { partner: Partner }) {
  const administers = useMay('administer');
  const suspended = partner.status === 'suspended';
  return (
    <>
      <PageHead
        title={partner.name}
        lead={
          <Group gap="sm">
            <Badge tone={suspended ? 'bad' : 'good'}>{t.status[partner.status]}</Badge>
            <Id value={partner.partner_id} head={13} />
          </Group>
        }
        actions={administers ? <Actions partner={partner} /> : null}
      />
      <Setup partner={partner} />
      <div className="columns">
        <div className="stack">
          <Wallets partner={partner} />
          <Keys partnerId={partner.partner_id} />
        </div>
        <div className="stack">
          <OnChainPanel partner={partner} />
          <Panel title={t.facts}>
            <Facts
              rows={[
                [t.columns.fee, `${Number((partner.fee_percentage * 100).toFixed(4))} %`],
                [t.create.feeBudget, `${toSol(partner.fee_budget_lamports_per_hour)} SOL`],
                [t.create.minTrade, <Amount key="m" value={partner.min_trade_usdc} unit="USDC" />],
                [t.columns.created, <Time key="c" at={partner.created_at} />],
                [t.changed, <Time key="u" at={partner.updated_at} />],
                [
                  t.records,
                  <Group key="r" gap="sm">
                    <TextLink to="/users" search={{ partner_id: partner.partner_id }}>
                      {text.nav.users}
                    </TextLink>
                    <TextLink to="/trades" search={{ partner_id: partner.partner_id }}>
                      {text.nav.trades}
                    </TextLink>
                    <TextLink to="/redemptions" search={{ partner_id: partner.partner_id }}>
                      {text.nav.redemptions}
                    </TextLink>
                    <TextLink to="/webhooks" search={{ partner_id: partner.partner_id }}>
                      {text.nav.webhooks}
                    </TextLink>
                  </Group>,
                ],
              ]}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}

/** Makes an invitation of an owner, and shows its link, which is possible once. */
function InviteOwner({ partner: { partner_id, name } }: { partner: Partner }) {
  const [issued, setIssued] = useState<IssuedTo>();
  return (
    <>
      <DialogButton label={t.invite.action}>
        {(close) => (
          <FormDialog
            title={fill(t.invite.title, { name })}
            lead={t.invite.lead}
            action={t.invite.create}
            done={t.invite.done}
            fields={[{ name: 'email', label: text.operators.columns.email }]}
            submit={async (values) => {
              const body = { email: String(values.email) };
              const params = { path: { partner_id } };
              const made = await call(
                api.POST('/operator/v1/partners/{partner_id}/invitations', { params, body }),
              );
              return { ...made, ...body };
            }}
            onDone={(result) => setIssued(result as IssuedTo)}
            onClose={close}
          />
        )}
      </DialogButton>
      {issued ? <InvitationLink of={issued} onClose={() => setIssued(undefined)} /> : null}
    </>
  );
}

function Actions({ partner }: { partner: Partner }) {
  const params = { path: { partner_id: partner.partner_id } };
  const suspended = partner.status === 'suspended';
  return (
    <>
      <InviteOwner partner={partner} />
      <DialogButton label={t.edit.action} waits={{ action: 'partner.change', object: partner.partner_id }}>
        {(close) => (
          <FormDialog
            title={t.edit.title}
            lead={t.edit.lead}
            action={text.common.save}
            done={t.edit.done}
            fields={[
              { name: 'name', label: t.create.name, initial: partner.name },
              feeField(Number((partner.fee_percentage * 100).toFixed(4))),
              ...costFields(partner),
            ]}
            submit={(
              _,
              {
                name,
                fee_percentage: fee,
                fee_budget_lamports_per_hour: feeBudget,
                min_trade_usdc: minTrade,
              },
            ) =>
              call(
                api.PATCH('/operator/v1/partners/{partner_id}', {
                  params,
                  body: {
                    ...(name === undefined ? {} : { name: String(name) }),
                    ...(fee === undefined ? {} : { fee_percentage: feeFraction(fee) }),
                    ...(feeBudget === undefined
                      ? {}
                      : { fee_budget_lamports_per_hour: toLamports(feeBudget) }),
                    ...(minTrade === undefined ? {} : { min_trade_usdc: Number(minTrade) }),
                  },
                }),
              )
            }
            onClose={close}
          />
        )}
      </DialogButton>
      <DialogButton
        label={suspended ? t.resume.action : t.suspend.action}
        waits={{ action: 'partner.resume', object: partner.partner_id }}
      >
        {(close) =>
          suspended ? (
            <FormDialog
              title={t.resume.title}
              lead={t.resume.lead}
              action={t.resume.action}
              done={t.resume.done}
              fields={[{ ...reasonField, optional: true }]}
              submit={({ reason }) =>
                call(
                  api.POST('/operator/v1/partners/{partner_id}/resume', {
                    params,
                    body: reason ? { reason: String(reason) } : {},
                  }),
                )
              }
              onClose={close}
            />
          ) : (
            <FormDialog
              title={t.suspend.title}
              lead={t.suspend.lead}
              action={t.suspend.action}
              danger
              done={t.suspend.done}
              fields={[reasonField]}
              submit={({ reason }) =>
                call(
                  api.POST('/operator/v1/partners/{partner_id}/suspend', {
                    params,
                    body: { reason: String(reason) },
                  }),
                )
              }
              onClose={close}
            />
          )
        }
      </DialogButton>
    </>
  );
}

/** What is left to do until the partner's first quote: what is done by itself ticks itself off. */
function Setup({ partner }: { partner: Partner }) {
  const administers = useMay('administer');
  const path = { partner_id: partner.partner_id };
  const keys = useLive(['keys', partner.partner_id, 'active'], () =>
    findRows(
      (cursor) =>
        call(
          api.GET('/operator/v1/partners/{partner_id}/api-keys', {
            params: { path, query: { surface: 'partner', cursor } },
          }),
        ),
      ({ api_keys }) => api_keys,
      ({ status }) => status === 'active',
      1,
    ),
  );
  const users = useLive(['users', partner.partner_id, 'first'], () =>
    call(
      api.GET('/operator/v1/users', { params: { query: { partner_id: partner.partner_id, limit: '1' } } }),
    ),
  );
  if (!keys.data || !users.data) return null;
  const wallet = partner.wallets.find(({ status }) => status === 'active');
  const steps: [done: boolean, words: string, action?: ReactNode][] = [
    [wallet !== undefined, t.setup.wallet, <AddWallet key="w" partner={partner} />],
    [Boolean(partner.onchain), t.setup.onchain, <PutOnChain key="o" partner={partner} />],
    [keys.data.length > 0, fill(t.setup.key, { id: partner.partner_id })],
    [users.data.users.length > 0, t.setup.user],
  ];
  const next = steps.findIndex(([done]) => !done);
  if (next < 0) return null;
  return (
    <div className="setup">
      <Panel title={t.setup.title}>
        <ol>
          {steps.map(([done, words, action], index) => (
            <li key={words} className={done ? 'done' : undefined}>
              {done ? <IconCircleCheck size={20} /> : <IconCircle size={20} stroke={1.5} />}
              <span>{words}</span>
              {index === next && administers ? action : null}
            </li>
          ))}
        </ol>
      </Panel>
    </div>
  );
}

function AddWallet({ partner }: { partner: Partner }) {
  return (
    <DialogButton
      label={t.wallet.action}
      size="xs"
      waits={{
        action: 'partner.add_wallet',
        where: ({ request }) => request.partner_id === partner.partner_id,
      }}
    >
      {(close) => (
        <FormDialog
          title={t.wallet.title}
          lead={t.wallet.lead}
          action={t.wallet.action}
          done={t.wallet.done}
          fields={[{ name: 'wallet_address', label: t.create.wallet }]}
          submit={({ wallet_address }) =>
            call(
              api.POST('/operator/v1/partners/{partner_id}/wallets', {
                params: { path: { partner_id: partner.partner_id } },
                body: { wallet_address: String(wallet_address) },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

/** A trade by which a fee is shown, USDC. */
const exampleTrade = 1_000;

const feeText = (bps: number) =>
  fill(t.onchain.feeText, { bps: formatAmount(bps, 'bps'), percent: bpsToPercent(bps) });

/** A fee in basis points; below it, what that is in percent, and of a trade. */
const onchainFee = (name: string, label: string, initial: number): Field => ({
  name,
  label,
  hint: t.onchain.feeHint,
  kind: 'number',
  initial,
  preview: ({ [name]: typed }) => {
    const bps = Number(typed);
    if (typed === '' || !Number.isFinite(bps)) return null;
    const usdc = (of: number) => withUnit(of, 'USDC');
    const example = {
      fee: feeText(bps),
      trade: usdc(exampleTrade),
      cost: usdc((exampleTrade * bps) / 10_000),
    };
    return (
      <Text size="sm" mt={4} role="status">
        {fill(t.onchain.feeExample, example)}
      </Text>
    );
  },
});

const addressesIn = (typed: Values[string] | undefined) =>
  String(typed ?? '')
    .split(/[\s,]+/)
    .filter(Boolean);

const keyNames = {
  wallet_address: t.onchain.wallet,
  update_authority: t.onchain.update,
  withdrawal_authority: t.onchain.withdrawal,
  executive_authorities: t.onchain.executives,
};

/** Warns where a key is entered that has another role too: a thief would have both. */
function SharedKey({ name, values }: { name: keyof typeof keyNames; values: Values }) {
  const own = new Set(addressesIn(values[name]));
  const shared = Object.entries(keyNames).filter(
    ([other]) => other !== name && addressesIn(values[other]).some((address) => own.has(address)),
  );
  if (shared.length === 0) return null;
  return (
    <Text size="sm" mt={4} role="alert" c="var(--karat-warn)">
      {fill(t.onchain.sharedKey, { roles: shared.map(([, role]) => role).join(', ') })}
    </Text>
  );
}

function PutOnChain({ partner }: { partner: Partner }) {
  const now = partner.onchain;
  const wallets = partner.wallets
    .filter(({ status }) => status === 'active')
    .map((one) => one.wallet_address);
  const first = now?.wallet_address ?? wallets[0] ?? '';
  const fields: Field[] = [
    {
      name: 'wallet_address',
      label: t.onchain.wallet,
      hint: t.onchain.walletHint,
      kind: 'choice',
      initial: first,
      options: Object.fromEntries(wallets.map((wallet) => [wallet, shorten(wallet, 16, 8)])),
    },
    onchainFee('open_fee_bps', t.onchain.openFee, now?.open_fee_bps ?? 50),
    onchainFee('closed_fee_bps', t.onchain.closedFee, now?.closed_fee_bps ?? 100),
    {
      name: 'daily_limit_usdc',
      label: t.onchain.limit,
      hint: t.onchain.limitHint,
      optional: true,
      initial: now?.daily_limit_usdc ?? '',
    },
  ];
  if (!now)
    fields.push(
      {
        name: 'update_authority',
        label: t.onchain.update,
        hint: t.onchain.updateHint,
        preview: (values) => <SharedKey name="update_authority" values={values} />,
      },
      {
        name: 'withdrawal_authority',
        label: t.onchain.withdrawal,
        hint: t.onchain.withdrawalHint,
        preview: (values) => <SharedKey name="withdrawal_authority" values={values} />,
      },
      {
        name: 'executive_authorities',
        label: t.onchain.executives,
        hint: t.onchain.executivesHint,
        kind: 'long',
        preview: (values) => <SharedKey name="executive_authorities" values={values} />,
      },
    );
  else
    fields.push({
      name: 'status',
      label: t.columns.status,
      kind: 'choice',
      initial: now.status,
      options: t.status,
    });
  return (
    <DialogButton
      label={now ? t.onchain.change : t.onchain.create}
      size="xs"
      waits={{ action: 'partner.onchain', object: partner.partner_id }}
    >
      {(close) => (
        <FormDialog
          title={now ? t.onchain.change : t.onchain.create}
          lead={t.onchain.lead}
          action={now ? text.common.save : t.onchain.create}
          done={t.onchain.done}
          fields={fields}
          submit={(values) =>
            call(
              api.PUT('/operator/v1/partners/{partner_id}/onchain', {
                params: { path: { partner_id: partner.partner_id } },
                body: {
                  wallet_address: String(values.wallet_address),
                  open_fee_bps: Number(values.open_fee_bps),
                  closed_fee_bps: Number(values.closed_fee_bps),
                  ...(values.daily_limit_usdc === ''
                    ? {}
                    : { daily_limit_usdc: limitOf(values.daily_limit_usdc) }),
                  update_authority: now?.update_authority ?? String(values.update_authority),
                  withdrawal_authority: now?.withdrawal_authority ?? String(values.withdrawal_authority),
                  executive_authorities:
                    now?.executive_authorities ?? addressesIn(values.executive_authorities),
                  ...(now ? { status: values.status as OnChain['status'] } : {}),
                  expected_terms_seq: now?.terms_seq ?? 0,
                },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function Wallets({ partner }: { partner: Partner }) {
  const administers = useMay('administer');
  return (
    <Panel title={t.wallets} actions={administers ? <AddWallet partner={partner} /> : null}>
      {partner.wallets.length === 0 ? (
        <Text c="dimmed">{t.noWallets}</Text>
      ) : (
        <Table
          label={t.wallets}
          rows={partner.wallets}
          keyOf={({ wallet_address }) => wallet_address}
          columns={[
            {
              header: t.wallet.address,
              cell: (one) => <ChainId kind="address" value={one.wallet_address} />,
            },
            {
              header: t.columns.status,
              cell: ({ status }) => (
                <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.wallet.status[status]}</Badge>
              ),
            },
            { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              header: t.wallet.change,
              cell: ({ wallet_address, status }) =>
                administers && status === 'active' ? (
                  <RevokeWallet partnerId={partner.partner_id} wallet={wallet_address} />
                ) : null,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function RevokeWallet({ partnerId, wallet }: { partnerId: string; wallet: string }) {
  return (
    <DialogButton label={t.wallet.revoke} size="xs">
      {(close) => (
        <FormDialog
          title={t.wallet.revokeTitle}
          lead={fill(t.wallet.revokeLead, { wallet: shorten(wallet) })}
          action={t.wallet.revoke}
          danger
          done={t.wallet.revoked}
          fields={[{ ...reasonField, optional: true }]}
          submit={({ reason }) =>
            call(
              api.POST('/operator/v1/partners/{partner_id}/wallets/{wallet_address}/revoke', {
                params: { path: { partner_id: partnerId, wallet_address: wallet } },
                body: reason ? { reason: String(reason) } : {},
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function OnChainPanel({ partner }: { partner: Partner }) {
  const administers = useMay('administer');
  const { onchain } = partner;
  return (
    <Panel title={t.onchain.title} actions={administers && onchain ? <PutOnChain partner={partner} /> : null}>
      {onchain ? (
        <>
          <Facts
            rows={[
              [
                t.columns.status,
                <Badge key="s" tone={onchain.status === 'active' ? 'good' : 'bad'}>
                  {t.status[onchain.status]}
                </Badge>,
              ],
              [t.onchain.openFee, feeText(onchain.open_fee_bps)],
              [t.onchain.closedFee, feeText(onchain.closed_fee_bps)],
              [t.onchain.gold, <Amount key="g" value={onchain.balances.gold} unit="GOLD" />],
              [t.onchain.usdc, <Amount key="u" value={onchain.balances.usdc} unit="USDC" />],
              [t.onchain.wallet, <ChainId key="w" kind="address" value={onchain.wallet_address} />],
              [t.onchain.vault, <ChainId key="v" kind="address" value={onchain.central_vault_address} />],
              [t.onchain.update, <ChainId key="ua" kind="address" value={onchain.update_authority} />],
              [
                t.onchain.withdrawal,
                <ChainId key="wa" kind="address" value={onchain.withdrawal_authority} />,
              ],
              [
                t.onchain.executives,
                <span key="e">
                  {onchain.executive_authorities.map((one) => (
                    <ChainId key={one} kind="address" value={one} />
                  ))}
                </span>,
              ],
            ]}
          />
          <Used limit={onchain.daily_limit_usdc} used={onchain.daily_volume_usdc} />
          <Authorities partnerId={partner.partner_id} proposals={onchain.proposed_authorities} />
        </>
      ) : (
        <Text c="dimmed">{partner.onchain_fault ?? t.onchain.none}</Text>
      )}
    </Panel>
  );
}

type Proposal = OnChain['proposed_authorities'][number];
type Act = 'propose' | 'apply' | 'cancel';

const actOnAuthority = (act: Act, partnerId: string, role: string, address: string): Promise<object> =>
  call(
    api.POST(`/operator/v1/partners/{partner_id}/authorities/{role}/${act}`, {
      params: { path: { partner_id: partnerId, role } },
      body: { address },
    }),
  );

/** Keys that replace lost ones: proposed, and applied after a delay. */
function Authorities({ partnerId, proposals }: { partnerId: string; proposals: Proposal[] }) {
  const administers = useMay('administer');
  return (
    <>
      {proposals.length > 0 ? (
        <Table
          label={t.onchain.proposals}
          rows={proposals}
          keyOf={({ role }) => role}
          columns={[
            { header: t.onchain.role, cell: ({ role }) => t.onchain.roles[role] },
            {
              header: t.onchain.proposed,
              cell: ({ address }) => <ChainId kind="address" value={address} head={6} />,
            },
            { header: t.onchain.readyAt, cell: ({ ready_at }) => <Time at={ready_at} /> },
            {
              header: t.wallet.change,
              cell: (one) =>
                administers ? (
                  <Group gap="xs" justify="flex-end">
                    {Date.parse(one.ready_at) <= Date.now() ? (
                      <ProposalButton partnerId={partnerId} proposal={one} act="apply" />
                    ) : null}
                    <ProposalButton partnerId={partnerId} proposal={one} act="cancel" />
                  </Group>
                ) : null,
            },
          ]}
        />
      ) : null}
      {administers ? (
        <Group mt="md">
          <Propose partnerId={partnerId} />
        </Group>
      ) : null}
    </>
  );
}

function Propose({ partnerId }: { partnerId: string }) {
  const words = t.onchain.propose;
  return (
    <DialogButton label={words.action} size="xs" waits={{ action: 'authority.propose', object: partnerId }}>
      {(close) => (
        <FormDialog
          title={words.action}
          lead={words.lead}
          action={words.action}
          danger
          done={words.done}
          fields={[
            {
              name: 'role',
              label: t.onchain.role,
              kind: 'choice',
              options: t.onchain.roles,
              initial: 'wallet',
            },
            { name: 'address', label: words.address },
          ]}
          submit={({ role, address }) => actOnAuthority('propose', partnerId, String(role), String(address))}
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function ProposalButton({
  partnerId,
  proposal: { role, address },
  act,
}: {
  partnerId: string;
  proposal: Proposal;
  act: 'apply' | 'cancel';
}) {
  const words = act === 'apply' ? t.onchain.apply : t.onchain.withdraw;
  return (
    <DialogButton
      label={words.action}
      size="xs"
      waits={{
        action: `authority.${act}`,
        object: partnerId,
        where: ({ request }) => request.role === role,
      }}
    >
      {(close) => (
        <FormDialog
          title={words.title}
          lead={fill(words.lead, { address, role: t.onchain.roles[role].toLowerCase() })}
          action={words.action}
          danger={act === 'apply'}
          done={words.done}
          fields={[]}
          submit={() => actOnAuthority(act, partnerId, role, address)}
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function Used({ limit, used }: { limit: number | 'none'; used: number }) {
  if (limit === 'none')
    return <Text size="sm">{fill(t.onchain.unlimited, { used: withUnit(used, 'USDC') })}</Text>;
  const words = fill(t.onchain.used, { used: withUnit(used, 'USDC'), limit: withUnit(limit, 'USDC') });
  return (
    <div>
      <Text size="sm" mb={6}>
        {words}
      </Text>
      <Progress value={Math.min(100, (used / limit) * 100)} aria-label={words} />
    </div>
  );
}

function Keys({ partnerId }: { partnerId: string }) {
  const revokes = useMay('comply');
  const list = useRows(['keys', partnerId], (cursor) =>
    call(
      api.GET('/operator/v1/partners/{partner_id}/api-keys', {
        params: { path: { partner_id: partnerId }, query: { cursor, limit: '50' } },
      }),
    ),
  );
  return (
    <Panel title={t.keys.title}>
      <Rows
        label={t.keys.title}
        of={list}
        rows={({ api_keys }) => api_keys}
        keyOf={({ key_id }) => key_id}
        columns={[
          { header: t.keys.name, cell: ({ key_name }) => key_name },
          { header: t.keys.surface, cell: ({ surface }) => t.keys.surfaces[surface] },
          {
            header: t.columns.status,
            cell: ({ status }) => (
              <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.keys.status[status]}</Badge>
            ),
          },
          { header: t.keys.used, wide: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
          {
            header: t.wallet.change,
            cell: ({ key_id, key_name, status }) =>
              revokes && status === 'active' ? <RevokeKey id={key_id} name={key_name} /> : null,
          },
        ]}
        empty={{ title: t.keys.none, body: t.keys.noneBody }}
      />
    </Panel>
  );
}

function RevokeKey({ id, name }: { id: string; name: string }) {
  return (
    <DialogButton label={t.keys.revoke} size="xs">
      {(close) => (
        <FormDialog
          title={fill(t.keys.revokeTitle, { name })}
          lead={t.keys.revokeLead}
          action={t.keys.revoke}
          danger
          done={t.keys.revoked}
          fields={[{ ...reasonField, optional: true }]}
          submit={({ reason }) =>
            call(
              api.POST('/operator/v1/api-keys/{key_id}/revoke', {
                params: { path: { key_id: id } },
                body: reason ? { reason: String(reason) } : {},
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}
