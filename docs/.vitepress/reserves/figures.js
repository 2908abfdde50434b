const digits = { maximumFractionDigits: 2 };
const [date, minute] = [{ day: 'numeric', month: 'short', year: 'numeric' }, { timeStyle: 'short' }];
const utc = (options) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });

/** Troy ounces, tokens or counts, for people: two decimals at most. */
export const amount = (value) => Number(value).toLocaleString('en', digits);
export const day = (time) => utc(date).format(new Date(time));
export const moment = (time) => `${day(time)}, ${utc(minute).format(new Date(time))} UTC`;

/** Returns what the service has at a path. Throws for any response but a success. */
export async function read(path) {
  const response = await fetch(path);
  if (response.ok) return response.json();
  throw new Error(`The service returns ${response.status} for ${path}.`);
}

/** Fine gold of a bar in troy ounces, near enough to be shown. */
export const fineOunces = ({ weight_g, fineness }) => (weight_g * fineness) / 1_000 / 31.1034768;
