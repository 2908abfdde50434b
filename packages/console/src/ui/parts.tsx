import { ActionIcon, CopyButton, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { text } from '../text';
import { explorerUrl } from './explorer';
import { formatAmount, formatTime, formatUtc, shorten, type Unit, withUnit } from './format';
import { IconCheck, IconCopy } from './icons';
import { gramsOf, useWeightUnit } from './weight';

/** An amount in figures of equal width, its unit next to it. */
export function Amount({
  value,
  unit,
  headline,
}: {
  value: number | string | null | undefined;
  unit: Unit;
  headline?: boolean;
}) {
  if (value === null || value === undefined) return <>{text.common.none}</>;
  return (
    <span className="amount">
      {formatAmount(value, unit, headline ? 'headline' : 'record')} <span className="unit">{unit}</span>
    </span>
  );
}

/** A weight in the unit that the person chose; hovering shows grams, in which it is recorded. */
export function Weight({ grams }: { grams: number | null | undefined }) {
  const [unit] = useWeightUnit();
  if (grams === null || grams === undefined) return <>{text.common.none}</>;
  return (
    <span title={withUnit(grams, 'g')}>
      <Amount value={unit === 'g' ? grams : grams / gramsOf[unit]} unit={unit} />
    </span>
  );
}

/** A time in the reader's zone; hovering shows UTC. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <>{text.common.none}</>;
  return (
    <time dateTime={at} title={formatUtc(at)} className="time">
      {formatTime(at)}
    </time>
  );
}

/** An id or address, shortened, with a button that copies it whole. */
export function Id({
  value,
  head = 8,
  link,
}: {
  value: string | null | undefined;
  head?: number;
  link?: ReactNode;
}) {
  if (!value) return <>{text.common.none}</>;
  return (
    <span className="id">
      {link ?? <span title={value}>{shorten(value, head)}</span>}
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            onClick={copy}
            aria-label={`${copied ? text.common.copied : text.common.copy} ${value}`}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  );
}

/** A transaction or an account on chain: an id, with a link to the explorer where the service names one. */
export function ChainId({
  kind,
  value,
  head = 8,
}: {
  kind: 'tx' | 'address';
  value: string | null | undefined;
  head?: number;
}) {
  const url = value && explorerUrl(kind, value);
  if (!value || !url) return <Id value={value} head={head} />;
  const link = (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="text-link"
      title={value}
      aria-label={`${text.common.explorer}: ${value}`}
    >
      {shorten(value, head)}
    </a>
  );
  return <Id value={value} link={link} />;
}

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'quiet';

/** A status: a word and a dot, so that colour alone never carries it. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** The head of a page; its title is the title of the window too. */
export function PageHead({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${text.product}`;
  }, [title]);
  return (
    <header className="page-head">
      <Group justify="space-between" align="flex-end" gap="md">
        <div>
          <Title order={1}>{title}</Title>
          {lead ? (
            <Text c="dimmed" mt={6}>
              {lead}
            </Text>
          ) : null}
        </div>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </Group>
      {children}
    </header>
  );
}

/** A titled part of a page. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="panel">
      {title ? (
        <Group justify="space-between" mb="sm" gap="xs">
          <Title order={2}>{title}</Title>
          {actions}
        </Group>
      ) : null}
      {children}
    </section>
  );
}

/** Steps in their order, of which those up to `reached` are done. */
export function StepList({ names, reached, label }: { names: string[]; reached: number; label?: string }) {
  return (
    <ol className="steps" aria-label={label}>
      {names.map((name, index) => (
        <li
          key={name}
          className={index <= reached ? 'done' : ''}
          aria-current={index === reached ? 'step' : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}

/** Names and values of one thing. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A link to another page of the console. */
export function TextLink({
  to,
  search,
  onFollow,
  children,
}: {
  to: string;
  search?: Record<string, string>;
  /** Called when it is followed: what stays open over another page of the same kind closes then. */
  onFollow?: () => void;
  children: ReactNode;
}) {
  return (
    <Link to={to} search={search ?? {}} className="text-link" onClick={onFollow}>
      {children}
    </Link>
  );
}

/** Leads from one thing back to the list of all. */
export function Back({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="text-link back">
      ← {children}
    </Link>
  );
}
