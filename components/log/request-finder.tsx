"use client";

import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Link } from "@/components/ui/link";
import type { FoundRequest } from "@/lib/usage-log/failure-types";
import { findFailedRequest } from "./actions";

const TEXT_MAX = 5_000;

const pathOf = (requestId: string) => `/log?request=${encodeURIComponent(requestId)}`;

/** Finds the row of a request by its id, in whatever error message it is pasted, or says what is known. */
export function RequestFinder() {
  const t = useTranslations("log.failure");
  const router = useRouter();
  const { call, pending } = useRunAction();
  const [text, setText] = useState("");
  const [found, setFound] = useState<FoundRequest | null>(null);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await call(() => findFailedRequest({ text: text.slice(0, TEXT_MAX) }));
    if (!done) return;
    setFound(done.data);
    if (done.data.kind === "found") router.push(pathOf(done.data.requestId));
  };
  return (
    <form onSubmit={onSubmit} className="mb-3 flex flex-wrap items-center gap-2">
      <label htmlFor="request-finder" className="font-medium max-sm:w-full">
        {t("finder")}
      </label>
      <Input
        id="request-finder"
        value={text}
        placeholder={t("finderHint")}
        onChange={(event) => setText(event.target.value)}
        className="min-w-0 flex-1 sm:max-w-110"
      />
      <Button type="submit" size="md" pending={pending} disabled={text.trim() === ""}>
        {pending ? null : <Search aria-hidden />}
        {t("find")}
      </Button>
      <div role="status" className="w-full empty:hidden">
        {found && found.kind !== "found" ? <Known found={found} /> : null}
      </div>
    </form>
  );
}

function Known({ found }: { found: Exclude<FoundRequest, { kind: "found" }> }) {
  const t = useTranslations("log.failure");
  return (
    <p className="rounded-md border bg-muted/50 px-3 py-2">
      {t(`known.${found.kind}`)}
      {"at" in found ? (
        <>
          {` ${t("sentAt")} `}
          <Time seconds={found.at} />
        </>
      ) : null}
      {found.kind === "counted" ? (
        <Link href={pathOf(found.requestId)} className="ml-2 text-primary underline underline-offset-2">
          {t("countedRow", { count: found.repeats })}
        </Link>
      ) : null}
    </p>
  );
}
