import qrcode from 'qrcode-generator';

/** A text as a QR code. */
export function Qr({ value, label = value }: { value: string; label?: string }) {
  const code = qrcode(0, 'M');
  code.addData(value);
  code.make();
  const count = code.getModuleCount();
  const cells = Array.from(
    { length: count * count },
    (_, at) => [Math.floor(at / count), at % count] as const,
  )
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column + 2} ${row + 2}h1v1h-1z`)
    .join('');
  return (
    <svg viewBox={`0 0 ${count + 4} ${count + 4}`} className="qr" role="img" aria-label={label}>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={cells} fill="#000" />
    </svg>
  );
}
