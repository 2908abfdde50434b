import type { Option } from './command.js';

type UnlessGiven = Pick<Option, 'default' | 'optional'>;

export const optional = { optional: true } as const;

/** Declares an option; one with neither a default nor `optional` has to be given. */
export function option(
  name: string,
  variable: string,
  placeholder: string,
  help: string,
  unlessGiven: UnlessGiven = {},
): Option {
  return { name, variable, placeholder, help, ...unlessGiven };
}

/** Returns an `option` whose variables are named after the option: `KARAT_INIT_MIN_PRICE` for `--min-price`. */
export const optionOf =
  (prefix: string) =>
  (name: string, placeholder: string, help: string, unlessGiven: UnlessGiven = {}): Option =>
    option(name, `${prefix}_${name.toUpperCase().replaceAll('-', '_')}`, placeholder, help, unlessGiven);

export const reason = option('reason', 'KARAT_REASON', 'TEXT', 'the reason, for the audit log', optional);

/** Of commands whose transaction KARAT_ADMIN_SIGNER signs. */
export const feePayer = option(
  'fee-payer',
  'KARAT_FEE_PAYER',
  'ADDRESS',
  "payer of the admin's transaction (default: the operations key)",
  optional,
);

/** The end of the help of commands that KARAT_ADMIN_SIGNER signs. */
export const adminDetails = [
  'Without KARAT_ADMIN_SIGNER the transaction is printed for others to sign, such as a multisig; it is valid for a minute.',
];
