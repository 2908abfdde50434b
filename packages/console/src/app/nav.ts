import { text } from '../text';
import {
  IconAdjustments,
  IconBook2,
  IconBuildingBank,
  IconBuildingStore,
  IconChecks,
  IconHandGrab,
  IconHistory,
  IconHome,
  IconMailExclamation,
  IconReceipt,
  IconScan,
  IconShieldCheck,
  IconStack2,
  IconTransfer,
  IconUserCircle,
  IconUsers,
  IconWebhook,
} from '../ui/icons';
import type { NavGroup } from './nav-item';

const { nav } = text;

/** Every page of the navigation, in its order. */
export const groups: NavGroup[] = [
  {
    name: nav.work,
    items: [
      { to: '/', label: nav.today, icon: IconHome, key: 't' },
      { to: '/redemptions', label: nav.redemptions, icon: IconHandGrab, key: 'r' },
      { to: '/counter', label: nav.counter, icon: IconScan, key: 'k' },
      { to: '/approvals', label: nav.approvals, icon: IconChecks, key: 'a' },
      { to: '/stock', label: nav.stock, icon: IconStack2, key: 'b' },
    ],
  },
  {
    name: nav.customers,
    items: [
      { to: '/partners', label: nav.partners, icon: IconBuildingStore, key: 'p' },
      { to: '/users', label: nav.users, icon: IconUsers, key: 'u' },
      { to: '/webhooks', label: nav.webhooks, icon: IconWebhook, key: 'w' },
    ],
  },
  {
    name: nav.money,
    items: [
      { to: '/trades', label: nav.trades, icon: IconTransfer, key: 'd' },
      { to: '/orders', label: nav.orders, icon: IconReceipt, key: 'o' },
      { to: '/treasury', label: nav.treasury, icon: IconBuildingBank, key: 'y' },
    ],
  },
  {
    name: nav.system,
    items: [
      { to: '/settings', label: nav.settings, icon: IconAdjustments, key: 'e' },
      { to: '/catalogue', label: nav.catalogue, icon: IconBook2, key: 'c' },
      { to: '/dead-letters', label: nav.deadLetters, icon: IconMailExclamation, key: 'l' },
      { to: '/audit', label: nav.audit, icon: IconHistory, key: 'h' },
      { to: '/operators', label: nav.operators, icon: IconShieldCheck, key: 's' },
      { to: '/account', label: nav.account, icon: IconUserCircle, key: 'm' },
    ],
  },
];

export const items = groups.flatMap(({ items }) => items);
