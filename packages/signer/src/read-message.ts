import type { MessageLayout } from '@karat/wire';
import type { Address } from '@solana/kit';

/** A message as the policy reads it. Most are of quotes, thousands a second: nothing of its bytes is copied. */
export interface ReadMessage {
  bytes: Buffer;
  layout: MessageLayout;
  /** Of each instruction. */
  programs: Address[];
  /** Place of the key among the accounts. */
  key: number;
}
