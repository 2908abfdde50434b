/** The keys that a process may hold, with the settings that say where each is. */
export const keySettings = {
  service: { setting: 'serviceSignerUrl', variable: 'KARAT_SERVICE_SIGNER' },
  otherService: { setting: 'otherServiceSignerUrl', variable: 'KARAT_OTHER_SERVICE_SIGNER' },
  admin: { setting: 'adminSignerUrl', variable: 'KARAT_ADMIN_SIGNER' },
  operations: { setting: 'operationsSignerUrl', variable: 'KARAT_OPERATIONS_SIGNER' },
  guardian: { setting: 'guardianSignerUrl', variable: 'KARAT_GUARDIAN_SIGNER' },
  market: { setting: 'marketSignerUrl', variable: 'KARAT_MARKET_SIGNER' },
  reserves: { setting: 'reservesSignerUrl', variable: 'KARAT_RESERVES_SIGNER' },
} as const;

export type KeyName = keyof typeof keySettings;
