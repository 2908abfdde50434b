/** What is there at once, or comes later. To wait for what is there would cost a promise and a turn, thousands of times a second. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value, at once where it is there. */
export function whenThere<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
