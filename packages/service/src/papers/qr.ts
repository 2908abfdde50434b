import qrcode from 'qrcode-generator';

/** The dark modules of a QR code as rows of marks, with `size` modules on each side. */
export interface QrCode {
  size: number;
  isDark(row: number, column: number): boolean;
}

/** Returns a text as a QR code, in the least size that can lose 7 % of it. Throws for a text of more than 2,900 bytes. */
export function qrOf(text: string): QrCode {
  const code = qrcode(0, 'L');
  code.addData(text);
  code.make();
  return { size: code.getModuleCount(), isDark: (row, column) => code.isDark(row, column) };
}
