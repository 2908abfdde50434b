import { AppError } from '../errors.js';

/** Returns what a read of the program's state gives. Throws `service_unavailable` when the node does not return it. */
export async function programRead<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw unavailable('The Solana node does not return the state of the program; try again shortly.', cause);
  }
}

/** Builds a `service_unavailable` with a public text; `cause` is logged alone. */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('service_unavailable', message, { cause });
}
