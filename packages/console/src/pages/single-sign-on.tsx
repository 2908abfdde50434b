import { Alert, Button, Loader, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { finishAtProvider, goToProvider, takePlace } from '../api/single-sign-on';
import type { Offer } from '../api/surface';
import { SecondStep } from '../app/second-step';
import { explain, useEnter } from '../app/sign-in';
import { SignInFrame } from '../app/sign-in-frame';
import { text } from '../text';
import { notifyDone } from '../ui/states';

const t = text.signIn;

/** Where the identity provider sends browsers back: opens the session and goes on, or says why not. */
export function SingleSignOn() {
  const enter = useEnter();
  const begun = useRef<{ next: string; fresh: boolean }>(undefined);
  const [offer, setOffer] = useState<Offer>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    document.title = `${t.title} · ${text.product}`;
    if (begun.current) return;
    const { next, fresh } = takePlace();
    begun.current = { next, fresh };
    const finish = async () => {
      const done = await finishAtProvider();
      if ('methods' in done) return setOffer(done);
      const { second_factor_required, second_factor_enrolled, second_factor_attested } = done;
      const mustEnrol = second_factor_required && !second_factor_enrolled && !second_factor_attested;
      // Adding a first second factor takes a fresh sign-in, and nothing else can be done before.
      if (mustEnrol && !fresh) return goToProvider({ fresh: true, next });
      if (fresh && !mustEnrol) notifyDone(t.confirmed);
      enter(done, next);
    };
    void finish().catch(setError);
  }, []);
  return (
    <SignInFrame lead={t.lead} name={text.console}>
      {offer ? (
        <SecondStep
          offer={offer}
          onDone={(me) => enter(me, begun.current?.next)}
          onBack={() => location.assign('/sign-in')}
        />
      ) : (
        <Stack gap="md" className="sign-in-form">
          <Title order={1}>{t.title}</Title>
          {error ? (
            <>
              <Alert color="red" role="alert" variant="light">
                {explain(error)}
              </Alert>
              <Button component="a" href="/sign-in" size="md">
                {t.again}
              </Button>
              {/* The provider would send back the person who is signed in there. */}
              <Button
                size="md"
                variant="default"
                onClick={() => {
                  const { next = '/' } = begun.current ?? {};
                  void goToProvider({ fresh: true, next }).catch(setError);
                }}
              >
                {t.another}
              </Button>
            </>
          ) : (
            <Text c="dimmed" role="status">
              <Loader size="xs" mr="sm" />
              {t.finishing}
            </Text>
          )}
        </Stack>
      )}
    </SignInFrame>
  );
}
