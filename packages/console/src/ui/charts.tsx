interface Point {
  label: string;
  value: number;
}

const size = { width: 600, height: 120 };

/** A bar for each day; each says what it stands for when hovered. */
export function BarChart({ points, label }: { points: Point[]; label: string }) {
  const most = Math.max(...points.map(({ value }) => value), 1);
  const width = size.width / points.length;
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      className="chart"
      role="img"
      aria-label={label}
    >
      {points.map((point, index) => {
        const height = point.value === 0 ? 1.5 : 4 + (point.value / most) * (size.height - 8);
        return (
          <rect
            key={point.label}
            x={index * width + width * 0.15}
            y={size.height - height}
            width={width * 0.7}
            height={height}
            rx={2}
            className={point.value === 0 ? 'chart-none' : 'chart-bar'}
          >
            <title>{point.label}</title>
          </rect>
        );
      })}
    </svg>
  );
}
