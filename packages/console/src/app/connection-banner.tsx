import { useLost } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { formatClock } from '../ui/format';
import { IconAlertTriangle } from '../ui/icons';

/** Says since when the service does not respond, and how old what is shown is; above all else, dialogs included. */
export function ConnectionBanner() {
  const lost = useLost();
  if (!lost) return null;
  const [since, time] = [formatClock(lost.since), formatClock(lost.heardAt)];
  return (
    <div className="connection" role="alert">
      <IconAlertTriangle size={18} stroke={1.8} />
      <p>
        <strong>{fill(text.connection.lost, { since })}</strong> {fill(text.connection.figures, { time })}
      </p>
    </div>
  );
}
