import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError } from '../api/client';
import { readMe } from '../api/live';
import { surface } from '../api/surface';
import { secondFactor } from '../text/second-factor';
import { useFactor } from '../ui/second-factor';

/** Confirms the session with a second factor, which is asked for as soon as this is shown. */
export default function ConfirmSession({
  onDone,
  onFailure,
}: {
  onDone: (confirmation: string) => void;
  onFailure: (error: unknown) => void;
}) {
  const client = useQueryClient();
  const { ask, dialog } = useFactor();
  const asked = useRef(false);
  const confirm = async (why?: string): Promise<string> => {
    const confirmed = surface().account.confirmOtherwise?.(await readMe(client));
    if (confirmed) return confirmed;
    const body = await ask({ purpose: 'confirmation' }, why);
    try {
      return (await surface().account.confirm(body)).confirmation;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'second_factor_wrong')
        return confirm(secondFactor.wrong);
      throw error;
    }
  };
  useEffect(() => {
    if (!asked.current) void confirm().then(onDone, onFailure);
    asked.current = true;
  }, []);
  return dialog;
}
