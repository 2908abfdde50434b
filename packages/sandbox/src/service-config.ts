import { type Config, ConfigError, readConfig } from '@karat/service/config';
import { optionVariables } from './options.js';
import { UserError } from './user-error.js';

export interface ServiceSettings {
  host: string;
  port: number;
  operatorPort: number;
  databaseUrl: string;
  rpcUrl: string;
  wsUrl: string | undefined;
  programId: string;
  serviceSignerUrl: string;
  pickupSecret: string;
  totpSecret: string;
  kycKeyUrl: string;
  adminSignerUrl: string;
  operationsSignerUrl: string;
  guardianSignerUrl: string;
  marketSignerUrl: string;
  reservesSignerUrl: string;
  /** Whether the market follows the calendar, whatever the environment is. */
  marketHours: boolean;
  /** Where webhooks may go besides the internet. */
  webhooks: 'local' | 'private';
}

/**
 * Returns the service's configuration: what the sandbox decides, and also the `KARAT_` settings of the environment that
 * are not options of the sandbox. Throws a `UserError` for an unknown setting.
 */
export function serviceConfig(settings: ServiceSettings, env: Record<string, string | undefined>): Config {
  const others = Object.entries(env).filter(
    ([name]) => name.startsWith('KARAT_') && !optionVariables.includes(name),
  );
  try {
    const config = readConfig({
      // One person can try everything; a second one approves if the environment requires it.
      KARAT_APPROVALS: '1',
      // Scripts sign in with passwords alone; a second factor is optional.
      KARAT_SECOND_FACTOR: 'optional',
      // A demo works on a Sunday too.
      KARAT_MARKET_HOURS: 'always',
      KARAT_RECEIPT_ISSUER: 'Karat Sandbox; a machine of yours; no company, no number',
      ...Object.fromEntries(others),
      ...(settings.marketHours && { KARAT_MARKET_HOURS: 'calendar' }),
      KARAT_HOST: settings.host,
      KARAT_PORT: String(settings.port),
      KARAT_OPERATOR_PORT: String(settings.operatorPort),
      DATABASE_URL: settings.databaseUrl,
      KARAT_RPC_URL: settings.rpcUrl,
      KARAT_WS_URL: settings.wsUrl ?? '',
      KARAT_PROGRAM_ID: settings.programId,
      KARAT_SERVICE_SIGNER: settings.serviceSignerUrl,
      KARAT_PICKUP_SECRET: settings.pickupSecret,
      KARAT_TOTP_SECRET: settings.totpSecret,
      KARAT_KYC_KEY: settings.kycKeyUrl,
      KARAT_ADMIN_SIGNER: settings.adminSignerUrl,
      KARAT_OPERATIONS_SIGNER: settings.operationsSignerUrl,
      KARAT_GUARDIAN_SIGNER: settings.guardianSignerUrl,
      KARAT_MARKET_SIGNER: settings.marketSignerUrl,
      KARAT_RESERVES_SIGNER: settings.reservesSignerUrl,
    });
    // The receivers of one's own are on this machine, or next to its container.
    return { ...config, webhooksAllowLocal: settings.webhooks === 'private' ? 'private' : true };
  } catch (error) {
    if (error instanceof ConfigError) throw new UserError(error.message);
    throw error;
  }
}

/** Throws a `UserError` for a `KARAT_` variable that is misspelt or has a bad value, before anything is made. */
export function checkEnvironment(env: Record<string, string | undefined>): void {
  const any: ServiceSettings = {
    host: '127.0.0.1',
    port: 0,
    operatorPort: 0,
    databaseUrl: 'postgres://127.0.0.1/any',
    rpcUrl: 'http://localhost',
    wsUrl: undefined,
    programId: 'any',
    serviceSignerUrl: 'any',
    pickupSecret: '',
    totpSecret: '',
    kycKeyUrl: 'any',
    adminSignerUrl: 'any',
    operationsSignerUrl: 'any',
    guardianSignerUrl: 'any',
    marketSignerUrl: 'any',
    reservesSignerUrl: 'any',
    marketHours: false,
    webhooks: 'local',
  };
  serviceConfig(any, env);
}
