import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { text } from '../text';
import { PageHead } from '../ui/parts';
import { Empty } from '../ui/states';

export function NotFound() {
  return (
    <main className="content" id="content">
      <PageHead title={text.notFound.title} />
      <Empty
        title={text.notFound.title}
        body={text.notFound.body}
        action={
          <Button component={Link} to="/">
            {text.notFound.action}
          </Button>
        }
      />
    </main>
  );
}
