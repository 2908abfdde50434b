import { AppError } from '../../errors.js';

/**
 * Returns what a reader of the chain knows. To a quote a node that does not respond means that there is no price,
 * whichever reader notices it first: throws `pricing_unavailable` in place of the reader's `service_unavailable`.
 */
export function forQuote<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'service_unavailable') throw error;
    throw new AppError('pricing_unavailable', error.message, { reason: 'price_unreachable', cause: error });
  }
}
