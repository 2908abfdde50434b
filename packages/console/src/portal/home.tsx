import { call } from '../api/client';
import { useLive } from '../api/live';
import { frame } from '../text/portal/frame';
import { PageHead } from '../ui/parts';
import { api, type Schemas, useMay } from './api';

export function Home() {
  const partner = useLive<Schemas['Me']>(['home', 'partner'], () => call(api.GET('/v1/me')), useMay('read'));
  return <PageHead title={frame.nav.home} lead={partner.data?.name} />;
}
