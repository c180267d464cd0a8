"use client";

import { TriangleAlert } from "lucide-react";
import { unstable_rethrow, useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { Component, type ReactNode, startTransition } from "react";
import { Button } from "@/components/ui/button";
import { EmptyList } from "./list-parts";

type State = { error: (Error & { digest?: string }) | null };

/** Shows an error with a retry button in place of the rows. The filters stay. */
export class ListErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error & { digest?: string }): State {
    unstable_rethrow(error);
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <ListError digest={error.digest} onReset={() => this.setState({ error: null })} />;
  }
}

function ListError({ digest, onReset }: { digest: string | undefined; onReset: () => void }) {
  const t = useTranslations("status");
  const common = useTranslations("common");
  const router = useRouter();
  const onRetry = () =>
    startTransition(() => {
      router.refresh();
      onReset();
    });
  return (
    <div role="alert">
      <EmptyList icon={<TriangleAlert aria-hidden />} title={t("listErrorTitle")} text={t("listErrorText")}>
        {digest ? (
          <code className="font-mono text-muted-foreground text-xs">{t("reference", { id: digest })}</code>
        ) : null}
        <Button variant="primary" size="md" onClick={onRetry}>
          {common("retry")}
        </Button>
      </EmptyList>
    </div>
  );
}
