"use client";

import { Download, Search } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsString, useQueryState } from "nuqs";
import { useDeferredValue } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { OpenApiDocument } from "@/lib/http/openapi/types";
import { type ListedOperation, OperationView } from "./operation-view";

type ApiReferenceProps = { document: OpenApiDocument; baseUrl: string; userId: number };

export function ApiReference({ document, baseUrl, userId }: ApiReferenceProps) {
  const t = useTranslations("docs");
  const [term, setTerm] = useQueryState("search", parseAsString.withDefault(""));
  const wanted = useDeferredValue(term);
  const sections = toSections(document, wanted);
  const count = sections.reduce((sum, section) => sum + section.operations.length, 0);
  return (
    <>
      <header className="mb-4 max-w-3xl">
        <h1 dir="auto" className="font-semibold text-lg tracking-tight">
          {t("title")}
        </h1>
        <p className="mt-0.5 text-pretty text-muted-foreground">{document.info.description}</p>
      </header>
      <BaseUrl baseUrl={baseUrl} />
      <search className="relative mb-4 block">
        <Search
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted-foreground"
          aria-hidden
        />
        <Input
          type="search"
          aria-label={t("search")}
          placeholder={t("search")}
          value={term}
          onChange={(event) => setTerm(event.target.value || null)}
          className="pl-8"
        />
      </search>
      <p aria-live="polite" className="mb-3 text-muted-foreground text-xs">
        {t("count", { count: String(count) })}
      </p>
      {sections.map(({ tag, description, operations }) => (
        <section key={tag} aria-labelledby={`tag-${tag}`} className="mb-6">
          <h2 dir="auto" id={`tag-${tag}`} className="mb-1.5 font-semibold">
            <code className="font-mono text-sm">{tag}</code>
            <span className="ml-2 font-normal text-muted-foreground text-sm">{description}</span>
          </h2>
          <div className="overflow-hidden rounded-lg border bg-surface">
            {operations.map((listed) => (
              <OperationView
                key={listed.operation.operationId}
                {...listed}
                named={document.components.schemas}
                baseUrl={baseUrl}
                userId={userId}
              />
            ))}
          </div>
        </section>
      ))}
      {count === 0 ? <p className="py-10 text-center text-muted-foreground">{t("nothing")}</p> : null}
    </>
  );
}

function BaseUrl({ baseUrl }: { baseUrl: string }) {
  const t = useTranslations("docs");
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border bg-surface px-4 py-2.5">
      <h2 dir="auto" className="text-muted-foreground">
        {t("baseUrl")}
      </h2>
      <code className="min-w-0 break-all font-mono">{baseUrl}</code>
      <CopyButton variant="ghost" size="icon" aria-label={t("copyBaseUrl")} text={baseUrl} />
      <Button asChild className="ml-auto">
        <a href="/api/openapi.json" download="openapi.json">
          <Download aria-hidden />
          {t("download")}
        </a>
      </Button>
    </div>
  );
}

type Section = { tag: string; description: string; operations: ListedOperation[] };

/** The operations that match every word of the search, grouped by tag. */
function toSections(document: OpenApiDocument, term: string): Section[] {
  const words = term.toLowerCase().split(/\s+/).filter(Boolean);
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const fitting = all.filter(({ method, path, operation }) => {
    const text = `${method} ${path} ${operation.summary} ${operation.tags.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return document.tags.flatMap(({ name, description }) => {
    const operations = fitting.filter(({ operation }) => operation.tags.includes(name));
    return operations.length > 0 ? [{ tag: name, description, operations }] : [];
  });
}
