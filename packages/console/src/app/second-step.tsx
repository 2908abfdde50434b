import { Alert, Button, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/client';
import { session } from '../api/session';
import { type Offer, type Person, type Proof, surface } from '../api/surface';
import { text } from '../text';
import { fill } from '../text/en';
import { secondFactor } from '../text/second-factor';
import { FactorForm } from '../ui/second-factor';
import { explain } from '../ui/states';

const t = secondFactor;

/** The second step of signing in. */
export function SecondStep({
  offer,
  onDone,
  onBack,
}: {
  offer: Offer;
  onDone: (me: Person) => void;
  onBack: (why?: string) => void;
}) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const finish = async (proof: Proof) => {
    setBusy(true);
    setError(undefined);
    try {
      onDone(await session.begin(surface().account.finishSignIn(proof)));
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 401) onBack(t.tooLate);
      else if (failure instanceof ApiError && failure.status === 429) {
        setError(fill(text.signIn.wait, { seconds: failure.retryAfterSeconds ?? 60 }));
      } else if (failure instanceof ApiError && failure.code === 'second_factor_wrong') setError(t.wrong);
      else setError(explain(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Title order={1}>{t.step}</Title>
      {error ? (
        <Alert color="red" role="alert" variant="light">
          {error}
        </Alert>
      ) : null}
      <FactorForm offer={offer} busy={busy} onProof={(proof) => void finish(proof)} />
      <Button variant="subtle" onClick={() => onBack()}>
        {t.back}
      </Button>
    </Stack>
  );
}
