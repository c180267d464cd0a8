import { Inbox } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { CaptureKeys } from "@/components/capture/capture-keys";
import { CaptureList } from "@/components/capture/capture-list";
import { CaptureView } from "@/components/capture/capture-view";
import { DeleteAllButton } from "@/components/capture/delete-all-button";
import { EmptyList, ListHeader } from "@/components/data-table/list-parts";
import { Card } from "@/components/form/card";
import { countLosses, findCapture, listCaptureKeys, listCaptures, readCapture } from "@/lib/capture/queries";
import { toReplay } from "@/lib/capture/replay";
import type { CaptureView as View } from "@/lib/capture/types";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { getSignedIn } from "../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("capture"))("title") };
}

/** `?id=` opens a capture, `?request=` the one of a request. */
export default async function CapturePage({ searchParams }: PageProps<"/capture">) {
  const [ctx, params, t] = await Promise.all([getSignedIn(), searchParams, getTranslations("capture")]);
  if (typeof params.request === "string") {
    const found = await findCapture(ctx, params.request);
    redirect(found === null ? "/capture" : `/capture?id=${found}`);
  }
  const [options, keys, rows, lost, opened] = await Promise.all([
    loadOptions(ctx.db),
    listCaptureKeys(ctx),
    listCaptures(ctx),
    countLosses(ctx),
    findOpened(ctx, Number(params.id)),
  ]);
  return (
    <div className="mx-auto max-w-7xl">
      <ListHeader title={t("title")} lead={t("lead", { hours: String(options.CaptureHours) })} />
      <div className="flex flex-col gap-4">
        <Card title={t("keys")} lead={options.CaptureAdminAccess ? t("keysLeadShared") : t("keysLead")}>
          {options.CaptureEnabled ? (
            <CaptureKeys keys={keys} />
          ) : (
            <p className="text-muted-foreground">{t("siteOff")}</p>
          )}
        </Card>
        {rows.length > 0 || options.CaptureEnabled ? (
          <Card
            title={t("list")}
            lead={lost > 0 ? t("lost", { count: String(lost) }) : undefined}
            action={rows.length > 0 ? <DeleteAllButton /> : undefined}
          >
            {rows.length === 0 ? (
              <EmptyList icon={<Inbox aria-hidden />} title={t("empty")} text={t("emptyText")} />
            ) : (
              <CaptureList rows={rows} />
            )}
          </Card>
        ) : null}
      </div>
      {opened ? (
        <CaptureView
          capture={opened}
          isOwn={opened.userId === ctx.actor.id}
          canReplay={toReplay(opened, opened.modelName) !== null}
        />
      ) : null}
    </div>
  );
}

/** Null = there is none, or it is another's. */
async function findOpened(ctx: ServiceContext, id: number): Promise<View | null> {
  if (!Number.isSafeInteger(id) || id <= 0) return null;
  try {
    return await readCapture(ctx, { id });
  } catch (error) {
    if (error instanceof AppError && error.code !== "internal") return null;
    throw error;
  }
}
