import '../app/nonce';
import '../app/styles';
import { installSurface } from '../api/surface';
import { frameParts } from '../app/frame';
import { start } from '../app/start';
import { pageParts } from './page-parts';
import { openPages, pages } from './pages';
import { PortalShell } from './shell';
import { PortalSignIn } from './sign-in';
import { partnerSurface } from './surface';

installSurface(partnerSurface);
start({ basepath: '/portal', SignIn: PortalSignIn, Shell: PortalShell, pages, openPages }, [
  ...frameParts,
  ...Object.values(pageParts),
]);
