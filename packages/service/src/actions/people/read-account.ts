import { asEmail } from '../../domain/person.js';
import { invalidField } from '../../errors.js';

/** Reads the email of a new account, in the one form in which it is stored. Throws `invalid_request`, field `email`. */
export function readEmail(text: string): string {
  const email = asEmail(text);
  if (email !== undefined) return email;
  throw invalidField('email', 'email must be an address.');
}

/** Reads the name of a new account. Throws `invalid_request`, field `name`. */
export function readPersonName(text: string): string {
  const name = text.trim();
  if (name !== '' && [...name].length <= 100 && !/\p{Cc}/u.test(name)) return name;
  throw invalidField('name', 'name must have 1 to 100 characters.');
}
