"use client";

import { ErrorPage } from "@/components/shell/error-page";

export default function PublicError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main id="main">
      <ErrorPage error={error} retry={reset} />
    </main>
  );
}
