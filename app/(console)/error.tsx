"use client";

import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { ErrorPage } from "@/components/shell/error-page";

export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const router = useRouter();
  const onRetry = () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
  return <ErrorPage error={error} retry={onRetry} />;
}
