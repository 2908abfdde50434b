/** Something that the person at the keyboard can put right: shown as one line, without a stack. */
export class UserError extends Error {
  override name = 'UserError';
}
