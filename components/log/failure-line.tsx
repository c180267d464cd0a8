"use client";

import { useTranslations } from "next-intl";
import { badgeVariants } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "@/lib/usage-log/columns";
import { useFailureHref } from "./use-failure-href";

/** Whether a row has something to say about its failure. */
export function hasFailure({ type, statusCode, content }: UsageLog): boolean {
  return type === LOG_TYPE.error && (statusCode !== null || content !== "");
}

/** Why a request failed: status, code and text, in a line of their own so that nothing is cut off. */
export function FailureLine({ row }: { row: UsageLog }) {
  const t = useTranslations("log.failure");
  const hrefOf = useFailureHref();
  const { statusCode, errorCode, content, repeats, other } = row;
  const asked = typeof other.requested_model === "string" && row.modelName === "" ? other.requested_model : "";
  return (
    <p data-testid="failure-line" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      {statusCode === null ? null : (
        <Chip href={hrefOf({ status: statusCode })} title={t("onlyStatus", { status: String(statusCode) })}>
          {String(statusCode)}
        </Chip>
      )}
      {errorCode === "" ? null : (
        <Chip href={hrefOf({ code: errorCode })} title={t("onlyCode", { code: errorCode })}>
          {errorCode}
        </Chip>
      )}
      <span dir="auto" className="min-w-0 text-muted-foreground wrap-anywhere">
        {content}
      </span>
      {asked !== "" && !content.includes(asked) ? (
        <span dir="auto" className="text-muted-foreground wrap-anywhere">
          {t("asked", { model: asked })}
        </span>
      ) : null}
      {repeats > 0 ? <span className="font-medium">{t("repeats", { count: repeats })}</span> : null}
    </p>
  );
}

function Chip({ href, title, children }: { href: string; title: string; children: string }) {
  return (
    <Link
      href={href}
      title={title}
      onClick={(event) => event.stopPropagation()}
      className={`${badgeVariants({ hue: "red" })} hover:underline`}
    >
      <span dir="auto" className="truncate">
        {children}
      </span>
    </Link>
  );
}
