import type { Route } from "next";
import { getTranslations } from "next-intl/server";
import { type ReactNode, Suspense } from "react";
import { Link } from "@/components/ui/link";
import { Skeleton } from "@/components/ui/skeleton";
import { AppError } from "@/lib/errors";

/** A row that is open beside its list: its id, and its details where the server was asked for them. */
export type Peek = { shown: number | null; detail: ReactNode };

/** `read` may throw not_found or forbidden, for a row that is gone. */
export function toPeek<Row>(
  id: number | null,
  read: (id: number) => Promise<Row>,
  render: (row: Row) => ReactNode,
): Peek {
  if (id === null) return { shown: null, detail: null };
  const detail = (
    <Suspense key={id} fallback={<Skeleton className="h-40 w-full" />}>
      <Loaded row={read(id).catch(gone)} render={render} />
    </Suspense>
  );
  return { shown: id, detail };
}

async function Loaded<Row>({ row, render }: { row: Promise<Row | null>; render: (row: Row) => ReactNode }) {
  const [found, t] = await Promise.all([row, getTranslations("list")]);
  return found === null ? <p className="text-muted-foreground">{t("peekGone")}</p> : render(found);
}

/** Leads from the details beside the list to the page of what they are of. */
export async function PeekPageLink({ href }: { href: Route }) {
  const t = await getTranslations("list");
  return (
    <Link href={href} className="self-start rounded text-primary text-sm hover:underline">
      {t("openPage")}
    </Link>
  );
}

function gone(error: unknown): null {
  if (error instanceof AppError && (error.code === "not_found" || error.code === "forbidden")) return null;
  throw error;
}
