import type { Icon } from '../ui/icons';

/** A page of the navigation. */
export interface NavItem {
  to: string;
  label: string;
  icon: Icon;
  /** The key after `g` that leads there. */
  key: string;
}

/** Pages of the navigation under one name. */
export interface NavGroup {
  name: string;
  items: NavItem[];
}
