import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { getSite } from "@/app/site";
import { StepUpProvider } from "@/components/auth/step-up-dialog";
import { Time } from "@/components/format/time";
import { Texts } from "@/components/shell/texts";
import { Incidents } from "@/components/status-page/incidents";
import { StatusEntries } from "@/components/status-page/status-entries";
import { StatusSummary } from "@/components/status-page/status-summary";
import { getContext } from "@/lib/auth/session";
import { getStatusPage } from "@/lib/status-page/queries";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("statusPage"))("title") };
}

/** Public while the operator has it on: which models work, and what happened. */
export default async function StatusPage() {
  const [ctx, site, t] = await Promise.all([getContext(), getSite(), getTranslations("statusPage")]);
  if (!site.statusPage) notFound();
  const { entries, incidents, canEdit, readAt } = await getStatusPage(ctx, site.statusPage);
  return (
    <Texts of={["security.stepUp", "statusPage"]}>
      <div className="mx-auto flex max-w-4xl flex-col gap-5 p-4 md:p-6">
        <header>
          <h1 dir="auto" className="font-semibold text-lg tracking-tight">
            {t("heading", { name: site.systemName })}
          </h1>
          <p className="mt-0.5 text-muted-foreground text-xs">
            {t("asOf")} <Time seconds={readAt} />
          </p>
        </header>
        <StatusSummary entries={entries} hasIncident={incidents.some(({ resolvedAt }) => resolvedAt === null)} />
        <StepUpProvider>
          <Incidents incidents={incidents} canEdit={canEdit} />
        </StepUpProvider>
        <StatusEntries entries={entries} />
      </div>
    </Texts>
  );
}
