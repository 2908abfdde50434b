/** Returns a QR code: how many modules its side has, and the path of its dark ones. */
export function qrOf(text: string): { size: number; path: string };
