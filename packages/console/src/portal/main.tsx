import '../app/nonce';
import '../app/styles';
import { installSurface } from '../api/surface';
import { frameParts } from '../app/frame';
import { start } from '../app/start';
import { partnerSurface } from './api';
import { pages } from './pages';
import { PortalShell, PortalSignIn } from './shell';

installSurface(partnerSurface);
start({ basepath: '/portal', SignIn: PortalSignIn, Shell: PortalShell, pages }, frameParts);
