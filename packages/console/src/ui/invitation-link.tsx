import { text } from '../text';
import { fill } from '../text/en';
import { formatTime } from './format';
import { ShownOnce } from './shown-once';

const t = text.invitationLink;

/** What was made for an address, with the link that is shown once. */
export interface IssuedTo {
  email: string;
  url: string;
  expires_at: string;
}

/** Shows the link of an invitation, which is possible once. */
export function InvitationLink({
  of: { email, url, expires_at },
  onClose,
}: {
  of: IssuedTo;
  onClose: () => void;
}) {
  return (
    <ShownOnce
      title={fill(t.title, { email })}
      lead={fill(t.lead, { time: formatTime(expires_at) })}
      label={t.label}
      value={url}
      copy={t.copy}
      close={t.close}
      onClose={onClose}
    />
  );
}
