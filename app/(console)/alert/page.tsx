import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { Alerts } from "@/components/alert/alerts";
import { Texts } from "@/components/shell/texts";
import { listAlertChoices, listAlerts, listFirings } from "@/lib/alert/queries";
import { ROLE } from "@/lib/context";
import { listUsableModels } from "@/lib/model/queries";
import { getSignedIn } from "../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("alert"))("title") };
}

/** The rules of the signed-in user; administrators may watch the site as well. */
export default async function AlertPage() {
  const ctx = await getSignedIn();
  const isAdmin = ctx.actor.role >= ROLE.admin;
  const [rules, firings, choices, models] = await Promise.all([
    listAlerts(ctx),
    listFirings(ctx),
    listAlertChoices(ctx),
    isAdmin ? listUsableModels(ctx) : [],
  ]);
  return (
    <Texts of={["alert", "paging"]}>
      <div className="mx-auto max-w-7xl">
        <Alerts rules={rules} firings={firings} choices={choices} models={models} isAdmin={isAdmin} />
      </div>
    </Texts>
  );
}
