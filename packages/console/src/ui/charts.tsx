import { useId } from 'react';

interface Point {
  label: string;
  value: number;
}

const size = { width: 600, height: 120 };

/** A line over time with its area. What it says is also its label, for those who do not see it. */
export function LineChart({ points, label }: { points: Point[]; label: string }) {
  const gradient = useId();
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = most - least || 1;
  const x = (index: number) => (index / Math.max(1, points.length - 1)) * size.width;
  const y = (value: number) => 8 + (1 - (value - least) / range) * (size.height - 16);
  const line = points.map(({ value }, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('');
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      preserveAspectRatio="none"
      className="chart"
      role="img"
      aria-label={label}
    >
      <defs>
        <linearGradient id={gradient} x1="0" x2="0" y1="0" y2="1">
          <stop offset="0" className="chart-top" />
          <stop offset="1" className="chart-bottom" />
        </linearGradient>
      </defs>
      <path d={`${line}L${size.width} ${size.height}L0 ${size.height}Z`} fill={`url(#${gradient})`} />
      <path d={line} className="chart-line" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

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
