import type { WebSocket } from 'ws';

/** Unread bytes at which a reader counts as too slow. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;

/** Sends a text, or cuts off who has left too much of what was sent before unread, so that no other client suffers. */
export function sendOrCutOff(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
  else socket.send(text);
}
