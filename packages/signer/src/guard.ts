import type { Address } from '@solana/kit';
import { hashOfMessage, type Policy, PolicyRefusal } from './policy.js';
import type { KeyName, roles } from './settings.js';
import type { Signer } from './signer.js';

type Role = (typeof roles)[KeyName];

/** A signature that was refused, for the log, the metrics and the audit log. */
export interface Refused {
  role: Role;
  key: Address;
  rule: PolicyRefusal['rule'];
  detail: string;
  /** SHA-256 of the message. */
  messageHash: string;
}

export type OnRefused = (refused: Refused) => void;

/** Puts a policy before every signature of a key. What is refused, here or where the key is, is reported. */
export function guard(signer: Signer, role: Role, policy: Policy, report: OnRefused): Signer {
  const note = (error: unknown, message: Uint8Array) => {
    if (!(error instanceof PolicyRefusal)) return;
    const { rule, detail } = error;
    report({ role, key: signer.address, rule, detail, messageHash: hashOfMessage(message) });
  };
  return {
    address: signer.address,
    close: () => signer.close(),
    sign: async (message, signal) => {
      try {
        policy.admit(message);
        return await signer.sign(message, signal);
      } catch (error) {
        note(error, message);
        throw error;
      }
    },
  };
}
