import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { text } from '../text';
import { Failure } from '../ui/states';
import { MissingCode } from './lazy-page';

/** Returns whether the service responds, so that reloading the page does not end in an error page of the browser. */
async function responds(): Promise<boolean> {
  const page = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
  return page?.ok === true;
}

/** What is shown where a page could not be opened. `reset` alone would not read again what it lacks. */
export function PageFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  if (!(error instanceof MissingCode))
    return <Failure error={error} retry={() => void router.invalidate()} />;
  const reload = async () => {
    // Also the names of files may be others by now, which only a new page knows.
    if (await responds()) location.reload();
  };
  return <Failure error={error} why={text.failure.code} retry={() => void reload()} />;
}
